import { Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { endOf, type UsedCredit } from '../terms/billing-credit.ts';

export const CREDIT_STATUSES = ['scheduled', 'active', 'used_up', 'expired', 'voided'] as const;

/** A credit with what open periods would take of it now. */
export interface ReadCredit {
  readonly credit: UsedCredit;
  readonly open: Decimal;
  /** Effective now for it. */
  readonly now: Instant;
}

/** What became of the amount of a credit: `remaining + used + pending + expired + voided = amount`. */
export interface CreditFigures {
  readonly remaining: Decimal;
  readonly used: Decimal;
  /** What drafts hold, and open periods will take. */
  readonly pending: Decimal;
  readonly expired: Decimal;
  readonly voided: Decimal;
  readonly status: (typeof CREDIT_STATUSES)[number];
}

/**
 * The figures of a credit at an instant.
 * @param open what open periods would take if they ended now
 */
export function figuresOf(credit: UsedCredit, open: Decimal, at: Instant): CreditFigures {
  const { amount, used, held, voidedAt, effectiveAt } = credit;
  const pending = held.plus(open);
  const rest = Decimal.max(ZERO, amount.minus(used).minus(pending));
  const end = endOf(credit);
  const isOver = end !== null && !isAfter(end, at);
  const isVoided = isOver && voidedAt !== null && end.equals(voidedAt);
  return {
    used,
    pending,
    remaining: isOver ? ZERO : rest,
    expired: isOver && !isVoided ? rest : ZERO,
    voided: isVoided ? rest : ZERO,
    status: statusOf({ isVoided, isOver, isUsedUp: amount.lte(used), isAhead: isAfter(effectiveAt, at) }),
  };
}

function statusOf(of: {
  isVoided: boolean;
  isOver: boolean;
  isUsedUp: boolean;
  isAhead: boolean;
}): CreditFigures['status'] {
  if (of.isVoided) return 'voided';
  if (of.isUsedUp) return 'used_up';
  if (of.isOver) return 'expired';
  return of.isAhead ? 'scheduled' : 'active';
}

/** The money that some credits have, all in one currency. */
export interface CreditBalance {
  readonly at: Instant;
  readonly granted: Decimal;
  readonly used: Decimal;
  readonly pending: Decimal;
  readonly expired: Decimal;
  /** `granted − used − pending − expired`; never below 0. */
  readonly available: Decimal;
}

/** The balance of the credits that are effective by an instant; what voids took is not granted. */
export function balanceOf(
  credits: readonly UsedCredit[],
  openOf: (creditId: string) => Decimal,
  at: Instant,
): CreditBalance {
  const effective = credits.filter(({ effectiveAt }) => !isAfter(effectiveAt, at));
  const figures = effective.map((credit) => ({ credit, of: figuresOf(credit, openOf(credit.id), at) }));
  const total = (name: 'used' | 'pending' | 'expired') => sum(figures.map(({ of }) => of[name]));
  const granted = sum(figures.map(({ credit, of }) => credit.amount.minus(of.voided)));
  const [used, pending, expired] = [total('used'), total('pending'), total('expired')];
  const available = Decimal.max(ZERO, granted.minus(used).minus(pending).minus(expired));
  return { at, granted, used, pending, expired, available };
}
