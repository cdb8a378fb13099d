import { sqlState, type Tx } from '../../db/index.ts';
import { Decimal, plain } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { EARLIEST, formatInstant, type Instant, isBefore } from '../../kernel/time.ts';
import { hasWaited, isLevel } from '../../metering/index.ts';
import type { Calculation, OtherLine } from '../calculation/calculate.ts';
import { type BilledUsage, groupKey } from '../invoice/billed-usage.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { billedUsageOf, linesOf } from '../invoice/invoices.sql.ts';
import { manualLinesOn } from '../issue/manual-lines.sql.ts';
import { calculateInvoice } from '../issue/run-calculation.ts';
import { chargesOn } from '../owed/charges.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { carriedCharges, lateChargesOn, subjectsOf } from '../usage/late-usage.ts';
import { readUsage } from '../usage/read-usage.ts';
import { earlierUsageOn } from '../usage/split-period.ts';
import { issuedOfSubscriptions } from './recompute.sql.ts';

/** An invoice that comes out otherwise when it is calculated again from the events. */
export interface Recomputed {
  readonly merchantId: string;
  readonly invoiceId: string;
  /** A sentence for each thing that differs; none where it comes out the same. */
  readonly differences: readonly string[];
}

const PAGE = 200;

/**
 * Calculates every issued invoice of a subscription again: of a period from the raw events that were accepted when its usage was
 * read, an upfront one from the terms, one of what came late after an end from what was read for it; by the same rules (domain.md
 * §4, "explain"). Prices are immutable; tax rates, adjustments, lines by hand, credits, what grants covered,
 * what came late for earlier periods and what earlier parts of a period used are taken as they are stored.
 * @param reading runs in a transaction that may read all merchants
 */
export async function recomputeInvoices(
  source: BillingSource,
  reading: <Answer>(work: (tx: Tx) => Promise<Answer>) => Promise<Answer>,
): Promise<{ checked: number; differing: Recomputed[] }> {
  const differing: Recomputed[] = [];
  let checked = 0;
  let last: Pick<InvoiceRow, 'merchant_id' | 'id'> | undefined = { merchant_id: '', id: '' };
  while (last) {
    const after = last;
    last = await reading(async (tx) => {
      const kept = remembering(source);
      const page = await issuedOfSubscriptions(tx, after, PAGE);
      for (const invoice of page) {
        const differences = await tryDifferencesOf(tx, kept, invoice);
        if (differences.length > 0)
          differing.push({ merchantId: invoice.merchant_id, invoiceId: invoice.id, differences });
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
    terms: (tx, merchantId, subscriptionId) => {
      const terms = known.get(subscriptionId) ?? source.terms(tx, merchantId, subscriptionId);
      known.set(subscriptionId, terms);
      return terms;
    },
  };
}

async function tryDifferencesOf(tx: Tx, source: BillingSource, invoice: InvoiceRow): Promise<string[]> {
  try {
    return await differencesOf(tx, source, invoice);
  } catch (error) {
    if (sqlState(error) !== '') throw error;
    return [`it cannot be calculated: ${String(error)}`];
  }
}

async function differencesOf(tx: Tx, source: BillingSource, invoice: InvoiceRow): Promise<string[]> {
  const { merchant_id: merchantId, subscription_id: subscriptionId, terms: frozen, usage_mark: mark } = invoice;
  if (subscriptionId === null || frozen === null) return ['it is of no subscription'];
  const terms = await source.terms(tx, merchantId, subscriptionId);
  if (invoice.kind !== 'subscription') return lineDifferences(tx, invoice, terms, frozen, []); // it reads no usage of its own
  if (mark === null) return ['its usage was never read'];
  const stored = await billedUsageOf(tx, invoice);
  const counted = await countAgain(tx, source, terms, { invoice, stored, mark });
  const unlike = usageDifferences(stored, counted);
  const isOther = unlike.length > 0 && (await isOtherByNow(tx, terms, invoice, mark));
  return [
    ...(isOther ? [] : unlike),
    ...(await lineDifferences(tx, invoice, terms, frozen, isOther ? stored : counted)),
  ];
}

/**
 * Do other events of a period count by now than when it was billed? What was sent before it was known whose it is has no time at
 * which it began to count, and an end that was set back took away what was billed after it.
 */
async function isOtherByNow(tx: Tx, terms: BillingTerms, invoice: InvoiceRow, mark: bigint): Promise<boolean> {
  const { period_end: end } = invoice;
  const { endsAt } = terms.bounds;
  if (endsAt !== null && isBefore(endsAt, end)) return true;
  const hasLevel = chargesOn(terms, invoice).some(({ price }) => price.metric !== null && isLevel(price.metric.meter));
  const start = hasLevel ? EARLIEST : invoice.period_start; // a level comes from any time before
  return hasWaited(tx, terms.merchantId, subjectsOf(terms), { start, end, mark });
}

/** Which grants there were, and what they had left, is not known of the past: what they covered was stored. */
async function countAgain(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  { invoice, stored, mark }: { invoice: InvoiceRow; stored: readonly BilledUsage[]; mark: bigint },
): Promise<BilledUsage[]> {
  const ungranted = { ...source, granted: async () => [] };
  const counted = await readUsage(tx, ungranted, terms, invoice, invoice.period_end, mark);
  const before = byGroup(stored);
  return counted.map((row) => ({ ...row, granted: before.get(keyOf(row))?.granted ?? row.granted }));
}

function usageDifferences(stored: readonly BilledUsage[], counted: readonly BilledUsage[]): string[] {
  const [before, after] = [byGroup(stored), byGroup(counted)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [was, is] = [shownUsage(before.get(key)), shownUsage(after.get(key))];
    return was === is ? [] : [`usage of ${key}: billed ${was}, the events come to ${is}`];
  });
}

const byGroup = (rows: readonly BilledUsage[]): Map<string, BilledUsage> =>
  new Map(rows.map((row) => [keyOf(row), row]));

const keyOf = (row: BilledUsage): string => `${row.price_id} ${groupKey(row.group_values)}`.trim();

const shownUsage = (row: BilledUsage | undefined): string =>
  `${plain(row?.quantity ?? new Decimal(0))} in ${row?.event_count ?? 0} events`;

/**
 * How the invoice differs from what it comes to. When the subscription ends, and which version holds later, decides on what is
 * charged in advance, and what was planned then is not stored: an invoice is right that comes out so by a plan there may have been.
 */
async function lineDifferences(
  tx: Tx,
  invoice: InvoiceRow,
  now: BillingTerms,
  frozen: FrozenTerms,
  usage: readonly BilledUsage[],
): Promise<string[]> {
  const lines = await linesOf(tx, invoice.merchant_id, invoice.id);
  const manual = await manualLinesOn(tx, invoice, 'none');
  const others = lines.filter(({ type }) => type === 'credit').map(creditAsStored);
  const earlier = await earlierUsageOn(tx, invoice);
  let first: string[] | undefined;
  const ends = invoice.kind === 'upfront' ? lines.map(({ period_end: end }) => end) : [];
  for (const terms of plansOf(now, invoice, ends)) {
    const late = await lateChargesOn(tx, terms, invoice);
    const carried = await carriedCharges(tx, terms, frozen);
    const beside = { earlier, late, carried, manual, others };
    const found = compare(invoice, lines, calculateInvoice(terms, frozen, invoice, usage, beside));
    if (found.length === 0) return [];
    first ??= found;
  }
  return first ?? [];
}

/** How much of a credit stood in credit notes before is not known of the past; the line says what it was before it was cut. */
export const creditAsStored = (line: LineRow): OtherLine => ({
  amount: line.unit_price,
  taxRate: line.tax_rate,
  givesWay: 'credit',
  says: line,
});

/**
 * The terms as they are, and as they were while nobody knew of the end or of a version that holds after the period.
 * @param planned ends that may have been planned then
 */
export function plansOf(
  terms: BillingTerms,
  { period_end: end }: InvoiceRow,
  planned: readonly Instant[] = [],
): BillingTerms[] {
  const { endsAt } = terms.bounds;
  const ends = [...(endsAt === null ? [null] : [endsAt, null]), ...planned];
  const { versions = [] } = terms;
  const first = versions.findIndex(({ from }) => !isBefore(from, end));
  const least = first === -1 ? versions.length : Math.max(1, first);
  const histories = Array.from({ length: versions.length - least + 1 }, (_, less) =>
    versions.slice(0, versions.length - less),
  );
  return histories.flatMap((history) =>
    ends.map((at): BillingTerms => {
      const last = history.at(-1);
      return { ...terms, ...last, versions: history, bounds: { ...terms.bounds, endsAt: at } };
    }),
  );
}

/** What a line says that it must say again. */
const shownLine = (line: Calculation['lines'][number] | LineRow | undefined, currency: string): string =>
  line === undefined
    ? 'nothing'
    : [
        `${line.type} ${line.price_id ?? line.display_name}`,
        `${formatInstant(line.period_start)}/${formatInstant(line.period_end)}`,
        `${plain(line.quantity)} × ${plain(line.unit_price)} = ${formatMoney(line.total_price, currency)}`,
        `+ ${formatMoney(line.total_tax, currency)} (${plain(line.tax_rate)} %)`,
        `= ${formatMoney(line.total_amount, currency)}`,
      ].join(' ');

function compare(invoice: InvoiceRow, lines: readonly LineRow[], calculation: Calculation): string[] {
  const { currency } = invoice;
  const ofLines = Array.from({ length: Math.max(lines.length, calculation.lines.length) }, (_, position) => {
    const [was, is] = [shownLine(lines[position], currency), shownLine(calculation.lines[position], currency)];
    return was === is ? [] : [`line ${position + 1}: ${was}, by the events ${is}`];
  }).flat();
  const totals: readonly (readonly [string, Decimal, Decimal])[] = [
    ['subtotal', invoice.subtotal, calculation.subtotal],
    ['totalTax', invoice.total_tax, calculation.totalTax],
    ['grandTotal', invoice.grand_total, calculation.grandTotal],
  ];
  return [
    ...ofLines,
    ...totals
      .filter(([, was, is]) => !was.eq(is))
      .map(([name, was, is]) => `${name}: ${formatMoney(was, currency)}, by the events ${formatMoney(is, currency)}`),
  ];
}
