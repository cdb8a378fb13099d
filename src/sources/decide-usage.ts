import { plain } from '../kernel/decimal.ts';
import { OUTSIDE_ID } from '../kernel/ids.ts';
import { isJsonObject } from '../kernel/json.ts';
import { formatInstant, type Instant, isBefore } from '../kernel/time.ts';
import type { OwnEvent } from '../metering/index.ts';
import type { Source, SourceEvent } from './source.ts';

/** The metric that counts the revenue, as far as an event is made for it. */
export interface RevenueMetric {
  readonly id: string;
  readonly aggregation: string;
  readonly eventType: string | null;
  readonly valueProperty: string | null;
}

/** A subscription of the source's plan. */
export interface PlanSubscription {
  readonly id: string;
  readonly customerId: string;
  /** Null: the plan's. */
  readonly currency: string | null;
  readonly startedAt: Instant;
  readonly status: 'active' | 'terminated';
  readonly terminatedAt: Instant | null;
}

/** The known facts before an event is processed. */
export interface Known {
  readonly source: Pick<Source, 'id' | 'planId'>;
  readonly metric: RevenueMetric | undefined;
  /** Of the plan. */
  readonly currency: string;
  /** The customer of the event's name; null if no customer has it. */
  readonly customerId: string | null;
  /** Of that customer and the source's plan. */
  readonly subscriptions: readonly PlanSubscription[];
}

/** The usage event to write, or why there can be none. */
export type UsageDecision =
  | { readonly ok: true; readonly usage: OwnEvent; readonly subscriptionId: string | null }
  | { readonly ok: false; readonly reason: string; readonly subscriptionId: string | null };

const SOURCE = 'reckoner/sources';
const NAMEABLE = new RegExp(OUTSIDE_ID);

/** Can a metric count revenue? @returns why not, as a sentence; null where it can */
export function metricProblem({ aggregation, valueProperty }: Pick<RevenueMetric, 'aggregation' | 'valueProperty'>) {
  return aggregation === 'SUM' && valueProperty !== null ? null : 'must be a SUM metric, which adds up a valueProperty';
}

/**
 * Decides the usage event of a source event (domain.md §7): of the metric's type, with the amount where the metric
 * reads it, of the customer or else of the name that the provider says. Its key is the source event's id, so it is
 * written once.
 */
export function decideUsage(event: SourceEvent, known: Known): UsageDecision {
  const { metric, customerId, source } = known;
  const subscription = customerId === null ? undefined : subscriptionAt(known.subscriptions, event.occurredAt);
  const currency = subscription?.currency ?? known.currency;
  const because = (reason: string): UsageDecision => ({ ok: false, reason, subscriptionId: null });
  if (metric === undefined) return because('The metric of metadata.billableMetricMapping.revenue does not exist.');
  if (metricProblem(metric) !== null) return because(`The metric ${metric.id} ${metricProblem(metric)}.`);
  if (metric.eventType === null) return because(`The metric ${metric.id} has no eventType, so it counts no event.`);
  if (event.currency !== currency)
    return because(
      `The amount is in ${event.currency}; ${subscription?.currency ? `the subscription ${subscription.id}` : `the plan ${source.planId}`} bills in ${currency}.`,
    );
  if (event.customerExternalId === null) return because('The event names no customer.');
  if (customerId !== null && subscription === undefined)
    return because(`The customer ${customerId} has no active subscription of the plan ${source.planId}.`);
  if (customerId === null && !NAMEABLE.test(event.customerExternalId))
    return because(
      'No customer has this externalId, and usage cannot wait under it: it has other characters than ' +
        'letters, digits, underscore and hyphen.',
    );
  return {
    ok: true,
    subscriptionId: subscription?.id ?? null,
    usage: {
      type: metric.eventType,
      source: SOURCE,
      ...(customerId === null ? { externalSubject: event.customerExternalId } : { subject: customerId }),
      timestamp: formatInstant(event.occurredAt),
      idempotencyKey: event.id,
      data: withValue(
        { currency: event.currency, sourceId: event.sourceId, ...event.attributes },
        metric.valueProperty as string,
        plain(event.amount),
      ),
    },
  };
}

/** The active subscription, or the one at the event's time: late revenue of a time before the end still counts. */
function subscriptionAt(subscriptions: readonly PlanSubscription[], at: Instant): PlanSubscription | undefined {
  const ran = ({ startedAt, terminatedAt }: PlanSubscription) =>
    !isBefore(at, startedAt) && (terminatedAt === null || isBefore(at, terminatedAt));
  return subscriptions.find(ran) ?? subscriptions.find(({ status }) => status === 'active');
}

/** `data` with a value at `$.payment.amount`, in place of an earlier one. */
function withValue(data: Readonly<Record<string, unknown>>, path: string, value: string): Record<string, unknown> {
  const [first = '', ...rest] = path.slice('$.'.length).split('.');
  if (rest.length === 0) return { ...data, [first]: value };
  const inner = data[first];
  const kept = isJsonObject(inner) ? inner : {};
  return { ...data, [first]: withValue(kept, `$.${rest.join('.')}`, value) };
}
