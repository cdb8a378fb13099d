import { customerParty, findCustomer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { type StatementDocument, statementEntryIn } from '../../documents/index.ts';
import { findMerchant } from '../../identity/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { DEFAULT_LOCALE } from '../../kernel/locale.ts';
import { formatMoney } from '../../kernel/money.ts';
import { invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import {
  type BalanceOf,
  balanceBefore,
  type CustomerTransaction,
  currenciesOf,
  transactionsOf,
} from '../../ledger/index.ts';
import { figuresOf } from '../../look/index.ts';
import { describeLook } from '../documents/describe-document.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { sellerParty } from '../issue/seller.ts';
import { type Entry, entriesOf, entryOfCredit, entryOfEmpty, joined, type NamedNote, type Names } from './entries.ts';
import type { StatementReply } from './schemas.ts';
import {
  selectCreditFacts,
  selectCurrenciesOfCredits,
  selectEmptyInvoices,
  selectNamedNotes,
  selectNumbersOf,
  selectReceiptsOfApplications,
} from './statements.sql.ts';

/** Entries of one statement at most: what a document can hold. */
const MOST_ENTRIES = 5_000;

/** The currency of a merchant that has said none. */
const LAST_CURRENCY = 'USD';

/** What is asked for. */
export interface StatementQuestion {
  readonly customerId: string;
  readonly from: Instant;
  readonly to: Instant;
  /** Absent: the only one. */
  readonly currency?: string | undefined;
}

/** The account of a customer over a stretch of time: `opening + entries = closing`. */
export interface Statement extends BalanceOf {
  readonly from: Instant;
  readonly to: Instant;
  readonly opening: Decimal;
  readonly closing: Decimal;
  readonly entries: readonly (Entry & { readonly balance: Decimal })[];
}

/**
 * The statement of a customer (commercial.md §8): the bookings of its accounts in `[from, to)`, by the time of each
 * booking. So two statements that meet join, and one that was sent never changes.
 * @returns 400 of a field: a stretch without length or with too many entries, one of several currencies that is not
 *   said, or a customer for which another one pays
 */
export async function statementOf(tx: Tx, question: StatementQuestion): Promise<Result<Statement>> {
  const { customerId, from, to } = question;
  if (!isBefore(from, to)) return invalidField('to', 'must be after from');
  const customer = await findCustomer(tx, customerId);
  if (!customer) return notFound('customer');
  if (customer.payerId !== null)
    return invalidField('id', `must be a customer that pays itself: ${customer.payerId} pays for it`);
  const currency = await currencyOf(tx, question);
  if (!currency.ok) return currency;
  const of = { customerId, currency: currency.value };
  const span = { from, to, most: MOST_ENTRIES + 1 };
  const booked = await transactionsOf(tx, of, span);
  const names = await namesOf(tx, booked);
  const moved = joined(booked.flatMap((transaction) => entriesOf(transaction, names)));
  const empty = (await selectEmptyInvoices(tx, of, span)).map(entryOfEmpty);
  const credits = (await selectCreditFacts(tx, of, span)).map(entryOfCredit);
  const entries = inOrder(inOrder(moved, empty), credits);
  if (booked.length > MOST_ENTRIES || entries.length > MOST_ENTRIES)
    return invalidField('to', `must be nearer to from: a statement has at most ${MOST_ENTRIES} entries`);
  const opening = await balanceBefore(tx, of, from);
  let balance = opening;
  const running = entries.map((entry) => {
    balance = balance.plus(entry.amount);
    return { ...entry, balance };
  });
  return ok({ ...of, from, to, opening, closing: balance, entries: running });
}

async function currencyOf(tx: Tx, { customerId, currency }: StatementQuestion): Promise<Result<string>> {
  if (currency !== undefined) return ok(currency);
  const used = new Set([...(await currenciesOf(tx, customerId)), ...(await selectCurrenciesOfCredits(tx, customerId))]);
  const [only, other] = [...used].toSorted();
  if (other !== undefined) return invalidField('currency', `must be said, one of ${[...used].toSorted().join(', ')}`);
  return ok(only ?? (await findMerchant(tx)).defaultCurrency ?? LAST_CURRENCY);
}

async function namesOf(tx: Tx, booked: readonly CustomerTransaction[]): Promise<Names> {
  const idsUnder = (keys: RegExp): string[] =>
    booked.filter(({ key }) => keys.test(key)).map(({ key }) => key.split(':')[1] as string);
  const notes = await selectNamedNotes(tx, idsUnder(/^(?:refund|credit|partial|reissue|void):/), idsUnder(/^cancel:/));
  const byId = new Map<string, NamedNote>(notes.map((note) => [note.id, note]));
  const cancelled = new Map<string, NamedNote>(
    notes.filter(({ kind }) => kind === 'cancellation' || kind === 'reissue').map((note) => [note.invoiceId, note]),
  );
  const invoiceIds = [...notes, ...booked].flatMap(({ invoiceId }) => invoiceId ?? []);
  const numbers = new Map((await selectNumbersOf(tx, [...new Set(invoiceIds)])).map(({ id, number }) => [id, number]));
  const parts = await selectReceiptsOfApplications(tx, idsUnder(/^(?:applied|given_back):/));
  const receipts = new Map(parts.map(({ id, receiptId }) => [id, receiptId]));
  return {
    numberOf: (id) => (id === null ? null : (numbers.get(id) ?? null)),
    noteOf: (id) => byId.get(id),
    cancellationOf: (id) => (id === null ? undefined : cancelled.get(id)),
    receiptOf: (id) => receipts.get(id),
  };
}

/** Both in order of time; at one instant the first ones come first. */
function inOrder(first: readonly Entry[], others: readonly Entry[]): Entry[] {
  const entries: Entry[] = [];
  let next = 0;
  for (const other of others) {
    for (; next < first.length && !isAfter((first[next] as Entry).date, other.date); next += 1)
      entries.push(first[next] as Entry);
    entries.push(other);
  }
  return [...entries, ...first.slice(next)];
}

/** A statement as the API answers it, in English. */
export function toStatementReply({
  customerId,
  currency,
  from,
  to,
  opening,
  closing,
  entries,
}: Statement): StatementReply {
  const money = (amount: Decimal) => formatMoney(amount, currency);
  const { money: inWords } = figuresOf(DEFAULT_LOCALE);
  return {
    object: 'statement',
    customerId,
    currency,
    from: formatInstant(from),
    to: formatInstant(to),
    openingBalance: money(opening),
    closingBalance: money(closing),
    entries: entries.map((entry) => ({
      date: formatInstant(entry.date),
      type: entry.type,
      id: entry.id,
      number: entry.note ?? entry.invoice ?? null,
      description: statementEntryIn(DEFAULT_LOCALE, written(entry, money), (amount) => inWords(amount, currency)),
      amount: money(entry.amount),
      balance: money(entry.balance),
    })),
  };
}

const written = ({ moved, ...entry }: Entry & { readonly balance: Decimal }, money: (amount: Decimal) => string) => ({
  ...{ date: entry.date, what: entry.what, invoice: entry.invoice, note: entry.note, name: entry.name },
  moved: moved && money(moved),
  amount: money(entry.amount),
  balance: money(entry.balance),
});

/** The content of a statement as a document, in the language of its customer. */
export async function describeStatement(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { customerId, currency, from, to, opening, closing, entries }: Statement,
  now: Instant,
): Promise<StatementDocument> {
  const money = (amount: Decimal) => formatMoney(amount, currency);
  const buyer = await customerParty(tx, customerId);
  const locale = buyer.locale ?? DEFAULT_LOCALE;
  return {
    ...(await describeLook(dependencies, tx)),
    kind: 'statement',
    locale,
    number: figuresOf(locale).period(from, to),
    issuedAt: now,
    currency,
    seller: { ...sellerParty(await findMerchant(tx)), id: tx.merchantId },
    buyer,
    from,
    to,
    openingBalance: money(opening),
    closingBalance: money(closing),
    entries: entries.map((entry) => written(entry, money)),
  };
}
