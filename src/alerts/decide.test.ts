import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, plain, ZERO } from '../kernel/decimal.ts';
import type { AlertRule } from './alert.ts';
import {
  decideEvaluation,
  isReached,
  nextEvaluation,
  type Reading,
  targetOf,
  untilReached,
  type Watched,
} from './decide.ts';
import { calendarPeriod } from './periods.ts';

const rule = (
  type: AlertRule['type'],
  fields: { threshold?: string; percent?: string; limit?: string },
): AlertRule => ({
  type,
  threshold: fields.threshold === undefined ? null : decimal(fields.threshold),
  percent: fields.percent === undefined ? null : decimal(fields.percent),
  whole: fields.limit === undefined ? null : decimal(fields.limit),
});

describe('a figure has reached its threshold', () => {
  it.each([
    { of: rule('usage', { threshold: '10' }), value: '9.99999999', used: '0', reached: false },
    { of: rule('usage', { threshold: '10' }), value: '10', used: '0', reached: true },
    { of: rule('usage', { percent: '80', limit: '12.5' }), value: '9.99', used: '0', reached: false },
    { of: rule('usage', { percent: '80', limit: '12.5' }), value: '10', used: '0', reached: true },
    { of: rule('usage', { percent: '150', limit: '100' }), value: '149', used: '0', reached: false },
    { of: rule('invoice_total', { threshold: '0.001' }), value: '0.001', used: '0', reached: true },
    { of: rule('balance', { threshold: '0' }), value: '0.00001', used: '99', reached: false },
    { of: rule('balance', { threshold: '0' }), value: '0', used: '0', reached: true },
    { of: rule('balance', { threshold: '20' }), value: '20', used: '80', reached: true },
    { of: rule('balance', { percent: '80' }), value: '21', used: '79', reached: false },
    { of: rule('balance', { percent: '80' }), value: '20', used: '80', reached: true },
    { of: rule('balance', { percent: '100' }), value: '0', used: '7', reached: true },
    { of: rule('balance', { percent: '1' }), value: '0', used: '0', reached: false }, // no usage
  ])('$of.type at $value, $used used: $reached', ({ of, value, used, reached }) =>
    expect(isReached(of, { value: decimal(value), used: decimal(used) })).toBe(reached),
  );

  it.each([
    { of: rule('usage', { threshold: '10' }), value: '9.75', used: '0', until: '0.25' },
    { of: rule('usage', { threshold: '10' }), value: '10', used: '0', until: null },
    { of: rule('usage', { percent: '80', limit: '12.5' }), value: '4', used: '0', until: '6' },
    { of: rule('balance', { threshold: '20' }), value: '50', used: '7', until: '30' },
    { of: rule('balance', { percent: '80' }), value: '30', used: '70', until: '10' },
    { of: rule('balance', { percent: '80' }), value: '20', used: '80', until: null },
    { of: rule('balance', { percent: '100' }), value: '30', used: '-5', until: '30' },
  ])('$of.type at $value, $used used, after $until more', ({ of, value, used, until }) => {
    const amount = untilReached(of, { value: decimal(value), used: decimal(used) });
    expect(amount && plain(amount)).toBe(until);
  });

  it('at a part of a whole, with all its digits', () =>
    expect(plain(targetOf(rule('usage', { percent: '33.3', limit: '0.07' })) ?? ZERO)).toBe('0.02331'));
});

describe('the calendar', () => {
  it.each([
    { period: 'day', at: '2026-01-31T23:59:59.999999Z', from: '2026-01-31', to: '2026-02-01' },
    { period: 'week', at: '2026-03-01T00:00:00Z', from: '2026-02-23', to: '2026-03-02' }, // a Sunday
    { period: 'week', at: '2026-03-02T00:00:00Z', from: '2026-03-02', to: '2026-03-09' },
    { period: 'month', at: '2026-01-31T12:00:00Z', from: '2026-01-01', to: '2026-02-01' },
    { period: 'month', at: '2028-02-29T12:00:00Z', from: '2028-02-01', to: '2028-03-01' },
    { period: 'month', at: '2000-01-01T00:00:00Z', from: '2000-01-01', to: '2000-02-01' },
  ] as const)('has the $period from $from to $to around $at', ({ period, at, from, to }) => {
    const found = calendarPeriod(period, Temporal.Instant.from(at));
    expect([found.start.toString(), found.end.toString()]).toEqual([`${from}T00:00:00Z`, `${to}T00:00:00Z`]);
  });
});

describe('the next evaluation', () => {
  const at = Temporal.Instant.from('2026-01-10T00:00:00Z');
  const reading = (end: string | null): Reading => ({
    period: { start: at, end: end === null ? null : Temporal.Instant.from(end) },
    invoiceId: null,
    value: ZERO,
    used: ZERO,
  });
  it.each([
    { present: reading('2026-02-01T00:00:00Z'), clock: false, next: '2026-01-10T01:00:00Z' },
    { present: reading('2026-01-10T00:30:00Z'), clock: false, next: '2026-01-10T00:30:00Z' },
    { present: reading(null), clock: false, next: '2026-01-10T01:00:00Z' },
    { present: reading('2026-02-01T00:00:00Z'), clock: true, next: '2026-02-01T00:00:00Z' },
    { present: reading(null), clock: true, next: undefined },
    { present: null, clock: true, next: '2026-01-11T00:00:00Z' },
    { present: null, clock: false, next: '2026-01-11T00:00:00Z' },
  ])('is at $next (on a clock: $clock)', ({ present, clock, next }) =>
    expect(nextEvaluation(present, clock, at)?.toString()).toBe(next),
  );
});

/** Periods of ten minutes. A figure is the sum of the stored amounts with a timestamp in its period. */
const LENGTH = 10;
const START = Temporal.Instant.from('2026-01-01T00:00:00Z');
const instant = (minute: number) => START.add({ minutes: minute });
const periodOf = (minute: number) => Math.floor(minute / LENGTH);

type Step = { do: 'wait'; minutes: number } | { do: 'use'; back: number; units: number } | { do: 'evaluate' };
const step = fc.oneof(
  fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 14 }) }),
  fc.record({
    do: fc.constant('use' as const),
    back: fc.integer({ min: -5, max: 12 }),
    units: fc.integer({ min: -3, max: 6 }),
  }),
  fc.record({ do: fc.constant('evaluate' as const) }),
);

it('triggers in exactly the periods in which a check finds the threshold reached, for any order of events', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 10 }), (steps: Step[], threshold) => {
      const of = rule('usage', { threshold: String(threshold) });
      const used = new Map<number, number>();
      const reading = (period: number): Reading => ({
        period: { start: instant(period * LENGTH), end: instant((period + 1) * LENGTH) },
        invoiceId: null,
        value: decimal(used.get(period) ?? 0),
        used: ZERO,
      });
      let minute = 0;
      let watched: Watched = { period: null, isReached: false };
      const triggers = new Set<string>();
      const expected = new Set<string>();
      let lastPeriod: number | null = null;
      for (const each of steps) {
        if (each.do === 'wait') minute += each.minutes;
        else if (each.do === 'use') {
          const period = periodOf(Math.max(0, minute - each.back));
          used.set(period, (used.get(period) ?? 0) + each.units);
        } else {
          const before = watched.period && periodOf(watched.period.start.since(START).total('minutes'));
          const ended = before !== null && before < periodOf(minute) ? reading(before) : null;
          const { reached, present, isReached: now } = decideEvaluation(of, ended, reading(periodOf(minute)));
          for (const { period } of reached) triggers.add(period.start.toString());
          watched = { period: present?.period ?? null, isReached: now };
          // The present period and the period of the last check are read.
          for (const period of new Set([periodOf(minute), ...(lastPeriod === null ? [] : [lastPeriod])]))
            if ((used.get(period) ?? 0) >= threshold) expected.add(instant(period * LENGTH).toString());
          lastPeriod = periodOf(minute);
          expect(watched.isReached).toBe((used.get(periodOf(minute)) ?? 0) >= threshold);
        }
      }
      expect([...triggers].toSorted()).toEqual([...expected].toSorted());
    }),
  );
});
