import { earliest, type Instant, isAfter, isBefore, latest } from '../../kernel/time.ts';
import { endOf, recurrencesIn, startOf } from './grant-time.ts';
import { issuedGrantAt, issuedIn } from './issued.ts';
import type {
  BalanceGrant,
  BalanceInputs,
  BalanceState,
  Moment,
  Reset,
  Stretch,
  Timeline,
  TimelinePoint,
} from './model.ts';
import { isActiveAt, periodIn, resetsBetween, type Schedule, scheduleOf } from './schedule.ts';

/**
 * The stretches whose usage a replay from `state` (null: from `activeFrom`) to the last of `observed` needs. They tile the
 * time, and none crosses anything that happens, nor an observed instant. Only what lies after the state costs anything.
 * @throws RangeError for a question before the state, and for a state of other grants.
 */
export function timelineOf(inputs: BalanceInputs, state: BalanceState | null, observed: readonly Instant[]): Timeline {
  const schedule = scheduleOf(inputs);
  const start = state?.at ?? inputs.activeFrom;
  if (state && observed.some((at) => isBefore(at, start)))
    throw new RangeError('A replay does not answer for what lies before its state.');
  const held = heldBy(inputs, state);
  const asked = observed.filter((at) => !isBefore(at, start)).map((at) => lastInstantOf(inputs, start, at));
  const moments = momentsOf(schedule, state, held, asked.reduce(latest, start));
  const points = asked.length === 0 ? [] : pointsOf(start, moments, asked);
  const index = new Map(points.map(({ at }, number) => [at.epochNanoseconds, number]));
  const questions = observed.map((at) => ({
    at,
    period: periodIn(schedule, at),
    point: isBefore(at, start) ? null : (index.get(lastInstantOf(inputs, start, at).epochNanoseconds) ?? null),
  }));
  return { stretches: stretchesOf(points), points, questions, state, held };
}

/** After its end an entitlement stays as it was left. */
const lastInstantOf = ({ activeTo }: BalanceInputs, start: Instant, at: Instant): Instant =>
  activeTo === null ? at : latest(start, earliest(at, activeTo));

/** The grants of a state: rows, or what the template issued and has no row yet. */
function heldBy(inputs: BalanceInputs, state: BalanceState | null): ReadonlyMap<string, BalanceGrant> {
  const ids = new Set(state?.grants.map(({ id }) => id));
  const rows = new Map(inputs.grants.filter(({ id }) => ids.has(id)).map((grant) => [grant.id, grant]));
  const found = (state?.grants ?? []).map(({ id, issuedAt }): [string, BalanceGrant] => {
    const grant = rows.get(id) ?? (issuedAt && issuedGrantAt(inputs, issuedAt));
    if (grant?.id !== id) throw new RangeError(`The state holds ${id}, which is no grant of the entitlement.`);
    return [id, grant];
  });
  return new Map(found);
}

interface Happening {
  readonly at: Instant;
  readonly reset?: Reset;
  readonly ending?: BalanceGrant;
  readonly recurring?: BalanceGrant;
  readonly starting?: BalanceGrant;
}

/** What happens after the state (from the start on, where there is none) and up to `until`, by instant. */
function momentsOf(
  schedule: Schedule,
  state: BalanceState | null,
  held: ReadonlyMap<string, BalanceGrant>,
  until: Instant,
): ReadonlyMap<bigint, Moment> {
  const { inputs } = schedule;
  const after = state?.at ?? inputs.activeFrom;
  const happens = (at: Instant) =>
    (state === null || isAfter(at, after)) && !isAfter(at, until) && isActiveAt(inputs, at);
  const begins = (grant: BalanceGrant) => happens(startOf(inputs, grant)) && isEver(inputs, grant);
  const starting = [...inputs.grants, ...issuedIn(schedule, state?.at ?? null, until)].filter(begins);
  const happenings: Happening[] = [
    ...resetsBetween(schedule, after, until).map((reset) => ({ at: reset.at, reset })),
    ...starting.map((grant) => ({ at: startOf(inputs, grant), starting: grant })),
    ...[...held.values(), ...starting].flatMap((grant) => {
      const end = endOf(grant);
      const ending = end ? [{ at: end, ending: grant }] : [];
      const recurring = recurrencesIn(grant, latest(after, startOf(inputs, grant)), until);
      return [...ending, ...recurring.map((at) => ({ at, recurring: grant }))];
    }),
  ].filter(({ at }) => happens(at));
  const byInstant = Map.groupBy(happenings, ({ at }) => at.epochNanoseconds);
  return new Map([...byInstant].map(([key, together]) => [key, momentOf(together)]));
}

/** Does a grant count at any time? Not one that was voided before it began. */
function isEver(inputs: BalanceInputs, grant: BalanceGrant): boolean {
  const end = endOf(grant);
  return end === null || isAfter(end, startOf(inputs, grant));
}

function momentOf(happenings: readonly Happening[]): Moment {
  const idsOf = (grants: readonly (BalanceGrant | undefined)[]) =>
    new Set(grants.flatMap((grant) => (grant ? [grant.id] : [])));
  return {
    at: (happenings[0] as Happening).at,
    reset: happenings.find(({ reset }) => reset)?.reset ?? null,
    ending: idsOf(happenings.map(({ ending }) => ending)),
    recurring: idsOf(happenings.map(({ recurring }) => recurring)),
    starting: happenings.flatMap(({ starting }) => starting ?? []),
  };
}

/** The start, whatever happens, and what is asked for, once each and in order. */
function pointsOf(start: Instant, moments: ReadonlyMap<bigint, Moment>, asked: readonly Instant[]): TimelinePoint[] {
  const times = [start, ...[...moments.values()].map(({ at }) => at), ...asked];
  const once = new Map(times.map((at) => [at.epochNanoseconds, at]));
  return [...once]
    .toSorted(([, a], [, b]) => Temporal.Instant.compare(a, b))
    .map(([key, at]) => ({ at, moment: moments.get(key) ?? null }));
}

/** Between one point and the next. A replay begins with a usage period. */
function stretchesOf(points: readonly TimelinePoint[]): Stretch[] {
  let periodStart = points[0]?.at;
  return points.slice(0, -1).map(({ at: from, moment }, index) => {
    if (moment?.reset) periodStart = from;
    return { from, to: (points[index + 1] as TimelinePoint).at, periodStart: periodStart ?? from };
  });
}
