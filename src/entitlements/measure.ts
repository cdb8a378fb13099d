import type { Tx } from '../db/index.ts';
import { Decimal, ZERO } from '../kernel/decimal.ts';
import { earliest, type Instant, isBefore } from '../kernel/time.ts';
import { measureEach, measureStretches, type UsageFigure, type UsageScope, usedSpans } from '../metering/index.ts';
import type { Span, Stretch } from './balance/index.ts';
import type { Loaded } from './inputs.ts';
import { type MeasuredMeter, sourcesOf, subjectsOf } from './sources.ts';

/** These say how high something is, and use nothing up. */
const GAUGES: ReadonlySet<MeasuredMeter['aggregation']> = new Set<MeasuredMeter['aggregation']>(['LATEST', 'MAX']);

/** The values of these add up, so that those of many stretches are read in one pass. */
const ADDED_UP: ReadonlySet<MeasuredMeter['aggregation']> = new Set<MeasuredMeter['aggregation']>(['SUM', 'COUNT']);

/** Up to so many stretches, a figure for each costs less than a pass over all of them. */
const FEW_STRETCHES = 24;

const NOTHING: UsageFigure = { value: ZERO, eventCount: 0 };

/** Times of events are whole microseconds: what lies before an instant between two of them lies before the later one. */
const upToMicrosecond = (at: Instant): Instant =>
  at.epochNanoseconds % 1000n === 0n ? at : at.round({ smallestUnit: 'microsecond', roundingMode: 'ceil' });

/** The usage of one metric that the entitlement counts in a span; null: none of it is the entitlement's. */
function scopeOf({ entitlement, elders }: Loaded, meter: MeasuredMeter, { from, to }: Span): UsageScope | null {
  const span = { from: upToMicrosecond(from), to: upToMicrosecond(to) };
  if (!isBefore(span.from, span.to)) return null;
  const sources = sourcesOf(entitlement, elders, meter.id, span.from, span.to);
  return sources.length === 0 ? null : { merchantId: entitlement.merchant_id, meter, sources, ...span };
}

/** A metric in a span. */
interface Question extends Span {
  readonly meter: MeasuredMeter;
}

/**
 * The figures of metrics in some spans, in one call; of this transaction, so that it sees what was accepted before.
 */
async function figuresOf(tx: Tx, of: Loaded, questions: readonly Question[]): Promise<UsageFigure[]> {
  const scopes = questions.map(({ meter, ...span }) => scopeOf(of, meter, span));
  const figures = await measureEach(
    tx,
    scopes.flatMap((scope) => scope ?? []),
  );
  let next = 0;
  return scopes.map((scope) => {
    if (scope === null) return NOTHING;
    next += 1;
    return figures[next - 1] as UsageFigure;
  });
}

/**
 * What was used in each of some stretches: sums and counts by what lies in them, distinct counts by what they add to that of
 * their usage period. All metrics together, and asked for together.
 */
export async function flowsIn(tx: Tx, of: Loaded, stretches: readonly Stretch[]): Promise<Decimal[]> {
  const busy = stretches.filter(({ isQuiet }) => !isQuiet);
  const meters = of.meters.filter(({ aggregation }) => !GAUGES.has(aggregation));
  const inOnePass = busy.length > FEW_STRETCHES ? meters.filter(({ aggregation }) => ADDED_UP.has(aggregation)) : [];
  const others = meters.filter((meter) => !inOnePass.includes(meter));
  const flows = busy.flatMap((stretch) => others.flatMap((meter) => questionsOf(meter, stretch)));
  const figures = await figuresOf(tx, of, flows);
  const totals = new Map(busy.map((stretch) => [stretch, ZERO]));
  for (const [place, { stretch, sign }] of flows.entries()) {
    const { value } = figures[place] as UsageFigure;
    totals.set(stretch, (totals.get(stretch) as Decimal).plus(sign === 1 ? value : value.negated()));
  }
  for (const meter of inOnePass)
    for (const [place, value] of (await addedIn(tx, of, meter, busy)).entries()) {
      const stretch = busy[place] as Stretch;
      totals.set(stretch, (totals.get(stretch) as Decimal).plus(value));
    }
  return stretches.map((stretch) => totals.get(stretch) ?? ZERO);
}

interface FlowQuestion extends Question {
  readonly stretch: Stretch;
  readonly sign: 1 | -1;
}

function questionsOf(meter: MeasuredMeter, stretch: Stretch): FlowQuestion[] {
  const { from, to, periodStart } = stretch;
  if (meter.aggregation !== 'UNIQUE_COUNT') return [{ meter, from, to, stretch, sign: 1 }];
  return [
    { meter, from: periodStart, to, stretch, sign: 1 },
    { meter, from: periodStart, to: from, stretch, sign: -1 },
  ];
}

/** What was used in each of some stretches, which are in order and apart. */
async function addedIn(
  tx: Tx,
  { entitlement, elders }: Loaded,
  meter: MeasuredMeter,
  stretches: readonly Stretch[],
): Promise<Decimal[]> {
  const bounds: Instant[] = [];
  const numbers: number[] = [];
  for (const stretch of stretches) {
    const [from, to] = [upToMicrosecond(stretch.from), upToMicrosecond(stretch.to)];
    const last = bounds.at(-1);
    if (last?.epochNanoseconds !== from.epochNanoseconds) bounds.push(from);
    numbers.push(bounds.length - 1);
    bounds.push(to);
  }
  const [from, to] = [bounds[0], bounds.at(-1)];
  if (!from || !to || !isBefore(from, to)) return stretches.map(() => ZERO);
  const { merchant_id: merchantId } = entitlement;
  const sources = sourcesOf(entitlement, elders, meter.id, from, to);
  const figures = sources.length === 0 ? [] : await measureStretches(tx, { merchantId, meter, sources }, bounds);
  return numbers.map((number) => figures[number]?.value ?? ZERO);
}

/** Where usage up to an instant can be, in order and apart; outside of it there is none. */
export async function usedIn(tx: Tx, of: Loaded, { from, to }: Span): Promise<Span[]> {
  const found: Span[] = [];
  const { merchant_id: merchantId } = of.entitlement;
  for (const meter of of.meters.filter(({ aggregation }) => !GAUGES.has(aggregation)))
    found.push(...(await usedSpans(tx, { merchantId, meter, from, to }, subjectsOf(of.entitlement))));
  return joined(found);
}

/** Spans in order and apart. */
function joined(spans: readonly Span[]): Span[] {
  const apart: Span[] = [];
  for (const span of spans.toSorted((a, b) => Temporal.Instant.compare(a.from, b.from))) {
    const last = apart.at(-1);
    if (!last || isBefore(last.to, span.from)) apart.push(span);
    else if (isBefore(last.to, span.to)) apart[apart.length - 1] = { from: last.from, to: span.to };
  }
  return apart;
}

/** An instant at which a level is wanted. */
export interface LevelQuestion {
  readonly periodStart: Instant;
  /** Events before it count. */
  readonly until: Instant;
}

/** The level of all gauges together at each of some instants; one that is below 0 counts as 0. */
export async function levelsAt(tx: Tx, of: Loaded, asked: readonly LevelQuestion[]): Promise<Decimal[]> {
  const levels = asked.map(() => ZERO);
  for (const meter of of.meters.filter(({ aggregation }) => GAUGES.has(aggregation))) {
    const found =
      meter.aggregation === 'MAX' ? await highest(tx, of, meter, asked) : await levelsOf(tx, of, meter, asked);
    for (const [index, level] of found.entries())
      levels[index] = (levels[index] as Decimal).plus(Decimal.max(ZERO, level));
  }
  return levels;
}

async function highest(tx: Tx, of: Loaded, meter: MeasuredMeter, asked: readonly LevelQuestion[]): Promise<Decimal[]> {
  const questions = asked.map(({ periodStart, until }) => ({ meter, from: periodStart, to: until }));
  return (await figuresOf(tx, of, questions)).map(({ value }) => value);
}

/**
 * Of the last event before each instant, however long ago, also before the entitlement began: of whom it counts then.
 * Once it has ended, of the instant at which it did.
 */
async function levelsOf(tx: Tx, of: Loaded, meter: MeasuredMeter, asked: readonly LevelQuestion[]): Promise<Decimal[]> {
  const ends = asked.map(({ until }) => earliest(upToMicrosecond(until), of.entitlement.active_to ?? until));
  const questions = ends.map((end) => ({ meter, from: end.subtract({ microseconds: 1 }), to: end }));
  return (await figuresOf(tx, of, questions)).map(({ value }) => value);
}

/** Does an entitlement measure what uses nothing up? */
export const hasGauge = ({ meters }: Loaded): boolean => meters.some(({ aggregation }) => GAUGES.has(aggregation));
