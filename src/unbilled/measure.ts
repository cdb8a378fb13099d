import type { MeteredMetric } from '../catalog/index.ts';
import type { Tx } from '../db/index.ts';
import { isBefore, type Period } from '../kernel/time.ts';
import {
  countOfType,
  findLateUsage,
  type Meter,
  type UsageQuery,
  type UsageRow,
  type UsageSource,
} from '../metering/index.ts';
import type { BillableUsage, PricedUsage } from '../subscriptions/index.ts';
import { type Amount, addsUp, addUp, isTaken, less, type UnbilledPart } from './unbilled.ts';

/** The usage of a metric, its billed part, and the remainder by reason. */
export interface MetricFigures {
  readonly metric: MeteredMetric;
  readonly counted: Amount;
  readonly priced: Amount;
  readonly parts: readonly UnbilledPart[];
}

const NOTHING = (meter: Meter): Amount => addUp(addsUp(meter.aggregation) ? [] : [{ eventCount: 0, quantity: null }]);

/**
 * Divides all usage of a metric in a time: what a price takes, and what none does, by reason. Each event that the
 * metric counts is in one part, so they sum to what is counted. From roll-ups; no list of events is read.
 * @param ofTypes how many events of each type there are in the time
 */
export async function measureMetric(
  tx: Tx,
  usage: UsageQuery<Tx>,
  { merchantId, start: from, end: to }: Period & { readonly merchantId: string },
  metric: MeteredMetric,
  { billable, ofTypes }: { readonly billable: BillableUsage; readonly ofTypes: ReadonlyMap<string, number> },
): Promise<MetricFigures> {
  const { meter } = metric;
  const scope = { merchantId, meter, from, to };
  const part = (reason: UnbilledPart['reason'], amount: Amount): UnbilledPart => partOf(metric, reason, amount);

  const [[all] = [], customers = []] = await usage.measure(tx, { ...scope, sources: null }, [{}, { byCustomer: true }]);
  const counted = amountOf(meter, all as UsageRow);
  const nobodys = customers.filter(({ customerId }) => customerId === null).map((row) => amountOf(meter, row));
  const unknown = addUp([NOTHING(meter), ...nobodys]);

  const priced = billable.priced.get(metric.id) ?? [];
  const { owned, filtered, tooLate, cancelled } = await measurePriced(tx, usage, scope, metric, priced);
  const ownedUsage = addUp([NOTHING(meter), ...owned]);
  const sources = priced.flatMap((each) => each.sources);
  const remainder = less(less(counted, unknown), ownedUsage);
  const active =
    remainder.eventCount === 0 ? ownedUsage : await measureAll(tx, usage, scope, [...billable.active, ...sources]);
  const closed = addUp([NOTHING(meter), ...tooLate]);
  const dropped = addUp([NOTHING(meter), ...cancelled]);
  const parts = [
    part('UNKNOWN_SUBJECT', unknown),
    part('NO_PERIOD', less(remainder, less(active, ownedUsage))),
    part('NOT_PRICED', less(active, ownedUsage)),
    ...gatherGroups(filtered),
    part('PERIOD_CLOSED', closed),
    part('INVOICE_CANCELLED', dropped),
    ...(await uncounted(tx, metric, { start: from, end: to }, counted, ofTypes)),
  ];
  return {
    metric,
    counted,
    priced: less(ownedUsage, addUp([NOTHING(meter), ...filtered, closed, dropped])),
    parts: parts.filter(({ eventCount }) => eventCount > 0),
  };
}

const amountOf = (meter: Meter, { value, eventCount }: UsageRow): Amount => ({
  eventCount,
  quantity: addsUp(meter.aggregation) ? value : null,
});

const partOf = (
  { id: metricId, meter }: MeteredMetric,
  reason: UnbilledPart['reason'],
  amount: Amount,
  group: UnbilledPart['group'] = null,
): UnbilledPart => ({ reason, metricId, eventType: meter.eventType as string, group, ...amount });

/** A meter in a time. */
interface MeterScope {
  readonly merchantId: string;
  readonly meter: Meter;
  readonly from: Period['start'];
  readonly to: Period['end'];
}

/** The usage of some sources together. */
async function measureAll(
  tx: Tx,
  usage: UsageQuery<Tx>,
  scope: MeterScope,
  sources: readonly UsageSource[],
): Promise<Amount> {
  if (sources.length === 0) return NOTHING(scope.meter);
  const [[row] = []] = await usage.measure(tx, { ...scope, sources }, [{}]);
  return amountOf(scope.meter, row as UsageRow);
}

/**
 * The usage of subscriptions with a price for the metric: all, the part outside the prices' filters, the late part, the
 * cancelled part.
 */
async function measurePriced(
  tx: Tx,
  usage: UsageQuery<Tx>,
  scope: MeterScope,
  metric: MeteredMetric,
  priced: readonly PricedUsage[],
): Promise<{ owned: Amount[]; filtered: UnbilledPart[]; tooLate: Amount[]; cancelled: Amount[] }> {
  const { meter } = scope;
  const owned: Amount[] = [];
  const filtered: UnbilledPart[] = [];
  const tooLate: Amount[] = [];
  const cancelled: Amount[] = [];
  for (const alike of priced) {
    const late = await findLateUsage(tx, scope, meter, alike.late, alike.filters);
    tooLate.push({ eventCount: late.eventCount, quantity: addsUp(meter.aggregation) ? late.quantity : null });
    if (alike.filters.includes(null)) {
      owned.push(await measureAll(tx, usage, scope, alike.sources));
      cancelled.push(await measureAll(tx, usage, scope, alike.cancelled));
      continue;
    }
    if (alike.cancelled.length > 0) {
      const taken = await rowsByDimension(tx, usage, { ...scope, sources: alike.cancelled }, alike);
      cancelled.push(...taken.filter(({ group }) => isTaken(alike.filters, group)).map((row) => amountOf(meter, row)));
    }
    const rows = await rowsByDimension(tx, usage, { ...scope, sources: alike.sources }, alike);
    owned.push(addUp([NOTHING(meter), ...rows.map((row) => amountOf(meter, row))]));
    for (const row of rows)
      if (!isTaken(alike.filters, row.group) && row.eventCount > 0)
        filtered.push(partOf(metric, 'GROUP_FILTERED', amountOf(meter, row), row.group));
  }
  return { owned, filtered, tooLate, cancelled };
}

/** Usage by the dimensions that the prices filter by. */
async function rowsByDimension(
  tx: Tx,
  usage: UsageQuery<Tx>,
  scope: MeterScope & { readonly sources: readonly UsageSource[] },
  { filters }: PricedUsage,
): Promise<UsageRow[]> {
  const groups = [...new Set(filters.flatMap((filter) => Object.keys(filter ?? {})))].toSorted();
  const [rows = []] = await usage.measure(tx, scope, [{ groups }]);
  return rows;
}

/** The same values under the prices of several subscriptions are one part. */
const gatherGroups = (parts: readonly UnbilledPart[]): UnbilledPart[] =>
  [...Map.groupBy(parts, ({ group }) => JSON.stringify(group)).values()].map((alike) => ({
    ...(alike[0] as UnbilledPart),
    ...addUp(alike),
  }));

/** Events of the metric's type that it does not count. */
async function uncounted(
  tx: Tx,
  metric: MeteredMetric,
  { start: from, end: to }: Period,
  counted: Amount,
  ofTypes: ReadonlyMap<string, number>,
): Promise<UnbilledPart[]> {
  const { meter } = metric;
  const { eventFrom } = meter;
  if (meter.valueProperty === null && eventFrom === null) return [];
  const eventType = meter.eventType as string;
  const all = ofTypes.get(eventType) ?? 0;
  const isStarted = eventFrom === null || isBefore(eventFrom, from);
  const started = isStarted || all === 0 ? all : await countOfType(tx, { merchantId: tx.merchantId, from, to }, meter);
  const part = (reason: UnbilledPart['reason'], eventCount: number): UnbilledPart =>
    partOf(metric, reason, { eventCount, quantity: null });
  return [part('BEFORE_EVENT_FROM', all - started), part('NO_VALUE', started - counted.eventCount)];
}
