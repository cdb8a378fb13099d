import { findPlans, findPlanVersions, type Plan, type PricedVersion, versionIn } from '../../catalog/index.ts';
import type { Tx } from '../../db/index.ts';
import {
  afterPauses,
  type BilledVersion,
  type BillingTerms,
  type CommittedPrices,
  cadencesOf,
  findCommittedPrices,
  mergeOverrides,
  type Pause,
  type PaymentTerms,
  type PriceOverride,
  partsByPauses,
} from '../../invoicing/index.ts';
import { formatInstant, type Instant, isAfter, normaliseCadence } from '../../kernel/time.ts';
import { redemptionOf } from '../subscription/coupon.ts';
import { endOf } from '../subscription/decide.ts';
import { overridesOver } from '../subscription/price-overrides.ts';
import { withQuantities } from '../subscription/quantities.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import {
  insertVersions,
  type NewVersion,
  selectVersionsOfSubscriptions,
  type VersionRow,
} from '../subscription/versions.sql.ts';

/** A plan with one of its versions, as it is in a currency. */
export interface PlanAtVersion {
  readonly plan: Plan;
  readonly version: PricedVersion;
  /** The plan's, or another one that all prices of the version have. */
  readonly currency: string;
}

type PinnedTo = Pick<VersionRow, 'planId' | 'planVersionId'>;

/**
 * What a subscription is held to: its plan at the pinned version, and all versions that it had or will have. An
 * operation loads it once, at its head. The terms of billing follow from it and the subscription as it stands.
 */
export interface Agreement {
  /** In the order of time; empty where the subscription was never changed. */
  readonly history: readonly VersionRow[];
  /** Versions that never come, because their changes were cancelled; absent: none was. */
  readonly cancelled?: readonly VersionRow[] | undefined;
  /** @throws where it is neither the present version nor one of the history */
  readonly at: (to: PinnedTo) => PlanAtVersion;
  /** Another plan at its default version in its own currency, if it was asked for and is the merchant's. */
  readonly other?: PlanAtVersion | undefined;
  /** The prices that commitments agree; absent: none does. */
  readonly committed?: readonly CommittedPrices[];
}

/** The agreement of a subscription that is being made. */
export const agreementOf = (pinned: PlanAtVersion, committed: readonly CommittedPrices[] = []): Agreement => ({
  history: [],
  at: lookUp([pinned]),
  committed,
});

/** The terms on which a subscription is billed that was just made. */
export async function termsOfNew(tx: Tx, pinned: PlanAtVersion, subscription: SubscriptionRow): Promise<BillingTerms> {
  const committedFor = await findCommittedPrices(tx, [subscription]);
  return termsUnder(agreementOf(pinned, committedFor(subscription)), subscription);
}

/** The overrides of subscriptions as they are now, those of commitments among them. */
export async function findOverrides(
  tx: Tx,
  subscriptions: readonly SubscriptionRow[],
): Promise<(subscription: SubscriptionRow, pinned: PlanAtVersion) => readonly PriceOverride[]> {
  const committedFor = await findCommittedPrices(tx, subscriptions);
  return (subscription, pinned) =>
    mergeOverrides(subscription.priceOverrides, committedIn(committedFor(subscription), pinned));
}

/** The same with the row of its first version: a subscription that was never changed gets it as its periods move. */
export async function withFirstVersion(
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
): Promise<Agreement> {
  if (agreement.history.length > 0) return agreement;
  const first = firstVersionWithAnchors(subscription, termsUnder(agreement, subscription));
  return { ...agreement, history: await insertVersions(tx, [first]) };
}

/** The row of the first version, with the instants from which its periods are counted. */
export function firstVersionWithAnchors(subscription: SubscriptionRow, terms: BillingTerms): NewVersion {
  const { takesUpAnew: _, ...first } = firstVersion(subscription);
  const from = formatInstant(subscription.billingAnchor);
  return { ...first, anchors: Object.fromEntries(cadencesOf(terms).map((cadence) => [cadence, from])) };
}

/** An agreement with rows of history that were written since, and the plan version that they name. */
export function withHistory(agreement: Agreement, history: readonly VersionRow[], target: PlanAtVersion): Agreement {
  const found = lookUp([target]);
  return {
    ...agreement,
    history,
    at: (to) => (to.planVersionId === target.version.id ? found(to) : agreement.at(to)),
  };
}

function lookUp(all: readonly PlanAtVersion[]): Agreement['at'] {
  const byVersion = new Map(all.map((each) => [each.version.id, each]));
  return ({ planVersionId: id }) => {
    const found = byVersion.get(id);
    if (!found) throw new Error(`Plan version ${id} no longer exists.`); // a foreign key holds it
    return found;
  };
}

/** The versions that subscriptions of one merchant have, each in the currency of the subscription. */
type InCurrency = (of: PinnedTo & Pick<SubscriptionRow, 'currency'>) => Agreement['at'];

/** Each version is made once for each currency. */
function inCurrencies(found: readonly PlanAtVersion[]): InCurrency {
  const own = new Map(found.map(({ plan }) => [plan.id, plan.currency]));
  const made = new Map<string, Agreement['at']>();
  return ({ currency: pinned, planId }) => {
    const currency = pinned ?? own.get(planId) ?? '';
    const at = made.get(currency) ?? lookUp(found.map((each) => pinnedIn(each, currency)));
    made.set(currency, at);
    return at;
  };
}

/** A plan at its version in a currency; a version that is in it already stays. */
export const pinnedIn = ({ plan, version }: Omit<PlanAtVersion, 'currency'>, currency: string): PlanAtVersion => ({
  plan,
  version: currency === plan.currency ? version : versionIn(version, currency),
  currency,
});

/** The plan versions that some subscriptions of one merchant have; each plan and version is loaded once. */
export async function loadPinned(
  tx: Tx,
  all: readonly (PinnedTo & Pick<SubscriptionRow, 'currency'>)[],
): Promise<(of: PinnedTo & Pick<SubscriptionRow, 'currency'>) => PlanAtVersion> {
  const at = inCurrencies(all.length === 0 ? [] : await loadAll(tx, all));
  return (of) => at(of)(of);
}

/** The versions that a transaction has read: a version that subscriptions have does not change. */
const versionsRead = new WeakMap<Tx, Map<string, PlanAtVersion>>();

/** @param other a plan whose default version is wanted, too */
async function loadAll(tx: Tx, all: readonly PinnedTo[], other?: string): Promise<PlanAtVersion[]> {
  const read = versionsRead.get(tx) ?? new Map<string, PlanAtVersion>();
  const known = [...new Set(all.map(({ planVersionId: id }) => id))].map((id) => read.get(id));
  if (other === undefined && known.every((each) => each !== undefined)) return known;
  const plans = await findPlans(tx, [...all.map(({ planId }) => planId), ...(other ? [other] : [])]);
  const defaultId = plans.get(other ?? '')?.defaultVersionId;
  const versions = await findPlanVersions(tx, [
    ...all.map(({ planVersionId: id }) => id),
    ...(defaultId ? [defaultId] : []),
  ]);
  const found = [...versions.values()].flatMap((version) => {
    const plan = plans.get(version.planId);
    return plan ? [{ plan, version, currency: plan.currency }] : [];
  });
  versionsRead.set(tx, new Map([...read, ...found.map((each) => [each.version.id, each] as const)]));
  return found;
}

/**
 * The agreement of a subscription.
 * @param other a plan that it may change to: loaded with its own, because the two share much
 */
export const loadAgreement = async (tx: Tx, subscription: SubscriptionRow, other?: string): Promise<Agreement> =>
  (await loadAgreements(tx, [subscription], other))(subscription.id);

/** The agreements of some subscriptions of one merchant, by their ids. @param other a plan that they may change to */
export async function loadAgreements(
  tx: Tx,
  subscriptions: readonly SubscriptionRow[],
  other?: string,
): Promise<(id: string) => Agreement> {
  const held = await loadHistories(tx, subscriptions, other);
  const committedFor = await findCommittedPrices(tx, subscriptions);
  const byId = new Map(subscriptions.map((each) => [each.id, each]));
  return (id) => ({ ...held(id), committed: committedFor(byId.get(id) as SubscriptionRow) });
}

/** The versions of some subscriptions, without the prices that commitments agree: as far as they decide on usage. */
export async function loadHistories(
  tx: Tx,
  subscriptions: readonly (PinnedTo & Pick<SubscriptionRow, 'id' | 'currency'>)[],
  other?: string,
): Promise<(id: string) => Agreement> {
  const ids = subscriptions.map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await selectVersionsOfSubscriptions(tx, ids);
  const bySubscription = (isOf: boolean) =>
    Map.groupBy(
      rows.filter(({ cancelled }) => cancelled === isOf),
      ({ subscriptionId: id }) => id,
    );
  const [history, cancelled] = [bySubscription(false), bySubscription(true)];
  const found = ids.length === 0 ? [] : await loadAll(tx, [...subscriptions, ...rows], other);
  const atOf = inCurrencies(found);
  const byId = new Map(subscriptions.map((each) => [each.id, each]));
  const isOther = ({ plan, version }: PlanAtVersion) => plan.id === other && plan.defaultVersionId === version.id;
  const facts = { other: found.find(isOther) };
  return (id) => ({
    ...{ history: history.get(id) ?? [], cancelled: cancelled.get(id) },
    ...{ at: atOf(byId.get(id) as SubscriptionRow), ...facts },
  });
}

/** The terms on which a subscription is billed: those of its pinned plan version, in its own quantities. Pure. */
export function termsUnder(agreement: Agreement, subscription: SubscriptionRow): BillingTerms {
  const { plan, version, currency } = agreement.at(subscription);
  const versions = versionsOf(agreement, subscription);
  return {
    merchantId: subscription.merchantId,
    subscriptionId: subscription.id,
    seq: subscription.seq,
    customerId: subscription.customerId,
    orderId: subscription.orderId,
    planId: plan.id,
    clockId: subscription.clockId,
    currency,
    planCadence: normaliseCadence(plan.billingCadence),
    bounds: {
      anchor: subscription.billingAnchor,
      startedAt: subscription.billingStartsAt,
      endsAt: endOf(subscription),
    },
    gracePeriod: Temporal.Duration.from(plan.gracePeriod),
    autoApprove: subscription.autoApprove ?? plan.autoApprove,
    ...paymentTermsOf(subscription),
    taxExempt: subscription.taxExempt,
    endCredit: subscription.endCredit,
    taxBehavior: plan.taxBehavior,
    planTaxRate: plan.defaultTaxRate,
    prices: withQuantities(version.prices, subscription.quantities),
    minimumAmount: version.minimumAmount,
    ...(versions.length > 0 && { versions }),
    ...(agreement.cancelled && { cancelled: agreement.cancelled.map((row) => cancelledIn(agreement, row)) }),
    ...(subscription.redemptions.length > 0 && { redemptions: subscription.redemptions.map(redemptionOf) }),
    ...(subscription.isCommitted && { isCommitted: true }),
  };
}

/** The overrides with each version of an agreement. Pure. */
export const overridesIn = ({ history, at }: Agreement): (readonly PriceOverride[])[] =>
  overridesOver(history, (row) => new Set(at(row).version.prices.map(({ id }) => id)));

/** All versions, quantities, agreed prices and pauses of a subscription; none: it always has those of its plan. */
function versionsOf(agreement: Agreement, subscription: SubscriptionRow): BilledVersion[] {
  const { history, at, committed = [] } = agreement;
  const { priceOverrides, pauses, billingStartsAt: from } = subscription;
  const common = { pauses, ...(committed.length > 0 && { committed: committedIn(committed, at(subscription)) }) };
  if (history.length > 0) {
    const overrides = overridesIn(agreement);
    return history.map((row, place) => ({
      ...billedVersion(row, at(row)),
      ...{ overrides: overrides[place] ?? [], ...common },
    }));
  }
  return priceOverrides.length === 0 && pauses.length === 0 && committed.length === 0
    ? []
    : [{ ...billedVersion(firstVersion(subscription), at(subscription)), from, overrides: priceOverrides, ...common }];
}

/** A version as it was to come: with the overrides of those before it. */
function cancelledIn(agreement: Agreement, row: VersionRow): BilledVersion {
  const before = agreement.history.filter(({ holdsFrom }) => !isAfter(holdsFrom, row.holdsFrom));
  const overrides = overridesIn({ ...agreement, history: [...before, row] }).at(-1) ?? [];
  return { ...billedVersion(row, agreement.at(row)), overrides };
}

/** What commitments agree in the currency of a subscription, in their order. */
const committedIn = (committed: readonly CommittedPrices[], { currency }: PlanAtVersion): readonly PriceOverride[] =>
  committed.flatMap((each) => (each.currency === currency ? each.overrides : []));

/** A version of a subscription in a time, or the part of it in a pause. */
interface HeldVersion {
  readonly from: Instant;
  readonly to: PinnedTo;
  readonly paused: Pause['usage'] | undefined;
}

/** The versions of a subscription with its pauses, as far as they decide which usage it bills. Pure. */
export function heldVersions(
  row: PinnedTo & Pick<SubscriptionRow, 'startedAt' | 'pauses'>,
  { history }: Agreement,
): HeldVersion[] {
  const { pauses } = row;
  const given =
    history.length > 0
      ? history.map((to) => ({ to, from: to.holdsFrom, waits: to.waits, pauses }))
      : [{ to: row, from: row.startedAt, pauses }];
  return partsByPauses(afterPauses<(typeof given)[number]>(given)).map(({ from, to, pause }) => ({
    ...{ from, to },
    paused: pause?.usage,
  }));
}

/** The one version of a subscription that was never changed. */
const firstVersion = (subscription: SubscriptionRow): Omit<VersionRow, 'seq' | 'cancelled'> => ({
  merchantId: subscription.merchantId,
  subscriptionId: subscription.id,
  holdsFrom: subscription.startedAt,
  changeId: null,
  planId: subscription.planId,
  planVersionId: subscription.planVersionId,
  quantities: subscription.quantities,
  priceOverrides: subscription.priceOverrides,
  anchors: {},
  proration: 'second',
  credit: 'invoice',
  takesUpAnew: false,
  waits: false,
});

function billedVersion(row: Omit<VersionRow, 'seq' | 'cancelled'>, { plan, version }: PlanAtVersion): BilledVersion {
  return {
    from: row.holdsFrom,
    changeId: row.changeId,
    planId: plan.id,
    planTaxRate: plan.defaultTaxRate,
    planCadence: normaliseCadence(plan.billingCadence),
    prices: withQuantities(version.prices, row.quantities),
    minimumAmount: version.minimumAmount,
    anchors: Object.fromEntries(
      Object.entries(row.anchors).map(([cadence, anchor]) => [cadence, Temporal.Instant.from(anchor)]),
    ),
    proration: row.proration,
    credit: row.credit,
    takesUpAnew: row.takesUpAnew,
    waits: row.waits,
  };
}

/** How the invoices of a subscription are paid, as it says now. Pure. */
export const paymentTermsOf = (subscription: SubscriptionRow): PaymentTerms => ({
  paymentTermDays: subscription.paymentTermDays,
  bankTransferOnly: subscription.bankTransferOnly,
  autoCharge: subscription.autoCharge,
  checkout: checkoutOf(subscription),
});

/** The default time to pay before a waiting subscription ends (domain.md §3). */
const CHECKOUT_MINUTES = 240;

const checkoutOf = ({ redirectUrls: urls, sessionExpiryMinutes: minutes }: SubscriptionRow) => ({
  redirectUrls: {
    ...(urls?.onSuccess !== undefined && { onSuccess: urls.onSuccess }),
    ...(urls?.onFailure !== undefined && { onFailure: urls.onFailure }),
  },
  sessionExpiryMinutes: minutes ?? CHECKOUT_MINUTES,
});
