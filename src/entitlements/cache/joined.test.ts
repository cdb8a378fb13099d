import { describe, expect, it } from 'vitest';
import type { Database } from '../../db/index.ts';
import { Joined } from './joined.ts';

const database = {} as Database;
const START = Temporal.Instant.from('2026-01-10T08:00:00Z');
const question = (name: string, milliseconds = 0, weight = 1) => ({
  name,
  weight,
  now: START.add({ milliseconds }),
});
type Question = ReturnType<typeof question>;

/** Statements that end when a test says so. */
function statements() {
  const sent: { merchant: string; names: string[]; end: (error?: Error) => void }[] = [];
  const joined = new Joined<Question, string>(
    (_, merchant, questions) =>
      new Promise((resolve, reject) => {
        const names = questions.map(({ name }) => name);
        sent.push({
          merchant,
          names,
          end: (error) => (error ? reject(error) : resolve(names.map((name) => `${merchant} ${name}`))),
        });
      }),
  );
  return { sent, joined, ask: (merchant: string, of: Question) => joined.ask(database, merchant, of) };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('questions that are asked together', () => {
  it('sends at once what is there, and what comes meanwhile in one statement after it', async () => {
    const { sent, ask } = statements();
    const first = [ask('a', question('1')), ask('a', question('2'))];
    await turn();
    const later = [ask('a', question('3', 5)), ask('a', question('4', 9))];
    await turn();
    expect(sent.map(({ names }) => names)).toEqual([['1', '2']]);
    sent[0]?.end();
    expect(await Promise.all(first)).toEqual(['a 1', 'a 2']);
    await turn();
    expect(sent.map(({ names }) => names)).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    sent[1]?.end();
    expect(await Promise.all(later)).toEqual(['a 3', 'a 4']);
  });

  it('asks for no two merchants in one statement, and lets none wait for another', async () => {
    const { sent, ask } = statements();
    const answers = [ask('a', question('1')), ask('b', question('1')), ask('a', question('2'))];
    await turn();
    expect(sent.map(({ merchant, names }) => [merchant, names])).toEqual([
      ['a', ['1', '2']],
      ['b', ['1']],
    ]);
    sent[1]?.end();
    expect(await answers[1]).toBe('b 1');
    sent[0]?.end();
    expect(await Promise.all(answers)).toEqual(['a 1', 'b 1', 'a 2']);
  });

  it('answers a fault only to the question that caused it', async () => {
    const joined = new Joined<Question, string>(async (_, __, questions) => {
      if (questions.some(({ name }) => name === 'bad')) throw new Error('A fault.');
      return questions.map(({ name }) => name);
    });
    const asked = ['1', 'bad', '2'].map((name) => joined.ask(database, 'a', question(name)));
    const settled = await Promise.allSettled(asked);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('repeats no question while the database is away', async () => {
    let asked = 0;
    const joined = new Joined<Question, string>(async () => {
      asked += 1;
      throw Object.assign(new Error('It is away.'), { code: 'ECONNREFUSED' });
    });
    const settled = await Promise.allSettled(['1', '2'].map((name) => joined.ask(database, 'a', question(name))));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toBe(1);
  });

  it('does not let who comes much later wait for a statement that is held up', async () => {
    const { sent, ask } = statements();
    const first = ask('a', question('1'));
    await turn();
    const second = ask('a', question('2', 1_000));
    await turn();
    expect(sent.map(({ names }) => names)).toEqual([['1'], ['2']]);
    for (const { end } of sent) end();
    expect(await Promise.all([first, second])).toEqual(['a 1', 'a 2']);
  });

  it('limits the questions of a statement, and sends a heavier one alone', async () => {
    const { sent, ask } = statements();
    const answers = [
      ask('a', question('1', 0, 300)),
      ask('a', question('2', 0, 900)),
      ask('a', question('3', 0, 200)),
      ask('a', question('4', 0, 200)),
    ];
    for (let place = 0; place < 3; place += 1) {
      await turn();
      sent[place]?.end();
    }
    expect(await Promise.all(answers)).toEqual(['a 1', 'a 2', 'a 3', 'a 4']);
    expect(sent.map(({ names }) => names)).toEqual([['1'], ['2'], ['3', '4']]);
  });
});
