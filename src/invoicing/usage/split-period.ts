import type { Tx } from '../../db/index.ts';
import { ZERO } from '../../kernel/decimal.ts';
import { together } from '../difference/period-difference.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { chargesOn, fractionUpTo } from '../owed/charges.ts';
import type { BilledPrice, BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { billedOf, type LateUsage } from './late-usage.sql.ts';
import { readUsage } from './read-usage.ts';
import { type OtherParts, otherPartsOn, partsOf } from './split-period.sql.ts';

/** Is it the rest of a period that `closeNow` cut, whose earlier parts are not all read yet? Those must be known before it is. */
export async function waitsForEarlierParts(tx: Tx, invoice: InvoiceRow): Promise<boolean> {
  return (await earlierPartsOf(tx, invoice)).some(({ usage_mark: mark }) => mark === null);
}

/**
 * What the parts of a period before this one used of the prices that go on, with what was billed late of it, as of now.
 * @param late what this invoice is about to bill late
 * @returns null where it is no rest of a period
 */
export async function earlierUsage(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  invoice: InvoiceRow,
  late: readonly LateUsage[] = [],
): Promise<OtherParts | null> {
  if (invoice.continues_from === null) return null;
  const prices = chargesOn(terms, invoice).flatMap(({ price, soFar }) => (soFar ? [price] : []));
  const parts = await earlierPartsOf(tx, invoice);
  return { until: invoice.period_start, used: await usedIn(tx, source, terms, parts, prices, late) };
}

/** What was kept of it as the usage of the invoice was read; null where it is no rest of a period. */
export async function earlierUsageOn(tx: Tx, invoice: InvoiceRow): Promise<readonly BilledUsage[] | null> {
  if (invoice.continues_from === null) return null;
  return (await otherPartsOn(tx, invoice)).filter(({ of_invoice_id: of }) => of === invoice.id);
}

/**
 * What came late for one part of a period that `closeNow` cut is priced with what the other parts used that were read by now:
 * its lines are what the whole comes to more than before.
 * @param pending what is about to be billed late of those
 */
export async function besideOtherParts(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  period: InvoiceRow,
  changes: readonly LateUsage[],
  pending: readonly LateUsage[] = [],
): Promise<LateUsage[]> {
  if (changes.length === 0) return [];
  const read = (await partsOf(tx, period)).filter(({ usage_mark: mark }) => mark !== null);
  const others = read.filter(({ id }) => id !== period.id);
  const until = read.at(-1)?.period_end;
  if (others.length === 0 || until === undefined) return [...changes];
  const found: LateUsage[] = [];
  for (const change of changes) {
    const price = chargesOn(terms, period).find((charge) => charge.price.id === change.price_id)?.price;
    const goesOn = price && fractionUpTo(terms, period, price, until) !== null;
    const used = goesOn ? await usedIn(tx, source, terms, others, [price], pending) : [];
    found.push(goesOn ? { ...change, others: { until, used } } : change);
  }
  return found;
}

async function earlierPartsOf(tx: Tx, invoice: InvoiceRow): Promise<InvoiceRow[]> {
  if (invoice.continues_from === null) return [];
  const parts = await partsOf(tx, invoice);
  return parts.slice(
    0,
    parts.findIndex(({ id }) => id === invoice.id),
  );
}

/** What was billed of some prices in some parts, or what is there where it is not read yet; of each price at least a row. */
async function usedIn(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  parts: readonly InvoiceRow[],
  prices: readonly BilledPrice[],
  late: readonly LateUsage[],
): Promise<BilledUsage[]> {
  let used: BilledUsage[] = prices.map(({ id }) => ({ price_id: id, ...NOTHING }));
  for (const part of parts) {
    const those = late.filter(({ of_invoice_id: of }) => of === part.id);
    const billed =
      part.usage_mark === null ? await readUsage(tx, source, terms, part, part.period_end) : await billedOf(tx, part);
    const isLate = ({ price_id: id }: BilledUsage) => those.some(({ price_id: priceId }) => priceId === id);
    const rows = [...billed.filter((row) => !isLate(row)), ...those.flatMap(({ now }) => now)];
    used = together(
      used,
      rows.filter(({ price_id: id }) => prices.some((price) => price.id === id)),
    );
  }
  return used;
}

const NOTHING = { group_values: {}, quantity: ZERO, event_count: 0, granted: ZERO } as const;
