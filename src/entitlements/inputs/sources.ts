import { earliest, type Instant, isBefore, latest } from '../../kernel/time.ts';
import { type ActiveSpan, type Meter, ownSpans, type UsageSource } from '../../metering/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';

/** A metric that an entitlement measures. */
export interface MeasuredMeter extends Meter {
  readonly id: string;
}

/**
 * An older entitlement of another subscription of the customer on the same clock, and when it takes the customer's
 * usage.
 */
export interface PrecedingEntitlement {
  readonly metricIds: readonly string[];
  readonly span: ActiveSpan;
}

/**
 * The sources of a metric's usage that an entitlement counts in `[from, to)` (domain.md §5): events for its
 * subscription, and events for its customer that no older entitlement of another subscription counts. Without a
 * subscription it counts the events for its customer. Only while it is active.
 */
export function sourcesOf(
  entitlement: Pick<EntitlementRow, 'customerId' | 'subscriptionId' | 'activeFrom' | 'activeTo'>,
  preceding: readonly PrecedingEntitlement[],
  metricId: string,
  from: Instant,
  to: Instant,
): UsageSource[] {
  const { customerId, subscriptionId, activeFrom, activeTo } = entitlement;
  const start = latest(from, activeFrom);
  const end = activeTo === null ? to : earliest(to, activeTo);
  if (!isBefore(start, end)) return [];
  if (subscriptionId === null) return [{ subject: customerId, from: start, to: end }];
  const taken = preceding.filter(({ metricIds }) => metricIds.includes(metricId)).map(({ span }) => span);
  return [
    { subject: subscriptionId, from: start, to: end },
    ...ownSpans({ start, end }, { from: activeFrom, to: activeTo }, taken).map((span) => ({
      subject: customerId,
      from: span.start,
      to: span.end,
    })),
  ];
}

/** To whom usage of an entitlement can be addressed. */
export const subjectsOf = ({
  customerId,
  subscriptionId,
}: Pick<EntitlementRow, 'customerId' | 'subscriptionId'>): string[] =>
  subscriptionId === null ? [customerId] : [subscriptionId, customerId];
