import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cases } from '../../test/support/cases.ts';
import { addToy, note, openToyWorld, readDiary, schedule, type ToyWorld } from '../../test/support/toy-work.ts';
import { Database, sql } from '../db/index.ts';
import type { DueKind, DueRunner, StepList } from '../jobs/index.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/time.ts';
import { selectClock } from './clocks.sql.ts';
import { changeClock } from './clocks.ts';
import { clockBook, effectiveNow, findClock } from './index.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;

/** Sends a clock on its way and runs it there. */
async function advance(world: ToyWorld, runner: DueRunner, id: string, to: string): Promise<void> {
  await send(world, id, to);
  await runner.runClock({ merchantId: world.merchantId, id });
}

const send = (world: ToyWorld, id: string, to: string) =>
  world.in((tx) => changeClock(tx, id, { currentTime: formatInstant(at(to)) }, world.now()));

const clockOf = (world: ToyWorld, id: string) =>
  world.in((tx) =>
    tx.one<{ time: string; to: string | null }>(sql`
      select to_char(clock_time, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as time, advancing_to::text as to
        from test_clock where id = ${id}`),
  );

/** Notes effective now and continues after the hours in its name (`every-6`). Each step of `parent-6` makes a child. */
const everyHours = (kind: 'toy' | 'other_toy', clockId: () => string): DueKind => ({
  kind,
  step: async (tx, { id }, now) => {
    const hours = Number(/-(\d+)/.exec(id)?.[1] ?? 0);
    const { steps } = await tx.one<{ steps: number }>(sql`select steps from ${sql.table(kind)} where id = ${id}`);
    await note(tx, `${now.toString()} ${kind} ${id}`);
    if (id.startsWith('parent')) {
      // The first child is due at once, later ones between the parent's own steps.
      const child = now.add({ minutes: 20 * steps });
      await addToy(tx, 'other_toy', `child-of-${id}-${steps}`.replace(/-(\d+)-/, '-$1x'), child, clockId());
    }
    await schedule(tx, kind, id, hours > 0 && !id.startsWith('child') ? now.add({ hours }) : null);
  },
});

describe('an advance', () => {
  let world: ToyWorld;
  let clock: string;
  const kinds = () => [everyHours('toy', () => clock), everyHours('other_toy', () => clock)];
  beforeEach(async () => {
    world = await openToyWorld('2030-06-01T00:00:00Z');
    clock = await world.clock('2026-01-01T00:00:00Z');
  });
  afterEach(() => world.close());

  it('runs each step at its own due time, in order, and shows that time while it does', async () => {
    await world.add('toy', 'every-10', '2026-01-01T10:00:00Z', clock);
    await world.add('toy', 'every-7', '2026-01-01T07:00:00Z', clock);
    const times: string[] = [];
    const seeing: DueKind = {
      kind: 'toy',
      step: async (tx, record, now) => {
        times.push((await effectiveNow(tx, clock, world.now())).toString());
        await everyHours('toy', () => clock).step(tx, record, now);
      },
    };
    await advance(world, world.runner([seeing]), clock, '2026-01-01T21:00:00Z');
    expect(await world.diary()).toEqual([
      '2026-01-01T07:00:00Z toy every-7',
      '2026-01-01T10:00:00Z toy every-10',
      '2026-01-01T14:00:00Z toy every-7',
      '2026-01-01T20:00:00Z toy every-10',
      '2026-01-01T21:00:00Z toy every-7',
    ]);
    expect(times).toEqual(['07', '10', '14', '20', '21'].map((hour) => `2026-01-01T${hour}:00:00Z`));
    expect(await clockOf(world, clock)).toEqual({ time: '2026-01-01T21:00:00Z', to: null });
  });

  it('takes what is due at one instant by kind, then in the order of creation', async () => {
    await world.add('other_toy', 'b', '2026-01-01T01:00:00Z', clock);
    await world.add('toy', 'z', '2026-01-01T01:00:00Z', clock);
    await world.add('toy', 'a', '2026-01-01T01:00:00Z', clock);
    await world.add('other_toy', 'a', '2026-01-01T01:00:00Z', clock);
    await advance(world, world.runner(kinds()), clock, '2026-01-01T02:00:00Z');
    expect((await world.diary()).map((line) => line.slice(21))).toEqual([
      'toy z',
      'toy a',
      'other_toy b',
      'other_toy a',
    ]);
  });

  it('runs what was due before the clock began at the time that the clock shows', async () => {
    await world.add('toy', 'late', '2025-06-01T00:00:00Z', clock);
    await advance(world, world.runner(kinds()), clock, '2026-01-02T00:00:00Z');
    expect(await world.diary()).toEqual(['2026-01-01T00:00:00Z toy late']);
  });

  it('leaves records of the wall clock, of other clocks and of later times alone', async () => {
    const other = await world.clock('2026-01-01T00:00:00Z');
    await world.add('toy', 'wall', '2026-01-01T01:00:00Z');
    await world.add('toy', 'other', '2026-01-01T01:00:00Z', other);
    await world.add('toy', 'later', '2026-01-01T02:00:00.000001Z', clock);
    await world.add('toy', 'mine', '2026-01-01T02:00:00Z', clock);
    await advance(world, world.runner(kinds()), clock, '2026-01-01T02:00:00Z');
    expect(await world.diary()).toEqual(['2026-01-01T02:00:00Z toy mine']);
  });

  it('does not touch a clocked record when only the wall clock runs, however late it is', async () => {
    await world.add('toy', 'mine', '2026-01-01T00:00:01Z', clock);
    expect(await world.runner(kinds()).runOnce()).toBe(0);
    expect(await world.diary()).toEqual([]);
  });

  it('is not needed for what is due at the time that the clock shows', async () => {
    await world.add('toy', 'mine', '2026-01-01T00:00:00Z', clock);
    expect(await world.runner(kinds()).runOnce()).toBe(1);
    expect(await world.diary()).toEqual(['2026-01-01T00:00:00Z toy mine']);
    expect(await clockOf(world, clock)).toEqual({ time: '2026-01-01T00:00:00Z', to: null });
  });

  it('is taken up by any worker after a crash', async () => {
    await world.add('toy', 'every-6', '2026-01-01T06:00:00Z', clock);
    await send(world, clock, '2026-01-01T12:00:00Z'); // and its driving process is gone
    await world.runner(kinds()).runOnce();
    expect(await world.diary()).toEqual(['2026-01-01T06:00:00Z toy every-6', '2026-01-01T12:00:00Z toy every-6']);
    expect(await clockOf(world, clock)).toEqual({ time: '2026-01-01T12:00:00Z', to: null });
  });

  it('takes no step twice however many drive it', async () => {
    await world.add('toy', 'every-1', '2026-01-01T01:00:00Z', clock);
    await world.add('other_toy', 'every-2', '2026-01-01T02:00:00Z', clock);
    await send(world, clock, '2026-01-02T00:00:00Z');
    const databases = Array.from({ length: 4 }, () => new Database({ url: world.url, connections: 3 }));
    const drivers = databases.map((database) => world.runner(kinds(), { database }));
    await Promise.all(drivers.map((driver) => driver.runClock({ merchantId: world.merchantId, id: clock })));
    await Promise.all(databases.map((database) => database.close()));
    const diary = await world.diary();
    expect(diary).toHaveLength(24 + 12);
    expect(new Set(diary).size).toBe(36);
    expect(diary).toEqual(diary.toSorted((a, b) => (a.slice(0, 20) < b.slice(0, 20) ? -1 : 0)));
  });

  it('retries a step that throws at once, parks it after five attempts, and continues with the others', async () => {
    await world.add('toy', 'bad', '2026-01-01T01:00:00Z', clock);
    await world.add('toy', 'shaky', '2026-01-01T02:00:00Z', clock);
    await world.add('toy', 'good', '2026-01-01T03:00:00Z', clock);
    const tries: string[] = [];
    const kind: DueKind = {
      kind: 'toy',
      step: async (tx, record, now) => {
        tries.push(record.id);
        await everyHours('toy', () => clock).step(tx, record, now);
        if (record.id === 'bad' || (record.id === 'shaky' && tries.filter((id) => id === 'shaky').length < 3))
          throw new Error('not this one');
      },
    };
    await advance(world, world.runner([kind]), clock, '2026-01-01T04:00:00Z');
    expect(tries).toEqual([...Array(5).fill('bad'), 'shaky', 'shaky', 'shaky', 'good']);
    expect(await world.diary()).toEqual(['2026-01-01T02:00:00Z toy shaky', '2026-01-01T03:00:00Z toy good']);
    const failures = await world.in((tx) =>
      tx.rows(sql`select id, attempts, parked_at is not null as parked from due_failure`),
    );
    expect(failures).toEqual([{ id: 'bad', attempts: 5, parked: true }]);
    expect(await clockOf(world, clock)).toEqual({ time: '2026-01-01T04:00:00Z', to: null });
  });

  it('takes what is due at one instant as lists, of kinds that take them, and shows their steps', async () => {
    const sizes: string[] = [];
    const listing: DueKind = {
      ...everyHours('toy', () => clock),
      list: {
        most: 3,
        steps: async (tx, records, now) => {
          sizes.push(records.map(({ id }) => id).join(' '));
          for (const record of records) await everyHours('toy', () => clock).step(tx, record, now);
          return records.map(() => ({ isLater: false }));
        },
      },
    };
    for (const id of ['d', 'a', 'c', 'b']) await world.add('toy', id, '2026-01-01T01:00:00Z', clock);
    await world.add('toy', 'e', '2026-01-01T02:00:00Z', clock);
    await world.add('other_toy', 'f', '2026-01-01T01:00:00Z', clock);
    await advance(world, world.runner([listing, kinds()[1] as DueKind]), clock, '2026-01-01T02:00:00Z');
    expect(sizes).toEqual(['d a c']);
    expect((await world.diary()).map((line) => line.slice(21))).toEqual([
      ...['toy d', 'toy a', 'toy c', 'toy b', 'other_toy f', 'toy e'],
    ]);
    expect((await world.in((tx) => selectClock(tx, clock)))?.advanceSteps).toBe(6);
  });

  it('halves a list that throws, and counts only the record at fault, which is parked', async () => {
    const sizes: number[] = [];
    const step: DueKind['step'] = async (tx, record, now) => {
      await everyHours('toy', () => clock).step(tx, record, now);
      if (record.id === 'bad') throw new Error('not this one');
    };
    const steps: StepList['steps'] = async (tx, records, now) => {
      sizes.push(records.length);
      for (const record of records) await step(tx, record, now);
      return records.map(() => ({ isLater: false }));
    };
    for (const id of ['a', 'b', 'c', 'd', 'bad', 'e', 'f', 'g'])
      await world.add('toy', id, '2026-01-01T01:00:00Z', clock);
    await advance(
      world,
      world.runner([{ kind: 'toy', list: { most: 8, steps }, step }]),
      clock,
      '2026-01-01T02:00:00Z',
    );
    expect(sizes).toEqual([8, 4, 4, 2, 2]);
    expect((await world.diary()).map((line) => line.slice(25))).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const failures = await world.in((tx) => tx.rows(sql`select id, attempts from due_failure`));
    expect(failures).toEqual([{ id: 'bad', attempts: 5 }]);
  });

  it('waits for every holder of the clock’s lock, and is visible between its steps only', async () => {
    await world.add('toy', 'first', '2026-01-01T01:00:00Z', clock);
    const runner = world.runner(kinds());
    let run: Promise<void> | undefined;
    await world.in(async (tx) => {
      expect(await effectiveNow(tx, clock, world.now())).toEqual(at('2026-01-01T00:00:00Z'));
      await tx.run(sql`update test_clock set advancing_to = '2026-01-02T00:00:00Z' where id = ${clock}`);
      run = runner.runClock({ merchantId: world.merchantId, id: clock }).then(() => undefined);
      await note(tx, 'a request that began before');
    });
    await run;
    expect(await world.diary()).toEqual(['a request that began before', '2026-01-01T01:00:00Z toy first']);
  });

  it('never goes back, for any writer', async () => {
    await expect(
      world.in((tx) => tx.run(sql`update test_clock set clock_time = '2025-01-01T00:00:00Z' where id = ${clock}`)),
    ).rejects.toThrow('back to');
  });
});

describe('effective now', () => {
  let world: ToyWorld;
  beforeAll(async () => {
    world = await openToyWorld('2030-06-01T00:00:00Z');
  });
  afterAll(() => world.close());

  it('is wall time for what is on no clock, and the time of the clock for what is on one', async () => {
    const clock = await world.clock('2026-01-01T00:00:00Z');
    await world.in(async (tx) => {
      expect(await effectiveNow(tx, null, world.now())).toEqual(world.now());
      expect(await effectiveNow(tx, clock, world.now())).toEqual(at('2026-01-01T00:00:00Z'));
    });
  });

  it('of a clock that does not exist is a fault', async () => {
    await expect(world.in((tx) => effectiveNow(tx, 'tc_0', world.now()))).rejects.toThrow('tc_0');
  });

  it('lets a body name a clock that is there, and refuses unknown, deleted and foreign ones', async () => {
    const [clock, gone] = [await world.clock('2026-01-01T00:00:00Z'), await world.clock('2026-01-01T00:00:00Z')];
    await world.in(async (tx) => {
      await tx.run(sql`update test_clock set deleted_at = now() where id = ${gone}`);
      expect(await findClock(tx, clock)).toMatchObject({ ok: true, value: { id: clock } });
      for (const id of [gone, 'tc_0000000000000000'])
        expect(await findClock(tx, id)).toMatchObject({
          refusal: { kind: 'not_found', field: 'testClockId' },
        });
    });
    const foreign = await world.database.transaction({ merchants: ['org_other'] }, (tx) => findClock(tx, clock));
    expect(foreign).toMatchObject({ ok: false, refusal: { kind: 'forbidden' } });
  });
});

describe('one advance', () => {
  let world: ToyWorld;
  beforeAll(async () => {
    world = await openToyWorld('2030-06-01T00:00:00Z');
  });
  afterAll(() => world.close());

  it('equals many small ones, also where a step makes new work within the span (I-34)', async () => {
    const start = at('2026-01-01T00:00:00Z');
    const hours = 48;
    const toys = fc.array(
      fc.record({
        table: fc.constantFrom('toy' as const, 'other_toy' as const),
        name: fc.constantFrom('every-5', 'every-12', 'parent-9', 'once'),
        dueMinutes: fc.integer({ min: -120, max: hours * 60 }),
      }),
      { maxLength: 4 },
    );
    const cuts = fc.array(fc.integer({ min: 1, max: hours * 60 - 1 }), { maxLength: 5 });
    const story = async (
      work: readonly { table: 'toy' | 'other_toy'; name: string; dueMinutes: number }[],
      stops: number[],
    ) => {
      const clock = await world.clock(start.toString());
      await world.in(async (tx) => {
        await tx.run(sql`delete from toy`);
        await tx.run(sql`delete from other_toy`);
        await tx.run(sql`delete from diary`);
        for (const [index, { table, name, dueMinutes }] of work.entries())
          await addToy(tx, table, `${name}-${index}`, start.add({ minutes: dueMinutes }), clock);
      });
      const runner = world.runner([everyHours('other_toy', () => clock), everyHours('toy', () => clock)]);
      for (const minutes of stops) await advance(world, runner, clock, start.add({ minutes }).toString());
      const rows = await world.in((tx) =>
        tx.rows(sql`select id, steps, next_action_at::text as due from toy
          union all select id, steps, next_action_at::text from other_toy order by id`),
      );
      return { diary: await world.in(readDiary), rows };
    };
    await fc.assert(
      fc.asyncProperty(toys, cuts, async (work, stops) => {
        const whole = await story(work, [hours * 60]);
        const parts = await story(
          work,
          [...new Set([...stops, hours * 60])].toSorted((a, b) => a - b),
        );
        expect(parts).toEqual(whole);
      }),
      cases(4, 15),
    );
  }, 120_000);
});

it('knows nothing of a clock that is deleted', async () => {
  const world = await openToyWorld('2030-06-01T00:00:00Z');
  try {
    const clock = await world.clock('2026-01-01T00:00:00Z');
    await world.add('toy', 'mine', '2026-01-01T00:00:00Z', clock);
    await world.in((tx) => tx.run(sql`update test_clock set deleted_at = now() where id = ${clock}`));
    expect(await world.runner([everyHours('toy', () => clock)]).runOnce()).toBe(0);
    expect(await world.in((tx) => clockBook.lock(tx, { merchantId: world.merchantId, id: clock }))).toBeNull();
  } finally {
    await world.close();
  }
});
