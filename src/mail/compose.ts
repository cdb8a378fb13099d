import { cleanLine, day, money } from '../documents/index.ts';
import { type Decimal, plain } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import type { Letter } from './letter.ts';

const MOST_OF_A_NAME = 120;

/** A name that strangers chose, as one line that can stand in a header. */
export const name = (text: string): string => cleanLine(text, MOST_OF_A_NAME);

const date = (instant: Instant): string => day(instant).replaceAll('\u00a0', ' ');
const sum = (amount: Decimal, currency: string): string => money(plain(amount), currency);

/** What letters about an invoice tell. Amounts are in major units of `currency`. */
export interface InvoiceFacts {
  readonly sellerName: string;
  readonly buyerName: string;
  readonly number: string;
  readonly currency: string;
  readonly grandTotal: Decimal;
  /** What is left to pay. */
  readonly unpaid: Decimal;
  /** What credit notes took off. */
  readonly credited: Decimal;
  /** What came in. */
  readonly paid: Decimal;
  readonly issuedAt: Instant;
  readonly dueAt: Instant;
  /** Where it can be paid by card; null where it cannot. */
  readonly payUrl: string | null;
}

/** An invoice was issued: what is to pay until when, and where. */
export function issuedLetter(facts: InvoiceFacts): Letter {
  const { sellerName, buyerName, number, currency, grandTotal, unpaid, issuedAt, dueAt, payUrl } = facts;
  const asks = unpaid.gt(0);
  return {
    subject: `Invoice ${name(number)} from ${name(sellerName)}`,
    greeting: `Hello ${name(buyerName)},`,
    paragraphs: [
      asks
        ? `Here is invoice ${name(number)}. Please pay ${sum(unpaid, currency)} by ${date(dueAt)}.`
        : `Here is invoice ${name(number)}. There is nothing left to pay.`,
    ],
    facts: [
      ['Invoice', name(number)],
      ['Issued', date(issuedAt)],
      ['Total', sum(grandTotal, currency)],
      ['To pay', sum(unpaid, currency)],
      ...(asks ? [['Due', date(dueAt)] as const] : []),
    ],
    action: asks && payUrl !== null ? { label: 'Pay this invoice', url: payUrl } : null,
    signature: name(sellerName),
  };
}

/** An invoice is paid: the receipt. */
export function paidLetter(facts: InvoiceFacts, paidAt: Instant): Letter {
  const { sellerName, buyerName, number, currency, grandTotal, credited, paid } = facts;
  return {
    subject: `Receipt for invoice ${name(number)} from ${name(sellerName)}`,
    greeting: `Hello ${name(buyerName)},`,
    paragraphs: [`Thank you: invoice ${name(number)} is paid.`],
    facts: [
      ['Invoice', name(number)],
      ['Total', sum(grandTotal, currency)],
      ...(credited.gt(0) ? [['Credited', sum(credited, currency)] as const] : []),
      ['Paid', sum(paid, currency)],
      ['Paid on', date(paidAt)],
    ],
    action: null,
    signature: name(sellerName),
  };
}

/** What a reminder of a renewal tells. */
export interface RenewalFacts {
  readonly sellerName: string;
  readonly buyerName: string;
  readonly planName: string;
  readonly renewsAt: Instant;
}

/** A period is about to end, and the next one follows. */
export function renewalLetter({ sellerName, buyerName, planName, renewsAt }: RenewalFacts): Letter {
  return {
    subject: `Your subscription to ${name(planName)} renews on ${date(renewsAt)}`,
    greeting: `Hello ${name(buyerName)},`,
    paragraphs: [
      `Your subscription to ${name(planName)} from ${name(sellerName)} renews on ${date(renewsAt)}. You need to do nothing to keep it.`,
    ],
    facts: [],
    action: null,
    signature: name(sellerName),
  };
}
