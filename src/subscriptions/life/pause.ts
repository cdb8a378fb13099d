import type { Tx } from '../../db/index.ts';
import { pauseEntitlements, reconcileEntitlements } from '../../entitlements/index.ts';
import {
  type BillingTerms,
  boundsOfSeries,
  closeWhatIsOver,
  followChanges,
  type Pause,
  periodHolding,
} from '../../invoicing/index.ts';
import { invalid, invalidField, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOrNull, isAfter, isBefore, latest } from '../../kernel/time.ts';
import { type Agreement, loadAgreement, termsUnder, withFirstVersion } from '../billing/agreement.ts';
import { lockToBill, markSiblings } from '../billing/usage-claims.ts';
import { updateWaitingToBeDue } from '../subscription/changes.sql.ts';
import { endOf } from '../subscription/decide.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import { checkPause, currentPause, resumptionErrors, withLast } from '../subscription/pauses.ts';
import type { PauseBody, ResumptionBody } from '../subscription/schemas.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { updateSubscription } from '../subscription/subscriptions.sql.ts';
import { afterTrialHeld } from '../subscription/trials.ts';
import { publishSubscriptionEvent } from '../subscription/webhooks.ts';
import { entitlingOf, seriesAnchors, startBilling } from './activate.ts';
import { followBillingStart } from './follow-trial.ts';
import type { HeldSubscription } from './lock.ts';
import { nextActionOf } from './reminders.ts';

type PauseDependencies = Pick<SubscriptionDependencies, 'invoicing'>;
type Held = Pick<HeldSubscription, 'subscription' | 'agreement' | 'now'>;

/** The end of the open period of the plan's own series; before billing begins, its start. */
export function endOfPeriod(terms: BillingTerms, now: Instant): Instant {
  const at = latest(now, terms.bounds.startedAt);
  const bounds = boundsOfSeries(terms, terms.planCadence, at);
  const period = bounds && periodHolding(terms.planCadence, bounds, at);
  if (!period || isBefore(now, terms.bounds.startedAt)) return at;
  return period.end;
}

/**
 * Pauses a subscription now or at the end of its period (commercial.md §6). What is owed follows from the pause as from
 * any other part of its history.
 * @returns INVALID_TRANSITION where it is paused already or will be; 400 where it ends before, or is resumed before
 */
export async function pauseSubscription(
  dependencies: PauseDependencies,
  tx: Tx,
  held: Held,
  body: PauseBody,
): Promise<Result<SubscriptionRow>> {
  const { subscription, agreement, now } = held;
  const allowed = checkPause(subscription, 'pause');
  if (!allowed.ok) return allowed;
  const from = body.effective === 'periodEnd' ? endOfPeriod(termsUnder(agreement, subscription), now) : now;
  const to = instantOrNull(body.resumesAt);
  const end = endOf(subscription);
  if (end !== null && !isBefore(from, end)) return invalidField('effective', 'must be before the subscription ends');
  const errors = resumptionErrors(to, from, now);
  if (errors.length > 0) return invalid(errors);
  const { usage = 'bill', credit = 'invoice', anchor = 'keep', reason = null } = body;
  const pause: Pause = {
    from: formatInstant(from),
    to: to && formatInstant(to),
    ...{ usage, credit, anchor, reason },
    status: 'pausing',
  };
  const planned = { ...held, subscription: { ...subscription, pauses: [...subscription.pauses, pause] } };
  if (!isAfter(from, now)) return ok(await beginPause(dependencies, tx, planned));
  return ok(await storePauses(tx, planned, planned.subscription.pauses, 'subscription.updated.v0'));
}

/** A pause begins: paid fees are credited, and the open invoices go on. */
export function beginPause(dependencies: PauseDependencies, tx: Tx, held: Held): Promise<SubscriptionRow> {
  const { from } = held.subscription.pauses.at(-1) as Pause;
  const pauses = withLast(held.subscription, { status: 'paused' });
  return followPauses(dependencies, tx, held, {
    pauses,
    at: Temporal.Instant.from(from),
    event: 'subscription.paused.v0',
  });
}

/**
 * POST …/resume: the pause is over now; one that has not begun is withdrawn.
 * @returns INVALID_TRANSITION where there is none
 */
export async function resumeSubscription(
  dependencies: PauseDependencies,
  tx: Tx,
  held: Held,
  { anchor = 'keep' }: ResumptionBody,
): Promise<Result<SubscriptionRow>> {
  const { subscription, now } = held;
  const allowed = checkPause(subscription, 'resume');
  if (!allowed.ok) return allowed;
  if (currentPause(subscription)?.status === 'paused')
    return ok(await endPause(dependencies, tx, held, { at: now, anchor }));
  const pauses = withLast(subscription, null);
  return ok(await followPauses(dependencies, tx, held, { pauses, at: now, event: 'subscription.updated.v0' }));
}

/**
 * A subscription is resumed: its fees go on, and a change that had waited comes. Where its trial had ended, its first
 * period begins.
 */
export async function endPause(
  dependencies: PauseDependencies,
  tx: Tx,
  held: Held,
  { at, anchor }: { readonly at: Instant } & Partial<Pick<Pause, 'anchor'>>,
): Promise<SubscriptionRow> {
  const { subscription } = held;
  const start = afterTrialHeld(subscription, at, false).billingStartsAt ?? subscription.billingStartsAt;
  const isBilled = subscription.billingOpened || !isAfter(start, at); // else there are no periods to be counted anew
  const counted = isBilled ? anchor : 'keep';
  const changes = { to: formatInstant(at), status: 'over', ...(counted && { anchor: counted }) } as const;
  const pauses = withLast(held.subscription, changes);
  const resumed = await followPauses(dependencies, tx, held, { pauses, at, event: 'subscription.resumed.v0' });
  await updateWaitingToBeDue(tx, resumed.id, at);
  const { status, billingOpened, billingStartsAt } = resumed;
  const isStarting = status === 'active' && !billingOpened && !isAfter(billingStartsAt, held.now);
  return isStarting ? startBilling(dependencies, tx, resumed, held.now) : resumed;
}

/**
 * PATCH `resumesAt`: another time of the resumption; null: until further notice.
 * @returns INVALID_TRANSITION where there is no pause; 400 for a time that is not ahead
 */
export async function moveResumption(
  dependencies: PauseDependencies,
  tx: Tx,
  held: Held,
  resumesAt: Instant | null,
): Promise<Result<SubscriptionRow>> {
  const { subscription, now } = held;
  const allowed = checkPause(subscription, 'moveResumption');
  if (!allowed.ok) return allowed;
  const { from, status } = currentPause(subscription) as Pause;
  const errors = resumptionErrors(resumesAt, Temporal.Instant.from(from), now);
  if (errors.length > 0) return invalid(errors);
  const pauses = withLast(subscription, { to: resumesAt && formatInstant(resumesAt) });
  return ok(
    status === 'pausing'
      ? await storePauses(tx, held, pauses, null)
      : await followPauses(dependencies, tx, held, { pauses, at: now, event: null }),
  );
}

type PauseNews = Parameters<typeof publishSubscriptionEvent>[2] | null;

/** The pauses of a subscription as they are stored; its entitlements have the same. */
async function storePauses(
  tx: Tx,
  { subscription, agreement, now }: Held,
  pauses: readonly Pause[],
  event: PauseNews,
  more: Partial<Pick<SubscriptionRow, 'billingStartsAt' | 'billingAnchor' | 'trialEnd'>> = {},
): Promise<SubscriptionRow> {
  const paused = { ...subscription, ...more, pauses };
  const nextActionAt = nextActionOf(paused, agreement.at(subscription).plan, now);
  const stored = await updateSubscription(tx, subscription, { ...more, pauses, nextActionAt }, now);
  await pauseEntitlements(tx, entitlingOf(stored), now);
  if (event) await publishSubscriptionEvent(tx, stored, event, now);
  return stored;
}

/** The same from an instant on that is not ahead: invoices, credits and the customer's other subscriptions follow. */
async function followPauses(
  dependencies: PauseDependencies,
  tx: Tx,
  held: Held,
  { pauses, at, event }: { readonly pauses: readonly Pause[]; readonly at: Instant; readonly event: PauseNews },
): Promise<SubscriptionRow> {
  const { subscription, now } = held;
  await lockToBill(tx, subscription, at, now);
  const asksRestart = pauses.some(({ anchor, to }) => anchor === 'restart' && to === formatInstant(at));
  const isRestarted = asksRestart && subscription.billingOpened;
  const agreement = isRestarted ? await withFirstVersion(tx, subscription, held.agreement) : held.agreement;
  const before = termsUnder(agreement, subscription);
  if (subscription.billingOpened) await closeWhatIsOver(tx, [{ terms: before, at }], now);
  const more = {
    ...afterTrialHeld(subscription, at, asksRestart),
    ...(isRestarted && { billingAnchor: at }),
  };
  const stored = await storePauses(
    tx,
    { ...held, agreement },
    pauses,
    event,
    pauses.at(-1)?.status === 'over' ? more : {},
  );
  const { billingStartsAt: start } = subscription;
  const hasMoved = !stored.billingStartsAt.equals(start);
  if (hasMoved) await followBillingStart(tx, stored, agreement, start, now);
  const terms = termsUnder(agreement, stored);
  if (stored.billingOpened) await followChanges(dependencies.invoicing, tx, [{ terms, at }], now);
  await markSiblings(tx, stored, at, now);
  if (isRestarted) await restartEntitlements(tx, stored, agreement, terms, { at, now });
  return stored;
}

/** The usage periods of entitlements that follow billing are counted as its periods are. */
async function restartEntitlements(
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  terms: BillingTerms,
  { at, now }: { readonly at: Instant; readonly now: Instant },
): Promise<void> {
  const { prices } = agreement.at(subscription).version;
  const entitling = { subscription: entitlingOf(subscription), prices: { pinned: prices, current: prices } };
  await reconcileEntitlements(
    tx,
    [{ ...entitling, anchorOf: seriesAnchors(terms, at) }],
    { isDry: false, grantsNow: false },
    now,
  );
}

/** The pause of a subscription begins or is over because its time has come. */
export async function passPause(
  dependencies: PauseDependencies,
  tx: Tx,
  subscription: SubscriptionRow,
  now: Instant,
): Promise<void> {
  const held = { subscription, agreement: await loadAgreement(tx, subscription), now };
  const pause = currentPause(subscription);
  if (pause?.status === 'pausing') await beginPause(dependencies, tx, held);
  else if (pause?.to != null) await endPause(dependencies, tx, held, { at: Temporal.Instant.from(pause.to) });
}
