import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Database } from '../src/db/index.ts';
import { keyTables, sealKeys } from '../src/metering/generations.sql.ts';
import { MOST_BYTES, tendKeys } from '../src/metering/generations.ts';
import { median, numbersOf } from './support/arguments.ts';
import { processorSeconds, type Stack, type Target, withStack } from './support/stack.ts';

/** What a store that has many keys already writes for each new event, and how fast it takes them in beside an empty one. See README.md. */

const { keys, events, pairs, connections, subjects, batch } = numbersOf({
  keys: 10_000_000,
  events: 600_000,
  pairs: 3,
  connections: 4,
  subjects: 1_000,
  batch: 1_000,
});

const MOST_WAL_BYTES = 1_200;
const LEAST_RATIO = 0.8;
const KEYS_AT_ONCE = 100_000;
const order = { connections, batch, subjects, seconds: 600 };

const warm = (stack: Stack, target: Target, run: number) =>
  stack.load(target, { ...order, seconds: 3, firstKey: run * 1e12 });

/** Right after a checkpoint, when each page that is touched is written to the log whole. */
async function pass(stack: Stack, client: pg.Client, target: Target, run: number, store: string) {
  await client.query('checkpoint');
  const before = { wal: await walBytes(client), images: await imagesOf(client) };
  const processor = [processorSeconds(stack.postgresId), processorSeconds(target.processId)] as const;
  const report = await stack.load(target, { ...order, requests: events / batch, firstKey: run * 1e12 });
  const cost = (used: number) => (used / report.events) * 1e6;
  const postgres = cost(processorSeconds(stack.postgresId) - processor[0]);
  const node = cost(processorSeconds(target.processId) - processor[1]);
  const eventsPerSecond = report.events / report.seconds;
  const bytes = ((await walBytes(client)) - before.wal) / report.events;
  const images = ((await imagesOf(client)) - before.images) / report.events;
  console.log(
    `  ${store.padEnd(17)} ${Math.round(eventsPerSecond).toLocaleString('en').padStart(8)} events/s   ${bytes.toFixed(0)} bytes of WAL, ${images.toFixed(3)} whole pages, PostgreSQL ${postgres.toFixed(1)} µs, Node ${node.toFixed(1)} µs an event${report.refused > 0 ? `   refused ${report.refused}` : ''}`,
  );
  return { eventsPerSecond, bytes, microseconds: postgres + node };
}

/** Until the connections of another database have ended: else their processor time would be missing in the middle of a pass. */
async function othersGone(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      `select count(*)::int as others from pg_stat_activity where datname <> current_database() and backend_type = 'client backend'`,
    );
    if (rows[0].others === 0) return;
    await sleep(100);
  }
}

async function walBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes");
  return rows[0].bytes;
}

async function imagesOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query('select wal_fpi::float8 as images from pg_stat_wal');
  return rows[0].images;
}

/**
 * Keys as events leave them, in no order, sealed and tended to as a worker does it whenever it is time; and half a generation
 * of them that is not sealed yet, which is the middle between the best and the worst.
 */
async function preload(stack: Stack, client: pg.Client, url: string, merchantId: string): Promise<void> {
  const database = new Database({ url, statementTimeout: 600_000 });
  const began = performance.now();
  const isFull = async () => (await bytesOf(client, 'event_key')) > MOST_BYTES;
  const sealing = { wal: 0, processor: 0 };
  const seal = async () => {
    const before = { wal: await walBytes(client), processor: processorSeconds(stack.postgresId) };
    await database.transaction('nobody', (tx) => sealKeys(tx, 0));
    await tendKeys(database);
    sealing.wal += (await walBytes(client)) - before.wal;
    sealing.processor += processorSeconds(stack.postgresId) - before.processor;
  };
  let made = 0;
  let inActive = 0;
  let half = Math.floor(keys / 2);
  const fill = async (count: number) => {
    await client.query(
      `insert into event_key select $1, md5('key ' || n)::uuid, 'evt_202601' || left(md5('event ' || n), 30), n
         from generate_series($2::bigint, $3::bigint) n order by 2`,
      [merchantId, made + 1, made + count],
    );
    made += count;
    inActive += count;
  };
  while (keys - made > half) {
    await fill(Math.min(KEYS_AT_ONCE, keys - made - half));
    if (await isFull()) half = Math.min(half, Math.floor(inActive / 2));
    if ((await isFull()) || keys - made === half) {
      await seal();
      inActive = 0;
    }
  }
  while (made < keys) await fill(Math.min(KEYS_AT_ONCE, keys - made));
  const perKey = (used: number) => used / made;
  const { generations, parts } = await database.transaction('nobody', keyTables);
  console.log(
    `  ${made.toLocaleString('en')} keys in ${((performance.now() - began) / 1000).toFixed(0)} s: ${inActive.toLocaleString('en')} active, ${generations.length} sealed generations, ${parts.length} parts of the sieve with ${(await sieveBytes(client, parts)).toFixed(1)} bytes a key`,
  );
  console.log(
    `  sealing, sifting and merging: ${perKey(sealing.wal).toFixed(0)} bytes of WAL and ${perKey(sealing.processor * 1e6).toFixed(1)} µs of PostgreSQL a key`,
  );
  await database.close();
}

async function bytesOf(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query('select event_key_bytes($1)::float8 as bytes', [table]);
  return rows[0].bytes;
}

async function sieveBytes(client: pg.Client, parts: readonly { name: string; keyCount: number }[]): Promise<number> {
  let bytes = 0;
  for (const { name } of parts) {
    const { rows } = await client.query('select pg_total_relation_size($1)::float8 as bytes', [name]);
    bytes += rows[0].bytes;
  }
  return bytes / parts.reduce((total, { keyCount }) => total + keyCount, 0);
}

async function wal(stack: Stack): Promise<void> {
  const url = await stack.database();
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // what failed is told by what failed
  await client.connect();
  // Vacuuming writes too, some time later and for many passes at once: it would be counted for the one that happens to run.
  await client.query('alter system set autovacuum = off');
  await client.query('select pg_reload_conf()');
  await stack.serving(url, async (full) => {
    await preload(stack, client, url, full.merchantId);
    await warm(stack, full, 1);
    const ratios: number[] = [];
    const costs: number[] = [];
    const bytes: number[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      const empty = await stack.serving(await stack.database(), async (target) => {
        await warm(stack, target, 1);
        return pass(stack, client, target, 2, 'an empty store');
      });
      await othersGone(client);
      const found = await pass(stack, client, full, pair + 2, `${keys.toLocaleString('en')} keys`);
      ratios.push(found.eventsPerSecond / empty.eventsPerSecond);
      costs.push(found.microseconds / empty.microseconds);
      bytes.push(found.bytes);
    }
    const yes = (holds: boolean) => (holds ? 'yes' : 'NO');
    const [written, ratio] = [median(bytes), median(ratios)];
    console.log(
      `  ingest.wal, bytes of WAL an event               ${written.toFixed(0)}   wanted ≤ ${MOST_WAL_BYTES}   ${yes(written <= MOST_WAL_BYTES)}`,
    );
    console.log(`  processor time of PostgreSQL and Node ÷ that of an empty store  ${median(costs).toFixed(2)}`);
    console.log(
      `  ingest.wal, events/s ÷ those of an empty store  ${ratio.toFixed(2)}   wanted ≥ ${LEAST_RATIO}   ${yes(ratio >= LEAST_RATIO)}`,
    );
  });
  await client.end();
}

await withStack(wal);
