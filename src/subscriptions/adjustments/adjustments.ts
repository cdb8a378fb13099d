import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import { calculateAgain, findIssuedUnderAdjustment, lockUnissuedUnder } from '../../invoicing/index.ts';
import { decimalOf, plain } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOf, instantOrNull, isBefore } from '../../kernel/time.ts';
import { lockLiving } from '../life/lock.ts';
import {
  type AdjustmentRow,
  deleteAdjustmentRow,
  insertAdjustment,
  selectAdjustment,
  selectAdjustmentByKey,
} from '../subscription/adjustments.sql.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import { lockSubscription, selectSubscription } from '../subscription/subscriptions.sql.ts';
import type { AdjustmentCreateBody } from './adjustment-schemas.ts';

/** An adjustment that was made, or the one that the same idempotency key made before. */
export interface CreatedAdjustment {
  readonly adjustment: AdjustmentRow;
  readonly isNew: boolean;
}

/**
 * POST …/adjustments (§4): invoices that are calculated from now on and whose instant the window holds are discounted;
 * those that have been calculated are not changed. The key again answers the first adjustment, whatever else the body
 * says.
 * @returns 404; 400 for a window that ends before it begins; INVALID_TRANSITION where the subscription has ended
 */
export async function createAdjustment(
  tx: Tx,
  subscriptionId: string,
  body: AdjustmentCreateBody,
  wall: Instant,
): Promise<Result<CreatedAdjustment>> {
  const { idempotencyKey: key } = body;
  const locked = await lockLiving(tx, subscriptionId, 'adjust', wall);
  // A retry is answered also after the end: the row is locked either way, so that a twin waits here and finds what we
  // made.
  const known = key === undefined ? undefined : await selectAdjustmentByKey(tx, subscriptionId, key);
  if (known) return ok({ adjustment: known, isNew: false });
  if (!locked.ok) return locked;
  const window = windowOf(body);
  if (!window.ok) return window;
  const adjustment = await insertAdjustment(tx, {
    merchantId: tx.merchantId,
    id: newId('adjustment'),
    subscriptionId,
    percentageDiscount: decimalOf(body.percentageDiscount),
    effectiveFrom: window.value.from,
    effectiveTo: window.value.to,
    description: body.description ?? '',
    idempotencyKey: key ?? null,
    createdAt: locked.value.now,
  });
  return ok({ adjustment, isNew: true });
}

function windowOf({ effectiveFrom, effectiveTo }: AdjustmentCreateBody): Result<{ from: Instant; to: Instant | null }> {
  const from = instantOf(effectiveFrom);
  const to = instantOrNull(effectiveTo);
  if (to !== null && !isBefore(from, to)) return invalidField('effectiveTo', 'must be after effectiveFrom');
  return ok({ from, to });
}

/**
 * DELETE …/adjustments/{id}: drafts that were calculated with it are calculated again, without it. They are locked
 * before it is asked whether one has issued, so that an approval comes before this, and keeps the adjustment, or after
 * it.
 * @returns 404; ADJUSTMENT_IN_USE where an invoice has issued under it
 */
export async function deleteAdjustment(
  { invoicing }: Pick<SubscriptionDependencies, 'invoicing'>,
  tx: Tx,
  { subscriptionId, id }: { merchantId: string; subscriptionId: string; id: string },
  wall: Instant,
): Promise<Result<void>> {
  const subscription = await selectSubscription(tx, subscriptionId);
  if (!subscription) return notFound('subscription');
  const now = await effectiveNow(tx, subscription.clockId, wall);
  await lockSubscription(tx, subscriptionId);
  const found = await selectAdjustment(tx, subscriptionId, id);
  if (!found) return notFound('adjustment');
  const drafts = await lockUnissuedUnder(tx, subscriptionId, id);
  const invoiceId = await findIssuedUnderAdjustment(tx, subscriptionId, id);
  if (invoiceId !== undefined) return fail('ADJUSTMENT_IN_USE', { invoiceId });
  await deleteAdjustmentRow(tx, found);
  for (const draft of drafts) await calculateAgain(invoicing, tx, draft, now);
  return ok(undefined);
}

/** An adjustment as the API answers it (§2). */
export const toAdjustmentReply = (adjustment: AdjustmentRow) => ({
  id: adjustment.id,
  object: 'subscriptionAdjustment' as const,
  subscriptionId: adjustment.subscriptionId,
  type: 'percentageDiscount' as const,
  percentageDiscount: plain(adjustment.percentageDiscount),
  effectiveFrom: formatInstant(adjustment.effectiveFrom),
  effectiveTo: adjustment.effectiveTo && formatInstant(adjustment.effectiveTo),
  description: adjustment.description,
  createdAt: formatInstant(adjustment.createdAt),
});
