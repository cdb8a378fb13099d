import type { InEachLocale } from '../../kernel/locale.ts';
import { type Forms, TERMS } from '../../look/index.ts';
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
  dueOn: (day: string, after: string) => `Due ${day}, ${after} after issue`,
  days: ['day', 'days'] as Forms,
  moreLines: ['more line, on the document', 'more lines, on the document'] as Forms,
  payByCard: (amount: string) => `Pay ${amount} by card`,
  payByTransfer: 'Pay by bank transfer',
  amountToSend: TERMS.en.amount,
  askForDetails: (seller: Html) =>
    html`${seller} has no bank account on this page. Ask ${seller} for it, and then pay:`,
  paymentsAndCredits: 'Payments and credits',
  on: (what: string, day: string) => `${what}, ${day}`,
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
    text: (left, day) => (day === null ? `Noch zu zahlen: ${left}.` : `Noch zu zahlen: ${left}, spätestens am ${day}.`),
  },
  overdue: {
    heading: 'Diese Rechnung ist überfällig',
    text: (left, day) => `Zu zahlen waren bis zum ${day}: ${left}.`,
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
  dueOn: (day, after) => `Fällig am ${day}, ${after} nach Ausstellung`,
  days: ['Tag', 'Tage'],
  moreLines: ['weitere Position, auf dem Dokument', 'weitere Positionen, auf dem Dokument'],
  payByCard: (amount) => `${amount} mit Karte zahlen`,
  payByTransfer: 'Per Überweisung zahlen',
  amountToSend: TERMS.de.amount,
  askForDetails: (seller) =>
    html`Auf dieser Seite steht keine Bankverbindung von ${seller}. Fragen Sie ${seller} danach, und überweisen Sie dann:`,
  paymentsAndCredits: 'Zahlungen und Gutschriften',
  on: (what, day) => `${what}, ${day}`,
  sentBack: (day) => `erstattet am ${day}`,
  beingSentBack: 'wird erstattet',
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
    text: (left, day) =>
      day === null ? `Reste à payer : ${left}.` : `Reste à payer : ${left}, au plus tard le ${day}.`,
  },
  overdue: {
    heading: 'Cette facture est en retard de paiement',
    text: (left, day) => `À payer au plus tard le ${day} : ${left}.`,
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
  chargedAgain: (day) => `Prochaine tentative le ${day}, sauf si vous payez d’ici là.`,
  issued: (day) => `Émise le ${day}`,
  dueOnReceipt: 'À payer à réception',
  dueOn: (day, after) => `À payer au plus tard le ${day}, ${after} après l’émission`,
  days: ['jour', 'jours'],
  moreLines: ['autre ligne, sur le document', 'autres lignes, sur le document'],
  payByCard: (amount) => `Payer ${amount} par carte`,
  payByTransfer: 'Payer par virement',
  amountToSend: 'Montant',
  askForDetails: (seller) =>
    html`Cette page n’indique pas les coordonnées bancaires de ${seller}. Demandez-les à ${seller}, puis payez :`,
  paymentsAndCredits: 'Paiements et avoirs',
  on: (what, day) => `${what}, ${day}`,
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
    text: (left, day) =>
      day === null ? `Quedan por pagar ${left}.` : `Quedan por pagar ${left}, a más tardar el ${day}.`,
  },
  overdue: {
    heading: 'Esta factura está vencida',
    text: (left, day) => `${left} debían pagarse a más tardar el ${day}.`,
  },
  onItsWay: {
    heading: 'El pago está en curso',
    text: 'Se está realizando el cargo en la tarjeta. No tiene que hacer nada; vuelva a mirar en unos minutos.',
  },
  paid: { heading: 'Esta factura está pagada', text: (day) => `Pagada el ${day}. No queda nada por pagar.` },
  nothing: { heading: 'No hay nada que pagar', text: 'Esta factura está saldada.' },
  refunded: {
    heading: 'Esta factura se ha reembolsado',
    text: (day, number) => `Reembolsada el ${day} con la factura rectificativa ${number}. No hay nada que pagar.`,
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
  dueOn: (day, after) => `Vence el ${day}, ${after} después de la emisión`,
  days: ['día', 'días'],
  moreLines: ['línea más, en el documento', 'líneas más, en el documento'],
  payByCard: (amount) => `Pagar ${amount} con tarjeta`,
  payByTransfer: 'Pagar por transferencia',
  amountToSend: TERMS.es.amount,
  askForDetails: (seller) =>
    html`En esta página no figura la cuenta bancaria de ${seller}. Pídala a ${seller} y después pague:`,
  paymentsAndCredits: 'Pagos y abonos',
  on: (what, day) => `${what}, ${day}`,
  sentBack: (day) => `reembolsado el ${day}`,
  beingSentBack: 'se está reembolsando',
  notReady: 'El documento aún no está listo. Vuelva a mirar más tarde.',
  questions: '¿Preguntas?',
  invoicePdf: (title) => `${title} (PDF)`,
  receiptPdf: 'Recibo (PDF)',
};

export const INVOICE_WORDS: InEachLocale<Words> = { en, de, fr, es };
