import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import type { Locale } from '../../kernel/locale.ts';
import type { Instant } from '../../kernel/time.ts';
import { isAfter } from '../../kernel/time.ts';
import { figuresOf } from '../../look/index.ts';
import { isShownToCustomers } from '../documents/present.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { overdueFrom } from '../issue/issue.ts';
import { INVOICE_WORDS } from './words.ts';

/** The status of an invoice for its customer. */
export type Standing =
  /** Money is asked for it, and the day by which it was asked has not passed. */
  | 'asked'
  | 'overdue'
  /** A card is being charged for it: nothing else can pay it now. */
  | 'onItsWay'
  | 'paid'
  /** There was nothing to pay, or credit notes credited all of it. */
  | 'nothing'
  | 'refunded'
  | 'cancelled'
  /** An expired offer: it was never owed. */
  | 'expired'
  /** It was written off: the merchant asks for it no more. */
  | 'closed';

/** The facts that decide it. */
export interface StandingFacts {
  readonly invoice: Pick<
    InvoiceRow,
    | 'status'
    | 'issuedAt'
    | 'dueAt'
    | 'paidAt'
    | 'invoiceNumber'
    | 'currency'
    | 'grandTotal'
    | 'unpaidAmount'
    | 'paidAmount'
    | 'creditedAmount'
    | 'paymentInFlight'
    | 'livesBySession'
    | 'paysOnline'
  >;
  /** The refund in force, if there is one. */
  readonly refund: Pick<CreditNoteRow, 'number' | 'createdAt'> | null;
  /** Is there a session by which it can be paid at this moment? */
  readonly hasSession: boolean;
  /** Does the merchant take cards? */
  readonly takesCards: boolean;
  /** Effective now for the invoice. */
  readonly now: Instant;
}

/** @returns null for what no customer may see: an invoice that has not been issued, and one that never was */
export function standingOf({ invoice, refund, hasSession, now }: StandingFacts): Standing | null {
  if (!isShownToCustomers(invoice)) return null;
  switch (invoice.status) {
    case 'ISSUED':
    case 'PAYMENT_FAILED':
      if (invoice.paymentInFlight) return 'onItsWay';
      if (invoice.livesBySession) return hasSession ? 'asked' : 'expired';
      return invoice.dueAt !== null && !isAfter(overdueFrom(invoice.dueAt), now) ? 'overdue' : 'asked';
    case 'PAID':
      if (refund) return 'refunded';
      return moneyPaid(invoice).isZero() ? 'nothing' : 'paid';
    case 'CANCELLED':
      return invoice.invoiceNumber === null ? 'expired' : 'cancelled';
    case 'WRITTEN_OFF':
      return 'closed';
    default:
      return null;
  }
}

/** The payments of an invoice, in money or from the wallet. */
export const moneyPaid = ({
  paidAmount,
  creditedAmount,
}: Pick<InvoiceRow, 'paidAmount' | 'creditedAmount'>): Decimal =>
  paidAmount.gt(creditedAmount) ? paidAmount.minus(creditedAmount) : ZERO;

/**
 * Can a card pay it here, now? Where it is paid by transfer, only by a session that the merchant has opened. The
 * offer that lives by its session gets no second one.
 */
export function isPayableByCard(facts: StandingFacts): boolean {
  const standing = standingOf(facts);
  if (standing !== 'asked' && standing !== 'overdue') return false;
  if (!facts.takesCards) return false;
  return facts.hasSession || (facts.invoice.paysOnline && !facts.invoice.livesBySession);
}

/** The status in words. */
export function standingWords(
  standing: Standing,
  { invoice, refund }: StandingFacts,
  locale: Locale,
): { heading: string; text: string } {
  const { currency, unpaidAmount: unpaid, dueAt: due, paidAt } = invoice;
  const { money, day } = figuresOf(locale);
  const words = INVOICE_WORDS[locale];
  const left = money(unpaid, currency);
  switch (standing) {
    case 'asked':
      return {
        heading: words.asked.heading,
        text: words.asked.text(left, due && !invoice.livesBySession ? day(due) : null),
      };
    case 'overdue':
      return { heading: words.overdue.heading, text: words.overdue.text(left, day(due as Instant)) };
    case 'paid':
      return { heading: words.paid.heading, text: words.paid.text(day(paidAt as Instant)) };
    case 'refunded':
      return {
        heading: words.refunded.heading,
        text: refund ? words.refunded.text(day(refund.createdAt), refund.number) : '',
      };
    default:
      return words[standing];
  }
}
