import type { InEachLocale } from '../../kernel/locale.ts';
import { TERMS } from '../../look/index.ts';

/** The words of the pages before signing in. */
const en = {
  open: (seller: string) => `Your account at ${seller}`,
  openFor: (customer: string) => `for ${customer}`,
  openButton: 'Open',
  openNote: 'This link works once, in this browser.',
  used: { heading: 'This link has been used', text: 'Each link opens your account once. Please ask for a new one.' },
  expired: { heading: TERMS.en.linkExpired, text: 'Please ask for a new one.' },
  signedOut: { heading: 'You are not signed in', text: 'Your visit has ended, or you have not opened a link yet.' },
  left: { heading: 'You are signed out', text: 'You may close this page.' },
  askHere: 'Get a new link by e-mail',
  signInText: 'Enter the e-mail address to which your invoices are sent. You will get a link that opens your account.',
  email: 'E-mail address',
  send: 'Send me a link',
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
  open: (seller) => `Ihr Konto bei ${seller}`,
  openFor: (customer) => `für ${customer}`,
  openButton: 'Öffnen',
  openNote: 'Dieser Link gilt einmal, in diesem Browser.',
  used: {
    heading: 'Dieser Link wurde schon verwendet',
    text: 'Jeder Link öffnet Ihr Konto einmal. Bitte fordern Sie einen neuen an.',
  },
  expired: { heading: TERMS.de.linkExpired, text: 'Bitte fordern Sie einen neuen an.' },
  signedOut: {
    heading: 'Sie sind nicht angemeldet',
    text: 'Ihr Besuch ist beendet, oder Sie haben noch keinen Link geöffnet.',
  },
  left: { heading: 'Sie sind abgemeldet', text: 'Sie können diese Seite schließen.' },
  askHere: 'Neuen Link per E-Mail anfordern',
  signInText:
    'Geben Sie die E-Mail-Adresse ein, an die Ihre Rechnungen gehen. Sie erhalten einen Link, der Ihr Konto öffnet.',
  email: 'E-Mail-Adresse',
  send: 'Link zusenden',
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
  open: (seller) => `Votre compte chez ${seller}`,
  openFor: (customer) => `pour ${customer}`,
  openButton: 'Ouvrir',
  openNote: 'Ce lien fonctionne une seule fois, dans ce navigateur.',
  used: {
    heading: 'Ce lien a déjà été utilisé',
    text: 'Chaque lien ouvre votre compte une seule fois. Veuillez en demander un nouveau.',
  },
  expired: { heading: TERMS.fr.linkExpired, text: 'Veuillez en demander un nouveau.' },
  signedOut: {
    heading: 'Vous n’êtes pas connecté',
    text: 'Votre visite est terminée, ou vous n’avez pas encore ouvert de lien.',
  },
  left: { heading: 'Vous êtes déconnecté', text: 'Vous pouvez fermer cette page.' },
  askHere: 'Recevoir un nouveau lien par e-mail',
  signInText:
    'Saisissez l’adresse e-mail à laquelle vos factures sont envoyées. Vous recevrez un lien qui ouvre votre compte.',
  email: 'Adresse e-mail',
  send: 'Recevoir un lien',
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
  open: (seller) => `Su cuenta en ${seller}`,
  openFor: (customer) => `para ${customer}`,
  openButton: 'Abrir',
  openNote: 'Este enlace funciona una sola vez, en este navegador.',
  used: {
    heading: 'Este enlace ya se ha utilizado',
    text: 'Cada enlace abre su cuenta una sola vez. Solicite uno nuevo.',
  },
  expired: { heading: TERMS.es.linkExpired, text: 'Solicite uno nuevo.' },
  signedOut: {
    heading: 'No ha iniciado sesión',
    text: 'Su visita ha terminado o todavía no ha abierto ningún enlace.',
  },
  left: { heading: 'Ha cerrado la sesión', text: 'Puede cerrar esta página.' },
  askHere: 'Recibir un enlace nuevo por correo electrónico',
  signInText:
    'Introduzca la dirección de correo a la que se envían sus facturas. Recibirá un enlace que abre su cuenta.',
  email: 'Dirección de correo electrónico',
  send: 'Enviarme un enlace',
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
