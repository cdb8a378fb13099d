import { cleanLine, day, money } from '../documents/index.ts';
import type { MerchantSettings } from '../identity/index.ts';
import { type Decimal, plain } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import type { Letter } from './letter.ts';

const MOST_OF_A_NAME = 120;
const MOST_OF_A_NOTE = 400;

/** A name that strangers chose, as one line that can stand in a header. */
export const name = (text: string): string => cleanLine(text, MOST_OF_A_NAME);

const date = (instant: Instant): string => day(instant).replaceAll('\u00a0', ' ');
const sum = (amount: Decimal, currency: string): string => money(plain(amount), currency);

type Rows = Letter['facts'][number][];
const row = (isThere: boolean, label: string, value: string): Rows => (isThere ? [[label, value]] : []);

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
  /** What came in, from the wallet too. */
  readonly paid: Decimal;
  /** What of it the wallet paid. */
  readonly fromWallet: Decimal;
  readonly issuedAt: Instant;
  readonly dueAt: Instant;
  /** The invoice's page. */
  readonly page: string;
  /** Can a card pay it there? */
  readonly paysOnline: boolean;
  /** Where it is paid by transfer, and the merchant has said to which account. */
  readonly bank: MerchantSettings['bankTransfer'];
}

/** What every letter about an invoice has in common. */
const about = ({ sellerName, buyerName }: Pick<InvoiceFacts, 'sellerName' | 'buyerName'>) => ({
  greeting: `Hello ${name(buyerName)},`,
  signature: name(sellerName),
});

const seeAction = ({ page }: InvoiceFacts): Letter['action'] => ({ label: 'See this invoice', url: page });

/** Pays where it can be paid by card; the page shows it in any case. */
const payAction = (facts: InvoiceFacts): Letter['action'] =>
  facts.paysOnline && facts.unpaid.gt(0) ? { label: 'Pay this invoice', url: facts.page } : seeAction(facts);

/** To which account, and what to quote; nothing where it is paid by card, or nobody has said. */
function bankRows({ paysOnline, unpaid, bank, number }: InvoiceFacts): Rows {
  if (paysOnline || unpaid.isZero()) return [];
  const { holder, iban, account, bic, bank: bankName, note } = bank ?? {};
  const given = (label: string, value: string | null | undefined, most = MOST_OF_A_NAME): Rows =>
    value == null || value === '' ? [] : [[label, cleanLine(value, most)]];
  return [
    ...given('Account holder', holder),
    ...given('IBAN', iban?.replace(/(.{4})(?=.)/g, '$1 ')),
    ...given('Account', account),
    ...given('BIC', bic),
    ...given('Bank', bankName),
    ['Reference', name(number)],
    ...given('Note', note, MOST_OF_A_NOTE),
  ];
}

/** What it came to, and how far it is settled. */
const totals = ({ grandTotal, credited, paid, fromWallet, currency }: InvoiceFacts): Rows => [
  ['Total', sum(grandTotal, currency)],
  ...row(credited.gt(0), 'Credited', sum(credited, currency)),
  ...row(fromWallet.gt(0), 'Paid from your balance', sum(fromWallet, currency)),
  ...row(paid.gt(fromWallet), 'Paid', sum(paid.minus(fromWallet), currency)),
];

/** An invoice was issued: what is to pay until when, and where. */
export function issuedLetter(facts: InvoiceFacts): Letter {
  const { sellerName, number, currency, unpaid, issuedAt, dueAt } = facts;
  const asks = unpaid.gt(0);
  return {
    ...about(facts),
    subject: `Invoice ${name(number)} from ${name(sellerName)}`,
    paragraphs: [
      asks
        ? `Here is invoice ${name(number)}. Please pay ${sum(unpaid, currency)} by ${date(dueAt)}.`
        : `Here is invoice ${name(number)}. There is nothing left to pay.`,
    ],
    facts: [
      ['Invoice', name(number)],
      ['Issued', date(issuedAt)],
      ...totals(facts),
      ['To pay', sum(unpaid, currency)],
      ...row(asks, 'Due', date(dueAt)),
      ...bankRows(facts),
    ],
    action: payAction(facts),
  };
}

/** A payment, in words: `Visa ending in 4242`. */
export interface PaymentFacts {
  readonly amount: Decimal;
  readonly method: string;
  readonly receivedAt: Instant;
}

/** An invoice is paid: the receipt. @param payment the last one; null: the wallet paid all of it */
export function paidLetter(facts: InvoiceFacts, payment: PaymentFacts | null, paidAt: Instant): Letter {
  const { sellerName, number } = facts;
  return {
    ...about(facts),
    subject: `Receipt for invoice ${name(number)} from ${name(sellerName)}`,
    paragraphs: [
      payment
        ? `Thank you: invoice ${name(number)} is paid.`
        : `Invoice ${name(number)} is paid from your balance. You need to do nothing.`,
    ],
    facts: [
      ['Invoice', name(number)],
      ...totals(facts),
      ['Paid on', date(payment?.receivedAt ?? paidAt)],
      ...row(payment !== null, 'Paid by', payment?.method ?? ''),
    ],
    action: seeAction(facts),
  };
}

/** A part of an invoice is paid. */
export function partPaidLetter(facts: InvoiceFacts, payment: PaymentFacts): Letter {
  const { sellerName, number, currency, unpaid, dueAt } = facts;
  const amount = sum(payment.amount, currency);
  return {
    ...about(facts),
    subject: `Payment received for invoice ${name(number)} from ${name(sellerName)}`,
    paragraphs: [
      `Thank you: we have received ${amount} for invoice ${name(number)}.`,
      `${sum(unpaid, currency)} is left to pay. The invoice is due on ${date(dueAt)}.`,
    ],
    facts: [
      ['Invoice', name(number)],
      ['Paid on', date(payment.receivedAt)],
      ['Paid by', payment.method],
      ['To pay', sum(unpaid, currency)],
      ...bankRows(facts),
    ],
    action: payAction(facts),
  };
}

/** A stored card could not be charged. */
export interface DeclineFacts {
  /** `Visa ending in 4242`; null: there is none, or it was removed. */
  readonly card: string | null;
  readonly reason: string | null;
  /** When it is charged again; null: it is not. */
  readonly retryAt: Instant | null;
  /** What has come of it: the end of all attempts, as the merchant has set it. */
  readonly end: 'keep' | 'write_off' | 'terminate' | null;
}

function whyDeclined({ card, reason }: DeclineFacts): string {
  if (reason === 'no_payment_method') return 'no card is stored that could be charged';
  const which = card ?? 'your card';
  if (reason === 'card_of_another_account') return `${which} cannot be charged any more`;
  return reason === 'insufficient_funds' ? `${which} had insufficient funds` : `${which} was declined`;
}

function whatFollows({ retryAt, end }: DeclineFacts, paysOnline: boolean): string {
  const another = paysOnline ? 'with any card' : 'by bank transfer';
  if (retryAt) return `We will try again on ${date(retryAt)}. You can also pay ${another} before that.`;
  if (end === 'write_off') return 'We will not try again, and you are not asked to pay this invoice any more.';
  const last = end === null ? '' : 'We will not try again by ourselves. ';
  const ending = end === 'terminate' ? 'Your subscription ends, and the invoice is still to be paid. ' : '';
  return `${last}${ending}Please pay ${another}.`;
}

/** A charge was declined: why, and what happens next. */
export function declinedLetter(facts: InvoiceFacts, decline: DeclineFacts): Letter {
  const { sellerName, number, currency, unpaid, dueAt } = facts;
  const isOver = decline.end === 'write_off';
  return {
    ...about(facts),
    subject: `Payment failed for invoice ${name(number)} from ${name(sellerName)}`,
    paragraphs: [
      `We could not charge ${sum(unpaid, currency)} for invoice ${name(number)}: ${whyDeclined(decline)}. Nothing was charged.`,
      whatFollows(decline, facts.paysOnline),
    ],
    facts: [
      ['Invoice', name(number)],
      ...totals(facts),
      ...(isOver
        ? []
        : ([
            ['To pay', sum(unpaid, currency)],
            ['Due', date(dueAt)],
          ] as const)),
      ...row(decline.retryAt !== null, 'Next attempt', decline.retryAt ? date(decline.retryAt) : ''),
      ...(isOver ? [] : bankRows(facts)),
    ],
    action: isOver ? seeAction(facts) : payAction(facts),
  };
}

/** A credit note, and where its money goes. */
export interface CreditFacts {
  readonly number: string;
  readonly total: Decimal;
  /** What goes back in which way: `to Visa ending in 4242`. */
  readonly returns: readonly { readonly amount: Decimal; readonly where: string }[];
  /** What it takes off what was to pay. */
  readonly off: Decimal;
  readonly intoWallet: Decimal;
}

const moneyBack = ({ returns, off, intoWallet }: CreditFacts, currency: string): string[] => [
  ...returns.map(({ amount, where }) => `${sum(amount, currency)} goes back ${where}.`),
  ...(off.gt(0) ? [`${sum(off, currency)} is taken off what was left to pay.`] : []),
  ...(intoWallet.gt(0) ? [`${sum(intoWallet, currency)} is in your balance and pays your next invoices.`] : []),
];

/** An invoice is refunded in full. */
export function refundedLetter(facts: InvoiceFacts, credit: CreditFacts): Letter {
  const { sellerName, number, currency } = facts;
  return {
    ...about(facts),
    subject: `Refund of invoice ${name(number)} from ${name(sellerName)}`,
    paragraphs: [
      `We have refunded invoice ${name(number)}. Credit note ${name(credit.number)} is over ${sum(credit.total, currency)}.`,
      ...moneyBack(credit, currency),
    ],
    facts: [
      ['Invoice', name(number)],
      ['Credit note', name(credit.number)],
      ['Refunded', sum(credit.total, currency)],
    ],
    action: seeAction(facts),
  };
}

/** A refund is void. */
export function refundVoidedLetter(
  facts: InvoiceFacts,
  { number: note, stopped, left }: { number: string; stopped: Decimal; left: Decimal },
): Letter {
  const { sellerName, number, currency } = facts;
  return {
    ...about(facts),
    subject: `Refund of invoice ${name(number)} from ${name(sellerName)} cancelled`,
    paragraphs: [
      `The refund of invoice ${name(number)} was cancelled, and credit note ${name(note)} is void.`,
      ...(stopped.gt(0) ? [`${sum(stopped, currency)} is not sent back: it pays the invoice, as before.`] : []),
      ...(left.gt(0)
        ? [`${sum(left, currency)} had been sent back already. ${name(sellerName)} will tell you about it.`]
        : []),
    ],
    facts: [
      ['Invoice', name(number)],
      ['Credit note', name(note)],
    ],
    action: seeAction(facts),
  };
}

/** A part of an invoice is credited. */
export function creditedLetter(facts: InvoiceFacts, credit: CreditFacts): Letter {
  const { sellerName, number, currency, unpaid } = facts;
  const isSettled = credit.off.gt(0) && unpaid.isZero();
  return {
    ...about(facts),
    subject: `Credit note ${name(credit.number)} from ${name(sellerName)}`,
    paragraphs: [
      `Credit note ${name(credit.number)} takes ${sum(credit.total, currency)} back of invoice ${name(number)}.`,
      ...moneyBack(credit, currency),
      ...(isSettled ? ['Nothing is left to pay.'] : []),
    ],
    facts: [
      ['Invoice', name(number)],
      ['Credit note', name(credit.number)],
      ['Credited', sum(credit.total, currency)],
      ...row(unpaid.gt(0), 'To pay', sum(unpaid, currency)),
    ],
    action: payAction(facts),
  };
}

/** An invoice is cancelled. */
export function cancelledLetter(facts: InvoiceFacts, note: string, intoWallet: Decimal): Letter {
  const { sellerName, number, currency } = facts;
  return {
    ...about(facts),
    subject: `Invoice ${name(number)} from ${name(sellerName)} cancelled`,
    paragraphs: [
      `Invoice ${name(number)} was cancelled. There is nothing to pay.`,
      ...(intoWallet.gt(0) ? [`${sum(intoWallet, currency)} is in your balance again.`] : []),
    ],
    facts: [
      ['Invoice', name(number)],
      ['Credit note', name(note)],
    ],
    action: seeAction(facts),
  };
}

/** What a reminder of a renewal tells. */
export interface RenewalFacts {
  readonly sellerName: string;
  readonly buyerName: string;
  readonly planName: string;
  readonly renewsAt: Instant;
  /** What the next invoice comes to as things stand; null: nobody can say. */
  readonly estimate: { readonly amount: Decimal; readonly currency: string } | null;
  /** The card that will be charged: `Visa ending in 4242`; null: none will. */
  readonly card: string | null;
  /** Whom to write to; null: the merchant has given no address. */
  readonly contact: string | null;
}

/** A period is about to end, and the next one follows: when, for how much, from which card, and how not to. */
export function renewalLetter(facts: RenewalFacts): Letter {
  const { sellerName, planName, renewsAt, estimate, card, contact } = facts;
  const amount = estimate?.amount.gt(0) ? sum(estimate.amount, estimate.currency) : null;
  const charged = card === null ? [] : [`It will be charged to your ${card}.`];
  return {
    ...about(facts),
    subject: `Your subscription to ${name(planName)} renews on ${date(renewsAt)}`,
    paragraphs: [
      `Your subscription to ${name(planName)} from ${name(sellerName)} renews on ${date(renewsAt)}. You need to do nothing to keep it.`,
      ...(amount === null
        ? charged
        : [`The invoice will be about ${amount}. This is an estimate: usage until then can change it.`, ...charged]),
      `To change or cancel the subscription, ${contact === null ? `contact ${name(sellerName)}` : `write to ${name(contact)}`} before ${date(renewsAt)}.`,
    ],
    facts: [
      ['Renews on', date(renewsAt)],
      ...row(amount !== null, 'Estimated amount', amount ?? ''),
      ...row(card !== null, 'Card', card ?? ''),
    ],
    action: null,
  };
}

/** What a letter about an alert tells. */
export interface AlertFacts {
  readonly sellerName: string;
  readonly buyerName: string;
  readonly alertName: string | null;
  readonly type: 'balance' | 'invoice_total' | 'usage';
  readonly metricName: string | null;
  readonly threshold: Decimal | null;
  readonly percent: Decimal | null;
  readonly whole: Decimal | null;
  readonly value: Decimal;
  readonly periodStart: Instant;
  readonly periodEnd: Instant | null;
  readonly blocksAccess: boolean;
}

const FIGURES = { balance: 'Balance', invoice_total: 'Invoice total so far, with tax', usage: 'Usage so far' } as const;

/** What an alert waits for, in words. */
function thresholdWords({ type, threshold, percent, whole }: AlertFacts): string {
  if (threshold !== null) return type === 'balance' ? `${plain(threshold)} or less` : plain(threshold);
  const share = `${plain(percent as Decimal)} %`;
  return whole === null ? `${share} used` : `${share} of ${plain(whole)}`;
}

/** What happened, as a sentence. @param owned the figure with its owner: `your balance` */
function alertSentence(facts: AlertFacts, owned: (figure: string) => string): string {
  const { type, threshold, percent } = facts;
  if (type === 'balance' && threshold === null) return `${plain(percent as Decimal)} % of ${owned('balance')} is used.`;
  const figure = { balance: 'balance', invoice_total: 'invoice total with tax', usage: 'usage' }[type];
  const [first = '', ...rest] = owned(figure);
  const reached = type === 'balance' ? 'has fallen to' : 'has reached';
  return `${first.toUpperCase()}${rest.join('')} ${reached} ${thresholdWords(facts)}.`;
}

/** An alert went off, for the merchant or for its customer. */
export function alertLetter(facts: AlertFacts, reader: 'merchant' | 'customer'): Letter {
  const { alertName, type, metricName, value, periodStart, periodEnd, blocksAccess } = facts;
  const [seller, buyer] = [name(facts.sellerName), name(facts.buyerName)];
  const isMerchant = reader === 'merchant';
  const named = alertName === null ? '' : `“${name(alertName)}” `;
  const owned = (figure: string): string => (isMerchant ? `the ${figure} of ${buyer}` : `your ${figure}`);
  return {
    greeting: `Hello ${isMerchant ? seller : buyer},`,
    signature: isMerchant ? 'Reckoner' : seller,
    subject: `Alert ${named}reached${isMerchant ? `: ${buyer}` : ''}`,
    paragraphs: [
      alertSentence(facts, owned),
      ...(blocksAccess
        ? ['This is a budget: access ends now, until the period ends or the budget is raised.']
        : ['This email is sent once in each period.']),
    ],
    facts: [
      ...row(metricName !== null, 'Metric', name(metricName ?? '')),
      [FIGURES[type], plain(value)],
      ['Threshold', thresholdWords(facts)],
      ['Since', date(periodStart)],
      ...row(periodEnd !== null, 'Until', periodEnd === null ? '' : date(periodEnd)),
    ],
    action: null,
  };
}
