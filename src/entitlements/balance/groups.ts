import { ZERO } from '../../kernel/decimal.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { type BurnKey, burnKeyOf, burnOrder, rollsOverWhole, UNLIMITED } from './grant-time.ts';
import type { BalanceGrant, GrantGroup, GrantState } from './model.ts';

/** A grant with its figures in a state. */
export interface StateMember {
  readonly grant: BalanceGrant;
  readonly figures: Pick<GrantState, 'balance' | 'burned' | 'returnable'>;
  /** The grant in the place of a group. */
  readonly group: GrantGroup | null;
}

/** So few grants are kept one by one. */
const FEW_GRANTS = 32;

/** The grouping of the grants of a state. */
export interface Grouping {
  /** All grants that are known by now. */
  readonly known: readonly BalanceGrant[];
  /** So few are kept one by one. */
  readonly few?: number;
}

/** The grants of a state, in the order given. */
export const namedStates = (members: readonly StateMember[]): GrantState[] =>
  members.map(({ grant, figures, group }) => ({ id: grant.id, ...figures, issuedAt: grant.issuedAt, group }));

/**
 * The grants of a state in burn order, in which neighbours that nothing can tell apart any more count as one. Usage
 * and what is given back go through neighbours one after the other, so their sums go on as one grant does. They must
 * end at one time, never recur, and roll over whole or not at all. No other grant may come between them: those that
 * are known by now are looked at, and those that are made after `at` come after all that were made before.
 */
export function groupedStates(
  members: readonly StateMember[],
  at: Instant,
  { known, few = FEW_GRANTS }: Grouping,
): GrantState[] {
  if (members.length <= few) return namedStates(members);
  const between = known
    .filter(({ effectiveAt }) => isAfter(effectiveAt, at))
    .map(burnKeyOf)
    .toSorted(burnOrder);
  const grouped: GrantState[] = [];
  let last: BalanceGrant | null = null;
  let passed = 0;
  for (const member of members) {
    const { grant, figures } = member;
    const passedBefore = passed;
    const key = burnKeyOf(grant);
    while (passed < between.length && burnOrder(between[passed] as BurnKey, key) < 0) passed += 1;
    const group = grouped.at(-1);
    if (group && last && passed === passedBefore && canJoin(last, at) && canJoin(grant, at) && areAlike(last, grant))
      grouped[grouped.length - 1] = joined(group, last, figures);
    else grouped.push(...namedStates([member]));
    last = grant;
  }
  return grouped;
}

/** Nothing but usage and its end happens to a grant after `at`, as far as is known. */
const canJoin = (grant: BalanceGrant, at: Instant): boolean =>
  grant.recurrence === null &&
  grant.voidedAt === null &&
  grant.minRollover.isZero() &&
  (grant.maxRollover.isZero() || rollsOverWhole(grant)) &&
  !isAfter(grant.issuedAt ?? grant.createdAt, at);

const areAlike = (a: BalanceGrant, b: BalanceGrant): boolean =>
  a.priority === b.priority &&
  (a.expiresAt?.epochNanoseconds ?? null) === (b.expiresAt?.epochNanoseconds ?? null) &&
  rollsOverWhole(a) === rollsOverWhole(b);

const joined = (to: GrantState, grant: BalanceGrant, figures: StateMember['figures']): GrantState => ({
  id: to.group ? to.id : `${to.id} and others`, // no row has this id
  balance: to.balance.plus(figures.balance),
  burned: to.burned.plus(figures.burned),
  returnable: to.returnable.plus(figures.returnable),
  issuedAt: to.issuedAt,
  group: to.group ?? {
    priority: grant.priority,
    expiresAt: grant.expiresAt,
    createdAt: grant.createdAt,
    order: grant.order,
    rollsOver: rollsOverWhole(grant),
  },
});

/** A group as one grant of a replay: it has begun, and counts as its grants together do. */
export const grantOfGroup = ({ id, issuedAt }: GrantState, group: GrantGroup, at: Instant): BalanceGrant => ({
  id,
  amount: ZERO, // it neither begins nor recurs any more
  priority: group.priority,
  effectiveAt: at,
  expiresAt: group.expiresAt,
  voidedAt: null,
  recurrence: null,
  maxRollover: group.rollsOver ? UNLIMITED : ZERO,
  minRollover: ZERO,
  createdAt: group.createdAt,
  order: group.order,
  issuedAt,
});
