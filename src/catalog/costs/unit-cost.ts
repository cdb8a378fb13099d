import { type Decimal, decimal } from '../../kernel/decimal.ts';
import { earliest, type Instant, isAfter, isBefore, latest } from '../../kernel/time.ts';

/** The unit costs of a cost over time (docs/decisions/0182). */
export interface UnitCosts {
  /** The newest one, in major units, exact. */
  readonly unitCost: Decimal;
  /** Those before it, each with the instant up to which it held, in the order of time. */
  readonly earlierUnitCosts: readonly { readonly until: string; readonly unitCost: string }[];
  /** From then on usage costs nothing; null: the cost is not deleted. */
  readonly deletedAt: Instant | null;
}

/** A stretch of time with one unit cost. */
export interface UnitCostSpan {
  readonly from: Instant;
  readonly to: Instant;
  readonly unitCost: Decimal;
}

/** The unit costs of `[from, to)`, in the order of time. */
export function unitCostsIn(
  { unitCost, earlierUnitCosts, deletedAt }: UnitCosts,
  from: Instant,
  to: Instant,
): UnitCostSpan[] {
  const end = deletedAt ? earliest(to, deletedAt) : to;
  const spans: UnitCostSpan[] = [];
  let start = from;
  for (const earlier of earlierUnitCosts) {
    const until = Temporal.Instant.from(earlier.until);
    if (isAfter(until, start) && isBefore(start, end))
      spans.push({ from: start, to: earliest(until, end), unitCost: decimal(earlier.unitCost) });
    start = latest(start, until);
  }
  return isBefore(start, end) ? [...spans, { from: start, to: end, unitCost }] : spans;
}

/** The unit cost that holds at an instant, deleted or not. */
export function unitCostAt({ unitCost, earlierUnitCosts }: UnitCosts, at: Instant): Decimal {
  const earlier = earlierUnitCosts.find(({ until }) => isAfter(Temporal.Instant.from(until), at));
  return earlier ? decimal(earlier.unitCost) : unitCost;
}
