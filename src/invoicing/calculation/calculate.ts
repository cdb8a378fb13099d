import { Decimal, decimal, ONE, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { type Fraction, WHOLE } from '../../kernel/fraction.ts';
import { allocate, averagePrice, roundTo, roundTogether } from '../../kernel/money.ts';
import type { TaxBehavior } from '../../tax/index.ts';
import { type BilledSoFar, NOTHING_BILLED, totalBilled } from '../difference/billed.ts';
import type { DueCharge, DueCommitment, TakenBack } from '../difference/due.ts';
import { differenceOf } from '../difference/period-difference.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { FrozenAdjustment, FrozenOutsideTax, OutsideTaxAnswer } from '../invoice/frozen-terms.ts';
import type { TaxRecord } from '../invoice/invoice.ts';
import type { LineRow, TierRecord } from '../invoice/invoice-line.ts';
import type { OwedCharge } from '../owed/charges.ts';
import { rateCommitment } from '../owed/commitment.ts';
import { type DiscountLine, discountLines } from '../owed/discounts.ts';
import {
  isAdditive,
  limitLines,
  type Rated,
  type RatedLine,
  type RatedPrice,
  ratePrice,
  shortened,
  shortText,
} from '../rating/index.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import { type OutsideItem, type OutsideLine, outsideItems, outsideTaxes } from './outside-items.ts';
import { type InvoiceTotals, invoiceTotals, type TotalLine, type TotalledLine } from './totals.ts';

/** Everything that an invoice is calculated from; the same input gives the same invoice. */
export interface CalculationInput {
  readonly currency: string;
  readonly charges: readonly DueCharge[];
  /** The periods of the plan whose commitment is asked, or was asked before. */
  readonly commitments?: readonly DueCommitment[];
  /** The further lines of the invoice, after the charges. */
  readonly others?: readonly OtherLine[];
  /** The usage of the invoice's own period. */
  readonly usage: readonly BilledUsage[];
  readonly taxBehavior: TaxBehavior;
  /** Percent, by price id. */
  readonly taxRates: ReadonlyMap<string, Decimal>;
  /** In the order in which they apply. */
  readonly adjustments?: readonly FrozenAdjustment[];
  /** A provider outside our database taxes the lines; those rates do not count then. */
  readonly outside?: FrozenOutsideTax | undefined;
}

/** A line as it is stored, but for the ids that saving gives it. */
export type CalculatedLine = Omit<LineRow, 'merchantId' | 'invoiceId' | 'id' | 'position' | 'appliesToLineId'>;

/** A line that no price makes, before its amounts are computed. */
export interface OtherLine {
  /** The line's own id, if it has one. */
  readonly id?: string;
  readonly content: Omit<CalculatedLine, 'totalPrice' | 'taxRate' | 'totalTax' | 'totalAmount'>;
  /** Rounded to the currency. */
  readonly amount: Decimal;
  /** Percent; null if it is no supply and has no tax. */
  readonly taxRate: Decimal | null;
  /** In which turn it is cut where the total would be below 0. */
  readonly cutTurn?: 'credit';
  /** Its tax, if it differs from its rate's: a credit returns the billed tax. */
  readonly tax?: Decimal;
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
  /** For a provider's tax: the deductions with tax that was billed before; absent: none. */
  readonly outsideCredits?: NonNullable<OutsideTaxAnswer['credits']>;
}

/** A line before totals: its amount may still be cut, and has no tax yet. */
interface DraftLine extends TotalledLine {
  /** The line that it takes something off. */
  readonly appliesTo: DraftLine | null;
  readonly priceId: string | null;
  readonly type: string;
  /** The fate of a cut amount: it is credited to the invoices that billed it, or it is lost. */
  readonly cut?: 'credited' | 'lost';
  readonly id?: string | undefined;
  readonly stored: (total: TotalLine) => CalculatedLine;
}

/**
 * Rates, limits, taxes and totals an invoice of charges (domain.md §2, §4). Pure: the preview of an open period, the
 * calculation of a closed one and the recomputation by an auditor are this one function.
 */
export function calculate(input: CalculationInput): Calculation {
  const drafts = allDrafts(input);
  const { totals, credits } = totalsOf(drafts, input);
  return {
    lines: drafts.map((draft, index) => {
      const total = totals.lines[index] as TotalLine;
      return withCut(draft.stored(total), draft.cut, total);
    }),
    appliesTo: drafts.map(({ appliesTo }) => (appliesTo === null ? null : drafts.indexOf(appliesTo))),
    ids: drafts.map(({ id }) => id ?? null),
    subtotal: totals.subtotal,
    totalTax: totals.totalTax,
    grandTotal: totals.grandTotal,
    taxes: recordsOf(totals.taxes),
    ...(credits && { outsideCredits: credits }),
  };
}

/** The items of an invoice that a provider is asked to tax. */
export const outsideItemsOf = (input: CalculationInput & { readonly outside: FrozenOutsideTax }): OutsideItem[] =>
  outsideItems(allDrafts(input), input.outside, input.currency);

/** The taxes of an invoice as they are stored. */
export const recordsOf = (taxes: InvoiceTotals['taxes']): TaxRecord[] =>
  taxes.map(({ rate, base, amount }) => ({ rate: plain(rate), base: plain(base), amount: plain(amount) }));

/**
 * The totals of lines: by our rates, or with the taxes of a provider. Lines that take back what was billed keep the tax
 * that was billed, also with a provider; what they come to is told it by itself.
 */
export function totalsOf(
  lines: readonly OutsideLine[],
  { outside, taxBehavior, currency }: Pick<CalculationInput, 'outside' | 'taxBehavior' | 'currency'>,
): { totals: InvoiceTotals; credits?: NonNullable<OutsideTaxAnswer['credits']> | undefined } {
  if (!outside) return { totals: invoiceTotals(lines, taxBehavior, currency) };
  const taxed = outsideTaxes(lines, outside, outside.answer, currency);
  const after = lines.map((line, place) => ({ ...line, ...taxed[place] }));
  const { lines: totalled, ...totals } = invoiceTotals(after, taxBehavior, currency);
  const own = totalled.map((line, place) => {
    const before = lines[place] as OutsideLine;
    return { ...line, cut: before.amount.minus(line.amount) };
  });
  const credited = own.filter((_, place) => taxed[place] === null && lines[place]?.taxRate !== null);
  const [net, tax] = [sum(credited.map((line) => line.net)), sum(credited.map((line) => line.tax))];
  const credits = net.isZero() && tax.isZero() ? undefined : { net: plain(net), tax: plain(tax) };
  return { totals: { ...totals, lines: own }, credits };
}

/** All lines before totals. */
function allDrafts(input: CalculationInput): DraftLine[] {
  const charges = input.charges.map((due) => ({ due, drafts: draftsOf(input, due) }));
  const isLate = ({ due }: DraftsOfDue): boolean => due.late !== undefined;
  const ofCommitments = (late: boolean): DraftLine[] =>
    (input.commitments ?? [])
      .filter((commitment) => commitment.isLate === late)
      .flatMap((commitment) => commitmentDrafts(input, commitment, charges));
  return [
    ...charges.filter((each) => !isLate(each)).flatMap(({ drafts: those }) => those),
    ...ofCommitments(false),
    ...charges.filter(isLate).flatMap(({ drafts: those }) => those),
    ...ofCommitments(true),
    ...(input.others ?? []).map(otherDraft),
  ];
}

const otherDraft = (line: OtherLine): DraftLine => ({
  amount: line.amount,
  taxRate: line.taxRate,
  ...(line.cutTurn && { cutTurn: line.cutTurn }),
  ...(line.tax && { tax: line.tax }),
  appliesTo: null,
  priceId: line.content.priceId,
  type: line.content.type,
  id: line.id,
  stored: (total) => otherLine({ ...line, taxRate: total.taxRate ?? line.taxRate }, total),
});

const rateOf = ({ taxRates }: CalculationInput, price: BilledPrice): Decimal => taxRates.get(price.id) ?? ZERO;

/** The lines of a charge that is due. */
interface DraftsOfDue {
  readonly due: DueCharge;
  readonly drafts: readonly DraftLine[];
}

/**
 * The lines for the difference between the charges of a plan's period and its commitment, less the commitment that was
 * billed before.
 */
function commitmentDrafts(
  input: CalculationInput,
  commitment: DueCommitment,
  charges: readonly DraftsOfDue[],
): DraftLine[] {
  const { minimumAmount, period, before, back } = commitment;
  const { reached, missing, amount } = differenceOfCommitment(input, commitment, charges);
  if (amount.isZero()) return [];
  const limit = { amount: shortText(minimumAmount), reached: plain(reached) };
  const content = {
    ...PLAIN_LINE,
    type: 'commitment',
    displayName: 'Minimum commitment',
    unitPrice: amount,
    periodStart: period.start,
    periodEnd: period.end,
    workings: { limit, ...(!before.isZero() && { soFar: { total: plain(missing), before: plain(before) } }) },
  } as const;
  if (amount.gt(0) || back === null) return [otherDraft({ amount, taxRate: commitment.taxRate, content })];
  const tax = shareOfTax(input, amount, back);
  return [{ ...otherDraft({ amount, tax, taxRate: back.taxRate, content, cutTurn: 'credit' }), cut: 'credited' }];
}

/**
 * The difference between a commitment and its billed part; a reduction is limited to the amount that can be credited.
 */
function differenceOfCommitment(
  input: CalculationInput,
  { minimumAmount, charged, before, back, isOf }: DueCommitment,
  charges: readonly DraftsOfDue[],
) {
  const own = charges.filter(({ due }) => isOf(due.charge)).flatMap(({ drafts }) => drafts.map(({ amount }) => amount));
  const reached = sum([charged, ...own]);
  const missing = rateCommitment({ minimumAmount, fraction: WHOLE, charged: [reached], currency: input.currency });
  const most = back === null ? ZERO : mostBack(input, back);
  return { reached, missing, amount: Decimal.max(missing.minus(before), most.negated()) };
}

/** The commitments of closed periods that differ from their bills. */
export const commitmentCorrectionsOf = (input: CalculationInput): { commitment: DueCommitment; total: Decimal }[] => {
  const charges = input.charges.map((due) => ({ due, drafts: draftsOf(input, due) }));
  return (input.commitments ?? [])
    .map((commitment) => ({ commitment, total: differenceOfCommitment(input, commitment, charges).amount }))
    .filter(({ total }) => !total.isZero());
};

/** A line of no price, with a quantity of one. */
const PLAIN_LINE = {
  eventType: 'fee',
  lineItemType: 'charge',
  priceId: null,
  billableMetricId: null,
  feeId: null,
  itemId: null,
  metricName: '',
  metricUnit: '',
  metricDescription: '',
  quantity: ONE,
  discountPrice: ZERO,
  groupValues: null,
  tiers: null,
  sourceKey: null,
} as const;

/** A line stores the amount that a total of 0 cut off it: it is credited in another way, or lost. */
function withCut(line: CalculatedLine, becomes: DraftLine['cut'], { cut }: TotalLine): CalculatedLine {
  if (cut.isZero() || becomes === undefined) return line;
  const kept = becomes === 'credited' ? { cut: plain(cut) } : { lost: plain(cut) };
  return { ...line, workings: { ...line.workings, ...kept } };
}

/** The lines of one charge, then its discounts: the amount owed less the amount billed. */
function draftsOf(input: CalculationInput, due: DueCharge): DraftLine[] {
  const rated = rateDue(input, due);
  const most = due.back ? mostBack(input, due.back) : null;
  const takesBack = rated.total.lt(0) && most !== null;
  const isTooMuch = takesBack && most.lt(rated.total.abs());
  const lines = isTooMuch ? capped(rated.lines, most) : rated.lines;
  const drafts = asDrafts(input, due, due.late ? asLate(due, rated, lines) : lines, rated);
  if (takesBack && due.back) taxBack(input, drafts, due.back);
  return drafts;
}

/** The most to credit: the remainder of the lines that billed a charge, as its price quotes it. */
const mostBack = ({ taxBehavior }: CalculationInput, { net, tax }: TakenBack): Decimal =>
  Decimal.max(ZERO, taxBehavior === 'inclusive' ? net.plus(tax) : net);

/** The tax of lines that take something back is that share of the tax that was billed; all of it for all of it. */
function taxBack(input: CalculationInput, drafts: DraftLine[], back: TakenBack): void {
  const amounts = drafts.map(({ amount }) => amount);
  const shares = allocate(shareOfTax(input, sum(amounts), back), amounts, input.currency);
  for (const [index, draft] of drafts.entries())
    drafts[index] = Object.assign(draft, { tax: shares[index] as Decimal, taxRate: back.taxRate });
}

/** The share of the billed tax in a credited amount; 0 or below. */
function shareOfTax(input: CalculationInput, total: Decimal, back: TakenBack): Decimal {
  const most = mostBack(input, back);
  const isAll = total.abs().eq(most) || most.isZero();
  const share = isAll ? back.tax : back.tax.times(total.abs()).div(most);
  return roundTo(share, input.currency, 'half-away-from-zero').negated();
}

/** One line for the allowed credit; none without one. */
function capped(lines: readonly Line[], most: Decimal): readonly Line[] {
  const [first] = lines;
  if (first === undefined || most.lte(0)) return [];
  const amount = most.negated();
  return [{ ...first, kind: 'charge', totalPrice: amount, exactPrice: amount, unitPrice: amount, tiers: null }];
}

/** A charge as it is owed less as it is billed. */
interface RatedDue {
  readonly lines: readonly Line[];
  /** The sum of the lines. */
  readonly total: Decimal;
  readonly hasRebate: boolean;
  readonly soFar: { readonly total: Decimal; readonly before: Decimal };
}

/**
 * Rates a charge and takes off what was billed of it, kind by kind: its charges, then the discounts of what is new,
 * then its limits over all of it, so that the invoices of a period come to what one would have come to.
 */
function rateDue(input: CalculationInput, due: DueCharge): RatedDue {
  const { charge, before = NOTHING_BILLED, late } = due;
  const usage = late?.usage ?? input.usage;
  const is = rated(input, charge, usage);
  const hasRebate = is.lines.some(({ kind, exactPrice }) => kind === 'charge' && exactPrice.lt(0));
  const fresh = due.before ? newLines(input, due, is, before, usage) : is.lines;
  const charges = fresh.filter(({ kind }) => kind === 'charge');
  const adjustments = late?.adjustments ?? input.adjustments ?? [];
  const discounts = discountLines(hasRebate ? charges.map(withoutRebate) : charges, adjustments, input.currency);
  const known = totalBilled(before).minus(before.maximum).minus(before.minimum);
  const reached = known.plus(sum([...fresh, ...discounts].map(({ totalPrice }) => totalPrice)));
  const all = limitLines(priceInPeriod(input, charge), reached, before);
  // An excess of a fee is credited with its time.
  const limits = due.free?.numerator === 0n ? all.filter(({ totalPrice }) => totalPrice.gt(0)) : all;
  const lines = [...fresh, ...discounts, ...limits];
  const total = sum(lines.map(({ totalPrice }) => totalPrice));
  const billed = totalBilled(before);
  return { lines, total, hasRebate, soFar: { total: billed.plus(total), before: billed } };
}

/** The new part of a charge that was billed in part: the remaining time of a fee, the additional usage of a metric. */
function newLines(
  input: CalculationInput,
  { charge, free, late }: DueCharge,
  is: RatedPrice,
  before: BilledSoFar,
  usage: readonly BilledUsage[],
): readonly RatedLine[] {
  if (free === undefined) return differenceOf(is.lines, before, late !== undefined || isAddedUp(charge.price));
  if (free.numerator === 0n) return []; // only its minimum is asked
  const left = is.total.minus(sum(before.charges.map(({ amount }) => amount)));
  return rated(input, { ...charge, fraction: free }, usage).lines.map((line, index) =>
    index === 0 && !line.totalPrice.eq(left)
      ? { ...line, totalPrice: left, exactPrice: left, workings: { ...line.workings, soFar: soFarOf(is.total, left) } }
      : line,
  );
}

/** Is the usage additive? Other figures have a line with their value, not with their increase. */
const isAddedUp = ({ metric }: BilledPrice): boolean => metric !== null && isAdditive(metric.meter.aggregation);

const soFarOf = (total: Decimal, left: Decimal) => ({ total: plain(total), before: plain(total.minus(left)) });

/** The difference of a charge of a closed period, in the kinds of its lines. */
export interface CorrectionDue {
  readonly due: DueCharge;
  readonly total: Decimal;
  readonly quantity: Decimal;
  readonly charge: Decimal;
  readonly discount: Decimal;
  readonly maximum: Decimal;
  readonly minimum: Decimal;
}

/** The charges of closed periods that differ from their bills. */
export const correctionsOf = (input: CalculationInput): CorrectionDue[] =>
  input.charges
    .map((due): CorrectionDue => {
      const { lines, total } = rateDue(input, due);
      const ofKind = (kind: Line['kind']) => lines.filter((line) => line.kind === kind);
      const amountOf = (kind: Line['kind']) => sum(ofKind(kind).map(({ totalPrice }) => totalPrice));
      return {
        due,
        total,
        quantity: sum(ofKind('charge').map(({ quantity }) => quantity)),
        charge: amountOf('charge'),
        discount: amountOf('adjustment'),
        maximum: amountOf('maximum'),
        minimum: amountOf('minimum'),
      };
    })
    .filter(({ total }) => !total.isZero());

/** A correction is one line for the whole difference of its charge, and its discounts; of a fee it is a minimum. */
function asLate({ charge }: DueCharge, { soFar }: RatedDue, lines: readonly Line[]): readonly Line[] {
  if (charge.price.metric === null)
    return lines.map((line) => ({
      ...line,
      workings: { ...line.workings, late: { maximum: '0', minimum: plain(line.totalPrice) } },
    }));
  const discounts = lines.filter(isDiscount);
  const others = lines.filter((line) => !isDiscount(line));
  const [first] = others;
  const totalPrice = sum(others.map((line) => line.totalPrice));
  const quantity = sum(others.filter(({ kind }) => kind === 'charge').map((line) => line.quantity));
  if (first === undefined || (totalPrice.isZero() && quantity.isZero())) return [];
  const limit = (kind: 'maximum' | 'minimum') =>
    plain(sum(others.filter((line) => line.kind === kind).map((line) => line.totalPrice)));
  const line: RatedLine = {
    ...first,
    kind: 'charge',
    eventType: 'usage',
    quantity,
    unitPrice: quantity.isZero() ? totalPrice : averagePrice(totalPrice, quantity),
    totalPrice,
    exactPrice: totalPrice,
    tiers: null,
    group: null,
    workings: {
      soFar: { total: plain(soFar.total), before: plain(soFar.before) },
      late: { maximum: limit('maximum'), minimum: limit('minimum') },
    },
  };
  const ofAdjustments = [...Map.groupBy(discounts, ({ adjustment }) => adjustment.id).values()];
  return [line, ...ofAdjustments.map(asOneDiscount).filter(({ exactPrice }) => !exactPrice.isZero())];
}

/** The part of one adjustment in the groups of a correction, as one line: the discount is one line, too. */
function asOneDiscount(ofGroups: readonly DiscountLine[]): DiscountLine {
  const [first] = ofGroups as [DiscountLine];
  const off = sum(ofGroups.map(({ totalPrice }) => totalPrice));
  const of = sum(ofGroups.map(({ workings }) => decimal(workings.discount.of)));
  return {
    ...first,
    ...{ chargeAt: 0, group: null },
    ...{ unitPrice: off, totalPrice: off, exactPrice: sum(ofGroups.map(({ exactPrice }) => exactPrice)) },
    workings: { discount: { ...first.workings.discount, of: plain(of) } },
  };
}

type Line = RatedLine | DiscountLine;

function asDrafts(
  input: CalculationInput,
  { charge, before, late }: DueCharge,
  lines: readonly Line[],
  { hasRebate, total: all }: Pick<RatedDue, 'hasRebate' | 'total'>,
): DraftLine[] {
  const drafts: DraftLine[] = [];
  const isKept = (late !== undefined || before !== undefined) && !hasRebate;
  for (const line of lines) {
    const isOfLate = late !== undefined && line.kind === 'charge';
    const isLower = line.kind === 'maximum' && isKept && all.lt(0); // a change made the time shorter for which it holds
    const takesBack = (line.kind === 'charge' || line.kind === 'minimum' || isLower) && line.totalPrice.lt(0);
    drafts.push({
      amount: line.totalPrice,
      taxRate: rateOf(input, charge.price),
      ...(takesBack && (isKept ? { cutTurn: 'credit', cut: 'credited' } : { cutTurn: 'rebate', cut: 'lost' })),
      appliesTo: isDiscount(line) ? (drafts[line.chargeAt] as DraftLine) : null, // the charges come first
      priceId: charge.price.id,
      type: line.kind,
      stored: (total) => ({
        ...storedLine(input, charge, line, total),
        ...(isOfLate && { type: 'late_usage', displayName: `${charge.price.invoiceDisplayName}: late usage` }),
      }),
    });
  }
  return drafts;
}

const isDiscount = (line: Line): line is DiscountLine => line.kind === 'adjustment';

/** A charge before its discounts and limits. */
const rated = (input: CalculationInput, charge: OwedCharge, usage: readonly BilledUsage[]): RatedPrice =>
  ratePrice({
    ...priceInPeriod(input, charge),
    fraction: ownFraction(charge, usage),
    rated: ratedThing(usage, charge.price),
    minimumAmount: null,
    maximumAmount: null,
  });

/** The minimum of a price is asked as its period is over. */
const priceInPeriod = (
  { currency }: Pick<CalculationInput, 'currency'>,
  { price, fraction, limits = fraction, least = limits, isOpen = false }: OwedCharge,
) => ({
  pricing: price.pricing,
  currency,
  fraction,
  limits: { maximum: limits, minimum: least },
  minimumAmount: isOpen ? null : price.minimumAmount,
  maximumAmount: price.maximumAmount,
});

/** A figure that is for a time counts for the part of it in which the usage was the subscription's own. */
function ownFraction({ fraction, price }: OwedCharge, usage: readonly BilledUsage[]): Fraction {
  const share = usage.find(({ priceId: id }) => id === price.id)?.share;
  return share
    ? { numerator: fraction.numerator * share.numerator, denominator: fraction.denominator * share.denominator }
    : fraction;
}

/** A rebate is no charge: nothing is taken off it, which would make the customer pay more. */
const withoutRebate = (line: RatedLine): RatedLine => (line.totalPrice.lt(0) ? { ...line, totalPrice: ZERO } : line);

/** A fee counts its price's quantity; a metric its usage, already filtered by the price's groups. */
function ratedThing(usage: readonly BilledUsage[], price: BilledPrice): Rated {
  if (price.metric === null) return { kind: 'fee', quantity: price.quantity };
  const rows = usage.filter((row) => row.priceId === price.id);
  return {
    kind: 'usage',
    aggregation: price.metric.meter.aggregation,
    groups: rows.map((row) => ({
      group: row.groupValues,
      quantity: row.quantity,
      eventCount: BigInt(row.eventCount),
    })),
    grants: sum(rows.map(({ granted }) => granted)),
  };
}

function storedLine(
  input: CalculationInput,
  { price, period }: OwedCharge,
  line: RatedLine,
  { net, tax, gross, taxRate }: TotalLine,
): CalculatedLine {
  const { metric, fee } = price;
  const hasUnits = line.kind === 'charge' || line.kind === 'grants';
  return {
    eventType: line.eventType,
    lineItemType: line.lineItemType,
    type: line.kind,
    priceId: price.id,
    billableMetricId: metric?.id ?? null,
    feeId: fee?.id ?? null,
    itemId: metric?.itemId ?? fee?.itemId ?? null,
    displayName: displayName(price, line),
    metricName: metric?.name ?? fee?.name ?? '',
    metricUnit: hasUnits ? (metric?.unit ?? '') : '',
    metricDescription: metric?.description ?? fee?.description ?? '',
    quantity: hasUnits ? line.quantity : ONE,
    unitPrice: hasUnits ? line.unitPrice : line.totalPrice,
    totalPrice: net,
    discountPrice: line.eventType === 'discount' ? Decimal.max(ZERO, net.negated()) : ZERO,
    taxRate: input.outside ? (taxRate ?? ZERO) : rateOf(input, price),
    totalTax: tax,
    totalAmount: gross,
    periodStart: period.start,
    periodEnd: period.end,
    groupValues: line.group === null ? null : { ...line.group },
    tiers: line.tiers === null ? null : tierRecords(line.tiers, input.currency),
    workings: line.workings ?? null,
    sourceKey: null,
  };
}

/** A line that no price makes, as it is stored. */
export const otherLine = (
  { content, taxRate }: OtherLine,
  { net, tax, gross }: Pick<TotalLine, 'net' | 'tax' | 'gross'>,
): CalculatedLine => ({
  ...content,
  totalPrice: net,
  taxRate: taxRate ?? ZERO,
  totalTax: tax,
  totalAmount: gross,
});

const displayName = (price: BilledPrice, line: RatedLine): string => {
  if (isDiscount(line)) return line.adjustment.description || `${price.invoiceDisplayName}: discount`;
  if (line.kind === 'grants') return `${price.invoiceDisplayName}: covered by grants`;
  if (line.kind === 'minimum') return `${price.invoiceDisplayName}: minimum`;
  if (line.kind === 'maximum') return `${price.invoiceDisplayName}: maximum`;
  return price.invoiceDisplayName;
};

/**
 * The amount of each tier, with no more digits than it needs: an exact amount stays exact. If one has no end (a part of
 * a period), all are rounded to the currency, so that they sum to their line.
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
