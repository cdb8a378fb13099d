import type { Tx } from '../../db/index.ts';
import { Decimal, ZERO } from '../../kernel/decimal.ts';
import { END_OF_TIME, earliest, type Instant, isBefore } from '../../kernel/time.ts';
import type { BalanceAt, Budget, Timeline } from '../balance/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { type Loaded, loadInputs } from '../inputs/inputs.ts';
import { isMeasuredOverTime } from '../inputs/measure.ts';
import { type ReplayQuestion, replayAll, replayed } from '../inputs/replaying.ts';
import { withHolding } from '../inputs/snapshots.ts';

/** The balance of a metered entitlement, and its reserved part. */
export interface Balance extends BalanceAt {
  /** The units of unexpired reservations; 0 if the question has an instant. */
  readonly reserved: Decimal;
  /** The balance without it; never below 0. */
  readonly available: Decimal;
  /** It falls with time, without an event. */
  readonly isOverTime: boolean;
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

/** A metered entitlement, and what is asked of it. */
export interface BalanceOf {
  readonly entitlement: EntitlementRow;
  readonly question: BalanceQuestion;
  /** Effective now of the entitlement. */
  readonly now: Instant;
}

/**
 * The balances of some metered entitlements, in their order (domain.md §5): a function of their grants, resets, terms
 * and usage. The inputs of all are loaded together, and their usage is measured together.
 */
export async function balancesOf(tx: Tx, asked: readonly BalanceOf[]): Promise<Balance[]> {
  const inputs = await loadInputs(
    tx,
    asked.map(({ entitlement, question, now }) => ({ entitlement, at: instantAsked(question, now) })),
  );
  return balancesOfLoaded(
    tx,
    asked.map(({ question, now }, place) => ({ loaded: inputs[place] as Loaded, question, now })),
  );
}

/** The balance of one entitlement. @param now effective now of the entitlement */
export async function balanceOf(
  tx: Tx,
  entitlement: EntitlementRow,
  question: BalanceQuestion,
  now: Instant,
): Promise<Balance> {
  const [balance] = await balancesOf(tx, [{ entitlement, question, now }]);
  return balance as Balance;
}

/** The balance of one entitlement whose inputs of this instant are there already. */
export async function balanceOfLoaded(
  tx: Tx,
  loaded: Loaded,
  question: BalanceQuestion,
  now: Instant,
): Promise<Balance> {
  const [balance] = await balancesOfLoaded(tx, [{ loaded, question, now }]);
  return balance as Balance;
}

/** Each snapshot is looked at by itself: most entitlements that are asked about have none. */
async function balancesOfLoaded(
  tx: Tx,
  asked: readonly (Pick<BalanceOf, 'question' | 'now'> & { readonly loaded: Loaded })[],
): Promise<Balance[]> {
  const holding: Loaded[] = [];
  for (const { loaded } of asked) holding.push(await withHolding(tx, loaded));
  const answers = await replayAll(
    tx,
    asked.map(({ question, now }, place) => {
      const loaded = holding[place] as Loaded;
      const asAsked = question.at === null ? questionAtPresent(loaded, now) : { instants: [question.at] };
      return { loaded, question: { ...limitsOf(question), ...asAsked } };
    }),
  );
  return asked.map(({ question: { at }, now }, place) => {
    const answer = answers[place]?.observations[0] as BalanceAt;
    const loaded = holding[place] as Loaded;
    return at === null
      ? withReserved(loaded, { ...answer, at: now })
      : withReserved({ ...loaded, reserved: ZERO }, answer);
  });
}

const limitsOf = ({ signal, budget }: Pick<BalanceQuestion, 'signal' | 'budget'>) => ({ signal, budget });

/** The balance at an instant that is not before the snapshot. Events strictly before it count. */
export async function balanceAt(tx: Tx, loaded: Loaded, at: Instant): Promise<BalanceAt> {
  const { observations } = await replayed(tx, loaded, { instants: [at] });
  return observations[0] as BalanceAt;
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
export const withReserved = (
  { meters, reserved }: Pick<Loaded, 'meters' | 'reserved'>,
  answer: BalanceAt,
): Balance => ({
  ...answer,
  reserved,
  available: Decimal.max(ZERO, answer.balance.minus(reserved)),
  isOverTime: isMeasuredOverTime({ meters }),
});

/**
 * Up to where usage counts now: the end of the usage period. Before the entitlement begins, and after it ended, none
 * does.
 */
function aheadOf({ entitlement: { activeFrom: from, activeTo: to } }: Loaded, seen: Instant, until: Instant): Instant {
  if (isBefore(seen, from)) return seen;
  return to === null ? until : earliest(until, to);
}
