import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import type { CreditMode } from '../../invoicing/index.ts';
import { type FieldError, invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import { type Instant, instantOf, instantOrNull, isAfter } from '../../kernel/time.ts';
import { decideTermination, endErrors } from '../subscription/decide.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import type { SubscriptionUpdateBody } from '../subscription/schemas.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { lockSubscription, selectSubscription, updateSubscription } from '../subscription/subscriptions.sql.ts';
import { publishSubscriptionEvent } from '../subscription/webhooks.ts';
import { approveOpenInvoices, type Ending, endSubscription, planEnd } from './end.ts';
import { nextActionOf } from './reminders.ts';
import { endPending } from './upfront.ts';

/** PATCH of a subscription (§4). Nothing leaves `terminated` (domain.md §3). */
export async function patchSubscription(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  merchantId: string,
  id: string,
  input: SubscriptionUpdateBody,
  wall: Instant,
): Promise<Result<SubscriptionRow>> {
  const locked = await lockLiving(tx, merchantId, id, 'update', wall);
  if (!locked.ok) return locked;
  const { subscription, now } = locked.value;
  const decided = decidePatch(subscription, input, now);
  if (!decided.ok) return decided;
  const bankTransferOnly = input.bankTransferOnly ?? subscription.bankTransferOnly;
  if (subscription.status === 'pending_payment' && bankTransferOnly !== subscription.bankTransferOnly)
    return refusedIn(subscription.status, 'changeBankTransferOnly', ['active']);
  const { terminatedAt, endingAt } = decided.value;

  let changed = await updateSubscription(
    tx,
    subscription,
    {
      name: input.name ?? subscription.name,
      metadata: input.metadata ?? subscription.metadata,
      bankTransferOnly,
      autoApprove: given(input.autoApprove, subscription.autoApprove),
      autoCharge: input.autoCharge ?? subscription.autoCharge,
      taxExempt: input.taxExempt ?? subscription.taxExempt,
      paymentTermDays: input.paymentTermDays ?? subscription.paymentTermDays,
      renewalReminderEnabled: given(input.renewalReminderEnabled, subscription.renewalReminderEnabled),
      renewalReminderDays: given(input.renewalReminderDays, subscription.renewalReminderDays),
    },
    now,
  );
  if (changed.autoApprove !== subscription.autoApprove) await approveOpenInvoices(tx, changed, now);
  if (endingAt !== undefined) changed = await planEnd(tx, dependencies, changed, endingAt, now);
  if (terminatedAt !== undefined) {
    const by = input.terminatedBy ?? merchantId;
    return endNow(dependencies, tx, changed, { at: terminatedAt, by, reason: input.terminationReason ?? null }, now);
  }
  if (endingAt === undefined)
    changed = await updateSubscription(tx, changed, { nextActionAt: await nextActionOf(tx, changed, now) }, now);
  await publishSubscriptionEvent(tx, changed, 'subscription.updated.v0', now);
  return ok(changed);
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

const refusedIn = (status: string, trigger: string, allowedFrom: readonly string[]) =>
  wrongState({ thing: 'subscription', status, trigger, allowedFrom, done: DONE[trigger] ?? null });

/** The same, of one that is active: what waits for its payment has nothing yet that could be given to it or taken. */
export async function lockActive(...[tx, merchantId, id, trigger, wall]: Parameters<typeof lockLiving>) {
  const locked = await lockLiving(tx, merchantId, id, trigger, wall);
  return locked.ok && locked.value.subscription.status !== 'active'
    ? refusedIn(locked.value.subscription.status, trigger, ['active'])
    : locked;
}

const given = <T>(value: T | undefined, otherwise: T): T => (value === undefined ? otherwise : value);

/** §2: `paymentTermDays` above 0 needs `bankTransferOnly`, as both are after the change. */
function termErrors(subscription: SubscriptionRow, input: SubscriptionUpdateBody): FieldError[] {
  const days = input.paymentTermDays ?? subscription.paymentTermDays;
  if (days === 0 || (input.bankTransferOnly ?? subscription.bankTransferOnly)) return [];
  if (input.paymentTermDays !== undefined)
    return [{ field: 'paymentTermDays', message: 'may be above 0 only with bankTransferOnly' }];
  const message = `must stay true while paymentTermDays is ${days}; send paymentTermDays: 0 with it`;
  return input.bankTransferOnly === undefined ? [] : [{ field: 'bankTransferOnly', message }];
}

/** The times that a PATCH asks for, where all of it is allowed. */
export function decidePatch(
  subscription: SubscriptionRow,
  input: SubscriptionUpdateBody,
  now: Instant,
): Result<{ terminatedAt?: Instant; endingAt?: Instant | null }> {
  const errors: FieldError[] = [];
  const endingAt = input.endingAt === undefined ? undefined : instantOrNull(input.endingAt);
  if (endingAt !== undefined) errors.push(...endErrors('endingAt', endingAt, subscription.startedAt, now));
  errors.push(...termErrors(subscription, input));
  if (input.terminatedAt === undefined) {
    for (const field of ['terminatedBy', 'terminationReason'] as const) {
      if (input[field] !== undefined) errors.push({ field, message: 'goes with terminatedAt' });
    }
  }
  if (
    input.terminatedBy !== undefined &&
    ![subscription.merchantId, subscription.customerId].includes(input.terminatedBy)
  ) {
    errors.push({ field: 'terminatedBy', message: "must be the merchant's or the customer's id" });
  }
  if (errors.length > 0) return invalid(errors);
  if (input.terminatedAt === undefined) return ok(endingAt === undefined ? {} : { endingAt });
  const terminatedAt = decideTermination(instantOf(input.terminatedAt), subscription.startedAt, now);
  return terminatedAt.ok
    ? ok({ terminatedAt: terminatedAt.value, ...(endingAt !== undefined && { endingAt }) })
    : terminatedAt;
}

/** POST …/termination: ends it now; one that has not started yet ends without having billed anything. */
export async function terminateSubscription(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  merchantId: string,
  id: string,
  { reason, credit }: { reason: string; credit?: CreditMode },
  wall: Instant,
): Promise<Result<SubscriptionRow>> {
  const locked = await lockLiving(tx, merchantId, id, 'terminate', wall);
  if (!locked.ok) return locked;
  const { subscription, now } = locked.value;
  return endNow(dependencies, tx, subscription, { at: now, by: merchantId, reason, ...(credit && { credit }) }, now);
}

/** Ends a subscription, whether it is active or waits for its payment. */
const endNow = async (
  dependencies: SubscriptionDependencies,
  tx: Tx,
  subscription: SubscriptionRow,
  ending: Ending,
  now: Instant,
): Promise<Result<SubscriptionRow>> =>
  subscription.status === 'pending_payment'
    ? endPending(dependencies, tx, subscription, ending, now)
    : ok(await endSubscription(tx, dependencies, subscription, ending, now));
