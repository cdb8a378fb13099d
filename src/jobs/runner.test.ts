import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addToy, note, openToyWorld, readDiary, schedule, type ToyWorld } from '../../test/support/toy-work.ts';
import { Database, sql } from '../db/index.ts';
import { newId } from '../kernel/ids.ts';
import type { DueKind, StepList, StepReport } from './index.ts';

let world: ToyWorld;
beforeEach(async () => {
  world = await openToyWorld('2026-01-01T00:00:00Z');
});
afterEach(() => world.close());

/** A kind that notes its record and is done with it. */
const noting = (kind: 'toy' | 'other_toy' = 'toy'): DueKind => ({
  kind,
  step: async (tx, { id }, now) => {
    await note(tx, `${kind} ${id} at ${now.toString()}`);
    await schedule(tx, kind, id, null);
  },
});

const throwing = (message = 'out of paper'): DueKind => ({
  kind: 'toy',
  step: async (tx, { id }) => {
    await note(tx, `began ${id}`);
    if (id === 'bad') throw new Error(message);
    await schedule(tx, 'toy', id, null);
  },
});

const failures = () =>
  world.in((tx) =>
    tx.rows<{ id: string; attempts: number; error: string; retryAt: unknown; parkedAt: unknown }>(
      sql`select id, attempts, error, retry_at::text as retry_at, parked_at::text as parked_at from due_failure`,
    ),
  );

const until = async (condition: () => Promise<boolean>) => {
  while (!(await condition())) await sleep(5);
};

describe('what is due', () => {
  it('is run at wall time, longest due first, and what is not yet due is left', async () => {
    await world.add('toy', 'second', '2025-12-31T23:00:00Z');
    await world.add('toy', 'first', '2025-12-31T22:00:00Z');
    await world.add('toy', 'now', '2026-01-01T00:00:00Z');
    await world.add('toy', 'later', '2026-01-01T00:00:00.000001Z');
    await world.add('toy', 'never', null);
    expect(await world.runner([noting()]).runOnce()).toBe(3);
    expect(await world.diary()).toEqual([
      'toy first at 2026-01-01T00:00:00Z',
      'toy second at 2026-01-01T00:00:00Z',
      'toy now at 2026-01-01T00:00:00Z',
    ]);
  });

  it('is found for every merchant, and each step sees the rows of its own alone', async () => {
    const other = newId('organization');
    await world.add('toy', 'mine', '2025-12-31T00:00:00Z');
    await world.database.transaction({ merchants: [other] }, (tx) =>
      tx.run(
        sql`insert into toy (merchant_id, id, next_action_at) values (${other}, 'theirs', '2025-12-30T00:00:00Z')`,
      ),
    );
    const seen: unknown[] = [];
    const kind: DueKind = {
      kind: 'toy',
      step: async (tx, { merchantId, id }) => {
        const rows = await tx.rows<{ id: string }>(sql`select id from toy`);
        seen.push([merchantId, rows.map((row) => row.id)]);
        await schedule(tx, 'toy', id, null);
      },
    };
    await world.runner([kind]).runOnce();
    expect(seen).toEqual([
      [other, ['theirs']],
      [world.merchantId, ['mine']],
    ]);
  });

  it('is taken step by step until the record is due later', async () => {
    await world.add('toy', 'daily', '2025-12-29T00:00:00Z');
    const daily: DueKind = {
      kind: 'toy',
      step: async (tx, { id }) => {
        const { due } = await tx.one<{ due: Temporal.Instant }>(
          sql`select next_action_at as due from toy where id = ${id}`,
        );
        await note(tx, due.toString());
        await schedule(tx, 'toy', id, due.add({ hours: 24 }));
      },
    };
    expect(await world.runner([daily]).runOnce()).toBe(4);
    expect(await world.diary()).toEqual(
      ['2025-12-29', '2025-12-30', '2025-12-31', '2026-01-01'].map((day) => `${day}T00:00:00Z`),
    );
  });

  it('of more than a batch is run whole', async () => {
    await world.in((tx) =>
      tx.run(sql`insert into toy (merchant_id, id, next_action_at)
        select ${world.merchantId}, 'toy' || n, '2025-01-01T00:00:00Z' from generate_series(1, 25) n`),
    );
    expect(await world.runner([noting()], { batch: 10 }).runOnce()).toBe(25);
    expect(new Set(await world.diary()).size).toBe(25);
  });

  it('of a kind that no migration registered is refused', async () => {
    const kind: DueKind = { kind: 'nobody', step: async () => undefined };
    await expect(world.runner([noting(), kind]).runOnce()).rejects.toThrow(
      "No migration calls due_table('nobody', …).",
    );
  });

  it('may not have two kinds of one name', () => {
    expect(() => world.runner([noting(), noting()])).toThrow('the same name');
  });
});

describe('records of a kind that takes lists', () => {
  /** Notes which list was stepped; ids that begin with `w` wait for another time, `faulty` ones throw. */
  const listing = (faulty: readonly string[] = []): DueKind & { list: StepList } => {
    const steps: StepList['steps'] = async (tx, records, now) => {
      const ids = records.map(({ id }) => id);
      const waiting = ids.filter((id) => id.startsWith('w') && ids.length > 1);
      await note(tx, `${ids.join(' ')} at ${now.toString()}`);
      if (ids.some((id) => faulty.includes(id))) throw new Error('out of paper');
      for (const id of ids) if (!waiting.includes(id)) await schedule(tx, 'toy', id, null);
      return ids.map((id) => ({ isLater: waiting.includes(id) }));
    };
    return {
      kind: 'toy',
      list: { most: 4, steps },
      step: async (tx, record, now) => {
        await steps(tx, [record], now);
      },
    };
  };
  const lists = async () => (await world.diary()).map((line) => line.split(' at ')[0]);
  const addAll = async (...ids: string[]) => {
    for (const [hour, id] of ids.entries()) await world.add('toy', id, `2025-12-31T0${hour}:00:00Z`);
  };

  it('are stepped as one list in one transaction, so many at most', async () => {
    await addAll('a', 'b', 'c', 'd', 'e');
    expect(await world.runner([listing()]).runOnce()).toBe(5);
    expect(await lists()).toEqual(['a b c d', 'e']);
  });

  it('may wait for another one of their list', async () => {
    await addAll('a', 'w', 'c');
    expect(await world.runner([listing()]).runOnce()).toBe(3);
    expect(await lists()).toEqual(['a w c', 'w']);
  });

  it('are stepped in lists that are not too heavy, and one that is goes alone', async () => {
    await addAll('a1', 'a2', 'a9', 'a3', 'a1x');
    const kind = listing();
    const of = (_: unknown, records: readonly { id: string }[]) =>
      Promise.resolve(records.map(({ id }) => Number(id[1])));
    await world.runner([{ ...kind, list: { ...kind.list, most: 5, weight: { most: 4, of } } }]).runOnce();
    expect(await lists()).toEqual(['a1 a2', 'a9', 'a3 a1x']);
  });

  it('are halved where the list throws, until the one at fault is alone, which alone is counted', async () => {
    await addAll('a', 'b', 'c', 'd');
    await world.runner([listing(['c'])]).runOnce();
    expect(await lists()).toEqual(['a b', 'd']);
    expect(await failures()).toMatchObject([{ id: 'c', attempts: 1, error: 'Error: out of paper' }]);
  });

  it('wait while another process holds their parents, and are not forgotten', async () => {
    await addAll('a', 'b');
    const free = [['a'], [], ['b']];
    const asked: string[] = [];
    const lockParents: DueKind['lockParents'] = (_, records) => {
      asked.push(records.map(({ id }) => id).join(' '));
      return Promise.resolve(new Set(free.shift()));
    };
    const kind = listing();
    expect(await world.runner([{ ...kind, lockParents }]).runOnce()).toBe(2);
    expect(asked).toEqual(['a b', 'b', 'b']);
    expect(await lists()).toEqual(['a', 'b']);
    expect(await failures()).toEqual([]);
  });

  it('are a fault where a step leaves one as it was', async () => {
    await addAll('a', 'b');
    const idle: StepList['steps'] = async (_, records) => records.map(() => ({ isLater: false }));
    await world.runner([{ ...listing(), list: { most: 4, steps: idle } }]).runOnce();
    expect(await lists()).toEqual(['a', 'b']); // each alone, by the step of one record
    expect(await failures()).toEqual([]);
  });

  it('omit a record that another process holds', async () => {
    await addAll('a', 'b', 'c');
    await world.in(async (tx) => {
      await tx.run(sql`select from toy where id = 'b' for update`);
      await world.runner([listing()]).runOnce();
    });
    expect(await lists()).toEqual(['a c']);
  });
});

describe('a step that throws', () => {
  it('leaves nothing behind, is counted, and does not hold up the rest', async () => {
    await world.add('toy', 'bad', '2025-12-31T00:00:00Z');
    await world.add('toy', 'good', '2025-12-31T01:00:00Z');
    await world.runner([throwing()]).runOnce();
    expect(await world.diary()).toEqual(['began good']);
    expect(await failures()).toEqual([
      { id: 'bad', attempts: 1, error: 'Error: out of paper', retryAt: '2026-01-01 00:00:05+00', parkedAt: null },
    ]);
  });

  it('is tried again when its time has come, and parked after the fifth time', async () => {
    await world.add('toy', 'bad', '2025-12-31T00:00:00Z');
    const reports: StepReport['outcome'][] = [];
    const runner = world.runner([throwing()], { observe: ({ outcome }) => reports.push(outcome) });
    const tries: number[] = [];
    for (const at of ['00:00:00', '00:00:04', '00:00:05', '00:00:35', '00:05:35', '00:35:35', '01:00:00', '23:00:00']) {
      world.setNow(`2026-01-01T${at}Z`);
      tries.push(await runner.runOnce());
    }
    expect(tries).toEqual([1, 0, 1, 1, 1, 1, 0, 0]);
    expect(reports).toEqual(['failed', 'failed', 'failed', 'failed', 'parked']);
    expect(await failures()).toMatchObject([{ attempts: 5, parkedAt: '2026-01-01 00:35:35+00' }]);
  });

  it('is forgotten once the record succeeds', async () => {
    await world.add('toy', 'bad', '2025-12-31T00:00:00Z');
    await world.runner([throwing()]).runOnce();
    world.setNow('2026-01-01T00:01:00Z');
    await world.runner([noting()]).runOnce();
    expect(await failures()).toEqual([]);
    expect(await world.diary()).toHaveLength(1);
  });

  it('counts for one due time only: a parked record that is given another one is new work', async () => {
    await world.add('toy', 'bad', '2025-12-31T00:00:00Z');
    await world.in((tx) =>
      tx.run(sql`insert into due_failure (merchant_id, kind, id, due_at, attempts, error, parked_at)
        values (${world.merchantId}, 'toy', 'bad', '2025-12-31T00:00:00Z', 5, 'Error: old', now())`),
    );
    expect(await world.runner([noting()]).runOnce()).toBe(0);
    await world.in((tx) => schedule(tx, 'toy', 'bad', Temporal.Instant.from('2025-12-31T12:00:00Z')));
    expect(await world.runner([noting()]).runOnce()).toBe(1);
    expect(await failures()).toEqual([]);
  });

  it('may say what PostgreSQL cannot hold', async () => {
    await world.add('toy', 'bad', '2025-12-31T00:00:00Z');
    await world.runner([throwing(`a\0b${'x'.repeat(5000)}`)]).runOnce();
    const [failure] = await failures();
    expect(failure?.error).toMatch(/^Error: abx+$/);
    expect(failure?.error).toHaveLength(2000);
  });
});

describe('a step that leaves the record as it was', () => {
  it('is a fault', async () => {
    await world.add('toy', 'stuck', '2025-12-31T00:00:00Z');
    await world.runner([{ kind: 'toy', step: async () => undefined }]).runOnce();
    expect(await failures()).toMatchObject([{ id: 'stuck', error: expect.stringContaining('left the record due') }]);
  });

  it('may take several states at one due time, but not go in a circle', async () => {
    await world.add('toy', 'three', '2025-12-31T00:00:00Z');
    await world.add('toy', 'circle', '2025-12-31T00:00:00Z');
    const kind: DueKind = {
      kind: 'toy',
      step: async (tx, { id }) => {
        const { steps } = await tx.one<{ steps: number }>(sql`select steps from toy where id = ${id}`);
        const isDone = id === 'three' && steps === 2;
        await schedule(tx, 'toy', id, isDone ? null : Temporal.Instant.from('2025-12-31T00:00:00Z'));
      },
    };
    expect(await world.runner([kind]).runOnce()).toBe(3 + 101);
    expect(await failures()).toMatchObject([{ id: 'circle' }]);
  });
});

it('skips a record that another process has locked, and takes it when it is free', async () => {
  await world.add('toy', 'busy', '2025-12-31T00:00:00Z');
  await world.add('toy', 'free', '2025-12-31T00:00:00Z');
  const runner = world.runner([noting()]);
  await world.in(async (tx) => {
    await tx.one(sql`select 1 from toy where id = 'busy' for update`);
    expect(await runner.runOnce()).toBe(1);
  });
  expect(await runner.runOnce()).toBe(1);
});

it('may delete its record', async () => {
  await world.add('toy', 'gone', '2025-12-31T00:00:00Z');
  const kind: DueKind = {
    kind: 'toy',
    step: async (tx, { id }) => void (await tx.run(sql`delete from toy where id = ${id}`)),
  };
  expect(await world.runner([kind]).runOnce()).toBe(1);
  expect(await failures()).toEqual([]);
});

it('runs what a step leaves to follow after the commit, once, and goes on when that fails', async () => {
  await world.add('toy', 'call', '2025-12-31T00:00:00Z');
  await world.add('toy', 'refused', '2025-12-31T01:00:00Z');
  const kind: DueKind = {
    kind: 'toy',
    step: async (tx, { id }) => {
      await note(tx, `intent of ${id}`);
      await schedule(tx, 'toy', id, null);
      return async () => {
        if (id === 'refused') throw new Error('no line');
        await world.in((inner) => note(inner, `outcome of ${id}`));
      };
    },
  };
  expect(await world.runner([kind]).runOnce()).toBe(2);
  expect(await world.diary()).toEqual(['intent of call', 'outcome of call', 'intent of refused']);
});

it('takes every step exactly once with eight workers on four pools', async () => {
  const count = 200;
  await world.in((tx) =>
    tx.run(sql`insert into toy (merchant_id, id, next_action_at)
      select ${world.merchantId}, 'toy' || n, '2025-01-01T00:00:00Z' from generate_series(1, ${count}::int) n`),
  );
  const databases = Array.from({ length: 4 }, () => new Database({ url: world.url, connections: 4 }));
  const runners = databases.flatMap((database) => [1, 2].map(() => world.runner([noting()], { database, batch: 20 })));
  for (const runner of runners) runner.start();
  await until(async () => (await world.diary()).length >= count);
  await Promise.all(runners.map((runner) => runner.stop()));
  await Promise.all(databases.map((database) => database.close()));
  const diary = await world.diary();
  expect(diary).toHaveLength(count);
  expect(new Set(diary).size).toBe(count);
  expect(await failures()).toEqual([]);
});

describe('a running worker', () => {
  it('finishes the running step before it stops, and starts no other', async () => {
    await world.add('toy', 'slow', '2025-12-30T00:00:00Z');
    await world.add('toy', 'next', '2025-12-31T00:00:00Z');
    const began = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const kind: DueKind = {
      kind: 'toy',
      step: async (tx, { id }) => {
        began.resolve();
        await go.promise;
        await note(tx, id);
        await schedule(tx, 'toy', id, null);
      },
    };
    const runner = world.runner([kind], { concurrency: 1 });
    runner.start();
    await began.promise;
    const stopped = runner.stop();
    go.resolve();
    await stopped;
    expect(await world.diary()).toEqual(['slow']);
  });

  it('takes up what becomes due while a long step is under way', async () => {
    await world.add('toy', 'long', '2025-12-30T00:00:00Z');
    await world.add('toy', 'short', '2025-12-31T00:00:00Z');
    const newDone = Promise.withResolvers<void>();
    const kind: DueKind = {
      kind: 'toy',
      step: async (tx, { id }) => {
        if (id === 'long') await newDone.promise;
        if (id === 'short') await world.add('toy', 'new', '2025-12-31T00:00:00Z');
        await schedule(tx, 'toy', id, null);
        if (id === 'new') newDone.resolve();
      },
    };
    const runner = world.runner([kind], { concurrency: 2 });
    runner.start();
    await newDone.promise;
    await runner.stop();
    expect(await world.runner([kind]).runOnce()).toBe(0);
  });

  it('drives clocks in turns, so that an advance over centuries delays no other', async () => {
    const hourly: DueKind = {
      kind: 'toy',
      step: async (tx, { id }, now) => {
        if (id === 'other') await note(tx, 'other');
        await schedule(tx, 'toy', id, id === 'other' ? null : now.add({ hours: 1 }));
      },
    };
    for (const each of ['first', 'second', 'third']) {
      const clock = await world.clock('2026-01-01T00:00:00Z');
      await world.in((tx) =>
        tx.run(sql`update test_clock set advancing_to = '2199-01-01T00:00:00Z' where id = ${clock}`),
      );
      await world.add('toy', each, '2026-01-01T01:00:00Z', clock);
    }
    const [merchantId, clockId] = [newId('organization'), newId('testClock')];
    const scope = { merchants: [merchantId] };
    await world.database.transaction(scope, async (tx) => {
      await tx.run(sql`insert into test_clock (merchant_id, id, clock_time, advancing_to, created_at, updated_at)
        values (${merchantId}, ${clockId}, '2026-01-01', '2026-01-02', now(), now())`);
      await addToy(tx, 'toy', 'other', Temporal.Instant.from('2026-01-01T01:00:00Z'), clockId);
    });
    const runner = world.runner([hourly], { sliceMilliseconds: 20 });
    runner.start();
    await until(async () => (await world.database.transaction(scope, readDiary)).length === 1);
    const steps = () =>
      world.in((tx) => tx.rows<{ steps: number }>(sql`select steps from toy where id <> 'other' order by id`));
    await until(async () => (await steps()).every((each) => each.steps > 0));
    await runner.stop();
  });

  it('looks at once when it is woken', async () => {
    const runner = world.runner([noting()], { pollMilliseconds: 3_600_000 });
    runner.start();
    await sleep(100); // it has found nothing, and pauses for an hour
    await world.add('toy', 'new', '2025-12-31T00:00:00Z');
    runner.wake();
    await until(async () => (await world.diary()).length === 1);
  });

  it('continues after an outage of the database', async () => {
    const database = new Database({ url: world.url, onConnectionError: () => undefined });
    const runner = world.runner([noting()], { database });
    await database.close(); // every look from here on fails
    runner.start();
    await sleep(50);
    await runner.stop();
    await world.add('toy', 'waiting', '2025-12-31T00:00:00Z');
    expect(await world.runner([noting()]).runOnce()).toBe(1);
  });

  it('does its chores, and one that fails does not hold up the others', async () => {
    const done: string[] = [];
    const chore = (name: string, fails = false) => ({
      name,
      everySeconds: 3600,
      run: async () => {
        done.push(name);
        if (fails) throw new Error('no');
      },
    });
    const runner = world.runner([noting()], { chores: [chore('dust', true), chore('sweep')] });
    runner.start();
    await until(async () => done.length >= 2);
    await sleep(60); // several polls
    await runner.stop();
    expect(done).toEqual(['dust', 'sweep']);
  });
});
