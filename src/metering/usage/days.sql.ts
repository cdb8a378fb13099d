import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';

/** The events of one type on one day (UTC), as a metric counts them. */
export interface UsageDay {
  readonly startsAt: Instant;
  readonly eventType: string;
  readonly eventCount: number;
}

/** The days that are asked for: those that begin in `[from, to)`. Null: no bound. */
export interface UsageDaysQuery {
  readonly customerId: string;
  readonly from: Instant | null;
  readonly to: Instant | null;
  /** How many figures are enough, beside those of the latest day; a day has all or none of its figures. */
  readonly most: number;
}

/**
 * The days on which a customer or its subscriptions had events, by event type. From the roll-ups, so types that no
 * metric counts are missing.
 */
export const selectUsageDays = (tx: Tx, { customerId, from, to, most }: UsageDaysQuery): Promise<UsageDay[]> =>
  tx.rows<UsageDay>(sql`
    select starts_at, event_type, event_count::float8
      from usage_days(${tx.merchantId}, ${customerId}, ${from}::timestamptz, ${to}::timestamptz, ${most}::int)`);
