import { type Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { type Fraction, scale } from '../../kernel/fraction.ts';
import { roundTo } from '../../kernel/money.ts';

/** What a period of a plan is committed to, and what it was charged. */
export interface CommittedPeriod {
  /** For a whole period; null: the plan has no commitment. */
  readonly minimumAmount: Decimal | null;
  /** What of the plan's period is billed. */
  readonly fraction: Fraction;
  /** The charges of the period, of all prices: after discounts, before tax. */
  readonly charged: readonly Decimal[];
  readonly currency: string;
}

/** The amount by which the charges of a period fall short of the plan's commitment, rounded once; 0 where they reach it. */
export function rateCommitment({ minimumAmount, fraction, charged, currency }: CommittedPeriod): Decimal {
  if (minimumAmount === null) return ZERO;
  const missing = scale(minimumAmount, fraction).minus(sum(charged));
  return missing.gt(0) ? roundTo(missing, currency, 'half-away-from-zero') : ZERO;
}
