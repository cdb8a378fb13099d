import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ProviderDisputeFact } from '../provider/remote.ts';
import { selectIsRefunded } from '../provider/sandbox-provider.sql.ts';
import { sandboxProvider } from '../provider/sandbox-provider.ts';
import { type Dispute, lockDispute, selectDisputeOf, updateDispute } from '../records/disputes.sql.ts';
import { lockAnyReceipt } from '../records/receipts.sql.ts';
import { bookDispute } from './disputes.ts';

const { name: PROVIDER } = sandboxProvider;

const factOf = (dispute: Dispute, status: ProviderDisputeFact['status']): ProviderDisputeFact => ({
  ...{ kind: 'dispute', reference: dispute.id.slice(PROVIDER.length + 1), chargeReference: dispute.chargeReference },
  ...{ amount: dispute.amount, currency: dispute.currency, reason: dispute.reason, status },
});

/**
 * A dispute of the sandbox opens. Where the money has gone back before, it stays an inquiry: money leaves once
 * (domain.md §4, Refund). The payment is locked, so that no refund leaves at the same time.
 */
export const sandboxDisputesDue: DueKind = {
  kind: 'payment_dispute',
  step: async (tx, { merchantId, id }, now) => {
    const dispute = await lockDispute(tx, id);
    await lockAnyReceipt(tx, dispute.paymentId);
    if (await selectIsRefunded(tx, dispute.chargeReference)) await updateDispute(tx, dispute, dispute, now);
    else await bookDispute(tx, { merchantId, provider: PROVIDER }, factOf(dispute, 'open'), now);
  },
};

/**
 * Decides the open dispute about a payment of the sandbox, as a bank would.
 * @param wall wall time
 * @returns INVALID_TRANSITION where the payment has no open dispute
 */
export async function decideDispute(
  tx: Tx,
  { merchantId, paymentId }: { readonly merchantId: string; readonly paymentId: string },
  outcome: 'won' | 'lost',
  wall: Instant,
): Promise<Result<Dispute>> {
  const found = await selectDisputeOf(tx, { merchantId, provider: PROVIDER, paymentId });
  if (!found) return refused('undisputed');
  await effectiveNow(tx, found.clockId, wall); // its clock comes before it
  const dispute = await lockDispute(tx, found.id);
  if (dispute.status !== 'open') return refused(dispute.status === 'inquiry' ? 'undisputed' : dispute.status);
  await bookDispute(tx, { merchantId, provider: PROVIDER }, factOf(dispute, outcome), wall);
  return ok(await lockDispute(tx, dispute.id));
}

const refused = (status: string) =>
  wrongState({ thing: 'payment', status, trigger: 'decideDispute', allowedFrom: ['open'], done: null });
