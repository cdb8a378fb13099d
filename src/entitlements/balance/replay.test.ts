import { describe, expect, it } from 'vitest';
import { decimal, plain } from '../../kernel/decimal.ts';
import type { BalanceAt } from './model.ts';
import { replay } from './replay.ts';
import { stateFromJson, stateToJson } from './state-json.ts';
import { ask, entitlement, grant, on, shown, term } from './testing/given.ts';
import { timelineOf } from './timeline.ts';

/** `01-15 balance 5, …` for each question. */
const answers = (observations: readonly BalanceAt[]) =>
  observations.map((each) => `${each.at.toString().slice(5).replace('T00:00:00Z', '')} ${shown(each)}`);
const totals = (answer: BalanceAt | undefined) =>
  Object.entries(answer?.totals ?? {})
    .filter(([, value]) => !value.isZero())
    .map(([name, value]) => `${name} ${plain(value)}`)
    .join(', ');

const issuing = [term({ issue: '100' })];

describe('over time', () => {
  it.each([
    {
      what: 'usage is burned, and what nobody covers is overage',
      inputs: entitlement({ grants: [grant('a')] }),
      used: ['2026-01-02 4', '2026-01-03 8'],
      answers: [
        '01-01 balance 10, overage 0, used 0: a 10',
        '01-03 balance 6, overage 0, used 4: a 6', // strictly before
        '01-04 balance 0, overage 2, used 12: a 0',
      ],
    },
    {
      what: 'a question at the very instant sees a grant begin and end',
      inputs: entitlement({
        grants: [grant('a', { from: '2026-01-05T10:00:00.000001Z', expires: '2026-01-05T10:00:00.000003Z' })],
      }),
      used: ['2026-01-05T10:00:00.000002Z 1'],
      answers: [
        '01-05T10:00:00Z balance 0, overage 0, used 0: none',
        '01-05T10:00:00.000001Z balance 10, overage 0, used 0: a 10',
        '01-05T10:00:00.000002Z balance 10, overage 0, used 0: a 10',
        '01-05T10:00:00.0000025Z balance 9, overage 0, used 1: a 9',
        '01-05T10:00:00.000003Z balance 0, overage 0, used 1: none',
      ],
    },
    {
      what: 'an allowance is issued at the start and after each reset, the old one is dropped',
      inputs: entitlement({ terms: issuing }),
      used: ['2026-01-02 30', '2026-02-02 120'],
      answers: [
        '01-31 balance 70, overage 0, used 30: issued 70',
        '02-01 balance 100, overage 0, used 0: issued 100',
        '02-28 balance 0, overage 20, used 120: issued 0',
        '03-01 balance 100, overage 0, used 0: issued 100',
      ],
    },
    {
      what: 'preserved overage is burned first from the new balances',
      inputs: entitlement({ terms: [term({ issue: '100', preserve: true })] }),
      used: ['2026-01-02 350'],
      answers: [
        '01-31 balance 0, overage 250, used 350: issued 0',
        '02-01 balance 0, overage 150, used 0: issued 0',
        '03-01 balance 0, overage 50, used 0: issued 0',
        '04-01 balance 50, overage 0, used 0: issued 50',
      ],
    },
    {
      what: 'usage waits for a grant of the same period, and for none of the next',
      inputs: entitlement({ grants: [grant('a', { from: '2026-01-20' }), grant('b', { from: '2026-02-01' })] }),
      used: ['2026-01-02 14'],
      answers: [
        '01-19 balance 0, overage 14, used 14: none',
        '01-20 balance 0, overage 4, used 14: a 0',
        '02-01 balance 10, overage 0, used 0: b 10',
      ],
    },
    {
      what: 'a grant that expires at a reset does not roll over',
      inputs: entitlement({
        grants: [grant('a', { expires: '2026-02-01', min: '5' }), grant('b', { min: '3', max: '6' })],
      }),
      used: ['2026-01-02 18'],
      answers: [
        '01-31 balance 2, overage 0, used 18: a 0, b 2',
        '02-01 balance 3, overage 0, used 0: b 3', // raised to its bound
      ],
    },
    {
      what: 'both bounds of a roll-over',
      inputs: entitlement({ grants: [grant('a', { amount: '10', min: '3', max: '6' })] }),
      used: ['2026-02-02 6', '2026-03-02 1'],
      answers: [
        '02-01 balance 6, overage 0, used 0: a 6',
        '02-28 balance 0, overage 0, used 6: a 0',
        '03-01 balance 3, overage 0, used 0: a 3',
        '04-01 balance 3, overage 0, used 0: a 3',
      ],
    },
    {
      what: 'a grant recurs on the 31st, or on the last day there is',
      inputs: entitlement({
        from: '2026-01-31',
        terms: [term({ from: '2026-01-31', period: null })],
        grants: [grant('a', { from: '2026-01-31', recurs: 'P1M' })],
      }),
      used: ['2026-02-01 9', '2026-03-30 8', '2026-03-31 7'],
      answers: [
        '02-27 balance 1, overage 0, used 9: a 1',
        '02-28 balance 10, overage 0, used 9: a 10',
        '03-30T12:00:00Z balance 2, overage 0, used 17: a 2',
        '03-31 balance 10, overage 0, used 17: a 10',
        '04-29 balance 3, overage 0, used 24: a 3',
      ],
    },
    {
      what: 'what a void takes away does not come back, and later usage goes to the next grant',
      inputs: entitlement({ grants: [grant('a', { voided: '2026-01-10' }), grant('b', { priority: 1 })] }),
      used: ['2026-01-02 4', '2026-01-12 1'],
      answers: [
        '01-09 balance 16, overage 0, used 4: a 6, b 10',
        '01-10 balance 10, overage 0, used 4: b 10',
        '01-13 balance 9, overage 0, used 5: b 9',
      ],
    },
    {
      what: 'usage below 0 is given back, the last burned first, and waits as credit where nobody burned it',
      inputs: entitlement({
        grants: [grant('a', { priority: -1 }), grant('b', { from: '2026-01-01' }), grant('c', { from: '2026-01-20' })],
      }),
      used: ['2026-01-02 25', '2026-01-05 -7', '2026-01-07 -20', '2026-01-25 3'],
      answers: [
        '01-03 balance 0, overage 5, used 25: a 0, b 0',
        '01-06 balance 2, overage 0, used 18: a 0, b 2',
        '01-08 balance 20, overage 0, used -2: a 10, b 10',
        '01-20 balance 30, overage 0, used -2: a 10, b 10, c 10',
        '01-26 balance 29, overage 0, used 1: a 9, b 10, c 10', // the credit of 2 is used first
      ],
    },
    {
      what: 'the end of a grant that was used up for ever changes nothing, also where usage was below 0 before it',
      inputs: entitlement({
        grants: [
          grant('z', { priority: -1, expires: '2026-02-10' }),
          grant('a', { priority: 1 }),
          grant('c', { from: '2026-02-05' }),
        ],
      }),
      used: ['2026-01-02 10', '2026-02-03 5', '2026-02-06 -3', '2026-02-12 3'],
      answers: [
        '02-07 balance 18, overage 0, used 2: c 10, a 8',
        '02-13 balance 15, overage 0, used 5: c 10, a 5', // as if the time between had no events
      ],
    },
    {
      what: 'what was burned before a reset is not given back after it',
      inputs: entitlement({ grants: [grant('a')] }),
      used: ['2026-01-02 4', '2026-02-02 -3', '2026-02-04 4'],
      answers: ['02-03 balance 6, overage 0, used -3: a 6', '02-05 balance 5, overage 0, used 1: a 5'],
    },
    {
      what: 'a manual reset starts a new period there',
      inputs: entitlement({ terms: issuing, resets: ['2026-01-10'] }),
      used: ['2026-01-02 30', '2026-01-12 40', '2026-02-05 1'],
      answers: [
        '01-10 balance 100, overage 0, used 0: issued 100',
        '02-01 balance 60, overage 0, used 40: issued 60',
        '02-10 balance 100, overage 0, used 0: issued 100',
      ],
    },
    {
      what: 'a manual reset that retains the anchor shortens the period, and preserves what it says',
      inputs: entitlement({ terms: issuing, resets: ['2026-01-10 retain preserve'] }),
      used: ['2026-01-02 130', '2026-01-12 40'],
      answers: [
        '01-10 balance 70, overage 0, used 0: issued 70',
        '01-31 balance 30, overage 0, used 40: issued 30',
        '02-01 balance 100, overage 0, used 0: issued 100',
      ],
    },
    {
      what: 'the end of the entitlement leaves all as it is',
      inputs: entitlement({ terms: issuing, to: '2026-02-01' }),
      used: ['2026-01-02 30', '2026-02-05 40'],
      answers: ['02-01 balance 70, overage 0, used 30: issued 70', '05-01 balance 70, overage 0, used 30: issued 70'],
    },
    {
      what: 'a grant of before the start counts from the start, and recurs by its own days',
      inputs: entitlement({ from: '2026-01-10', grants: [grant('a', { from: '2026-01-08', recurs: 'P1W' })] }),
      used: ['2026-01-11 4'],
      answers: [
        '01-09 balance 0, overage 0, used 0: none',
        '01-10 balance 10, overage 0, used 0: a 10',
        '01-14 balance 6, overage 0, used 4: a 6',
        '01-15 balance 10, overage 0, used 4: a 10',
      ],
    },
    {
      what: 'no digit is lost',
      inputs: entitlement({
        grants: [
          grant('a', { amount: '123456789012345678901234567890.12345678' }),
          grant('b', { amount: '0.00000001', priority: -1 }),
        ],
      }),
      used: ['2026-01-02 0.00000002', '2026-01-03 123456789012345678901234567890'],
      answers: [
        '01-03 balance 123456789012345678901234567890.12345677, overage 0, used 0.00000002: b 0, a 123456789012345678901234567890.12345677',
        '01-04 balance 0.12345677, overage 0, used 123456789012345678901234567890.00000002: b 0, a 0.12345677',
        '02-01 balance 0.12345677, overage 0, used 0: a 0.12345677', // b was used up for ever
      ],
    },
  ])('$what', ({ inputs, used, answers: expected }) => {
    const days = expected.map((text) => `2026-${text.split(' ')[0]}`);
    const { observations } = ask(inputs, used, days);
    expect(answers(observations).map((text) => text.replace(/grt_\w+/g, 'issued'))).toEqual(expected);
    for (const { totals: all } of observations)
      expect(plain(all.granted)).toBe(
        plain(all.consumed.plus(all.remaining).plus(all.expired).plus(all.voided).plus(all.dropped)),
      );
  });
});

it('all that was granted is somewhere', () => {
  const inputs = entitlement({
    terms: issuing,
    grants: [
      grant('a', { expires: '2026-01-10' }),
      grant('b', { priority: -1, voided: '2026-01-10' }),
      grant('c', { priority: 1, min: '15', recurs: 'P1M' }),
    ],
  });
  const { observations } = ask(inputs, ['2026-01-02 13'], ['2026-01-31', '2026-02-01', '2026-02-28']);
  expect(observations.map(totals)).toEqual([
    'granted 130, consumed 13, expired 7, remaining 110',
    'granted 245, consumed 13, expired 7, dropped 115, remaining 110',
    'granted 245, consumed 13, expired 7, dropped 115, remaining 110',
  ]);
});

describe('a gauge', () => {
  const inputs = entitlement({
    grants: [grant('a', { expires: '2026-01-10' }), grant('b', { amount: '5', expires: '2026-01-20' })],
  });

  it('lies over the grants that count, and consumes nothing', () => {
    const { observations, states } = ask(
      inputs,
      ['2026-01-02 1'],
      ['2026-01-03', '2026-01-09', '2026-01-10', '2026-01-20', '2026-02-01'],
      { levels: ['-4', '12', '12', '12', '3'] },
    );
    expect(answers(observations)).toEqual([
      '01-03 balance 14, overage 0, used 1: a 9, b 5',
      '01-09 balance 2, overage 0, used 13: a 0, b 2',
      '01-10 balance 0, overage 7, used 13: b 0',
      '01-20 balance 0, overage 12, used 13: none',
      '02-01 balance 0, overage 3, used 3: none',
    ]);
    expect(observations[1]?.grants.map(({ burned }) => plain(burned))).toEqual(['10', '3']);
    expect(totals(observations[1])).toBe('granted 15, consumed 13, remaining 2');
    expect(totals(observations[3])).toBe('granted 15, consumed 1, expired 14');
    expect(states.map(({ totals: { consumed } }) => plain(consumed))).toEqual(['1']);
  });
});

describe('a replay', () => {
  it('leaves a state at each reset, from which it can go on', () => {
    const inputs = entitlement({ terms: [term({ issue: '100', preserve: true, max: '20' })] });
    const used = ['2026-01-02 30', '2026-02-02 200', '2026-03-02 -1'];
    const whole = ask(inputs, used, ['2026-03-05']);
    expect(whole.states.map(({ at, overage }) => `${at} ${plain(overage)}`)).toEqual([
      '2026-02-01T00:00:00Z 0',
      '2026-03-01T00:00:00Z 0',
    ]);
    for (const stored of whole.states) {
      const state = stateFromJson(JSON.parse(JSON.stringify(stateToJson(stored))));
      expect(answers(ask(inputs, used, ['2026-03-05'], { state }).observations)).toEqual(answers(whole.observations));
    }
    // Burnt for the overage of February, so March can return it.
    expect(whole.observations[0]?.balance.toFixed()).toBe('21');
  });

  it('answers in the order of the questions, as often as it is asked', () => {
    const { observations } = ask(
      entitlement({ grants: [grant('a')] }),
      ['2026-01-02 1'],
      ['2026-01-05', '2026-01-01', '2026-01-05'],
    );
    expect(observations.map(({ at, balance }) => `${at.toString().slice(8, 10)} ${plain(balance)}`)).toEqual([
      '05 9',
      '01 10',
      '05 9',
    ]);
  });

  it('says the usage period of each question', () => {
    const { observations } = ask(entitlement(), [], ['2026-02-10']);
    expect(observations[0]?.period).toEqual({
      start: on('2026-02-01'),
      end: on('2026-03-01'),
      lastResetAt: on('2026-02-01'),
    });
  });

  it('needs the usage of each stretch and the level of each question', () => {
    const timeline = timelineOf(entitlement(), null, [on('2026-01-05')]);
    expect(() => replay(timeline, [])).toThrow('the usage of each stretch');
    expect(() => replay(timeline, [decimal(1)], [])).toThrow('the level of each question');
  });
});
