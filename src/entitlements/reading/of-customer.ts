import type { Tx } from '../../db/index.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlementDetailReply, EntitlementHistoryReply } from '../entitlement/schemas.ts';
import { toAccessReplies } from './access.ts';
import { historyOf } from './history.ts';
import { selectAllActive } from './reading.sql.ts';

/** The entitlements of a customer, and their balances day by day. */
export interface CustomerBalance {
  readonly detail: EntitlementDetailReply;
  /** Of the present usage period; none where it is long, or nothing is measured. */
  readonly windows: EntitlementHistoryReply['windows'];
}

/** The active entitlements of a customer, oldest first, each at its effective now. */
export async function findCustomerBalances(
  tx: Tx,
  { customerId }: { readonly merchantId: string; readonly customerId: string },
  { signal }: { readonly signal?: AbortSignal },
  now: Instant,
): Promise<CustomerBalance[]> {
  const active = await selectAllActive(tx, { customerId }, null, now);
  const details = orThrow(await toAccessReplies(tx, active, { at: null, signal }));
  const balances: CustomerBalance[] = [];
  for (const [index, entitlement] of active.entries()) {
    const detail = details[index] as EntitlementDetailReply;
    const question = { from: null, to: null, windowSize: 'DAY', signal } as const;
    const history =
      entitlement.featureType === 'metered'
        ? await historyOf(tx, entitlement, question, entitlement.effectiveNow)
        : null;
    balances.push({ detail, windows: history?.ok === true ? history.value.windows : [] });
  }
  return balances;
}
