import { expect, it } from 'vitest';
import { Patience } from './patience.ts';

/** The turns, of so many, that did the work. The work fails as long as `isAway` says so. */
async function triedOn(turns: number, isAway: (turn: number) => boolean): Promise<number[]> {
  const patience = new Patience();
  const tried: number[] = [];
  for (let turn = 1; turn <= turns; turn += 1)
    await patience
      .turn(async () => {
        tried.push(turn);
        if (isAway(turn)) throw new Error('away');
      })
      .catch(() => undefined);
  return tried;
}

it.each([
  { what: 'each turn where nothing fails', turns: 5, isAway: () => false, tried: [1, 2, 3, 4, 5] },
  { what: 'the next turn after one failure', turns: 4, isAway: (turn: number) => turn === 2, tried: [1, 2, 3, 4] },
  { what: 'half as often with each failure', turns: 32, isAway: () => true, tried: [1, 2, 4, 8, 16, 32] },
  {
    what: 'each turn again after a success',
    turns: 19,
    isAway: (turn: number) => turn < 16,
    tried: [1, 2, 4, 8, 16, 17, 18, 19],
  },
])('tries $what', async ({ turns, isAway, tried }) => expect(await triedOn(turns, isAway)).toEqual(tried));

it('tries at least each sixty-first turn', async () => {
  const tried = await triedOn(1_000, () => true);
  const pauses = tried.map((turn, index) => turn - (tried[index - 1] ?? 0));
  expect(Math.max(...pauses)).toBe(61);
});

it('reports each failure', async () => {
  await expect(new Patience().turn(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
});
