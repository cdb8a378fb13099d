import { describe, expect, it } from 'vitest';
import { resetsIn, usagePeriodAt } from './schedule.ts';
import { entitlement, monthly, on, term } from './testing/given.ts';

const day = (at: { toString(): string } | null) => at?.toString().replace('T00:00:00Z', '') ?? 'never';
const every = (cadence: { months?: number; days?: number }, anchor: string) => ({
  cadence: { months: 0, days: 0, ...cadence },
  anchor: on(anchor),
});

describe('the usage period', () => {
  const byMonths = entitlement();
  const fromThe20th = entitlement({ from: '2026-01-20', terms: [term({ from: '2026-01-20' })] });
  const oneTime = entitlement({ terms: [term({ period: null })] });
  const reset = (how: string) => entitlement({ resets: [`2026-01-10 ${how}`] });
  const once = entitlement({ terms: [term({ period: null })], resets: ['2026-01-10'] });
  const ended = entitlement({ to: '2026-02-10' });
  const endedAtReset = entitlement({ to: '2026-02-01' });

  it.each([
    { what: 'the first', inputs: byMonths, at: '2026-01-15', period: '2026-01-01 to 2026-02-01, reset never' },
    {
      what: 'at its very start',
      inputs: byMonths,
      at: '2026-02-01',
      period: '2026-02-01 to 2026-03-01, reset 2026-02-01',
    },
    { what: 'before the start', inputs: byMonths, at: '2025-06-01', period: '2026-01-01 to 2026-02-01, reset never' },
    { what: 'clipped', inputs: fromThe20th, at: '2026-01-25', period: '2026-01-20 to 2026-02-01, reset never' },
    { what: 'one-time', inputs: oneTime, at: '2029-01-01', period: '2026-01-01 to never, reset never' },
    { what: 'one-time, reset', inputs: once, at: '2029-01-01', period: '2026-01-10 to never, reset 2026-01-10' },
    {
      what: 'up to a manual reset',
      inputs: reset('retain'),
      at: '2026-01-05',
      period: '2026-01-01 to 2026-01-10, reset never',
    },
    {
      what: 'with the anchor',
      inputs: reset('retain'),
      at: '2026-01-10',
      period: '2026-01-10 to 2026-02-01, reset 2026-01-10',
    },
    {
      what: 'without it',
      inputs: reset('anew'),
      at: '2026-01-10',
      period: '2026-01-10 to 2026-02-10, reset 2026-01-10',
    },
    {
      what: 'long after a reset',
      inputs: reset('anew'),
      at: '2028-05-09',
      period: '2028-04-10 to 2028-05-10, reset 2028-04-10',
    },
    { what: 'after the end', inputs: ended, at: '2027-01-01', period: '2026-02-01 to 2026-03-01, reset 2026-02-01' },
    {
      what: 'no reset at the end',
      inputs: endedAtReset,
      at: '2026-02-01',
      period: '2026-01-01 to 2026-02-01, reset never',
    },
  ])('$what, at $at', ({ inputs, at, period }) => {
    const { start, end, lastResetAt } = usagePeriodAt(inputs, on(at));
    expect(`${day(start)} to ${day(end)}, reset ${day(lastResetAt)}`).toBe(period);
  });

  it('cannot be without a term', () =>
    expect(() => usagePeriodAt(entitlement({ terms: [] }), on('2026-01-01'))).toThrow(RangeError));
});

describe('resets', () => {
  const from = (start: string, period: ReturnType<typeof every>, resets: string[] = []) =>
    entitlement({ from: start, terms: [term({ from: start, period })], resets });
  const changed = (
    period: ReturnType<typeof every> | null,
    first = monthly('2026-01-01') as ReturnType<typeof every> | null,
  ) => [term({ period: first }), term({ from: '2026-01-20', period })] as const;

  it.each([
    {
      what: 'of a 31 January come at the ends of months, and on the 31st again',
      inputs: from('2026-01-31', monthly('2026-01-31')),
      days: '2026-02-28 2026-03-31 2026-04-30',
    },
    {
      what: 'of a 29 February come each year, and on the 29th where there is one',
      inputs: from('2028-02-29', every({ months: 12 }, '2028-02-29')),
      until: '2032-12-31',
      days: '2029-02-28 2030-02-28 2031-02-28 2032-02-29',
    },
    {
      what: 'are counted from an anchor in the future too',
      inputs: from('2026-01-05', every({ days: 7 }, '2026-03-02')),
      until: '2026-01-31',
      days: '2026-01-12 2026-01-19 2026-01-26',
    },
    {
      what: 'move with a manual one',
      inputs: from('2026-01-01', monthly('2026-01-01'), ['2026-01-31']),
      days: '2026-01-31 2026-02-28 2026-03-31 2026-04-30',
    },
    {
      what: 'stay where the anchor is retained',
      inputs: from('2026-01-01', monthly('2026-01-01'), ['2026-01-31 retain']),
      days: '2026-01-31 2026-02-01 2026-03-01 2026-04-01 2026-05-01',
    },
    {
      what: 'stay where the anchor is retained after it was moved',
      inputs: from('2026-01-01', monthly('2026-01-01'), ['2026-01-10', '2026-02-20 retain']),
      days: '2026-01-10 2026-02-10 2026-02-20 2026-03-10 2026-04-10',
    },
    {
      what: 'are one where a manual one falls on a periodic one',
      inputs: from('2026-01-01', monthly('2026-01-01'), ['2026-02-01']),
      days: '2026-02-01 2026-03-01 2026-04-01 2026-05-01',
    },
    {
      what: 'only move the anchor at the very start',
      inputs: from('2026-01-15', monthly('2026-01-01'), ['2026-01-15']),
      days: '2026-02-15 2026-03-15 2026-04-15',
    },
    {
      what: 'are none before the start or after the end',
      inputs: entitlement({ to: '2026-03-01', resets: ['2025-12-01', '2026-03-01', '2026-03-05'] }),
      days: '2026-02-01',
    },
    {
      what: 'follow a new term from the first reset after it: the running period keeps its end',
      inputs: entitlement({ terms: changed(every({ days: 10 }, '2026-01-20')) }),
      until: '2026-03-01',
      days: '2026-02-01 2026-02-09 2026-02-19 2026-03-01',
    },
    {
      what: 'follow a new term from a manual reset, which comes first',
      inputs: entitlement({ terms: changed(every({ days: 10 }, '2026-01-20')), resets: ['2026-01-25'] }),
      until: '2026-02-20',
      days: '2026-01-25 2026-02-04 2026-02-14',
    },
    {
      what: 'keep a moved anchor where a new term counts as the one before',
      inputs: entitlement({ terms: changed(monthly('2026-01-01')), resets: ['2026-01-10'] }),
      days: '2026-01-10 2026-02-10 2026-03-10 2026-04-10',
    },
    {
      what: 'end where a new term is one-time',
      inputs: entitlement({ terms: changed(null) }),
      days: '2026-02-01',
    },
    {
      what: 'begin at once where a one-time term becomes periodic: there is no end to wait for',
      inputs: entitlement({ terms: changed(monthly('2026-01-05'), null) }),
      days: '2026-02-05 2026-03-05 2026-04-05',
    },
  ])('$what', ({ inputs, until = '2026-05-01', days }) => {
    const found = resetsIn(inputs, inputs.activeFrom, on(until)).map(({ at }) => day(at));
    expect(found.join(' ')).toBe(days);
  });

  it('lie after the one instant and up to the other', () => {
    const found = resetsIn(entitlement(), on('2026-02-01'), on('2026-04-01'));
    expect(found.map(({ at }) => day(at))).toEqual(['2026-03-01', '2026-04-01']);
  });

  it('preserve overage as the term of the time says, and a manual one as it says itself', () => {
    const terms = [term(), term({ from: '2026-02-15', preserve: true })];
    const inputs = entitlement({ terms, resets: ['2026-01-10 preserve', '2026-03-01 retain'] });
    const found = resetsIn(inputs, on('2026-01-01'), on('2026-04-10'));
    expect(found.map(({ at, preserveOverage }) => `${day(at)} ${preserveOverage}`)).toEqual([
      '2026-01-10 true',
      '2026-02-10 false',
      '2026-03-01 false',
      '2026-03-10 true',
      '2026-04-10 true',
    ]);
  });

  it('are found centuries after the start without going through those before', () => {
    const inputs = entitlement({
      from: '2000-01-01',
      terms: [term({ from: '2000-01-01', period: every({ days: 1 }, '2000-01-01') })],
    });
    expect(resetsIn(inputs, on('2199-12-29'), on('2199-12-31')).map(({ at }) => day(at))).toEqual([
      '2199-12-30',
      '2199-12-31',
    ]);
  });
});
