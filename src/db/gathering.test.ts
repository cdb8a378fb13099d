import { describe, expect, it } from 'vitest';
import { DatabaseAway } from './away.ts';
import { Gathering } from './gathering.ts';

/** Sets as they began, each answered when the test says so. */
function gatheringOf(most = 10) {
  const sets: { readonly asked: readonly number[]; readonly end: () => void }[] = [];
  const gathering = new Gathering<number, string>(async (asked) => {
    await new Promise<void>((end) => sets.push({ asked, end }));
    return asked.map(String);
  }, most);
  const begun = () => sets.map(({ asked }) => asked);
  return { gathering, sets, begun };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

const messageOf = (error: unknown) => (error as Error).message;

describe('questions that are gathered', () => {
  it('are answered together where they come at once, and those that come meanwhile are the next set', async () => {
    const { gathering, sets, begun } = gatheringOf();
    const answers = [gathering.ask(1), gathering.ask(2)];
    await soon();
    answers.push(gathering.ask(3));
    await soon();
    expect(begun(), 'two sets are in work').toEqual([[1, 2], [3]]);
    expect(gathering.isJoined).toBe(false);
    answers.push(gathering.ask(4));
    expect(gathering.isJoined).toBe(true);
    answers.push(gathering.ask(5));
    await soon();
    expect(begun()).toEqual([[1, 2], [3]]);
    sets[1]?.end();
    await soon();
    expect(begun()).toEqual([[1, 2], [3], [4, 5]]);
    for (const { end } of sets) end();
    expect(await Promise.all(answers)).toEqual(['1', '2', '3', '4', '5']);
  });

  it('are answered by work that began after them, also if the same is being answered', async () => {
    let stored = 0;
    const gathering = new Gathering<string, number>(async (asked) => {
      const seen = stored;
      await soon();
      return asked.map(() => seen);
    }, 10);
    const before = gathering.ask('figure');
    await soon();
    stored = 1;
    expect([await gathering.ask('figure'), await before]).toEqual([1, 0]);
  });

  it('are no more in a set than are allowed, and the first of each set joins nobody', async () => {
    const { gathering, sets, begun } = gatheringOf(2);
    const joined: boolean[] = [];
    const answers = [1, 2, 3, 4, 5].map((each) => {
      joined.push(gathering.isJoined);
      return gathering.ask(each);
    });
    expect(joined).toEqual([false, true, false, true, false]);
    await soon();
    expect(begun()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    sets[0]?.end();
    await soon();
    for (const { end } of sets) end();
    expect(await Promise.all(answers)).toEqual(['1', '2', '3', '4', '5']);
  });

  it.each([
    { error: new Error('broken'), outcomes: ['one', 'broken', 'one'], sets: [3, 1, 1, 1] },
    { error: new DatabaseAway(), outcomes: Array(3).fill(new DatabaseAway().message), sets: [3] },
    { error: Object.assign(new Error('full'), { code: '53300' }), outcomes: Array(3).fill('full'), sets: [3] },
    {
      error: Object.assign(new Error('too slow'), { code: '57014' }),
      outcomes: ['one', 'too slow', 'one'],
      sets: [3, 1, 1, 1],
    },
  ])('hear of what is wrong with another one only if it is the database: $error', async ({ error, outcomes, sets }) => {
    const sizes: number[] = [];
    const gathering = new Gathering<boolean, string>(async (asked) => {
      sizes.push(asked.length);
      if (asked.includes(true)) throw error;
      return asked.map(() => 'one');
    }, 10);
    const answers = [false, true, false].map((fails) => gathering.ask(fails).catch(messageOf));
    expect(await Promise.all(answers)).toEqual(outcomes);
    expect(sizes).toEqual(sets);
  });
});
