import type { InEachLocale } from '../../kernel/locale.ts';
import { TERMS } from '../../look/index.ts';
import { type Html, html } from '../../pages/index.ts';

/** The words of the pages before signing in. */
const en = {
  yourAccount: 'Your account',
  open: (seller: Html) => html`Your account at ${seller}`,
  openFor: (customer: Html) => html`for ${customer}`,
  openButton: 'Open',
  openNote: 'This link works once, in this browser.',
  used: { heading: 'This link has been used', text: 'Each link opens your account once. Please ask for a new one.' },
  expired: { heading: TERMS.en.linkExpired, text: 'Please ask for a new one.' },
  signedOut: {
    heading: 'You are not signed in',
    text: 'Open the link that you were sent, or ask its sender for a new one.',
  },
  ended: {
    heading: 'Your visit has ended',
    text: 'For your safety, a visit ends an hour after the last page that you opened.',
  },
  left: { heading: 'You are signed out', text: TERMS.en.closePage },
  signInText: 'Enter the e-mail address to which your invoices are sent. You will get a link that opens your account.',
  email: 'E-mail address',
  send: 'Send me a link',
  newLink: 'Send me a new link',
  sent: {
    heading: 'Please look into your mailbox',
    text: 'If the address belongs to an account, we have sent it a link. It works for 15 minutes, once.',
  },
  wrongEmail: 'Enter an e-mail address, such as name@example.com.',
  tooMany: {
    heading: 'Please wait a moment',
    text: 'Many links were asked for from here. Try again in a few minutes.',
  },
};

type Words = typeof en;

const de: Words = {
  yourAccount: 'Ihr Konto',
  open: (seller) => html`Ihr Konto bei ${seller}`,
  openFor: (customer) => html`für ${customer}`,
  openButton: 'Öffnen',
  openNote: 'Dieser Link gilt einmal, in diesem Browser.',
  used: {
    heading: 'Dieser Link wurde schon verwendet',
    text: 'Jeder Link öffnet Ihr Konto einmal. Bitte fordern Sie einen neuen an.',
  },
  expired: { heading: TERMS.de.linkExpired, text: 'Bitte fordern Sie einen neuen an.' },
  signedOut: {
    heading: 'Sie sind nicht angemeldet',
    text: 'Öffnen Sie den Link, den Sie erhalten haben, oder bitten Sie den Absender um einen neuen.',
  },
  ended: {
    heading: 'Ihr Besuch ist beendet',
    text: 'Zu Ihrer Sicherheit endet ein Besuch eine Stunde, nachdem Sie die letzte Seite geöffnet haben.',
  },
  left: { heading: 'Sie sind abgemeldet', text: TERMS.de.closePage },
  signInText:
    'Geben Sie die E-Mail-Adresse ein, an die Ihre Rechnungen gehen. Sie erhalten einen Link, der Ihr Konto öffnet.',
  email: 'E-Mail-Adresse',
  send: 'Link zusenden',
  newLink: 'Neuen Link zusenden',
  sent: {
    heading: 'Bitte sehen Sie in Ihr Postfach',
    text: 'Gehört die Adresse zu einem Konto, ist ein Link unterwegs. Er gilt 15 Minuten lang, einmal.',
  },
  wrongEmail: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.',
  tooMany: {
    heading: 'Bitte warten Sie einen Moment',
    text: 'Von hier wurden viele Links angefordert. Versuchen Sie es in einigen Minuten noch einmal.',
  },
};

const fr: Words = {
  yourAccount: 'Votre compte',
  open: (seller) => html`Votre compte chez ${seller}`,
  openFor: (customer) => html`pour ${customer}`,
  openButton: 'Ouvrir',
  openNote: 'Ce lien fonctionne une seule fois, dans ce navigateur.',
  used: {
    heading: 'Ce lien a déjà été utilisé',
    text: 'Chaque lien ouvre votre compte une seule fois. Veuillez en demander un nouveau.',
  },
  expired: { heading: TERMS.fr.linkExpired, text: 'Veuillez en demander un nouveau.' },
  signedOut: {
    heading: 'Vous n’êtes pas connecté',
    text: 'Ouvrez le lien que vous avez reçu, ou demandez-en un nouveau à la personne qui vous l’a envoyé.',
  },
  ended: {
    heading: 'Votre visite est terminée',
    text: 'Pour votre sécurité, une visite se termine une heure après la dernière page ouverte.',
  },
  left: { heading: 'Vous êtes déconnecté', text: TERMS.fr.closePage },
  signInText:
    'Saisissez l’adresse e-mail à laquelle vos factures sont envoyées. Vous recevrez un lien qui ouvre votre compte.',
  email: 'Adresse e-mail',
  send: 'Recevoir un lien',
  newLink: 'Recevoir un nouveau lien',
  sent: {
    heading: 'Consultez votre boîte de réception',
    text: 'Si l’adresse correspond à un compte, un lien lui est envoyé. Il est valable 15 minutes, une seule fois.',
  },
  wrongEmail: 'Saisissez une adresse e-mail, par exemple nom@example.com.',
  tooMany: {
    heading: 'Veuillez patienter un instant',
    text: 'De nombreux liens ont été demandés d’ici. Réessayez dans quelques minutes.',
  },
};

const es: Words = {
  yourAccount: 'Su cuenta',
  open: (seller) => html`Su cuenta en ${seller}`,
  openFor: (customer) => html`para ${customer}`,
  openButton: 'Abrir',
  openNote: 'Este enlace funciona una sola vez, en este navegador.',
  used: {
    heading: 'Este enlace ya se ha utilizado',
    text: 'Cada enlace abre su cuenta una sola vez. Solicite uno nuevo.',
  },
  expired: { heading: TERMS.es.linkExpired, text: 'Solicite uno nuevo.' },
  signedOut: {
    heading: 'No ha iniciado sesión',
    text: 'Abra el enlace que recibió o pida uno nuevo a quien se lo envió.',
  },
  ended: {
    heading: 'Su visita ha terminado',
    text: 'Por su seguridad, una visita termina una hora después de la última página que abrió.',
  },
  left: { heading: 'Ha cerrado la sesión', text: TERMS.es.closePage },
  signInText:
    'Introduzca la dirección de correo a la que se envían sus facturas. Recibirá un enlace que abre su cuenta.',
  email: 'Dirección de correo electrónico',
  send: 'Enviarme un enlace',
  newLink: 'Enviarme un enlace nuevo',
  sent: {
    heading: 'Mire su buzón',
    text: 'Si la dirección pertenece a una cuenta, le llegará un enlace. Es válido durante 15 minutos, una sola vez.',
  },
  wrongEmail: 'Introduzca una dirección de correo, por ejemplo nombre@example.com.',
  tooMany: {
    heading: 'Espere un momento',
    text: 'Se han solicitado muchos enlaces desde aquí. Inténtelo de nuevo en unos minutos.',
  },
};

export const SIGN_IN_WORDS: InEachLocale<Words> = { en, de, fr, es };
