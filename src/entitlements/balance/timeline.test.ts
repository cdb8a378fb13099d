import { describe, expect, it } from 'vitest';
import { ask, entitlement, grant, monthly, on, term } from './testing/given.ts';
import { timelineOf } from './timeline.ts';

const day = (at: { toString(): string }) => at.toString().slice(5).replace('T00:00:00Z', '');

describe('a timeline', () => {
  const recurring = grant('r', { from: '2026-01-05', recurs: 'P1W', expires: '2026-01-15' });

  it.each([
    {
      what: 'tiles up to the last question',
      inputs: entitlement(),
      observed: ['2026-01-10', '2026-01-05'],
      stretches: '01-01 01-05 01-10',
    },
    { what: 'stops at resets', inputs: entitlement(), observed: ['2026-02-15'], stretches: '01-01 02-01 02-15' },
    {
      what: 'stops where a grant begins, recurs and ends',
      inputs: entitlement({ grants: [recurring] }),
      observed: ['2026-01-31'],
      stretches: '01-01 01-05 01-12 01-15 01-31',
    },
    {
      what: 'knows nothing of a grant voided before it began',
      inputs: entitlement({ grants: [grant('v', { from: '2026-01-05', voided: '2026-01-04' })] }),
      observed: ['2026-01-31'],
      stretches: '01-01 01-31',
    },
    {
      what: 'ends with the entitlement',
      inputs: entitlement({ to: '2026-01-20' }),
      observed: ['2026-03-01'],
      stretches: '01-01 01-20',
    },
    { what: 'is empty at the start', inputs: entitlement(), observed: ['2026-01-01'], stretches: '' },
    { what: 'is empty before the start', inputs: entitlement(), observed: ['2025-01-01'], stretches: '' },
    { what: 'is empty without a question', inputs: entitlement(), observed: [], stretches: '' },
  ])('$what', ({ inputs, observed, stretches }) => {
    const found = timelineOf(inputs, null, observed.map(on)).stretches;
    expect([...found.slice(0, 1).map(({ from }) => day(from)), ...found.map(({ to }) => day(to))].join(' ')).toBe(
      stretches,
    );
    for (const [index, { from }] of found.entries()) if (index > 0) expect(from).toEqual(found[index - 1]?.to);
  });

  it('says in which usage period each stretch lies', () => {
    const inputs = entitlement({
      from: '2026-01-20',
      terms: [term({ from: '2026-01-20' })],
      resets: ['2026-02-10 retain'],
    });
    const found = timelineOf(inputs, null, ['2026-01-25', '2026-02-05', '2026-02-15'].map(on)).stretches;
    expect(found.map(({ from, periodStart }) => `${day(from)} in ${day(periodStart)}`)).toEqual([
      '01-20 in 01-20',
      '01-25 in 01-20',
      '02-01 in 02-01',
      '02-05 in 02-01',
      '02-10 in 02-10',
    ]);
  });

  it('goes on from a state without what lies before it', () => {
    const inputs = entitlement({ grants: [grant('r', { recurs: 'PT1H' })], terms: [term({ issue: '5' })] });
    const [, , state] = ask(inputs, [], ['2026-04-01']).states;
    const { stretches } = timelineOf(inputs, state ?? null, [on('2026-04-01T02:00:00Z')]);
    expect(stretches.map(({ from, to }) => `${day(from)} ${day(to)}`)).toEqual([
      '04-01 04-01T01:00:00Z',
      '04-01T01:00:00Z 04-01T02:00:00Z',
    ]);
  });

  it('answers nothing before its state, and nothing by a state of other grants', () => {
    const inputs = entitlement({ grants: [grant('a')], terms: [term({ period: monthly('2026-01-01') })] });
    const state = ask(inputs, [], ['2026-02-01']).states[0] ?? null;
    expect(() => timelineOf(inputs, state, [on('2026-01-31')])).toThrow(RangeError);
    expect(() => timelineOf(entitlement(), state, [on('2026-02-01')])).toThrow('The stored state has a');
  });
});
