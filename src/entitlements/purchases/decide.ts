import type { EntitlementTemplate } from '../../catalog/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import type { FieldError } from '../../kernel/result.ts';
import { earliest, type Instant, isAfter } from '../../kernel/time.ts';
import { UNLIMITED } from '../balance/index.ts';
import { type GrantTerms, rolloverErrors } from '../grants/decide-grant.ts';

/** The start of the purchased grant, and the deadline of its payment; null if not set. */
export interface PurchaseTimes {
  readonly effectiveAt: Instant | null;
  readonly expiresAt: Instant | null;
  readonly paymentExpiresAt: Instant | null;
}

interface Bought {
  readonly amount: Decimal;
  readonly price: Decimal;
}

/**
 * Is a request under a known key a retry (domain.md §5, Purchase)? Clients build their body anew, with times computed
 * again and defaults left out or sent: only the values of what is sold and of its price count.
 */
export const isSamePurchase = (known: Bought, asked: Bought): boolean =>
  known.amount.eq(asked.amount) && known.price.eq(asked.price);

/** The balance bounds at a reset. */
export type Rollover = Pick<GrantTerms, 'resetMaxRollover' | 'resetMinRollover'>;

/** The bounds of the grant: a one-time entitlement has no resets, so its bounds are ignored (§4, rule 4). */
export function rolloverOf(template: EntitlementTemplate, asked: Partial<Rollover>): Rollover {
  const hasResets = template.type === 'metered' && template.usagePeriod !== undefined;
  return { resetMaxRollover: UNLIMITED, resetMinRollover: ZERO, ...(hasResets && asked) };
}

/** The faults of a purchase that its schema cannot express. A purchase that ends before its payment is refused. */
export function purchaseProblems(
  { effectiveAt, expiresAt, paymentExpiresAt }: PurchaseTimes,
  rollover: Rollover,
  now: Instant,
): FieldError[] {
  const errors: FieldError[] = [];
  if (expiresAt && effectiveAt && !isAfter(expiresAt, effectiveAt))
    errors.push({ field: 'expiresAt', message: 'must be after effectiveAt' });
  else if (expiresAt && !isAfter(expiresAt, now)) errors.push({ field: 'expiresAt', message: 'must be in the future' });
  if (paymentExpiresAt && !isAfter(paymentExpiresAt, now))
    errors.push({ field: 'paymentExpiresAt', message: 'must be in the future' });
  else if (paymentExpiresAt && expiresAt && isAfter(paymentExpiresAt, expiresAt))
    errors.push({ field: 'paymentExpiresAt', message: 'must not be after expiresAt' });
  return [...errors, ...rolloverErrors(rollover)];
}

/** Until when it can be paid: as asked or else as usual, and never when the grant would be over. */
export const payableUntil = (
  { expiresAt, paymentExpiresAt }: PurchaseTimes,
  usualMinutes: number,
  now: Instant,
): Instant => {
  if (paymentExpiresAt) return paymentExpiresAt;
  const usual = now.add({ minutes: usualMinutes });
  return expiresAt ? earliest(expiresAt, usual) : usual;
};

/**
 * When a grant takes effect that has just been paid: then, unless another time was asked for. A second session can be
 * paid after the grant is over; that one had its time from the purchase on, because a grant is never over before it
 * begins.
 */
export const effectOf = (
  { effectiveAt, expiresAt, createdAt }: { effectiveAt: Instant | null; expiresAt: Instant | null; createdAt: Instant },
  paidAt: Instant,
): Instant => effectiveAt ?? (expiresAt === null || isAfter(expiresAt, paidAt) ? paidAt : createdAt);
