import type { InEachLocale } from '../../kernel/locale.ts';
import { type Html, html, PAGE_TERMS } from '../../pages/index.ts';

/** The problems of a sent form. The page that follows it names one in its address. */
export const PAGE_PROBLEMS = ['chooseCard', 'notPayable', 'providerAway', 'notConnected'] as const;
export type PageProblem = (typeof PAGE_PROBLEMS)[number];

/**
 * The words of the page of a payment session. `seller` is markup, because a name brings its own direction of writing.
 */
const en = {
  ...PAGE_TERMS.en,
  payBy: 'Pay by card',
  saveBy: 'Save a card',
  save: 'Save card',
  /** Before the title, so that a screen reader reads it first. */
  notPaidYet: 'Not paid yet',
  atProvider: 'You enter your card on the secure page of our payment provider.',
  chooseTestCard: 'Choose a test card',
  testCards: {
    pm_ok: 'Succeeds',
    pm_declined: 'Is declined',
    pm_insufficient_funds: 'Has insufficient funds',
    pm_then_declined: 'Succeeds once, is declined afterwards',
    pm_disputed: 'Succeeds, and is disputed a day later',
    pm_3ds: 'Asks you to confirm',
    pm_slow: 'Succeeds after 30 seconds',
    pm_slow_declined: 'Is declined after 30 seconds',
  },
  cancelAndReturn: (seller: Html) => html`Cancel and return to ${seller}`,
  problems: {
    chooseCard: { heading: 'Choose a card.', text: 'Nothing was charged.' },
    notPayable: {
      heading: 'This can no longer be paid here.',
      text: 'Nothing was charged. Ask for a new link if you still owe it.',
    },
    providerAway: {
      heading: 'The payment provider does not answer.',
      text: 'Nothing was charged. Try again in a moment.',
    },
    notConnected: {
      heading: 'This merchant cannot take card payments at the moment.',
      text: 'Nothing was charged. Ask the merchant, or try again later.',
    },
  },
  declines: {
    card_declined: 'The card was declined.',
    insufficient_funds: 'The card has insufficient funds.',
    expired_card: 'The card has expired.',
    incorrect_cvc: 'The security code is wrong.',
    authentication_required: 'The bank asks you to confirm the payment.',
    processing_error: 'The bank could not process the payment.',
  },
  tryAnother: 'Nothing was charged. Try another card.',
  keptForLater: 'Your card is saved for later payments. Nothing is charged now.',
  due: (day: string) => `Due ${day}`,
  received: 'Payment received',
  saved: 'Card saved',
  hasReceived: (seller: Html) => html`${seller} has received your payment.`,
  mayCharge: (seller: Html) => html`${seller} can charge it for purchases that you agree to.`,
  onItsWay: {
    heading: 'Your payment is in progress',
    text: 'The bank has not answered yet. Do not pay a second time. You can close this page.',
  },
  /** The page checks again automatically for a while. */
  looksAgain: 'This page checks for the answer automatically for two minutes.',
  lookAgain: 'Look again',
  stopLooking: 'Stop checking automatically',
  confirm: {
    heading: 'Confirm this payment',
    text: (amount: string) => `Your bank asks whether you pay ${amount}.`,
  },
  confirmCard: 'Your bank asks whether this card may be saved.',
  confirmButton: 'Confirm',
  refuseButton: 'Refuse',
  cancelled: { heading: 'This payment was cancelled', text: 'Nothing was charged.' },
  setupExpired: {
    heading: PAGE_TERMS.en.linkExpired,
    text: 'No card was saved. Ask for a new link if you still want to save one.',
  },
  expired: {
    heading: 'This payment link has expired',
    open: 'Nothing was charged. You can still pay with a new link.',
    over: 'Nothing was charged. Ask for a new link if you still want to pay.',
  },
  newPage: 'Open a new payment page',
  seeInvoice: 'See the invoice',
  payment: 'Payment',
};

type Words = typeof en;

const de: Words = {
  ...PAGE_TERMS.de,
  payBy: 'Mit Karte zahlen',
  saveBy: 'Karte speichern',
  save: 'Karte speichern',
  notPaidYet: 'Noch nicht bezahlt',
  atProvider: 'Ihre Kartendaten geben Sie auf der sicheren Seite unseres Zahlungsdienstleisters ein.',
  chooseTestCard: 'Testkarte wählen',
  testCards: {
    pm_ok: 'Wird angenommen',
    pm_declined: 'Wird abgelehnt',
    pm_insufficient_funds: 'Hat keine ausreichende Deckung',
    pm_then_declined: 'Wird einmal angenommen, danach abgelehnt',
    pm_disputed: 'Wird angenommen und einen Tag später angefochten',
    pm_3ds: 'Verlangt eine Bestätigung',
    pm_slow: 'Wird nach 30 Sekunden angenommen',
    pm_slow_declined: 'Wird nach 30 Sekunden abgelehnt',
  },
  cancelAndReturn: (seller) => html`Abbrechen und zurück zu ${seller}`,
  problems: {
    chooseCard: { heading: 'Wählen Sie eine Karte.', text: 'Es wurde nichts abgebucht.' },
    notPayable: {
      heading: 'Hier kann nicht mehr gezahlt werden.',
      text: 'Es wurde nichts abgebucht. Bitten Sie um einen neuen Link, falls der Betrag noch offen ist.',
    },
    providerAway: {
      heading: 'Der Zahlungsdienstleister antwortet nicht.',
      text: 'Es wurde nichts abgebucht. Versuchen Sie es gleich noch einmal.',
    },
    notConnected: {
      heading: 'Dieser Händler kann gerade keine Kartenzahlungen annehmen.',
      text: 'Es wurde nichts abgebucht. Wenden Sie sich an den Händler, oder versuchen Sie es später noch einmal.',
    },
  },
  declines: {
    card_declined: 'Die Karte wurde abgelehnt.',
    insufficient_funds: 'Die Karte ist nicht ausreichend gedeckt.',
    expired_card: 'Die Karte ist abgelaufen.',
    incorrect_cvc: 'Die Prüfziffer ist falsch.',
    authentication_required: 'Ihre Bank bittet Sie, die Zahlung zu bestätigen.',
    processing_error: 'Die Bank konnte die Zahlung nicht verarbeiten.',
  },
  tryAnother: 'Es wurde nichts abgebucht. Versuchen Sie es mit einer anderen Karte.',
  keptForLater: 'Ihre Karte wird für spätere Zahlungen gespeichert. Jetzt wird nichts abgebucht.',
  due: (day) => `Fällig am ${day}`,
  received: 'Zahlung eingegangen',
  saved: 'Karte gespeichert',
  hasReceived: (seller) => html`${seller} hat Ihre Zahlung erhalten.`,
  mayCharge: (seller) => html`${seller} kann sie für das belasten, was Sie vereinbaren.`,
  onItsWay: {
    heading: 'Ihre Zahlung ist unterwegs',
    text: 'Die Bank hat noch nicht geantwortet. Zahlen Sie kein zweites Mal. Sie können diese Seite schließen.',
  },
  looksAgain: 'Diese Seite sieht zwei Minuten lang automatisch nach, ob die Antwort da ist.',
  lookAgain: 'Noch einmal nachsehen',
  stopLooking: 'Nicht mehr automatisch nachsehen',
  confirm: {
    heading: 'Zahlung bestätigen',
    text: (amount) => `Ihre Bank fragt, ob Sie ${amount} zahlen.`,
  },
  confirmCard: 'Ihre Bank fragt, ob diese Karte gespeichert werden darf.',
  confirmButton: 'Bestätigen',
  refuseButton: 'Ablehnen',
  cancelled: { heading: 'Diese Zahlung wurde abgebrochen', text: 'Es wurde nichts abgebucht.' },
  setupExpired: {
    heading: PAGE_TERMS.de.linkExpired,
    text: 'Es wurde keine Karte gespeichert. Bitten Sie um einen neuen Link, wenn Sie noch eine speichern möchten.',
  },
  expired: {
    heading: 'Dieser Zahlungslink ist abgelaufen',
    open: 'Es wurde nichts abgebucht. Sie können mit einem neuen Link noch zahlen.',
    over: 'Es wurde nichts abgebucht. Bitten Sie um einen neuen Link, wenn Sie noch zahlen möchten.',
  },
  newPage: 'Neue Zahlungsseite öffnen',
  seeInvoice: 'Rechnung ansehen',
  payment: 'Zahlung',
};

const fr: Words = {
  ...PAGE_TERMS.fr,
  payBy: 'Payer par carte',
  saveBy: 'Enregistrer une carte',
  save: 'Enregistrer la carte',
  notPaidYet: 'Pas encore payé',
  atProvider: 'Vous saisissez votre carte sur la page sécurisée de notre prestataire de paiement.',
  chooseTestCard: 'Choisissez une carte de test',
  testCards: {
    pm_ok: 'Acceptée',
    pm_declined: 'Refusée',
    pm_insufficient_funds: 'Provision insuffisante',
    pm_then_declined: 'Acceptée une fois, refusée ensuite',
    pm_disputed: 'Acceptée, puis contestée un jour plus tard',
    pm_3ds: 'Demande une confirmation',
    pm_slow: 'Acceptée après 30 secondes',
    pm_slow_declined: 'Refusée après 30 secondes',
  },
  cancelAndReturn: (seller) => html`Annuler et revenir chez ${seller}`,
  problems: {
    chooseCard: { heading: 'Choisissez une carte.', text: 'Rien n’a été débité.' },
    notPayable: {
      heading: 'Le paiement n’est plus possible ici.',
      text: 'Rien n’a été débité. Demandez un nouveau lien si ce montant reste à payer.',
    },
    providerAway: {
      heading: 'Le prestataire de paiement ne répond pas.',
      text: 'Rien n’a été débité. Réessayez dans un instant.',
    },
    notConnected: {
      heading: 'Ce commerçant ne peut pas accepter de paiements par carte pour le moment.',
      text: 'Rien n’a été débité. Contactez le commerçant, ou réessayez plus tard.',
    },
  },
  declines: {
    card_declined: 'La carte a été refusée.',
    insufficient_funds: 'La provision de la carte est insuffisante.',
    expired_card: 'La carte a expiré.',
    incorrect_cvc: 'Le code de sécurité est incorrect.',
    authentication_required: 'Votre banque vous demande de confirmer le paiement.',
    processing_error: 'La banque n’a pas pu traiter le paiement.',
  },
  tryAnother: 'Rien n’a été débité. Essayez une autre carte.',
  keptForLater: 'Votre carte est conservée pour des paiements ultérieurs. Rien n’est débité maintenant.',
  due: (day) => `À payer au plus tard le ${day}`,
  received: 'Paiement reçu',
  saved: 'Carte enregistrée',
  hasReceived: (seller) => html`${seller} a reçu votre paiement.`,
  mayCharge: (seller) => html`${seller} peut la débiter pour ce que vous acceptez.`,
  onItsWay: {
    heading: 'Votre paiement est en cours',
    text: 'La banque n’a pas encore répondu. Ne payez pas une deuxième fois. Vous pouvez fermer cette page.',
  },
  looksAgain: 'Cette page vérifie automatiquement la réponse pendant deux minutes.',
  lookAgain: 'Vérifier à nouveau',
  stopLooking: 'Ne plus vérifier automatiquement',
  confirm: {
    heading: 'Confirmez ce paiement',
    text: (amount) => `Votre banque vous demande si vous payez ${amount}.`,
  },
  confirmCard: 'Votre banque vous demande si cette carte peut être enregistrée.',
  confirmButton: 'Confirmer',
  refuseButton: 'Refuser',
  cancelled: { heading: 'Ce paiement a été annulé', text: 'Rien n’a été débité.' },
  setupExpired: {
    heading: PAGE_TERMS.fr.linkExpired,
    text: 'Aucune carte n’a été enregistrée. Demandez un nouveau lien si vous souhaitez en enregistrer une.',
  },
  expired: {
    heading: 'Ce lien de paiement a expiré',
    open: 'Rien n’a été débité. Vous pouvez encore payer avec un nouveau lien.',
    over: 'Rien n’a été débité. Demandez un nouveau lien si vous souhaitez encore payer.',
  },
  newPage: 'Ouvrir une nouvelle page de paiement',
  seeInvoice: 'Voir la facture',
  payment: 'Paiement',
};

const es: Words = {
  ...PAGE_TERMS.es,
  payBy: 'Pagar con tarjeta',
  saveBy: 'Guardar una tarjeta',
  save: 'Guardar tarjeta',
  notPaidYet: 'Aún sin pagar',
  atProvider: 'Los datos de la tarjeta se introducen en la página segura de nuestro proveedor de pagos.',
  chooseTestCard: 'Elija una tarjeta de prueba',
  testCards: {
    pm_ok: 'Se acepta',
    pm_declined: 'Se rechaza',
    pm_insufficient_funds: 'No tiene fondos suficientes',
    pm_then_declined: 'Se acepta una vez y después se rechaza',
    pm_disputed: 'Se acepta y se disputa un día después',
    pm_3ds: 'Pide una confirmación',
    pm_slow: 'Se acepta a los 30 segundos',
    pm_slow_declined: 'Se rechaza a los 30 segundos',
  },
  cancelAndReturn: (seller) => html`Cancelar y volver a ${seller}`,
  problems: {
    chooseCard: { heading: 'Elija una tarjeta.', text: 'No se ha cobrado nada.' },
    notPayable: {
      heading: 'Ya no se puede pagar aquí.',
      text: 'No se ha cobrado nada. Pida un enlace nuevo si el importe sigue pendiente.',
    },
    providerAway: {
      heading: 'El proveedor de pagos no responde.',
      text: 'No se ha cobrado nada. Inténtelo de nuevo en un momento.',
    },
    notConnected: {
      heading: 'Este comercio no puede aceptar pagos con tarjeta en este momento.',
      text: 'No se ha cobrado nada. Póngase en contacto con el comercio, o inténtelo más tarde.',
    },
  },
  declines: {
    card_declined: 'La tarjeta fue rechazada.',
    insufficient_funds: 'La tarjeta no tiene fondos suficientes.',
    expired_card: 'La tarjeta ha caducado.',
    incorrect_cvc: 'El código de seguridad no es correcto.',
    authentication_required: 'Su banco le pide que confirme el pago.',
    processing_error: 'El banco no pudo procesar el pago.',
  },
  tryAnother: 'No se ha cobrado nada. Pruebe con otra tarjeta.',
  keptForLater: 'Su tarjeta se guarda para pagos posteriores. Ahora no se cobra nada.',
  due: (day) => `Vence el ${day}`,
  received: 'Pago recibido',
  saved: 'Tarjeta guardada',
  hasReceived: (seller) => html`${seller} ha recibido su pago.`,
  mayCharge: (seller) => html`${seller} puede cobrar en ella lo que usted acuerde.`,
  onItsWay: {
    heading: 'Su pago está en curso',
    text: 'El banco aún no ha respondido. No pague por segunda vez. Puede cerrar esta página.',
  },
  looksAgain: 'Esta página comprueba la respuesta automáticamente durante dos minutos.',
  lookAgain: 'Comprobar de nuevo',
  stopLooking: 'Dejar de comprobar automáticamente',
  confirm: {
    heading: 'Confirme este pago',
    text: (amount) => `Su banco pregunta si paga ${amount}.`,
  },
  confirmCard: 'Su banco pregunta si se puede guardar esta tarjeta.',
  confirmButton: 'Confirmar',
  refuseButton: 'Rechazar',
  cancelled: { heading: 'Este pago se canceló', text: 'No se ha cobrado nada.' },
  setupExpired: {
    heading: PAGE_TERMS.es.linkExpired,
    text: 'No se ha guardado ninguna tarjeta. Pida un enlace nuevo si aún quiere guardar una.',
  },
  expired: {
    heading: 'Este enlace de pago ha caducado',
    open: 'No se ha cobrado nada. Aún puede pagar con un enlace nuevo.',
    over: 'No se ha cobrado nada. Pida un enlace nuevo si aún quiere pagar.',
  },
  newPage: 'Abrir una nueva página de pago',
  seeInvoice: 'Ver la factura',
  payment: 'Pago',
};

export const PAYMENT_WORDS: InEachLocale<Words> = { en, de, fr, es };
