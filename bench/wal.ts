import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Database } from '../src/db/index.ts';
import { sealKeys, selectKeyTables } from '../src/metering/keys/generations.sql.ts';
import { MOST_BYTES, tendKeys } from '../src/metering/keys/generations.ts';
import { median, numbersOf } from './support/arguments.ts';
import { processorSeconds, type Stack, type Target, withStack } from './support/stack.ts';

/**
 * What a store that has many keys already writes for each new event, and how fast it takes them in beside an empty one.
 * See README.md.
 */

const { keys, events, pairs, connections, subjects, batch } = numbersOf({
  keys: 10_000_000,
  events: 400_000,
  pairs: 2,
  connections: 4,
  subjects: 1_000,
  batch: 1_000,
});

const MOST_WAL_BYTES = 1_000;
const LEAST_RATIO = 0.8;
/** Half the keys of a generation. */
const HALF = 690_000;
/** As many keys as fill a generation. */
const GENERATION = 2 * HALF;
/** The active keys are made in parts, so that their index has room in its pages, as after many flushes. */
const KEYS_AT_ONCE = 50_000;
/** Kinds of records that are shown. */
const MOST_KINDS = 14;
const order = { connections, batch, subjects, seconds: 600 };

const warm = (stack: Stack, target: Target, run: number) =>
  stack.load(target, { ...order, seconds: 3, firstKey: run * 1e12 });

/** Right after a checkpoint, when each page that is touched is written to the log whole. */
async function pass(stack: Stack, client: pg.Client, target: Target, run: number, store: string) {
  await client.query('checkpoint');
  const { rows: places } = await client.query('select pg_current_wal_insert_lsn()::text as place');
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
  return {
    eventsPerSecond,
    bytes,
    microseconds: postgres + node,
    kinds: await kindsOf(client, places[0].place, report.events),
  };
}

interface Kind {
  readonly kind: string;
  readonly records: number;
  readonly bytes: number;
  readonly pages: number;
}

/** What was written to the log since a place in it, by the kind of record, for one event. */
async function kindsOf(client: pg.Client, since: string, ofEvents: number): Promise<Kind[]> {
  const { rows } = await client.query<Kind>(
    `select "resource_manager/record_type" as kind, count::float8 / $2 as records, record_size::float8 / $2 as bytes,
            fpi_size::float8 / $2 as pages
       from pg_get_wal_stats($1::pg_lsn, pg_current_wal_flush_lsn(), true)
      where count > 0 order by combined_size desc limit $3`,
    [since, ofEvents, MOST_KINDS],
  );
  return rows;
}

/**
 * Until the connections of another database have ended: else their processor time would be missing in the middle of a
 * pass.
 */
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

/** The keys of one merchant in a store, sealed and tended to as a worker does it whenever it is time. */
class Keys {
  readonly #stack: Stack;
  readonly #client: pg.Client;
  readonly #database: Database;
  readonly #merchantId: string;
  #made = 0;
  #wal = 0;
  #processor = 0;

  constructor(stack: Stack, client: pg.Client, database: Database, merchantId: string) {
    this.#stack = stack;
    this.#client = client;
    this.#database = database;
    this.#merchantId = merchantId;
  }

  /** Makes so many, of which so many are written at once, in the order of their hashes. */
  async make(count: number, atOnce: number): Promise<void> {
    const until = this.#made + count;
    while (this.#made < until) {
      const next = Math.min(atOnce, until - this.#made);
      await this.#client.query(
        `with made as (insert into merchant_number (merchant_id) values ($1) on conflict do nothing returning number)
         insert into event_key (merchant_number, h, seq, day, fp)
         select coalesce((select number from made), (select number from merchant_number where merchant_id = $1)),
                md5('key ' || n)::uuid, n, '2026-01-01', n
           from generate_series($2::bigint, $3::bigint) n order by 2`,
        [this.#merchantId, this.#made + 1, this.#made + next],
      );
      this.#made += next;
      if ((await bytesOf(this.#client, 'event_key')) > MOST_BYTES) await this.seal();
    }
  }

  async seal(): Promise<void> {
    const before = { wal: await walBytes(this.#client), processor: processorSeconds(this.#stack.postgresId) };
    await this.#database.transaction('nobody', (tx) => sealKeys(tx, 0));
    await tendKeys(this.#database);
    this.#wal += (await walBytes(this.#client)) - before.wal;
    this.#processor += processorSeconds(this.#stack.postgresId) - before.processor;
  }

  /**
   * Seals what is active and begins with half a generation, which is the middle between the best and the worst: the
   * more active keys, the more pages are touched.
   */
  async half(): Promise<void> {
    await this.seal();
    await this.make(Math.min(HALF, Math.floor(keys / 2)), KEYS_AT_ONCE);
  }

  async tell(): Promise<void> {
    const { generations, parts } = await this.#database.transaction('nobody', selectKeyTables);
    const sifted = parts.reduce((total, { keyCount }) => total + keyCount, 0);
    let bytes = 0;
    for (const { name } of parts) {
      const { rows } = await this.#client.query('select pg_total_relation_size($1)::float8 as bytes', [name]);
      bytes += rows[0].bytes;
    }
    console.log(
      `  ${this.#made.toLocaleString('en')} keys: ${generations.length} sealed generations, ${parts.length} parts of the sieve with ${(bytes / sifted).toFixed(1)} bytes a key`,
    );
    console.log(
      `  sealing, sifting and merging: ${(this.#wal / sifted).toFixed(0)} bytes of WAL and ${((this.#processor / sifted) * 1e6).toFixed(1)} µs of PostgreSQL a key`,
    );
  }
}

async function bytesOf(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query('select event_key_bytes($1)::float8 as bytes', [table]);
  return rows[0].bytes;
}

async function wal(stack: Stack): Promise<void> {
  const url = await stack.database();
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // what failed is told by what failed
  await client.connect();
  // Vacuuming writes too, some time later and for many passes at once: it would be counted for the one that happens to
  // run.
  await client.query('create extension pg_walinspect');
  await client.query('alter system set autovacuum = off');
  await client.query('select pg_reload_conf()');
  const database = new Database({ url, statementTimeout: 600_000 });
  await stack.serving(url, async (full) => {
    const store = new Keys(stack, client, database, full.merchantId);
    await store.make(keys - Math.min(HALF, Math.floor(keys / 2)), GENERATION);
    const ratios: number[] = [];
    const costs: number[] = [];
    const bytes: number[] = [];
    let kinds: readonly Kind[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      const empty = await stack.serving(await stack.database(), async (target) => {
        await warm(stack, target, 1);
        return pass(stack, client, target, 2, 'an empty store');
      });
      await othersGone(client);
      await client.query('truncate event, usage_rollup'); // what many events cost is another benchmark's question
      await store.half();
      await store.tell();
      await warm(stack, full, 2 * pair + 1);
      const found = await pass(stack, client, full, 2 * pair + 2, `${keys.toLocaleString('en')} keys`);
      ratios.push(found.eventsPerSecond / empty.eventsPerSecond);
      costs.push(found.microseconds / empty.microseconds);
      bytes.push(found.bytes);
      kinds = found.kinds;
    }
    console.log('  of an event, by the kind of record              records   bytes   of whole pages');
    for (const { kind, records, bytes: size, pages } of kinds)
      console.log(
        `    ${kind.padEnd(44)} ${records.toFixed(3).padStart(8)} ${size.toFixed(1).padStart(7)} ${pages.toFixed(1).padStart(8)}`,
      );
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
  await database.close();
  await client.end();
}

await withStack(wal);
