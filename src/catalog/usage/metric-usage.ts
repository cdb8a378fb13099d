import type { Tx } from '../../db/index.ts';
import { eachInTurns, inTurns, listReply, pageOf, type Static, sortedInTurns } from '../../http/index.ts';
import { jsonNumber } from '../../kernel/decimal.ts';
import { compareText } from '../../kernel/json.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant } from '../../kernel/time.ts';
import {
  byTime,
  dimensionsOf,
  everyWindow,
  listMeterEvents,
  MOST_ROWS,
  subjectsOf,
  type UsageQuery,
  type UsageRow,
  type UsageSource,
} from '../../metering/index.ts';
import { selectMetric } from '../metrics/metrics.sql.ts';
import { checkWindows, type Question, readQuestion } from './question.ts';
import type { MeterQuery, MeterReply, MetricEventsQuery, MetricEventsReply } from './schemas.ts';

/** GET /v0/billableMetrics/{id}/meter: the usage of a metric, in all, by window and by group, all of one moment. */
export async function metricUsage(
  tx: Tx,
  usage: UsageQuery<Tx>,
  id: string,
  query: MeterQuery,
): Promise<Result<Static<typeof MeterReply>>> {
  const metric = await selectMetric(tx, id);
  if (!metric) return notFound('billable metric');
  const read = readQuestion(query, dimensionsOf(metric));
  if (!read.ok) return read;
  const { from, to, groups, groupFilters } = read.value;
  const { windowSize } = query;
  const checked = checkWindows('windowSize', windowSize, read.value);
  if (!checked.ok) return checked;
  const sources = await sourcesOf(tx, query.subject, read.value);
  const [totals = [], windows = [], grouped = []] = await usage.measure(
    tx,
    { merchantId: tx.merchantId, meter: metric, sources, from, to, groupFilters, mostRows: MOST_ROWS },
    [{}, windowSize === undefined ? {} : { window: windowSize }, { groups }],
  );
  const shown = groups.length === 0 ? [] : await sortedInTurns(grouped, byValue);
  const { groupOffset = 0, groupLimit = 100 } = query;
  const windowed = windowSize === undefined ? [] : await inTurns(everyWindow(metric, windows, windowSize, read.value));
  return ok({
    object: 'meter',
    billableMetricId: id,
    totalValue: jsonNumber((totals[0] as UsageRow).value),
    ...(windowSize !== undefined && {
      windowedValues: await eachInTurns(await sortedInTurns(windowed, byTime), toWindowReply),
    }),
    ...(groups.length > 0 && {
      groupedValues: shown
        .slice(groupOffset, groupOffset + groupLimit)
        .map(({ group, value, eventCount }) => ({ groupBy: group, value: jsonNumber(value), eventCount })),
      groupCount: shown.length,
    }),
  });
}

/** GET /v0/billableMetrics/{id}/events: the events that make its usage. */
export async function metricEvents(
  tx: Tx,
  id: string,
  query: MetricEventsQuery,
): Promise<Result<Static<typeof MetricEventsReply>>> {
  const metric = await selectMetric(tx, id);
  if (!metric) return notFound('billable metric');
  const read = readQuestion({ from: query.from, to: query.to }, []);
  if (!read.ok) return read;
  const { from, to } = read.value;
  const { subject, externalSubject, externalId } = query;
  const page = pageOf(query);
  const found = await listMeterEvents(
    tx,
    metric,
    { merchantId: tx.merchantId, subject, externalSubject, externalId, from, to },
    page,
  );
  return ok({ ...listReply(found, page), billableMetricId: id, events: found.data });
}

/**
 * The subject's events and, where it is a customer, those of its subscriptions; null (all events) without a subject.
 */
export async function sourcesOf(
  tx: Tx,
  subject: string | undefined,
  { from, to }: Pick<Question, 'from' | 'to'>,
): Promise<UsageSource[] | null> {
  if (subject === undefined) return null;
  return (await subjectsOf(tx, subject)).map((each) => ({ subject: each, from, to }));
}

const toWindowReply = ({ windowStart, windowEnd, value }: UsageRow) => ({
  windowStart: formatInstant(windowStart as Temporal.Instant),
  windowEnd: formatInstant(windowEnd as Temporal.Instant),
  value: jsonNumber(value),
});

/** Groups from the largest value down; equal ones always in one order. */
export const byValue = (a: UsageRow, b: UsageRow): number =>
  b.value.comparedTo(a.value) || compareText(JSON.stringify(a.group), JSON.stringify(b.group));
