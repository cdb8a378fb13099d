import type { Tx } from '../db/index.ts';
import { isBefore } from '../kernel/time.ts';
import type { BillingOfEvent, CountedEvent, EventBilling } from '../metering/index.ts';
import { chargesOn } from './charges.ts';
import { invoicesHolding, usageLine } from './event-billing.sql.ts';
import type { InvoiceRow } from './invoices.sql.ts';
import type { BilledPrice, BillingSource } from './source.ts';

/**
 * Where an event is billed: by each price of a metric that counts it, on the invoice of the period that holds its time. It
 * asks what closing a period asks (whose usage it is, which filters the price has), so both tell the same.
 */
export async function findBilling(source: BillingSource, tx: Tx, event: CountedEvent): Promise<BillingOfEvent> {
  const invoices = await invoicesHolding(tx, event.merchantId, event.addressee, event.at);
  const billing: EventBilling[] = [];
  for (const invoice of invoices) billing.push(...(await onInvoice(source, tx, event, invoice)));
  return { billing, reason: reasonOf(invoices.length, billing) };
}

async function onInvoice(
  source: BillingSource,
  tx: Tx,
  event: CountedEvent,
  invoice: InvoiceRow,
): Promise<EventBilling[]> {
  const terms = await source.terms(tx, invoice.merchant_id, invoice.subscription_id as string);
  const period = { start: invoice.period_start, end: invoice.period_end };
  const found: EventBilling[] = [];
  for (const { price } of chargesOn(terms, invoice)) {
    const metricId = price.metric?.id;
    const count = event.counts.find(({ id }) => id === metricId);
    if (metricId === undefined || count === undefined) continue;
    const sources = await source.usageSources(tx, terms, metricId, period);
    const isItsOwn = sources.some(
      ({ subject, from, to }) => subject === event.addressee && !isBefore(event.at, from) && isBefore(event.at, to),
    );
    const reason = reasonAgainst(event, invoice, isItsOwn && passes(price, count.group), isItsOwn);
    const lineItemId = reason === null ? await usageLine(tx, invoice, price.id, count.group) : undefined;
    found.push({
      billableMetricId: metricId,
      priceId: price.id,
      subscriptionId: terms.subscriptionId,
      invoiceId: invoice.id,
      invoiceStatus: invoice.status,
      lineItemId: lineItemId ?? null,
      reason,
    });
  }
  return found;
}

/** Only usage with one of these values counts, in every dimension that is named; a missing value is none of them. */
const passes = (price: BilledPrice, group: Readonly<Record<string, string | null>>): boolean =>
  Object.entries(price.groupFilters ?? {}).every(([dimension, values]) => {
    const value = group[dimension] ?? null;
    return value !== null && values.includes(value);
  });

/** A period whose usage has been read says up to which event. */
function reasonAgainst(
  event: CountedEvent,
  invoice: InvoiceRow,
  passesFilters: boolean,
  isItsOwn: boolean,
): EventBilling['reason'] {
  if (!isItsOwn) return 'OLDER_SUBSCRIPTION';
  if (!passesFilters) return 'GROUP_FILTERED';
  return invoice.usage_mark !== null && event.seq > invoice.usage_mark ? 'PERIOD_CLOSED' : null;
}

/** Null where it is billed somewhere; else the last hindrance that something of it met. */
function reasonOf(invoiceCount: number, billing: readonly EventBilling[]): EventBilling['reason'] {
  const reasons = billing.map(({ reason }) => reason);
  if (reasons.includes(null)) return null;
  const last = (['PERIOD_CLOSED', 'GROUP_FILTERED', 'OLDER_SUBSCRIPTION'] as const).find((reason) =>
    reasons.includes(reason),
  );
  return last ?? (invoiceCount === 0 ? 'NO_PERIOD' : 'NOT_PRICED');
}
