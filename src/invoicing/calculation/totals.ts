import { Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { minorUnit, roundTo } from '../../kernel/money.ts';
import { type TaxableLine, type TaxBehavior, type TaxedLine, type TaxOfRate, taxLines } from '../../tax/index.ts';

/** A line to total. `cutTurn` says in which turn a negative line is cut where the invoice would fall below zero. */
export interface TotalledLine extends TaxableLine {
  /**
   * `credit`: for unused charges, whose remainder is not lost (the caller books it elsewhere): cut first. `rebate`: a
   * negative price, whose remainder is lost. Other negative lines (discounts, limits) belong to charges and come last.
   */
  readonly cutTurn?: 'credit' | 'rebate';
  /** How much of it may be cut: the discounts on it stay on the invoice. All of it if absent. */
  readonly mostCut?: Decimal;
}

/** A line with its tax, and the part that was cut from its amount so that the invoice stays at zero (0 or negative). */
export interface TotalLine extends TaxedLine {
  readonly amount: Decimal;
  /** Percent, as it was totalled; null if it has no tax. */
  readonly taxRate: Decimal | null;
  readonly cut: Decimal;
}

/**
 * The totals of an invoice: `subtotal + totalTax = grandTotal`, and the lines sum to each of them, to the last minor
 * unit.
 */
export interface InvoiceTotals {
  readonly lines: readonly TotalLine[];
  readonly subtotal: Decimal;
  readonly totalTax: Decimal;
  /** Never below 0. */
  readonly grandTotal: Decimal;
  readonly taxes: readonly TaxOfRate[];
}

/**
 * Totals an invoice. Where the lines come to less than 0, negative lines are cut by the smallest amount that brings the
 * invoice, with tax, to 0 (domain.md §2: a rebate never takes it below; §3: credit lines take it to 0 at most): credits
 * first, then rebates, each from the last line back. Where the cut line bears another rate than what is left, 0 may not
 * be reachable in whole minor units; then the smallest reachable total above it stands.
 */
export function invoiceTotals(lines: readonly TotalledLine[], behavior: TaxBehavior, currency: string): InvoiceTotals {
  const cuts = cutsToZero(lines, behavior, currency);
  const amounts = cutBy(lines, cuts, currency);
  const { lines: taxed, taxes } = taxLines(amounts, behavior, currency);
  return {
    lines: taxed.map((line, index): TotalLine => {
      const { amount, taxRate } = amounts[index] as TotalledLine;
      return { ...line, amount, taxRate, cut: (lines[index] as TotalledLine).amount.minus(amount) };
    }),
    subtotal: sum(taxed.map((line) => line.net)),
    totalTax: sum(taxed.map((line) => line.tax)),
    grandTotal: sum(taxed.map((line) => line.gross)),
    taxes,
  };
}

/**
 * How much has to be cut, found by halving: cutting more never lowers the total, because every rounding on the way to
 * it is monotonous.
 */
function cutsToZero(lines: readonly TotalledLine[], behavior: TaxBehavior, currency: string): Decimal {
  if (lines.every(({ amount, tax = ZERO }) => amount.gte(0) && tax.gte(0))) return ZERO;
  const unit = minorUnit(currency);
  const total = (units: Decimal) =>
    sum(taxLines(cutBy(lines, units.times(unit), currency), behavior, currency).lines.map((line) => line.gross));
  if (total(ZERO).gte(0)) return ZERO;
  let tooLittle = ZERO;
  let enough = sum(lines.map(mostCutOf)).div(unit);
  while (enough.minus(tooLittle).gt(1)) {
    const middle = enough.plus(tooLittle).div(2).floor();
    if (total(middle).gte(0)) enough = middle;
    else tooLittle = middle;
  }
  return enough.times(unit);
}

const mostCutOf = ({ amount, mostCut }: TotalledLine): Decimal =>
  Decimal.max(0, Decimal.min(amount.negated(), mostCut ?? amount.negated()));

const TURN = { credit: 0, rebate: 1, other: 2 } as const;

/** The lines after `cut` was taken from the negative ones, in their turn. */
function cutBy(lines: readonly TotalledLine[], cut: Decimal, currency: string): TotalledLine[] {
  const after = [...lines];
  if (cut.isZero()) return after;
  const turns = lines
    .map((line, index) => ({ index, turn: TURN[line.cutTurn ?? 'other'], amount: line.amount }))
    .filter(({ amount }) => amount.lt(0))
    .toSorted((a, b) => a.turn - b.turn || b.index - a.index);
  let left = cut;
  for (const { index, amount } of turns) {
    if (left.isZero()) break;
    const taken = Decimal.min(left, mostCutOf(lines[index] as TotalledLine));
    after[index] = reduced(lines[index] as TotalledLine, amount.plus(taken), currency);
    left = left.minus(taken);
  }
  return after;
}

/** A line of which less is left; a tax of its own goes down in proportion. */
export const reduced = (line: TotalledLine, amount: Decimal, currency: string): TotalledLine => ({
  ...line,
  amount,
  ...(line.tax && { tax: roundTo(line.tax.times(amount).div(line.amount), currency, 'half-away-from-zero') }),
});
