import type { Tx } from '../../db/index.ts';
import { jsonNumber } from '../../kernel/decimal.ts';
import { formatInstant, type Instant, type InstantText, isAfter, isBefore } from '../../kernel/time.ts';
import { shownOverTime } from '../../metering/index.ts';
import type { CountedEntitlement, EntitlementRow } from '../entitlement/entitlement.ts';
import type { EntitlementDetailReply } from '../entitlement/schemas.ts';
import { type Loaded, loadInput, templateAt } from '../inputs/inputs.ts';
import { isMeasuredOverTime } from '../inputs/measure.ts';
import { type Balance, type BalanceQuestion, balanceOfLoaded, instantAsked } from './balances.ts';

const time = (instant: Instant | null): InstantText | null => (instant === null ? null : formatInstant(instant));

/** The status of an entitlement at an instant (§2): before its start, too, it is `active`, but gives no access yet. */
export function statusAt(
  { activeTo: to, isFromPlan, isCanceled }: Pick<EntitlementRow, 'activeTo' | 'isFromPlan' | 'isCanceled'>,
  at: Instant,
): EntitlementDetailReply['status'] {
  if (to === null || isBefore(at, to)) return 'active';
  return isFromPlan || isCanceled ? 'canceled' : 'expired';
}

const isActiveAt = (entitlement: CountedEntitlement, at: Instant): boolean =>
  statusAt(entitlement, at) === 'active' && !isAfter(entitlement.activeFrom, at);

/** Is its subscription paused (commercial.md §6)? */
const isPausedAt = ({ pauses }: CountedEntitlement, at: Instant): boolean =>
  pauses.some(
    ({ from, to }) =>
      !isBefore(at, Temporal.Instant.from(from)) && (to === null || isBefore(at, Temporal.Instant.from(to))),
  );

/**
 * An entitlement as the API answers it.
 * @param now effective now of the entitlement
 */
export async function toEntitlementReply(
  tx: Tx,
  entitlement: EntitlementRow,
  question: BalanceQuestion,
  now: Instant,
): Promise<EntitlementDetailReply> {
  return toLoadedReply(tx, await loadInput(tx, { entitlement, at: instantAsked(question, now) }), question, now);
}

/** The same where the inputs of the instant are there already. */
export async function toLoadedReply(
  tx: Tx,
  loaded: Loaded,
  question: BalanceQuestion,
  now: Instant,
): Promise<EntitlementDetailReply> {
  const isMetered = loaded.entitlement.featureType === 'metered';
  const balance = isMetered ? await balanceOfLoaded(tx, loaded, question, now) : null;
  return detailOf(loaded, instantAsked(question, now))(balance);
}

/** The answer about an entitlement at an instant, by its balance; null: nothing is metered. */
export function detailOf(loaded: Loaded, at: Instant): (balance: Balance | null) => EntitlementDetailReply {
  const { entitlement, terms } = loaded;
  const isPaused = isPausedAt(entitlement, at);
  const isActive = isActiveAt(entitlement, at) && !isPaused;
  const template = templateAt(terms, at);
  const shared = { ...sharedFields(loaded, at), ...(isPaused && { paused: true }) };
  const billableMetrics = [...entitlement.billableMetricIds];
  const isSoftLimit = template.type === 'metered' && template.isSoftLimit === true;
  const config = template.type === 'static' ? template.config : undefined;
  return (balance) => {
    if (balance) {
      const hasAccess = isActive && (isSoftLimit || balance.available.gt(0));
      return { ...shared, ...meteredFields(billableMetrics, shownBalance(loaded, balance)), isSoftLimit, hasAccess };
    }
    if (config !== undefined) return { ...shared, featureType: 'static', config, hasAccess: isActive };
    return { ...shared, featureType: 'boolean', config: null, hasAccess: isActive };
  };
}

const sharedFields = ({ entitlement, featureKey }: Loaded, at: Instant) => ({
  id: entitlement.id,
  object: 'entitlement' as const,
  merchantId: entitlement.merchantId,
  customerId: entitlement.customerId,
  featureId: entitlement.featureId,
  featureKey,
  productId: entitlement.productId,
  planId: entitlement.planId,
  subscriptionId: entitlement.subscriptionId,
  status: statusAt(entitlement, at),
  activeFrom: formatInstant(entitlement.activeFrom),
  activeTo: time(entitlement.activeTo),
  metadata: entitlement.metadata,
});

/** Usage over time is exact, and shown with the digits of such a figure. */
function shownBalance(loaded: Loaded, balance: Balance): Balance {
  if (!isMeasuredOverTime(loaded)) return balance;
  const { available, usageInPeriod, overage } = balance;
  return {
    ...balance,
    available: shownOverTime(available),
    usageInPeriod: shownOverTime(usageInPeriod),
    overage: shownOverTime(overage),
  };
}

/** A one-time entitlement has no periods to show. */
function meteredFields(billableMetrics: string[], { available, usageInPeriod, overage, reserved, period }: Balance) {
  const isPeriodic = period.end !== null;
  return {
    featureType: 'metered' as const,
    config: null,
    balance: jsonNumber(available),
    usageInPeriod: jsonNumber(usageInPeriod),
    overage: jsonNumber(overage),
    reserved: jsonNumber(reserved),
    currentPeriodStart: isPeriodic ? formatInstant(period.start) : null,
    currentPeriodEnd: time(period.end),
    lastResetAt: time(period.lastResetAt),
    billableMetrics,
    pricingUnitId: null,
  };
}
