import { findMeteredMetrics, findMeters } from '../catalog/index.ts';
import type { Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { jsonNumber } from '../kernel/decimal.ts';
import { invalidField, ok, type Result } from '../kernel/result.ts';
import {
  earliest,
  formatInstant,
  type Instant,
  instantOf,
  isAfter,
  isBefore,
  latest,
  type Period,
} from '../kernel/time.ts';
import {
  countByType,
  type EventSample,
  findLateUsage,
  findOfNobody,
  findOfSources,
  findOfType,
  findUncounted,
  type UsageQuery,
} from '../metering/index.ts';
import { type BillableUsage, findBillableUsage, type PricedUsage } from '../subscriptions/index.ts';
import { type MetricFigures, measureMetric } from './measure.ts';
import type { UnbilledQuery, UnbilledReply } from './schemas.ts';
import { GROUPINGS, type Grouping, groupParts, isTaken, type UnbilledGroup, type UnbilledPart } from './unbilled.ts';

/** All unbilled usage of a merchant in a time. */
export interface Unbilled {
  readonly period: Period;
  readonly billable: BillableUsage;
  readonly figures: readonly MetricFigures[];
  readonly parts: readonly UnbilledPart[];
}

/** Finds it: each metric separately, and event types without a metric or cost. */
export async function findUnbilled(tx: Tx, usage: UsageQuery<Tx>, period: Period): Promise<Unbilled> {
  const billable = await findBillableUsage(tx, period);
  const ofTypes = await countByType(tx, { merchantId: tx.merchantId, from: period.start, to: period.end });
  const figures: MetricFigures[] = [];
  for (const metric of await findMeteredMetrics(tx))
    figures.push(
      await measureMetric(tx, usage, { merchantId: tx.merchantId, ...period }, metric, { billable, ofTypes }),
    );
  const unknown = await unknownTypes(tx, ofTypes);
  return { period, billable, figures, parts: [...figures.flatMap(({ parts }) => parts), ...unknown] };
}

async function unknownTypes(tx: Tx, ofTypes: ReadonlyMap<string, number>): Promise<UnbilledPart[]> {
  const known = new Set((await findMeters(tx, tx.merchantId)).map(({ meter }) => meter.eventType));
  return [...ofTypes]
    .filter(([eventType]) => !known.has(eventType))
    .map(([eventType, eventCount]) => ({
      reason: 'UNKNOWN_TYPE',
      metricId: null,
      group: null,
      quantity: null,
      eventType,
      eventCount,
    }));
}

/** GET /v0/usage/unbilled. */
export async function unbilledReport(
  tx: Tx,
  usage: UsageQuery<Tx>,
  query: UnbilledQuery,
  { limit, offset }: PageRequest,
): Promise<Result<UnbilledReply>> {
  const period = { start: instantOf(query.from), end: instantOf(query.to) };
  if (!isBefore(period.start, period.end)) return invalidField('to', 'must be after from');
  const by = readGrouping(query.groupBy);
  if (by === null) return invalidField('groupBy', `must be words of ${GROUPINGS.join(', ')}, separated by commas`);
  const unbilled = await findUnbilled(tx, usage, period);
  const names = new Map(unbilled.figures.map(({ metric }) => [metric.id, metric.name]));
  const groups = groupParts(unbilled.parts, by);
  const data = [];
  for (const group of groups.slice(offset, offset + limit))
    data.push(toGroup(group, names, await sampleOf(tx, unbilled, group)));
  return ok({
    object: 'unbilledUsage',
    from: formatInstant(period.start),
    to: formatInstant(period.end),
    groupBy: by,
    groups: data,
    metrics: unbilled.figures.map(({ metric, counted, priced }) => ({
      billableMetricId: metric.id,
      metricName: metric.name,
      counted: toAmount(counted),
      priced: toAmount(priced),
    })),
    pagination: { limit, offset, total: groups.length },
  });
}

function readGrouping(given: UnbilledQuery['groupBy']): Grouping[] | null {
  const words = given === undefined ? [...GROUPINGS] : [...new Set([given].flat().flatMap((part) => part.split(',')))];
  const known = GROUPINGS.filter((word) => words.includes(word));
  return known.length === words.length ? known : null;
}

const toAmount = ({ quantity, eventCount }: MetricFigures['counted']) => ({
  quantity: quantity && jsonNumber(quantity),
  eventCount,
});

const toGroup = (group: UnbilledGroup, names: ReadonlyMap<string, string>, sample: EventSample) => ({
  reason: group.reason,
  billableMetricId: group.metricId,
  metricName: group.metricId === null ? null : (names.get(group.metricId) ?? null),
  eventType: group.eventType,
  group: group.group,
  ...toAmount(group),
  firstAt: sample.firstAt && formatInstant(sample.firstAt),
  lastAt: sample.lastAt && formatInstant(sample.lastAt),
  examples: [...sample.examples],
});

const MOST_EXAMPLES = 5;

/** The first and the last of the events of a line, and some of them. */
async function sampleOf(tx: Tx, unbilled: Unbilled, group: UnbilledGroup): Promise<EventSample> {
  const samples: EventSample[] = [];
  for (const part of group.parts) samples.push(await sampleOfPart(tx, unbilled, part));
  return combineSamples(samples);
}

/** Several samples as one. */
function combineSamples(samples: readonly EventSample[]): EventSample {
  const times = (at: 'firstAt' | 'lastAt') => samples.flatMap((sample) => sample[at] ?? []);
  return {
    firstAt: times('firstAt').reduce<Instant | null>((a, b) => (a ? earliest(a, b) : b), null),
    lastAt: times('lastAt').reduce<Instant | null>((a, b) => (a ? latest(a, b) : b), null),
    examples: samples
      .toSorted(latestFirst)
      .flatMap(({ examples }) => examples)
      .slice(0, MOST_EXAMPLES),
  };
}

const latestFirst = (a: EventSample, b: EventSample): number =>
  a.lastAt && b.lastAt && isAfter(a.lastAt, b.lastAt) ? -1 : 1;

function sampleOfPart(tx: Tx, { period, billable, figures }: Unbilled, part: UnbilledPart): Promise<EventSample> {
  const range = { merchantId: tx.merchantId, from: period.start, to: period.end };
  const meter = figures.find(({ metric }) => metric.id === part.metricId)?.metric.meter;
  if (meter === undefined) return findOfType(tx, range, part.eventType);
  const priced = billable.priced.get(part.metricId ?? '') ?? [];
  const pricedSources = priced.flatMap(({ sources }) => sources);
  switch (part.reason) {
    case 'UNKNOWN_SUBJECT':
      return findOfNobody(tx, range, meter);
    case 'NO_PERIOD':
      return findOfSources(tx, range, { meter, outside: [...billable.active, ...pricedSources] });
    case 'NOT_PRICED':
      return findOfSources(tx, range, { meter, within: billable.active, outside: pricedSources });
    case 'GROUP_FILTERED': {
      const group = part.group ?? {};
      const refusing = priced.filter(({ filters }) => !isTaken(filters, group));
      return findOfSources(tx, range, { meter, group, within: refusing.flatMap(({ sources }) => sources) });
    }
    case 'PERIOD_CLOSED':
      return sampleOfLate(tx, range, meter, priced);
    case 'INVOICE_CANCELLED':
      return findOfSources(tx, range, { meter, within: priced.flatMap(({ cancelled }) => cancelled) });
    case 'UNKNOWN_TYPE':
      return findOfType(tx, range, part.eventType);
    default:
      return findUncounted(tx, range, meter, part.reason);
  }
}

/** Of usage that prices with several filters take, and that came too late for all of them. */
async function sampleOfLate(
  tx: Tx,
  range: Parameters<typeof findLateUsage>[1],
  meter: Parameters<typeof findLateUsage>[2],
  priced: readonly PricedUsage[],
): Promise<EventSample> {
  const samples: EventSample[] = [];
  for (const { late, filters } of priced) samples.push(await findLateUsage(tx, range, meter, late, filters));
  return combineSamples(samples);
}
