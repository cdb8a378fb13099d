import { Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { allocate, roundTo } from '../../kernel/money.ts';
import { addUp, type BilledSoFar, NOTHING_BILLED, thenBilled, totalBilled } from '../difference/billed.ts';
import type { DueCharge, TakenBack } from '../difference/due.ts';
import { differenceOf } from '../difference/period-difference.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import { type Couponed, couponLines, type DiscountLine, discountLines } from '../owed/discounts.ts';
import { isAdditive, limitLines, type RatedLine, type RatedPrice } from '../rating/index.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import type { CalculationInput, DraftLine, Line, RatedDue } from './calculation.ts';
import { asLate } from './late-lines.ts';
import { asAmount, asDrafts, isDiscount } from './line-content.ts';
import { type AtOnePrice, atOnePrice, inTwo } from './one-price.ts';
import { priceInPeriod, rated, rateOf, withoutRebate } from './rate-usage.ts';

/** The lines of one charge, then its discounts: the amount owed less the amount billed. */
export function draftsOf(input: CalculationInput, due: DueCharge): DraftLine[] {
  const rated = rateDue(input, due);
  const most = due.back ? mostBack(input, due.back) : null;
  const takesBack = rated.total.lt(0) && most !== null;
  const isTooMuch = takesBack && most.lt(rated.total.abs());
  const told = toldOf(input, due, rated, isTooMuch ? most.negated() : rated.total);
  const lines = isTooMuch ? capped(rated.lines, most, told) : rated.lines;
  const drafts = asDrafts(input, due, due.late ? asLate(due, rated, lines, told) : lines, rated);
  if (takesBack && due.back) taxBack(input, drafts, due.back);
  return drafts;
}

/** The units of a correction at one price: all, or as many as can be credited. */
function toldOf(
  { currency }: CalculationInput,
  { charge }: DueCharge,
  { lines, total }: RatedDue,
  amount: Decimal,
): AtOnePrice | null {
  const parts = inTwo(atOnePrice(charge.price, lines, currency), total, amount, currency);
  return parts?.part ?? null;
}

/** The most to credit: the remainder of the lines that billed a charge, as its price quotes it. */
export const mostBack = ({ taxBehavior }: CalculationInput, { net, tax }: TakenBack): Decimal =>
  Decimal.max(ZERO, taxBehavior === 'inclusive' ? net.plus(tax) : net);

/** The tax of lines that take something back is that share of the tax that was billed; all of it for all of it. */
function taxBack(input: CalculationInput, drafts: DraftLine[], back: TakenBack): void {
  const amounts = drafts.map(({ amount }) => amount);
  const shares = allocate(shareOfTax(input, sum(amounts), back), amounts, input.currency);
  for (const [index, draft] of drafts.entries())
    drafts[index] = Object.assign(draft, { tax: shares[index] as Decimal, taxRate: back.taxRate });
}

/** The share of the billed tax in a credited amount; 0 or below. */
export function shareOfTax(input: CalculationInput, total: Decimal, back: TakenBack): Decimal {
  const most = mostBack(input, back);
  const isAll = total.abs().eq(most) || most.isZero();
  const share = isAll ? back.tax : back.tax.times(total.abs()).div(most);
  return roundTo(share, input.currency, 'half-away-from-zero').negated();
}

/** One line for the allowed credit; none without one. */
function capped(lines: readonly Line[], most: Decimal, told: AtOnePrice | null): readonly Line[] {
  const [first] = lines;
  if (first === undefined || most.lte(0)) return [];
  const amount = most.negated();
  const { quantity, unitPrice, workings } = asAmount(amount, unitsOf(lines));
  const shown = told ? { quantity: told.units, unitPrice: told.unitPrice } : { quantity, unitPrice, workings };
  return [{ ...first, kind: 'charge', totalPrice: amount, exactPrice: amount, tiers: null, ...shown }];
}

const unitsOf = (lines: readonly Line[]): Decimal =>
  sum(lines.filter(({ kind }) => kind === 'charge').map(({ quantity }) => quantity));

/**
 * Rates a charge and takes off what was billed of it, kind by kind: its charges, then the discounts of what is new,
 * then its limits over all of it, so that the invoices of a period come to what one would have come to.
 */
function rateDue(input: CalculationInput, due: DueCharge): RatedDue {
  const { charge, late } = due;
  const before = beforeOf(input, due) ?? NOTHING_BILLED;
  const usage = late?.usage ?? input.usage;
  const is = rated(input, charge, usage);
  const hasRebate = is.lines.some(({ kind, exactPrice }) => kind === 'charge' && exactPrice.lt(0));
  const fresh = before === NOTHING_BILLED ? is.lines : newLines(input, due, is, before, usage);
  const charges = fresh.filter(({ kind }) => kind === 'charge');
  const adjustments = late?.adjustments ?? input.adjustments ?? [];
  const discounts = discountLines(hasRebate ? charges.map(withoutRebate) : charges, adjustments, input.currency);
  const coupons = couponLines(couponed(due, before, charges, discounts, hasRebate), input.currency);
  const known = totalBilled(before).minus(before.maximum).minus(before.minimum);
  const reached = known.plus(sum([...fresh, ...discounts, ...coupons].map(({ totalPrice }) => totalPrice)));
  const all = limitLines(priceInPeriod(input, charge), reached, before);
  // An excess of a fee is credited with its time.
  const limits = due.free?.numerator === 0n ? all.filter(({ totalPrice }) => totalPrice.gt(0)) : all;
  const lines = [...fresh, ...discounts, ...coupons, ...limits];
  const total = sum(lines.map(({ totalPrice }) => totalPrice));
  const billed = totalBilled(before);
  return { lines, total, hasRebate, soFar: { total: billed.plus(total), before: billed } };
}

/** What the coupons of a charge are taken of: a rebate is no charge to them either. */
function couponed(
  { charge }: DueCharge,
  before: BilledSoFar,
  charges: readonly RatedLine[],
  discounts: readonly DiscountLine[],
  hasRebate: boolean,
): Couponed {
  const discountOf = (at: number) =>
    sum(discounts.filter(({ chargeAt }) => chargeAt === at).map(({ totalPrice }) => totalPrice));
  return {
    coupons: charge.coupons ?? [],
    charges: charges.map((line, at) => ({
      line,
      left: (hasRebate ? withoutRebate(line) : line).totalPrice.plus(discountOf(at)),
    })),
    before: {
      amount: sum([...before.charges.map(({ amount }) => amount), before.discount]),
      coupons: before.coupons,
    },
  };
}

/** What a charge of usage comes to with the usage until an instant, after its discounts, before its minimum; net. */
export function spentUntil(input: CalculationInput, due: DueCharge, usage: readonly BilledUsage[]): Decimal {
  const { lines } = rateDue({ ...input, usage }, { charge: due.charge });
  const amount = sum(lines.filter(({ kind }) => kind !== 'minimum').map(({ totalPrice }) => totalPrice));
  const spent = amount.minus(due.before ? totalBilled(due.before) : ZERO);
  return input.taxBehavior === 'inclusive' ? spent.div(rateOf(input, due.charge.price).div(100).plus(1)) : spent;
}

/** What came late of a charge by the usage until an instant: what it comes to less what it came to before. */
export function lateUntil(
  input: CalculationInput,
  { charge, late }: DueCharge,
  usage: readonly BilledUsage[],
  before: readonly BilledUsage[],
): Decimal {
  const then = { ...input, adjustments: late?.adjustments ?? [] };
  return spentUntil(then, { charge }, usage).minus(spentUntil(then, { charge }, before));
}

/** By what the spending of a charge of usage is named: of a closed period with its start. */
export const spentKey = ({ charge: { price, period }, late }: DueCharge): string =>
  late ? `${price.id} ${period.start.toString()}` : price.id;

/** What is owed of the parts of a closed period before this one, and what is billed of this one. */
function beforeOf(input: CalculationInput, { charge, before, late }: DueCharge): BilledSoFar | undefined {
  if (late?.earlier === undefined) return before;
  const { lines } = rateDue(input, late.earlier);
  const earlier = beforeOf(input, late.earlier);
  const owed = earlier ? thenBilled(earlier, asBill(lines), true) : asBill(lines);
  return before ? thenBilled(owed, before, isAddedUp(charge.price)) : owed;
}

/** The lines of a charge of usage as what they bill. */
function asBill(lines: readonly Line[]): BilledSoFar {
  const ofKind = (kind: Line['kind']) => lines.filter((line) => line.kind === kind);
  const total = (kind: Line['kind']) => sum(ofKind(kind).map(({ totalPrice }) => totalPrice));
  return {
    charges: ofKind('charge').map(({ group, quantity, totalPrice: amount }) => ({
      ...{ group: group ?? {}, quantity, amount, tiers: null },
    })),
    discount: total('adjustment'),
    coupons: couponsOf(lines),
    maximum: total('maximum'),
    minimum: total('minimum'),
    granted: sum(ofKind('grants').map(({ quantity }) => quantity)),
  };
}

/** What coupons take, by redemption. */
const couponsOf = (lines: readonly Line[]): Record<string, Decimal> =>
  addUp(
    lines.flatMap((line) => (line.kind === 'coupon' && isDiscount(line) ? [{ [line.by.id]: line.totalPrice }] : [])),
  );

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
  /** Its units at one price; null: there is no such price. */
  readonly told: AtOnePrice | null;
  readonly quantity: Decimal;
  readonly charge: Decimal;
  readonly discount: Decimal;
  readonly coupons: Readonly<Record<string, Decimal>>;
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
        told: atOnePrice(due.charge.price, lines, input.currency),
        quantity: unitsOf(lines),
        charge: amountOf('charge'),
        discount: amountOf('adjustment'),
        coupons: couponsOf(lines),
        maximum: amountOf('maximum'),
        minimum: amountOf('minimum'),
      };
    })
    .filter(({ total }) => !total.isZero());
