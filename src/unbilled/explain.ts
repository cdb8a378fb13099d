import { findMeters, listMetricsAndCostsByEventType } from '../catalog/index.ts';
import { customerParty } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { findPlanEntitlementsMeasuring } from '../entitlements/index.ts';
import { isId } from '../kernel/ids.ts';
import { ok, type Result } from '../kernel/result.ts';
import { type Instant, instantOf, isAfter } from '../kernel/time.ts';
import {
  type EventBilling,
  type EventFate,
  type FindBilling,
  findEvent,
  type MeterReading,
} from '../metering/index.ts';
import { findSubscriptionsOfCustomer } from '../subscriptions/index.ts';
import type { EventExplanationReply } from './explanation-schema.ts';
import { explanationOf, type SubscriptionTimes } from './sentences.ts';

type ExplainedPrice = EventExplanationReply['metrics'][number]['prices'][number];

/** Subscriptions of a customer that are looked at to say why it has no period: the newest. */
const MOST_SUBSCRIPTIONS = 100;

/**
 * GET /v0/events/{id}/explain: the outcome of an event with names, and as a sentence. `findEvent` counts and bills it
 * by the rules of usage.
 */
export async function explainEvent(
  tx: Tx,
  merchantId: string | null,
  id: string,
  findBilling: FindBilling,
): Promise<Result<EventExplanationReply>> {
  const found = await findEvent(tx, merchantId, id, findMeters, findBilling);
  if (!found.ok) return found;
  const { event, fate } = found.value;
  const own = tx.of(event.namespace);
  const at = instantOf(event.timestamp);
  const known = await listMetricsAndCostsByEventType(own, [event.type]);
  const customerId = event.subject ?? null;
  const entitlementOf = await entitlementsOf(own, fate.bill?.billing ?? [], at);
  const metrics = known.metrics.map(({ id: billableMetricId, name }) => {
    const { reason, ...read } = readingOf(fate, billableMetricId);
    const prices = (fate.bill?.billing ?? [])
      .filter((each) => each.billableMetricId === billableMetricId)
      .map((each) => toPrice(each, entitlementOf(each)));
    return {
      billableMetricId,
      name,
      ...read,
      reason: reason ?? fate.bill?.reasons.get(billableMetricId) ?? null,
      prices,
    };
  });
  const costs = known.costs.map(({ id: costId, name }) => ({ costId, name, ...readingOf(fate, costId) }));
  const subscriptions =
    fate.reason === 'NO_PERIOD' && customerId !== null ? await timesOf(own, customerId, fate.addressee) : [];
  return ok({
    object: 'eventExplanation',
    event,
    customer: customerId === null ? null : { id: customerId, name: (await customerParty(own, customerId)).name },
    isCounted: fate.reason === null,
    reason: fate.reason,
    message: explanationOf({ event, at, fate, subscriptions, metrics }),
    metrics,
    costs,
  });
}

/** What a metric or cost makes of the event; the reason is one for which it does not count the event. */
function readingOf({ readings, addressee }: EventFate, id: string) {
  const { reason, value, group } = readings.find((reading) => reading.id === id) as MeterReading;
  const why = addressee === null ? ('UNKNOWN_SUBJECT' as const) : reason;
  return { isMatched: why === null, reason: why, value, group };
}

const toPrice = (
  { billableMetricId: _, priceName: name, ...each }: EventBilling,
  entitlementId: string | null,
): ExplainedPrice => ({ ...each, name, entitlementId });

/** The entitlements of subscriptions that measure metrics at an instant; the oldest of several. */
async function entitlementsOf(
  tx: Tx,
  billing: readonly EventBilling[],
  at: Instant,
): Promise<(of: EventBilling) => string | null> {
  const metricIds = billing.map(({ billableMetricId }) => billableMetricId);
  const found = [];
  for (const subscriptionId of new Set(billing.map((each) => each.subscriptionId)))
    found.push(...(await findPlanEntitlementsMeasuring(tx, { merchantId: tx.merchantId, subscriptionId, metricIds })));
  const active = found.filter(
    ({ activeFrom, activeTo }) => !isAfter(activeFrom, at) && (activeTo === null || isAfter(activeTo, at)),
  );
  return ({ subscriptionId, billableMetricId }) =>
    active.find((each) => each.subscriptionId === subscriptionId && each.billableMetricIds?.includes(billableMetricId))
      ?.id ?? null;
}

/** The subscriptions that could bill an event: the one that it names, or all of its customer. */
async function timesOf(tx: Tx, customerId: string, addressee: string | null): Promise<SubscriptionTimes[]> {
  const all = await findSubscriptionsOfCustomer(tx, customerId, MOST_SUBSCRIPTIONS);
  const isNamed = addressee !== null && isId('subscription', addressee);
  return isNamed ? all.filter(({ id }) => id === addressee) : all;
}
