import { setImmediate as iteration } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cases } from '../../test/support/cases.ts';
import { eachInTurns, inTurns, sortedInTurns, turn } from './turns.ts';

it('lets one of those who wait go on at each turn of the loop, in the order in which they came', async () => {
  const slices: string[] = [];
  const work = async (name: string, count: number) => {
    for (let slice = 1; slice <= count; slice += 1) {
      await turn();
      slices.push(`${name}${slice}`);
    }
  };
  const all = Promise.all([work('a', 2), work('b', 3)]);
  const seen: number[] = [];
  while (slices.length < 5) {
    seen.push(slices.length);
    await iteration();
  }
  await all;
  expect(slices).toEqual(['a1', 'b1', 'a2', 'b2', 'b3']);
  for (const [index, count] of seen.entries()) expect(count - (seen[index - 1] ?? 0)).toBeLessThanOrEqual(1);
});

/** Work that takes so many milliseconds of this thread's time by its own clock. */
function busy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

it.each([
  {
    name: 'one long calculation',
    work: () =>
      inTurns(
        (function* () {
          for (let step = 0; step < 12; step += 1) {
            busy(2);
            yield;
          }
        })(),
      ),
  },
  { name: 'a long list', work: () => eachInTurns(Array.from({ length: 400 }), () => busy(0.1)) },
  {
    name: 'many short lists in a row',
    work: async () => {
      for (let list = 0; list < 20; list += 1) await eachInTurns([1], () => busy(2));
    },
  },
])('gives others a turn again and again within $name', async ({ work }) => {
  let isOver = false;
  let turns = 0;
  const others = async () => {
    while (!isOver) {
      await iteration();
      turns += 1;
    }
  };
  const all = others();
  await work();
  isOver = true;
  await all;
  expect(turns).toBeGreaterThan(3);
});

it('ends a long calculation when nobody waits for it', async () => {
  const reason = new Error('gone');
  const work = function* (): Generator<void, void> {
    for (;;) {
      busy(2);
      yield;
    }
  };
  const controller = new AbortController();
  setImmediate(() => controller.abort(reason));
  await expect(inTurns(work(), controller.signal)).rejects.toBe(reason);
});

it('sorts as toSorted does, equal ones in their order', () => {
  const item = fc.record({ key: fc.integer({ min: 0, max: 20 }), name: fc.string() });
  const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;
  return fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 2_000, size: 'max' }), async (list) => {
      expect(await sortedInTurns(list, byKey)).toEqual(list.toSorted(byKey));
    }),
    cases(20, 200),
  );
});
