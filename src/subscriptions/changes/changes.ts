import type { PricedVersion } from '../../catalog/index.ts';
import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import { reconcileEntitlements } from '../../entitlements/index.ts';
import {
  afterPauses,
  type BillingTerms,
  boundsOfSeries,
  cadencesOf,
  closeWhatIsOver,
  endOfPause,
  followChanges,
  hasPlan,
  type InvoiceRow,
  isBilledAt,
  lockInvoicesIn,
  pauseAt,
  windowOfRedemption,
} from '../../invoicing/index.ts';
import { newId } from '../../kernel/ids.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import {
  formatInstant,
  type Instant,
  isAfter,
  isBefore,
  latest,
  normaliseCadence,
  parseCadence,
  periodAt,
} from '../../kernel/time.ts';
import {
  type Agreement,
  firstVersionWithAnchors,
  loadAgreement,
  overridesIn,
  termsUnder,
  withHistory,
} from '../billing/agreement.ts';
import { lockAllToBill, lockToBill, markSiblings } from '../billing/usage-claims.ts';
import { entitlingOf, seriesAnchors } from '../life/activate.ts';
import type { HeldSubscription } from '../life/lock.ts';
import { nextActionOf } from '../life/reminders.ts';
import {
  type ChangeRow,
  insertChanges,
  lockChange,
  type NewChange,
  selectChange,
  updateChangeStatus,
} from '../subscription/changes.sql.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { lockSubscription, selectSubscription, updatePinned } from '../subscription/subscriptions.sql.ts';
import {
  insertVersions,
  type NewVersion,
  updateVersionCancelled,
  updateVersionOf,
} from '../subscription/versions.sql.ts';
import { publishSubscriptionEvents } from '../subscription/webhooks.ts';
import { type ChangeOrder, type DecidedChange, decideChanges } from './decide-changes.ts';

/** A change, and the invoice on which it shows first; null where none is open yet. */
export interface Changed {
  readonly change: ChangeRow;
  /** The version that it brings. */
  readonly version: PricedVersion;
  /** The terms of billing with the change. */
  readonly terms: BillingTerms;
  readonly invoice: InvoiceRow | null;
}

/**
 * Changes the plan version or the quantities of a subscription, at once or at the end of the period of its plan's own
 * series (domain.md §3, Plan change).
 * @returns 404; 400 for a version or quantities that it cannot have; INVALID_TRANSITION where it is not active;
 * OTHER_PLAN_VERSION where it has another version by now; CHANGE_SCHEDULED where another change is to come
 */
export async function changePlan(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  held: HeldSubscription,
  order: ChangeOrder,
): Promise<Result<Changed>> {
  const [changed] = await changePlans(dependencies, tx, [held], order);
  return changed as Result<Changed>;
}

/**
 * The same change of some subscriptions of one merchant, each of another customer: subscriptions of one customer bill
 * each other's usage and share a wallet. One that is refused does not concern the others. Those with one effective now
 * are changed together: facts and rows of one kind are read and stored in one statement.
 * @returns what `changePlan` answers for each, in their order
 */
export async function changePlans(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  all: readonly HeldSubscription[],
  order: ChangeOrder,
): Promise<Result<Changed>[]> {
  const results = new Map<HeldSubscription, Result<Changed>>();
  for (const together of Map.groupBy(all, ({ now }) => now.epochNanoseconds).values()) {
    const decided = await decideChanges(tx, together, order);
    const accepted = decided.flatMap((each) => (each.ok ? [each.value] : []));
    const changed = await saveChanges(dependencies, tx, accepted, order);
    for (const [place, held] of together.entries()) {
      const each = decided[place] as Result<DecidedChange>;
      results.set(held, each.ok ? ok(changed.get(held) as Changed) : each);
    }
  }
  return all.map((held) => results.get(held) as Result<Changed>);
}

/** Stores some changes of one effective now. Those that are not to come later hold at once. */
async function saveChanges(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  all: readonly DecidedChange[],
  order: ChangeOrder,
): Promise<ReadonlyMap<HeldSubscription, Changed>> {
  const [first] = all;
  if (!first) return new Map();
  const { now } = first.held;
  const changes = await insertChanges(
    tx,
    all.map((each) => changeRow(each, order)),
  );
  const atOnce = all.filter(({ isScheduled }) => !isScheduled);
  const billed = atOnce.map(({ held: { subscription }, at }) => ({ subscription, from: at }));
  await lockAllToBill(tx, billed, now);
  const opened = atOnce.filter(({ held }) => held.subscription.billingOpened);
  await closeWhatIsOver(
    tx,
    opened.map(({ before: terms, at }) => ({ terms, at })),
    now,
  );
  const versions = await insertVersions(
    tx,
    all.flatMap((each, place) => pinnedFrom(each, changes[place] as ChangeRow)),
  );
  const bySubscription = Map.groupBy(versions, ({ subscriptionId: id }) => id);
  const stored = all.map(({ held, target, ...decided }, place) => {
    const history = [...held.agreement.history, ...(bySubscription.get(held.subscription.id) ?? [])];
    const agreement = withHistory(held.agreement, history, target);
    return { ...decided, held, agreement, subscription: held.subscription, change: changes[place] as ChangeRow };
  });
  const applied = await applyAll(
    dependencies,
    tx,
    stored.filter(({ isScheduled }) => !isScheduled),
    now,
  );
  const ids = stored.filter(({ isScheduled }) => isScheduled).map(({ subscription }) => subscription.id);
  const open = ids.length === 0 ? [] : await lockInvoicesIn(tx, ids, ['ACTIVE']);
  return new Map(
    stored.map(({ held, agreement, subscription, change, before }) => {
      const { version } = agreement.at(change);
      const shown = applied.get(subscription.id) ?? {
        terms: termsUnder(agreement, subscription),
        // it has the charges in advance of the period with the change
        invoice: open.find((each) => each.subscriptionId === subscription.id && isOwn(each, before)) ?? null,
      };
      return [held, { change, version, ...shown }];
    }),
  );
}

const isOwn = ({ billingCadence }: InvoiceRow, { planCadence }: BillingTerms): boolean =>
  billingCadence === planCadence;

function changeRow(
  { held, target, at, isScheduled, priceOverrides, dropped, before }: DecidedChange,
  order: ChangeOrder,
): NewChange {
  const { subscription, now } = held;
  const { plan, version, quantities } = target;
  return {
    merchantId: subscription.merchantId,
    id: newId('subscriptionChange'),
    subscriptionId: subscription.id,
    status: isScheduled ? 'scheduled' : 'applied',
    effective: order.effective ?? 'now',
    effectiveAt: at,
    fromPlanVersionId: subscription.planVersionId,
    planId: plan.id,
    planVersionId: version.id,
    planVersionNumber: version.versionNumber,
    quantities,
    priceOverrides,
    droppedPriceOverrides: dropped,
    endedRedemptionIds: endedWith(before, plan.id, at),
    proration: order.proration ?? 'second',
    credit: order.credit ?? 'invoice',
    clockId: subscription.clockId,
    nextActionAt: isScheduled ? at : null,
    createdAt: now,
  };
}

/** The redemptions that would go on, and are not for the plan of a change. */
const endedWith = (before: BillingTerms, planId: string, at: Instant): string[] =>
  (before.redemptions ?? []).flatMap((redemption) => {
    const { end } = windowOfRedemption(redemption, before);
    return isBefore(at, end) && !hasPlan(redemption.appliesTo, planId) ? [redemption.id] : [];
  });

/** The version holds from then on; a subscription that had only one gets that one's row with it. */
function pinnedFrom({ held, target, before, isScheduled }: DecidedChange, change: ChangeRow): NewVersion[] {
  const { subscription, agreement } = held;
  const { plan, version, quantities, keepsVersion } = target;
  const own = { merchantId: subscription.merchantId, subscriptionId: subscription.id };
  const next = { planCadence: normaliseCadence(plan.billingCadence), prices: version.prices };
  const anchors = cadencesOf(next).map((cadence) => {
    const anchor = keepsVersion
      ? anchorNow(cadence, before, change.effectiveAt)
      : anchorOf(cadence, before, plan.billingAnchor, change.effectiveAt);
    return [cadence, formatInstant(anchor)] as const;
  });
  const { proration, credit } = change;
  const rows: NewVersion[] = [
    {
      ...{ ...own, holdsFrom: change.effectiveAt, changeId: change.id, planId: plan.id, planVersionId: version.id },
      ...{ quantities, anchors: Object.fromEntries(anchors), proration, credit, waits: isScheduled },
      priceOverrides: change.priceOverrides,
    },
  ];
  if (agreement.history.length > 0) return rows;
  return [firstVersionWithAnchors(subscription, before), ...rows];
}

/** The anchor of a series that continues with other quantities. */
const anchorNow = (cadence: string, before: BillingTerms, at: Instant): Instant =>
  boundsOfSeries(before, cadence, latest(at, before.bounds.startedAt))?.anchor ?? before.bounds.anchor;

/**
 * From where the periods of a series of the new version are counted: a series that is there goes on, unless the plan's
 * own anchor cuts other periods; a new one begins at the plan's anchor, else with the change.
 */
function anchorOf(cadence: string, before: BillingTerms, planAnchor: Instant | null, at: Instant): Instant {
  const from = latest(at, before.bounds.startedAt);
  const isBilled = isBefore(before.bounds.startedAt, at); // of a series that nothing was billed of nothing goes on
  const known = isBilled ? boundsOfSeries(before, cadence, from.subtract({ nanoseconds: 1000 })) : null;
  if (!known) return planAnchor ?? from;
  if (planAnchor === null) return known.anchor;
  const length = parseCadence(cadence);
  if (!length) throw new Error(`${cadence} is no cadence.`);
  const [had, has] = [periodAt(known.anchor, length, from), periodAt(planAnchor, length, from)];
  return had.start.equals(has.start) && had.end.equals(has.end) ? known.anchor : planAnchor;
}

/** A change whose time has come. */
interface AppliedChange {
  readonly subscription: SubscriptionRow;
  /** With the change. */
  readonly agreement: Agreement;
  readonly change: ChangeRow;
}

/**
 * The versions of some subscriptions of one merchant hold now: invoices, entitlements and the subscriptions themselves
 * follow.
 * @returns the terms and the invoice of each, by the subscription
 */
async function applyAll(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  all: readonly AppliedChange[],
  now: Instant,
): Promise<ReadonlyMap<string, Pick<Changed, 'terms' | 'invoice'>>> {
  const [first] = all;
  if (!first) return new Map();
  const changed = await updatePinned(
    tx,
    all.map((each) => pinnedTo(each, now)),
    now,
  );
  const applied = all.map(({ agreement, change: { effectiveAt: at } }, place) => {
    const subscription = changed[place] as SubscriptionRow;
    return {
      subscription,
      at,
      version: agreement.at(subscription).version,
      terms: termsUnder(agreement, subscription),
    };
  });
  const opened = applied.filter(({ subscription }) => subscription.billingOpened);
  const invoices = await followChanges(dependencies.invoicing, tx, opened, now);
  const invoiceOf = new Map(opened.map(({ subscription: { id } }, place) => [id, invoices[place] ?? null]));
  // a scheduled one that a worker comes to late
  for (const { subscription, at } of applied) await markSiblings(tx, subscription, at, now);
  await reconcileEntitlements(
    tx,
    applied.map(({ subscription, at, version: { prices }, terms }) => ({
      subscription: entitlingOf(subscription),
      prices: { pinned: prices, current: prices },
      anchorOf: seriesAnchors(terms, at),
    })),
    { isDry: false, grantsNow: false },
    now,
  );
  await publishSubscriptionEvents(tx, changed, 'subscription.updated.v0', now);
  return new Map(applied.map(({ subscription: { id }, terms }) => [id, { terms, invoice: invoiceOf.get(id) ?? null }]));
}

/** The subscription with the version of a change. Pure. */
function pinnedTo({ subscription, agreement, change }: AppliedChange, now: Instant): SubscriptionRow {
  const { planId, planVersionId, planVersionNumber, quantities, effectiveAt: at } = change;
  const place = agreement.history.findLastIndex(({ changeId }) => changeId === change.id);
  const priceOverrides = overridesIn(agreement)[place] ?? [];
  const { currency } = agreement.at(change); // another plan may have another one of its own
  const pinned = { ...subscription, planId, planVersionId, planVersionNumber, currency, quantities, priceOverrides };
  const series = termsUnder(agreement, pinned);
  const bounds = boundsOfSeries(series, series.planCadence, latest(at, series.bounds.startedAt));
  const counted = { ...pinned, billingAnchor: bounds?.anchor ?? pinned.billingAnchor };
  return { ...counted, nextActionAt: nextActionOf(counted, agreement.at(change).plan, now) };
}

/** A scheduled change whose time has come; of a subscription that has ended meanwhile it is cancelled. */
export async function applyScheduled(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  { id }: { merchantId: string; id: string },
  now: Instant,
): Promise<void> {
  const change = await selectChange(tx, id);
  if (change?.status !== 'scheduled') return;
  const subscription = await lockSubscription(tx, change.subscriptionId);
  if (subscription?.status !== 'active') {
    await updateChangeStatus(tx, change, 'cancelled');
    return;
  }
  const at = comesAt(subscription, change);
  if (at === null || isAfter(at, now)) {
    await updateChangeStatus(tx, change, 'scheduled'); // the resumption wakes it
    return;
  }
  await lockToBill(tx, subscription, at, now);
  if (!at.equals(change.effectiveAt)) await moveVersion(tx, subscription, change);
  const applied = await updateChangeStatus(tx, { ...change, effectiveAt: at }, 'applied');
  const agreement = await loadAgreement(tx, subscription);
  const terms = termsUnder(agreement, subscription);
  if (subscription.billingOpened) await closeWhatIsOver(tx, [{ terms, at: applied.effectiveAt }], now);
  await applyAll(dependencies, tx, [{ subscription, agreement, change: applied }], now);
}

/** When a scheduled change comes: in a pause with its end; null: nobody knows when. */
function comesAt({ pauses }: SubscriptionRow, { effectiveAt }: ChangeRow): Instant | null {
  const pause = pauseAt(pauses, effectiveAt);
  return pause === null ? effectiveAt : endOfPause(pause);
}

/** The version of a change that waited comes with the resumption. */
async function moveVersion(tx: Tx, subscription: SubscriptionRow, { id }: ChangeRow): Promise<void> {
  const { versions = [] } = termsUnder(await loadAgreement(tx, subscription), subscription);
  const moved = afterPauses(versions).find(({ changeId }) => changeId === id);
  if (moved) await updateVersionOf(tx, id, moved.from, moved.anchors);
}

const HAS_COME =
  'The period before this change is billed, with what the change brings, so the change cannot be cancelled.';

/**
 * DELETE …/changes/{id}: a change that is to come does not. What was billed ahead for it is given back. It has come,
 * before it is applied, when the invoice of the period before it is issued.
 * @returns 404; INVALID_TRANSITION where it has come, or was cancelled
 */
export async function cancelChange(
  dependencies: Pick<SubscriptionDependencies, 'invoicing'>,
  tx: Tx,
  { subscriptionId, id }: Pick<ChangeRow, 'subscriptionId' | 'id'>,
  wall: Instant,
): Promise<Result<void>> {
  const found = await selectSubscription(tx, subscriptionId);
  const now = await effectiveNow(tx, found?.clockId ?? null, wall);
  const subscription = await lockSubscription(tx, subscriptionId);
  const change = await lockChange(tx, subscriptionId, id);
  if (!subscription || !change) return notFound('subscriptionChange');
  const refused = (more: { readonly why?: string }) =>
    wrongState(
      {
        ...{ thing: 'change', status: change.status, trigger: 'cancel' },
        ...{ allowedFrom: ['scheduled'], done: 'cancelled' },
      },
      more,
    );
  if (change.status !== 'scheduled') return refused({});
  const isBilled = subscription.status === 'active' && subscription.billingOpened;
  if (isBilled) {
    await lockToBill(tx, subscription, now, now);
    const at = comesAt(subscription, change);
    if (at !== null && (await isBilledAt(tx, subscriptionId, at))) return refused({ why: HAS_COME });
  }
  await updateChangeStatus(tx, change, 'cancelled');
  await updateVersionCancelled(tx, id);
  if (!isBilled) return ok(undefined);
  const terms = termsUnder(await loadAgreement(tx, subscription), subscription);
  await followChanges(dependencies.invoicing, tx, [{ terms, at: now }], now);
  return ok(undefined);
}
