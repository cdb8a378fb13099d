import type { MerchantSettings } from '../identity/index.ts';
import { type Decimal, plain } from '../kernel/decimal.ts';
import { DEFAULT_LOCALE, type Locale } from '../kernel/locale.ts';
import type { Instant } from '../kernel/time.ts';
import { cleanLine, type Figures, figuresOf } from '../look/index.ts';
import type { MailContent } from './content.ts';
import { MAIL_WORDS, type MailWords } from './words.ts';

const MOST_OF_A_NAME = 120;
const MOST_OF_A_NOTE = 400;

/** A name that strangers chose, as one line that can stand in a header. */
export const name = (text: string): string => cleanLine(text, MOST_OF_A_NAME);

/** The words and figures of a mail's language. */
interface Written {
  readonly words: MailWords;
  readonly date: (instant: Instant) => string;
  readonly sum: (amount: Decimal, currency: string) => string;
  readonly quantity: Figures['quantity'];
}

function writtenIn(locale: Locale): Written {
  const { day, money, quantity } = figuresOf(locale);
  return {
    words: MAIL_WORDS[locale],
    date: (instant) => day(instant).replaceAll('\u00a0', ' '),
    sum: (amount, currency) => money(plain(amount), currency),
    quantity,
  };
}

type Rows = MailContent['facts'][number][];
const row = (isThere: boolean, label: string, value: string): Rows => (isThere ? [[label, value]] : []);

/** The facts of mails about an invoice. Amounts are in major units of `currency`. */
export interface InvoiceFacts {
  readonly locale: Locale;
  readonly sellerName: string;
  readonly buyerName: string;
  readonly number: string;
  readonly currency: string;
  readonly grandTotal: Decimal;
  /** The unpaid amount. */
  readonly unpaid: Decimal;
  /** The credits. */
  readonly credited: Decimal;
  /** The payments, also from the wallet. */
  readonly paid: Decimal;
  /** The part from the wallet. */
  readonly fromWallet: Decimal;
  readonly issuedAt: Instant;
  readonly dueAt: Instant;
  /** The invoice's page. */
  readonly page: string;
  /** Can a card pay it there? */
  readonly paysOnline: boolean;
  /** The bank account for a transfer, if the merchant has one. */
  readonly bank: MerchantSettings['bankTransfer'];
}

/** The common part of every mail about an invoice. */
const about = ({ locale, sellerName, buyerName }: Pick<InvoiceFacts, 'locale' | 'sellerName' | 'buyerName'>) => ({
  locale,
  greeting: MAIL_WORDS[locale].greeting(name(buyerName)),
  signature: name(sellerName),
});

const seeAction = ({ locale, page }: InvoiceFacts): MailContent['action'] => ({
  label: MAIL_WORDS[locale].seeInvoice,
  url: page,
});

/** Pays where it can be paid by card; the page shows it in any case. */
const payAction = (facts: InvoiceFacts): MailContent['action'] =>
  facts.paysOnline && facts.unpaid.gt(0)
    ? { label: MAIL_WORDS[facts.locale].payInvoice, url: facts.page }
    : seeAction(facts);

/** To which account, or that the seller tells it, and what to quote; nothing where it is paid by card. */
function bankRows({ locale, paysOnline, unpaid, bank, number }: InvoiceFacts): Rows {
  const { label, askForAccount } = MAIL_WORDS[locale];
  if (paysOnline || unpaid.isZero()) return [];
  const { holder, iban, account, bic, bank: bankName, note } = bank ?? {};
  const given = (labelled: string, value: string | null | undefined, most = MOST_OF_A_NAME): Rows =>
    value == null || value === '' ? [] : [[labelled, cleanLine(value, most)]];
  return [
    ...given(label.holder, holder),
    ...given('IBAN', iban?.replace(/(.{4})(?=.)/g, '$1 ')),
    ...given(label.account, bank === null ? askForAccount : account),
    ...given('BIC', bic),
    ...given(label.bank, bankName),
    [label.reference, name(number)],
    ...given(label.note, note, MOST_OF_A_NOTE),
  ];
}

/** The total, and its payments and credits. */
function totals({ locale, grandTotal, credited, paid, fromWallet, currency }: InvoiceFacts): Rows {
  const { words, sum } = writtenIn(locale);
  const { label } = words;
  return [
    [label.total, sum(grandTotal, currency)],
    ...row(credited.gt(0), label.credited, sum(credited, currency)),
    ...row(fromWallet.gt(0), label.paidFromBalance, sum(fromWallet, currency)),
    ...row(paid.gt(fromWallet), label.amountPaid, sum(paid.minus(fromWallet), currency)),
  ];
}

/** An invoice was issued: what is to pay until when, and where. */
export function issuedMail(facts: InvoiceFacts): MailContent {
  const { sellerName, number, currency, unpaid, issuedAt, dueAt } = facts;
  const { words, date, sum } = writtenIn(facts.locale);
  const { label } = words;
  const asks = unpaid.gt(0);
  return {
    ...about(facts),
    subject: words.subject.issued(name(number), name(sellerName)),
    paragraphs: [
      asks ? words.pleasePay(name(number), sum(unpaid, currency), date(dueAt)) : words.nothingLeft(name(number)),
    ],
    facts: [
      [label.invoice, name(number)],
      [label.issued, date(issuedAt)],
      ...totals(facts),
      [label.toPay, sum(unpaid, currency)],
      ...row(asks, label.due, date(dueAt)),
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
export function paidMail(facts: InvoiceFacts, payment: PaymentFacts | null, paidAt: Instant): MailContent {
  const { sellerName, number } = facts;
  const { words, date } = writtenIn(facts.locale);
  const { label } = words;
  return {
    ...about(facts),
    subject: words.subject.paid(name(number), name(sellerName)),
    paragraphs: [payment ? words.paid(name(number)) : words.paidFromBalance(name(number))],
    facts: [
      [label.invoice, name(number)],
      ...totals(facts),
      [label.paidOn, date(payment?.receivedAt ?? paidAt)],
      ...row(payment !== null, label.paidBy, payment?.method ?? ''),
    ],
    action: seeAction(facts),
  };
}

/** A part of an invoice is paid. */
export function partPaidMail(facts: InvoiceFacts, payment: PaymentFacts): MailContent {
  const { sellerName, number, currency, unpaid, dueAt } = facts;
  const { words, date, sum } = writtenIn(facts.locale);
  const { label } = words;
  return {
    ...about(facts),
    subject: words.subject.partPaid(name(number), name(sellerName)),
    paragraphs: [
      words.received(sum(payment.amount, currency), name(number)),
      words.leftToPay(sum(unpaid, currency), date(dueAt)),
    ],
    facts: [
      [label.invoice, name(number)],
      [label.paidOn, date(payment.receivedAt)],
      [label.paidBy, payment.method],
      [label.toPay, sum(unpaid, currency)],
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
  /** The action after the last attempt, as the merchant has set it. */
  readonly end: 'keep' | 'write_off' | 'terminate' | null;
}

function whyDeclined({ card, reason }: DeclineFacts, { words }: Written): string {
  if (reason === 'no_payment_method') return words.noCard;
  if (reason === 'card_of_another_account') return words.cardOfAnotherAccount(card);
  return reason === 'insufficient_funds' ? words.insufficientFunds(card) : words.cardDeclined(card);
}

function whatFollows({ retryAt, end }: DeclineFacts, paysOnline: boolean, { words, date }: Written): string {
  if (retryAt) return words.tryAgainOn(date(retryAt), paysOnline);
  if (end === 'write_off') return words.writtenOff;
  return [
    ...(end === null ? [] : [words.noMoreAttempts]),
    ...(end === 'terminate' ? [words.subscriptionEnds] : []),
    words.payOtherwise(paysOnline),
  ].join(' ');
}

/** A charge was declined: why, and what happens next. */
export function declinedMail(facts: InvoiceFacts, decline: DeclineFacts): MailContent {
  const { sellerName, number, currency, unpaid, dueAt } = facts;
  const written = writtenIn(facts.locale);
  const { words, date, sum } = written;
  const { label } = words;
  const isOver = decline.end === 'write_off';
  return {
    ...about(facts),
    subject: words.subject.declined(name(number), name(sellerName)),
    paragraphs: [
      words.notCharged(sum(unpaid, currency), name(number), whyDeclined(decline, written)),
      whatFollows(decline, facts.paysOnline, written),
    ],
    facts: [
      [label.invoice, name(number)],
      ...totals(facts),
      ...row(!isOver, label.toPay, sum(unpaid, currency)),
      ...row(!isOver, label.due, date(dueAt)),
      ...row(decline.retryAt !== null, label.nextAttempt, decline.retryAt ? date(decline.retryAt) : ''),
      ...(isOver ? [] : bankRows(facts)),
    ],
    action: isOver ? seeAction(facts) : payAction(facts),
  };
}

/** A credit note, and where its money goes. */
export interface CreditFacts {
  readonly number: string;
  readonly total: Decimal;
  /** The refunds: to a card (`Visa ending in 4242`; null: an unknown one), or the way the money came. */
  readonly returns: readonly { readonly amount: Decimal; readonly to: 'sender' | { readonly card: string | null } }[];
  /** The deduction from the unpaid amount. */
  readonly off: Decimal;
  readonly intoWallet: Decimal;
}

const moneyBack = ({ returns, off, intoWallet }: CreditFacts, currency: string, { words, sum }: Written): string[] => [
  ...returns.map(({ amount, to }) =>
    to === 'sender' ? words.backAsItCame(sum(amount, currency)) : words.backToCard(sum(amount, currency), to.card),
  ),
  ...(off.gt(0) ? [words.takenOff(sum(off, currency))] : []),
  ...(intoWallet.gt(0) ? [words.intoBalance(sum(intoWallet, currency))] : []),
];

/** An invoice is refunded in full. */
export function refundedMail(facts: InvoiceFacts, credit: CreditFacts): MailContent {
  const { sellerName, number, currency } = facts;
  const written = writtenIn(facts.locale);
  const { words, sum } = written;
  return {
    ...about(facts),
    subject: words.subject.refunded(name(number), name(sellerName)),
    paragraphs: [
      words.refunded(name(number), name(credit.number), sum(credit.total, currency)),
      ...moneyBack(credit, currency, written),
    ],
    facts: [
      [words.label.invoice, name(number)],
      [words.label.creditNote, name(credit.number)],
      [words.label.refunded, sum(credit.total, currency)],
    ],
    action: seeAction(facts),
  };
}

/** A refund is void. */
export function refundVoidedMail(
  facts: InvoiceFacts,
  { number: note, stopped, left }: { number: string; stopped: Decimal; left: Decimal },
): MailContent {
  const { sellerName, number, currency } = facts;
  const { words, sum } = writtenIn(facts.locale);
  return {
    ...about(facts),
    subject: words.subject.refundVoided(name(number), name(sellerName)),
    paragraphs: [
      words.refundVoided(name(number), name(note)),
      ...(stopped.gt(0) ? [words.notSentBack(sum(stopped, currency))] : []),
      ...(left.gt(0) ? [words.sentBackAlready(sum(left, currency), name(sellerName))] : []),
    ],
    facts: [
      [words.label.invoice, name(number)],
      [words.label.creditNote, name(note)],
    ],
    action: seeAction(facts),
  };
}

/** A part of an invoice is credited. */
export function creditedMail(facts: InvoiceFacts, credit: CreditFacts): MailContent {
  const { sellerName, number, currency, unpaid } = facts;
  const written = writtenIn(facts.locale);
  const { words, sum } = written;
  const isPaidByCredit = credit.off.gt(0) && unpaid.isZero();
  return {
    ...about(facts),
    subject: words.subject.credited(name(credit.number), name(sellerName)),
    paragraphs: [
      words.credited(name(credit.number), sum(credit.total, currency), name(number)),
      ...moneyBack(credit, currency, written),
      ...(isPaidByCredit ? [words.nothingLeftToPay] : []),
    ],
    facts: [
      [words.label.invoice, name(number)],
      [words.label.creditNote, name(credit.number)],
      [words.label.credited, sum(credit.total, currency)],
      ...row(unpaid.gt(0), words.label.toPay, sum(unpaid, currency)),
    ],
    action: payAction(facts),
  };
}

/** An invoice is cancelled. */
export function cancelledMail(facts: InvoiceFacts, note: string, intoWallet: Decimal): MailContent {
  const { sellerName, number, currency } = facts;
  const { words, sum } = writtenIn(facts.locale);
  return {
    ...about(facts),
    subject: words.subject.cancelled(name(number), name(sellerName)),
    paragraphs: [
      words.cancelled(name(number)),
      ...(intoWallet.gt(0) ? [words.backInBalance(sum(intoWallet, currency))] : []),
    ],
    facts: [
      [words.label.invoice, name(number)],
      [words.label.creditNote, name(note)],
    ],
    action: seeAction(facts),
  };
}

/** The facts of a reminder of a renewal. */
export interface RenewalFacts {
  readonly locale: Locale;
  readonly sellerName: string;
  readonly buyerName: string;
  readonly planName: string;
  readonly renewsAt: Instant;
  /** The estimate of the next invoice; null: unknown. */
  readonly estimate: { readonly amount: Decimal; readonly currency: string } | null;
  /** The card that will be charged: `Visa ending in 4242`; null: none will. */
  readonly card: string | null;
  /** The contact; null: the merchant has given no address. */
  readonly contact: string | null;
}

/** A period is about to end, and the next one follows: when, for how much, from which card, and how not to. */
export function renewalMail(facts: RenewalFacts): MailContent {
  const { sellerName, planName, renewsAt, estimate, card, contact } = facts;
  const { words, date, sum } = writtenIn(facts.locale);
  const { label } = words;
  const amount = estimate?.amount.gt(0) ? sum(estimate.amount, estimate.currency) : null;
  const reached = contact === null ? { seller: name(sellerName) } : { address: name(contact) };
  return {
    ...about(facts),
    subject: words.subject.renewal(name(planName), date(renewsAt)),
    paragraphs: [
      words.renews(name(planName), name(sellerName), date(renewsAt)),
      ...(amount === null ? [] : [words.estimated(amount)]),
      ...(card === null ? [] : [words.willBeCharged(card)]),
      words.howToCancel(reached, date(renewsAt)),
    ],
    facts: [
      [label.renewsOn, date(renewsAt)],
      ...row(amount !== null, label.estimate, amount ?? ''),
      ...row(card !== null, label.card, card ?? ''),
    ],
    action: null,
  };
}

/** The facts of a mail about an alert. */
export interface AlertFacts {
  /** The customer's; the merchant is written to in English. */
  readonly locale: Locale;
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

/** The threshold of an alert, in words. */
function thresholdWords({ type, threshold, percent, whole }: AlertFacts, { words, quantity }: Written): string {
  if (threshold === null)
    return words.alert.share(quantity(plain(percent as Decimal)), whole === null ? null : quantity(plain(whole)));
  const shown = quantity(plain(threshold));
  return type === 'balance' ? words.alert.orLess(shown) : shown;
}

/** The event, as a sentence. @param owner null: the reader */
function alertSentence(facts: AlertFacts, owner: string | null, written: Written): string {
  const { type, threshold, percent } = facts;
  const { alert } = written.words;
  return type === 'balance' && threshold === null
    ? alert.used(written.quantity(plain(percent as Decimal)), owner)
    : alert.reached[type](thresholdWords(facts, written), owner);
}

/** The mail about a triggered alert, for the merchant or for its customer. */
export function alertMail(facts: AlertFacts, reader: 'merchant' | 'customer'): MailContent {
  const { alertName, type, metricName, value, periodStart, periodEnd, blocksAccess } = facts;
  const [seller, buyer] = [name(facts.sellerName), name(facts.buyerName)];
  const isMerchant = reader === 'merchant';
  const locale = isMerchant ? DEFAULT_LOCALE : facts.locale;
  const written = writtenIn(locale);
  const { words, date, quantity } = written;
  const { label, alert } = words;
  return {
    locale,
    greeting: words.greeting(isMerchant ? seller : buyer),
    signature: isMerchant ? 'Reckoner' : seller,
    subject: words.subject.alert(alertName === null ? null : name(alertName), isMerchant ? buyer : null),
    paragraphs: [alertSentence(facts, isMerchant ? buyer : null, written), blocksAccess ? alert.budget : alert.once],
    facts: [
      ...row(metricName !== null, label.metric, name(metricName ?? '')),
      [alert.figure[type], quantity(plain(value))],
      [label.threshold, thresholdWords(facts, written)],
      [label.since, date(periodStart)],
      ...row(periodEnd !== null, label.until, periodEnd === null ? '' : date(periodEnd)),
    ],
    action: null,
  };
}
