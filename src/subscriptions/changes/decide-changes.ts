import {
  currencyErrors,
  defaultVersionOf,
  findPlan,
  findPlanVersionByNumber,
  type Plan,
  type PricedVersion,
} from '../../catalog/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { checkEntitles } from '../../entitlements/index.ts';
import type { BillingTerms, CreditMode, PriceOverride, PriceOverridesBody, Proration } from '../../invoicing/index.ts';
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
import { type Instant, isBefore, latest } from '../../kernel/time.ts';
import { overridesIn, type PlanAtVersion, pinnedIn, termsUnder } from '../billing/agreement.ts';
import type { HeldSubscription } from '../life/lock.ts';
import { endOfPeriod } from '../life/pause.ts';
import { selectScheduledChanges } from '../subscription/changes.sql.ts';
import { endOf } from '../subscription/decide.ts';
import { decideOverrides } from '../subscription/price-overrides.ts';
import {
  decideQuantities,
  type PriceReplacement,
  type Quantities,
  quantitiesTakenOver,
  quantityErrors,
  sameQuantities,
} from '../subscription/quantities.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';

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
  /** All agreed prices from the change on. Absent: those that it has, as far as its version holds their prices. */
  readonly priceOverrides?: PriceOverridesBody | null;
  /** Prices that have the quantities which the subscription has of others. */
  readonly replacePrices?: readonly PriceReplacement[];
  readonly effective?: 'now' | 'periodEnd';
  readonly proration?: Proration;
  readonly credit?: CreditMode;
}

/** The version and the quantities that a subscription is to have. */
export interface Target extends PlanAtVersion {
  readonly quantities: Quantities;
  /** It is the version that the subscription has: only quantities change. */
  readonly keepsVersion: boolean;
}

/** A change that no rule refuses. */
export interface DecidedChange {
  readonly held: HeldSubscription;
  readonly target: Target;
  /** The terms without the change. */
  readonly before: BillingTerms;
  readonly at: Instant;
  readonly isScheduled: boolean;
  /** Null: it says nothing of them. */
  readonly priceOverrides: readonly PriceOverride[] | null;
  /** Those that it ends, because the version does not hold their prices. */
  readonly dropped: readonly PriceOverride[];
}

/** Loads what decides on some changes, and decides each. */
export async function decideChanges(
  tx: Tx,
  all: readonly HeldSubscription[],
  order: ChangeOrder,
): Promise<Result<DecidedChange>[]> {
  const [first] = all;
  if (!first) return [];
  const isOther = ({ subscription: { planVersionId } }: HeldSubscription) =>
    (order.fromVersionId ?? planVersionId) !== planVersionId;
  const ids = all.filter((held) => !isOther(held)).map(({ subscription }) => subscription.id);
  const waiting = await selectScheduledChanges(tx, ids);
  const planOf = ({ planId }: SubscriptionRow) => order.planId ?? planId;
  const free = all.filter((held) => !(isOther(held) || waiting.has(held.subscription.id)));
  const offers = new Map<string, Result<Offer>>();
  for (const [planId, those] of Map.groupBy(free, ({ subscription }) => planOf(subscription)))
    offers.set(planId, await loadOffer(tx, planId, those, order));
  const targets = all.map((held): Result<Target> => {
    if (isOther(held)) return fail('OTHER_PLAN_VERSION');
    const scheduled = waiting.get(held.subscription.id);
    if (scheduled) return fail('CHANGE_SCHEDULED', { changeId: scheduled.id });
    const offer = offers.get(planOf(held.subscription)) as Result<Offer>;
    return offer.ok ? decideTarget(held, offer.value, order) : offer;
  });
  const others = targets.flatMap((target) => (target.ok && !target.value.keepsVersion ? [target.value.version] : []));
  const entitles = new Map<string, Result<void>>();
  for (const { id, prices } of new Map(others.map((version) => [version.id, version])).values())
    entitles.set(id, await checkEntitles(tx, prices));
  const decided = all.map((held, place) => {
    const target = targets[place] as Result<Target>;
    const entitled = target.ok && !target.value.keepsVersion ? entitles.get(target.value.version.id) : undefined;
    if (entitled && !entitled.ok) return entitled;
    return target.ok ? decideChange(held, target.value, order) : target;
  });
  const complete: Result<DecidedChange>[] = [];
  for (const each of decided) complete.push(each.ok ? await decidePrices(tx, each.value, order) : each);
  return complete;
}

/** The agreed prices with a change: the given ones, or those that the target still holds. */
async function decidePrices(
  tx: Tx,
  decided: Omit<DecidedChange, 'priceOverrides' | 'dropped'>,
  order: ChangeOrder,
): Promise<Result<DecidedChange>> {
  const { held, target, at } = decided;
  const had = overridesBefore(held, at);
  const given = order.priceOverrides;
  if (given == null) {
    const isHeld = ({ priceId }: PriceOverride) => target.version.prices.some(({ id }) => id === priceId);
    return ok({ ...decided, priceOverrides: null, dropped: had.filter((each) => !isHeld(each)) });
  }
  const priceOverrides = await decideOverrides(tx, given, { prices: target.version.prices, from: at, had });
  return priceOverrides.ok ? ok({ ...decided, priceOverrides: priceOverrides.value, dropped: [] }) : priceOverrides;
}

/** The agreed prices of a subscription before an instant. */
function overridesBefore({ subscription, agreement }: HeldSubscription, at: Instant): readonly PriceOverride[] {
  const place = agreement.history.findLastIndex(({ holdsFrom }) => isBefore(holdsFrom, at));
  return place === -1 ? subscription.priceOverrides : (overridesIn(agreement)[place] ?? []);
}

/** When a change to a target comes. @returns 400 if the subscription has ended by then */
function decideChange(
  held: HeldSubscription,
  target: Target,
  { effective }: ChangeOrder,
): Result<Omit<DecidedChange, 'priceOverrides' | 'dropped'>> {
  const { subscription, agreement, now } = held;
  const before = termsUnder(agreement, subscription);
  const at = effective === 'periodEnd' ? endOfPeriod(before, now) : latest(now, subscription.startedAt);
  const end = endOf(subscription);
  if (end !== null && !isBefore(at, end)) return invalidField('effective', 'must be before the subscription ends');
  return ok({ held, target, before, at, isScheduled: isBefore(now, at) && effective === 'periodEnd' });
}

/** A plan that an order names, and the version; null: each keeps its own. */
interface Offer {
  readonly plan: Plan;
  readonly version: PricedVersion | null;
}

/**
 * The plan and the version that an order names for some subscriptions.
 * @param of those that are to have the plan
 */
async function loadOffer(
  tx: Tx,
  planId: string,
  of: readonly HeldSubscription[],
  order: ChangeOrder,
): Promise<Result<Offer>> {
  const owned = await checkReference(tx, 'plan', planId, 'planId');
  if (!owned.ok) return owned;
  const known = of.flatMap(({ subscription, agreement: { at, other } }) => [
    at(subscription),
    ...(other ? [other] : []),
  ]);
  const plan = known.find((each) => each.plan.id === planId)?.plan ?? (await findPlan(tx, planId));
  if (!plan) return notFound('plan', 'planId');
  const { versionNumber } = order;
  if (versionNumber !== undefined) {
    const version = await findPlanVersionByNumber(tx, planId, versionNumber);
    return version ? ok({ plan, version }) : noVersion(planId, versionNumber, 'versionNumber');
  }
  if (order.planId === undefined) return ok({ plan, version: null });
  const found = known.find(({ version }) => version.id === plan.defaultVersionId)?.version;
  return ok({ plan, version: found ?? (await defaultVersionOf(tx, plan)) });
}

/**
 * The target of a change: a published version with the subscription's currency and tax behavior, or its present
 * version, with the quantities that follow. A change to the present state is refused.
 */
function decideTarget({ subscription, agreement }: HeldSubscription, offer: Offer, order: ChangeOrder): Result<Target> {
  const current = agreement.at(subscription);
  const { plan, version, currency } = offer.version
    ? pinnedIn({ plan: offer.plan, version: offer.version }, current.currency)
    : current;
  const held = { prices: current.version.prices, quantities: subscription.quantities };
  const asked = { ...quantitiesTakenOver(held, order.replacePrices ?? []), ...order.quantities };
  const quantities = decideQuantities(version.prices, asked, held);
  const keepsVersion = version.id === current.version.id;
  const errors = [
    ...(keepsVersion ? [] : otherVersionErrors(order, { plan, version, currency }, current.plan)),
    ...quantityErrors(version.prices, asked, held),
  ];
  const isSame = keepsVersion && sameQuantities(quantities, subscription.quantities);
  if (errors.length === 0 && isSame && order.priceOverrides == null)
    errors.push(...fieldsOf(order).map((field) => ({ field, message: 'is the present state of the subscription' })));
  return errors.length > 0 ? invalid(errors) : ok({ plan, version, currency, quantities, keepsVersion });
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
  { plan, version, currency }: PlanAtVersion,
  current: Plan,
): FieldError[] {
  const field = versionNumber === undefined ? 'planId' : 'versionNumber';
  const errors: FieldError[] = [];
  if (version.status !== 'published') errors.push({ field, message: 'must be a published version' });
  errors.push(...currencyErrors(plan, version, currency, field));
  if (plan.taxBehavior !== current.taxBehavior)
    errors.push({ field: 'planId', message: `must have prices that are ${current.taxBehavior} of tax` });
  return errors;
}
