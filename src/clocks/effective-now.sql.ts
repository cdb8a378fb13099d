import { type Sql, sql } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';

/**
 * Effective now of each row of another domain's statement: the time of the row's clock, or wall time when it is on
 * none.
 * @param merchantId of a statement that writes: it then looks for the clock in the merchant's part of the table alone
 */
export const effectiveNowOf = (table: string, now: Instant, merchantId?: string): Sql => sql`
  coalesce((select c.clock_time from test_clock c
             where c.merchant_id = ${merchantId ?? sql.ref(`${table}.merchant_id`)} and c.id = ${sql.ref(`${table}.clock_id`)}),
               ${now}::timestamptz)`;
