import type { Tx } from '../../db/index.ts';
import { Decimal, ZERO } from '../../kernel/decimal.ts';
import { END_OF_TIME, earliest, type Instant, isBefore } from '../../kernel/time.ts';
import type { BalanceAt, Budget, Timeline } from '../balance/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { type Loaded, loadInput } from '../inputs/inputs.ts';
import { type ReplayQuestion, replayed } from '../inputs/replaying.ts';
import { withHolding } from '../inputs/snapshots.ts';

/** The balance of a metered entitlement, and its reserved part. */
export interface Balance extends BalanceAt {
  /** The units of unexpired reservations; 0 if the question has an instant. */
  readonly reserved: Decimal;
  /** The balance without it; never below 0. */
  readonly available: Decimal;
}

/** A question to an entitlement. */
export interface BalanceQuestion {
  /**
   * Events strictly before it count. null: now, and every accepted event of the current usage period, also one stamped
   * ahead.
   */
  readonly at: Instant | null;
  /** Aborted: the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
  /** The limit of work for the answer; by default none. */
  readonly budget?: Budget | undefined;
}

/** Times of events, grants and resets are whole microseconds: nothing but usage happens between them. */
const RIGHT_AFTER = { nanoseconds: 1 };

/** The instant for which the inputs of a question are loaded. */
export const instantAsked = ({ at }: BalanceQuestion, now: Instant): Instant => at ?? now;

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
  return balanceOfLoaded(tx, await loadInput(tx, { entitlement, at: instantAsked(question, now) }), question, now);
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
    question.at === null
      ? await toBalanceReply(tx, holding, question, now)
      : await balanceAt(tx, holding, question.at, question);
  return withReserved(answer, question.at === null ? holding.reserved : ZERO);
}

const limitsOf = ({ signal, budget }: Pick<BalanceQuestion, 'signal' | 'budget'>) => ({ signal, budget });

/** The balance at an instant that is not before the snapshot. Events strictly before it count. */
export async function balanceAt(
  tx: Tx,
  loaded: Loaded,
  at: Instant,
  limits: Pick<BalanceQuestion, 'signal' | 'budget'> = {},
): Promise<BalanceAt> {
  const { observations } = await replayed(tx, loaded, { ...limitsOf(limits), instants: [at] });
  return observations[0] as BalanceAt;
}

async function toBalanceReply(
  tx: Tx,
  loaded: Loaded,
  limits: Pick<BalanceQuestion, 'signal' | 'budget'>,
  now: Instant,
): Promise<BalanceAt> {
  const { observations } = await replayed(tx, loaded, { ...limitsOf(limits), ...questionAtPresent(loaded, now) });
  return { ...(observations[0] as BalanceAt), at: now };
}

/** The last stretch ends right after now, after all changes of now, and includes usage with a later time. */
export function questionAtPresent(loaded: Loaded, now: Instant): ReplayQuestion {
  const seen = now.add(RIGHT_AFTER);
  const endOf = ({ period }: Timeline['questions'][number]) => period.end ?? END_OF_TIME;
  return {
    instants: [seen],
    lastTo: ({ stretches, questions }) =>
      aheadOf(loaded, stretches.at(-1)?.to ?? seen, endOf(questions[0] as Timeline['questions'][number])),
    levelOf: (question) => ({
      periodStart: question.period.start,
      until: aheadOf(loaded, seen, endOf(question)),
    }),
  };
}

/** A balance with what reservations hold of it. */
export const withReserved = (answer: BalanceAt, reserved: Decimal): Balance => ({
  ...answer,
  reserved,
  available: Decimal.max(ZERO, answer.balance.minus(reserved)),
});

/**
 * Up to where usage counts now: the end of the usage period. Before the entitlement begins, and after it ended, none
 * does.
 */
function aheadOf({ entitlement: { activeFrom: from, activeTo: to } }: Loaded, seen: Instant, until: Instant): Instant {
  if (isBefore(seen, from)) return seen;
  return to === null ? until : earliest(until, to);
}
