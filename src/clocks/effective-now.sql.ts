import { type Sql, sql } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';

/**
 * Effective now of each row of another domain's statement: the time of the row's clock, or wall time when it is on
 * none.
 */
export const effectiveNowOf = (table: string, now: Instant): Sql => sql`
  coalesce((select c.clock_time from test_clock c
             where c.merchant_id = ${sql.ref(`${table}.merchant_id`)} and c.id = ${sql.ref(`${table}.clock_id`)}),
               ${now}::timestamptz)`;
