import type { Tx } from '../db/index.ts';
import { type Decimal, ZERO } from '../kernel/decimal.ts';
import { earliest, type Instant, isBefore, type Period } from '../kernel/time.ts';
import { type UsageRow, usage } from '../metering/index.ts';
import { chargesOn } from './charges.ts';
import { allotBurnt, type BurntIn, type GrantClaim, stretchesOf } from './grants.ts';
import type { BilledUsage, InvoiceRow } from './invoices.sql.ts';
import type { BilledPrice, BillingSource, BillingTerms } from './source.ts';

/**
 * The usage of each metered price of an invoice, of the time in which it held, up to `until`.
 * @param acceptedUpTo the usage mark: as it was when only these events were there, from the events themselves
 */
export async function readUsage(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  invoice: InvoiceRow,
  until: Instant,
  acceptedUpTo?: bigint,
): Promise<BilledUsage[]> {
  const found: BilledUsage[] = [];
  const covered: (GrantClaim & { readonly priceId: string })[] = [];
  for (const { price, spans } of chargesOn(terms, invoice)) {
    if (price.metric === null) continue;
    const counted = spans.filter(({ start }) => isBefore(start, until));
    const cut = counted.map(({ start, end }) => ({ start, end: earliest(end, until) }));
    const rows = await readPriceUsage(tx, source, terms, price, cut, acceptedUpTo);
    found.push(...rows);
    const [only] = rows; // a price that grants may cover has no groups (the catalog sees to it)
    if (price.grantDiscountEnabled && only)
      covered.push({ priceId: price.id, metricId: price.metric.id, spans: cut, used: only.quantity });
  }
  if (covered.length === 0) return found;
  const taken = allotBurnt(await readBurnt(tx, source, terms, covered), covered);
  const granted = new Map(covered.map(({ priceId }, index) => [priceId, taken[index] as Decimal]));
  return found.map((row) => ({ ...row, granted: granted.get(row.price_id) ?? ZERO }));
}

async function readBurnt(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  claims: readonly GrantClaim[],
): Promise<BurntIn[]> {
  const metricIds = [...new Set(claims.map(({ metricId }) => metricId))];
  const burnt: BurntIn[] = [];
  for (const stretch of stretchesOf(claims))
    for (const units of await source.granted(tx, terms, metricIds, stretch)) burnt.push({ ...units, stretch });
  return burnt;
}

async function readPriceUsage(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  price: BilledPrice,
  spans: readonly Period[],
  acceptedUpTo: bigint | undefined,
): Promise<BilledUsage[]> {
  const metric = price.metric as NonNullable<BilledPrice['metric']>;
  const sources = [];
  for (const span of spans) sources.push(...(await source.usageSources(tx, terms, metric.id, span)));
  const [first, last] = [spans[0], spans.at(-1)];
  if (!(first && last) || sources.length === 0) return [];
  const rows = await usage(tx, {
    merchantId: terms.merchantId,
    meter: metric.meter,
    sources,
    from: first.start,
    to: last.end,
    ...(price.groupFilters && { groupFilters: price.groupFilters }),
    ...(price.pricing.model === 'matrix' && { groups: price.pricing.properties.dimensions }),
    ...(acceptedUpTo !== undefined && { acceptedUpTo }),
  });
  return rows.map((row) => ({
    price_id: price.id,
    group_values: row.group,
    quantity: row.value,
    event_count: row.eventCount,
    granted: ZERO,
  }));
}

/** The usage of one price of an invoice's own period hour by hour, as it is now; of hours in which there was any. */
export async function readUsageByHour(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  invoice: InvoiceRow,
  priceId: string,
): Promise<UsageRow[]> {
  const charge = chargesOn(terms, invoice).find(({ price }) => price.id === priceId);
  const metric = charge?.price.metric;
  if (!(charge && metric)) return [];
  const sources = [];
  for (const span of charge.spans) sources.push(...(await source.usageSources(tx, terms, metric.id, span)));
  if (sources.length === 0) return [];
  return usage(tx, {
    merchantId: terms.merchantId,
    meter: metric.meter,
    sources,
    from: invoice.period_start,
    to: invoice.period_end,
    window: 'HOUR',
    ...(charge.price.groupFilters && { groupFilters: charge.price.groupFilters }),
  });
}
