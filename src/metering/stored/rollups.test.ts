import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cloneDatabase } from '../../../test/support/environment.ts';
import { isWaitedFor } from '../../../test/support/locks.ts';
import { Database, jsonb, sql, type Tx } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import { createIntake } from '../intake/intake.ts';
import type { Meter } from '../meter/meter.ts';
import { rawUsage, usage } from '../usage/usage.ts';
import type { MeterRegistry } from './events.ts';
import { backfillChore, registerMeter, unreadDefinitionsChore } from './rollups.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
let merchantId: string;
beforeAll(async () => {
  clone = await cloneDatabase();
  database = new Database({ url: clone.url });
  const owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
  await owner.query(`
    create table meter_of_test (merchant_id text not null, name text not null, meter jsonb not null, primary key (merchant_id, name));
    call tenant_table('meter_of_test')`);
  await owner.end();
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});
beforeEach(() => {
  merchantId = newId('organization');
});

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');

const sumOf = (path: string, groupBy: Meter['groupBy'] = null): Meter => ({
  eventType: 'call',
  aggregation: 'SUM',
  valueProperty: `$.${path}`,
  groupBy,
  eventFrom: null,
});

const inMerchant = <T>(work: (tx: Tx) => Promise<T>) => database.transaction({ merchants: [merchantId] }, work);

/** The catalog of these tests. */
const metersOf: MeterRegistry = async (tx, owner) => {
  const rows = await tx.rows<{ name: string; meter: Meter }>(
    sql`select name, meter from meter_of_test where merchant_id = ${owner}`,
  );
  return rows.map(({ name, meter }) => ({ id: name, merchantId: owner as string, meter }));
};

/** Makes a meter or changes it, as the catalog does. */
async function put(tx: Tx, name: string, meter: Meter): Promise<void> {
  await tx.run(sql`
    insert into meter_of_test (merchant_id, name, meter) values (${merchantId}, ${name}, ${jsonb(meter)})
        on conflict (merchant_id, name) do update set meter = excluded.meter`);
  await registerMeter(tx, meter);
}

const remove = (tx: Tx, name: string) =>
  tx.run(sql`delete from meter_of_test where merchant_id = ${merchantId} and name = ${name}`);

let sent = 0;
async function send(count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({
    merchantId,
    type: 'call',
    source: 'test',
    subject: null,
    externalSubject: `customer ${n % 3}`,
    externalId: null,
    at: NOW.add({ minutes: 20 * n }).toString(),
    isTimeSent: true,
    idempotencyKey: `k${sent + n}`,
    data: JSON.stringify({ a: 1, b: 0.5, model: `m${n % 2}` }),
  }));
  sent += count;
  await createIntake(database).accept(events, NOW);
}

const definitionPaths = () =>
  inMerchant(async (tx) => {
    const rows = await tx.rows<{ path: string }>(
      sql`select path from rollup_definition where merchant_id = ${merchantId} order by path, dimensions`,
    );
    return rows.map(({ path }) => path);
  });

/** Roll-ups of existing definitions, of others, and definitions with roll-ups that wait for their deletion. */
const rollups = () =>
  inMerchant((tx) =>
    tx.one<{ read: number; stray: number; waiting: number }>(sql`
      select count(*) filter (where s.id is not null)::int as read, count(*) filter (where s.id is null)::int as stray,
             (select count(*)::int from rollup_definition_deleted) as waiting
        from (select definition_id from usage_rollup union all select definition_id from usage_value) r
        left join rollup_definition s on s.id = r.definition_id`),
  );

const giveUp = (registry: MeterRegistry = metersOf) => unreadDefinitionsChore(registry).run(database, NOW);

const figures = async (meter: Meter) => {
  const scope = { merchantId, meter, sources: null, from: NOW, to: NOW.add({ hours: 24 * 30 }) };
  return inMerchant(async (tx) => {
    const [rolled] = await usage(tx, scope);
    const [[raw] = []] = await rawUsage.measure(tx, scope, [{}]);
    expect(rolled).toEqual(raw);
    return rolled?.eventCount;
  });
};

describe('a definition that no meter reads', () => {
  it.each([
    { name: 'any more, because its meter was changed,', change: (tx: Tx) => put(tx, 'one', sumOf('b')), left: ['b'] },
    {
      name: 'any more, because its meter was deleted,',
      change: async (tx: Tx) => void (await remove(tx, 'one')),
      left: [],
    },
    {
      name: 'by the same dimensions',
      change: (tx: Tx) => put(tx, 'one', sumOf('a', { by: '$.model' })),
      left: ['a'],
    },
  ])('$name is given up, with all that was added up for it', async ({ change, left }) => {
    await inMerchant((tx) => put(tx, 'one', sumOf('a')));
    await send(30);
    expect(await rollups()).toEqual({ read: 30, stray: 0, waiting: 0 });
    await inMerchant(change);
    await giveUp();
    expect(await definitionPaths()).toEqual(left);
    expect(await rollups()).toEqual({ read: 0, stray: 0, waiting: 0 });
    await send(30);
    await backfillChore.run(database, NOW);
    expect(await rollups()).toMatchObject({ stray: 0, waiting: 0 });
    for (const meter of [sumOf('a'), sumOf('b')]) expect(await figures(meter)).toBe(60);
  });

  it('but one does that reads the same values by the same dimensions, stays', async () => {
    const max: Meter = { ...sumOf('a'), aggregation: 'MAX' };
    await inMerchant((tx) => put(tx, 'one', sumOf('a')));
    await inMerchant((tx) => put(tx, 'two', max));
    await send(3);
    await inMerchant((tx) => remove(tx, 'one'));
    await giveUp();
    expect([await definitionPaths(), await rollups()]).toEqual([['a'], { read: 3, stray: 0, waiting: 0 }]);
    await inMerchant((tx) => remove(tx, 'two'));
    await giveUp();
    expect([await definitionPaths(), await rollups()]).toEqual([[], { read: 0, stray: 0, waiting: 0 }]);
  });

  it('loses the values of a set too', async () => {
    await inMerchant((tx) => put(tx, 'one', { ...sumOf('a'), aggregation: 'UNIQUE_COUNT' }));
    await send(3);
    expect((await rollups()).read).toBe(6);
    await inMerchant((tx) => remove(tx, 'one'));
    await giveUp();
    expect(await rollups()).toEqual({ read: 0, stray: 0, waiting: 0 });
  });

  it('is built again, with all events, when a meter reads it again', async () => {
    await inMerchant((tx) => put(tx, 'one', sumOf('a')));
    await send(5);
    await inMerchant((tx) => remove(tx, 'one'));
    await giveUp();
    await send(5);
    await inMerchant((tx) => put(tx, 'two', sumOf('a')));
    await backfillChore.run(database, NOW);
    expect((await rollups()).read).toBeGreaterThan(0);
    expect(await figures(sumOf('a'))).toBe(10);
  });

  it('is found among many merchants, some at a time', async () => {
    const merchants = Array.from({ length: 5 }, () => newId('organization'));
    for (merchantId of merchants) await inMerchant((tx) => registerMeter(tx, sumOf('a')));
    const chore = unreadDefinitionsChore(metersOf, 2);
    for (let run = 0; run < 4; run += 1) await chore.run(database, NOW);
    for (merchantId of merchants) expect(await definitionPaths()).toEqual([]);
  });
});

describe('a definition that is dropped while a meter that reads it is created', () => {
  /** The registry of meters before a change: the first question. */
  const nobodyReads: MeterRegistry = async () => [];

  it('stays, where the meter was first', async () => {
    await inMerchant((tx) => registerMeter(tx, sumOf('a')));
    let asked = 0;
    const registry: MeterRegistry = (tx, owner) => {
      if (owner === merchantId) asked += 1;
      return owner === merchantId && asked === 1 ? nobodyReads(tx, owner) : metersOf(tx, owner);
    };
    const givingUp = await inMerchant(async (tx) => {
      await put(tx, 'one', sumOf('a'));
      const under = giveUp(registry);
      while (!(await isWaitedFor(tx)));
      return { under, asked };
    });
    expect(givingUp.asked).toBe(1);
    await givingUp.under;
    expect(asked).toBe(2);
    expect(await definitionPaths()).toEqual(['a']);
  });

  it('is built again if it was dropped first', async () => {
    await inMerchant((tx) => registerMeter(tx, sumOf('a')));
    await send(5);
    let making: Promise<void> | undefined;
    const registry: MeterRegistry = async (tx, owner) => {
      const found = await metersOf(tx, owner);
      const isLocked =
        (await tx.rows(sql`select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`)).length > 0;
      if (isLocked) {
        making = inMerchant((other) => put(other, 'one', sumOf('a')));
        while (!(await isWaitedFor(tx)));
      }
      return found;
    };
    await giveUp(registry);
    expect(making).toBeDefined();
    await making;
    await backfillChore.run(database, NOW);
    expect(await definitionPaths()).toEqual(['a']);
    expect(await figures(sumOf('a'))).toBe(5);
    expect(await rollups()).toMatchObject({ stray: 0, waiting: 0 });
  });

  it('is right in any order, with events coming in', async () => {
    let isOver = false;
    const repeatedly = async (work: (round: number) => Promise<unknown>) => {
      for (let round = 0; !isOver; round += 1) await work(round);
    };
    const meters = [sumOf('a'), sumOf('b'), sumOf('a', { by: '$.model' })];
    let gaveUp = 0;
    const others = [
      repeatedly(() => send(9)),
      repeatedly(async () => {
        await giveUp();
        gaveUp += 1;
      }),
      repeatedly(() => giveUp()),
      repeatedly(() => backfillChore.run(database, NOW)),
    ];
    for (let round = 0; round < 60 || gaveUp < 20; round += 1) {
      const meter = meters[round % meters.length] as Meter;
      await inMerchant<unknown>((tx) => (round % 4 === 3 ? remove(tx, 'one') : put(tx, 'one', meter)));
      await inMerchant((tx) => put(tx, 'two', meters[(round * 2) % meters.length] as Meter));
    }
    isOver = true;
    await Promise.all(others);
    await giveUp();
    await backfillChore.run(database, NOW);
    const wanted = (await inMerchant((tx) => metersOf(tx, merchantId))).map(({ meter }) => meter);
    const paths = new Set(wanted.map(({ valueProperty, groupBy }) => `${valueProperty} ${groupBy?.by}`));
    expect((await definitionPaths()).length).toBe(paths.size);
    expect(await rollups()).toMatchObject({ stray: 0, waiting: 0 });
    for (const meter of meters) await figures(meter);
  }, 60_000);
});
