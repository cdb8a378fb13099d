import type { Tx } from '../db/index.ts';
import { Decimal, sum, ZERO } from '../kernel/decimal.ts';
import { earliest, type Instant, isBefore } from '../kernel/time.ts';
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
          : await levelOf(tx, of, meter, until);
      parts.push(Decimal.max(ZERO, level));
    }
    levels.push(sum(parts));
  }
  return levels;
}

/**
 * Of the last event before an instant, however long ago, also before the entitlement began: of whom it counts then. Once it has
 * ended, of the instant at which it did.
 */
async function levelOf(tx: Tx, of: Loaded, meter: MeasuredMeter, until: Instant): Promise<Decimal> {
  const end = earliest(upToMicrosecond(until), of.entitlement.active_to ?? until);
  return (await figureOf(tx, of, meter, end.subtract({ microseconds: 1 }), end)).value;
}
