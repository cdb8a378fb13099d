import type { Decimal } from '../../kernel/decimal.ts';
import { plain, ZERO } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import { isAfter } from '../../kernel/time.ts';
import type { OtherLine } from '../calculation/calculation.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import type { ManualLineRow, Waiting } from './manual-line.ts';

/**
 * The lines without an invoice that this one takes: on the plan's own series those with an `invoiceAt` until the
 * period's end. If the subscription ends with it, it takes all of them, because no later invoice follows.
 */
export function waitingFor(
  { planCadence, bounds: { endsAt } }: Pick<BillingTerms, 'planCadence' | 'bounds'>,
  { billingCadence: cadence, periodEnd: until }: Pick<InvoiceRow, 'billingCadence' | 'periodEnd'>,
): Waiting {
  if (cadence !== planCadence) return 'none';
  return endsAt !== null && !isAfter(endsAt, until) ? 'all' : { until };
}

/** The amount of a line before tax: rounded once to the currency. */
export const amountOf = ({ quantity, unitPrice, currency }: ManualLineRow): Decimal =>
  roundTo(quantity.times(unitPrice), currency, 'half-away-from-zero');

/**
 * A line written by hand, as calculations take it: no discount touches it (domain.md §3, Adjustments). A negative one
 * gives way where the total would be below 0, and what could not be taken off is carried over.
 */
export const manualLine = (line: ManualLineRow, taxRate: Decimal): OtherLine => ({
  id: line.id,
  amount: amountOf(line),
  taxRate: line.taxRate ?? taxRate,
  ...(amountOf(line).lt(0) && { cutTurn: 'credit' }),
  content: {
    eventType: 'fee',
    lineItemType: 'charge',
    type: 'manual',
    priceId: null,
    billableMetricId: null,
    feeId: null,
    itemId: line.itemId,
    displayName: line.displayName,
    metricName: '',
    metricUnit: '',
    metricDescription: line.description ?? '',
    quantity: line.quantity,
    unitPrice: line.unitPrice,
    discountPrice: ZERO,
    periodStart: line.periodStart,
    periodEnd: line.periodEnd,
    groupValues: null,
    tiers: null,
    sourceKey: null,
    workings: amountOf(line).lt(0) ? { byHand: { amount: plain(amountOf(line)) } } : null,
  },
});
