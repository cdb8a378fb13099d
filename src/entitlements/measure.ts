import type { Tx } from '../db/index.ts';
import { Decimal, sum, ZERO } from '../kernel/decimal.ts';
import { type Instant, isBefore } from '../kernel/time.ts';
import { postgresUsage } from '../metering/index.ts';
import type { Stretch } from './balance/index.ts';
import type { Loaded } from './inputs.ts';
import { type MeasuredMeter, sourcesOf } from './sources.ts';

/** These say how high something is, and use nothing up. */
const GAUGES: ReadonlySet<MeasuredMeter['aggregation']> = new Set<MeasuredMeter['aggregation']>(['LATEST', 'MAX']);

interface Figure {
  readonly value: Decimal;
  readonly eventCount: number;
}

const NOTHING: Figure = { value: ZERO, eventCount: 0 };

/** Times of events are whole microseconds: what lies before an instant between two of them lies before the later one. */
const upToMicrosecond = (at: Instant): Instant => at.round({ smallestUnit: 'microsecond', roundingMode: 'ceil' });

/** The usage of one metric that the entitlement counts; always of this transaction, so that it sees what was accepted before. */
async function figureOf(tx: Tx, of: Loaded, meter: MeasuredMeter, start: Instant, end: Instant): Promise<Figure> {
  const [from, to] = [upToMicrosecond(start), upToMicrosecond(end)];
  const sources = isBefore(from, to) ? sourcesOf(of.entitlement, of.elders, meter.id, from, to) : [];
  if (sources.length === 0) return NOTHING;
  const scope = { merchantId: of.entitlement.merchant_id, meter, sources, from, to };
  const [rows = []] = await postgresUsage.measure(tx, scope, [{}]);
  return rows[0] ?? NOTHING;
}

/**
 * What was used in each of some stretches: sums and counts by what lies in them, distinct counts by what they add to that of
 * their usage period. All metrics together.
 */
export async function flowsIn(tx: Tx, of: Loaded, stretches: readonly Stretch[]): Promise<Decimal[]> {
  const meters = of.meters.filter(({ aggregation }) => !GAUGES.has(aggregation));
  const flows: Decimal[] = [];
  for (const stretch of stretches) {
    const parts: Decimal[] = [];
    for (const meter of meters) parts.push(await flowOf(tx, of, meter, stretch));
    flows.push(sum(parts));
  }
  return flows;
}

async function flowOf(tx: Tx, of: Loaded, meter: MeasuredMeter, { from, to, periodStart }: Stretch): Promise<Decimal> {
  if (meter.aggregation !== 'UNIQUE_COUNT') return (await figureOf(tx, of, meter, from, to)).value;
  const { value: after } = await figureOf(tx, of, meter, periodStart, to);
  return after.minus((await figureOf(tx, of, meter, periodStart, from)).value);
}

/** An instant at which a level is wanted. */
export interface LevelQuestion {
  readonly periodStart: Instant;
  /** Events before it count. */
  readonly until: Instant;
}

/** The level of all gauges together at each of some instants; one that is below 0 counts as 0. */
export async function levelsAt(tx: Tx, of: Loaded, asked: readonly LevelQuestion[]): Promise<Decimal[]> {
  const meters = of.meters.filter(({ aggregation }) => GAUGES.has(aggregation));
  const levels: Decimal[] = [];
  for (const { periodStart, until } of asked) {
    const parts: Decimal[] = [];
    for (const meter of meters) {
      const level =
        meter.aggregation === 'MAX'
          ? (await figureOf(tx, of, meter, periodStart, until)).value
          : ((await latestLevel(tx, of, meter, until)) ?? ZERO);
      parts.push(Decimal.max(ZERO, level));
    }
    levels.push(sum(parts));
  }
  return levels;
}

/** The levels of LATEST metrics that a snapshot of an instant keeps. */
export async function latestLevels(tx: Tx, of: Loaded, until: Instant): Promise<Record<string, Decimal>> {
  const levels: Record<string, Decimal> = {};
  for (const meter of of.meters.filter(({ aggregation }) => aggregation === 'LATEST')) {
    const level = await latestLevel(tx, of, meter, until);
    if (level !== null) levels[meter.id] = level;
  }
  return levels;
}

/** Of the newest event, however long ago; null where there was none. */
async function latestLevel(tx: Tx, of: Loaded, meter: MeasuredMeter, until: Instant): Promise<Decimal | null> {
  const { value, eventCount } = await figureOf(tx, of, meter, of.snapshot?.at ?? of.entitlement.active_from, until);
  return eventCount > 0 ? value : (of.snapshot?.kept.latest[meter.id] ?? null);
}
