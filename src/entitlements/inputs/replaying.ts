import type { Tx } from '../../db/index.ts';
import { inTurns } from '../../http/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { type Instant, isAfter, latest } from '../../kernel/time.ts';
import {
  countSteps,
  type Replayed,
  replayInTurns,
  type Span,
  type Timeline,
  timelineInTurns,
  type Wanted,
} from '../balance/index.ts';
import type { Loaded } from './inputs.ts';
import {
  type LevelQuestion,
  type Measured,
  type MeasuredAll,
  type MeasuredStretch,
  measureAll,
  usedIn,
} from './measure.ts';
import type { Integrals } from './snapshot.ts';

/**
 * Up to so many steps and grants, asking for the usage of each stretch is cheaper than asking first where there is any.
 */
const FEW_STEPS = 64;

/** The question to an entitlement with loaded inputs. */
export interface ReplayQuestion extends Wanted {
  readonly instants: readonly Instant[];
  /** Up to where the last stretch takes in usage that is stamped ahead; by default the last instant. */
  readonly lastTo?: (timeline: Timeline) => Instant;
  /** Up to where a gauge is read for each question; by default the instant of the question. */
  readonly levelOf?: (question: Timeline['questions'][number]) => LevelQuestion;
  /** From here on nothing is passed over at once, so that each thing that happens is seen. */
  readonly closelyFrom?: Instant;
  /** Aborted: the work ends. */
  readonly signal?: AbortSignal | undefined;
}

/** The answer to a question. */
export interface Answers extends Replayed {
  readonly timeline: Timeline;
  readonly flows: readonly Decimal[];
  readonly levels: readonly Decimal[];
}

/** The answer of a replay that has read its usage. */
export interface ReplayAnswers extends Answers {
  /** Of metrics over time, at the end of the last stretch. */
  readonly integrals: Integrals;
}

/** The plan of a replay, with its questions to usage. */
export interface Plan {
  readonly timeline: Timeline;
  readonly stretches: readonly MeasuredStretch[];
  readonly levels: readonly LevelQuestion[];
}

/** An entitlement with loaded inputs, and its question. */
export interface Asked {
  readonly loaded: Loaded;
  readonly question: ReplayQuestion;
}

/**
 * Replays the time from the snapshot to the question, for each of some entitlements: finds the stretches, measures
 * those of all together, and burns the usage.
 */
export async function replayAll(tx: Tx, asked: readonly Asked[]): Promise<ReplayAnswers[]> {
  const plans: (Plan & { readonly of: Loaded })[] = [];
  for (const { loaded, question } of asked)
    plans.push({ of: loaded, ...(await planReplay(loaded, question, await usedBefore(tx, loaded, question))) });
  const measured = await measureAll(tx, plans);
  const answers: ReplayAnswers[] = [];
  for (const [place, { question }] of asked.entries()) {
    const usage = measured[place] as MeasuredAll;
    answers.push({ ...(await burned(plans[place] as Plan, usage, question)), integrals: usage.integrals });
  }
  return answers;
}

/** The replay of one entitlement. */
export async function replayed(tx: Tx, loaded: Loaded, question: ReplayQuestion): Promise<ReplayAnswers> {
  const [answers] = await replayAll(tx, [{ loaded, question }]);
  return answers as ReplayAnswers;
}

/** Finds the stretches. @param used where usage can be; null: anywhere */
export async function planReplay(
  loaded: Loaded,
  question: ReplayQuestion,
  used: readonly Span[] | null,
): Promise<Plan> {
  const { instants, signal, budget } = question;
  const state = loaded.snapshot?.kept.balance ?? null;
  return planOf(await inTurns(timelineInTurns(loaded.inputs, state, instants, used, budget), signal), question);
}

/** The plan of a replay along a timeline that ends with its question. */
export function planOf(timeline: Timeline, question: Pick<ReplayQuestion, 'lastTo' | 'levelOf'>): Plan {
  const last = timeline.stretches.length - 1;
  const stretches = timeline.stretches.map(
    (stretch, index): MeasuredStretch =>
      question.lastTo && index === last
        ? { ...stretch, to: question.lastTo(timeline), isUnused: false, passedAt: stretch.to }
        : { ...stretch, passedAt: stretch.to },
  );
  const levelOf = question.levelOf ?? (({ at, period }) => ({ periodStart: period.start, until: at }));
  return { timeline, stretches, levels: timeline.questions.map(levelOf) };
}

/** Burns the usage. */
export async function burned(
  { timeline }: Pick<Plan, 'timeline'>,
  { flows, levels }: Measured,
  question: Pick<ReplayQuestion, keyof Wanted | 'signal'>,
): Promise<Answers> {
  const found = await inTurns(replayInTurns(timeline, flows, levels, question), question.signal);
  return { timeline, flows, levels, ...found };
}

/** Is there little enough on the way to an instant that the usage of each stretch is asked for at once? */
export function isShort({ inputs, snapshot }: Loaded, to: Instant): boolean {
  return countSteps(inputs, snapshot?.kept.balance ?? null, to) + inputs.grants.length <= FEW_STEPS;
}

/** The stretches that can have usage; null: not worth a question. */
async function usedBefore(
  tx: Tx,
  loaded: Loaded,
  { instants, closelyFrom }: ReplayQuestion,
): Promise<readonly Span[] | null> {
  const state = loaded.snapshot?.kept.balance ?? null;
  const from = state?.at ?? loaded.inputs.activeFrom;
  const to = instants.reduce(latest, from);
  if (isShort(loaded, to)) return null;
  const used = await usedIn(tx, loaded, { from, to });
  if (closelyFrom === undefined || !isAfter(to, closelyFrom)) return used;
  const before = used.filter((span) => !isAfter(span.from, closelyFrom));
  return [...before.filter((span) => isAfter(closelyFrom, span.to)), { from: startOf(before, closelyFrom), to }];
}

/** The beginning of the span that holds an instant, or the instant. */
const startOf = (spans: readonly Span[], at: Instant): Instant => spans.find(({ to }) => !isAfter(at, to))?.from ?? at;
