import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { cloneDatabase } from '../../../test/support/environment.ts';
import { Database, sql, sqlState, type Tx } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import type { IncomingEvent } from '../events/incoming-event.ts';
import { acceptEvents, createIntake } from '../intake/intake.ts';
import { beginKeyWork, continueKeyWork, sealKeys, selectKeyTables } from './generations.sql.ts';
import { keyGenerationChore, tendKeys } from './generations.ts';
import { type KeyLimits, planKeyWork } from './generations-plan.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
let owner: pg.Client;
let merchantId: string;

beforeEach(async () => {
  clone = await cloneDatabase();
  database = new Database({ url: clone.url, onConnectionError: () => undefined });
  owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
  merchantId = newId('organization');
  return async () => {
    await owner.end();
    await database.close();
    await clone.drop();
  };
});

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');

const eventOf = (idempotencyKey: string, more: Partial<IncomingEvent> = {}): IncomingEvent => ({
  merchantId,
  type: 'call',
  source: 'test',
  subject: null,
  externalSubject: 'acme',
  externalId: null,
  at: '2026-03-01T00:00:00Z',
  isTimeSent: true,
  idempotencyKey,
  data: '{}',
  ...more,
});

const inMerchant = <T>(work: (tx: Tx) => Promise<T>) => database.transaction({ merchants: [merchantId] }, work);
const byNobody = <T>(work: (tx: Tx) => Promise<T>) => database.transaction('nobody', work);
const seal = () => byNobody((tx) => sealKeys(tx, 0));

/** So few keys lead to many slices, to several parts of the sieve, and to places with ever more digits. */
const SMALL: KeyLimits = { generations: 2, sieveRatio: 2, keysOfPlace: 0.004, bytesOfSlice: 20_000 };

/** The stored entries of every key, in any table. */
const allKeys = async () => {
  const { rows } = await owner.query<{ seq: string; n: number }>(
    `select seq, count(*)::int as n from (
       select seq from event_key union all select seq from event_key_sealed) keys group by seq`,
  );
  return rows;
};

const tables = async () => {
  const { generations, parts, underWay } = await byNobody(selectKeyTables);
  return { generations: generations.length, parts: parts.length, underWay };
};

/** The tables for keys, apart from the active one and the given ones. */
const strayTables = async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class
      where relkind in ('r', 'p') and relname ~ '^event_key_(sieve_)?\\d' and not relispartition
        and relname not in (select name from event_key_generation union all select name from event_key_sieve_part
                            union all select name from event_key_work)`,
  );
  return rows;
};

/** Some generations with keys. The event's id identifies each key. */
async function sealed(generations: number, keys: number): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const intake = createIntake(database);
  for (let generation = 0; generation < generations; generation += 1) {
    const events = Array.from({ length: keys }, (_, n) => eventOf(`${generation}.${n}`));
    for (const { id, idempotencyKey } of await intake.accept(events, NOW)) ids.set(idempotencyKey, id);
    expect(await seal()).toBe(true);
  }
  return ids;
}

/** Every event again, with as many new ones: the new ones, and all ids. */
async function expectFound(ids: ReadonlyMap<string, string>, round: string): Promise<void> {
  const fresh = [...ids.keys()].map((key) => eventOf(`${round} ${key}`));
  const again = [...ids.keys()].map((key) => eventOf(key));
  const answered = await createIntake(database).accept([...again, ...fresh], NOW);
  expect(answered.slice(0, again.length).map(({ id }) => id)).toEqual([...ids.values()]);
  const stored = await allKeys();
  expect(stored.filter(({ n }) => n !== 1)).toEqual([]);
  const { rows } = await owner.query(`select count(*)::int as events from event`);
  expect(stored.length).toBe(rows[0].events);
}

describe('sealed keys', () => {
  it('are found before, between and after all steps in which they are sifted and merged, whether a step is undone or not', async () => {
    const ids = await sealed(4, 60);
    const seen = new Set<string>();
    for (let step = 0; ; step += 1) {
      for (const work of planKeyWork(await byNobody(selectKeyTables), SMALL))
        await byNobody((tx) => beginKeyWork(tx, work));
      let hasStepped = false;
      for (const kind of ['sieve', 'generation'] as const) {
        const undone = byNobody(async (tx) => {
          await continueKeyWork(tx, kind);
          throw new Error('undone');
        });
        await expect(undone).rejects.toThrow('undone');
        await expectFound(ids, `${step} ${kind} undone`);
        if (hasStepped) continue;
        hasStepped = await byNobody((tx) => continueKeyWork(tx, kind));
        await expectFound(ids, `${step} ${kind}`);
      }
      const { generations, parts, underWay } = await tables();
      seen.add(`${generations} ${parts} ${underWay.toSorted().join()}`);
      if (!hasStepped) break;
    }
    expect(await strayTables()).toEqual([]);
    const { generations, parts, underWay } = await tables();
    expect(underWay).toEqual([]);
    // how many follows from their pages, which undone steps fill
    expect(generations).toBeLessThanOrEqual(SMALL.generations);
    expect(parts).toBeGreaterThan(0);
    expect([...seen].some((each) => each.endsWith('generation,sieve'))).toBe(true);
  }, 120_000);

  it('are told from others by the sieve alone, in places with more digits the more there are', async () => {
    const digits = new Set<number>();
    let ids = new Map<string, string>();
    for (let round = 0; round < 4; round += 1) {
      const intake = createIntake(database);
      const size = 100 * 4 ** round;
      for (let start = 0; start < size; start += 400) {
        const events = Array.from({ length: Math.min(400, size - start) }, (_, n) => eventOf(`${round}.${start + n}`));
        for (const { id, idempotencyKey } of await intake.accept(events, NOW)) ids.set(idempotencyKey, id);
      }
      await seal();
      await tendKeys(database, { ...SMALL, sieveRatio: 1_000 });
      const { rows } = await owner.query('select name, digits, key_count::int as keys from event_key_sieve_part');
      expect(rows.map(({ keys }) => keys)).toEqual([ids.size]);
      digits.add(rows[0].digits);
      const sums = await owner.query(
        `select sum(octet_length(suffixes) / 3)::int as keys, min(length(prefix)) as least,
                max(length(prefix)) as most
           from ${rows[0].name}`,
      );
      expect(sums.rows).toEqual([{ keys: ids.size, least: rows[0].digits, most: rows[0].digits }]);
    }
    expect([...digits]).toEqual([4, 5, 6]);
    ids = new Map([...ids].filter((_, place) => place % 40 === 0));
    await expectFound(ids, 'digits');
    const asked = await owner.query(
      `select count(*)::int as n from sealed_event_keys('{1}', array_fill(1, array[5000]), (select array_agg(gen_random_uuid()) from generate_series(1, 5000)))`,
    );
    expect(asked.rows).toEqual([{ n: 0 }]);
  }, 60_000);

  it('with other content are refused, wherever they lie', async () => {
    await sealed(3, 5);
    for (const tended of [false, true]) {
      if (tended) await tendKeys(database, SMALL);
      for (const key of ['0.0', '1.1', '2.4'])
        await expect(createIntake(database).accept([eventOf(key, { data: '{"v":2}' })], NOW)).rejects.toMatchObject({
          refusal: { code: 'IDEMPOTENCY_KEY_REUSED' },
        });
    }
  });

  it('belong to another merchant, without an effect on this one', async () => {
    await sealed(3, 5);
    await tendKeys(database, SMALL);
    const other = newId('organization');
    const seen = await database.transaction({ merchants: [other] }, (tx) =>
      tx.rows(sql`select * from event_key_sealed`),
    );
    expect(seen).toEqual([]);
    const [event] = await createIntake(database).accept([eventOf('0.0', { merchantId: other })], NOW);
    expect(event?.merchantId).toBe(other);
    expect((await allKeys()).length).toBe(16);
  });

  it('are never written by the application', async () => {
    await sealed(2, 5);
    await tendKeys(database, { ...SMALL, generations: 1 });
    const [generation] = (await byNobody(selectKeyTables)).generations;
    for (const statement of [
      sql`delete from ${sql.table(generation?.name ?? '')}`,
      sql`delete from event_key_generation`,
      sql`delete from event_key_sieve_part`,
      sql`select refresh_event_key_views()`,
    ])
      await expect(inMerchant((tx) => tx.run(statement))).rejects.toThrow(/permission denied/);
  });

  it('are not dropped while a merged generation lacks one of them', async () => {
    await sealed(3, 50);
    const tables = () => byNobody(selectKeyTables);
    await tendKeys(database, { ...SMALL, generations: 3 });
    const [work] = planKeyWork(await tables(), SMALL);
    await byNobody((tx) => beginKeyWork(tx, work as NonNullable<typeof work>));
    await owner.query(`delete from event_key_1 where h = (select h from event_key_1 order by h desc limit 1)`);
    await expect(tendKeys(database, SMALL)).rejects.toThrow(/have \d+ keys, and \d+ came/);
    expect((await tables()).generations.map(({ name }) => name)).toContain('event_key_1');
  });
});

describe('while events are accepted', () => {
  it('keys are sealed, sifted and merged by several at once, and each event counts once', async () => {
    const senders = 3;
    const intakes = [createIntake(database), createIntake(database)];
    const ids = new Map<string, string>();
    let isOver = false;
    let sealings = 0;
    const tend = async () => {
      while (!isOver) {
        if (await seal().catch(() => false)) sealings += 1;
        await tendKeys(database, SMALL);
      }
    };
    const send = async (sender: number) => {
      for (let n = 0; sealings < 40 || n < 100; n += 1) {
        const keys = [`${sender}.${n}`, `${sender}.${Math.floor(n / 2)}`, `shared.${n}`, `shared.${n % 7}`];
        const answered = await (intakes[n % 2] as (typeof intakes)[0]).accept(
          keys.map((key) => eventOf(key)),
          NOW,
        );
        for (const { id, idempotencyKey } of answered) {
          expect(ids.get(idempotencyKey) ?? id).toBe(id);
          ids.set(idempotencyKey, id);
        }
      }
    };
    const tending = Promise.all([tend(), tend()]);
    await Promise.all(Array.from({ length: senders }, (_, sender) => send(sender))).finally(() => {
      isOver = true;
    });
    await tending;
    await tendKeys(database, SMALL);
    await expectFound(ids, 'at the end');
    expect((await tables()).generations).toBeLessThanOrEqual(SMALL.generations);
    expect(await strayTables()).toEqual([]);
  }, 120_000);

  it.each([
    {
      name: 'is about to accept events',
      work: (tx: Tx) => tx.run(sql`select pg_advisory_xact_lock_shared(hashtextextended('event keys', 0))`),
    },
    { name: 'accepts events', work: (tx: Tx) => acceptEvents(tx, [eventOf('0.0'), eventOf('new')], NOW) },
    { name: 'reads keys', work: (tx: Tx) => tx.rows(sql`select * from event_key_sealed`) },
  ])(
    'no table of keys takes the place of others while somebody $name',
    async ({ work }) => {
      const ids = await sealed(1, 20);
      const steps = async () => {
        await seal().catch((error: unknown) => expect(sqlState(error)).toBe('55P03'));
        await tendKeys(database, SMALL);
        return tables();
      };
      const meanwhile = await inMerchant(async (tx) => {
        await work(tx);
        return steps();
      });
      expect(meanwhile).toEqual({ generations: 1, parts: 0, underWay: ['sieve'] });
      await createIntake(database).accept([eventOf('later')], NOW);
      expect(await steps()).toEqual({ generations: 2, parts: 1, underWay: [] });
      await expectFound(ids, 'afterwards');
    },
    60_000,
  );
});

it('a worker seals what is large enough, and tends to the rest beside its other work', async () => {
  await createIntake(database).accept([eventOf('a')], NOW);
  await keyGenerationChore(1_000_000).run(database, NOW);
  expect((await tables()).generations).toBe(0);
  const chore = keyGenerationChore(1);
  await chore.run(database, NOW);
  await expect.poll(() => tables()).toEqual({ generations: 1, parts: 1, underWay: [] });
  await chore.run(database, NOW);
  expect((await tables()).generations).toBe(1);
});
