import fc from 'fast-check';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cases } from '../../../test/support/cases.ts';
import { openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { sql } from '../../db/index.ts';
import { rebuild, type ShipperDependencies, shipRound } from './shipper.ts';
import { type ProjectionRow, selectProjectionsIn } from './shipping.sql.ts';
import { type Break, RememberingClickHouse } from './testing/remembering.ts';

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');
const later = (seconds: number) => NOW.add({ seconds });

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

let writer: pg.Client;
let store: RememberingClickHouse;
let dependencies: ShipperDependencies;
beforeEach(async () => {
  writer = new pg.Client({ connectionString: env.url });
  await writer.connect();
  await writer.query('truncate event, usage_projection, usage_shipment restart identity');
  store = new RememberingClickHouse();
  dependencies = { database: env.database, clickhouse: store, mode: { kind: 'single' }, mostEvents: 10 };
});
afterEach(() => writer.end());

/** Stores events as their owner, on a connection of its own, and answers their numbers. */
async function storeEvents(count: number, client: pg.Client = writer, data = '{"v":1}'): Promise<bigint[]> {
  const { rows } = await client.query<{ seq: string }>(
    `insert into event (merchant_id, at, type, source, subject_id, idempotency_key, data, accepted_at)
     select 'org_' || n % 3, '2026-02-01', 'call', 'test', n, 'k', $2, now()
       from generate_series(1, $1::int) n returning seq`,
    [count, data],
  );
  return rows.map(({ seq }) => BigInt(seq));
}

const stored = async (): Promise<bigint[]> =>
  (await writer.query<{ seq: string }>('select seq from event order by seq')).rows.map(({ seq }) => BigInt(seq));

const projections = (...states: ProjectionRow['state'][]): Promise<ProjectionRow[]> =>
  env.database.transaction('nobody', (tx) => selectProjectionsIn(tx, states));

const serving = async (): Promise<string> => {
  const [found] = await projections('serving');
  if (!found) throw new Error('No projection is serving.');
  return found.name;
};

/** Rounds until everything is shipped. As in a worker, a broken round is tried again. */
async function shipAll(now = NOW): Promise<number> {
  for (let failures = 0; failures < 100; ) {
    try {
      if ((await shipRound(dependencies, now)).caughtUp) return failures;
    } catch {
      failures += 1;
    }
  }
  throw new Error('Shipping does not come to an end.');
}

describe('shipping', () => {
  it('brings each event once, in the order of acceptance', async () => {
    await storeEvents(35);
    await shipAll();
    await storeEvents(3);
    await shipAll();
    expect(store.seqsOf(await serving())).toEqual(await stored());
  });

  it('has nothing to ship where there is nothing, and serves then', async () => {
    expect(await shipRound(dependencies, NOW)).toMatchObject({ events: 0, caughtUp: true });
    expect(await projections('serving')).toHaveLength(1);
  });

  it.each<{ when: Break; table: string }>([
    { when: 'before', table: 'event' },
    { when: 'after', table: 'event' },
    { when: 'before', table: 'batch' },
    { when: 'after', table: 'batch' },
  ])('sends the same again where it broke off $when an insert into $table', async ({ when, table }) => {
    await storeEvents(25);
    const sent: string[] = [];
    store.onInsert = (name, token) => {
      if (!name.startsWith(table)) return null;
      sent.push(token);
      return sent.filter((each) => each === token).length <= 2 ? when : null;
    };
    expect(await shipAll()).toBeGreaterThan(0);
    expect(store.seqsOf(await serving())).toEqual(await stored());
    if (when === 'before') expect(sent).toHaveLength(3 * 3);
  });

  it('sends the same again though events have come in meanwhile', async () => {
    await storeEvents(5);
    store.onInsert = (name) => (name.startsWith('event') ? 'after' : null);
    await expect(shipRound(dependencies, NOW)).rejects.toThrow('broke');
    await storeEvents(5);
    store.onInsert = () => null;
    await shipAll();
    expect(store.seqsOf(await serving())).toEqual(await stored());
  });

  it('waits for open transactions with events, and misses none', async () => {
    const slow = new pg.Client({ connectionString: env.url });
    await slow.connect();
    await slow.query('begin');
    const hidden = await storeEvents(2, slow);
    const seen = await storeEvents(2); // later in the order, and committed first
    let isDone = false;
    const round = shipRound(dependencies, NOW).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isDone).toBe(false);
    await slow.query('commit');
    await slow.end();
    await round;
    await shipAll();
    expect(store.seqsOf(await serving())).toEqual([...hidden, ...seen]);
  });

  it('passes by what was rolled back', async () => {
    await writer.query('begin');
    await storeEvents(30);
    await writer.query('rollback');
    const kept = await storeEvents(2);
    await shipAll();
    expect(store.seqsOf(await serving())).toEqual(kept);
    const { batches } = await writer
      .query<{ batches: number }>('select count(*)::int as batches from usage_shipment')
      .then(({ rows }) => rows[0] ?? { batches: 0 });
    expect(batches).toBe(2); // the gap of any length, and the events after it
  });

  it('ships each event once, with any number of writers and shippers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            count: fc.integer({ min: 1, max: 12 }),
            pause: fc.integer({ max: 20, min: 0 }),
            keep: fc.boolean(),
          }),
          {
            minLength: 2,
            maxLength: 6,
          },
        ),
        async (transactions) => {
          const storing = transactions.map(async ({ count, pause, keep }) => {
            const client = new pg.Client({ connectionString: env.url });
            await client.connect();
            await client.query('begin');
            await storeEvents(count, client);
            await new Promise((resolve) => setTimeout(resolve, pause));
            await client.query(keep ? 'commit' : 'rollback');
            await client.end();
          });
          await Promise.all([...storing, shipAll(), shipAll()]);
          await shipAll();
          expect(store.seqsOf(await serving())).toEqual(await stored());
        },
      ),
      cases(2, 8),
    );
  });

  it('makes batches small where events are large', async () => {
    await storeEvents(6, writer, `{"v":"${'x'.repeat(1000)}"}`);
    dependencies = { ...dependencies, mostBytes: 2_500 };
    await shipAll();
    const counts = await env.database.transaction('nobody', (tx) =>
      tx.rows<{ eventCount: number }>(sql`select event_count from usage_shipment order by batch_no`),
    );
    expect(counts.map(({ eventCount }) => eventCount)).toEqual([2, 2, 2]);
    dependencies = { ...dependencies, mostBytes: 10 };
    await storeEvents(2, writer, '{"v":"longer than ten bytes"}');
    await shipAll();
    expect(store.seqsOf(await serving())).toEqual(await stored());
  });

  it('waits for more where there is little, once it serves', async () => {
    dependencies = { ...dependencies, patienceSeconds: 30 };
    await storeEvents(3);
    expect(await shipRound(dependencies, NOW)).toMatchObject({ events: 3, caughtUp: true }); // no server answers yet
    await storeEvents(4);
    expect(await shipRound(dependencies, later(29))).toMatchObject({ events: 0, caughtUp: false });
    expect(await shipRound(dependencies, later(30))).toMatchObject({ events: 4, caughtUp: true });
    await storeEvents(12);
    expect(await shipRound(dependencies, later(31))).toMatchObject({ events: 10, caughtUp: false }); // a whole batch
    expect(store.seqsOf(await serving())).toEqual((await stored()).slice(0, 17));
  });

  it('leaves the rest for the next round where there is much', async () => {
    await storeEvents(35);
    dependencies = { ...dependencies, mostBatches: 2 };
    expect(await shipRound(dependencies, NOW)).toEqual({ batches: 2, events: 20, caughtUp: false });
    expect(await projections('serving')).toEqual([]);
    expect(await shipRound(dependencies, NOW)).toEqual({ batches: 2, events: 15, caughtUp: true });
    expect(await projections('serving')).toHaveLength(1);
  });
});

describe('a projection', () => {
  it('is built again after ClickHouse was emptied', async () => {
    await storeEvents(15);
    await shipAll();
    const lost = await serving();
    store.forget();
    await storeEvents(1);
    await expect(shipRound(dependencies, NOW)).rejects.toThrow('has 0 batches, but batch 3 is the next');
    expect(await projections('serving')).toEqual([]);
    await shipAll();
    expect(await serving()).not.toBe(lost);
    expect(store.seqsOf(await serving())).toEqual(await stored());
  });

  it('is built again without its tables', async () => {
    await storeEvents(5);
    await shipAll();
    store.tables.clear();
    await storeEvents(1);
    await expect(shipRound(dependencies, NOW)).rejects.toThrow('is missing');
    await shipAll();
    expect(store.seqsOf(await serving())).toEqual(await stored());
  });

  it('is built again if ClickHouse has more events than this database has shipped', async () => {
    await storeEvents(15);
    await shipAll();
    await writer.query('delete from usage_shipment where batch_no = 2'); // a backup from before
    await storeEvents(1);
    await expect(shipRound(dependencies, NOW)).rejects.toThrow('has 2 batches, but batch 2 is the next');
    await shipAll();
    expect(store.seqsOf(await serving())).toEqual(await stored());
  });

  it('continues to answer while another is built, and is removed when no query uses it any more', async () => {
    await storeEvents(25);
    await shipAll();
    const first = await serving();
    await rebuild(env.database, 'a test', NOW);
    dependencies = { ...dependencies, mostBatches: 1 };
    await shipRound(dependencies, NOW);
    expect(await serving()).toBe(first);
    await storeEvents(2);
    await shipAll();
    expect(await serving()).not.toBe(first);
    expect(store.seqsOf(await serving())).toEqual(await stored());
    expect(store.seqsOf(first).length).toBeGreaterThan(0);
    await shipRound(dependencies, later(119));
    expect(store.tables.has(`event_${first}`)).toBe(true);
    await shipRound(dependencies, later(121));
    expect(store.tables.has(`event_${first}`)).toBe(false);
    expect(await projections('dropped')).toHaveLength(1);
  });

  it('is built once for any number of requests', async () => {
    await storeEvents(5);
    await shipAll();
    await Promise.all([rebuild(env.database, 'a', NOW), rebuild(env.database, 'b', NOW)]);
    expect(await projections('new')).toHaveLength(1);
  });
});

it('relies on numbers that are given one by one', async () => {
  const { rows } = await writer.query(
    `select cache_size::int, increment_by::int from pg_sequences where format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence('event', 'seq')`,
  );
  // a cached number could be used after later ones were shipped
  expect(rows).toEqual([{ cache_size: 1, increment_by: 1 }]);
});
