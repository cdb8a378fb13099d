import type { Tx } from '../../db/index.ts';
import {
  type BilledVersion,
  type BillingTerms,
  cadenceOfPrice,
  type FindUsageSources,
  findReadSeries,
  lockBilling,
  lockBillingNow,
  lockInvoicesOf,
  markHeldToBeReadAgain,
  versionsOf,
} from '../../invoicing/index.ts';
import { type Instant, isAfter, normaliseCadence, type Period } from '../../kernel/time.ts';
import { endOf } from '../subscription/decide.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import {
  type ClaimingRow,
  lockSubscriptions,
  lockSubscriptionsNow,
  selectClaiming,
  selectClaimingOf,
  updateEndedToBeDue,
} from '../subscription/subscriptions.sql.ts';
import { heldVersions, loadHistories, type PlanAtVersion } from './agreement.ts';
import { claimOf, ownedSpans, type PricedSpan, type ReadSeries, shareMetric, type UsageClaim } from './usage-owner.ts';

/**
 * The sources of a metric's usage that some subscriptions of one merchant bill in a period: events for a subscription,
 * and its share of events for its customer. The own claim is that of the terms, so that nothing is loaded for a
 * subscription that is alone.
 */
export async function loadUsageSources(tx: Tx, all: readonly BillingTerms[]): Promise<FindUsageSources> {
  const holders = new Map(
    all.map((terms) => [holderOf(terms), { customerId: terms.customerId, clockId: terms.clockId }]),
  );
  const rows = holders.size === 0 ? [] : await selectClaimingOf(tx, [...holders.values()]);
  const byHolder = Map.groupBy(rows, (row) => holderOf({ customerId: row.customerId, clockId: row.clockId }));
  const together = [...byHolder.values()].filter((those) => those.length > 1).flat();
  const others = new Map((await claimsOf(tx, together)).map((claim) => [claim.subscriptionId, claim]));
  const ended = together.filter((row) => endOf(row) !== null).map(({ id }) => id);
  const read = ended.length < 2 ? [] : await findReadSeries(tx, ended);
  return (terms, metricId, period) => {
    const { subscriptionId } = terms;
    const claims = (byHolder.get(holderOf(terms)) ?? []).map((row) =>
      row.id === subscriptionId ? ownClaim(row, terms) : (others.get(row.id) as UsageClaim),
    );
    const own = ownedSpans(claims, { subscriptionId, metricId }, period, beyondTheEnd(read, claims, period));
    return [
      { subject: subscriptionId, from: period.start, to: period.end },
      ...own.map(({ start, end }) => ({ subject: terms.customerId, from: start, to: end })),
    ];
  };
}

const holderOf = ({ customerId, clockId }: Pick<BillingTerms, 'customerId' | 'clockId'>): string =>
  `${customerId} ${clockId}`;

const ownClaim = (row: ClaimingRow, terms: BillingTerms): UsageClaim =>
  claimOf(
    { subscriptionId: row.id, start: row.startedAt, end: endOf(row) },
    versionsOf(terms).map((version) => ({
      from: 'from' in version ? version.from : row.startedAt,
      metrics: metricsOf(version),
      paused: 'paused' in version ? version.paused : undefined,
    })),
  );

/**
 * How far the usage of those was read that ended before a period does: only then can usage after an end be somebody's
 * still (`ownedSpans`). One that is alone has whatever it asks for.
 */
function beyondTheEnd(read: readonly ReadSeries[], claims: readonly UsageClaim[], period: Period): ReadSeries[] {
  const ended = claims.filter(({ end }) => end !== null && isAfter(period.end, end));
  if (ended.length < 2) return [];
  const ids = new Set(ended.map(({ subscriptionId }) => subscriptionId));
  return read.filter(({ subscriptionId }) => ids.has(subscriptionId));
}

/** A subscription whose row is locked, and since when its history changes. */
interface ToBill {
  readonly subscription: SubscriptionRow;
  readonly from: Instant;
}

/**
 * Locks what billing a subscription takes, whose row is locked: its billing and then its invoices. Where its history
 * changes in the past, others of the customer may bill its usage: they are locked with it. It is the first thing that
 * whoever bills does.
 * @param from since when its history changes
 */
export const lockToBill = (tx: Tx, subscription: SubscriptionRow, from: Instant, now: Instant): Promise<void> =>
  lockAllToBill(tx, [{ subscription, from }], now);

/** The same for some subscriptions of one merchant, all of which are locked before any is billed. */
export async function lockAllToBill(tx: Tx, billed: readonly ToBill[], now: Instant): Promise<void> {
  const [first] = billed;
  if (!first) return;
  const others: ClaimingRow[] = [];
  for (const { subscription, from } of billed)
    if (isAfter(now, from)) others.push(...(await selectOthers(tx, subscription)));
  const ids = billed.map(({ subscription }) => subscription.id);
  await lockBillingOf(tx, ids, others, true);
  await lockInvoicesOf(tx, ids);
}

/**
 * Locks the billing of a subscription that waits for its payment and of those whose usage it may bill once it is paid:
 * for who is about to lock its invoice and may mark it paid.
 * @param wait false: throws 55P03 where somebody has one of them
 */
export async function lockToActivate(tx: Tx, subscription: SubscriptionRow, wait: boolean): Promise<void> {
  const { id } = subscription;
  await lockBillingOf(tx, [id], await selectOthers(tx, subscription), wait);
}

const selectOthers = async (tx: Tx, subscription: SubscriptionRow): Promise<ClaimingRow[]> =>
  (await selectClaiming(tx, subscription)).filter(({ id }) => id !== subscription.id);

/** Those that have ended may become due (`siblingsToRead`). Rows of subscriptions come before their billing. */
async function lockBillingOf(
  tx: Tx,
  own: readonly string[],
  others: readonly ClaimingRow[],
  wait: boolean,
): Promise<void> {
  const ended = others.filter(({ status }) => status === 'terminated').map((other) => other.id);
  if (ended.length > 0) await (wait ? lockSubscriptions : lockSubscriptionsNow)(tx, ended);
  const ids = [...new Set([...own, ...others.map(({ id }) => id)])];
  await (wait ? lockBilling : lockBillingNow)(tx, ids);
}

/**
 * From an instant in the past on, usage that is addressed to the customer may be billed by another subscription than
 * before: this one became active as of then, or its plan changed. The closed periods of the others that price one of
 * its metrics are read again at their next close. One that has ended has no next close, so it becomes due now (§3,
 * "Whose usage").
 */
export async function markSiblings(tx: Tx, subscription: SubscriptionRow, from: Instant, now: Instant): Promise<void> {
  await markHeldToBeReadAgain(tx, await siblingsToRead(tx, subscription, from, now), from);
}

/**
 * The same where this one was ended, and its own closed periods with them: they may have billed what is after the end.
 */
export async function markAsEnded(tx: Tx, subscription: SubscriptionRow, now: Instant): Promise<void> {
  const { id, terminatedAt: end } = subscription;
  if (end === null) throw new Error(`Subscription ${id} has no end.`);
  await markHeldToBeReadAgain(tx, [id, ...(await siblingsToRead(tx, subscription, end, now))], end);
}

/** The others that are concerned by a change of the past. Those that have ended are made due. */
async function siblingsToRead(tx: Tx, subscription: SubscriptionRow, from: Instant, now: Instant): Promise<string[]> {
  if (!isAfter(now, from)) return []; // no period is closed that goes beyond now
  const rows = await selectClaiming(tx, subscription);
  if (rows.every(({ id }) => id === subscription.id)) return [];
  const { id: ownId } = subscription;
  const claims = await claimsOf(tx, rows);
  const own = claims.find(({ subscriptionId }) => subscriptionId === ownId);
  const sharing = claims
    .filter((claim) => claim !== own && own !== undefined && shareMetric(own, claim))
    .map(({ subscriptionId }) => subscriptionId);
  const over = rows.filter(({ id, status }) => status === 'terminated' && sharing.includes(id)).map(({ id }) => id);
  const read = over.length === 0 ? [] : await findReadSeries(tx, over);
  const due = read.filter(({ until }) => isAfter(until, from)).map(({ subscriptionId }) => subscriptionId);
  // Before the marks: who reads the usage of such a subscription at this moment holds its row, and waits for the marks.
  if (due.length > 0) await updateEndedToBeDue(tx, due, now);
  return sharing;
}

/** The claims of subscriptions of one merchant, with each plan and version loaded once. */
async function claimsOf(tx: Tx, rows: readonly ClaimingRow[]): Promise<UsageClaim[]> {
  const [first] = rows;
  if (!first) return [];
  const agreements = await loadHistories(tx, rows);
  return rows.map((row) => {
    const { at } = agreements(row.id);
    const metricsAt = ({ plan, version }: PlanAtVersion) =>
      metricsOf({ planCadence: normaliseCadence(plan.billingCadence), prices: version.prices });
    return claimOf(
      { subscriptionId: row.id, start: row.startedAt, end: endOf(row) },
      heldVersions(row, agreements(row.id)).map((each) => ({ ...each, metrics: metricsAt(at(each.to)) })),
    );
  });
}

/** The metrics that a version prices, each with the cadences of its prices. */
export function metricsOf(version: Pick<BilledVersion, 'planCadence' | 'prices'>): PricedSpan['metrics'] {
  const metered = version.prices.flatMap((price) =>
    price.metric ? [{ id: price.metric.id, cadence: cadenceOfPrice(version, price) }] : [],
  );
  const byMetric = Map.groupBy(metered, ({ id }) => id);
  return new Map([...byMetric].map(([id, those]) => [id, those.map(({ cadence }) => cadence)]));
}
