import { Decimal, decimal, ONE, plain, ZERO } from '../kernel/decimal.ts';
import type { TaxBehavior } from '../tax/index.ts';
import { type DiscountLine, discountLines } from './adjustments.ts';
import type { BilledCharge } from './charges.ts';
import type { BilledUsage, FrozenAdjustment, LineRow, TaxRecord, TierRecord } from './invoices.sql.ts';
import { type Rated, type RatedLine, ratePrice } from './rating/index.ts';
import type { BilledPrice } from './source.ts';
import { invoiceTotals, type TotalLine, type TotalledLine } from './totals.ts';

/** Everything that an invoice is calculated from; the same input gives the same invoice. */
export interface CalculationInput {
  readonly currency: string;
  readonly charges: readonly BilledCharge[];
  /** What else stands on it, after the charges. */
  readonly others?: readonly OtherLine[];
  readonly usage: readonly BilledUsage[];
  readonly taxBehavior: TaxBehavior;
  /** Percent, by price id. */
  readonly taxRates: ReadonlyMap<string, Decimal>;
  /** In the order in which they apply. */
  readonly adjustments?: readonly FrozenAdjustment[];
}

/** A line as it is stored, but for the ids that saving gives it. */
export type CalculatedLine = Omit<LineRow, 'merchant_id' | 'invoice_id' | 'id' | 'position' | 'applies_to_line_id'>;

/** A line that no price makes, before its amounts are settled. */
export interface OtherLine {
  readonly says: Omit<CalculatedLine, 'total_price' | 'tax_rate' | 'total_tax' | 'total_amount'>;
  /** Rounded to the currency. */
  readonly amount: Decimal;
  /** Percent; null where it is no supply and bears no tax. */
  readonly taxRate: Decimal | null;
}

export interface Calculation {
  readonly lines: readonly CalculatedLine[];
  readonly subtotal: Decimal;
  readonly totalTax: Decimal;
  readonly grandTotal: Decimal;
  readonly taxes: readonly TaxRecord[];
  /** For each line the place of the line that it takes something off, else null; absent where no line does. */
  readonly appliesTo?: readonly (number | null)[];
}

/** A line before totals: its amount may still be cut, and has no tax yet. */
interface DraftLine extends TotalledLine {
  /** The line that it takes something off. */
  readonly appliesTo: DraftLine | null;
  readonly stored: (total: TotalLine) => CalculatedLine;
}

/**
 * Rates, limits, taxes and totals an invoice of charges (domain.md §2, §4). Pure: the preview of an open period, the
 * calculation of a closed one and the recomputation by an auditor are this one function.
 */
export function calculate(input: CalculationInput): Calculation {
  const drafts = [
    ...input.charges.flatMap((charge) => draftsOf(input, charge)),
    ...(input.others ?? []).map(otherDraft),
  ];
  const totals = invoiceTotals(drafts, input.taxBehavior, input.currency);
  return {
    lines: drafts.map((draft, index) => draft.stored(totals.lines[index] as TotalLine)),
    appliesTo: drafts.map(({ appliesTo }) => (appliesTo === null ? null : drafts.indexOf(appliesTo))),
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

const otherDraft = (line: OtherLine): DraftLine => ({
  amount: line.amount,
  taxRate: line.taxRate,
  appliesTo: null,
  stored: (total) => otherLine(line, total),
});

const rateOf = ({ taxRates }: CalculationInput, price: BilledPrice): Decimal => taxRates.get(price.id) ?? ZERO;

/** The lines of one charge; what discounts and grants take off stands beside the line that it is taken off. */
function draftsOf(input: CalculationInput, charge: BilledCharge): DraftLine[] {
  const drafts: DraftLine[] = [];
  for (const line of ratedLines(input, charge)) {
    drafts.push({
      amount: line.totalPrice,
      taxRate: rateOf(input, charge.price),
      ...(line.kind === 'charge' && line.totalPrice.lt(0) && { givesWay: 'rebate' as const }),
      appliesTo: isDiscount(line) ? (drafts[line.discounts] as DraftLine) : null, // the charges come first
      stored: (total) => storedLine(input, charge, line, total),
    });
  }
  return drafts;
}

const isDiscount = (line: RatedLine | DiscountLine): line is DiscountLine => line.kind === 'adjustment';

function ratedLines(input: CalculationInput, { price, fraction }: BilledCharge): readonly RatedLine[] {
  return ratePrice({
    pricing: price.pricing,
    currency: input.currency,
    rated: ratedThing(input, price),
    fraction,
    minimumAmount: price.minimumAmount,
    maximumAmount: price.maximumAmount,
    discounts: (charges) => discountLines(charges.map(withoutRebate), input.adjustments ?? [], input.currency),
  }).lines;
}

/** A rebate is no charge: nothing is taken off it, which would make the customer pay more. */
const withoutRebate = (line: RatedLine): RatedLine => (line.totalPrice.lt(0) ? { ...line, totalPrice: ZERO } : line);

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
  { net, tax, gross }: TotalLine,
): CalculatedLine {
  const { metric, fee } = price;
  const hasUnits = line.kind === 'charge' || line.kind === 'grants';
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
    quantity: hasUnits ? line.quantity : ONE,
    unit_price: hasUnits ? line.unitPrice : line.totalPrice,
    total_price: net,
    discount_price: line.eventType === 'discount' ? Decimal.max(ZERO, net.negated()) : ZERO,
    tax_rate: rateOf(input, price),
    total_tax: tax,
    total_amount: gross,
    period_start: period.start,
    period_end: period.end,
    group_values: line.group === null ? null : { ...line.group },
    tiers: line.tiers === null ? null : line.tiers.map(tierRecord),
  };
}

/** A line that no price makes, as it is stored. */
export const otherLine = (
  { says, taxRate }: OtherLine,
  { net, tax, gross }: Pick<TotalLine, 'net' | 'tax' | 'gross'>,
): CalculatedLine => ({
  ...says,
  total_price: net,
  tax_rate: taxRate ?? ZERO,
  total_tax: tax,
  total_amount: gross,
});

const displayName = (price: BilledPrice, line: RatedLine): string => {
  if (isDiscount(line)) return line.adjustment.description || `${price.invoiceDisplayName}: discount`;
  if (line.kind === 'grants') return `${price.invoiceDisplayName}: covered by grants`;
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
