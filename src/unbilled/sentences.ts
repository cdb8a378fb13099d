import { formatInstant, type Instant, isAfter } from '../kernel/time.ts';
import type { EventFate } from '../metering/index.ts';
import type { EventExplanationReply } from './explanation-schema.ts';

/** The times of a subscription that decide whether it has a period at an instant. */
export interface SubscriptionTimes {
  readonly startedAt: Instant;
  readonly billingStartsAt: Instant;
  readonly endingAt: Instant | null;
  readonly terminatedAt: Instant | null;
}

/** What the sentence about an event is made of. */
export interface ExplainedEvent {
  readonly event: EventExplanationReply['event'];
  readonly at: Instant;
  readonly fate: EventFate;
  /** For `NO_PERIOD`: the subscriptions that could bill it. */
  readonly subscriptions: readonly SubscriptionTimes[];
  readonly metrics: EventExplanationReply['metrics'];
}

/** Why an event is billed or not, and what to do. */
export function explanationOf(explained: ExplainedEvent): string {
  const { event, fate, metrics } = explained;
  switch (fate.reason) {
    case null: {
      const prices = metrics.flatMap((metric) => metric.prices).filter(({ reason }) => reason === null).length;
      return prices === 1 ? 'A price bills the event.' : `${prices} prices bill the event.`;
    }
    case 'UNKNOWN_SUBJECT':
      return event.externalSubject === undefined
        ? `No customer or subscription has the id ${event.sentSubject}. Send the event again with the right subject ` +
            'and another idempotencyKey.'
        : `No customer has the externalId ${event.externalSubject} yet. Create a customer with it, or set it on a ` +
            'customer. The event then counts.';
    case 'UNKNOWN_TYPE':
      return (
        `No metric and no cost has the eventType ${event.type}. Create a metric with it, which also counts earlier ` +
        'events, or send the events with the right type.'
      );
    case 'BEFORE_EVENT_FROM':
      return (
        `Metrics count only events after their eventFrom, and this event is not later: ${startsOf(fate)}. ` +
        'Create a metric with an earlier eventFrom if the event must count.'
      );
    case 'NO_VALUE':
      return `${valuesOf(explained)} Send the event again with a value and another idempotencyKey.`;
    case 'NO_PERIOD':
      return noPeriod(explained);
    case 'NOT_PRICED':
      return metrics.some(({ isMatched }) => isMatched)
        ? `The subscription of the customer has no price for ${namesOf(metrics)}. Add a price for it to the plan.`
        : 'Only costs count the event, and costs are not billed. Create a metric and a price to bill it.';
    case 'GROUP_FILTERED':
      return (
        `The prices for ${namesOf(metrics)} are for other values than ${groupsOf(metrics)}. ` +
        'Add a price for these values to the plan, or one without groupFilters.'
      );
    case 'OLDER_SUBSCRIPTION':
      return 'Another subscription of the customer bills the usage of this metric. Nothing is left to do.';
    case 'PERIOD_CLOSED':
      return (
        'The event came after the usage of its period was read. The next invoice of the subscription bills it as ' +
        'late usage. If the subscription has no next invoice, bill it with a one-off invoice.'
      );
    case 'INVOICE_CANCELLED':
      return 'The invoice of its period is cancelled. Bill the usage with a one-off invoice if it is still owed.';
    case 'SUPERSEDED':
      return 'A later event set another level before the end of the period. Nothing is left to do.';
  }
}

const namesOf = (metrics: ExplainedEvent['metrics']): string =>
  metrics
    .filter(({ isMatched }) => isMatched)
    .map(({ name }) => name)
    .join(', ');

const groupsOf = (metrics: ExplainedEvent['metrics']): string =>
  metrics
    .filter(({ reason }) => reason === 'GROUP_FILTERED')
    .map(({ group }) => JSON.stringify(group))
    .join(', ');

const startsOf = ({ meters }: EventFate): string =>
  meters.flatMap(({ meter: { eventFrom } }) => (eventFrom ? formatInstant(eventFrom) : [])).join(', ');

/** What stands where the meters look for a value. */
function valuesOf({ event, fate }: ExplainedEvent): string {
  const paths = new Set(fate.meters.flatMap(({ meter: { valueProperty } }) => valueProperty ?? []));
  const sentences = [...paths].map((path) => {
    const value = path
      .slice(2)
      .split('.')
      .reduce<unknown>((part, key) => (part as Record<string, unknown> | null | undefined)?.[key], event.data);
    return value === undefined || value === null
      ? `The data of the event has no value at ${path}.`
      : `${JSON.stringify(value)} at ${path} is not a value that counts.`;
  });
  return sentences.join(' ');
}

/** Why no subscription has a period at the time of an event. */
function noPeriod({ at, subscriptions }: ExplainedEvent): string {
  const [first] = subscriptions.toSorted((a, b) => (isAfter(a.startedAt, b.startedAt) ? 1 : -1));
  if (!first) return 'The customer has no subscription. Create one that starts at the time of the event or before.';
  const started = subscriptions.filter(({ startedAt }) => !isAfter(startedAt, at));
  if (started.length === 0)
    return (
      `The event is before the first subscription of the customer, which starts at ${formatInstant(first.startedAt)}. ` +
      'Send it with a later timestamp and another idempotencyKey if it must be billed.'
    );
  const living = started.filter((each) => {
    const end = each.terminatedAt ?? each.endingAt;
    return end === null || isAfter(end, at);
  });
  if (living.length === 0)
    return 'The event is after the end of the customer’s subscriptions. Create another subscription to bill later usage.';
  const trial = living.find(({ billingStartsAt }) => isAfter(billingStartsAt, at));
  if (trial)
    return `The event is in a trial, which ends at ${formatInstant(trial.billingStartsAt)}. Its usage is not billed.`;
  return 'The billing period at the time of the event has not begun yet. The event counts when the period begins.';
}
