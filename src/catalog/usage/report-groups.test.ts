import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, plain, sum } from '../../kernel/decimal.ts';
import { addUp, NO_VALUE_KEY, OTHER_KEY, percentOf, topGroups } from './report-groups.ts';

const part = fc.record({
  key: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e')),
  label: fc.constant('label'),
  quantity: fc.integer({ min: -5, max: 1000 }).map((n) => decimal(n)),
  cost: fc.integer({ min: 0, max: 100_000 }).map((n) => decimal(`${n}e-3`)),
  unit: fc.constantFrom('token', 'call'),
});
const order = fc.record({
  by: fc.constantFrom('cost' as const, 'quantity' as const),
  descending: fc.boolean(),
  top: fc.integer({ min: 1, max: 6 }),
});

describe('the groups of a report', () => {
  it('sum to their parts, whatever is shown alone', () =>
    fc.assert(
      fc.asyncProperty(fc.array(part), order, async (parts, wanted) => {
        const shown = await topGroups(await addUp(parts), wanted);
        for (const figure of ['cost', 'quantity'] as const)
          expect(plain(sum(shown.map((group) => group[figure])))).toBe(plain(sum(parts.map((each) => each[figure]))));
      }),
    ));

  it('stand in order, the others last, and none alone that belongs behind another', () =>
    fc.assert(
      fc.asyncProperty(fc.array(part), order, async (parts, wanted) => {
        const groups = await addUp(parts);
        const shown = await topGroups(groups, wanted);
        const alone = shown.filter(({ isOther }) => !isOther);
        expect(alone.length).toBe(Math.min(groups.length, wanted.top));
        expect(shown.slice(alone.length).map(({ key }) => key)).toEqual(groups.length > wanted.top ? [OTHER_KEY] : []);
        const left = groups.filter(({ key }) => !alone.some((group) => group.key === key));
        const last = alone.at(-1);
        for (const group of left)
          expect(
            wanted.descending
              ? group[wanted.by].lte(last?.[wanted.by] ?? 0)
              : group[wanted.by].gte(last?.[wanted.by] ?? 0),
          ).toBe(true);
      }),
    ));

  it('name a missing value, and no unit where units differ', async () => {
    const figures = { label: 'x', quantity: decimal(1), cost: decimal(1) };
    const groups = await addUp([
      { key: null, unit: 'token', ...figures },
      { key: 'a', unit: 'token', ...figures },
      { key: 'a', unit: 'call', ...figures },
    ]);
    expect(groups.map(({ key, unit }) => [key, unit])).toEqual([
      [NO_VALUE_KEY, 'token'],
      ['a', null],
    ]);
  });
});

describe('a percentage', () => {
  it.each([
    { part: '1', whole: '3', is: '33.3333' },
    { part: '2', whole: '3', is: '66.6667' },
    { part: '5', whole: '0', is: '0' },
    { part: '-1', whole: '8', is: '-12.5' },
    { part: '0.000005', whole: '10', is: '0.0001' },
  ])('$part of $whole is $is', ({ part: of, whole, is }) =>
    expect(plain(percentOf(decimal(of), decimal(whole)))).toBe(is),
  );
});
