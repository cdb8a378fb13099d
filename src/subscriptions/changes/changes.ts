import {
  defaultVersionOf,
  findPlan,
  findPlanVersionByNumber,
  type Plan,
  type PricedVersion,
} from '../../catalog/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { checkEntitles, reconcileEntitlements } from '../../entitlements/index.ts';
import {
  type BillingTerms,
  boundsOfSeries,
  type CreditMode,
  cadencesOf,
  closeWhatIsOver,
  followChange,
  type InvoiceRow,
  lockInvoicesIn,
  type Proration,
  periodHolding,
} from '../../invoicing/index.ts';
import { newId } from '../../kernel/ids.ts';
import {
  type FieldError,
  fail,
  invalid,
  invalidField,
  notFound,
  noVersion,
  ok,
  type Result,
} from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import {
  formatInstant,
  type Instant,
  isBefore,
  latest,
  normaliseCadence,
  parseCadence,
  periodAt,
} from '../../kernel/time.ts';
import { type Agreement, loadAgreement, type PlanAtVersion, termsUnder, withHistory } from '../billing/agreement.ts';
import { lockToBill, markSiblings } from '../billing/usage-claims.ts';
import { entitlingOf, seriesAnchors } from '../life/activate.ts';
import type { HeldSubscription } from '../life/lock.ts';
import { nextActionOf } from '../life/reminders.ts';
import {
  type ChangeRow,
  insertChange,
  lockChange,
  selectChange,
  selectScheduledChange,
  updateChangeStatus,
} from '../subscription/changes.sql.ts';
import { endOf } from '../subscription/decide.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import {
  decideQuantities,
  type PriceReplacement,
  type Quantities,
  quantitiesTakenOver,
  quantityErrors,
  sameQuantities,
} from '../subscription/quantities.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { lockSubscription, selectSubscription, updateSubscription } from '../subscription/subscriptions.sql.ts';
import { deleteVersionOf, insertVersion, type VersionRow } from '../subscription/versions.sql.ts';
import { publishSubscriptionEvent } from '../subscription/webhooks.ts';

/** The defaults of a change: now, by the second, credited on the next invoice (domain.md §3). */
export interface ChangeOrder {
  readonly planId?: string;
  /**
   * Of that plan, else of its own. Absent: the default version of that plan; without a plan the version that it has.
   */
  readonly versionNumber?: number;
  /** The version that it must still have. */
  readonly fromVersionId?: string;
  /** How many of some fee prices; of the others as many as it has, or as the price says. */
  readonly quantities?: Quantities;
  /** Prices that have the quantities which the subscription has of others. */
  readonly replacePrices?: readonly PriceReplacement[];
  readonly effective?: 'now' | 'periodEnd';
  readonly proration?: Proration;
  readonly credit?: CreditMode;
}

/** A change, and the invoice on which it shows first; null where none is open yet. */
export interface Changed {
  readonly change: ChangeRow;
  /** The version that it brings. */
  readonly version: PricedVersion;
  /** The terms of billing with the change. */
  readonly terms: BillingTerms;
  readonly invoice: InvoiceRow | null;
}

interface Target extends PlanAtVersion {
  readonly quantities: Quantities;
  /** It is the version that the subscription has: only quantities change. */
  readonly keepsVersion: boolean;
}

/**
 * Changes the plan version or the quantities of a subscription, at once or at the end of the period of its plan's own
 * series (domain.md §3, Plan change). `wall` is wall time.
 * @returns 404; 400 for a version or quantities that it cannot have; INVALID_TRANSITION where it is not active;
 * OTHER_PLAN_VERSION where it has another version by now; CHANGE_SCHEDULED where another change is to come
 */
export async function changePlan(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  { subscription, agreement, now }: HeldSubscription,
  order: ChangeOrder,
): Promise<Result<Changed>> {
  const { merchantId, id } = subscription;
  const { fromVersionId = subscription.planVersionId } = order;
  if (fromVersionId !== subscription.planVersionId) return fail('OTHER_PLAN_VERSION');
  const waiting = await selectScheduledChange(tx, merchantId, id);
  if (waiting) return fail('CHANGE_SCHEDULED', { changeId: waiting.id });
  const target = await targetOf(tx, subscription, agreement, order);
  if (!target.ok) return target;
  const before = termsUnder(agreement, subscription);
  const at = order.effective === 'periodEnd' ? endOfPeriod(before, now) : latest(now, subscription.startedAt);
  const end = endOf(subscription);
  if (end !== null && !isBefore(at, end)) return invalidField('effective', 'must be before the subscription ends');
  const isScheduled = isBefore(now, at) && order.effective === 'periodEnd';
  const change = await insertChange(tx, {
    merchantId,
    id: newId('subscriptionChange'),
    subscriptionId: id,
    status: isScheduled ? 'scheduled' : 'applied',
    effective: order.effective ?? 'now',
    effectiveAt: at,
    fromPlanVersionId: subscription.planVersionId,
    planId: target.value.plan.id,
    planVersionId: target.value.version.id,
    planVersionNumber: target.value.version.versionNumber,
    quantities: target.value.quantities,
    proration: order.proration ?? 'second',
    credit: order.credit ?? 'invoice',
    clockId: subscription.clockId,
    nextActionAt: isScheduled ? at : null,
    createdAt: now,
  });
  if (!isScheduled) await lockToBill(tx, subscription, at, now);
  if (!isScheduled && subscription.billingOpened) await closeWhatIsOver(tx, before, at, now);
  const history = await pinFrom(tx, subscription, agreement, target.value, change);
  const after = withHistory(agreement, history, target.value);
  const { version } = target.value;
  if (!isScheduled)
    return ok({ change, version, ...(await apply(dependencies, tx, { subscription, agreement: after }, change, now)) });
  const invoice = await openOwnInvoice(tx, subscription, before.planCadence);
  return ok({ change, version, terms: termsUnder(after, subscription), invoice });
}

/** The open invoice of the plan's own series: it has the charges in advance of the period with the change. */
async function openOwnInvoice(tx: Tx, subscription: SubscriptionRow, cadence: string): Promise<InvoiceRow | null> {
  const open = await lockInvoicesIn(tx, subscription.merchantId, subscription.id, ['ACTIVE']);
  return open.find((invoice) => invoice.billingCadence === cadence) ?? null;
}

/** The end of the open period of the plan's own series; before billing begins, its start. */
function endOfPeriod(terms: BillingTerms, now: Instant): Instant {
  const at = latest(now, terms.bounds.startedAt);
  const bounds = boundsOfSeries(terms, terms.planCadence, at);
  const period = bounds && periodHolding(terms.planCadence, bounds, at);
  if (!period || isBefore(now, terms.bounds.startedAt)) return at;
  return period.end;
}

/**
 * The target of a change: a published version of the subscription's currency and tax behavior, or its present version,
 * with the quantities that follow. A change to the present state is refused.
 */
async function targetOf(
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  order: ChangeOrder,
): Promise<Result<Target>> {
  const current = agreement.at(subscription);
  const { merchantId } = subscription;
  const { planId = subscription.planId, replacePrices = [] } = order;
  const owned = await checkReference(tx, merchantId, 'plan', planId, 'planId');
  if (!owned.ok) return owned;
  const known = [current, agreement.other].find((each) => each?.plan.id === planId);
  const plan = known?.plan ?? (await findPlan(tx, merchantId, planId));
  if (!plan) return notFound('plan', 'planId');
  const found = await versionOf(tx, plan, order, [current.version, agreement.other?.version]);
  if (!found.ok) return found;
  const version = found.value;
  const held = { prices: current.version.prices, quantities: subscription.quantities };
  const asked = { ...quantitiesTakenOver(held, replacePrices), ...order.quantities };
  const quantities = decideQuantities(version.prices, asked, held);
  const keepsVersion = version.id === current.version.id;
  const errors = [
    ...(keepsVersion ? [] : otherVersionErrors(order, { plan, version }, current.plan)),
    ...quantityErrors(version.prices, asked, held),
  ];
  if (errors.length === 0 && keepsVersion && sameQuantities(quantities, subscription.quantities))
    errors.push(...fieldsOf(order).map((field) => ({ field, message: 'is the present state of the subscription' })));
  if (errors.length > 0) return invalid(errors);
  const entitled = keepsVersion ? ok(undefined) : await checkEntitles(tx, merchantId, version.prices);
  return entitled.ok ? ok({ plan, version, quantities, keepsVersion }) : entitled;
}

/**
 * The version that an order names; the one that the subscription has where it names neither plan nor version.
 * @param known that one, and others that are loaded
 */
async function versionOf(
  tx: Tx,
  plan: Plan,
  { planId, versionNumber }: ChangeOrder,
  known: readonly [held: PricedVersion, ...others: (PricedVersion | undefined)[]],
): Promise<Result<PricedVersion>> {
  if (versionNumber !== undefined) {
    const version = await findPlanVersionByNumber(tx, plan.merchantId, plan.id, versionNumber);
    return version ? ok(version) : noVersion(plan.id, versionNumber, 'versionNumber');
  }
  if (planId === undefined) return ok(known[0]);
  return ok(known.find((each) => each?.id === plan.defaultVersionId) ?? (await defaultVersionOf(tx, plan)));
}

/** The fields of an order with its target: the quantities, if it has any. */
function fieldsOf({ planId, versionNumber, quantities = {} }: ChangeOrder): string[] {
  const named = Object.keys(quantities).map((id) => `quantities.${id}`);
  if (named.length > 0) return named;
  if (versionNumber !== undefined) return ['versionNumber'];
  return [planId === undefined ? 'quantities' : 'planId'];
}

/** Why a subscription cannot have another version. */
function otherVersionErrors(
  { versionNumber }: ChangeOrder,
  { plan, version }: PlanAtVersion,
  current: Plan,
): FieldError[] {
  const field = versionNumber === undefined ? 'planId' : 'versionNumber';
  const errors: FieldError[] = [];
  if (version.status !== 'published') errors.push({ field, message: 'must be a published version' });
  if (plan.currency !== current.currency) errors.push({ field: 'planId', message: `must be in ${current.currency}` });
  if (plan.taxBehavior !== current.taxBehavior)
    errors.push({ field: 'planId', message: `must have prices that are ${current.taxBehavior} of tax` });
  return errors;
}

/**
 * The version holds from then on; a subscription that had only one gets that one's row with it.
 * @returns the history with it
 */
async function pinFrom(
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  { plan, version, quantities, keepsVersion }: Target,
  change: ChangeRow,
): Promise<VersionRow[]> {
  const before = termsUnder(agreement, subscription);
  const own = { merchantId: subscription.merchantId, subscriptionId: subscription.id };
  const history = [...agreement.history];
  if (history.length === 0)
    history.push(
      await insertVersion(tx, {
        ...own,
        holdsFrom: subscription.startedAt,
        changeId: null,
        planId: subscription.planId,
        planVersionId: subscription.planVersionId,
        quantities: subscription.quantities,
        anchors: Object.fromEntries(
          cadencesOf(before).map((cadence) => [cadence, formatInstant(subscription.billingAnchor)]),
        ),
        proration: 'second',
        credit: 'invoice',
      }),
    );
  const next = { planCadence: normaliseCadence(plan.billingCadence), prices: version.prices };
  history.push(
    await insertVersion(tx, {
      ...own,
      holdsFrom: change.effectiveAt,
      changeId: change.id,
      planId: plan.id,
      planVersionId: version.id,
      quantities,
      anchors: Object.fromEntries(
        cadencesOf(next).map((cadence) => [
          cadence,
          formatInstant(
            keepsVersion
              ? anchorNow(cadence, before, change.effectiveAt)
              : anchorOf(cadence, before, plan.billingAnchor, change.effectiveAt),
          ),
        ]),
      ),
      proration: change.proration,
      credit: change.credit,
    }),
  );
  return history;
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

/** The version holds now: invoices, entitlements and the subscription itself follow. */
async function apply(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  { subscription, agreement }: { readonly subscription: SubscriptionRow; readonly agreement: Agreement },
  change: ChangeRow,
  now: Instant,
): Promise<Pick<Changed, 'terms' | 'invoice'>> {
  const { planId, planVersionId, planVersionNumber, quantities, effectiveAt: at } = change;
  const pinned = { ...subscription, planId, planVersionId, planVersionNumber, quantities };
  const series = termsUnder(agreement, pinned);
  const bounds = boundsOfSeries(series, series.planCadence, latest(at, series.bounds.startedAt));
  const counted = { ...pinned, billingAnchor: bounds?.anchor ?? pinned.billingAnchor };
  const { plan, version } = agreement.at(change);
  const { billingAnchor } = counted;
  const nextActionAt = nextActionOf(counted, plan, now);
  const changed = await updateSubscription(
    tx,
    subscription,
    { planId, planVersionId, planVersionNumber, quantities, billingAnchor, nextActionAt },
    now,
  );
  const terms = termsUnder(agreement, changed);
  const invoice = changed.billingOpened ? await followChange(dependencies.invoicing, tx, { terms, at }, now) : null;
  await markSiblings(tx, changed, at, now); // a scheduled one that a worker comes to late
  const prices = { pinned: version.prices, current: version.prices };
  const how = { isDry: false, grantsNow: false };
  await reconcileEntitlements(tx, entitlingOf(changed), prices, seriesAnchors(terms, at), how, now);
  await publishSubscriptionEvent(tx, changed, 'subscription.updated.v0', now);
  return { terms, invoice };
}

/** A scheduled change whose time has come; of a subscription that has ended meanwhile it is cancelled. */
export async function applyScheduled(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  now: Instant,
): Promise<void> {
  const change = await selectChange(tx, merchantId, id);
  if (change?.status !== 'scheduled') return;
  const subscription = await lockSubscription(tx, merchantId, change.subscriptionId);
  if (subscription?.status !== 'active') {
    await updateChangeStatus(tx, change, 'cancelled');
    return;
  }
  await lockToBill(tx, subscription, change.effectiveAt, now);
  const applied = await updateChangeStatus(tx, change, 'applied');
  const agreement = await loadAgreement(tx, subscription);
  const terms = termsUnder(agreement, subscription);
  if (subscription.billingOpened) await closeWhatIsOver(tx, terms, applied.effectiveAt, now);
  await apply(dependencies, tx, { subscription, agreement }, applied, now);
}

/**
 * DELETE …/changes/{id}: a change that is to come does not.
 * @returns 404; INVALID_TRANSITION where it has come, or was cancelled
 */
export async function cancelChange(
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  id: string,
): Promise<Result<void>> {
  const subscription = await selectSubscription(tx, merchantId, subscriptionId);
  const change = await lockChange(tx, merchantId, subscriptionId, id);
  if (!subscription || !change) return notFound('subscriptionChange');
  await lockSubscription(tx, merchantId, subscriptionId);
  if (change.status !== 'scheduled')
    return wrongState({
      thing: 'change',
      status: change.status,
      trigger: 'cancel',
      allowedFrom: ['scheduled'],
      done: 'cancelled',
    });
  await updateChangeStatus(tx, change, 'cancelled');
  await deleteVersionOf(tx, merchantId, id);
  return ok(undefined);
}
