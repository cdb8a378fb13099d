import { Decimal, decimal, ONE, plain, ZERO } from '../kernel/decimal.ts';
import type { TaxBehavior } from '../tax/index.ts';
import type { BilledCharge } from './charges.ts';
import type { BilledUsage, LineRow, TaxRecord, TierRecord } from './invoices.sql.ts';
import { type Rated, type RatedLine, ratePrice } from './rating/index.ts';
import type { BilledPrice } from './source.ts';
import { invoiceTotals } from './totals.ts';

/** Everything that an invoice is calculated from; the same input gives the same invoice. */
export interface CalculationInput {
  readonly currency: string;
  readonly charges: readonly BilledCharge[];
  readonly usage: readonly BilledUsage[];
  readonly taxBehavior: TaxBehavior;
  /** Percent, by price id. */
  readonly taxRates: ReadonlyMap<string, Decimal>;
}

/** A line as it is stored, but for the ids that saving gives it. */
export type CalculatedLine = Omit<LineRow, 'merchant_id' | 'invoice_id' | 'id' | 'position' | 'applies_to_line_id'>;

export interface Calculation {
  readonly lines: readonly CalculatedLine[];
  readonly subtotal: Decimal;
  readonly totalTax: Decimal;
  readonly grandTotal: Decimal;
  readonly taxes: readonly TaxRecord[];
}

/**
 * Rates, limits, taxes and totals an invoice of charges (domain.md §2, §4). Pure: the preview of an open period, the
 * calculation of a closed one and the recomputation by an auditor are this one function.
 */
export function calculate(input: CalculationInput): Calculation {
  const rated = input.charges.flatMap((charge) => ratedLines(input, charge).map((line) => ({ charge, line })));
  const totals = invoiceTotals(
    rated.map(({ charge, line }) => ({
      amount: line.totalPrice,
      taxRate: rateOf(input, charge.price),
      ...(line.kind === 'charge' && line.totalPrice.lt(0) && { givesWay: 'rebate' as const }),
    })),
    input.taxBehavior,
    input.currency,
  );
  return {
    lines: rated.map(({ charge, line }, index) => {
      const { net, tax, gross } = totals.lines[index] as (typeof totals.lines)[number];
      return storedLine(input, charge, line, { net, tax, gross });
    }),
    subtotal: totals.subtotal,
    totalTax: totals.totalTax,
    grandTotal: totals.grandTotal,
    taxes: totals.taxes.map(({ rate, base, amount }) => ({
      rate: plain(rate),
      base: plain(base),
      amount: plain(amount),
    })),
  };
}

const rateOf = ({ taxRates }: CalculationInput, price: BilledPrice): Decimal => taxRates.get(price.id) ?? ZERO;

function ratedLines(input: CalculationInput, { price, fraction }: BilledCharge): readonly RatedLine[] {
  return ratePrice({
    pricing: price.pricing,
    currency: input.currency,
    rated: ratedThing(input, price),
    fraction,
    minimumAmount: price.minimumAmount,
    maximumAmount: price.maximumAmount,
  }).lines;
}

/** A fee counts its price's quantity; a metric what was measured, already filtered by the price's groups. */
function ratedThing({ usage }: CalculationInput, price: BilledPrice): Rated {
  if (price.metric === null) return { kind: 'fee', quantity: price.quantity };
  const groups = usage
    .filter((row) => row.price_id === price.id)
    .map((row) => ({ group: row.group_values, quantity: row.quantity, eventCount: BigInt(row.event_count) }));
  return { kind: 'usage', aggregation: price.metric.meter.aggregation, groups };
}

function storedLine(
  input: CalculationInput,
  { price, period }: BilledCharge,
  line: RatedLine,
  amounts: { net: Decimal; tax: Decimal; gross: Decimal },
): CalculatedLine {
  const { metric, fee } = price;
  return {
    event_type: line.eventType,
    line_item_type: line.lineItemType,
    type: line.kind,
    price_id: price.id,
    billable_metric_id: metric?.id ?? null,
    fee_id: fee?.id ?? null,
    item_id: metric?.itemId ?? fee?.itemId ?? null,
    display_name: displayName(price, line),
    metric_name: metric?.name ?? fee?.name ?? '',
    metric_unit: metric?.unit ?? '',
    metric_description: metric?.description ?? fee?.description ?? '',
    quantity: line.kind === 'charge' ? line.quantity : ONE,
    unit_price: line.kind === 'charge' ? line.unitPrice : line.totalPrice,
    total_price: amounts.net,
    discount_price: line.eventType === 'discount' ? Decimal.max(ZERO, amounts.net.negated()) : ZERO,
    tax_rate: rateOf(input, price),
    total_tax: amounts.tax,
    total_amount: amounts.gross,
    period_start: period.start,
    period_end: period.end,
    group_values: line.group === null ? null : { ...line.group },
    tiers: line.tiers === null ? null : line.tiers.map(tierRecord),
  };
}

const displayName = (price: BilledPrice, line: RatedLine): string => {
  if (line.kind === 'minimum') return `${price.invoiceDisplayName}: minimum`;
  if (line.kind === 'maximum') return `${price.invoiceDisplayName}: maximum`;
  return price.invoiceDisplayName;
};

const tierRecord = (tier: NonNullable<RatedLine['tiers']>[number]): TierRecord => ({
  above: plain(tier.above),
  upTo: tier.upTo === null ? null : plain(tier.upTo),
  quantity: plain(tier.quantity),
  unitPrice: plain(tier.unitPrice),
  flatPrice: plain(tier.flatPrice),
  amount: plain(tier.amount),
});

/** The rates of frozen terms as decimals. */
export const taxRatesOf = (rates: Readonly<Record<string, string>>): Map<string, Decimal> =>
  new Map(Object.entries(rates).map(([priceId, rate]) => [priceId, decimal(rate)]));
