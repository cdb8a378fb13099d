import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlingSubscription } from '../entitlement/create.ts';
import { updatePauses } from '../entitlement/entitlements.sql.ts';

/** The entitlements of a subscription give no access in its pauses; their balances go on (commercial.md §6). */
export async function pauseEntitlements(
  tx: Tx,
  { subscriptionId, pauses }: EntitlingSubscription,
  now: Instant,
): Promise<void> {
  await updatePauses(tx, { subscriptionId, pauses: pauses.map(({ from, to }) => ({ from, to })) }, now);
}
