import type { Tx } from '../../db/index.ts';
import { type Instant, isBefore, type Period } from '../../kernel/time.ts';
import {
  type BillingOfEvent,
  type CountedEvent,
  type EventBilling,
  isLevel,
  type Meter,
} from '../../metering/index.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { selectInvoice } from '../invoice/invoices.sql.ts';
import { asBilled, usageChargesOn } from '../owed/charges.ts';
import type { BilledPrice, BillingSource } from '../terms/billing-terms.ts';
import { listPriceId } from '../terms/list-price.ts';
import { selectFirstInvoicesAfter, selectInvoicesHolding, selectUsageLine } from './event-billing.sql.ts';
import { isSuperseded } from './read-usage.ts';

/**
 * The bill of an event: each price of a metric that counts it, on the invoice of the period at its time; a level from
 * before billing is on the first invoice after it. It asks the same questions as the close of a period (the owner of
 * the usage, the filters of the price), so both agree.
 */
export async function findBilling(source: BillingSource, tx: Tx, event: CountedEvent): Promise<BillingOfEvent> {
  const holding = await selectInvoicesHolding(tx, event.addressee, event.at);
  const after = await selectFirstInvoicesAfter(tx, event.addressee, event.at);
  const billing: EventBilling[] = [];
  for (const invoice of holding) billing.push(...(await onInvoice(source, tx, event, invoice, () => true)));
  for (const invoice of after) billing.push(...(await onInvoice(source, tx, event, invoice, isLevel)));
  const reasons = event.counts.map(({ id }) => {
    const ofOne = billing.filter(({ billableMetricId }) => billableMetricId === id);
    return [id, reasonOf(holding.length, ofOne)] as const;
  });
  return { billing, reason: reasonOf(holding.length, billing), reasons: new Map(reasons) };
}

async function onInvoice(
  source: BillingSource,
  tx: Tx,
  event: CountedEvent,
  invoice: InvoiceRow,
  canCount: (meter: Meter) => boolean,
): Promise<EventBilling[]> {
  const terms = await source.terms(tx, invoice.subscriptionId as string);
  const { groupedIntoId } = invoice;
  const document = (groupedIntoId === null ? undefined : await selectInvoice(tx, groupedIntoId)) ?? invoice;
  const period = { start: invoice.periodStart, end: invoice.periodEnd };
  const sourcesOf = await source.usageSources(tx, [terms]);
  const found: EventBilling[] = [];
  for (const { price, spans } of usageChargesOn(asBilled(terms, invoice), invoice)) {
    const { metric } = price;
    const count = event.counts.find(({ id }) => id === metric?.id);
    if (metric === null || count === undefined || !canCount(metric.meter)) continue;
    if (!isLevel(metric.meter) && !holds(spans, event.at)) continue; // it has the price of its time, if there is one
    const sources = sourcesOf(terms, metric.id, period).filter(
      ({ subject, from, to }) =>
        subject === event.addressee && (isLevel(metric.meter) || !isBefore(event.at, from)) && isBefore(event.at, to),
    );
    const reason =
      reasonAgainst(event, { ...invoice, status: document.status }, price, count.group, sources.length > 0) ??
      ((await isSuperseded(tx, source, terms, { price, period, event, group: count.group })) ? 'SUPERSEDED' : null);
    const lineItemId = reason === null ? await selectUsageLine(tx, invoice, price.id, count.group) : undefined;
    found.push({
      billableMetricId: metric.id,
      priceId: listPriceId(price.id),
      priceName: price.invoiceDisplayName,
      planId: terms.planId,
      subscriptionId: terms.subscriptionId,
      invoiceId: document.id,
      invoiceStatus: document.status,
      lineItemId: lineItemId ?? null,
      reason,
    });
  }
  return found;
}

const holds = (spans: readonly Period[], at: Instant): boolean =>
  spans.some(({ start, end }) => !isBefore(at, start) && isBefore(at, end));

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
  price: BilledPrice,
  group: Readonly<Record<string, string | null>>,
  isItsOwn: boolean,
): EventBilling['reason'] {
  if (!isItsOwn) return 'OLDER_SUBSCRIPTION';
  if (!passes(price, group)) return 'GROUP_FILTERED';
  if (invoice.usageMark === null) return null;
  if (event.seq > invoice.usageMark) return 'PERIOD_CLOSED';
  return invoice.status === 'CANCELLED' && invoice.rebilledFrom === null ? 'INVOICE_CANCELLED' : null;
}

const LAST_FIRST = [
  'SUPERSEDED',
  'INVOICE_CANCELLED',
  'PERIOD_CLOSED',
  'GROUP_FILTERED',
  'OLDER_SUBSCRIPTION',
] as const;

/** Null where it is billed somewhere; else the last hindrance that something of it met. */
function reasonOf(invoiceCount: number, billing: readonly EventBilling[]): EventBilling['reason'] {
  const reasons = billing.map(({ reason }) => reason);
  if (reasons.includes(null)) return null;
  const last = LAST_FIRST.find((reason) => reasons.includes(reason));
  return last ?? (invoiceCount === 0 ? 'NO_PERIOD' : 'NOT_PRICED');
}
