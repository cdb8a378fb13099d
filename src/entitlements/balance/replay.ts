import { Decimal, ZERO } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { type Grouping, groupedStates, namedStates, type StateMember } from './groups.ts';
import { Ledger } from './ledger.ts';
import type { Lot } from './lots.ts';
import type {
  BalanceAt,
  BalanceGrant,
  BalanceState,
  GrantBalance,
  GrantGone,
  GrantState,
  Moment,
  Question,
  Replayed,
  Timeline,
} from './model.ts';
import { type Budget, finish, takeStep } from './turns.ts';

/** The answers of a replay beside the figures at each observed instant. */
export interface Wanted {
  /** The grants of each observation, and those that are gone. */
  readonly grants?: boolean;
  /** The most figures of grants in the answer, over all observations; more are a `TooManyGrants`. */
  readonly mostGrants?: number;
  /** Taken from by each moment of a run that cannot be passed over. */
  readonly budget?: Budget | undefined;
  /** The states of these resets and observed instants. */
  readonly states?: (at: Instant, isReset: boolean) => boolean;
  /** Given: states count grants as one where they can. */
  readonly grouping?: Grouping;
}

/** More figures of grants than the caller allows. */
export class TooManyGrants extends Error {}

/**
 * Goes through a timeline.
 * @param flows what was used in each stretch (SUM, COUNT: its sum, which may be negative; UNIQUE_COUNT: what the
 *   period's distinct count grew by).
 * @param levels the gauge level at each observed instant, below 0 counting as 0; left out where there are no gauges.
 *   A level consumes nothing: it lies over the balances when somebody asks.
 */
export const replay = (
  timeline: Timeline,
  flows: readonly Decimal[],
  levels?: readonly Decimal[],
  wanted: Wanted = {},
): Replayed => finish(replayInTurns(timeline, flows, levels, wanted));

/** So much is done before others have a turn: about so many moments, or grants that something happened to. */
const WORK_A_TURN = 400;

/** The same with pauses. */
export function* replayInTurns(
  timeline: Timeline,
  flows: readonly Decimal[],
  levels: readonly Decimal[] | undefined,
  wanted: Wanted,
): Generator<void, Replayed> {
  const { points, questions, stretches } = timeline;
  if (flows.length !== stretches.length) throw new RangeError('A replay needs the usage of each stretch.');
  if (levels && levels.length !== questions.length) throw new RangeError('A replay needs the level of each question.');
  const asked = Map.groupBy(
    questions.map((question, index) => ({ question, level: levels?.[index] ?? ZERO, index })),
    ({ question }) => question.point,
  );
  const ledger = ledgerOf(timeline);
  const observations: BalanceAt[] = [];
  const states: BalanceState[] = [];
  const gone: GrantGone[] = [];
  // Usage since something last happened counts as one sum, so that being observed changes nothing.
  let usage = timeline.state?.pending ?? ZERO;
  let work = 0;
  let told = 0;
  const answer = (point: number | null) => {
    for (const { question, level, index } of asked.get(point) ?? []) {
      const view = viewOf(ledger, usage, question, Decimal.max(ZERO, level));
      observations[index] = wanted.grants
        ? { ...view, grants: grantsOf(ledger, usage, Decimal.max(ZERO, level)) }
        : view;
      if (!wanted.grants) continue;
      work += ledger.lots.all.length;
      told += observations[index].grants.length;
      if (told > (wanted.mostGrants ?? told)) throw new TooManyGrants();
    }
  };
  const keepState = (at: Instant, isReset: boolean) => {
    if (wanted.states?.(at, isReset)) states.push(stateOf(timeline, ledger, { at, usage }, wanted.grouping));
  };
  function* apply(moment: Moment): Generator<void, void> {
    work += 1;
    if (ledger.isConcernedBy(moment)) {
      if (!usage.isZero()) yield* ledger.use(usage);
      usage = ZERO;
      const left = yield* ledger.apply(moment);
      if (wanted.grants) for (const lot of left) gone.push(...goneOf(lot, moment.at));
    }
    if (moment.reset) keepState(moment.at, true);
  }
  answer(null);
  for (const [index, { at, moment, run, isAsked }] of points.entries()) {
    const flow = flows[index - 1];
    if (flow && !flow.isZero()) usage = usage.plus(flow);
    if (moment) yield* apply(moment);
    for (let done = 1; run && done < run.length && !ledger.passOver(run, done); done += 1) {
      takeStep(wanted.budget);
      yield* apply(run.momentAt(done));
      if (work > WORK_A_TURN) {
        work = 0;
        yield;
      }
    }
    if (isAsked && !moment?.reset) keepState(at, false);
    answer(index);
    if (work > WORK_A_TURN) {
      work = 0;
      yield;
    }
  }
  return { observations, states, gone };
}

/** The ledger at the start of a timeline. */
function ledgerOf({ state, held }: Timeline): Ledger {
  const ledger = new Ledger();
  if (!state) return ledger;
  for (const { id, balance, burned, returnable } of state.grants)
    ledger.lots.addGrant(held.get(id) as BalanceGrant, { balance, burned, returnable });
  const { remaining: _, ...flows } = state.totals;
  Object.assign(ledger.flows, flows);
  ledger.overage = state.overage;
  ledger.used = state.used;
  return ledger;
}

/** The grants of a lot, one by one. */
function* membersOf<T>(lot: Lot, as: (grant: BalanceGrant, lot: Lot) => T): Generator<T> {
  for (let number = 0; number < lot.count; number += 1) yield as(lot.grantAt(number), lot);
}

const goneOf = (lot: Lot, at: Instant): GrantGone[] => [
  ...membersOf(lot, ({ id }, { burned }) => ({ at, id, burned })),
];

function stateOf(
  { state }: Timeline,
  { lots, overage, used, totals }: Ledger,
  { at, usage }: { readonly at: Instant; readonly usage: Decimal },
  grouping: Grouping | undefined,
): BalanceState {
  const groups = new Map(state?.grants.map(({ id, group }) => [id, group]));
  const members = lots.all.flatMap((lot) => [
    ...membersOf(lot, (grant, { balance, burned, returnable }): StateMember => {
      const figures = { balance, burned, returnable };
      return { grant, figures, group: groups.get(grant.id) ?? null };
    }),
  ]);
  const grants = grouping ? groupedStates(members, at, grouping) : namedStates(members);
  return { at, grants, overage, pending: usage, used, totals };
}

/** The figures when usage that has not been burned yet, and a gauge, are counted; nothing is changed by it. */
function viewOf(ledger: Ledger, usage: Decimal, { at, period }: Question, level: Decimal): BalanceAt {
  const { remaining, returnable } = ledger.lots;
  const waiting = ledger.overage.plus(usage);
  const burned = waiting.isNegative()
    ? Decimal.min(returnable, waiting.negated()).negated()
    : Decimal.min(remaining, waiting);
  const covered = Decimal.min(remaining.minus(burned), level);
  const balance = remaining.minus(burned).minus(covered);
  const consumed = ledger.flows.consumed.plus(burned).plus(covered);
  return {
    at,
    balance,
    overage: Decimal.max(ZERO, waiting.minus(burned)).plus(level.minus(covered)),
    usageInPeriod: ledger.used.plus(usage).plus(level),
    period,
    grants: [],
    totals: { ...ledger.flows, consumed, remaining: balance },
  };
}

/** The grants of such a view. */
function grantsOf({ lots, overage }: Ledger, usage: Decimal, level: Decimal): GrantBalance[] {
  const grants: Figures[] = [];
  for (const { count, grant, grantAt, balance, burned, returnable } of lots.all)
    for (let number = 0; number < count; number += 1)
      grants.push({ id: number === 0 ? grant.id : grantAt(number).id, balance, burned, returnable });
  const waiting = overage.plus(usage);
  if (waiting.isNegative()) giveBack(grants, waiting.negated());
  burn(grants, waiting.isNegative() ? level : waiting.plus(level));
  return grants;
}

/** The figures of a grant, as they are changed. */
type Figures = { -readonly [key in keyof Omit<GrantState, 'issuedAt' | 'group'>]: GrantState[key] };

function giveBack(grants: readonly Figures[], amount: Decimal): void {
  let remaining = amount;
  for (let index = grants.length - 1; index >= 0 && !remaining.isZero(); index -= 1) {
    const grant = grants[index] as Figures;
    if (!grant.returnable.isZero())
      remaining = remaining.minus(move(grant, Decimal.min(grant.returnable, remaining).negated()));
  }
}

function burn(grants: readonly Figures[], amount: Decimal): void {
  let remaining = amount;
  for (const grant of grants) {
    if (remaining.isZero()) return;
    if (!grant.balance.isZero()) remaining = remaining.minus(move(grant, Decimal.min(grant.balance, remaining)));
  }
}

/** @returns how much was moved, without its sign */
function move(grant: Figures, amount: Decimal): Decimal {
  grant.balance = grant.balance.minus(amount);
  grant.burned = grant.burned.plus(amount);
  return amount.abs();
}
