import { hash } from 'node:crypto';
import pg from 'pg';
import { Database, type Tx } from '../src/db/index.ts';
import { plain } from '../src/kernel/decimal.ts';
import { shipRound } from '../src/metering/clickhouse/shipper.ts';
import { selectProjectionsIn } from '../src/metering/clickhouse/shipping.sql.ts';
import type { ClickHouse } from '../src/metering/clickhouse/store.ts';
import { answerSettings, tableNames } from '../src/metering/clickhouse/tables.sql.ts';
import { clickhouseUsage } from '../src/metering/clickhouse/usage.ts';
import type { Meter } from '../src/metering/meter/meter.ts';
import type { UsageCut, UsageQuery, UsageRow, UsageScope } from '../src/metering/meter/usage-request.ts';
import { backfillChore, registerMeter } from '../src/metering/stored/rollups.ts';
import { postgresUsage } from '../src/metering/usage/usage.ts';
import { type Engine, hasEngine, openEngine } from '../test/conformance/clickhouse-engine.ts';
import { median, numbersOf } from './support/arguments.ts';
import { type Stack, withStack } from './support/stack.ts';

/**
 * What a question over all subjects takes in both stores, beside a bare scan in ClickHouse of what it is about. See
 * README.md.
 */

const [name = 'wide'] = process.argv.slice(2);
const {
  events: eventCount,
  subjects: subjectCount,
  pairs,
} = numbersOf({ events: 1_000_000, subjects: 1_000, pairs: 5 });

const merchantId = 'org_0123456789abcdefghijkl';
const MONTH_START = Temporal.Instant.from('2026-03-01T00:00:00Z');
const DAYS = 30;
const AT_ONCE = 100_000;
const MODE = { kind: 'single' } as const;

interface Question {
  readonly meter: Meter;
  readonly cut: UsageCut;
  /** What the bare table holds of an event beside subject and time, and the type of that. */
  readonly value: string;
  readonly type: string;
  /** The same figures from it. */
  readonly bare: string;
  readonly keys: string;
  readonly limit: number;
}

const meterOf = (aggregation: Meter['aggregation'], valueProperty: string): Meter => ({
  eventType: 'call',
  aggregation,
  valueProperty,
  groupBy: null,
  eventFrom: null,
});

const QUESTIONS = {
  wide: {
    meter: meterOf('SUM', '$.tokens'),
    cut: { byCustomer: true, window: 'DAY' },
    value: 'toDecimal64(coalesce(data.`tokens/0`.:`Int64` * 1000000000, data.`tokens/9`.:`Int64`) / 1000000000, 2)',
    type: 'Decimal(18, 2)',
    bare: 'sum(v)',
    keys: 'subject_id, toStartOfDay(at)',
    limit: 1.3,
  },
  unique: {
    meter: meterOf('UNIQUE_COUNT', '$.user'),
    cut: {},
    value: 'data.`user/s`.:`String`',
    type: 'String',
    bare: 'uniqExact(v)',
    keys: '',
    limit: 1.2,
  },
} as const satisfies Record<string, Question>;

/**
 * Events of one merchant, spread over days, subjects and users, and their roll-ups; a number is always the same event.
 * They are written where accepted events lie: how long it takes to accept them is measured elsewhere.
 */
async function fill(url: string, database: Database, meter: Meter): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`select ensure_event_partitions('2026-03-01', 1)`);
  await client.query(
    `insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at, linked_at)
     select $1, 'external', 'customer-' || n, 'cus_' || n, 'cus_' || n, $2, $2 from generate_series(1, $3::int) n`,
    [merchantId, MONTH_START.toString(), subjectCount],
  );
  for (let first = 1; first <= eventCount; first += AT_ONCE)
    await client.query(
      `insert into event (merchant_id, at, type, source, subject_id, idempotency_key, data, accepted_at)
       select $1, $2::timestamptz + make_interval(secs => mixed % $3), 'call', 'https://api.example.com/v1',
              (select min(id) from event_subject) + n % $4, 'request-' || n,
              jsonb_build_object('tokens', round((mixed % 10000) / 100.0, 2), 'user', 'user-' || mixed / 128 % $5, 'region', 'eu-central'), $2
         from (select n, n * 2654435761 % 4294967296 as mixed from generate_series($6::bigint, $7::bigint) n) numbered`,
      [
        merchantId,
        MONTH_START.toString(),
        DAYS * 24 * 3_600,
        subjectCount,
        Math.ceil(eventCount / 5),
        first,
        Math.min(first + AT_ONCE - 1, eventCount),
      ],
    );
  await database.transaction({ merchants: [merchantId] }, (tx) => registerMeter(tx, meter));
  await backfillChore.run(database, MONTH_START);
  await client.query('vacuum analyze');
  await client.end();
}

const scopeOf = (meter: Meter): UsageScope => ({
  merchantId,
  meter,
  sources: null,
  from: MONTH_START,
  to: MONTH_START.add({ hours: DAYS * 24 }),
});

/** What something took: the clock's seconds, and the processor's of this process, with the engine in it. */
interface Taken {
  readonly seconds: number;
  readonly processor: number;
}

async function timed(work: () => Promise<void>): Promise<Taken> {
  const [began, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { seconds: (performance.now() - began) / 1000, processor: (user + system) / 1e6 };
}

/** Asks once; and all figures as one hash. */
async function ask(database: Database, query: UsageQuery<Tx>, { meter, cut }: Question) {
  let rows: UsageRow[] = [];
  const taken = await timed(async () => {
    const [found = []] = await database.transaction({ merchants: [merchantId] }, (tx) =>
      query.measure(tx, scopeOf(meter), [cut]),
    );
    rows = found;
  });
  const texts = rows.map(
    (row) => `${row.customerId} ${row.windowStart} ${row.windowEnd} ${plain(row.value)} ${row.eventCount}`,
  );
  return { ...taken, figures: `${rows.length} rows, ${hash('sha256', texts.toSorted().join('\n')).slice(0, 16)}` };
}

/**
 * The same figures from the bare table, as rows in this process: what somebody would write who has nothing else to
 * think of.
 */
async function scan({ objects }: Engine, { bare, keys }: Question): Promise<Taken> {
  const by = keys === '' ? '' : `group by ${keys}`;
  const columns = [...(keys === '' ? [] : [keys]), 'count() as n', `${bare} as figure`].join(', ');
  const { from, to } = scopeOf(QUESTIONS.wide.meter);
  const at = (instant: typeof from) => `fromUnixTimestamp64Micro(${instant.epochMilliseconds}000, 'UTC')`;
  return timed(async () => {
    await objects(`select ${columns} from bare where merchant_id = '${merchantId}' and type = 'call'
                      and at >= ${at(from)} and at < ${at(to)} ${by} ${answerSettings(MODE)}`);
  });
}

/** A table with a typed column for the value and nothing else that need be read. */
async function makeBare(database: Database, clickhouse: ClickHouse, { value, type }: Question): Promise<void> {
  const [serving] = await database.transaction('nobody', (tx) => selectProjectionsIn(tx, ['serving']));
  if (serving === undefined) throw new Error('No projection is serving.');
  const { events } = tableNames(serving.name);
  await clickhouse.run(`create table bare (merchant_id LowCardinality(String), type LowCardinality(String), subject_id UInt64,
    at DateTime64(6, 'UTC'), v ${type}) engine = MergeTree order by (merchant_id, type, subject_id, at)`);
  await clickhouse.run(
    `insert into bare select merchant_id, type, subject_id, fromUnixTimestamp64Micro(at, 'UTC'), ${value} from ${events}`,
  );
  for (const table of ['bare', events]) await clickhouse.run(`optimize table ${table} final`);
}

const middle = (all: readonly Taken[]): string =>
  `${median(all.map(({ seconds }) => seconds)).toFixed(3)} s, processor ${median(all.map(({ processor }) => processor)).toFixed(3)} s`;

/** The middle of the ratios of neighbours. */
function ratio(all: readonly Taken[], limits: readonly Taken[], of: keyof Taken): number {
  return median(all.map((each, index) => each[of] / (limits[index] as Taken)[of]));
}

function report(who: string, all: readonly Taken[], limits: readonly Taken[], most: number): void {
  const [found, processor] = [ratio(all, limits, 'seconds'), ratio(all, limits, 'processor')];
  const beside = who === 'ClickHouse' ? ` (processor ${processor.toFixed(2)})` : '';
  console.log(
    `  ${who.padEnd(26)} ${middle(all)}   ÷ bare scan ${found.toFixed(2)}${beside}   wanted ≤ ${most}   ${found <= most ? 'yes' : 'NO'}`,
  );
}

async function run(question: Question, stack: Stack): Promise<void> {
  const url = await stack.database();
  const database = new Database({ url, statementTimeout: 600_000 });
  const engine = hasEngine ? await openEngine() : null;
  try {
    await step('stored and rolled up', () => fill(url, database, question.meter));
    const inPostgres = [await ask(database, postgresUsage, question)];
    if (engine === null) {
      for (let pair = 0; pair < pairs; pair += 1) inPostgres.push(await ask(database, postgresUsage, question));
      console.log(`  PostgreSQL                 ${middle(inPostgres.slice(1))}   ${inPostgres[0]?.figures}`);
      console.log('  ClickHouse was not measured: RECKONER_CHDB names no folder with the engine (docs/clickhouse.md).');
      return;
    }
    const { clickhouse } = engine;
    const dependencies = { database, clickhouse, mode: MODE };
    await step('shipped', async () => {
      while (!(await shipRound(dependencies, MONTH_START)).caughtUp);
    });
    await step('bare table', () => makeBare(database, clickhouse, question));
    const onFallback = (error: Error) => {
      throw error;
    };
    const query = clickhouseUsage({ ...dependencies, postgres: postgresUsage, onFallback });
    await scan(engine, question);
    const inClickHouse = [await ask(database, query, question)];
    const scans: Taken[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      inPostgres.push(await ask(database, postgresUsage, question));
      scans.push(await scan(engine, question));
      inClickHouse.push(await ask(database, query, question));
    }
    const answers = new Set([...inPostgres, ...inClickHouse].map(({ figures }) => figures));
    if (answers.size !== 1) throw new Error(`The stores do not agree: ${[...answers].join('; ')}`);
    console.log(`  both stores answer         ${[...answers].join('')}`);
    console.log(`  bare scan                  ${middle(scans)}`);
    report('ClickHouse', inClickHouse.slice(1), scans, question.limit);
    report('PostgreSQL', inPostgres.slice(1), scans, 1);
  } finally {
    await engine?.close();
    await database.close();
  }
}

async function step(what: string, work: () => Promise<void>): Promise<void> {
  const { seconds } = await timed(work);
  console.log(`  ${what.padEnd(26)} ${seconds.toFixed(1)} s`);
}

const question: Question | undefined = (QUESTIONS as Record<string, Question>)[name];
if (!question) throw new Error(`There is ${Object.keys(QUESTIONS).join(', ')}.`);
console.log(
  `${name}: ${eventCount.toLocaleString('en')} events, ${subjectCount.toLocaleString('en')} subjects, ${DAYS} days`,
);
await withStack((stack) => run(question, stack));
