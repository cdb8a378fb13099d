import type { Tx } from '../db/index.ts';
import { Decimal, ZERO } from '../kernel/decimal.ts';
import { earliest, type Instant, isBefore } from '../kernel/time.ts';
import { type BalanceAt, replay, type Stretch, timelineOf } from './balance/index.ts';
import type { EntitlementRow } from './entitlements.sql.ts';
import { type Loaded, loadInput } from './inputs.ts';
import { flowsIn, levelsAt } from './measure.ts';
import { withHolding } from './snapshots.ts';

/** The balance of a metered entitlement, and what of it is held. */
export interface Balance extends BalanceAt {
  /** What unexpired reservations hold; 0 where the question names an instant. */
  readonly reserved: Decimal;
  /** The balance without it; never below 0. */
  readonly available: Decimal;
}

/** What is asked of an entitlement. */
export interface BalanceQuestion {
  /** Events strictly before it count. null: now, and every accepted event of the current usage period, also one stamped ahead. */
  readonly at: Instant | null;
}

/** Times of events, grants and resets are whole microseconds: nothing but usage happens between them. */
const RIGHT_AFTER = { nanoseconds: 1 };

/** Later than anything that can happen. */
const END_OF_TIME = Temporal.Instant.from('2200-01-01T00:00:00Z');

/** The instant for which the inputs of a question are loaded. */
export const instantOf = ({ at }: BalanceQuestion, now: Instant): Instant => at ?? now;

/**
 * The balance of a metered entitlement (domain.md §5): a function of its grants, resets, terms and usage.
 * @param now effective now of the entitlement
 */
export async function balanceOf(
  tx: Tx,
  entitlement: EntitlementRow,
  question: BalanceQuestion,
  now: Instant,
): Promise<Balance> {
  return balanceOfLoaded(tx, await loadInput(tx, { entitlement, at: instantOf(question, now) }), question, now);
}

/** The same where the inputs of this instant are there already. */
export async function balanceOfLoaded(
  tx: Tx,
  loaded: Loaded,
  question: BalanceQuestion,
  now: Instant,
): Promise<Balance> {
  const holding = await withHolding(tx, loaded);
  const answer =
    question.at === null ? await presentBalance(tx, holding, now) : await pastBalance(tx, holding, question.at);
  const reserved = question.at === null ? holding.reserved : ZERO;
  return { ...answer, reserved, available: Decimal.max(ZERO, answer.balance.minus(reserved)) };
}

async function pastBalance(tx: Tx, loaded: Loaded, at: Instant): Promise<BalanceAt> {
  const [answer] = await balancesAt(tx, loaded, [at]);
  return answer as BalanceAt;
}

/** The balances at some instants of which none is before the snapshot. Events strictly before each count. */
export async function balancesAt(tx: Tx, loaded: Loaded, instants: readonly Instant[]): Promise<BalanceAt[]> {
  const timeline = timelineOf(loaded.inputs, loaded.snapshot?.kept.balance ?? null, instants);
  const flows = await flowsIn(tx, loaded, timeline.stretches);
  const asked = timeline.questions.map(({ at, period }) => ({ periodStart: period.start, until: at }));
  return replay(timeline, flows, await levelsAt(tx, loaded, asked)).observations;
}

/** The last stretch ends right after now, when all that happens now has happened, and takes in what is stamped ahead. */
async function presentBalance(tx: Tx, loaded: Loaded, now: Instant): Promise<BalanceAt> {
  const seen = now.add(RIGHT_AFTER);
  const timeline = timelineOf(loaded.inputs, loaded.snapshot?.kept.balance ?? null, [seen]);
  const period = timeline.questions[0]?.period;
  const until = period?.end ?? END_OF_TIME;
  const stretches = timeline.stretches.map(
    (stretch, index): Stretch =>
      index === timeline.stretches.length - 1 ? { ...stretch, to: aheadOf(loaded, stretch.to, until) } : stretch,
  );
  const flows = await flowsIn(tx, loaded, stretches);
  const levels = await levelsAt(tx, loaded, [
    { periodStart: period?.start ?? now, until: aheadOf(loaded, seen, until) },
  ]);
  const [answer] = replay(timeline, flows, levels).observations;
  return { ...(answer as BalanceAt), at: now };
}

/** Up to where usage counts now: the end of the usage period. Before the entitlement begins, and after it ended, none does. */
function aheadOf(
  { entitlement: { active_from: from, active_to: to } }: Loaded,
  seen: Instant,
  until: Instant,
): Instant {
  if (isBefore(seen, from)) return seen;
  return to === null ? until : earliest(until, to);
}
