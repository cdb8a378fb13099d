import pg from 'pg';
import { Database, sql } from '../src/db/index.ts';
import { plain } from '../src/kernel/decimal.ts';
import { createIntake } from '../src/metering/intake.ts';
import { registerMeter } from '../src/metering/series.ts';
import { rawUsage, usage } from '../src/metering/usage.ts';
import { median, numbersOf } from './support/arguments.ts';
import { processorSeconds, type Stack, withStack } from './support/stack.ts';

/** How long a question about usage takes, and how that and taking events in grow with what is stored. See README.md. */

const [name = 'one'] = process.argv.slice(2);
const { from, to, rounds } = numbersOf(
  name === 'one' ? { from: 1_000, to: 1_000_000, rounds: 200 } : { from: 10_000, to: 1_000_000, rounds: 100 },
);

const merchantId = 'org_0123456789abcdefghijkl';
const meter = {
  eventType: 'call',
  aggregation: 'SUM' as const,
  valueProperty: '$.tokens',
  groupBy: null,
  eventFrom: null,
};
const MONTH_START = Temporal.Instant.from('2026-03-01T00:00:00Z');
const MONTH_SECONDS = 31 * 24 * 3_600;
const BATCH = 1_000;
const PERIOD = {
  from: Temporal.Instant.from('2026-03-01T10:17:23Z'),
  to: Temporal.Instant.from('2026-03-31T10:17:23Z'),
};

/** Events of one merchant, spread over a month and some subjects. */
function filler(database: Database, subjects: number) {
  const intake = createIntake(database);
  let next = 0;
  const batch = () =>
    Array.from({ length: BATCH }, () => {
      next += 1;
      const mixed = Math.imul(next, 2654435761) >>> 0;
      return {
        merchantId,
        type: 'call',
        source: 'https://api.example.com/v1',
        subject: null,
        externalSubject: `customer-${next % subjects}`,
        externalId: null,
        at: MONTH_START.add({ seconds: mixed % MONTH_SECONDS }),
        isTimeSent: true,
        idempotencyKey: `request-${next}`,
        data: { tokens: (mixed % 10_000) / 100, model: 'large', region: 'eu-central' },
      };
    });
  return async (until: number): Promise<void> => {
    while (next < until)
      await Promise.all([intake.accept(batch(), MONTH_START), next < until && intake.accept(batch(), MONTH_START)]);
  };
}

async function open(url: string): Promise<Database> {
  const database = new Database({ url, statementTimeout: 600_000 });
  await database.transaction({ merchants: [merchantId] }, (tx) => registerMeter(tx, merchantId, meter));
  return database;
}

/** Milliseconds of one question, the middle of many, begin and commit included; and its answer. */
async function ask(database: Database, query: typeof usage, times: number) {
  const taken: number[] = [];
  let answer = '';
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    const rows = await database.transaction({ merchants: [merchantId] }, (tx) =>
      query(tx, {
        merchantId,
        meter,
        ...PERIOD,
        sources: [{ subject: 'cus_0', ...PERIOD }],
      }),
    );
    taken.push(performance.now() - began);
    answer = rows.map(({ value, eventCount }) => `${plain(value)} of ${eventCount}`).join();
  }
  return { milliseconds: median(taken), answer };
}

const raw: typeof usage = async (tx, request) => (await rawUsage.measure(tx, request, [request]))[0] ?? [];

const linkSubject = (database: Database) =>
  database.transaction({ merchants: [merchantId] }, (tx) =>
    tx.run(sql`update event_subject set addressee = 'cus_0', customer_id = 'cus_0' where key = 'customer-0'`),
  );

/** As autovacuum does it within a minute. */
async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}

async function one(stack: Stack): Promise<void> {
  for (let size = from; size <= to; size *= 10) {
    const url = await stack.database();
    const database = await open(url);
    await filler(database, 1)(size);
    await linkSubject(database);
    await analyze(url);
    await ask(database, usage, 20);
    const rolled = await ask(database, usage, rounds);
    const scan = await ask(database, raw, size > 100_000 ? 3 : 20);
    if (rolled.answer !== scan.answer) throw new Error(`${rolled.answer} is not ${scan.answer}`);
    console.log(
      `  ${size.toLocaleString('en').padStart(9)} events of one subject   ${rolled.milliseconds.toFixed(2)} ms   from the events ${scan.milliseconds.toFixed(1)} ms   ratio ${(rolled.milliseconds / scan.milliseconds).toFixed(3)}   wanted ≤ 2 ms   ${rolled.milliseconds <= 2 ? 'yes' : 'NO'}`,
    );
    await database.close();
  }
}

async function growth(stack: Stack): Promise<void> {
  const url = await stack.database();
  const database = await open(url);
  const fill = filler(database, 1_000);
  const points: { size: number; ingest: number; question: number }[] = [];
  const SAMPLE = 20_000;
  for (let size = from; size <= to; size *= 10) {
    await fill(size - Math.min(SAMPLE, size / 2));
    await linkSubject(database);
    await analyze(url);
    const before = processorSeconds(stack.postgresId);
    await fill(size);
    const ingest = ((processorSeconds(stack.postgresId) - before) / Math.min(SAMPLE, size / 2)) * 1e6;
    await ask(database, usage, 20);
    const { milliseconds: question } = await ask(database, usage, rounds);
    points.push({ size, ingest, question });
    console.log(
      `  ${size.toLocaleString('en').padStart(10)} events   PostgreSQL ${ingest.toFixed(1)} µs an event   a question ${question.toFixed(2)} ms`,
    );
  }
  for (const figure of ['ingest', 'question'] as const)
    console.log(
      `  growth of ${figure.padEnd(9)} N^${exponent(points.map((each) => [each.size, each[figure]])).toFixed(2)}   wanted ≤ 0.10`,
    );
  await database.close();
}

/** The slope of the logarithms, by least squares. */
function exponent(points: readonly (readonly [number, number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (index: 0 | 1) => logs.reduce((total, each) => total + each[index], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const covariance = logs.reduce((total, [x, y]) => total + (x - mx) * (y - my), 0);
  return covariance / logs.reduce((total, [x]) => total + (x - mx) ** 2, 0);
}

const commands: Readonly<Record<string, (stack: Stack) => Promise<void>>> = { one, growth };
const command = commands[name];
if (!command) throw new Error(`There is ${Object.keys(commands).join(', ')}.`);
await withStack(command);
