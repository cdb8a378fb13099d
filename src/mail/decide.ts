import type { InvoiceFact } from '../invoicing/index.ts';
import type { MailKind, OptionalMailKind } from './kinds.ts';

/** The facts that decide whether a customer gets a mail about an invoice, beside the event. */
export interface MailSituation {
  /** An offer that lives by its session has no number until it is paid; whoever takes it is on its page already. */
  readonly isNumbered: boolean;
  /** A card is being charged for it. */
  readonly isBeingCharged: boolean;
  readonly isOverNothing: boolean;
  /** `settings.mail.zeroInvoices` */
  readonly mailsZeroInvoices: boolean;
  /** Has the customer got a mail about this invoice that was not withdrawn? */
  readonly isNotified: boolean;
  /** The mail about the refund was withdrawn before it left, so the customer does not know of the refund. */
  readonly lacksRefundMail: boolean;
}

/** The mail to write. */
export interface DecidedMail {
  readonly kind: OptionalMailKind;
  /** The number of the mail among several of its kind about one invoice; empty for a single one. */
  readonly occasion: string;
  /** Does the invoice go with it, because nothing brought it before? */
  readonly bringsInvoice: boolean;
}

/**
 * The mail after an event of an invoice; null: none. A customer whose stored card is charged at once is not asked to
 * pay: the receipt follows, or the refusal, and that mail brings the invoice.
 */
export function decideMail(fact: InvoiceFact, situation: MailSituation): DecidedMail | null {
  const { isNotified } = situation;
  if (!situation.isNumbered) return null;
  const mail = (kind: OptionalMailKind, occasion = '', bringsInvoice = false): DecidedMail => ({
    kind,
    occasion,
    bringsInvoice,
  });
  switch (fact.kind) {
    case 'issued':
      return situation.isBeingCharged ? null : mail('invoiceIssued', '', true);
    case 'paid':
      if (situation.isOverNothing) return situation.mailsZeroInvoices ? mail('invoiceIssued', '', true) : null;
      if (fact.by === 'credit') return null; // the mail about the credit note says that nothing is left
      return mail('invoicePaid', '', !isNotified);
    case 'partPaid':
      return mail('paymentReceived', fact.paymentId);
    case 'reversed':
      return mail('paymentReversed', fact.paymentId);
    case 'declined':
      return mail('paymentFailed', fact.chargeId, !isNotified);
    case 'refunded':
      return mail('invoiceRefunded', fact.note.id);
    case 'refundVoided':
      return situation.lacksRefundMail ? null : mail('refundVoided', fact.note.id);
    case 'credited':
      return mail('invoiceCredited', fact.note.id);
    case 'cancelled':
      return isNotified && fact.note !== null ? mail('invoiceCancelled') : null;
    case 'writtenOff':
      return null;
  }
}

/** The outdated mails after an event: mails of these kinds are withdrawn if they have not left. */
export function outdatedBy(fact: InvoiceFact): readonly MailKind[] {
  switch (fact.kind) {
    case 'paid':
      return fact.by === 'wallet' ? [] : ['invoiceIssued', 'paymentFailed'];
    case 'cancelled':
    case 'writtenOff':
      return ['invoiceIssued', 'paymentFailed', 'paymentReceived'];
    case 'refundVoided':
      return ['invoiceRefunded'];
    case 'reversed':
      return ['invoicePaid', 'paymentReceived'];
    case 'issued':
    case 'partPaid':
    case 'declined':
    case 'refunded':
    case 'credited':
      return [];
  }
}
