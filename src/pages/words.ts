import type { InEachLocale } from '../kernel/locale.ts';
import { TERMS, type Terms } from '../look/index.ts';
import { type Html, html } from './html.ts';

/** The words of every page, and of pages without a merchant. */
const en = {
  sandbox: 'Sandbox: test cards only, no money moves.',
  poweredBy: 'Powered by Reckoner',
  toContent: 'Skip to content',
  whatYouPayFor: 'What you pay for',
  moreLines: ['more line', 'more lines'] as readonly [string, string],
  otherLines: 'The other lines',
  loadAgain: 'Load the page again',
  inAll: 'In all',
  unknown: {
    heading: 'This link does not exist',
    text: 'Check that the address is complete, or ask its sender for a new one.',
  },
  notUnderstood: {
    heading: 'This could not be read',
    text: 'Nothing was charged. Go back, load the page again, and try once more.',
  },
  busy: {
    heading: 'Please try again in a moment',
    text: 'Too much is going on here just now. Look at the page again before you pay a second time.',
  },
  broken: {
    heading: 'Something went wrong on our side',
    text: 'Load the page again. It shows whether you have paid; before that, do not pay a second time.',
  },
};

type Words = typeof en;

const de: Words = {
  sandbox: 'Testumgebung: nur Testkarten, es fließt kein Geld.',
  poweredBy: 'Abgerechnet mit Reckoner',
  toContent: 'Zum Inhalt springen',
  whatYouPayFor: 'Wofür Sie zahlen',
  moreLines: ['weitere Position', 'weitere Positionen'],
  otherLines: 'Die übrigen Positionen',
  loadAgain: 'Seite neu laden',
  inAll: 'Insgesamt',
  unknown: {
    heading: 'Diesen Link gibt es nicht',
    text: 'Prüfen Sie, ob die Adresse vollständig ist, oder bitten Sie den Absender um einen neuen Link.',
  },
  notUnderstood: {
    heading: 'Die Eingabe war nicht lesbar',
    text: 'Es wurde nichts abgebucht. Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.',
  },
  busy: {
    heading: 'Bitte versuchen Sie es gleich noch einmal',
    text: 'Hier ist gerade zu viel los. Sehen Sie sich die Seite noch einmal an, bevor Sie ein zweites Mal zahlen.',
  },
  broken: {
    heading: 'Bei uns ist etwas schiefgegangen',
    text: 'Laden Sie die Seite neu. Sie zeigt, ob Sie gezahlt haben; zahlen Sie vorher kein zweites Mal.',
  },
};

const fr: Words = {
  sandbox: 'Environnement de test : cartes de test uniquement, aucun débit réel.',
  poweredBy: 'Facturation par Reckoner',
  toContent: 'Aller au contenu',
  whatYouPayFor: 'Ce que vous payez',
  moreLines: ['autre ligne', 'autres lignes'],
  otherLines: 'Les autres lignes',
  loadAgain: 'Recharger la page',
  inAll: 'Au total',
  unknown: {
    heading: 'Ce lien n’existe pas',
    text: 'Vérifiez que l’adresse est complète, ou demandez un nouveau lien à la personne qui vous l’a envoyé.',
  },
  notUnderstood: {
    heading: 'Cette saisie n’a pas pu être lue',
    text: 'Rien n’a été débité. Revenez en arrière, rechargez la page et réessayez.',
  },
  busy: {
    heading: 'Veuillez réessayer dans un instant',
    text: 'Il y a trop de demandes en ce moment. Rechargez la page avant de payer une deuxième fois.',
  },
  broken: {
    heading: 'Une erreur est survenue de notre côté',
    text: 'Rechargez la page : elle indique si vous avez payé. Avant cela, ne payez pas une deuxième fois.',
  },
};

const es: Words = {
  sandbox: 'Entorno de pruebas: solo tarjetas de prueba, no se mueve dinero.',
  poweredBy: 'Facturación con Reckoner',
  toContent: 'Ir al contenido',
  whatYouPayFor: 'Lo que paga',
  moreLines: ['línea más', 'líneas más'],
  otherLines: 'Las demás líneas',
  loadAgain: 'Cargar la página de nuevo',
  inAll: 'En total',
  unknown: {
    heading: 'Este enlace no existe',
    text: 'Compruebe que la dirección está completa o pida un enlace nuevo a quien se lo envió.',
  },
  notUnderstood: {
    heading: 'No se pudo leer lo enviado',
    text: 'No se ha cobrado nada. Vuelva atrás, cargue la página de nuevo e inténtelo otra vez.',
  },
  busy: {
    heading: 'Inténtelo de nuevo en un momento',
    text: 'Hay demasiada actividad en este momento. Mire la página otra vez antes de pagar de nuevo.',
  },
  broken: {
    heading: 'Algo ha fallado por nuestra parte',
    text: 'Cargue la página de nuevo: muestra si ha pagado. Hasta entonces, no pague por segunda vez.',
  },
};

export const FRAME_WORDS: InEachLocale<Words> = { en, de, fr, es };

interface PageTerms extends Terms {
  readonly returnTo: (seller: Html) => Html;
  /** The portal. */
  readonly accountWith: (seller: Html) => Html;
}

/** The terms of a page, and the ways to its merchant. */
export const PAGE_TERMS: InEachLocale<PageTerms> = {
  en: {
    ...TERMS.en,
    returnTo: (seller) => html`Return to ${seller}`,
    accountWith: (seller) => html`Your account with ${seller}`,
  },
  de: {
    ...TERMS.de,
    returnTo: (seller) => html`Zurück zu ${seller}`,
    accountWith: (seller) => html`Ihr Kundenkonto bei ${seller}`,
  },
  fr: {
    ...TERMS.fr,
    returnTo: (seller) => html`Revenir chez ${seller}`,
    accountWith: (seller) => html`Votre compte chez ${seller}`,
  },
  es: {
    ...TERMS.es,
    returnTo: (seller) => html`Volver a ${seller}`,
    accountWith: (seller) => html`Su cuenta con ${seller}`,
  },
};
