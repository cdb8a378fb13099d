import { readFileSync } from 'node:fs';
import pg from 'pg';
import { median, numbersOf } from './support/arguments.ts';
import { copy } from './support/copy.ts';
import { DIGITS, type FloodReport } from './support/flood.ts';
import { processorSeconds, residentMegabytes, type Stack, type Target, withStack } from './support/stack.ts';

/** What becomes of three times as many events as are taken in. See README.md. */

const [name = 'arrays'] = process.argv.slice(2);
const shapes: Readonly<Record<string, { batch: number; connections: number }>> = {
  arrays: { batch: 100, connections: 500 },
  single: { batch: 0, connections: 3_000 },
};
const shape = shapes[name];
if (!shape) throw new Error(`There is ${Object.keys(shapes).join(', ')}.`);
const { seconds, pairs, times, batch, connections, subjects, warm } = numbersOf({
  seconds: 10,
  pairs: 3,
  times: 3,
  subjects: 1_000,
  warm: 5,
  ...shape,
});

const size = Math.max(1, batch);
/** Keep the server busy without filling its queue. */
const CAPACITY_CONNECTIONS = batch === 0 ? 256 : 64;
/** Of the small merchant: requests a second, of one event each. */
const SMALL_RATE = 20;
const LOOK_MILLISECONDS = 250;
const IDLE_MILLISECONDS = 5_000;

await withStack(async (stack) => {
  const url = await stack.database();
  await stack.serving(url, async (target) => {
    const logs = new Map<string, { file: string; size: number }>();
    const logOf = (prefix: string, each: number): { prefix: string; log: string } => {
      logs.set(prefix, { file: stack.file(`${prefix}log`), size: each });
      return { prefix, log: stack.file(`${prefix}log`) };
    };
    /** Both merchants at once: the large one at this rate, or as fast as it gets answers. */
    const both = async (label: string, ratePerSecond: number, took: number): Promise<Measured> => {
      const wide = ratePerSecond === 0 ? CAPACITY_CONNECTIONS : connections;
      const [large, small] = await Promise.all([
        measured(stack, target, () =>
          stack.flood(target, {
            connections: wide,
            batch,
            rate: ratePerSecond,
            seconds: took,
            subjects,
            ...logOf(`${label}-large-`, size),
          }),
        ),
        stack.flood(target, {
          key: target.otherKey,
          connections: SMALL_RATE,
          batch: 0,
          rate: SMALL_RATE,
          seconds: took,
          subjects: 10,
          ...logOf(`${label}-small-`, 1),
        }),
      ]);
      console.log(`  ${label.padEnd(10)} ${told(large.report)}`);
      console.log(`  ${''.padEnd(10)} processor: ${large.cost}; memory at most ${large.peak.toFixed(0)} MiB`);
      console.log(`  ${''.padEnd(10)} small merchant: ${told(small)}`);
      withoutRetryAfter += large.report.withoutRetryAfter + small.withoutRetryAfter;
      return large;
    };
    let withoutRetryAfter = 0;
    await both('warm', 0, warm);
    const warmMegabytes = residentMegabytes(target.processId);
    let before = await both('capacity0', 0, warm);
    const [goodput, bySecond, peaks]: [number[], number[], number[]] = [[], [], []];
    for (let pair = 1; pair <= pairs; pair += 1) {
      const over = await both(`overload${pair}`, (before.eventsPerSecond * times) / size, seconds);
      const after = await both(`capacity${pair}`, 0, warm);
      goodput.push((2 * over.eventsPerSecond) / (before.eventsPerSecond + after.eventsPerSecond));
      bySecond.push((2 * over.eventsPerProcessor) / (before.eventsPerProcessor + after.eventsPerProcessor));
      peaks.push(over.peak);
      before = after;
    }
    await new Promise((resolve) => setTimeout(resolve, IDLE_MILLISECONDS));
    const idleMegabytes = residentMegabytes(target.processId);

    verdict('goodput ÷ capacity before and after', median(goodput).toFixed(2), '≥ 0.9', median(goodput) >= 0.9);
    console.log(`  the same by processor time                ${median(bySecond).toFixed(2)}`);
    const growth = Math.max(...peaks) - warmMegabytes;
    verdict('memory over warm, at its height, MiB', growth.toFixed(0), '≤ 100', growth <= 100);
    console.log(
      `  memory warm and, after it all, idle       ${warmMegabytes.toFixed(0)}, ${idleMegabytes.toFixed(0)} MiB`,
    );
    verdict('429 and 503 without Retry-After', `${withoutRetryAfter}`, '0', withoutRetryAfter === 0);
    const stored = await compare(url, logs);
    verdict('acknowledged and lost', `${stored.lost}`, '0', stored.lost === 0);
    verdict('stored twice, or counted twice', `${stored.twice}`, '0', stored.twice === 0);
    verdict('refused and stored', `${stored.refused}`, '0', stored.refused === 0);
  });
});

function verdict(label: string, found: string, wanted: string, isWithin: boolean): void {
  console.log(`  ${label.padEnd(40)} ${found.padStart(7)}   wanted ${wanted.padEnd(6)} ${isWithin ? 'yes' : 'NO'}`);
}

function told({ acceptedEvents, seconds: took, statuses, due, unsent, ...report }: FloodReport): string {
  const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const shares = Object.entries(statuses).map(
    ([status, count]) => `${status} ${((100 * count) / answers).toFixed(1)} %`,
  );
  return [
    `${Math.round(acceptedEvents / took).toLocaleString('en')} events/s`,
    `p50 ${report.p50.toFixed(0)} ms  p99 ${report.p99.toFixed(0)} ms`,
    ...shares,
    ...(report.refusedP99 > 0
      ? [`refused p50 ${report.refusedP50.toFixed(0)} ms  p99 ${report.refusedP99.toFixed(0)} ms`]
      : []),
    ...(due > 0
      ? [
          `${Math.round(due / took).toLocaleString('en')} requests/s due, no connection free for ${((100 * unsent) / due).toFixed(0)} %`,
        ]
      : []),
  ].join('   ');
}

interface Measured {
  readonly report: FloodReport;
  readonly eventsPerSecond: number;
  /** Of the server and of PostgreSQL. */
  readonly eventsPerProcessor: number;
  readonly cost: string;
  /** MiB. */
  readonly peak: number;
}

/** What some work costs the server and PostgreSQL, and how high the server's memory goes. */
async function measured(stack: Stack, target: Target, work: () => Promise<FloodReport>): Promise<Measured> {
  const used = () => ({ Node: processorSeconds(target.processId), PostgreSQL: processorSeconds(stack.postgresId) });
  const before = used();
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(target.processId));
  }, LOOK_MILLISECONDS);
  const report = await work().finally(() => clearInterval(look));
  const after = used();
  const [node, postgres] = [after.Node - before.Node, after.PostgreSQL - before.PostgreSQL];
  const share = (part: number) => `${((100 * part) / report.seconds).toFixed(0)} %`;
  return {
    report,
    eventsPerSecond: report.acceptedEvents / report.seconds,
    eventsPerProcessor: report.acceptedEvents / (node + postgres),
    cost: `Node ${share(node)}, PostgreSQL ${share(postgres)}`,
    peak,
  };
}

/**
 * Holds what was answered, as those who asked wrote it down, against what is stored. Logs by the prefix of their keys.
 */
async function compare(url: string, logs: ReadonlyMap<string, { file: string; size: number }>) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create temp table answered (prefix text, first bigint, status int, size int)');
    for (const [prefix, log] of logs) {
      await copy(client, 'copy answered (first, status) from stdin', readFileSync(log.file, 'utf8'));
      await client.query('update answered set prefix = $1, size = $2 where prefix is null', [prefix, log.size]);
    }
    const { rows } = await client.query(
      `with sent as (select prefix || lpad(n::text, $1, '0') as key, status
                       from answered, generate_series(first, first + size - 1) as n),
            stored as (select idempotency_key as key, count(*) as times from event group by 1),
            compared as (select status, times from sent left join stored using (key))
       select (select count(*) from compared where status = 202 and times is null)::int as lost,
              (select count(*) from compared where status = 429 and times is not null)::int as refused,
              (select count(*) from stored where times > 1)::int
                + (select abs((select count(*) from event) - (select sum(event_count) from usage_rollup)))::int as twice`,
      [DIGITS],
    );
    return rows[0] as { lost: number; refused: number; twice: number };
  } finally {
    await client.end();
  }
}
