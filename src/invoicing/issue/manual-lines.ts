import type { Decimal } from '../../kernel/decimal.ts';
import { plain, ZERO } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import { isAfter } from '../../kernel/time.ts';
import type { OtherLine } from '../calculation/calculate.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import type { ManualLineRow, Waiting } from './manual-line.ts';

/**
 * Which lines that name no invoice this one takes: on the plan's own series those whose `invoiceAt` is not after the period's
 * end, and all of them where the subscription ends with it, because no later one comes.
 */
export function waitingFor(
  { planCadence, bounds: { endsAt } }: Pick<BillingTerms, 'planCadence' | 'bounds'>,
  { billing_cadence: cadence, period_end: until }: Pick<InvoiceRow, 'billing_cadence' | 'period_end'>,
): Waiting {
  if (cadence !== planCadence) return 'none';
  return endsAt !== null && !isAfter(endsAt, until) ? 'all' : { until };
}

/** What a line comes to before tax: rounded once to the currency. */
export const amountOf = ({ quantity, unit_price: unitPrice, currency }: ManualLineRow): Decimal =>
  roundTo(quantity.times(unitPrice), currency, 'half-away-from-zero');

/**
 * A line written by hand, as calculations take it: no discount touches it (domain.md §3, Adjustments). A negative one gives
 * way where the total would be below 0, and what could not be taken off is carried over.
 */
export const manualLine = (line: ManualLineRow, taxRate: Decimal): OtherLine => ({
  id: line.id,
  amount: amountOf(line),
  taxRate: line.tax_rate ?? taxRate,
  ...(amountOf(line).lt(0) && { givesWay: 'credit' }),
  says: {
    event_type: 'fee',
    line_item_type: 'charge',
    type: 'manual',
    price_id: null,
    billable_metric_id: null,
    fee_id: null,
    item_id: line.item_id,
    display_name: line.display_name,
    metric_name: '',
    metric_unit: '',
    metric_description: line.description ?? '',
    quantity: line.quantity,
    unit_price: line.unit_price,
    discount_price: ZERO,
    period_start: line.period_start,
    period_end: line.period_end,
    group_values: null,
    tiers: null,
    source_key: null,
    workings: amountOf(line).lt(0) ? { byHand: { amount: plain(amountOf(line)) } } : null,
  },
});
