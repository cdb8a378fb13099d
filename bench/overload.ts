import { readFileSync } from 'node:fs';
import pg from 'pg';
import { numbersOf } from './support/arguments.ts';
import { copy } from './support/copy.ts';
import { DIGITS, type FloodReport } from './support/flood.ts';
import { processorSeconds, residentMegabytes, type Stack, type Target, withStack } from './support/stack.ts';

/** What becomes of three times as many events as are taken in. See README.md. */

const [name = 'arrays'] = process.argv.slice(2);
const shapes: Readonly<Record<string, { batch: number; connections: number }>> = {
  arrays: { batch: 100, connections: 500 },
  single: { batch: 0, connections: 2_000 },
};
const shape = shapes[name];
if (!shape) throw new Error(`There is ${Object.keys(shapes).join(', ')}.`);
const { seconds, times, batch, connections, subjects, warm } = numbersOf({
  seconds: 15,
  times: 3,
  subjects: 1_000,
  warm: 6,
  ...shape,
});

const size = Math.max(1, batch);
/** Keep the server busy without filling its queue. */
const CAPACITY_CONNECTIONS = batch === 0 ? 256 : 64;
/** Of the small merchant: requests a second, of one event each. */
const SMALL_RATE = 20;
const LOOK_MILLISECONDS = 250;

await withStack(async (stack) => {
  const url = await stack.database();
  await stack.serving(url, async (target) => {
    const closed = { connections: CAPACITY_CONNECTIONS, batch, rate: 0, subjects };
    await stack.flood(target, { ...closed, seconds: warm, prefix: 'warm-', log: stack.file('warm') });
    const small = { key: target.otherKey, connections: 20, batch: 0, rate: SMALL_RATE, subjects: 10 };
    const [full, unhurried] = await Promise.all([
      measured(stack, target, () =>
        stack.flood(target, { ...closed, seconds: warm, prefix: 'full-', log: stack.file('full') }),
      ),
      stack.flood(target, { ...small, seconds: warm, prefix: 'calm-', log: stack.file('calm') }),
    ]);
    const capacity = full.report.acceptedEvents / full.report.seconds;
    console.log(`  capacity    ${told(full.report)}`);
    console.log(`              ${full.cost}   ${full.memory}`);

    const rate = (capacity * times) / size;
    const warmMegabytes = residentMegabytes(target.processId);
    const [over, meanwhile] = await Promise.all([
      measured(stack, target, () =>
        stack.flood(target, {
          connections,
          batch,
          seconds,
          rate,
          subjects,
          prefix: 'over-',
          log: stack.file('over'),
        }),
      ),
      stack.flood(target, { ...small, seconds, prefix: 'small-', log: stack.file('small') }),
    ]);
    console.log(`  ${times} × that    ${told(over.report)}`);
    console.log(`              ${over.cost}   ${over.memory}`);
    console.log(`  small merchant, at capacity   ${told(unhurried)}`);
    console.log(`  small merchant, at ${times} × that  ${told(meanwhile)}`);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    console.log(`  memory five seconds later ${residentMegabytes(target.processId).toFixed(0)} MiB`);

    const goodput = over.report.acceptedEvents / over.report.seconds / capacity;
    verdict('goodput ÷ capacity', goodput.toFixed(2), '≥ 0.9', goodput >= 0.9);
    const growth = over.peak - warmMegabytes;
    verdict('memory over warm, at its height, MiB', growth.toFixed(0), '≤ 100', growth <= 100);
    const silent = over.report.withoutRetryAfter + meanwhile.withoutRetryAfter;
    verdict('429 and 503 without Retry-After', `${silent}`, '0', silent === 0);
    const stored = await compare(url, { 'over-': stack.file('over'), 'small-': stack.file('small') });
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

/** What some work costs the server and PostgreSQL, and how high the server's memory goes. */
async function measured(stack: Stack, target: Target, work: () => Promise<FloodReport>) {
  const before = [processorSeconds(target.processId), processorSeconds(stack.postgresId)] as const;
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(target.processId));
  }, LOOK_MILLISECONDS);
  const report = await work().finally(() => clearInterval(look));
  const share = (used: number) => `${((100 * used) / report.seconds).toFixed(0)} %`;
  const cost = `processor: Node ${share(processorSeconds(target.processId) - before[0])}, PostgreSQL ${share(processorSeconds(stack.postgresId) - before[1])}`;
  return { report, peak, cost, memory: `memory at most ${peak.toFixed(0)} MiB` };
}

/** Holds what was answered, as those who asked wrote it down, against what is stored. Logs by the prefix of their keys. */
async function compare(url: string, logs: Readonly<Record<string, string>>) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create temp table answered (prefix text, first bigint, status int, size int)');
    for (const [prefix, file] of Object.entries(logs)) {
      const lines = readFileSync(file, 'utf8');
      await copy(client, 'copy answered (first, status) from stdin', lines);
      await client.query('update answered set prefix = $1, size = $2 where prefix is null', [
        prefix,
        prefix === 'small-' ? 1 : size,
      ]);
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
