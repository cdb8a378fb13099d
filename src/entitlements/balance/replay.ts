import { Decimal, ZERO } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { cover, EMPTY, type Holding, inBurnOrder, type Ledger, remainingOf, use } from './burn.ts';
import type { BalanceAt, BalanceGrant, BalanceState, Question, Replayed, Timeline, Totals } from './model.ts';
import { concerns, settle } from './settle.ts';

/**
 * Goes through a timeline.
 * @param flows what was used in each stretch (SUM, COUNT: its sum, which may be negative; UNIQUE_COUNT: what the period's
 * distinct count grew by).
 * @param levels the gauge level at each observed instant, below 0 counting as 0; left out where there are no gauges. A level
 * consumes nothing: it lies over the balances when somebody asks.
 */
export function replay(timeline: Timeline, flows: readonly Decimal[], levels?: readonly Decimal[]): Replayed {
  const { points, questions, stretches } = timeline;
  if (flows.length !== stretches.length) throw new RangeError('A replay needs the usage of each stretch.');
  if (levels && levels.length !== questions.length) throw new RangeError('A replay needs the level of each question.');
  const asked = Map.groupBy(
    questions.map((question, index) => ({ question, level: levels?.[index] ?? ZERO, index })),
    ({ question }) => question.point,
  );
  const observations: BalanceAt[] = [];
  const states: BalanceState[] = [];
  const answer = (point: number | null, ledger: Ledger) => {
    for (const { question, level, index } of asked.get(point) ?? [])
      observations[index] = viewOf(ledger, question, Decimal.max(ZERO, level));
  };
  let settled = ledgerOf(timeline);
  // Usage since something last happened counts as one sum, so that being observed changes nothing.
  let usage = ZERO;
  answer(null, settled);
  points.forEach(({ moment }, index) => {
    usage = usage.plus(flows[index - 1] ?? ZERO);
    if (moment && concerns(moment, settled)) {
      settled = settle(use(settled, usage), moment);
      usage = ZERO;
    }
    if (moment?.reset) states.push(stateOf(moment.at, settled));
    answer(index, use(settled, usage));
  });
  return { observations, states };
}

/** What stands where a timeline begins. */
function ledgerOf({ state, held }: Timeline): Ledger {
  if (!state) return EMPTY;
  const holdings = state.grants.map(
    ({ id, balance, burned, returnable }): Holding => ({
      grant: held.get(id) as BalanceGrant,
      balance,
      burned,
      returnable,
    }),
  );
  const { remaining: _, ...flows } = state.totals;
  return { holdings: inBurnOrder(holdings), overage: state.overage, used: ZERO, flows };
}

const totalsOf = ({ flows, holdings }: Pick<Ledger, 'flows' | 'holdings'>): Totals => ({
  ...flows,
  remaining: remainingOf(holdings),
});

const stateOf = (at: Instant, ledger: Ledger): BalanceState => ({
  at,
  grants: ledger.holdings.map(({ grant: { id, issuedAt }, balance, burned, returnable }) => ({
    id,
    balance,
    burned,
    returnable,
    issuedAt,
  })),
  overage: ledger.overage,
  totals: totalsOf(ledger),
});

function viewOf(ledger: Ledger, { at, period }: Question, level: Decimal): BalanceAt {
  const { holdings, rest } = cover(ledger.holdings, level);
  const consumed = ledger.flows.consumed.plus(level).minus(rest);
  const totals = totalsOf({ holdings, flows: { ...ledger.flows, consumed } });
  return {
    at,
    balance: totals.remaining,
    overage: Decimal.max(ZERO, ledger.overage).plus(rest),
    usageInPeriod: ledger.used.plus(level),
    period,
    grants: holdings.map(({ grant: { id }, balance, burned }) => ({ id, balance, burned })),
    totals,
  };
}
