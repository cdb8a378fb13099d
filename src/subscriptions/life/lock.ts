import { effectiveNows } from '../../clocks/index.ts';
import { type Taxation, taxationsUnder } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { EntitlingSubscription } from '../../entitlements/index.ts';
import { findMerchant, type MerchantOrganization } from '../../identity/index.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { type Agreement, loadAgreements } from '../billing/agreement.ts';
import type { SubscriptionRow, SubscriptionStatus } from '../subscription/subscription.ts';
import {
  lockSubscription,
  lockSubscriptionNow,
  lockSubscriptions,
  selectSubscriptionsById,
} from '../subscription/subscriptions.sql.ts';
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

/** A locked subscription with its effective now. */
type Locked = Pick<HeldSubscription, 'subscription' | 'now'>;

/**
 * Some subscriptions of one merchant that have not ended, locked, with their effective now, in the order asked: their
 * clocks are held first, then the rows. One whose planned end has come is over, whether or not a worker has said so
 * yet.
 */
async function lockAllLiving(
  tx: Tx,
  ids: readonly string[],
  trigger: string,
  wall: Instant,
): Promise<Result<Locked>[]> {
  const found = await selectSubscriptionsById(tx, ids);
  const clocks = new Map(found.map(({ id, clockId }) => [id, clockId]));
  const nowOn = await effectiveNows(tx, [...clocks.values()], wall);
  const rows = found.length === 0 ? [] : await lockSubscriptions(tx, [...clocks.keys()]);
  const locked = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const subscription = locked.get(id);
    if (!subscription) return notFound('subscription');
    const now = nowOn(clocks.get(id) ?? null);
    const isOver =
      subscription.status === 'terminated' || (subscription.endingAt !== null && !isAfter(subscription.endingAt, now));
    return isOver ? refusedIn('terminated', trigger, ['pending_payment', 'active']) : ok({ subscription, now });
  });
}

/** One subscription that has not ended; see `lockAllLiving`. */
export async function lockLiving(tx: Tx, id: string, trigger: string, wall: Instant): Promise<Result<Locked>> {
  const [locked] = await lockAllLiving(tx, [id], trigger, wall);
  return locked as Result<Locked>;
}

/** The participle of each trigger, for the refusal. */
const DONE: Readonly<Record<string, string>> = {
  adjust: 'adjusted',
  update: 'changed',
  terminate: 'ended',
  change: 'moved to another plan',
  reconcile: 'reconciled',
  redeem: 'given a coupon',
  endCoupon: 'left without its coupon',
  entitle: 'given entitlements',
  pause: 'paused',
  resume: 'resumed',
  changeBankTransferOnly: 'paid in another way',
  moveTrialEnd: 'given another `trialEnd`',
};

/** The refusal of a trigger in a status (§3). */
export const refusedIn = (status: string, trigger: string, allowedFrom: readonly string[]) =>
  wrongState({ thing: 'subscription', status, trigger, allowedFrom, done: DONE[trigger] ?? null });

/** What waits for its payment has nothing yet that could be given to it or taken. */
const activeOnly = (locked: Result<Locked>, trigger: string): Result<Locked> =>
  locked.ok && locked.value.subscription.status !== 'active'
    ? refusedIn(locked.value.subscription.status, trigger, ['active'])
    : locked;

/** One subscription that is active; see `lockAllLiving`. */
export async function lockActive(tx: Tx, id: string, trigger: string, wall: Instant) {
  return activeOnly(await lockLiving(tx, id, trigger, wall), trigger);
}

/** The subscription that `lockLiving` answers, with the facts. */
export const holdLiving = async (
  tx: Tx,
  id: string,
  trigger: string,
  wall: Instant,
): Promise<Result<HeldSubscription>> => hold(tx, await lockLiving(tx, id, trigger, wall));

/** The subscription that `lockActive` answers, with the facts. */
export const holdActive = async (
  tx: Tx,
  id: string,
  trigger: string,
  wall: Instant,
): Promise<Result<HeldSubscription>> => hold(tx, await lockActive(tx, id, trigger, wall));

/**
 * Some active subscriptions of one merchant for a change, with the facts, in the order asked.
 * @param planId the plan to which they go, if the change names one
 */
export async function holdAllForChange(
  tx: Tx,
  { ids, planId }: { readonly ids: readonly string[]; readonly planId: string | undefined },
  wall: Instant,
): Promise<Result<HeldSubscription>[]> {
  const locked = await lockAllLiving(tx, ids, 'change', wall);
  return holdAll(
    tx,
    locked.map((each) => activeOnly(each, 'change')),
    planId,
  );
}

/** One active subscription for a change. @param planId the plan to which it goes, if it names one */
export async function holdForChange(
  tx: Tx,
  { id, planId }: { readonly id: string; readonly planId: string | undefined },
  wall: Instant,
): Promise<Result<HeldSubscription>> {
  const [held] = await holdAllForChange(tx, { ids: [id], planId }, wall);
  return held as Result<HeldSubscription>;
}

async function hold(tx: Tx, locked: Result<Locked>): Promise<Result<HeldSubscription>> {
  const [held] = await holdAll(tx, [locked]);
  return held as Result<HeldSubscription>;
}

/** Adds the facts to subscriptions of one merchant that could be locked. */
async function holdAll(
  tx: Tx,
  all: readonly Result<Locked>[],
  otherPlanId?: string,
): Promise<Result<HeldSubscription>[]> {
  const subscriptions = all.flatMap((each) => (each.ok ? [each.value.subscription] : []));
  const [first] = subscriptions;
  if (!first) return all.filter((each) => !each.ok);
  const merchant = await findMerchant(tx);
  const customerIds = subscriptions.map(({ customerId }) => customerId);
  const taxations = await taxationsUnder(tx, merchant, customerIds);
  const agreements = await loadAgreements(tx, subscriptions, otherPlanId);
  return all.map((each) => {
    if (!each.ok) return each;
    const { id, customerId } = each.value.subscription;
    return ok({ ...each.value, merchant, taxation: taxations(customerId), agreement: agreements(id) });
  });
}

/**
 * An active subscription, held for what is given to it by hand, with its effective now. `wall` is wall time.
 * @returns 404; INVALID_TRANSITION where it has ended or waits for its payment
 */
export async function lockActiveSubscription(
  tx: Tx,
  id: string,
  wall: Instant,
): Promise<Result<{ subscription: EntitlingSubscription; now: Instant }>> {
  const locked = await lockActive(tx, id, 'entitle', wall);
  return locked.ok ? ok({ subscription: entitlingOf(locked.value.subscription), now: locked.value.now }) : locked;
}

/** Locks a subscription. @returns whether it waits for its payment, is active or has ended */
export async function lockStatus(tx: Tx, id: string): Promise<SubscriptionStatus> {
  const subscription = await lockSubscription(tx, id);
  if (!subscription) throw new Error(`Subscription ${id} no longer exists.`);
  return subscription.status;
}

/** Locks a subscription. @param wait false: throws 55P03 if another process has it */
export async function lockRow(tx: Tx, id: string, wait: boolean): Promise<void> {
  await (wait ? lockSubscription : lockSubscriptionNow)(tx, id);
}
