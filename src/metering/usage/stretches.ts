import type { Tx } from '../../db/index.ts';
import { ZERO } from '../../kernel/decimal.ts';
import { type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import type { Interval } from '../meter/hours.ts';
import { rollupDefinitionOf } from '../meter/rollup-definition.ts';
import type { UsageScope } from '../meter/usage-request.ts';
import { figure, type UsageFigure } from './figures.ts';
import { type CountedRow, selectCounted } from './stretches.sql.ts';
import { ADDITIVE, intervalsOf, type SubjectInterval } from './usage.sql.ts';
import { measureEach } from './usage.ts';

/** Up to so many bounds, a question for each stretch costs less. */
const FEW = 4;

/**
 * The figures of stretches of time that adjoin: one for each, from an instant of `bounds` to the next one. Where the
 * meter adds up, the rows of all stretches are read once and in one statement, however many stretches there are.
 * @param scope its sources name subjects; its time is that of the bounds
 * @param bounds in order of time
 */
export async function measureStretches(
  tx: Tx,
  scope: Omit<UsageScope, 'from' | 'to' | 'groupFilters' | 'acceptedUpTo'>,
  bounds: readonly Instant[],
): Promise<UsageFigure[]> {
  const [from, to] = [bounds[0], bounds.at(-1)];
  if (bounds.length < 2 || !from || !to) return [];
  const { meter } = scope;
  if (bounds.length <= FEW || !ADDITIVE.has(meter.aggregation)) return measureEach(tx, eachOf(scope, bounds));
  const definition = rollupDefinitionOf(meter);
  const parts = intervalsOf({ ...scope, from, to });
  const rolled =
    definition && (await tx.rows<CountedRow>(selectCounted(scope, bounds, cutAtHours(parts, bounds), definition)));
  const isComplete = rolled?.every(({ isComplete: each }) => each) === true;
  const raw = () => tx.rows<CountedRow>(selectCounted(scope, bounds, { full: [], remainder: parts }, null));
  const rows = rolled && isComplete ? rolled : await raw();
  const found = new Map(rows.map((row) => [row.stretch, row]));
  return bounds.slice(1).map((_, index) => {
    const row = found.get(index + 1);
    if (!row) return NOTHING;
    const eventCount = Number(row.eventCount);
    return { value: figure(meter, row.value, eventCount), eventCount };
  });
}

const eachOf = <Scope>(scope: Scope, bounds: readonly Instant[]): (Scope & Interval)[] =>
  bounds.slice(1).map((to, index) => ({ ...scope, from: bounds[index] as Instant, to }));

const NOTHING: UsageFigure = { value: ZERO, eventCount: 0 };

/** Time whose full hours lie each in one stretch, and the time for which events are read. */
export interface HoursAndRemainder {
  readonly full: readonly SubjectInterval<Interval>[];
  readonly remainder: readonly SubjectInterval<Interval>[];
}

const HOUR = 3_600_000_000_000n;

const startOfHour = (at: Instant): bigint => {
  const ns = at.epochNanoseconds;
  return ns - (((ns % HOUR) + HOUR) % HOUR);
};

/**
 * Cuts some parts of time: hours that a bound or an end of a part divides are read event by event, the others from
 * roll-ups.
 */
export function cutAtHours(parts: readonly SubjectInterval<Interval>[], bounds: readonly Instant[]): HoursAndRemainder {
  const divided = dividedHours([...bounds, ...parts.flatMap(({ from, to }) => [from, to])]);
  const [full, remainder]: [SubjectInterval<Interval>[], SubjectInterval<Interval>[]] = [[], []];
  for (const part of parts) {
    let at = part.from;
    for (const hours of divided) {
      if (!isAfter(hours.to, at)) continue;
      if (!isBefore(hours.from, part.to)) break;
      if (isAfter(hours.from, at)) full.push({ ...part, from: at, to: hours.from });
      const [from, to] = [isAfter(hours.from, at) ? hours.from : at, isBefore(hours.to, part.to) ? hours.to : part.to];
      remainder.push({ ...part, from, to });
      at = to;
    }
    if (isBefore(at, part.to)) full.push({ ...part, from: at, to: part.to });
  }
  return { full, remainder };
}

/** The hours that instants divide, joined where they adjoin, in order of time. */
function dividedHours(instants: readonly Instant[]): Interval[] {
  const starts = new Set<bigint>();
  for (const at of instants) {
    const start = startOfHour(at);
    if (start !== at.epochNanoseconds) starts.add(start);
  }
  const joined: { from: bigint; to: bigint }[] = [];
  for (const from of [...starts].toSorted((a, b) => (a < b ? -1 : 1))) {
    const last = joined.at(-1);
    if (last?.to === from) last.to = from + HOUR;
    else joined.push({ from, to: from + HOUR });
  }
  return joined.map(({ from, to }) => ({
    from: Temporal.Instant.fromEpochNanoseconds(from),
    to: Temporal.Instant.fromEpochNanoseconds(to),
  }));
}
