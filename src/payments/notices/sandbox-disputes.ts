import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ProviderDisputeFact } from '../provider/remote.ts';
import { type Dispute, lockDispute, selectDisputeOf } from '../records/disputes.sql.ts';
import { bookDispute } from './disputes.ts';

const PROVIDER = 'sandbox';

const factOf = (dispute: Dispute, status: ProviderDisputeFact['status']): ProviderDisputeFact => ({
  ...{ kind: 'dispute', reference: dispute.id.slice(PROVIDER.length + 1), chargeReference: dispute.chargeReference },
  ...{ amount: dispute.amount, currency: dispute.currency, reason: dispute.reason, status },
});

/** A dispute of the sandbox opens. */
export const sandboxDisputesDue: DueKind = {
  kind: 'payment_dispute',
  step: async (tx, { merchantId, id }, now) => {
    const dispute = await lockDispute(tx, merchantId, id);
    await bookDispute(tx, { merchantId, provider: PROVIDER }, factOf(dispute, 'open'), now);
  },
};

/**
 * Decides the open dispute about a payment of the sandbox, as a bank would.
 * @param wall wall time
 * @returns 404; INVALID_TRANSITION where the payment has no open dispute
 */
export async function decideDispute(
  tx: Tx,
  { merchantId, paymentId }: { readonly merchantId: string; readonly paymentId: string },
  outcome: 'won' | 'lost',
  wall: Instant,
): Promise<Result<Dispute>> {
  const found = await selectDisputeOf(tx, merchantId, paymentId);
  if (!found) return refused('undisputed');
  await effectiveNow(tx, merchantId, found.clockId, wall); // its clock comes before it
  const dispute = await lockDispute(tx, merchantId, found.id);
  if (dispute.status !== 'open') return refused(dispute.status === 'inquiry' ? 'undisputed' : dispute.status);
  await bookDispute(tx, { merchantId, provider: PROVIDER }, factOf(dispute, outcome), wall);
  const decided = await selectDisputeOf(tx, merchantId, paymentId);
  return decided ? ok(decided) : notFound('payment');
}

const refused = (status: string) =>
  wrongState({ thing: 'payment', status, trigger: 'decideDispute', allowedFrom: ['open'], done: null });
