import type { InEachLocale } from '../../kernel/locale.ts';
import { TERMS } from '../../look/index.ts';
import { type Html, html } from '../../pages/index.ts';
import type { DeclineReason } from '../../payments/index.ts';

/** The words of the page of an invoice. Amounts and days come as they are written in the language. */
const en = {
  ...TERMS.en,
  topUp: 'Payment on account',
  asked: {
    heading: 'This invoice is not paid yet',
    text: (left: string, day: string | null) =>
      day === null ? `${left} is left to pay.` : `${left} is left to pay, by ${day}.`,
  },
  overdue: {
    heading: 'This invoice is overdue',
    text: (left: string, day: string) => `${left} was to be paid by ${day}.`,
  },
  onItsWay: {
    heading: 'The payment is in progress',
    text: 'The card is being charged. You need to do nothing; look again in a few minutes.',
  },
  paid: { heading: 'This invoice is paid', text: (day: string) => `Paid on ${day}. There is nothing left to pay.` },
  nothing: { heading: 'There is nothing to pay', text: 'This invoice is settled.' },
  refunded: {
    heading: 'This invoice was refunded',
    text: (day: string, number: string) => `Refunded on ${day} by credit note ${number}. There is nothing to pay.`,
  },
  cancelled: { heading: 'This invoice was cancelled', text: 'There is nothing to pay.' },
  expired: { heading: 'This offer has expired', text: 'Nothing was charged, and there is nothing to pay.' },
  closed: { heading: 'This invoice is closed', text: 'There is nothing to pay.' },
  declines: {
    card_declined: 'The card was declined.',
    insufficient_funds: 'The card had insufficient funds.',
    expired_card: 'The card has expired.',
    incorrect_cvc: 'The security code was wrong.',
    authentication_required: 'The bank asks the owner of the card to confirm the payment.',
    processing_error: 'The bank could not process the payment.',
    no_payment_method: 'There was no card to charge.',
    other: 'The last payment did not work.',
  } satisfies Readonly<Record<DeclineReason | 'no_payment_method' | 'other', string>>,
  nothingCharged: 'Nothing was charged.',
  chargedAgain: (day: string) => `It is charged again on ${day}, unless you pay before.`,
  issued: (day: string) => `Issued ${day}`,
  dueOnReceipt: 'Due on receipt',
  due: (day: string, days: number) => `Due ${day}, ${days} ${days === 1 ? 'day' : 'days'} after issue`,
  moreLines: (count: number) => `${count} more ${count === 1 ? 'line' : 'lines'}, on the document`,
  payByCard: (amount: string) => `Pay ${amount} by card`,
  byTransfer: (number: Html) => html`Pay by bank transfer, and give ${number} as the reference.`,
  /** @param contact how the seller can be reached; null: it has not said */
  askForAccount: (seller: Html, contact: Html | null, number: Html) =>
    html`Please pay by bank transfer. ${seller} tells you the bank account${contact && html` (${contact})`}. Give ${number} as the reference of the transfer.`,
  methods: { card: 'Card', bank_transfer: 'Bank transfer', cash: 'Cash', other: 'Other means' },
  paymentsAndCredits: 'Payments and credits',
  on: (what: string, day: string) => `${what}, ${day}`,
  creditNote: (number: string) => `Credit note ${number}`,
  sentBack: (day: string) => `sent back on ${day}`,
  beingSentBack: 'is being sent back',
  notReady: 'The document is not ready yet. Please look again later.',
  questions: 'Questions?',
  invoicePdf: (title: string) => `${title} (PDF)`,
  receiptPdf: 'Receipt (PDF)',
};

type Words = typeof en;

const de: Words = {
  ...TERMS.de,
  topUp: 'Guthabenzahlung',
  asked: {
    heading: 'Diese Rechnung ist noch offen',
    text: (left, day) =>
      day === null ? `Noch zu zahlen sind ${left}.` : `Noch zu zahlen sind ${left}, und zwar bis zum ${day}.`,
  },
  overdue: {
    heading: 'Diese Rechnung ist überfällig',
    text: (left, day) => `${left} waren bis zum ${day} zu zahlen.`,
  },
  onItsWay: {
    heading: 'Die Zahlung ist unterwegs',
    text: 'Die Karte wird gerade belastet. Sie müssen nichts tun; sehen Sie in einigen Minuten noch einmal nach.',
  },
  paid: { heading: 'Diese Rechnung ist bezahlt', text: (day) => `Bezahlt am ${day}. Es ist nichts mehr zu zahlen.` },
  nothing: { heading: 'Es ist nichts zu zahlen', text: 'Diese Rechnung ist ausgeglichen.' },
  refunded: {
    heading: 'Diese Rechnung wurde erstattet',
    text: (day, number) => `Erstattet am ${day} mit der Gutschrift ${number}. Es ist nichts zu zahlen.`,
  },
  cancelled: { heading: 'Diese Rechnung wurde storniert', text: 'Es ist nichts zu zahlen.' },
  expired: {
    heading: 'Dieses Angebot ist abgelaufen',
    text: 'Es wurde nichts abgebucht, und es ist nichts zu zahlen.',
  },
  closed: { heading: 'Diese Rechnung ist geschlossen', text: 'Es ist nichts zu zahlen.' },
  declines: {
    card_declined: 'Die Karte wurde abgelehnt.',
    insufficient_funds: 'Die Karte war nicht ausreichend gedeckt.',
    expired_card: 'Die Karte ist abgelaufen.',
    incorrect_cvc: 'Die Prüfziffer war falsch.',
    authentication_required: 'Die Bank bittet den Karteninhaber, die Zahlung zu bestätigen.',
    processing_error: 'Die Bank konnte die Zahlung nicht verarbeiten.',
    no_payment_method: 'Es war keine Karte hinterlegt.',
    other: 'Die letzte Zahlung ist fehlgeschlagen.',
  },
  nothingCharged: 'Es wurde nichts abgebucht.',
  chargedAgain: (day) => `Der nächste Versuch folgt am ${day}, sofern Sie nicht vorher zahlen.`,
  issued: (day) => `Ausgestellt am ${day}`,
  dueOnReceipt: 'Fällig bei Erhalt',
  due: (day, days) => `Fällig am ${day}, ${days} ${days === 1 ? 'Tag' : 'Tage'} nach Ausstellung`,
  moreLines: (count) =>
    count === 1 ? '1 weitere Position, auf dem Dokument' : `${count} weitere Positionen, auf dem Dokument`,
  payByCard: (amount) => `${amount} mit Karte zahlen`,
  byTransfer: (number) => html`Zahlen Sie per Überweisung und geben Sie ${number} als Verwendungszweck an.`,
  askForAccount: (seller, contact, number) =>
    html`Bitte zahlen Sie per Überweisung. Die Bankverbindung erhalten Sie von ${seller}${contact && html` (${contact})`}. Geben Sie ${number} als Verwendungszweck an.`,
  methods: { card: 'Karte', bank_transfer: 'Überweisung', cash: 'Bar', other: 'Auf anderem Weg' },
  paymentsAndCredits: 'Zahlungen und Gutschriften',
  on: (what, day) => `${what}, ${day}`,
  creditNote: (number) => `Gutschrift ${number}`,
  sentBack: (day) => `zurückgezahlt am ${day}`,
  beingSentBack: 'wird zurückgezahlt',
  notReady: 'Das Dokument ist noch nicht fertig. Bitte sehen Sie später noch einmal nach.',
  questions: 'Fragen?',
  invoicePdf: (title) => `${title} (PDF)`,
  receiptPdf: 'Zahlungsbeleg (PDF)',
};

const fr: Words = {
  ...TERMS.fr,
  topUp: 'Versement sur le compte',
  asked: {
    heading: 'Cette facture n’est pas encore payée',
    text: (left, day) => (day === null ? `Reste à payer : ${left}.` : `Reste à payer : ${left}, avant le ${day}.`),
  },
  overdue: {
    heading: 'Cette facture est en retard de paiement',
    text: (left, day) => `${left} étaient à payer avant le ${day}.`,
  },
  onItsWay: {
    heading: 'Le paiement est en cours',
    text: 'La carte est en cours de débit. Vous n’avez rien à faire ; revenez voir dans quelques minutes.',
  },
  paid: { heading: 'Cette facture est payée', text: (day) => `Payée le ${day}. Il ne reste rien à payer.` },
  nothing: { heading: 'Il n’y a rien à payer', text: 'Cette facture est soldée.' },
  refunded: {
    heading: 'Cette facture a été remboursée',
    text: (day, number) => `Remboursée le ${day} par l’avoir ${number}. Il n’y a rien à payer.`,
  },
  cancelled: { heading: 'Cette facture a été annulée', text: 'Il n’y a rien à payer.' },
  expired: { heading: 'Cette offre a expiré', text: 'Rien n’a été débité, et il n’y a rien à payer.' },
  closed: { heading: 'Cette facture est close', text: 'Il n’y a rien à payer.' },
  declines: {
    card_declined: 'La carte a été refusée.',
    insufficient_funds: 'La provision de la carte était insuffisante.',
    expired_card: 'La carte a expiré.',
    incorrect_cvc: 'Le code de sécurité était incorrect.',
    authentication_required: 'La banque demande au titulaire de la carte de confirmer le paiement.',
    processing_error: 'La banque n’a pas pu traiter le paiement.',
    no_payment_method: 'Aucune carte n’était enregistrée.',
    other: 'Le dernier paiement a échoué.',
  },
  nothingCharged: 'Rien n’a été débité.',
  chargedAgain: (day) => `Un nouvel essai aura lieu le ${day}, sauf si vous payez avant.`,
  issued: (day) => `Émise le ${day}`,
  dueOnReceipt: 'À payer à réception',
  due: (day, days) => `À payer avant le ${day}, ${days} ${days === 1 ? 'jour' : 'jours'} après l’émission`,
  moreLines: (count) => (count === 1 ? '1 autre ligne, sur le document' : `${count} autres lignes, sur le document`),
  payByCard: (amount) => `Payer ${amount} par carte`,
  byTransfer: (number) => html`Payez par virement en indiquant ${number} comme référence.`,
  askForAccount: (seller, contact, number) =>
    html`Merci de payer par virement. Demandez les coordonnées bancaires à ${seller}${contact && html` (${contact})`} et indiquez ${number} comme référence du virement.`,
  methods: { card: 'Carte', bank_transfer: 'Virement', cash: 'Espèces', other: 'Autre moyen' },
  paymentsAndCredits: 'Paiements et avoirs',
  on: (what, day) => `${what}, ${day}`,
  creditNote: (number) => `Avoir ${number}`,
  sentBack: (day) => `remboursé le ${day}`,
  beingSentBack: 'en cours de remboursement',
  notReady: 'Le document n’est pas encore prêt. Veuillez revenir plus tard.',
  questions: 'Des questions ?',
  invoicePdf: (title) => `${title} (PDF)`,
  receiptPdf: 'Reçu (PDF)',
};

const es: Words = {
  ...TERMS.es,
  topUp: 'Pago a cuenta',
  asked: {
    heading: 'Esta factura aún no está pagada',
    text: (left, day) => (day === null ? `Quedan por pagar ${left}.` : `Quedan por pagar ${left}, hasta el ${day}.`),
  },
  overdue: { heading: 'Esta factura está vencida', text: (left, day) => `${left} debían pagarse hasta el ${day}.` },
  onItsWay: {
    heading: 'El pago está en camino',
    text: 'Se está realizando el cargo en la tarjeta. No tiene que hacer nada; vuelva a mirar en unos minutos.',
  },
  paid: { heading: 'Esta factura está pagada', text: (day) => `Pagada el ${day}. No queda nada por pagar.` },
  nothing: { heading: 'No hay nada que pagar', text: 'Esta factura está saldada.' },
  refunded: {
    heading: 'Esta factura se ha reembolsado',
    text: (day, number) => `Reembolsada el ${day} con la nota de crédito ${number}. No hay nada que pagar.`,
  },
  cancelled: { heading: 'Esta factura se ha anulado', text: 'No hay nada que pagar.' },
  expired: { heading: 'Esta oferta ha caducado', text: 'No se ha cobrado nada y no hay nada que pagar.' },
  closed: { heading: 'Esta factura está cerrada', text: 'No hay nada que pagar.' },
  declines: {
    card_declined: 'La tarjeta fue rechazada.',
    insufficient_funds: 'La tarjeta no tenía fondos suficientes.',
    expired_card: 'La tarjeta ha caducado.',
    incorrect_cvc: 'El código de seguridad no era correcto.',
    authentication_required: 'El banco pide al titular de la tarjeta que confirme el pago.',
    processing_error: 'El banco no pudo procesar el pago.',
    no_payment_method: 'No había ninguna tarjeta guardada.',
    other: 'El último pago no funcionó.',
  },
  nothingCharged: 'No se ha cobrado nada.',
  chargedAgain: (day) => `Se intentará de nuevo el ${day}, salvo que pague antes.`,
  issued: (day) => `Emitida el ${day}`,
  dueOnReceipt: 'Vence a la recepción',
  due: (day, days) => `Vence el ${day}, ${days} ${days === 1 ? 'día' : 'días'} después de la emisión`,
  moreLines: (count) => (count === 1 ? '1 línea más, en el documento' : `${count} líneas más, en el documento`),
  payByCard: (amount) => `Pagar ${amount} con tarjeta`,
  byTransfer: (number) => html`Pague por transferencia e indique ${number} como concepto.`,
  askForAccount: (seller, contact, number) =>
    html`Pague por transferencia. Pida los datos bancarios a ${seller}${contact && html` (${contact})`} e indique ${number} como concepto de la transferencia.`,
  methods: { card: 'Tarjeta', bank_transfer: 'Transferencia', cash: 'Efectivo', other: 'Otro medio' },
  paymentsAndCredits: 'Pagos y abonos',
  on: (what, day) => `${what}, ${day}`,
  creditNote: (number) => `Nota de crédito ${number}`,
  sentBack: (day) => `devuelto el ${day}`,
  beingSentBack: 'se está devolviendo',
  notReady: 'El documento aún no está listo. Vuelva a mirar más tarde.',
  questions: '¿Preguntas?',
  invoicePdf: (title) => `${title} (PDF)`,
  receiptPdf: 'Recibo (PDF)',
};

export const INVOICE_WORDS: InEachLocale<Words> = { en, de, fr, es };
