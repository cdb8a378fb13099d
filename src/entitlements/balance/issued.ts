import { createHash } from 'node:crypto';
import { BASE62, ID_PREFIXES } from '../../kernel/ids.ts';
import { type Instant, isBefore } from '../../kernel/time.ts';
import type { BalanceGrant, BalanceInputs } from './model.ts';
import { isActiveAt, resetsBetween, type Schedule, scheduleOf, termAt } from './schedule.ts';

const ID_LENGTH = 24;

/** The id of the grant that the template issues after a reset: the same before and after its row is written. */
export function grantIdOf(entitlementId: string, issuedAt: Instant): string {
  const hash = createHash('sha256').update(`${entitlementId} ${issuedAt.toString()}`).digest('hex');
  let remaining = BigInt(`0x${hash}`);
  let body = '';
  while (body.length < ID_LENGTH) {
    body += BASE62[Number(remaining % 62n)];
    remaining /= 62n;
  }
  return ID_PREFIXES.grant + body;
}

/** The grant of the template at an instant, which is a reset or the start; null: none. */
export function issuedGrantAt(schedule: Schedule, issuedAt: Instant): BalanceGrant | null {
  const { issueAfterReset, issuePriority, maxRollover, minRollover } = termAt(schedule, issuedAt);
  if (!issueAfterReset?.gt(0)) return null;
  return {
    id: grantIdOf(schedule.inputs.entitlementId, issuedAt),
    amount: issueAfterReset,
    priority: issuePriority,
    effectiveAt: issuedAt,
    expiresAt: null,
    voidedAt: null,
    recurrence: null,
    maxRollover,
    minRollover,
    createdAt: issuedAt,
    order: 0n,
    issuedAt,
  };
}

/** The instants with rows of the template's grants, voided ones too. */
export const writtenAt = ({ grants }: BalanceInputs): ReadonlySet<bigint | null> =>
  new Set(grants.map(({ issuedAt }) => issuedAt?.epochNanoseconds ?? null));

/** Does the template issue something at the start of an entitlement? */
export const issuesAtStart = (inputs: BalanceInputs): boolean => isActiveAt(inputs, inputs.activeFrom);

/**
 * The grants by the template for each reset in `(after, until]` (null: for the start too) that have no row yet. A row
 * is known by its `issuedAt`; one that was voided is a row too.
 */
export function issuedGrants(inputs: BalanceInputs, after: Instant | null, until: Instant): BalanceGrant[] {
  const { activeFrom } = inputs;
  const schedule = scheduleOf(inputs);
  const written = writtenAt(inputs);
  const atStart = after === null && !isBefore(until, activeFrom) && issuesAtStart(inputs) ? [activeFrom] : [];
  const times = [...atStart, ...[...resetsBetween(schedule, after ?? activeFrom, until)].map(({ at }) => at)];
  return times.flatMap((at) => (written.has(at.epochNanoseconds) ? [] : (issuedGrantAt(schedule, at) ?? [])));
}
