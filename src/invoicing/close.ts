import type { Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { lockIngest, usage, usageMark } from '../metering/index.ts';
import { chargesOn } from './charges.ts';
import { type BilledUsage, changeInvoice, type InvoiceRow, moveInvoice, saveBilledUsage } from './invoices.sql.ts';
import { openNextInvoice } from './open.ts';
import type { BilledPrice, BillingSource, BillingTerms } from './source.ts';

/** Transition 2: the period is over; the next one opens in the same transaction, unless the subscription ended. */
export async function closePeriod(
  tx: Tx,
  source: BillingSource,
  invoice: InvoiceRow,
  trigger: 'endPeriod' | 'terminate' | 'closeNow',
  now: Instant,
): Promise<InvoiceRow> {
  const terms = await termsOf(tx, source, invoice);
  const closing = await moveInvoice(tx, invoice, trigger, { next_action_at: invoice.grace_period_end }, now);
  await openNextInvoice(tx, terms, invoice, now);
  return closing;
}

/**
 * Transition 3: the grace is over, and the quantities are read and stored. No event can slip in between: intake holds the
 * merchant's ingest lock shared, and this takes it exclusively, so what is accepted later is late usage.
 */
export async function closeUsage(
  tx: Tx,
  source: BillingSource,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  await lockIngest(tx, invoice.merchant_id, 'exclusive');
  const terms = await termsOf(tx, source, invoice);
  await saveBilledUsage(tx, invoice, await readUsage(tx, source, terms, invoice, invoice.period_end));
  const mark = await usageMark(tx, invoice.merchant_id);
  return moveInvoice(tx, invoice, 'endGrace', { usage_mark: mark, next_action_at: now }, now);
}

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
  return rows.map((row) => ({
    price_id: price.id,
    group_values: row.group,
    quantity: row.value,
    event_count: row.eventCount,
  }));
}

/** The terms of an invoice's subscription. @throws for an invoice that has none: only invoices of periods come here. */
export async function termsOf(tx: Tx, source: BillingSource, invoice: InvoiceRow): Promise<BillingTerms> {
  if (invoice.subscription_id === null) throw new Error(`Invoice ${invoice.id} is of no subscription.`);
  return source.terms(tx, invoice.merchant_id, invoice.subscription_id);
}

/** Moves the end of a period whose usage is not read yet, and with it its grace and its due time. */
export const cutPeriod = (
  tx: Tx,
  invoice: InvoiceRow,
  end: Instant,
  gracePeriodEnd: Instant,
  now: Instant,
): Promise<InvoiceRow> =>
  changeInvoice(
    tx,
    invoice,
    {
      period_end: end,
      grace_period_end: gracePeriodEnd,
      next_action_at: invoice.status === 'CLOSING' ? gracePeriodEnd : end,
    },
    now,
  );
