import type { Tx } from '../db/index.ts';
import { ZERO } from '../kernel/decimal.ts';
import { earliest, type Instant, isBefore, type Period } from '../kernel/time.ts';
import { type UsageRow, usage } from '../metering/index.ts';
import { chargesOn } from './charges.ts';
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
  for (const { price, spans } of chargesOn(terms, invoice)) {
    if (price.metric === null) continue;
    const counted = spans.filter(({ start }) => isBefore(start, until));
    const cut = counted.map(({ start, end }) => ({ start, end: earliest(end, until) }));
    found.push(...(await readPriceUsage(tx, source, terms, price, cut, acceptedUpTo)));
  }
  return found;
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
  let granted = ZERO;
  for (const span of spans) {
    sources.push(...(await source.usageSources(tx, terms, metric.id, span)));
    if (price.grantDiscountEnabled) granted = granted.plus(await source.granted(tx, terms, price, span));
  }
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
  // A price that grants may cover has no groups (the catalog sees to it), so that they belong to the one row.
  return rows.map((row) => ({
    price_id: price.id,
    group_values: row.group,
    quantity: row.value,
    event_count: row.eventCount,
    granted,
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
