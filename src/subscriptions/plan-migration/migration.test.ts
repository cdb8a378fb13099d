import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { next } from '../../kernel/state-table.ts';
import { concurrentLists, planMigrationStates } from './migration.ts';

const members = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })
  .map((customers) => customers.map((customerId, position) => ({ customerId, position })));

describe('members that are changed side by side', () => {
  it('are of different customers, and each has its turn once, after those of its customer before it', () => {
    fc.assert(
      fc.property(members, (all) => {
        const lists = concurrentLists(all);
        for (const list of lists) expect(new Set(list.map(({ customerId }) => customerId)).size).toBe(list.length);
        const of = (list: typeof all, customer: string) => list.filter(({ customerId }) => customerId === customer);
        for (const customer of ['a', 'b', 'c', 'd']) expect(of(lists.flat(), customer)).toEqual(of(all, customer));
        expect(lists.flat()).toHaveLength(all.length);
      }),
    );
  });

  it('of different customers are one list', () => {
    const all = ['a', 'b', 'c'].map((customerId) => ({ customerId }));
    expect(concurrentLists(all)).toEqual([all]);
  });
});

it.each([
  ['running', 'complete', 'completed'],
  ['running', 'cancel', 'cancelled'],
  ['completed', 'complete', 'refused'],
  ['completed', 'cancel', 'refused'],
  ['cancelled', 'complete', 'refused'],
  ['cancelled', 'cancel', 'refused'],
] as const)('a migration that is %s: %s, %s', (state, event, to) => {
  const found = next(planMigrationStates, state, event);
  expect(found.ok ? found.value : 'refused').toBe(to);
});
