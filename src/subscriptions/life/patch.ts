import type { Tx } from '../../db/index.ts';
import type { CreditMode } from '../../invoicing/index.ts';
import { type FieldError, invalid, ok, type Result } from '../../kernel/result.ts';
import { type Instant, instantOf, instantOrNull } from '../../kernel/time.ts';
import { decideTermination, endErrors } from '../subscription/decide.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import type { SubscriptionUpdateBody } from '../subscription/schemas.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { updateSubscription } from '../subscription/subscriptions.sql.ts';
import { publishSubscriptionEvent } from '../subscription/webhooks.ts';
import { watchRequired } from './credits-required.ts';
import { approveOpenInvoices, type Ending, endSubscription, planEnd } from './end.ts';
import { type HeldSubscription, refusedIn } from './lock.ts';
import { moveResumption } from './pause.ts';
import { nextActionOf } from './reminders.ts';
import { moveTrialEnd } from './trial.ts';
import { endPending } from './upfront.ts';

/** PATCH of a subscription that is living (§4). Nothing leaves `terminated` (domain.md §3). */
export async function patchSubscription(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  held: HeldSubscription,
  input: SubscriptionUpdateBody,
): Promise<Result<SubscriptionRow>> {
  const { subscription, now, agreement } = held;
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
      creditsRequired: input.creditsRequired ?? subscription.creditsRequired,
      taxExempt: input.taxExempt ?? subscription.taxExempt,
      paymentTermDays: input.paymentTermDays ?? subscription.paymentTermDays,
      renewalReminderEnabled: given(input.renewalReminderEnabled, subscription.renewalReminderEnabled),
      renewalReminderDays: given(input.renewalReminderDays, subscription.renewalReminderDays),
    },
    now,
  );
  if (changed.creditsRequired !== subscription.creditsRequired) await watchRequired(tx, agreement, changed, now);
  if (changed.autoApprove !== subscription.autoApprove)
    await approveOpenInvoices(tx, { ...held, subscription: changed });
  if (endingAt !== undefined) changed = await planEnd(dependencies, tx, { ...held, subscription: changed }, endingAt);
  if (input.resumesAt !== undefined) {
    const moved = await moveResumption(
      dependencies,
      tx,
      { ...held, subscription: changed },
      instantOrNull(input.resumesAt),
    );
    if (!moved.ok) return moved;
    changed = moved.value;
  }
  if (input.trialEnd !== undefined) {
    const moved = await moveTrialEnd(dependencies, tx, { ...held, subscription: changed }, instantOf(input.trialEnd));
    if (!moved.ok || moved.value.status === 'terminated') return moved;
    changed = moved.value;
  }
  if (terminatedAt !== undefined) {
    const by = input.terminatedBy ?? subscription.merchantId;
    const ending = { at: terminatedAt, by, reason: input.terminationReason ?? null };
    return endNow(dependencies, tx, { ...held, subscription: changed }, ending);
  }
  if (endingAt === undefined)
    changed = await updateSubscription(
      tx,
      changed,
      { nextActionAt: nextActionOf(changed, agreement.at(changed).plan, now) },
      now,
    );
  await publishSubscriptionEvent(tx, changed, 'subscription.updated.v0', now);
  return ok(changed);
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
export const terminateSubscription = (
  dependencies: SubscriptionDependencies,
  tx: Tx,
  held: HeldSubscription,
  { reason, credit }: { reason: string; credit?: CreditMode },
): Promise<Result<SubscriptionRow>> =>
  endNow(dependencies, tx, held, { at: held.now, by: held.subscription.merchantId, reason, ...(credit && { credit }) });

/** Ends a subscription, whether it is active or waits for its payment. */
const endNow = async (
  dependencies: SubscriptionDependencies,
  tx: Tx,
  held: HeldSubscription,
  ending: Ending,
): Promise<Result<SubscriptionRow>> =>
  held.subscription.status === 'pending_payment'
    ? endPending(dependencies, tx, held.subscription, ending, held.now)
    : ok(await endSubscription(dependencies, tx, held, ending));
