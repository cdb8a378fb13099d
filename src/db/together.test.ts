import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { addToy, note, openToyWorld, readDiary, type ToyWorld } from '../../test/support/toy-work.ts';
import { decimal } from '../kernel/decimal.ts';
import { jsonb, type Sql, sql, type Tx } from './index.ts';

const NOW = Temporal.Instant.from('2026-01-01T00:00:00Z');
const NAMES = ['ant', 'bee', 'cat', 'dog', 'eel'];

let world: ToyWorld;
beforeAll(async () => {
  world = await openToyWorld(NOW.toString());
});
afterAll(() => world.close());

/** Five toys and an empty diary, with the same numbers each time. */
async function begin(): Promise<void> {
  const client = new pg.Client({ connectionString: world.url });
  await client.connect();
  await client.query('truncate toy, diary, merchant_counter restart identity');
  await client.end();
  await world.in(async (tx) => {
    for (const name of NAMES) await addToy(tx, world.merchantId, 'toy', name, NOW, null);
  });
}
beforeEach(begin);
afterEach(() => {
  vi.restoreAllMocks();
});

const together = <T>(works: readonly ((tx: Tx) => Promise<T>)[]) =>
  world.database.together({ merchants: [world.merchantId] }, works);

const stateNow = () =>
  world.in(async (tx) => ({
    toys: await tx.rows<object>(sql`select id, steps, next_action_at::text as due from toy order by id`),
    diary: await readDiary(tx),
  }));

/** The number of statements that some work sends, without those that begin, end and learn types. */
async function countingStatements<T>(work: () => Promise<T>): Promise<{ value: T; sent: number }> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const value = await work();
  const texts = query.mock.calls.map(([asked]) =>
    typeof asked === 'string' ? asked : (asked as { text: string }).text,
  );
  query.mockRestore();
  const own = texts.filter(
    (text) => !/^(begin|set local|commit|rollback|prepare|deallocate|select parameter_types)/.test(text),
  );
  return { value, sent: own.length };
}

/** The requests of five works, each with its own name and number. */
const statements: readonly {
  shape: string;
  sent: number;
  ask: (tx: Tx, name: string, number: number) => Promise<unknown>;
}[] = [
  {
    shape: 'a question',
    sent: 1,
    ask: (tx, name) => tx.rows(sql`select id, seq, next_action_at from toy where id = ${name}`),
  },
  {
    shape: 'a question that some find nothing for, and some much',
    sent: 1,
    ask: (tx, _, number) =>
      tx.rows(sql`select id, steps + ${number}::int as sum from toy where seq > ${number * 2} order by id desc`),
  },
  {
    shape: 'a question with as many answers as asked for',
    sent: 1,
    ask: (tx, _, number) => tx.rows(sql`select id from toy order by id limit ${number}`),
  },
  {
    shape: 'a question with a list, a decimal, a time and JSON',
    sent: 1,
    ask: (tx, name, number) =>
      tx.rows(sql`
        select ${decimal('0.1').times(number)}::numeric as amount, ${NOW.add({ hours: number })}::timestamptz as at, ${jsonb({ name, a: [1] })} as data,
               ${jsonb('text')} as text, ${null}::text as nothing, ${number > 2}::boolean as truth, array(select id from toy where id = any (${[name, 'eel']}) order by id) as found`),
  },
  {
    shape: 'a question that names the merchant of all',
    sent: 1,
    ask: (tx, name, number) =>
      tx.rows(
        sql`select id, steps + ${number}::int as sum from toy where merchant_id = ${world.merchantId} and id = ${name}`,
      ),
  },
  {
    shape: 'an update of rows of one merchant, each with its own values',
    sent: 1,
    ask: (tx, name, number) =>
      tx.one(sql`update toy set steps = ${number}
                  where merchant_id = ${world.merchantId} and id = ${name} and merchant_id = ${world.merchantId}
              returning id, steps`),
  },
  {
    shape: 'a question in which each names a merchant of its own',
    sent: 1,
    ask: (tx, name, number) =>
      tx.rows(sql`select id from toy where merchant_id = ${number > 2 ? world.merchantId : 'org_0'} and id = ${name}`),
  },
  { shape: 'a lock', sent: 1, ask: (tx, name) => tx.maybe(sql`select id from toy where id = ${name} for update`) },
  {
    shape: 'an advisory lock',
    sent: 1,
    ask: (tx, name) => tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`),
  },
  {
    shape: 'a question without parameters',
    sent: 5,
    ask: (tx) => tx.rows(sql`select count(*)::int as all_of_them from toy`),
  },
  {
    shape: 'an update that answers the row',
    sent: 1,
    ask: async (tx, name, number) => {
      const row = await tx.one<{ id: string; steps: number }>(
        sql`update toy set steps = steps + ${number} where id = ${name} and steps = ${0} returning *`,
      );
      return [row.id, row.steps];
    },
  },
  {
    shape: 'an update that answers columns, of a table with another name',
    sent: 1,
    ask: (tx, name) =>
      tx.rows(sql`update "toy" t set steps = ${7} where t.id = ${name} returning t.id, t.steps as now`),
  },
  {
    shape: 'an update that some guard refuses',
    sent: 1,
    ask: (tx, name, number) => tx.run(sql`update toy set steps = ${number} where id = ${name} and ${number}::int > 2`),
  },
  {
    shape: 'an insert',
    sent: 1,
    ask: (tx, name) => note(tx, world.merchantId, `${name}: it's "quoted", (bracketed) and \\`),
  },
  {
    shape: 'an insert that answers the row',
    sent: 1,
    ask: (tx, name) =>
      tx.one(
        sql`insert into diary (merchant_id, line) values (${world.merchantId}, upper(${name})) returning line, seq`,
      ),
  },
  {
    shape: 'an insert of many rows',
    sent: 1,
    ask: async (tx, name) => {
      await tx.run(sql`insert into diary (merchant_id, line)
        select merchant_id, line from jsonb_to_recordset(${jsonb([1, 2].map((n) => ({ merchant_id: world.merchantId, line: `${name} ${n}` })))}) as r (merchant_id text, line text)`);
    },
  },
  {
    shape: 'an insert that changes what is there',
    sent: 1,
    ask: (tx, name, number) =>
      tx.run(sql`insert into toy (merchant_id, id, steps) values (${world.merchantId}, ${name}, ${number})
        on conflict (merchant_id, id) do update set steps = excluded.steps`),
  },
  { shape: 'a delete', sent: 1, ask: (tx, name) => tx.run(sql`delete from toy where id = ${name}`) },
  {
    shape: 'a delete that answers something',
    sent: 1,
    ask: (tx, name) => tx.rows(sql`delete from toy t where t.id = ${name} returning t.id`),
  },
  {
    shape: 'an insert of some rows or none, which tells how many',
    sent: 1,
    ask: (tx, name, number) => {
      const lines = Array.from({ length: number % 3 }, (_, n) => ({
        merchant_id: world.merchantId,
        line: `${name} ${n}`,
      }));
      return tx.run(sql`insert into diary (merchant_id, line)
        select r.merchant_id, r.line from jsonb_populate_recordset(null::diary, ${jsonb(lines)}) as r where r.line <> 'no'`);
    },
  },
  {
    shape: 'literals that look like what is rewritten',
    sent: 1,
    ask: (tx, name) =>
      tx.rows(
        sql`select 'costs $1 each, it''s where ( set' as "a $1 where", id from toy where id = ${name} and id <> 'returning'`,
      ),
  },
  {
    shape: 'an update with a literal that looks like its end',
    sent: 1,
    ask: (tx, name) =>
      tx.rows(sql`update toy set steps = length('x where id = $1 returning *') where id = ${name} returning steps, id`),
  },
  {
    shape: 'a function that changes something for each',
    sent: 1,
    ask: (tx) => tx.one(sql`select draw_numbers(${world.merchantId}, ${'invoice'}, 1) as drawn`),
  },
  {
    shape: 'a statement with a comment',
    sent: 5,
    ask: (tx, name) => tx.rows(sql`select id from toy where id = ${name} -- the newest`),
  },
  {
    shape: 'numbers that JSON lacks',
    sent: 1,
    ask: (tx, _, number) =>
      tx.rows(sql`select ${number / 0}::double precision as infinite, ${Number.NaN}::numeric::text as none`),
  },
  {
    shape: 'a list for a text',
    sent: 5,
    ask: (tx, name) => tx.rows(sql`select ${[name, 'eel']}::text as list`),
  },
  {
    shape: 'what has no such shape',
    sent: 5,
    ask: (tx, name) => tx.rows(sql`with own as (select id from toy where id = ${name}) select id from own`),
  },
  {
    shape: 'bytes',
    sent: 5,
    ask: (tx, _, number) => tx.rows(sql`select length(${Buffer.alloc(number)}::bytea) as length`),
  },
];

describe('what is asked side by side', () => {
  it.each(statements)('$shape: has the effect and the answer that it has alone', async ({ ask, sent: expected }) => {
    const { value, sent } = await countingStatements(() =>
      together(NAMES.map((name, index) => (tx) => ask(tx, name, index + 1))),
    );
    const after = await stateNow();
    await begin();
    const alone: unknown[] = [];
    for (const [index, name] of NAMES.entries()) alone.push(await world.in((tx) => ask(tx, name, index + 1)));
    expect(value).toEqual(alone);
    expect(after).toEqual(await stateNow());
    expect(sent).toBe(expected);
  });

  it('waits for who asks something beside, and goes on together', async () => {
    const { sent } = await countingStatements(() =>
      together(
        NAMES.map((name) => async (tx) => {
          if (name < 'c') await tx.rows(sql`select steps from toy where id = ${name}`);
          await tx.rows(sql`select id from toy where id = ${name}`);
        }),
      ),
    );
    expect(sent).toBe(2);
  });

  it('loads what is the same for all once', async () => {
    let loaded = 0;
    const values = await together(
      NAMES.map((name) => (tx) => {
        const shared = tx.once('all', async () => {
          loaded += 1;
          return tx.rows<{ id: string }>(sql`select id from toy where id >= ${name} order by id`);
        });
        return shared;
      }),
    );
    expect(loaded).toBe(1);
    expect(values.map((rows) => rows.length)).toEqual([5, 5, 5, 5, 5]);
  });
});

/** The actions of five works that touch the same rows, or must not share one answer. */
const colliding: readonly { what: string; work: (tx: Tx, number: number) => Promise<unknown> }[] = [
  {
    what: 'updates of one row',
    work: (tx, number) => tx.run(sql`update toy set steps = steps + ${number} where id = ${'ant'}`),
  },
  {
    what: 'updates of what was read before',
    work: async (tx) => {
      const { steps } = await tx.one<{ steps: number }>(sql`select steps from toy where id = ${'ant'}`);
      await tx.run(sql`update toy set steps = ${steps + 1} where id = ${'ant'}`);
    },
  },
  {
    what: 'updates, each of what the one before it made',
    work: (tx, number) => tx.run(sql`update toy set steps = ${number} where steps = ${number - 1}`),
  },
  {
    what: 'updates of the column that they look for',
    work: (tx, number) =>
      tx.run(
        sql`update toy set id = ${NAMES[number % 5]} || '!' where id = ${`${NAMES[number - 1]}${number > 1 ? '!' : ''}`}`,
      ),
  },
  { what: 'deletes of one row', work: (tx) => tx.run(sql`delete from toy where id = ${'ant'}`) },
  {
    what: 'inserts that leave a row out',
    work: (tx, number) =>
      tx.run(
        sql`insert into toy (merchant_id, id) values (${world.merchantId}, ${`new ${number % 2}`}) on conflict do nothing`,
      ),
  },
  {
    what: 'inserts that change one row',
    work: (tx, number) =>
      tx.run(sql`insert into toy (merchant_id, id, steps) values (${world.merchantId}, ${'ant'}, ${number})
        on conflict (merchant_id, id) do update set steps = toy.steps * 10 + excluded.steps`),
  },
  {
    what: 'inserts of what they read',
    work: (tx) =>
      tx.run(
        sql`insert into diary (merchant_id, line) select ${world.merchantId}::text, count(*) from diary where line <> ${'x'}`,
      ),
  },
  {
    what: 'numbers drawn beside a table',
    work: async (tx) => {
      await note(tx, world.merchantId, 'a line');
      return tx.one(
        sql`select draw_numbers(${world.merchantId}, ${'invoice'}, 1) > 0 as drawn, (select max(value) from merchant_counter) as before`,
      );
    },
  },
];

describe('what works do that touch the same rows', () => {
  it.each(colliding)('$what: is what it is one after another', async ({ work }) => {
    const works = NAMES.map((_, index) => (tx: Tx) => work(tx, index + 1));
    const values = await together(works);
    const after = await stateNow();
    await begin();
    const alone: unknown[] = [];
    await world.in(async (tx) => {
      for (const each of works) alone.push(await each(tx));
    });
    expect(after).toEqual(await stateNow());
    expect(values).toEqual(alone);
  });

  it.each([
    ['without parameters', (tx: Tx) => tx.one(sql`select gen_random_uuid()`)],
    [
      'in a question of its own',
      (tx: Tx, name: string) => tx.one(sql`select (select gen_random_uuid()), ${name}::text`),
    ],
  ])('have an answer each where it is drawn by lot: %s', async (_, ask) => {
    const answers = await together(NAMES.map((name) => (tx) => ask(tx, name)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(5);
  });

  it('reports the reason for running one after another', async () => {
    const reasons: string[] = [];
    const works = (name: string) =>
      NAMES.map((own) => (tx: Tx) => tx.run(sql`delete from toy where id = ${name || own}`));
    for (const name of ['', 'ant'])
      await world.database.together({ merchants: [world.merchantId] }, works(name), ({ message }) =>
        reasons.push(message),
      );
    expect(reasons).toEqual(['Two works may change the same row: delete from toy where id = $1']);
  });
});

describe('what is done for all in one go', () => {
  const upper = (tx: Tx, calls: string[][]) => async (names: readonly string[]) => {
    calls.push([...names]);
    const rows = await tx.rows<{ name: string }>(
      sql`select upper(name) as name from unnest(${[...names]}::text[]) with ordinality n (name, place) order by place`,
    );
    return rows.map(({ name }) => name);
  };

  it('waits until everybody has asked for it, and answers each his own', async () => {
    const calls: string[][] = [];
    const answers = await together(
      NAMES.map((name) => async (tx) => {
        if (name > 'c') await tx.rows(sql`select steps from toy where id = ${name}`);
        const first = await tx.gather('upper', name, upper(tx, calls));
        return `${first} ${await tx.gather('upper', `${name}s`, upper(tx, calls))}`;
      }),
    );
    expect(answers).toEqual(['ANT ANTS', 'BEE BEES', 'CAT CATS', 'DOG DOGS', 'EEL EELS']);
    expect(calls.map((names) => names.toSorted())).toEqual([NAMES, NAMES.map((name) => `${name}s`)]);
  });

  it('runs each in a transaction of its own', async () => {
    const calls: string[][] = [];
    for (const name of NAMES) await world.in((tx) => tx.gather('upper', name, upper(tx, calls)));
    expect(calls).toEqual(NAMES.map((name) => [name]));
  });

  it('undoes all where it throws', async () => {
    const before = await stateNow();
    const failing = NAMES.map((name) => async (tx: Tx) => {
      await note(tx, world.merchantId, name);
      await tx.gather('none', name, () => Promise.reject(new Error('out of ink')));
    });
    await expect(together(failing)).rejects.toThrow('out of ink');
    expect(await stateNow()).toEqual(before);
  });
});

describe('where something goes wrong', () => {
  const failing: readonly { what: string; work: (tx: Tx) => Promise<unknown>; error: string }[] = [
    { what: 'in one of them', work: () => Promise.reject(new Error('out of paper')), error: 'out of paper' },
    { what: 'in a statement', work: (tx) => tx.rows(sql`select 1 / ${0}::int as broken`), error: 'division by zero' },
    {
      what: 'in a savepoint that is to be undone',
      work: (tx) =>
        tx.savepoint(
          () => tx.run(bump('bee')),
          () => false,
        ),
      error: 'would have to be undone',
    },
    {
      what: 'in a savepoint that throws, also where that is caught',
      work: (tx) =>
        tx
          .savepoint(
            () => Promise.reject(new Error('torn')),
            () => true,
          )
          .catch(() => note(tx, world.merchantId, 'caught')),
      error: 'torn',
    },
  ];
  const bump = (name: string): Sql => sql`update toy set steps = steps + 1 where id = ${name}`;

  it.each(failing)('$what, nothing of all is kept', async ({ work, error }) => {
    const before = await stateNow();
    const all = NAMES.map((name) => async (tx: Tx) => {
      await tx.run(bump(name));
      if (name === 'cat') await work(tx);
      await note(tx, world.merchantId, name);
    });
    await expect(together(all)).rejects.toThrow(error);
    expect(await stateNow()).toEqual(before);
    await together(NAMES.map((name) => (tx) => tx.run(bump(name)))); // the connection is none the worse
    expect((await stateNow()).toys).toEqual(before.toys.map((toy) => ({ ...toy, steps: 1 })));
  });

  it('reports no commit after a rollback', async () => {
    const told: string[] = [];
    const works = NAMES.map((name) => async (tx: Tx) => {
      tx.afterCommit(() => told.push(name));
      await tx.run(bump(name));
    });
    await expect(together([...works, () => Promise.reject(new Error('no'))])).rejects.toThrow('no');
    expect(told).toEqual([]);
    await together(works);
    expect(told).toEqual(NAMES);
  });
});
