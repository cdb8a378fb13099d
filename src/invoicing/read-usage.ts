import type { Tx } from '../db/index.ts';
import { ZERO } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import { usage } from '../metering/index.ts';
import { chargesOn } from './charges.ts';
import type { BilledUsage, InvoiceRow } from './invoices.sql.ts';
import type { BilledPrice, BillingSource, BillingTerms } from './source.ts';

/** The usage of each metered price of an invoice, from its period's start up to `until`. */
export async function readUsage(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  invoice: InvoiceRow,
  until: Instant,
): Promise<BilledUsage[]> {
  const found: BilledUsage[] = [];
  for (const { price } of chargesOn(terms, invoice)) {
    if (price.metric === null) continue;
    found.push(...(await readPriceUsage(tx, source, terms, price, { start: invoice.period_start, end: until })));
  }
  return found;
}

async function readPriceUsage(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  price: BilledPrice,
  period: { start: Instant; end: Instant },
): Promise<BilledUsage[]> {
  const metric = price.metric as NonNullable<BilledPrice['metric']>;
  const sources = await source.usageSources(tx, terms, metric.id, period);
  if (sources.length === 0) return [];
  const rows = await usage(tx, {
    merchantId: terms.merchantId,
    meter: metric.meter,
    sources,
    from: period.start,
    to: period.end,
    ...(price.groupFilters && { groupFilters: price.groupFilters }),
    ...(price.pricing.model === 'matrix' && { groups: price.pricing.properties.dimensions }),
  });
  const granted = price.grantDiscountEnabled ? await source.granted(tx, terms, price, period) : ZERO;
  // A price that grants may cover has no groups (the catalog sees to it), so that they belong to the one row.
  return rows.map((row) => ({
    price_id: price.id,
    group_values: row.group,
    quantity: row.value,
    event_count: row.eventCount,
    granted,
  }));
}
