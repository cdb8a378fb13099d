import { sqlState, type Tx } from '../../db/index.ts';
import { type Decimal, plain } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant, isBefore } from '../../kernel/time.ts';
import { asOne, calculateTogether } from '../calculation/calculate.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { commitmentCorrectionsOf } from '../calculation/commitment-lines.ts';
import { type CorrectionDue, correctionsOf } from '../calculation/due-lines.ts';
import { DEBT_LINE } from '../calculation/one-off-lines.ts';
import { loadCorrections } from '../drafts/billing-state.ts';
import { recalculate } from '../drafts/calculate-stored.ts';
import { inputsOfMembers } from '../drafts/inputs-of-members.ts';
import { plansOf } from '../drafts/plans-then.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import { bySubscription, type InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectBilledUsage, selectLines } from '../invoice/invoices.sql.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { selectIssuedOfSubscriptions } from './recompute.sql.ts';

/**
 * An invoice that comes out otherwise when it is calculated again, or whose period owes something else than is billed.
 */
export interface Recomputed {
  readonly merchantId: string;
  readonly invoiceId: string;
  /** A sentence for each thing that differs; none where it comes out the same. */
  readonly differences: readonly string[];
}

const PAGE = 200;

/**
 * Owed equals billed, for every subscription: each issued invoice is calculated again from what is stored of it, by the
 * same rules; and the usage of each closed period is read again from the raw events and rated, to nothing more and
 * nothing less than is billed. Periods for which something came since are left out: the next invoice bills the
 * difference.
 * @param reading runs in a transaction that may read all merchants
 */
export async function recomputeInvoices(
  source: BillingSource,
  reading: <Answer>(work: (tx: Tx) => Promise<Answer>) => Promise<Answer>,
): Promise<{ checked: number; differing: Recomputed[] }> {
  const differing: Recomputed[] = [];
  let checked = 0;
  let last: Pick<InvoiceRow, 'merchantId' | 'id'> | undefined = { merchantId: '', id: '' };
  const known = new Set<string>();
  while (last) {
    const after = last;
    last = await reading(async (tx) => {
      const kept = remembering(source);
      const page = await selectIssuedOfSubscriptions(tx, after, PAGE);
      for (const invoice of page) {
        differing.push(...(await tryDifferencesOf(tx, kept, invoice)));
        for (const own of bySubscription(invoice)) {
          const isFirst = !known.has(own.subscriptionId ?? '');
          known.add(own.subscriptionId ?? '');
          if (isFirst) differing.push(...(await tryDifferencesOfPeriods(tx, kept, own)));
        }
      }
      checked += page.length;
      return page.at(PAGE - 1);
    });
  }
  return { checked, differing };
}

/** The terms of a subscription are those of all its invoices: they are read once for each page. */
function remembering(source: BillingSource): BillingSource {
  const known = new Map<string, Promise<BillingTerms>>();
  return {
    ...source,
    terms: (tx, subscriptionId) => {
      const terms = known.get(subscriptionId) ?? source.terms(tx, subscriptionId);
      known.set(subscriptionId, terms);
      return terms;
    },
  };
}

async function tryDifferencesOf(tx: Tx, source: BillingSource, invoice: InvoiceRow): Promise<Recomputed[]> {
  const found = (differences: readonly string[]) =>
    differences.length > 0 ? [{ merchantId: invoice.merchantId, invoiceId: invoice.id, differences }] : [];
  try {
    return found(await differencesOf(tx.of(invoice.merchantId), source, invoice));
  } catch (error) {
    if (sqlState(error) !== '') throw error;
    return found([`it cannot be calculated: ${String(error)}`]);
  }
}

async function differencesOf(tx: Tx, source: BillingSource, invoice: InvoiceRow): Promise<string[]> {
  if (invoice.kind === 'grouped') return differencesOfMembers(tx, source, invoice);
  const { subscriptionId, terms: frozen, usageMark: mark } = invoice;
  if (subscriptionId === null || frozen === null) return ['it is of no subscription'];
  if (invoice.kind === 'subscription' && mark === null) return ['its usage was never read'];
  const terms = await source.terms(tx, subscriptionId);
  return lineDifferences(tx, invoice, terms, frozen, await selectBilledUsage(tx, invoice));
}

/** The same of a grouped invoice: its members are calculated together, as they were joined. */
async function differencesOfMembers(tx: Tx, source: BillingSource, invoice: InvoiceRow): Promise<string[]> {
  const lines = await selectLines(tx, invoice.id);
  let first: string[] | undefined;
  for (const inputs of await inputsOfMembers(tx, source, invoice, lines)) {
    const found = compare(invoice, lines, asOne(calculateTogether(inputs)));
    if (found.length === 0) return [];
    first ??= found;
  }
  return first ?? [];
}

async function tryDifferencesOfPeriods(tx: Tx, source: BillingSource, invoice: InvoiceRow): Promise<Recomputed[]> {
  try {
    return await differencesOfPeriods(tx.of(invoice.merchantId), source, invoice);
  } catch (error) {
    if (sqlState(error) !== '') throw error;
    const differences = [`the periods of its subscription cannot be rated: ${String(error)}`];
    return [{ merchantId: invoice.merchantId, invoiceId: invoice.id, differences }];
  }
}

/** The debts of a subscription's closed periods by the raw events, against their bills. */
async function differencesOfPeriods(
  tx: Tx,
  source: BillingSource,
  { merchantId, subscriptionId }: InvoiceRow,
): Promise<Recomputed[]> {
  if (subscriptionId === null) return [];
  const terms = await source.terms(tx, subscriptionId);
  const { due, commitments, read } = await loadCorrections(tx, source, terms, 'unchanged', async () => '0');
  const { taxBehavior, currency } = terms;
  const input = { currency, usage: [], charges: due, commitments, taxBehavior, taxRates: new Map() };
  const committed = commitmentCorrectionsOf(input).map(({ commitment: { items, period }, total }): Recomputed => {
    const name = `from ${formatInstant(period.start)} to ${formatInstant(period.end)}`;
    const invoiceId = items[0]?.invoiceId ?? read.at(-1)?.invoice.id ?? '';
    const more = formatMoney(total, currency);
    return { merchantId, invoiceId, differences: [`the commitment ${name} owes ${more} more than is billed`] };
  });
  const wrong = correctionsOf(input).filter(canBeBilled);
  const metered = wrong.map(({ due: { charge, late }, total }): Recomputed => {
    const period = read.find(({ invoice }) => !isBefore(invoice.periodEnd, charge.period.end)) ?? read[0];
    const name = `${charge.price.id} from ${formatInstant(charge.period.start)} to ${formatInstant(charge.period.end)}`;
    const more = formatMoney(total, currency);
    return {
      merchantId,
      invoiceId: late?.items[0]?.invoiceId ?? period?.invoice.id ?? '',
      differences: [`the usage of ${name} owes ${more} more than is billed`],
    };
  });
  return [...metered, ...committed];
}

/** A reduction is limited to the amount that can be credited. */
const canBeBilled = ({ due: { back }, total }: CorrectionDue): boolean => total.gt(0) || (back?.net.gt(0) ?? false);

/**
 * The differences of an invoice to its recomputation. The end of the subscription and its later versions decide on
 * charges in advance. If the plan at that time is unknown, an invoice is right if any possible plan gives its amount.
 */
async function lineDifferences(
  tx: Tx,
  invoice: InvoiceRow,
  now: BillingTerms,
  frozen: FrozenTerms,
  usage: readonly BilledUsage[],
): Promise<string[]> {
  const lines = await selectLines(tx, invoice.id);
  let first: string[] | undefined;
  const ends = lines.map(({ periodEnd: end }) => end); // one that was planned then may have cut what is in advance
  for (const terms of plansOf(now, invoice, ends)) {
    const found = compare(invoice, lines, await recalculate(tx, terms, frozen, invoice, lines, usage));
    if (found.length === 0) return [];
    first ??= found;
  }
  return first ?? [];
}

/** The content of a line that a recomputation must repeat. */
const shownLine = (line: Calculation['lines'][number] | LineRow | undefined, currency: string): string =>
  line === undefined
    ? 'nothing'
    : [
        `${line.type} ${line.priceId ?? line.displayName}`,
        `${formatInstant(line.periodStart)}/${formatInstant(line.periodEnd)}`,
        `${plain(line.quantity)} × ${plain(line.unitPrice)} = ${formatMoney(line.totalPrice, currency)}`,
        `+ ${formatMoney(line.totalTax, currency)} (${plain(line.taxRate)} %)`,
        `= ${formatMoney(line.totalAmount, currency)}`,
      ].join(' ');

/**
 * Is nothing left of the line of a coupon? It was credited elsewhere: not by the events again, where the invoices that
 * it was joined with could bear more of theirs.
 */
const isCutWhole = ({ type, totalAmount }: Pick<LineRow, 'type' | 'totalAmount'>): boolean =>
  type === 'coupon' && totalAmount.isZero();

/** Debts of reversed payments come with the issue, and no calculation makes them. */
function compare(invoice: InvoiceRow, stored: readonly LineRow[], calculation: Calculation): string[] {
  const { currency, collectedDebt: debt } = invoice;
  const lines = stored.filter((line) => line.type !== DEBT_LINE && !isCutWhole(line));
  const calculated = calculation.lines.filter((line) => !isCutWhole(line));
  const ofLines = Array.from({ length: Math.max(lines.length, calculated.length) }, (_, position) => {
    const [was, is] = [shownLine(lines[position], currency), shownLine(calculated[position], currency)];
    return was === is ? [] : [`line ${position + 1}: ${was}, by the events ${is}`];
  }).flat();
  const totals: readonly (readonly [string, Decimal, Decimal])[] = [
    ['subtotal', invoice.subtotal.minus(debt), calculation.subtotal],
    ['totalTax', invoice.totalTax, calculation.totalTax],
    ['grandTotal', invoice.grandTotal.minus(debt), calculation.grandTotal],
  ];
  return [
    ...ofLines,
    ...totals
      .filter(([, was, is]) => !was.eq(is))
      .map(([name, was, is]) => `${name}: ${formatMoney(was, currency)}, by the events ${formatMoney(is, currency)}`),
  ];
}
