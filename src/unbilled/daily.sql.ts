import { recordset, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { merchantsWithEvents } from '../metering/index.ts';
import type { Reason } from './unbilled.ts';

/** Some merchants with events and without a report of the day. */
export const selectUnseen = (tx: Tx, day: string, most: number): Promise<string[]> =>
  tx.values<string>(sql`
    select t.merchant_id from (${merchantsWithEvents}) t
     where not exists (select from unbilled_day d where d.merchant_id = t.merchant_id and d.day = ${day}::date)
     order by 1 limit ${most}`);

/** Of several at once one succeeds; the others wait, and learn that it was done. @returns whether it is ours to tell */
export const insertDay = async (tx: Tx, { day, mark }: { day: string; mark: bigint }, now: Instant): Promise<boolean> =>
  (await tx.run(sql`
    insert into unbilled_day (merchant_id, day, looked_at, mark) values (${tx.merchantId}, ${day}::date, ${now}, ${mark})
    on conflict do nothing`)) === 1;

/** The mark up to which the merchant's events were searched with an earlier day; null: with none. */
export const selectMarkBefore = (tx: Tx, day: string): Promise<bigint | null> =>
  tx.value<bigint | null>(sql`
    select max(mark) as mark from unbilled_day where merchant_id = ${tx.merchantId} and day < ${day}::date`);

export interface Finding {
  /** Null: no metric counts the events. */
  readonly metricId: string | null;
  readonly reason: Reason;
  readonly eventCount: number;
}

export const insertFindings = (tx: Tx, day: string, findings: readonly Finding[]) =>
  tx.run(sql`
    insert into unbilled_finding (merchant_id, day, metric_id, reason, event_count)
    select ${tx.merchantId}, ${day}::date, coalesce(metric, ''), reason, events
      from jsonb_to_recordset(${recordset(
        findings.map(({ metricId, reason, eventCount }) => ({ metric: metricId, reason, events: eventCount })),
      )}) as f (metric text, reason text, events bigint)`);

/** The number of unbilled events of the last reported day, of all merchants: for the metrics, read as operator. */
export const countUnbilled = (tx: Tx) =>
  tx.rows<{ reason: string; events: number }>(sql`
    select reason, sum(event_count)::float8 as events from unbilled_finding
     where day = (select max(day) from unbilled_day) group by reason`);
