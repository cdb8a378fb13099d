import { Decimal, decimal, ONE, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { roundTogether } from '../../kernel/money.ts';
import type { TaxBehavior } from '../../tax/index.ts';
import { differenceOf, together } from '../difference/period-difference.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { FrozenAdjustment, LateRest } from '../invoice/frozen-terms.ts';
import type { TaxRecord } from '../invoice/invoice.ts';
import type { LineRow, TierRecord } from '../invoice/invoice-line.ts';
import type { BilledCharge, SoFar } from '../owed/charges.ts';
import { type DiscountLine, discountLines } from '../owed/discounts.ts';
import {
  type PriceInPeriod,
  type Rated,
  type RatedLine,
  type RatedPrice,
  ratePrice,
  shortened,
  shortText,
} from '../rating/index.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import { invoiceTotals, type TotalLine, type TotalledLine } from './totals.ts';

/** Everything that an invoice is calculated from; the same input gives the same invoice. */
export interface CalculationInput {
  readonly currency: string;
  readonly charges: readonly BilledCharge[];
  /** What else stands on it, after the charges. */
  readonly others?: readonly OtherLine[];
  readonly usage: readonly BilledUsage[];
  /** What the parts before used of a period that `closeNow` cut; of prices that go on (`BilledCharge.soFar`). */
  readonly earlier?: EarlierUsage;
  readonly taxBehavior: TaxBehavior;
  /** Percent, by price id. */
  readonly taxRates: ReadonlyMap<string, Decimal>;
  /** In the order in which they apply. */
  readonly adjustments?: readonly FrozenAdjustment[];
  /** What came late for periods that were closed before. */
  readonly late?: readonly LateCharge[];
  /** What earlier invoices could not give back of it, because no total is below 0. */
  readonly carried?: readonly CarriedCharge[];
}

/** The usage that parts of a period before this one's billed. */
export interface EarlierUsage {
  /** The invoice of this part. */
  readonly invoiceId: string;
  readonly used: readonly BilledUsage[];
}

/** A price in a period that was closed before: the usage that was billed of it, and what there is now. */
export interface LateCharge {
  /** The invoice of that period. */
  readonly ofInvoiceId: string;
  readonly charge: BilledCharge;
  readonly billed: readonly BilledUsage[];
  readonly now: readonly BilledUsage[];
  /** Of a period that `closeNow` cut, what its other parts used; `charge.fraction` is then that of all of them. */
  readonly others?: readonly BilledUsage[];
}

/** What is still to be given back of late usage of a price; discounts have been taken off it. */
export interface CarriedCharge {
  readonly ofInvoiceId: string;
  readonly charge: BilledCharge;
  /** Below 0, rounded to the currency. */
  readonly amount: Decimal;
  /** It is no late usage, but was left by the rest of a period that `closeNow` cut. */
  readonly isOfPart?: boolean;
}

/** A line as it is stored, but for the ids that saving gives it. */
export type CalculatedLine = Omit<LineRow, 'merchant_id' | 'invoice_id' | 'id' | 'position' | 'applies_to_line_id'>;

/** A line that no price makes, before its amounts are settled. */
export interface OtherLine {
  /** Where the line has an id of its own. */
  readonly id?: string;
  readonly says: Omit<CalculatedLine, 'total_price' | 'tax_rate' | 'total_tax' | 'total_amount'>;
  /** Rounded to the currency. */
  readonly amount: Decimal;
  /** Percent; null where it is no supply and bears no tax. */
  readonly taxRate: Decimal | null;
  /** In which turn it is cut where the total would be below 0. */
  readonly givesWay?: 'credit';
}

export interface Calculation {
  readonly lines: readonly CalculatedLine[];
  readonly subtotal: Decimal;
  readonly totalTax: Decimal;
  readonly grandTotal: Decimal;
  readonly taxes: readonly TaxRecord[];
  /** For each line the place of the line that it takes something off, else null; absent where no line does. */
  readonly appliesTo?: readonly (number | null)[];
  /** For each line its own id, where it had one before; absent where none had. */
  readonly ids?: readonly (string | null)[];
  /** What was cut of late usage so that the total is not below 0: the next invoice bears it. Absent where nothing was. */
  readonly lateRests?: readonly LateRest[];
}

/** A line before totals: its amount may still be cut, and has no tax yet. */
interface DraftLine extends TotalledLine {
  /** The line that it takes something off. */
  readonly appliesTo: DraftLine | null;
  /** Of late usage whose rest is not lost where it is cut. */
  readonly late?: Pick<LateRest, 'ofInvoiceId' | 'priceId'>;
  readonly id?: string | undefined;
  readonly stored: (total: TotalLine) => CalculatedLine;
}

/**
 * Rates, limits, taxes and totals an invoice of charges (domain.md §2, §4). Pure: the preview of an open period, the
 * calculation of a closed one and the recomputation by an auditor are this one function.
 */
export function calculate(input: CalculationInput): Calculation {
  const drafts = [
    ...input.charges.flatMap((charge) => draftsOf(input, charge)),
    ...(input.late ?? []).flatMap((late) => lateDrafts(input, late)),
    ...(input.carried ?? []).map((carried) => carriedDraft(input, carried)),
    ...(input.others ?? []).map(otherDraft),
  ];
  const totals = invoiceTotals(drafts, input.taxBehavior, input.currency);
  const lateRests = drafts.flatMap(({ late }, index): LateRest[] => {
    const { cut } = totals.lines[index] as TotalLine;
    return late === undefined || cut.isZero() ? [] : [{ ...late, amount: plain(cut) }];
  });
  return {
    ...(lateRests.length > 0 && { lateRests }),
    lines: drafts.map((draft, index) => draft.stored(totals.lines[index] as TotalLine)),
    appliesTo: drafts.map(({ appliesTo }) => (appliesTo === null ? null : drafts.indexOf(appliesTo))),
    ids: drafts.map(({ id }) => id ?? null),
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
  ...(line.givesWay && { givesWay: line.givesWay }),
  appliesTo: null,
  id: line.id,
  stored: (total) => otherLine(line, total),
});

const rateOf = ({ taxRates }: CalculationInput, price: BilledPrice): Decimal => taxRates.get(price.id) ?? ZERO;

/** The lines of one charge, and after them what discounts take off. */
function draftsOf(input: CalculationInput, charge: BilledCharge): DraftLine[] {
  if (charge.soFar && input.earlier) return partDrafts(input, charge, charge.soFar, input.earlier);
  const { lines } = rated(input, charge, input.usage, discounting(input));
  return asDrafts(input, charge, lines);
}

const discounting =
  (input: CalculationInput): NonNullable<PriceInPeriod['discounts']> =>
  (charges) =>
    discountsOn(input, charges.map(withoutRebate));

/**
 * What the rest of a period that `closeNow` cut adds to what its parts before came to. What it gives back is not lost where the
 * invoice is too small for it, for it was paid with those.
 */
function partDrafts(
  input: CalculationInput,
  charge: BilledCharge,
  { fraction, before }: SoFar,
  { invoiceId, used }: EarlierUsage,
): DraftLine[] {
  const was = rated(input, { ...charge, fraction: before }, used, discounting(input));
  const is = rated(input, { ...charge, fraction }, together(used, input.usage), discounting(input));
  const lines = differenceOf(is, was);
  const drafts = asDrafts(input, charge, lines);
  if (hasRebate(is)) return drafts;
  const late = { ofInvoiceId: invoiceId, priceId: charge.price.id };
  return drafts.map((draft, index) =>
    givesBack(lines[index] as RatedLine) ? Object.assign(draft, { late, givesWay: 'credit' as const }) : draft,
  );
}

/** Discounts and maximums belong to charges, and give way with them. */
const givesBack = ({ kind, totalPrice }: RatedLine): boolean =>
  (kind === 'charge' || kind === 'minimum') && totalPrice.lt(0);

/** What a price of the rest of a period came to with the parts before it; null where it does not go on. */
export const ratedBefore = (currency: string, charge: BilledCharge, used: readonly BilledUsage[]): RatedPrice | null =>
  charge.soFar ? rated({ currency }, { ...charge, fraction: charge.soFar.before }, used) : null;

const hasRebate = ({ lines }: RatedPrice): boolean =>
  lines.some(({ kind, exactPrice }) => kind === 'charge' && exactPrice.lt(0));

/**
 * What came late: the price of the usage there is now less the price of what was billed, with its limits, and then the
 * discounts of the invoice that bills it (domain.md §4).
 */
function lateDrafts(
  input: CalculationInput,
  { ofInvoiceId, charge, billed, now, others = [] }: LateCharge,
): DraftLine[] {
  const [before, after] = [billed, now].map((usage) => rated(input, charge, together(others, usage)));
  const [was, is] = [before, after] as [RatedPrice, RatedPrice];
  const totalPrice = is.total.minus(was.total);
  const quantity = unitsOf(is).minus(unitsOf(was));
  const line: RatedLine = {
    ...(is.lines[0] as RatedLine),
    kind: 'charge',
    eventType: 'usage',
    quantity,
    unitPrice: quantity.isZero() ? totalPrice : totalPrice.div(quantity).toDecimalPlaces(AVERAGE_PRICE_DIGITS),
    totalPrice,
    exactPrice: totalPrice,
    tiers: null,
    group: null,
    workings: { soFar: { total: plain(is.total), before: plain(was.total) } },
  };
  if (quantity.isZero() && totalPrice.isZero()) return [];
  const isRebate = hasRebate(is);
  const lines = [line, ...(isRebate ? [] : discountsOn(input, [line]))];
  const late = { ofInvoiceId, priceId: charge.price.id };
  return asDrafts(input, charge, lines, 'late_usage').map((draft) =>
    draft.appliesTo === null && !isRebate ? Object.assign(draft, { late }) : draft,
  );
}

/** A line for what is still to be given back: an amount, no units. */
function carriedDraft(input: CalculationInput, { ofInvoiceId, charge, amount, isOfPart }: CarriedCharge): DraftLine {
  const line: RatedLine = {
    ...{ kind: 'charge', eventType: 'usage', lineItemType: 'charge', tiers: null, group: null },
    ...{ quantity: ONE, includedUnits: ZERO, unitPrice: amount, totalPrice: amount, exactPrice: amount },
  };
  return {
    amount,
    taxRate: rateOf(input, charge.price),
    givesWay: 'credit',
    appliesTo: null,
    late: { ofInvoiceId, priceId: charge.price.id },
    stored: (total) => ({
      ...storedLine(input, charge, line, total),
      type: 'late_usage',
      display_name: `${charge.price.invoiceDisplayName}: ${isOfPart ? '' : 'late usage, '}carried over`,
      metric_unit: '',
    }),
  };
}

/** How many digits a unit price has that is an average. */
const AVERAGE_PRICE_DIGITS = 9;

const unitsOf = ({ lines }: RatedPrice): Decimal =>
  sum(lines.filter(({ kind }) => kind === 'charge').map(({ quantity }) => quantity));

function asDrafts(
  input: CalculationInput,
  charge: BilledCharge,
  lines: readonly RatedLine[],
  type?: 'late_usage',
): DraftLine[] {
  const drafts: DraftLine[] = [];
  for (const line of lines) {
    const isOfLate = type !== undefined && line.kind === 'charge';
    const wayGiven = isOfLate ? ('credit' as const) : ('rebate' as const);
    drafts.push({
      amount: line.totalPrice,
      taxRate: rateOf(input, charge.price),
      ...(line.kind === 'charge' && line.totalPrice.lt(0) && { givesWay: wayGiven }),
      appliesTo: isDiscount(line) ? (drafts[line.chargeAt] as DraftLine) : null, // the charges come first
      stored: (total) => ({
        ...storedLine(input, charge, line, total),
        ...(isOfLate && { type, display_name: `${charge.price.invoiceDisplayName}: late usage` }),
      }),
    });
  }
  return drafts;
}

const isDiscount = (line: RatedLine | DiscountLine): line is DiscountLine => line.kind === 'adjustment';

const discountsOn = (input: CalculationInput, charges: readonly RatedLine[]): readonly DiscountLine[] =>
  discountLines(charges, input.adjustments ?? [], input.currency);

const rated = (
  { currency }: Pick<CalculationInput, 'currency'>,
  { price, fraction }: BilledCharge,
  usage: readonly BilledUsage[],
  discounts?: NonNullable<PriceInPeriod['discounts']>,
): RatedPrice =>
  ratePrice({
    pricing: price.pricing,
    currency,
    rated: ratedThing(usage, price),
    fraction,
    minimumAmount: price.minimumAmount,
    maximumAmount: price.maximumAmount,
    ...(discounts && { discounts }),
  });

/** A rebate is no charge: nothing is taken off it, which would make the customer pay more. */
const withoutRebate = (line: RatedLine): RatedLine => (line.totalPrice.lt(0) ? { ...line, totalPrice: ZERO } : line);

/** A fee counts its price's quantity; a metric what was measured, already filtered by the price's groups. */
function ratedThing(usage: readonly BilledUsage[], price: BilledPrice): Rated {
  if (price.metric === null) return { kind: 'fee', quantity: price.quantity };
  const rows = usage.filter((row) => row.price_id === price.id);
  return {
    kind: 'usage',
    aggregation: price.metric.meter.aggregation,
    groups: rows.map((row) => ({
      group: row.group_values,
      quantity: row.quantity,
      eventCount: BigInt(row.event_count),
    })),
    grants: sum(rows.map(({ granted }) => granted)),
  };
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
    metric_unit: hasUnits ? (metric?.unit ?? '') : '',
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
    tiers: line.tiers === null ? null : tierRecords(line.tiers, input.currency),
    workings: line.workings ?? null,
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

/**
 * What each tier came to, with no more digits than it needs: an amount stands as it is; where one does not end (a part
 * of a period), all are rounded to the currency, so that they sum to their line.
 */
function tierRecords(tiers: NonNullable<RatedLine['tiers']>, currency: string): TierRecord[] {
  const exact = tiers.map(({ amount }) => amount);
  const isShort = exact.every((amount) => shortened(amount).eq(amount));
  const amounts = isShort ? exact : roundTogether(exact, currency, 'half-away-from-zero');
  return tiers.map((tier, index) => ({
    above: plain(tier.above),
    upTo: tier.upTo === null ? null : plain(tier.upTo),
    quantity: shortText(tier.quantity),
    unitPrice: plain(tier.unitPrice),
    flatPrice: shortText(tier.flatPrice),
    amount: plain(amounts[index] as Decimal),
  }));
}

/** The rates of frozen terms as decimals. */
export const taxRatesOf = (rates: Readonly<Record<string, string>>): Map<string, Decimal> =>
  new Map(Object.entries(rates).map(([priceId, rate]) => [priceId, decimal(rate)]));
