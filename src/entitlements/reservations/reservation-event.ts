import { type Decimal, plain } from '../../kernel/decimal.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import type { OwnEvent } from '../../metering/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';

/** The one metric of an entitlement, as far as an event is made for it. */
export interface ReservedUsage {
  readonly aggregation: 'SUM' | 'COUNT';
  readonly eventType: string;
  /** `$.tokens` is `data.tokens`. Null (COUNT only): every event counts. */
  readonly valueProperty: string | null;
}

/** Is there nothing to report but that it happened? */
export const isCountedOnce = ({ aggregation }: Pick<ReservedUsage, 'aggregation'>): boolean => aggregation === 'COUNT';

const SOURCE = 'reckoner/reservations';

/**
 * The event that settling writes (domain.md §5): of the metric's type, of the subscription or else the customer, with
 * the amount where the metric reads it.
 * @returns null where nothing was used
 */
export function usageEvent(
  { subscriptionId, customerId }: Pick<EntitlementRow, 'subscriptionId' | 'customerId'>,
  { eventType, valueProperty }: ReservedUsage,
  { id, amount }: { id: string; amount: Decimal },
  now: Instant,
): OwnEvent | null {
  if (amount.isZero()) return null;
  return {
    type: eventType,
    source: SOURCE,
    subject: subscriptionId ?? customerId,
    timestamp: formatInstant(now),
    idempotencyKey: id,
    data: valueProperty === null ? {} : dataAt(valueProperty, plain(amount)),
  };
}

/** `{tokens: {used: value}}` for `$.tokens.used`. */
function dataAt(path: string, value: string): Record<string, unknown> {
  const [first = '', ...rest] = path.slice('$.'.length).split('.').toReversed();
  return rest.reduce<Record<string, unknown>>((inner, name) => ({ [name]: inner }), { [first]: value });
}
