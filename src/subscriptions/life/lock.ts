import { effectiveNow } from '../../clocks/index.ts';
import { type Taxation, taxationsUnder } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { EntitlingSubscription } from '../../entitlements/index.ts';
import { findMerchant, type MerchantOrganization } from '../../identity/index.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { type Agreement, loadAgreement } from '../billing/agreement.ts';
import type { SubscriptionRow, SubscriptionStatus } from '../subscription/subscription.ts';
import { lockSubscription, lockSubscriptionNow, selectSubscription } from '../subscription/subscriptions.sql.ts';
import { entitlingOf } from './activate.ts';

/** A locked subscription with the facts of an operation on it. */
export interface HeldSubscription {
  readonly subscription: SubscriptionRow;
  /** Effective now. */
  readonly now: Instant;
  readonly merchant: MerchantOrganization;
  readonly taxation: Taxation;
  readonly agreement: Agreement;
}

/**
 * A subscription that has not ended, locked, with its effective now: its clock is held first, then the row. One whose
 * planned end has come is over, whether or not a worker has said so yet.
 */
export async function lockLiving(
  tx: Tx,
  merchantId: string,
  id: string,
  trigger: string,
  wall: Instant,
): Promise<Result<{ subscription: SubscriptionRow; now: Instant }>> {
  const found = await selectSubscription(tx, merchantId, id);
  if (!found) return notFound('subscription');
  const now = await effectiveNow(tx, merchantId, found.clockId, wall);
  const subscription = await lockSubscription(tx, merchantId, id);
  if (!subscription) return notFound('subscription');
  const isOver =
    subscription.status === 'terminated' || (subscription.endingAt !== null && !isAfter(subscription.endingAt, now));
  return isOver ? refusedIn('terminated', trigger, ['pending_payment', 'active']) : ok({ subscription, now });
}

/** The participle of each trigger, for the refusal. */
const DONE: Readonly<Record<string, string>> = {
  adjust: 'adjusted',
  update: 'changed',
  terminate: 'ended',
  change: 'moved to another plan',
  reconcile: 'reconciled',
  entitle: 'given entitlements',
  changeBankTransferOnly: 'paid in another way',
};

/** The refusal of a trigger in a status (§3). */
export const refusedIn = (status: string, trigger: string, allowedFrom: readonly string[]) =>
  wrongState({ thing: 'subscription', status, trigger, allowedFrom, done: DONE[trigger] ?? null });

/** The same, of one that is active: what waits for its payment has nothing yet that could be given to it or taken. */
export async function lockActive(...[tx, merchantId, id, trigger, wall]: Parameters<typeof lockLiving>) {
  const locked = await lockLiving(tx, merchantId, id, trigger, wall);
  return locked.ok && locked.value.subscription.status !== 'active'
    ? refusedIn(locked.value.subscription.status, trigger, ['active'])
    : locked;
}

type Locked = Awaited<ReturnType<typeof lockLiving>>;

/** The subscription that `lockLiving` answers, with the facts. */
export const holdLiving = async (...args: Parameters<typeof lockLiving>): Promise<Result<HeldSubscription>> =>
  hold(args[0], await lockLiving(...args));

/** The subscription that `lockActive` answers, with the facts. */
export const holdActive = async (...args: Parameters<typeof lockLiving>): Promise<Result<HeldSubscription>> =>
  hold(args[0], await lockActive(...args));

/** The same for a change. @param planId the plan to which it goes, if it names one */
export const holdForChange = async (
  tx: Tx,
  merchantId: string,
  { id, planId }: { readonly id: string; readonly planId: string | undefined },
  wall: Instant,
): Promise<Result<HeldSubscription>> => hold(tx, await lockActive(tx, merchantId, id, 'change', wall), planId);

async function hold(tx: Tx, locked: Locked, otherPlanId?: string): Promise<Result<HeldSubscription>> {
  if (!locked.ok) return locked;
  const { subscription } = locked.value;
  const merchant = await findMerchant(tx, subscription.merchantId);
  const taxations = await taxationsUnder(tx, merchant, [subscription.customerId]);
  const agreement = await loadAgreement(tx, subscription, otherPlanId);
  return ok({ ...locked.value, merchant, taxation: taxations(subscription.customerId), agreement });
}

/**
 * An active subscription, held for what is given to it by hand, with its effective now. `wall` is wall time.
 * @returns 404; INVALID_TRANSITION where it has ended or waits for its payment
 */
export async function lockActiveSubscription(
  tx: Tx,
  merchantId: string,
  id: string,
  wall: Instant,
): Promise<Result<{ subscription: EntitlingSubscription; now: Instant }>> {
  const locked = await lockActive(tx, merchantId, id, 'entitle', wall);
  return locked.ok ? ok({ subscription: entitlingOf(locked.value.subscription), now: locked.value.now }) : locked;
}

/** Locks a subscription. @returns whether it waits for its payment, is active or has ended */
export async function lockStatus(tx: Tx, merchantId: string, id: string): Promise<SubscriptionStatus> {
  const subscription = await lockSubscription(tx, merchantId, id);
  if (!subscription) throw new Error(`Subscription ${id} no longer exists.`);
  return subscription.status;
}

/** Locks a subscription. @param wait false: throws 55P03 if another process has it */
export async function lockRow(tx: Tx, merchantId: string, id: string, wait: boolean): Promise<void> {
  await (wait ? lockSubscription : lockSubscriptionNow)(tx, merchantId, id);
}
