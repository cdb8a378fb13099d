import pg from 'pg';
import { rebuildRevenue } from '../src/analytics/index.ts';
import { backfillChore } from '../src/metering/index.ts';
import { rebuildRollups } from '../src/metering/stored/rollups.ts';
import { keepHeapSmall } from '../src/start/heap.ts';
import { openTestEnvironment } from '../test/support/environment.ts';
import { operations, urlOf } from '../test/support/operations.ts';
import { allDeclarations, isWalkedThrough, propertiesOf, type RouteDeclaration } from '../test/support/routes.ts';
import { openWorld, type World } from '../test/support/world.ts';
import { numbersOf } from './support/arguments.ts';
import { openAsker, type Told } from './support/ask.ts';
import { watchTurns } from './support/holds.ts';
import { columnsOf } from './support/sandbox.ts';
import { withStack } from './support/stack.ts';

/** Every GET route at its limits, over many rows of some merchants. See README.md. */
const { rows, merchants, most } = numbersOf({ rows: 1_000_000, merchants: 20, most: 50 });
/** Half of the rows are events. Of all other tables, each has as many. */
const EVENTS = Math.floor(rows / 2);
const ROUNDS = 3;
const SLOW_MILLISECONDS = 1_000;
const REGIONS = 20_000;
const DAYS = 60;
const FAR = 5_000;
/** A merchant has few of these, or a copy of a row alone is no whole record. */
const FEW =
  '^(?:organization|billable_metric|cost|alert|integration|rollup_definition|(?:entitlement|grant|reservation).*)$';

keepHeapSmall(); // as the program does
const longestTurn = watchTurns();
const say = (text: string): void => console.log(`  ${text}`);

interface Request {
  readonly operation: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Seen extends Request, Told {
  /** The longest turn of the event loop, in milliseconds of processor time: the least of the rounds. */
  readonly held: number;
}

function report(seen: readonly Seen[], took: string): boolean {
  const failed = seen.filter(({ held, status }) => held > most || status === 500);
  const late = seen.filter(({ status }) => status === 503);
  const refused = seen.filter(({ status }) => status >= 400 && status < 500);
  say(`${seen.length} requests of ${new Set(seen.map(({ operation }) => operation)).size} routes in ${took} s`);
  const line = ({ held, milliseconds, status, bytes, path }: Seen) =>
    `  turn ${held.toFixed(0).padStart(5)} ms  ${milliseconds.toFixed(0).padStart(6)} ms  ${status}  ` +
    `${(bytes / 1_024).toFixed(0).padStart(6)} KiB  ${path.slice(0, 150)}`;
  say('The longest turns:');
  for (const each of seen.toSorted((a, b) => b.held - a.held).slice(0, 12)) say(line(each));
  say('The longest answers:');
  for (const each of seen.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 8)) say(line(each));
  say(`Refused: ${refused.length}`);
  for (const each of refused) say(line(each));
  say(`Too late (503, by the clock and so by the load of the machine): ${late.length}`);
  for (const each of late) say(line(each));
  say(`turns above ${most} ms, or answers of 500: ${failed.length}   wanted 0 ${failed.length === 0 ? 'yes' : 'NO'}`);
  for (const each of failed) say(line(each));
  return failed.length === 0;
}

/** The calls of all GET routes, each at the limits of its query. */
async function requestsOf(world: World): Promise<Request[]> {
  const declarations = (await allDeclarations()).filter((each) => each.method === 'GET' && !isWalkedThrough(each));
  const requests: Request[] = [];
  for (const declaration of declarations) {
    const scenarios = operations[declaration.operationId];
    if (!scenarios) throw new Error(`${declaration.operationId} has no calls in test/support/operations.ts.`);
    const call = await scenarios[0](world);
    const isPublic = 'public' in declaration.access;
    const headers: Record<string, string> = isPublic ? {} : { authorization: `Bearer ${world.merchant.key}` };
    for (const query of largest(declaration))
      requests.push({
        operation: declaration.operationId,
        path: urlOf(declaration.path, { ...call, query: { ...call.query, ...query } }),
        headers,
      });
  }
  return requests;
}

const START = Temporal.Instant.from('2026-01-01T00:00:00Z');
const until = (hours: number): { from: string; to: string } => ({
  from: START.toString(),
  to: START.add({ hours }).toString(),
});
const revenueUntil = (hours: number) => ({ startTime: START.toString(), endTime: START.add({ hours }).toString() });

/** The largest questions of the routes whose answers have windows or groups. */
const REPORTS: Readonly<Record<string, readonly Record<string, string>[]>> = {
  getMetricUsage: [
    { ...until(166), windowSize: 'MINUTE' },
    { ...until(DAYS * 24), windowSize: 'HOUR', groupBy: 'region', groupLimit: '500', groupOffset: '10000' },
  ],
  getCostSummary: [{ ...until(166), window: 'MINUTE' }],
  getCostReport: [
    { ...until(DAYS * 24), groupBy: 'cost', windowSize: 'HOUR' },
    { ...until(DAYS * 24), groupBy: 'customer', windowSize: 'DAY', topN: '25', comparePriorPeriod: 'true' },
    { ...until(99 * 24), groupBy: 'customer', windowSize: 'DAY', limit: '100' },
  ],
  getRevenue: [
    { ...revenueUntil(4_999), bucketWidth: 'hour' },
    { ...revenueUntil(98), bucketWidth: 'hour', groupBy: 'customer' },
    { ...revenueUntil(365 * 24), bucketWidth: 'day', groupBy: 'plan' },
  ],
  getProfitability: [
    { ...until(999), bucketWidth: 'hour', topN: '10' },
    { ...until(99 * 24), bucketWidth: 'day', topN: '100' },
  ],
  getEntitlementHistory: [
    { ...until(399 * 24), windowSize: 'DAY' },
    { ...until(399), windowSize: 'HOUR' },
  ],
};

/** The largest page, at the beginning and far into the list. */
function largest({ operationId, query }: RouteDeclaration): readonly Record<string, string>[] {
  const known = REPORTS[operationId];
  if (known) return known;
  const { limit, offset } = propertiesOf(query) as Record<string, { maximum?: number } | undefined>;
  const page = limit?.maximum === undefined ? {} : { limit: String(limit.maximum) };
  return offset === undefined ? [page] : [page, { ...page, offset: String(FAR) }];
}

/** Copies of the world's rows, a quarter of them the world's own, and events. @returns how many rows there are */
async function fill(client: pg.Client, { merchant, ids: standing }: World): Promise<number> {
  await client.query(`set session_replication_role = replica; set synchronous_commit = off`);
  const others = await client.query<{ id: string }>(
    `insert into organization (merchant_id, id, type, name, default_currency, created_at, updated_at)
     select id, id, 'merchant', 'Merchant ' || n, 'USD', now(), now()
       from (select n, 'org_' || lpad(n::text, 22, '0') as id from generate_series(1, $1::int - 1) n) made returning id`,
    [merchants],
  );
  const ids = others.rows.map(({ id }) => id);
  const { rows: tables } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not c.relname ~ $1
        and 2 = (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attname in ('merchant_id', 'id')
                                                       and a.atttypid = 'text'::regtype)
      order by 1`,
    [FEW],
  );
  let there = 0;
  const copies = Math.floor((rows - EVENTS) / tables.length);
  for (const { name } of tables) {
    const columns = await columnsOf(client as unknown as pg.Pool, name);
    const changed: Record<string, string> = {
      id: copyOf('id'),
      merchant_id: `case when n % 4 = 0 then t.merchant_id else ($2::text[])[1 + n % cardinality($2::text[])] end`,
      ...(name === 'invoice' && {
        customer_id: copyOf('customer_id'),
        issued_at: `t.issued_at + n * interval '10 minutes'`,
        invoice_number: `t.invoice_number || '-' || n`,
      }),
    };
    const { rowCount } = await client.query(
      `insert into ${name} (${columns.join(', ')})
       select ${columns.map((column) => changed[column] ?? `t.${column}`).join(', ')}
         from (select * from ${name} where merchant_id = $1 order by id = any ($4) desc, id desc limit 1) t
        cross join generate_series(1, $3::int) n on conflict do nothing`,
      [merchant.id, ids, copies, Object.values(standing).flat()],
    );
    there += rowCount ?? 0;
  }
  await client.query(`select ensure_event_partitions(month::date, 1) from
    (values ('2026-01-01'), ('2026-02-01'), ('2026-03-01')) as t (month)`);
  await client.query(
    `insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at, linked_at)
     select $1, 'external', 'bench-' || id, id, id, now(), now() from customer where merchant_id = $1
     on conflict do nothing`,
    [merchant.id],
  );
  await client.query(
    `insert into event (merchant_id, at, type, source, subject_id, idempotency_key, data, accepted_at)
     select $1, $2::timestamptz + n * (interval '1 day' * $3::int / $4::int), 'call', 'bench', subjects[1 + n % cardinality(subjects)],
            'bench-' || n, jsonb_build_object('units', n % 100, 'region', 'r' || n % $5::int), now()
       from generate_series(1, $4::int) n,
            (select array_agg(id) as subjects from event_subject where merchant_id = $1) s`,
    [merchant.id, START.toString(), DAYS, EVENTS, REGIONS],
  );
  const { rows: lists } = await client.query<{ name: string }>(`select distinct list as name from list_count`);
  for (const { name } of lists) await client.query('call count_list_again($1)', [name]);
  return there + EVENTS;
}

/** The id of the copy of a record. */
const copyOf = (column: string): string => `left(t.${column}, -6) || lpad(n::text, 6, '0')`;

const seconds = (since: number): string => ((performance.now() - since) / 1_000).toFixed(1);

await withStack(
  async (stack) => {
    const url = await stack.database();
    const env = await openTestEnvironment({
      database: { url, drop: async () => undefined },
      audited: false,
      checkReplies: false,
    });
    const base = await env.server.listen({ host: '127.0.0.1', port: 0 });
    const world = await openWorld(env);
    const requests = await requestsOf(world);
    const client = new pg.Client({ connectionString: url });
    const asker = openAsker();
    try {
      await client.connect();
      const began = performance.now();
      const filled = await fill(client, world);
      await env.database.transaction({ merchants: [world.merchant.id] }, (tx) => rebuildRollups(tx));
      await backfillChore.run(env.database, Temporal.Now.instant());
      await rebuildRevenue(env.database);
      await client.query('create extension pg_stat_statements');
      await client.query('vacuum analyze');
      say(`${filled.toLocaleString('en')} rows of ${merchants} merchants in ${seconds(began)} s`);

      const asked = performance.now();
      const seen: Seen[] = [];
      for (const request of requests) {
        let held = Number.POSITIVE_INFINITY;
        let told: Told | undefined;
        for (let round = 0; round < ROUNDS && held > most; round += 1) {
          longestTurn();
          told = await asker.ask({ url: base + request.path, headers: request.headers });
          held = Math.min(held, longestTurn());
        }
        seen.push({ ...request, ...(told as Told), held });
      }
      const isKept = report(seen, seconds(asked));
      const { rows: slow } = await client.query<{ milliseconds: number; calls: string; text: string }>(
        `select max_exec_time as milliseconds, calls, regexp_replace(left(query, 160), '\\s+', ' ', 'g') as text
           from pg_stat_statements where max_exec_time > $1 order by 1 desc`,
        [SLOW_MILLISECONDS],
      );
      say(`${slow.length} statements took PostgreSQL more than ${SLOW_MILLISECONDS} ms (pg_stat_statements)`);
      for (const { milliseconds, calls, text } of slow) say(`  ${milliseconds.toFixed(0)} ms, ${calls} calls: ${text}`);
      if (!isKept) process.exitCode = 1;
    } finally {
      asker.close();
      await client.end();
      await env.close();
    }
  },
  { shared_preload_libraries: 'pg_stat_statements' },
);
