import { inTurns } from '../../http/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { earliest, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import type { UsageFigure, UsageScope } from '../../metering/index.ts';
import { type BalanceAt, type Timeline, timelineInTurns } from '../balance/index.ts';
import type { EntitlementDetailReply } from '../entitlement/schemas.ts';
import type { Loaded } from '../inputs/inputs.ts';
import { isMeasuredOverTime, measuringOf } from '../inputs/measure.ts';
import { burned, isShort, planOf } from '../inputs/replaying.ts';
import { questionAtPresent, withReserved } from '../reading/balances.ts';
import { detailOf } from '../reading/present.ts';

/**
 * An entitlement of which nothing but usage and reservations is missing to answer for any instant of a span. It keeps
 * nothing of its inputs that its answers do not need: very many are known at a time.
 */
export interface Prepared {
  readonly isMetered: boolean;
  readonly grantCount: number;
  /** The span, half-open: nothing happens in it but usage and reservations. */
  readonly from: Instant;
  readonly until: Instant;
  /** The same questions about usage at each instant of the span. */
  readonly scopes: readonly UsageScope[];
  /** @param figures one for each scope, in their order */
  readonly detail: (figures: readonly UsageFigure[], reserved: Decimal) => Promise<EntitlementDetailReply>;
}

/** An answer is prepared for this long at most, so that what happens after now needs not be looked for far ahead. */
export const AHEAD = Temporal.Duration.from({ hours: 1 });

/**
 * Prepares the answer about an entitlement from its inputs and a snapshot that holds.
 * @param now effective now of the entitlement, for which the inputs were loaded
 * @param nextGrantAt when the next grant begins that was left out of the inputs
 * @returns null where so much happened since the snapshot that usage has to be looked for first, and where time uses up
 *   something
 */
export async function prepareDetail(
  loaded: Loaded,
  now: Instant,
  nextGrantAt: Instant | null,
): Promise<Prepared | null> {
  const { entitlement, terms } = loaded;
  const ahead = now.add(AHEAD);
  const { activeFrom, activeTo, pauses } = entitlement;
  const paused = pauses
    .flatMap(({ from, to }) => [from, ...(to === null ? [] : [to])])
    .map((at) => Temporal.Instant.from(at));
  const changes = [activeFrom, activeTo, nextGrantAt, ...terms.map(({ from }) => from), ...paused];
  const until = changes.reduce(
    (next, at) => (at && isAfter(at, now) ? earliest(next as Instant, at) : next),
    ahead,
  ) as Instant;
  if (entitlement.featureType !== 'metered') {
    const detail = detailOf(loaded, now)(null);
    return { isMetered: false, grantCount: 0, from: now, until, scopes: [], detail: async () => detail };
  }
  if (isMeasuredOverTime(loaded) || !isShort(loaded, ahead)) return null;
  const question = questionAtPresent(loaded, now);
  const { inputs, snapshot } = loaded;
  const instants = [...question.instants, ahead];
  const timeline = await inTurns(timelineInTurns(inputs, snapshot?.kept.balance ?? null, instants, null));
  const next = timeline.points.find(({ at, moment }) => moment !== null && isAfter(at, now))?.at ?? ahead;
  const known = untilFirstQuestion(timeline);
  const { stretches, levels } = planOf(known, question);
  const { scopes, sumUp } = measuringOf(loaded, stretches, levels);
  const shown = detailOf(loaded, now);
  return {
    isMetered: true,
    grantCount: inputs.grants.length,
    from: now,
    until: earliest(until, next),
    scopes,
    detail: lastKept(async (figures, reserved) => {
      const { observations } = await burned({ timeline: known }, sumUp(figures), {});
      return shown(withReserved({ meters: [], reserved }, observations[0] as BalanceAt));
    }),
  };
}

interface LastAnswer {
  readonly figures: readonly UsageFigure[];
  readonly reserved: Decimal;
  readonly found: EntitlementDetailReply;
}

/** The same answer as the last time where the figures are the same. */
function lastKept(detail: Prepared['detail']): Prepared['detail'] {
  let last: LastAnswer | undefined;
  return async (figures, reserved) => {
    const kept = last;
    if (kept?.reserved.eq(reserved) && figures.every((figure, place) => isSame(figure, kept.figures[place])))
      return kept.found;
    const found = await detail(figures, reserved);
    last = { figures, reserved, found };
    return found;
  };
}

const isSame = (one: UsageFigure, other: UsageFigure | undefined): boolean =>
  one.eventCount === other?.eventCount && one.value.eq(other.value);

/** A timeline as far as its first question. */
function untilFirstQuestion({ questions, points, stretches, ...timeline }: Timeline): Timeline {
  const [first] = questions as [Timeline['questions'][number]];
  const last = first.point ?? -1;
  return {
    ...timeline,
    questions: [first],
    points: points.slice(0, last + 1),
    stretches: stretches.slice(0, Math.max(0, last)),
  };
}

/** Is an answer prepared for an instant? */
export const isPreparedFor = ({ from, until }: Pick<Prepared, 'from' | 'until'>, now: Instant): boolean =>
  !isBefore(now, from) && isBefore(now, until);
