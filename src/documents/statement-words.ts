import type { InEachLocale, Locale } from '../kernel/locale.ts';
import type { StatementEntry } from './document.ts';

/** The facts of an entry that its sentence says; what it does not have is empty. */
interface Said {
  /** The number of the invoice. */
  readonly invoice: string;
  /** The number of the credit note. */
  readonly note: string;
  /** The name of a billing credit. */
  readonly name: string;
  /** An amount that the balance does not show, with its currency. */
  readonly amount: string;
}

type Sentences = Readonly<Record<StatementEntry['what'], (of: Said) => string>>;

const en: Sentences = {
  invoice: ({ invoice }) => `Invoice ${invoice}`,
  invoiceCancelled: ({ invoice }) => `Invoice ${invoice} cancelled`,
  writtenOff: ({ invoice }) => `Invoice ${invoice} written off`,
  noLoss: ({ invoice }) => `Invoice ${invoice} paid after it was written off`,
  lossAgain: ({ invoice }) => `Invoice ${invoice} written off again`,
  collected: ({ invoice }) => `Debt of an earlier payment, collected by invoice ${invoice}`,
  notCollected: ({ invoice }) => `Debt of an earlier payment, open again after invoice ${invoice} was cancelled`,
  creditElsewhere: ({ invoice }) => `Billing credit missing for invoice ${invoice}`,
  creditNote: ({ note, invoice }) => `Credit note ${note} for invoice ${invoice}`,
  creditNoteVoided: ({ note, invoice }) => `Credit note ${note} for invoice ${invoice} voided`,
  payment: ({ invoice }) => (invoice === '' ? 'Payment' : `Payment of invoice ${invoice}`),
  paymentReversed: ({ invoice }) => `Payment of invoice ${invoice} reversed`,
  refund: ({ invoice }) => `Refund of invoice ${invoice}`,
  refundStopped: ({ invoice }) => `Refund of invoice ${invoice} stopped`,
  walletApplied: ({ invoice, amount }) => `${amount} paid from the credit balance for invoice ${invoice}`,
  walletBack: ({ invoice, amount }) => `${amount} of invoice ${invoice} back in the credit balance`,
  walletFilled: ({ amount }) => `${amount} added to the credit balance`,
  walletTaken: ({ amount }) => `${amount} taken out of the credit balance`,
  receipt: () => 'Payment on account',
  receiptApplied: ({ amount }) => `${amount} of a payment on account applied`,
  receiptReturned: () => 'Payment on account returned',
  receiptWaits: () => 'Payment on account again',
  creditGranted: ({ name, amount }) => `Billing credit “${name}” of ${amount}`,
  creditUsed: ({ name, amount, invoice }) => `${amount} of billing credit “${name}” used for invoice ${invoice}`,
  creditBack: ({ name, amount, invoice }) => `${amount} back to billing credit “${name}” by invoice ${invoice}`,
  creditVoided: ({ name }) => `Billing credit “${name}” voided`,
};

const de: Sentences = {
  invoice: ({ invoice }) => `Rechnung ${invoice}`,
  invoiceCancelled: ({ invoice }) => `Rechnung ${invoice} storniert`,
  writtenOff: ({ invoice }) => `Rechnung ${invoice} ausgebucht`,
  noLoss: ({ invoice }) => `Rechnung ${invoice} nach der Ausbuchung bezahlt`,
  lossAgain: ({ invoice }) => `Rechnung ${invoice} erneut ausgebucht`,
  collected: ({ invoice }) => `Schuld aus einer früheren Zahlung, mit Rechnung ${invoice} eingezogen`,
  notCollected: ({ invoice }) => `Schuld aus einer früheren Zahlung, wieder offen nach Storno der Rechnung ${invoice}`,
  creditElsewhere: ({ invoice }) => `Fehlendes Gutschriftsguthaben für Rechnung ${invoice}`,
  creditNote: ({ note, invoice }) => `Gutschrift ${note} zu Rechnung ${invoice}`,
  creditNoteVoided: ({ note, invoice }) => `Gutschrift ${note} zu Rechnung ${invoice} aufgehoben`,
  payment: ({ invoice }) => (invoice === '' ? 'Zahlung' : `Zahlung zu Rechnung ${invoice}`),
  paymentReversed: ({ invoice }) => `Zahlung zu Rechnung ${invoice} zurückgebucht`,
  refund: ({ invoice }) => `Rückzahlung zu Rechnung ${invoice}`,
  refundStopped: ({ invoice }) => `Rückzahlung zu Rechnung ${invoice} angehalten`,
  walletApplied: ({ invoice, amount }) => `${amount} aus dem Guthaben für Rechnung ${invoice}`,
  walletBack: ({ invoice, amount }) => `${amount} der Rechnung ${invoice} wieder im Guthaben`,
  walletFilled: ({ amount }) => `${amount} dem Guthaben hinzugefügt`,
  walletTaken: ({ amount }) => `${amount} dem Guthaben entnommen`,
  receipt: () => 'Zahlung ohne Rechnung',
  receiptApplied: ({ amount }) => `${amount} einer Zahlung ohne Rechnung zugeordnet`,
  receiptReturned: () => 'Zahlung ohne Rechnung zurückgegeben',
  receiptWaits: () => 'Zahlung wieder ohne Rechnung',
  creditGranted: ({ name, amount }) => `Gutschriftsguthaben „${name}“ über ${amount}`,
  creditUsed: ({ name, amount, invoice }) => `${amount} aus Gutschriftsguthaben „${name}“ für Rechnung ${invoice}`,
  creditBack: ({ name, amount, invoice }) =>
    `${amount} mit Rechnung ${invoice} zurück an Gutschriftsguthaben „${name}“`,
  creditVoided: ({ name }) => `Gutschriftsguthaben „${name}“ aufgehoben`,
};

const fr: Sentences = {
  invoice: ({ invoice }) => `Facture ${invoice}`,
  invoiceCancelled: ({ invoice }) => `Facture ${invoice} annulée`,
  writtenOff: ({ invoice }) => `Facture ${invoice} passée en perte`,
  noLoss: ({ invoice }) => `Facture ${invoice} payée après son passage en perte`,
  lossAgain: ({ invoice }) => `Facture ${invoice} de nouveau passée en perte`,
  collected: ({ invoice }) => `Créance d’un paiement antérieur, reprise par la facture ${invoice}`,
  notCollected: ({ invoice }) =>
    `Créance d’un paiement antérieur, de nouveau due après l’annulation de la facture ${invoice}`,
  creditElsewhere: ({ invoice }) => `Crédit de facturation manquant pour la facture ${invoice}`,
  creditNote: ({ note, invoice }) => `Avoir ${note} sur la facture ${invoice}`,
  creditNoteVoided: ({ note, invoice }) => `Avoir ${note} sur la facture ${invoice} annulé`,
  payment: ({ invoice }) => (invoice === '' ? 'Paiement' : `Paiement de la facture ${invoice}`),
  paymentReversed: ({ invoice }) => `Paiement de la facture ${invoice} rejeté`,
  refund: ({ invoice }) => `Remboursement de la facture ${invoice}`,
  refundStopped: ({ invoice }) => `Remboursement de la facture ${invoice} arrêté`,
  walletApplied: ({ invoice, amount }) => `${amount} réglés par le solde créditeur pour la facture ${invoice}`,
  walletBack: ({ invoice, amount }) => `${amount} de la facture ${invoice} remis au solde créditeur`,
  walletFilled: ({ amount }) => `${amount} ajoutés au solde créditeur`,
  walletTaken: ({ amount }) => `${amount} retirés du solde créditeur`,
  receipt: () => 'Paiement sans facture',
  receiptApplied: ({ amount }) => `${amount} d’un paiement sans facture affectés`,
  receiptReturned: () => 'Paiement sans facture retourné',
  receiptWaits: () => 'Paiement de nouveau sans facture',
  creditGranted: ({ name, amount }) => `Crédit de facturation « ${name} » de ${amount}`,
  creditUsed: ({ name, amount, invoice }) =>
    `${amount} du crédit de facturation « ${name} » utilisés pour la facture ${invoice}`,
  creditBack: ({ name, amount, invoice }) =>
    `${amount} rendus au crédit de facturation « ${name} » par la facture ${invoice}`,
  creditVoided: ({ name }) => `Crédit de facturation « ${name} » annulé`,
};

const es: Sentences = {
  invoice: ({ invoice }) => `Factura ${invoice}`,
  invoiceCancelled: ({ invoice }) => `Factura ${invoice} anulada`,
  writtenOff: ({ invoice }) => `Factura ${invoice} dada por incobrable`,
  noLoss: ({ invoice }) => `Factura ${invoice} pagada tras darse por incobrable`,
  lossAgain: ({ invoice }) => `Factura ${invoice} dada de nuevo por incobrable`,
  collected: ({ invoice }) => `Deuda de un pago anterior, cobrada con la factura ${invoice}`,
  notCollected: ({ invoice }) => `Deuda de un pago anterior, de nuevo pendiente al anularse la factura ${invoice}`,
  creditElsewhere: ({ invoice }) => `Crédito de facturación que falta para la factura ${invoice}`,
  creditNote: ({ note, invoice }) => `Factura rectificativa ${note} de la factura ${invoice}`,
  creditNoteVoided: ({ note, invoice }) => `Factura rectificativa ${note} de la factura ${invoice} anulada`,
  payment: ({ invoice }) => (invoice === '' ? 'Pago' : `Pago de la factura ${invoice}`),
  paymentReversed: ({ invoice }) => `Pago de la factura ${invoice} devuelto`,
  refund: ({ invoice }) => `Reembolso de la factura ${invoice}`,
  refundStopped: ({ invoice }) => `Reembolso de la factura ${invoice} detenido`,
  walletApplied: ({ invoice, amount }) => `${amount} del saldo a favor para la factura ${invoice}`,
  walletBack: ({ invoice, amount }) => `${amount} de la factura ${invoice} de nuevo en el saldo a favor`,
  walletFilled: ({ amount }) => `${amount} añadidos al saldo a favor`,
  walletTaken: ({ amount }) => `${amount} retirados del saldo a favor`,
  receipt: () => 'Pago sin factura',
  receiptApplied: ({ amount }) => `${amount} de un pago sin factura aplicados`,
  receiptReturned: () => 'Pago sin factura devuelto',
  receiptWaits: () => 'Pago de nuevo sin factura',
  creditGranted: ({ name, amount }) => `Crédito de facturación «${name}» de ${amount}`,
  creditUsed: ({ name, amount, invoice }) =>
    `${amount} del crédito de facturación «${name}» para la factura ${invoice}`,
  creditBack: ({ name, amount, invoice }) =>
    `${amount} de vuelta al crédito de facturación «${name}» con la factura ${invoice}`,
  creditVoided: ({ name }) => `Crédito de facturación «${name}» anulado`,
};

const SENTENCES: InEachLocale<Sentences> = { en, de, fr, es };

/**
 * An entry of a statement as a sentence.
 * @param money an amount with its currency, as the language writes it
 */
export const statementEntryIn = (
  locale: Locale,
  { what, invoice, note, name, moved }: Pick<StatementEntry, 'what' | 'invoice' | 'note' | 'name' | 'moved'>,
  money: (amount: string) => string,
): string =>
  SENTENCES[locale][what]({
    invoice: invoice ?? '',
    note: note ?? '',
    name: name ?? '',
    amount: moved == null ? '' : money(moved),
  });
