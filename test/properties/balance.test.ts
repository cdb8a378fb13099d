import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BalanceAt,
  type BalanceGrant,
  type BalanceInputs,
  type BalanceState,
  grantIdOf,
  issuedGrants,
  type Span,
  type Stretch,
  stateFromJson,
  stateToJson,
} from '../../src/entitlements/balance/index.ts';
import { replay, type Wanted } from '../../src/entitlements/balance/replay.ts';
import { timelineOf } from '../../src/entitlements/balance/timeline.ts';
import { type Decimal, decimal, plain, sum } from '../../src/kernel/decimal.ts';
import type { Instant } from '../../src/kernel/time.ts';
import {
  askOracle,
  type Hour,
  type OracleAnswer,
  type OracleEvent,
  type OracleGrant,
  type OracleHistory,
  type OracleReset,
  type OracleRule,
  type OracleTerm,
  type Units,
} from '../support/balance-oracle.ts';
import { cases } from '../support/cases.ts';

/**
 * The laws of balances, over random histories. The figures are those of an oracle that shares no code (domain.md §5).
 */

const HOUR_MS = 3_600_000;
const FIRST_HOUR = Date.UTC(2028, 0, 29) / HOUR_MS; // before a 31 January and a 29 February
const DAYS = 40;
const STEP = 6;
const STEPS = (DAYS * 24) / STEP;

const RUNS = cases(60, 400);

// ——— histories ———

const hour = (from = 0, to = STEPS) => fc.integer({ min: from, max: to }).map((step) => FIRST_HOUR + step * STEP);
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const ONE_UNIT = 100_000_000n;
const ONE_UNIT_SIZE = decimal('1e-8');
const whole = (most: number) => fc.integer({ min: 1, max: most }).map((value) => BigInt(value) * ONE_UNIT);
const amount = fc.oneof(
  { weight: 6, arbitrary: whole(30) },
  { weight: 1, arbitrary: fc.constant(1n) }, // 1e-8
  { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: 10n ** 38n }) },
);
const bounds = fc.oneof(
  fc.constant({ max: 0n, min: 0n }),
  fc.constant({ max: 999_999_999_999n * ONE_UNIT, min: 0n }),
  fc.tuple(whole(12), whole(12)).map(([a, b]) => (a < b ? { min: a, max: b } : { min: b, max: a })),
);
const priority = fc.integer({ min: -1, max: 1 });

const rule: fc.Arbitrary<OracleRule> = fc
  .tuple(
    fc.constantFrom({ months: 1, days: 0 }, { months: 0, days: 1 }, { months: 0, days: 3 }, { months: 0, days: 7 }),
    hour(-80, 80),
  )
  .map(([cadence, anchor]) => ({ ...cadence, anchor }));

const term: fc.Arbitrary<OracleTerm> = fc
  .record({
    from: hour(0, STEPS),
    rule: fc.option(rule, { nil: null, freq: 6 }),
    issue: orNull(whole(20)),
    priority,
    preserve: fc.boolean(),
    bounds,
  })
  .map(({ bounds: limits, ...rest }) => ({ ...rest, ...limits }));

const grant: fc.Arbitrary<Omit<OracleGrant, 'key' | 'order'>> = fc
  .record({
    amount,
    priority,
    effective: hour(-40, STEPS),
    lasts: orNull(fc.integer({ min: 1, max: STEPS })),
    voided: fc.option(hour(-40, STEPS), { nil: null, freq: 2 }),
    recurrence: orNull(
      fc.constantFrom(
        { months: 1, hours: 0 },
        { months: 0, hours: 24 },
        { months: 0, hours: 18 },
        { months: 1, hours: 30 },
      ),
    ),
    bounds,
    created: hour(-40, 4),
  })
  .map(({ bounds: limits, lasts, ...rest }) => ({
    ...rest,
    ...limits,
    expires: lasts === null ? null : rest.effective + lasts * STEP,
  }));

const reset: fc.Arbitrary<OracleReset> = fc.record({
  at: hour(0, STEPS),
  retainAnchor: fc.boolean(),
  preserve: fc.boolean(),
});

const events = (isGivingBack: boolean): fc.Arbitrary<OracleEvent[]> => {
  const used = fc.record({ at: hour(), value: amount });
  const back = fc.record({ at: hour(), value: amount.map((value) => -value) });
  const who = fc.record({ at: hour(), who: fc.constantFrom('a', 'b', 'c', 'd') });
  const level = fc.record({ at: hour(), level: fc.oneof(whole(9), fc.constantFrom(0n, -ONE_UNIT)) });
  const kinds: fc.Arbitrary<OracleEvent[]>[] = [
    fc.array(isGivingBack ? fc.oneof(used, back) : used, { maxLength: 25 }),
    fc.array(who, { maxLength: 8 }),
    fc.uniqueArray(level, { maxLength: 4, selector: ({ at }) => at }),
  ];
  return fc.tuple(...kinds).map((lists) => lists.flat());
};

const history = (isGivingBack: boolean): fc.Arbitrary<OracleHistory> =>
  fc
    .record({
      activeFrom: hour(0, 20),
      activeTo: fc.option(hour(60, STEPS), { nil: null, freq: 3 }),
      first: term,
      others: fc.uniqueArray(term, { maxLength: 2, selector: ({ from }) => from }),
      grants: fc.array(grant, { maxLength: 5 }),
      resets: fc.uniqueArray(reset, { maxLength: 2, selector: ({ at }) => at }),
      events: events(isGivingBack),
    })
    .map(({ activeFrom, activeTo, first, others, grants, resets, events: used }) => ({
      activeFrom,
      activeTo,
      terms: [
        { ...first, from: activeFrom },
        ...others.filter(({ from }) => from > activeFrom).toSorted((a, b) => a.from - b.from),
      ],
      grants: grants.map((each, order) => ({ ...each, key: `grt_${order}`, order })),
      resets,
      events: used.filter(({ at }) => at >= activeFrom && (activeTo === null || at < activeTo)),
    }));

/** Many grants of few kinds, mostly without a usage period: neighbours in burn order are often alike. */
const crowd: fc.Arbitrary<OracleHistory> = fc
  .record({
    past: fc.boolean().chain(history),
    isReset: fc.constantFrom(true, false, false),
    grants: fc.array(
      fc.record({
        amount: fc.oneof({ weight: 6, arbitrary: whole(6) }, { weight: 1, arbitrary: fc.constant(1n) }),
        priority: fc.constantFrom(0, 0, 0, 1),
        effective: hour(-40, STEPS),
        created: hour(-40, STEPS),
        expires: fc.constantFrom(null, null, null, FIRST_HOUR + 600, FIRST_HOUR + 720),
        voided: fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, hour(-40, STEPS)),
        isKept: fc.constantFrom(true, true, true, false),
      }),
      { minLength: 6, maxLength: 24 },
    ),
  })
  .map(({ past, isReset, grants }) => ({
    ...past,
    terms: isReset ? past.terms : [{ ...(past.terms[0] as OracleTerm), rule: null }],
    resets: isReset ? past.resets : [],
    grants: [
      ...past.grants.slice(0, 1),
      ...grants
        .filter(({ effective, expires }) => expires === null || expires > effective)
        .map(({ isKept, ...each }, index) => ({
          ...each,
          key: `grt_of_many_${index}`,
          order: 100 + index,
          recurrence: null,
          max: isKept ? 999_999_999_999n * ONE_UNIT : 0n,
          min: 0n,
        })),
    ],
  }));

const anyHistory = fc.boolean().chain(history);
const questions = fc.array(hour(20, STEPS), { minLength: 1, maxLength: 12 });

// ——— as the engine sees them ———

const instant = (at: Hour): Instant => Temporal.Instant.fromEpochMilliseconds(at * HOUR_MS);
const hourOf = (at: Instant): Hour => at.epochMilliseconds / HOUR_MS;
const orNone = (at: Hour | null) => (at === null ? null : instant(at));
const units = (value: Units): Decimal => decimal(value).times(ONE_UNIT_SIZE);
const ruleOf = ({ months, days, anchor }: OracleRule) => ({ cadence: { months, days }, anchor: instant(anchor) });
const ENTITLEMENT = 'ent_1';

const inputsOf = ({ activeFrom, activeTo, terms, grants, resets }: OracleHistory): BalanceInputs => ({
  entitlementId: ENTITLEMENT,
  activeFrom: instant(activeFrom),
  activeTo: orNone(activeTo),
  terms: terms.map(({ from, rule: counted, issue, priority: issuePriority, preserve, max, min }) => ({
    from: instant(from),
    usagePeriod: counted && ruleOf(counted),
    issueAfterReset: issue === null ? null : units(issue),
    issuePriority,
    preserveOverage: preserve,
    maxRollover: units(max),
    minRollover: units(min),
  })),
  grants: grants.map(
    (each): BalanceGrant => ({
      id: each.key,
      amount: units(each.amount),
      priority: each.priority,
      effectiveAt: instant(each.effective),
      expiresAt: orNone(each.expires),
      voidedAt: orNone(each.voided),
      recurrence: each.recurrence && Temporal.Duration.from(each.recurrence),
      maxRollover: units(each.max),
      minRollover: units(each.min),
      createdAt: instant(each.created),
      order: BigInt(each.order),
      issuedAt: null,
    }),
  ),
  resets: resets.map(({ at, retainAnchor, preserve }) => ({
    at: instant(at),
    retainAnchor,
    preserveOverage: preserve,
  })),
});

/**
 * The answers of meters: sums of a stretch, the growth of the period's distinct count in it, and the level at an
 * instant.
 */
function metersOf(used: readonly OracleEvent[]) {
  const values = used.flatMap((event) => ('value' in event ? [{ at: event.at, value: units(event.value) }] : []));
  const people = used.flatMap((event) => ('who' in event ? [event] : []));
  const levels = used.flatMap((event) => ('level' in event ? [event] : [])).toSorted((a, b) => a.at - b.at);
  const within = (from: Instant, to: Instant) => {
    const [first, end] = [hourOf(from), hourOf(to)];
    return ({ at }: { readonly at: Hour }) => at >= first && at < end;
  };
  const distinct = (from: Instant, to: Instant) => new Set(people.filter(within(from, to)).map(({ who }) => who)).size;
  const flow = ({ from, to, periodStart }: Stretch): Decimal => {
    const grown = distinct(periodStart, to) - distinct(periodStart, from);
    return sum([...values.filter(within(from, to)).map(({ value }) => value), decimal(grown)]);
  };
  const level = (at: Instant): Decimal => units(levels.findLast((each) => each.at < hourOf(at))?.level ?? 0n);
  return { flow, level };
}

const betweenResets = (_at: Instant, isReset: boolean) => !isReset;
const EVERYTHING = { grants: true, states: (_at: Instant, isReset: boolean) => isReset };

function run(
  inputs: BalanceInputs,
  used: readonly OracleEvent[],
  observed: readonly Instant[],
  state: BalanceState | null = null,
  spans: readonly Span[] | null = null,
  wanted: Wanted = EVERYTHING,
) {
  const meters = metersOf(used);
  const timeline = timelineOf(inputs, state, observed, spans);
  const flows = timeline.stretches.map(meters.flow);
  return { timeline, flows, ...replay(timeline, flows, observed.map(meters.level), wanted) };
}

// ——— as text, to compare ———

const shown = ({ at, balance, overage, usageInPeriod, period, grants, totals }: BalanceAt) => ({
  at: at.toString(),
  balance: plain(balance),
  overage: plain(overage),
  usageInPeriod: plain(usageInPeriod),
  period: [period.start, period.end, period.lastResetAt].map(String),
  grants: grants.map((each) => `${each.id}: ${plain(each.balance)} left, ${plain(each.burned)} burned`),
  totals: Object.fromEntries(Object.entries(totals).map(([name, value]) => [name, plain(value)])),
});
const shownStates = (states: readonly BalanceState[]) => states.map((state) => JSON.stringify(stateToJson(state)));

const figures = ({ balance, overage, usageInPeriod, period, totals }: BalanceAt) => ({
  balance: plain(balance),
  overage: plain(overage),
  usageInPeriod: plain(usageInPeriod),
  periodStart: hourOf(period.start),
  lastResetAt: period.lastResetAt && hourOf(period.lastResetAt),
  totals: Object.fromEntries(Object.entries(totals).map(([name, value]) => [name, plain(value)])),
});
const text = (value: Units) => plain(units(value));
const oracleFigures = ({ grants: _, totals, ...answer }: OracleAnswer) => ({
  ...answer,
  balance: text(answer.balance),
  overage: text(answer.overage),
  usageInPeriod: text(answer.usageInPeriod),
  totals: Object.fromEntries(Object.entries(totals).map(([name, value]) => [name, text(value)])),
});

function expectGrants(answer: BalanceAt, oracle: OracleAnswer): void {
  const idOf = (key: string) =>
    key.startsWith('issued ') ? grantIdOf(ENTITLEMENT, instant(Number(key.slice('issued '.length)))) : key;
  const expected = new Map(Object.entries(oracle.grants).map(([key, each]) => [idOf(key), each]));
  for (const { id, balance, burned } of answer.grants) {
    const each = expected.get(id);
    expect(each && { balance: text(each.balance), burned: text(each.burned) }, id).toEqual({
      balance: plain(balance),
      burned: plain(burned),
    });
    expected.delete(id);
  }
  // Only used-up grants are left out.
  for (const [id, { balance }] of expected) expect(balance, id).toBe(0n);
}

describe('a balance', () => {
  it.each([{ isGivingBack: false }, { isGivingBack: true }])(
    'is what the oracle says, usage given back: $isGivingBack',
    ({ isGivingBack }) => {
      fc.assert(
        fc.property(history(isGivingBack), questions, (past, hours) => {
          const oracle = askOracle(past, hours, STEP);
          const { observations } = run(inputsOf(past), past.events, hours.map(instant));
          hours.forEach((at, index) => {
            const [answer, expected] = [observations[index] as BalanceAt, oracle.get(at) as OracleAnswer];
            expect(figures(answer), instant(at).toString()).toEqual(oracleFigures(expected));
            expectGrants(answer, expected);
          });
        }),
        cases(100, 700),
      );
    },
  );

  it('is never negative, nor is overage, and what was granted is somewhere', () => {
    fc.assert(
      fc.property(anyHistory, questions, (past, hours) => {
        const { observations, states } = run(inputsOf(past), past.events, hours.map(instant));
        for (const { totals, overage } of [...observations, ...states]) {
          const { granted, consumed, remaining, expired, voided, dropped } = totals;
          expect(plain(sum([consumed, remaining, expired, voided, dropped]))).toBe(plain(granted));
          expect(remaining.isNegative() || overage.isNegative() || dropped.isNegative()).toBe(false);
        }
        for (const { grants, balance } of observations) {
          expect(plain(sum(grants.map((each) => each.balance)))).toBe(plain(balance));
          expect(grants.some((each) => each.balance.isNegative() || each.burned.isNegative())).toBe(false);
        }
      }),
      RUNS,
    );
  });
});

describe('a replay', () => {
  it('gives the same from each state, read back from its column, as from the start', () => {
    fc.assert(
      fc.property(anyHistory, questions, fc.nat({ max: 10 }), (past, hours, first) => {
        const inputs = inputsOf(past);
        const observed = hours.map(instant);
        const all = run(inputs, past.events, observed);
        all.states.forEach((stored, index) => {
          if (index % 11 !== first) return; // of daily resets, every eleventh
          const state = stateFromJson(JSON.parse(JSON.stringify(stateToJson(stored))));
          const isLater = (at: Instant) => Temporal.Instant.compare(at, state.at) >= 0;
          const later = run(inputs, past.events, observed.filter(isLater), state);
          expect(later.observations.map(shown)).toEqual(all.observations.filter(({ at }) => isLater(at)).map(shown));
          expect(shownStates(later.states)).toEqual(shownStates(all.states.slice(index + 1)));
        });
      }),
      RUNS,
    );
  });

  it('gives the same from the state of any instant, in whatever order grants are burned', () => {
    let states = 0;
    fc.assert(
      fc.property(anyHistory, questions, (past, hours) => {
        const inputs = inputsOf(past);
        const wanted = { grants: true, states: betweenResets };
        const all = run(inputs, past.events, hours.map(instant), null, null, wanted);
        for (const [state, answers] of goneOn(past, inputs, all)) {
          expect(answers.map(shown)).toEqual(laterThan(all.observations, state).map(shown));
          states += 1;
        }
      }),
      RUNS,
    );
    expect(states).toBeGreaterThan(RUNS.numRuns);
  });

  it('gives the same figures where states count grants as one, whatever state they follow from', () => {
    let grouped = 0;
    fc.assert(
      fc.property(crowd, questions, (past, hours) => {
        const inputs = inputsOf(past);
        const grouping = { known: inputs.grants, few: 0 };
        const all = run(inputs, past.events, hours.map(instant), null, null, { states: betweenResets, grouping });
        const sizes = new Map(all.states.map(({ at, grants }) => [at.toString(), grants.length]));
        for (const [state, answers, again] of goneOn(past, inputs, all, grouping)) {
          expect(answers.map(figures)).toEqual(laterThan(all.observations, state).map(figures));
          for (const { at, grants } of again) expect(grants).toHaveLength(sizes.get(at.toString()) ?? -1);
          grouped += state.grants.some(({ group }) => group !== null) ? 1 : 0;
        }
      }),
      RUNS,
    );
    expect(grouped).toBeGreaterThan(RUNS.numRuns);
  });

  it('gives the same figures where grants are made after grants were counted as one', () => {
    let grouped = 0;
    fc.assert(
      fc.property(crowd, questions, hour(10, STEPS - 20), fc.nat({ max: 20 }), (past, hours, at, steps) => {
        const taken = at + steps * STEP;
        const isMade = ({ created }: OracleGrant) => created <= taken;
        const grants = past.grants.filter((each) => isMade(each) || each.effective > at);
        const [before, after] = [
          { ...past, grants: grants.filter(isMade) },
          { ...past, grants },
        ].map(inputsOf) as [BalanceInputs, BalanceInputs];
        const observed = [at, ...hours.filter((each) => each >= at)].map(instant);
        const grouping = { known: before.grants, few: 0 };
        const wanted = { states: (time: Instant) => time.equals(instant(at)), grouping };
        const [state] = run(before, past.events, [instant(at)], null, null, wanted).states;
        if (!state) return; // the entitlement has not begun
        grouped += state.grants.some(({ group }) => group !== null) ? 1 : 0;
        const later = run(after, past.events, observed, state, null, {});
        const whole = run(after, past.events, observed, null, null, {});
        expect(later.observations.map(figures)).toEqual(whole.observations.map(figures));
      }),
      RUNS,
    );
    expect(grouped).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it('passes over what repeats without usage as if it went step by step', () => {
    const FAR = STEPS * 12;
    const sparse = anyHistory.chain((past) =>
      fc.record({
        past: fc.constant(past),
        events: fc.subarray([...past.events], { maxLength: Math.min(4, past.events.length) }),
        spans: fc.array(fc.tuple(hour(0, FAR), fc.integer({ min: 1, max: 40 })), { maxLength: 2 }),
      }),
    );
    let runs = 0;
    const lives = cases(50, 300);
    fc.assert(
      fc.property(sparse, fc.array(hour(20, FAR), { minLength: 1, maxLength: 4 }), (given, hours) => {
        const inputs = inputsOf(given.past);
        const observed = hours.map(instant);
        const busy: [Hour, number][] = [...given.spans, ...given.events.map(({ at }): [Hour, number] => [at, 1])];
        const whole = run(inputs, given.events, observed);
        const short = run(inputs, given.events, observed, null, spansOf(busy));
        expect(short.observations.map(shown)).toEqual(whole.observations.map(shown));
        for (const [index, { isUnused }] of short.timeline.stretches.entries())
          if (isUnused) expect(plain(short.flows[index] as Decimal)).toBe('0');
        const seen = new Set(short.timeline.points.map(({ at }) => at.toString()));
        const atPoints = ({ at }: BalanceState) => seen.has(at.toString());
        const [a, b] = [whole.states.filter(atPoints), short.states.filter(atPoints)];
        const kept = new Set(b.map(({ at }) => at.toString()));
        expect(shownStates(b)).toEqual(shownStates(a.filter(({ at }) => kept.has(at.toString()))));
        runs += short.timeline.points.filter((point) => point.run !== null).length;
      }),
      lives,
    );
    expect(runs).toBeGreaterThan(lives.numRuns);
  });

  it('is not changed by being observed', () => {
    fc.assert(
      fc.property(anyHistory, questions, questions, (past, hours, more) => {
        const inputs = inputsOf(past);
        const observed = hours.map(instant);
        const alone = run(inputs, past.events, observed);
        const watched = run(inputs, past.events, [...observed, ...more.map(instant)]);
        expect(watched.observations.slice(0, observed.length).map(shown)).toEqual(alone.observations.map(shown));
        expect(shownStates(watched.states).slice(0, alone.states.length)).toEqual(shownStates(alone.states));
      }),
      RUNS,
    );
  });

  it('does not care in which order anything arrived', () => {
    const shuffled = anyHistory.chain((past) =>
      fc.record({
        past: fc.constant(past),
        events: permuted(past.events),
        inputs: fc.record({
          terms: permuted(inputsOf(past).terms),
          grants: permuted(inputsOf(past).grants),
          resets: permuted(inputsOf(past).resets),
        }),
      }),
    );
    fc.assert(
      fc.property(shuffled, questions, ({ past, events: used, inputs }, hours) => {
        const observed = hours.map(instant);
        const ordered = run(inputsOf(past), past.events, observed);
        const other = run({ ...inputsOf(past), ...inputs }, used, observed);
        expect(other.observations.map(shown)).toEqual(ordered.observations.map(shown));
      }),
      RUNS,
    );
  });

  it('gives the same whether what the template issued has rows or not, whenever they were written', () => {
    fc.assert(
      fc.property(anyHistory, questions, fc.array(fc.boolean()), hour(), (past, hours, hasRow, created) => {
        const inputs = inputsOf(past);
        const observed = hours.map(instant);
        const rows = issuedGrants(inputs, null, instant(Math.max(...hours)))
          .filter((_, index) => hasRow[index] ?? false)
          .map((each, index) => ({ ...each, createdAt: instant(created), order: BigInt(index + 100) }));
        const virtual = run(inputs, past.events, observed);
        const written = { ...inputs, grants: [...inputs.grants, ...rows] };
        const stored = run(written, past.events, observed);
        expect(stored.observations.map(shown)).toEqual(virtual.observations.map(shown));
        expect(shownStates(stored.states)).toEqual(shownStates(virtual.states));
        const last = virtual.states.at(-1);
        const later = observed.filter((at) => last && Temporal.Instant.compare(at, last.at) >= 0);
        expect(run(written, past.events, later, last ?? null).observations.map(shown)).toEqual(
          run(inputs, past.events, later, last ?? null).observations.map(shown),
        );
      }),
      RUNS,
    );
  });

  it('goes through the same stretches from a state, however long ago everything began', () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 120 }), (past, years) => {
        // Everything repeats without end: a series that began years ago has recurred and been reset thousands of times.
        const day = { months: 0, days: 1, anchor: FIRST_HOUR };
        const shift = years * 365 * 24;
        const began = (ago: number): BalanceInputs =>
          inputsOf({
            ...{ ...past, activeTo: null, resets: [], activeFrom: FIRST_HOUR - ago },
            terms: [{ ...(past.terms[0] as OracleTerm), from: FIRST_HOUR - ago, rule: day }],
            grants: past.grants.map((each) => ({
              ...each,
              ...{ effective: FIRST_HOUR - ago, expires: null, voided: null, recurrence: { months: 0, hours: 18 } },
            })),
          });
        const at = instant(FIRST_HOUR + 240);
        const end = instant(FIRST_HOUR + 480);
        const young = began(0);
        const state = run(young, past.events, [at]).states.at(-1) as BalanceState;
        const held = { ...state, grants: state.grants.filter(({ issuedAt }) => issuedAt === null) };
        const old = timelineOf(began(shift - (shift % 18)), held, [end]);
        expect(old.stretches.length).toBe(timelineOf(young, held, [end]).stretches.length);
        expect(old.stretches.length).toBeLessThanOrEqual(11 + 15);
      }),
      cases(20, 100),
    );
  });
});

/** The answers from the same instant on. */
const laterThan = (answers: readonly BalanceAt[], { at: from }: BalanceState): BalanceAt[] =>
  answers.filter(({ at }) => Temporal.Instant.compare(at, from) >= 0);

/** From each state, read back from its column: the answers, and the later states. */
function* goneOn(
  past: OracleHistory,
  inputs: BalanceInputs,
  { states, observations }: { readonly states: BalanceState[]; readonly observations: BalanceAt[] },
  grouping?: Wanted['grouping'],
): Generator<[BalanceState, BalanceAt[], BalanceState[]]> {
  for (const stored of states) {
    const state = stateFromJson(JSON.parse(JSON.stringify(stateToJson(stored))));
    const observed = laterThan(observations, state).map(({ at }) => at);
    const wanted = { grants: grouping === undefined, states: betweenResets, ...(grouping && { grouping }) };
    const later = run(inputs, past.events, observed, state, null, wanted);
    yield [state, later.observations, later.states];
  }
}

/** Spans of hours, in order and apart. */
function spansOf(spans: readonly [Hour, number][]): Span[] {
  const joined: { from: Hour; to: Hour }[] = [];
  for (const [from, hours] of spans.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, from + hours);
    else joined.push({ from, to: from + hours });
  }
  return joined.map(({ from, to }) => ({ from: instant(from), to: instant(to) }));
}

const permuted = <T>(values: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...values], { minLength: values.length, maxLength: values.length });
