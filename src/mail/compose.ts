import type { MerchantSettings } from '../identity/index.ts';
import type { Decimal } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import { cleanLine } from '../look/index.ts';
import type { MailContent } from './content.ts';
import {
  between,
  type Correspondents,
  linkTo,
  MOST_OF_A_NAME,
  name,
  type Rows,
  row,
  type Written,
  writtenIn,
} from './correspondents.ts';
import { MAIL_WORDS, type MailWords } from './words.ts';

const MOST_OF_A_NOTE = 400;

/** The facts of mails about an invoice. Amounts are in major units of `currency`. */
export interface InvoiceFacts extends Correspondents {
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
  /** The door of the customer portal; null: the merchant's mails do not lead there. */
  readonly account: string | null;
  /** Can a card pay it there? */
  readonly paysOnline: boolean;
  /** The bank account for a transfer, if the merchant has one. */
  readonly bank: MerchantSettings['bankTransfer'];
}

/** The common part of every mail about an invoice. */
const about = (facts: InvoiceFacts) => ({
  ...between(facts, 'invoices'),
  links: linkTo(facts.account, MAIL_WORDS[facts.locale].allInvoices),
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
    ...row(fromWallet.gt(0), label.fromBalance, sum(fromWallet, currency)),
    ...row(paid.gt(fromWallet), label.amountPaid, sum(paid.minus(fromWallet), currency)),
  ];
}

/** An invoice was issued: what is to pay until when, and where. */
export function issuedMail(facts: InvoiceFacts): MailContent {
  const { seller, number, currency, unpaid, issuedAt, dueAt } = facts;
  const { words, date, sum } = writtenIn(facts.locale);
  const { label } = words;
  const asks = unpaid.gt(0);
  return {
    ...about(facts),
    subject: words.subject.issued(name(number), name(seller.name)),
    figure: sum(asks ? unpaid : facts.grandTotal, currency),
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
  const { seller, number, currency, grandTotal } = facts;
  const { words, date, sum } = writtenIn(facts.locale);
  const { label } = words;
  return {
    ...about(facts),
    subject: words.subject.paid(name(number), name(seller.name)),
    figure: sum(payment?.amount ?? grandTotal, currency),
    paragraphs: [payment ? words.paid(name(number)) : words.paidFromBalance(name(number))],
    facts: [
      [label.invoice, name(number)],
      ...totals(facts),
      [label.paidOn, date(payment?.receivedAt ?? paidAt)],
      ...row(payment !== null, label.paymentMethod, payment?.method ?? ''),
    ],
    action: seeAction(facts),
  };
}

/** A part of an invoice is paid. */
export const partPaidMail = (facts: InvoiceFacts, payment: PaymentFacts): MailContent =>
  leftToPayMail(facts, payment, 'partPaid', 'received');

/** A payment of an invoice came back, or was a mistake: it is owed again. */
export const reversedMail = (facts: InvoiceFacts, payment: PaymentFacts): MailContent =>
  leftToPayMail(facts, payment, 'reversed', 'cameBack');

function leftToPayMail(
  facts: InvoiceFacts,
  payment: PaymentFacts,
  subject: 'partPaid' | 'reversed',
  what: 'received' | 'cameBack',
): MailContent {
  const { seller, number, currency, unpaid, dueAt } = facts;
  const { words, date, sum } = writtenIn(facts.locale);
  const { label } = words;
  return {
    ...about(facts),
    subject: words.subject[subject](name(number), name(seller.name)),
    figure: sum(payment.amount, currency),
    paragraphs: [
      words[what](sum(payment.amount, currency), name(number)),
      words.leftToPay(sum(unpaid, currency), date(dueAt)),
    ],
    facts: [
      [label.invoice, name(number)],
      [label.paidOn, date(payment.receivedAt)],
      [label.paymentMethod, payment.method],
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
  const { seller, number, currency, unpaid, dueAt, account } = facts;
  const written = writtenIn(facts.locale);
  const { words, date, sum } = written;
  const { label } = words;
  const isOver = decline.end === 'write_off';
  return {
    ...about(facts),
    subject: words.subject.declined(name(number), name(seller.name)),
    figure: sum(unpaid, currency),
    paragraphs: [
      words.notCharged(sum(unpaid, currency), name(number), whyDeclined(decline, written)),
      whatFollows(decline, facts.paysOnline, written),
      ...(account !== null && decline.retryAt !== null ? [words.otherCard] : []),
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
    links: linkTo(account, isOver ? words.allInvoices : words.changeMethod),
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
  const { seller, number, currency } = facts;
  const written = writtenIn(facts.locale);
  const { words, sum } = written;
  return {
    ...about(facts),
    subject: words.subject.refunded(name(number), name(seller.name)),
    figure: sum(credit.total, currency),
    paragraphs: [
      words.refunded(name(number), name(credit.number), sum(credit.total, currency)),
      ...moneyBack(credit, currency, written),
    ],
    facts: [
      [words.label.invoice, name(number)],
      [words.label.creditNoteNumber, name(credit.number)],
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
  const { seller, number, currency } = facts;
  const { words, sum } = writtenIn(facts.locale);
  return {
    ...about(facts),
    subject: words.subject.refundVoided(name(number), name(seller.name)),
    paragraphs: [
      words.refundVoided(name(number), name(note)),
      ...(stopped.gt(0) ? [words.notSentBack(sum(stopped, currency))] : []),
      ...(left.gt(0) ? [words.sentBackAlready(sum(left, currency), name(seller.name))] : []),
    ],
    facts: [
      [words.label.invoice, name(number)],
      [words.label.creditNoteNumber, name(note)],
    ],
    action: seeAction(facts),
  };
}

/** A part of an invoice is credited. */
export function creditedMail(facts: InvoiceFacts, credit: CreditFacts): MailContent {
  const { seller, number, currency, unpaid } = facts;
  const written = writtenIn(facts.locale);
  const { words, sum } = written;
  const isPaidByCredit = credit.off.gt(0) && unpaid.isZero();
  return {
    ...about(facts),
    subject: words.subject.credited(name(credit.number), name(seller.name)),
    figure: sum(credit.total, currency),
    paragraphs: [
      words.credited(name(credit.number), sum(credit.total, currency), name(number)),
      ...moneyBack(credit, currency, written),
      ...(isPaidByCredit ? [words.nothingLeftToPay] : []),
    ],
    facts: [
      [words.label.invoice, name(number)],
      [words.label.creditNoteNumber, name(credit.number)],
      [words.label.creditTotal, sum(credit.total, currency)],
      ...row(unpaid.gt(0), words.label.toPay, sum(unpaid, currency)),
    ],
    action: payAction(facts),
  };
}

/** An invoice is cancelled. */
export function cancelledMail(facts: InvoiceFacts, note: string, intoWallet: Decimal): MailContent {
  const { seller, number, currency } = facts;
  const { words, sum } = writtenIn(facts.locale);
  return {
    ...about(facts),
    subject: words.subject.cancelled(name(number), name(seller.name)),
    paragraphs: [
      words.cancelled(name(number)),
      ...(intoWallet.gt(0) ? [words.backInBalance(sum(intoWallet, currency))] : []),
    ],
    facts: [
      [words.label.invoice, name(number)],
      [words.label.creditNoteNumber, name(note)],
    ],
    action: seeAction(facts),
  };
}

/** The facts of a reminder of a renewal. */
export interface RenewalFacts extends Correspondents {
  readonly planName: string;
  readonly renewsAt: Instant;
  /** The estimate of the next invoice; null: unknown. */
  readonly estimate: { readonly amount: Decimal; readonly currency: string } | null;
  /** The card that will be charged: `Visa ending in 4242`; null: none will. */
  readonly card: string | null;
  /** The door of the customer portal, and what the customer can do there; null: mails do not lead there. */
  readonly account: { readonly url: string; readonly canChange: boolean; readonly canCancel: boolean } | null;
}

const oneOrBoth = (change: boolean, cancel: boolean): 'change' | 'cancel' | 'both' | null => {
  if (change) return cancel ? 'both' : 'change';
  return cancel ? 'cancel' : null;
};

/** What a customer can do until an instant: in the portal what it allows, and by the merchant what it does not. */
function howToChange(
  { seller, account }: Pick<RenewalFacts, 'seller' | 'account'>,
  until: Instant,
  { words, date }: Written,
): string[] {
  const { canChange = false, canCancel = false } = account ?? {};
  const contact = seller.email == null ? { seller: name(seller.name) } : { address: name(seller.email) };
  const [inAccount, byContact] = [oneOrBoth(canChange, canCancel), oneOrBoth(!canChange, !canCancel)];
  const day = date(until);
  return [
    ...(inAccount === null ? [] : [words.inAccount(words.changes[inAccount], day)]),
    ...(byContact === null ? [] : [words.byContact(words.changes[byContact], contact, day)]),
  ];
}

/** A period is about to end, and the next one follows: when, for how much, from which card, and how not to. */
export function renewalMail(facts: RenewalFacts): MailContent {
  const { seller, planName, renewsAt, estimate, card, account } = facts;
  const written = writtenIn(facts.locale);
  const { words, date, sum } = written;
  const { label } = words;
  const amount = estimate?.amount.gt(0) ? sum(estimate.amount, estimate.currency) : null;
  return {
    ...between(facts, 'subscription'),
    subject: words.subject.renewal(name(planName), date(renewsAt)),
    figure: amount,
    paragraphs: [
      words.renews(name(planName), name(seller.name), date(renewsAt)),
      ...(amount === null ? [] : [words.estimated(amount)]),
      ...(card === null ? [] : [words.willBeCharged(card)]),
      ...howToChange(facts, renewsAt, written),
    ],
    facts: [
      [label.renewsOn, date(renewsAt)],
      ...row(amount !== null, label.estimate, amount ?? ''),
      ...row(card !== null, label.card, card ?? ''),
    ],
    ...managing(account, words),
  };
}

/** The door of the portal: to manage the subscription, where it allows anything. */
function managing(account: RenewalFacts['account'], words: MailWords): Pick<MailContent, 'action' | 'links'> {
  return account !== null && (account.canChange || account.canCancel)
    ? { action: { label: words.manage, url: account.url }, links: [] }
    : { action: null, links: linkTo(account?.url ?? null, words.openAccount) };
}

/** The facts of a mail before the end of a trial. */
export interface TrialFacts extends Correspondents, Pick<RenewalFacts, 'planName' | 'card' | 'account'> {
  readonly trialEnd: Instant;
  /** What follows as things are. */
  readonly follows: 'invoice' | 'terminate' | 'pause';
}

/** A trial is about to end: when, what follows, from which card, and how not to. */
export function trialMail(facts: TrialFacts): MailContent {
  const { seller, planName, trialEnd, follows, card, account } = facts;
  const written = writtenIn(facts.locale);
  const { words, date } = written;
  const { label } = words;
  return {
    ...between(facts, 'subscription'),
    subject: words.subject.trialEnding(name(planName), date(trialEnd)),
    figure: null,
    paragraphs: [
      words.trialEnds(name(planName), name(seller.name), date(trialEnd)),
      words.afterTrial[follows],
      ...howToChange(facts, trialEnd, written),
    ],
    facts: [[label.trialEndsOn, date(trialEnd)], ...row(card !== null, label.card, card ?? '')],
    ...managing(account, words),
  };
}
