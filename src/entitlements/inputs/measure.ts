import type { Tx } from '../../db/index.ts';
import { Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import { earliest, type Instant, isBefore, latest } from '../../kernel/time.ts';
import {
  integralsUpTo,
  isOverTime,
  measureEach,
  measureStretches,
  type UsageFigure,
  type UsageScope,
  unitOfTime,
  usedSpans,
} from '../../metering/index.ts';
import type { Span, Stretch } from '../balance/index.ts';
import type { Loaded } from './inputs.ts';
import type { Integrals } from './snapshot.ts';
import { type MeasuredMeter, sourcesOf, subjectsOf } from './sources.ts';

/** These say how high something is, and use nothing up. */
const GAUGES: ReadonlySet<MeasuredMeter['aggregation']> = new Set<MeasuredMeter['aggregation']>(['LATEST', 'MAX']);

/** The values of these add up, so that those of many stretches are read in one pass. */
const ADDED_UP: ReadonlySet<MeasuredMeter['aggregation']> = new Set<MeasuredMeter['aggregation']>(['SUM', 'COUNT']);

/** Up to so many stretches, a figure for each costs less than a pass over all of them. */
const FEW_STRETCHES = 24;

/**
 * Times of events are whole microseconds: what lies before an instant between two of them lies before the later one.
 */
const upToMicrosecond = (at: Instant): Instant =>
  at.epochNanoseconds % 1000n === 0n ? at : at.round({ smallestUnit: 'microsecond', roundingMode: 'ceil' });

/** Time is used up to the microsecond that is next to an instant, before it or after it. */
export const nearestMicrosecond = (at: Instant): Instant => at.round({ smallestUnit: 'microsecond' });

/** The usage of one metric that the entitlement counts in a span; null: none of it is the entitlement's. */
export function scopeOf(
  { entitlement, preceding }: Loaded,
  meter: MeasuredMeter,
  { from, to }: Span,
): UsageScope | null {
  const span = { from: upToMicrosecond(from), to: upToMicrosecond(to) };
  if (!isBefore(span.from, span.to)) return null;
  const sources = sourcesOf(entitlement, preceding, meter.id, span.from, span.to);
  return sources.length === 0 ? null : { merchantId: entitlement.merchantId, meter, sources, ...span };
}

/** The questions of a replay about usage, and their answers. */
export interface Measuring {
  readonly scopes: readonly UsageScope[];
  /** @param figures one for each scope, in their order */
  readonly sumUp: (figures: readonly UsageFigure[]) => Measured;
}

export interface Measured {
  /** The usage in each stretch. */
  readonly flows: readonly Decimal[];
  /** The level of all gauges together at each question; one below 0 counts as 0. */
  readonly levels: readonly Decimal[];
}

/** A stretch whose usage is measured. Events that are stamped ahead of now count in the last one. */
export interface MeasuredStretch extends Stretch {
  /** Up to where time has passed in it. */
  readonly passedAt: Instant;
}

/** An instant at which a level is wanted. */
export interface LevelQuestion {
  readonly periodStart: Instant;
  /** Events before it count. */
  readonly until: Instant;
}

/** A span of a metric whose figure is added to a result, or taken from it. */
interface Term {
  readonly scope: UsageScope;
  readonly of: 'flows' | 'levels';
  readonly index: number;
  readonly sign: 1 | -1;
}

/**
 * The usage for a replay: the usage of each stretch, and the level of the gauges at each question. Sums and counts are
 * those of a stretch; a distinct count is the addition of a stretch to its usage period. Levels over time are not among
 * them.
 */
export function measuringOf(of: Loaded, stretches: readonly Stretch[], questions: readonly LevelQuestion[]): Measuring {
  const terms = of.meters
    .filter((meter) => !isOverTime(meter))
    .flatMap((meter) =>
      GAUGES.has(meter.aggregation) ? levelTerms(of, meter, questions) : flowTerms(of, meter, stretches),
    );
  return { scopes: terms.map(({ scope }) => scope), sumUp: summing(terms, stretches.length, questions.length) };
}

/** Adds figures up. It keeps nothing of the entitlement. */
function summing(terms: readonly Omit<Term, 'scope'>[], flows: number, levels: number): Measuring['sumUp'] {
  const places = terms.map(({ of, index, sign }) => ({ of, index, sign }));
  return (figures) => {
    const zeros = (length: number) => Array.from({ length }, () => ZERO);
    const found = { flows: zeros(flows), levels: zeros(levels) };
    for (const [place, { of: which, index, sign }] of places.entries()) {
      const { value } = figures[place] as UsageFigure;
      const counted = which === 'levels' ? Decimal.max(ZERO, value) : value;
      const before = found[which][index] as Decimal;
      found[which][index] = sign === 1 ? before.plus(counted) : before.minus(counted);
    }
    return found;
  };
}

/** The stretches and the questions of a replay. */
export interface ToMeasure {
  readonly of: Loaded;
  readonly stretches: readonly MeasuredStretch[];
  readonly levels: readonly LevelQuestion[];
}

/** The usage of a replay, and the integrals at the end of its last stretch. */
export interface MeasuredAll extends Measured {
  readonly integrals: Integrals;
}

/**
 * Reads all usage for some replays in this transaction, so that it sees the events accepted before. The usage of all is
 * measured together; many stretches of one are read in one pass, if they add up.
 */
export async function measureAll(tx: Tx, asked: readonly ToMeasure[]): Promise<MeasuredAll[]> {
  const planned = asked.map(({ of, stretches, levels }) => {
    const busy = stretches.filter(({ isUnused }) => !isUnused);
    const isAdded = ({ aggregation }: MeasuredMeter) => busy.length > FEW_STRETCHES && ADDED_UP.has(aggregation);
    const meters = of.meters.filter((meter) => !isAdded(meter));
    const inOnePass = of.meters.filter(isAdded);
    return { of, stretches, busy, inOnePass, ...measuringOf({ ...of, meters }, stretches, levels) };
  });
  const figures = await measureEach(
    tx,
    planned.flatMap(({ scopes }) => scopes),
  );
  const found: MeasuredAll[] = [];
  for (const { of, stretches, busy, inOnePass, scopes, sumUp } of planned) {
    const { flows, levels } = sumUp(figures.splice(0, scopes.length));
    const totals = new Map<Stretch, Decimal>(stretches.map((stretch, place) => [stretch, flows[place] as Decimal]));
    for (const meter of inOnePass)
      for (const [place, value] of (await addedIn(tx, of, meter, busy)).entries()) {
        const stretch = busy[place] as Stretch;
        totals.set(stretch, (totals.get(stretch) as Decimal).plus(value));
      }
    const integrals = new Map<string, Decimal>();
    for (const meter of of.meters.filter(isOverTime)) {
      const overTime = await usedOverTime(tx, of, meter, stretches);
      integrals.set(meter.id, overTime.integral);
      for (const [place, stretch] of stretches.entries())
        totals.set(stretch, (totals.get(stretch) as Decimal).plus(overTime.flows[place] as Decimal));
    }
    found.push({ flows: [...totals.values()], levels, integrals });
  }
  return found;
}

/** The digits of usage over time. The sum of a period is rounded to them, so that three thirds of an hour are one. */
const DIGITS = 40;

/**
 * The addition of each stretch to the integral of its usage period, and the integral at the end of the last one. All
 * stretches of a metric are read in one pass.
 */
async function usedOverTime(
  tx: Tx,
  of: Loaded,
  meter: MeasuredMeter,
  stretches: readonly MeasuredStretch[],
): Promise<{ flows: Decimal[]; integral: Decimal }> {
  const [first] = stretches;
  if (!first) return { flows: [], integral: ZERO };
  const kept = of.snapshot?.kept.integrals?.get(meter.id);
  const isCutPeriod = isBefore(first.periodStart, first.from);
  const from = nearestMicrosecond(kept === undefined && isCutPeriod ? first.periodStart : first.from);
  const bounds = stretches.map((each) => [each.from, each.passedAt].map(nearestMicrosecond) as [Instant, Instant]);
  const to = bounds.flat().reduce(latest, from);
  const scope = isBefore(from, to) ? scopeOf(of, meter, { from, to }) : null;
  const integrals = scope ? await integralsUpTo(tx, scope, bounds.flat()) : bounds.flat().map(() => ZERO);
  const unit = decimal(unitOfTime(meter) as bigint);
  const rounded = (integral: Decimal) => integral.div(unit).toDecimalPlaces(DIGITS);
  let period = (isCutPeriod ? (kept ?? integrals[0]) : ZERO) as Decimal;
  const flows = stretches.map((stretch, place) => {
    if (!isBefore(stretch.periodStart, stretch.from)) period = ZERO;
    const before = period;
    period = before.plus(integrals[2 * place + 1] as Decimal).minus(integrals[2 * place] as Decimal);
    return rounded(period).minus(rounded(before));
  });
  return { flows, integral: period };
}

/** The usage in each of some stretches, which are in order and apart. */
async function addedIn(
  tx: Tx,
  { entitlement, preceding }: Loaded,
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
  const { merchantId } = entitlement;
  const sources = sourcesOf(entitlement, preceding, meter.id, from, to);
  const figures = sources.length === 0 ? [] : await measureStretches(tx, { merchantId, meter, sources }, bounds);
  return numbers.map((number) => figures[number]?.value ?? ZERO);
}

const termOf = (
  of: Loaded,
  meter: MeasuredMeter,
  span: Span,
  to: Pick<Term, 'of' | 'index'> & Partial<Pick<Term, 'sign'>>,
): Term[] => {
  const scope = scopeOf(of, meter, span);
  return scope === null ? [] : [{ scope, sign: 1, ...to }];
};

const flowTerms = (of: Loaded, meter: MeasuredMeter, stretches: readonly Stretch[]): Term[] =>
  stretches.flatMap(({ from, to, periodStart, isUnused }, index) => {
    const stretch = { of: 'flows', index } as const;
    if (isUnused) return [];
    if (meter.aggregation !== 'UNIQUE_COUNT') return termOf(of, meter, { from, to }, stretch);
    return [
      ...termOf(of, meter, { from: periodStart, to }, stretch),
      ...termOf(of, meter, { from: periodStart, to: from }, { ...stretch, sign: -1 }),
    ];
  });

const levelTerms = (of: Loaded, meter: MeasuredMeter, questions: readonly LevelQuestion[]): Term[] =>
  questions.flatMap((question, index) => termOf(of, meter, levelSpan(of, meter, question), { of: 'levels', index }));

/**
 * MAX is of its usage period. LATEST is of the last event before an instant, however long ago, also before the
 * entitlement began: of whom it counts then. Once it has ended, of the instant at which it did.
 */
function levelSpan(of: Loaded, { aggregation }: MeasuredMeter, { periodStart, until }: LevelQuestion): Span {
  if (aggregation === 'MAX') return { from: periodStart, to: until };
  const to = earliest(upToMicrosecond(until), of.entitlement.activeTo ?? until);
  return { from: to.subtract({ microseconds: 1 }), to };
}

/** The stretches that can have usage up to an instant, in order and apart; outside of them there is none. */
export async function usedIn(tx: Tx, of: Loaded, { from, to }: Span): Promise<Span[]> {
  const found: Span[] = [];
  const { merchantId } = of.entitlement;
  if (of.meters.some(isOverTime)) return [{ from, to }]; // a level goes on without events
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

/** Does an entitlement measure what uses nothing up? */
export const hasGauge = ({ meters }: Loaded): boolean => meters.some(({ aggregation }) => GAUGES.has(aggregation));

/** Does an entitlement measure levels over time, so that its balance falls without an event? */
export const isMeasuredOverTime = ({ meters }: Pick<Loaded, 'meters'>): boolean => meters.some(isOverTime);
