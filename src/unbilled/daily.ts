import type { Database, Tx } from '../db/index.ts';
import type { Chore } from '../jobs/index.ts';
import { type Instant, type Period, SECONDS_PER_MINUTE } from '../kernel/time.ts';
import { findUsageMark, type UsageQuery } from '../metering/index.ts';
import { publishAll } from '../webhooks/index.ts';
import { findArrivedTooLate } from './arrivals.ts';
import { type Finding, insertDay, insertFindings, selectMarkBefore, selectUnseen } from './daily.sql.ts';
import { findUnbilled } from './report.ts';
import type { UnbilledPart } from './unbilled.ts';

const MERCHANTS_AT_ONCE = 50;

/** Events may come a while after their time, so a day is searched an hour after its end. */
const PATIENCE_HOURS = 1;

/** The last day (UTC) that is over, and its time. */
export function lastDay(now: Instant): { readonly day: string; readonly period: Period } {
  const end = now.subtract({ hours: PATIENCE_HOURS }).toZonedDateTimeISO('UTC').startOfDay();
  const start = end.subtract({ days: 1 });
  return { day: start.toPlainDate().toString(), period: { start: start.toInstant(), end: end.toInstant() } };
}

/**
 * Searches each finished day of each merchant once. Sends `usage.unbilled.v0` for each metric with unpaid usage, and
 * `usage.unmatched.v0` for each reason.
 */
export const unbilledUsageChore = (usage: UsageQuery<Tx>): Chore => ({
  name: 'searching for unbilled usage',
  everySeconds: SECONDS_PER_MINUTE,
  run: async (database, now) => {
    const { day } = lastDay(now);
    const merchants = await database.transaction('every merchant, reading', (tx) =>
      selectUnseen(tx, day, MERCHANTS_AT_ONCE),
    );
    for (const merchantId of merchants) await recordDay(database, usage, merchantId, now);
  },
});

/** Searches a day and stores the findings. @returns the reported metrics; none if the day was searched before */
const recordDay = (database: Database, usage: UsageQuery<Tx>, merchantId: string, now: Instant) =>
  database.transaction({ merchants: [merchantId] }, async (tx) => {
    const { day, period } = lastDay(now);
    const mark = await findUsageMark(tx);
    if (!(await insertDay(tx, { day, mark }, now))) return;
    const { parts } = await findUnbilled(tx, usage, period);
    const came = { after: await selectMarkBefore(tx, day), upTo: mark };
    const findings = findingsOf([...parts, ...(await findArrivedTooLate(tx, period.start, came))]);
    if (findings.length === 0) return;
    await insertFindings(tx, day, findings);
    const metricIds = [...new Set(findings.map(({ metricId }) => metricId))];
    const events = metricIds.map((billableMetricId) => ({
      merchantId,
      type: 'usage.unbilled.v0' as const,
      data: { billableMetricId, day },
    }));
    const reasons = [...new Set(findings.map(({ reason }) => reason))];
    const unmatched = reasons.map((reason) => ({
      merchantId,
      type: 'usage.unmatched.v0' as const,
      data: { reason, day },
    }));
    await publishAll(tx, [...events, ...unmatched], now);
  });

/** Parts by metric and reason. */
const findingsOf = (parts: readonly UnbilledPart[]): Finding[] =>
  [...Map.groupBy(parts, ({ metricId, reason }) => `${metricId} ${reason}`).values()].map((alike) => ({
    metricId: (alike[0] as UnbilledPart).metricId,
    reason: (alike[0] as UnbilledPart).reason,
    eventCount: alike.reduce((events, { eventCount }) => events + eventCount, 0),
  }));
