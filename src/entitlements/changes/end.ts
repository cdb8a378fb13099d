import type { Tx } from '../../db/index.ts';
import { earliest, type Instant, isAfter, latest } from '../../kernel/time.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import {
  lockEntitlementsOfPlan,
  lockUnendedOfSubscription,
  updateEntitlement,
} from '../entitlement/entitlements.sql.ts';
import { deleteSnapshotsFrom } from '../inputs/snapshots.sql.ts';

/** The part of a subscription that ends. */
interface Ended {
  readonly merchantId: string;
  readonly subscriptionId: string;
}

/**
 * Ends the entitlements of a subscription at its end (domain.md §5): those of its plan, and those given to it by hand
 * without an earlier end.
 */
export async function endEntitlements(tx: Tx, of: Ended, at: Instant, now: Instant): Promise<void> {
  for (const entitlement of await lockUnendedOfSubscription(tx, of.subscriptionId, at))
    await cancelEntitlement(tx, entitlement, at, now);
}

/** Ends one entitlement, not before it began. Its lock is held. */
export function cancelEntitlement(
  tx: Tx,
  entitlement: EntitlementRow,
  at: Instant,
  now: Instant,
): Promise<EntitlementRow> {
  return moveEnd(tx, entitlement, { activeTo: latest(entitlement.activeFrom, at), isCanceled: true }, now);
}

/** The planned end of a subscription is set, moved or cleared (null), and what its plan made ends with it. */
export async function planEndOfEntitlements(tx: Tx, of: Ended, endsAt: Instant | null, now: Instant): Promise<void> {
  for (const entitlement of await lockEntitlementsOfPlan(tx, [of.subscriptionId])) {
    const end = endsAt && latest(entitlement.activeFrom, endsAt);
    if (!isSameEnd(entitlement.activeTo, end)) await moveEnd(tx, entitlement, { activeTo: end }, now);
  }
}

const isSameEnd = (a: Instant | null, b: Instant | null): boolean => (a === null || b === null ? a === b : a.equals(b));

/** All stored balances from the earlier of both ends on are no longer true; the next job is computed again. */
async function moveEnd(
  tx: Tx,
  entitlement: EntitlementRow,
  changes: { activeTo: Instant | null; isCanceled?: boolean },
  now: Instant,
): Promise<EntitlementRow> {
  const ends = [entitlement.activeTo, changes.activeTo].filter((end) => end !== null);
  if (ends.length > 0) await deleteSnapshotsFrom(tx, entitlement, ends.reduce(earliest));
  const isDue = entitlement.featureType === 'metered';
  return updateEntitlement(
    tx,
    entitlement,
    {
      ...changes,
      ...(isDue && { nextActionAt: isAfter(entitlement.activeFrom, now) ? entitlement.activeFrom : now }),
    },
    now,
  );
}
