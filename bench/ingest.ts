import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { median, numbersOf } from './support/arguments.ts';
import { copyRowsPerSecond } from './support/copy.ts';
import { processorSeconds, residentMegabytes, type Stack, type Target, withStack } from './support/stack.ts';

/** How fast events are taken in, and what that costs. See README.md. */

const [name = 'single'] = process.argv.slice(2);
const { seconds, pairs, connections, subjects, batch, events } = numbersOf({
  seconds: 8,
  pairs: 3,
  connections: name === 'batch' || name === 'memory' ? 4 : 64,
  subjects: 1_000,
  batch: name === 'single' ? 0 : 1_000,
  events: 1_000_000,
});

const WARM_SECONDS = 3;
/** Rows of a COPY. */
const COPIED = 400_000;
const commands: Readonly<Record<string, (stack: Stack) => Promise<void>>> = { single, batch: batched, memory };
const command = commands[name];
if (!command) throw new Error(`There is ${Object.keys(commands).join(', ')}.`);
await withStack(command);

interface Pass {
  readonly eventsPerSecond: number;
  readonly postgres: number;
  readonly node: number;
}

/** Loads a server that is warm, and says what an event cost. */
async function pass(
  stack: Stack,
  target: Target,
  firstKey: number,
  size = batch,
  clients = connections,
): Promise<Pass> {
  const before = [processorSeconds(stack.postgresId), processorSeconds(target.processId)] as const;
  const report = await stack.load(target, { connections: clients, batch: size, seconds, firstKey, subjects });
  const cost = (used: number) => (used / report.events) * 1e6;
  const postgres = cost(processorSeconds(stack.postgresId) - before[0]);
  const node = cost(processorSeconds(target.processId) - before[1]);
  const eventsPerSecond = report.events / report.seconds;
  console.log(
    `  ${Math.round(eventsPerSecond).toLocaleString('en').padStart(8)} events/s   p50 ${report.p50.toFixed(1)} ms   p99 ${report.p99.toFixed(1)} ms   PostgreSQL ${postgres.toFixed(1)} µs   Node ${node.toFixed(1)} µs an event${report.refused > 0 ? `   refused ${report.refused}` : ''}`,
  );
  return { eventsPerSecond, postgres, node };
}

function verdict(label: string, value: number, target: number, digits = 2): void {
  console.log(
    `  ${label.padEnd(46)} ${value.toFixed(digits)}   wanted ≥ ${target}   ${value >= target ? 'yes' : 'NO'}`,
  );
}

/** The processor time of both, and of each. `limit` says what the limit of the same run takes. */
function costs(passes: readonly Pass[], most: number, limit: string): void {
  const [postgres, node] = [median(passes.map((each) => each.postgres)), median(passes.map((each) => each.node))];
  const both = median(passes.map((each) => each.postgres + each.node));
  console.log(
    `  ${'ingest.cpu, PostgreSQL + Node, µs an event'.padEnd(46)} ${both.toFixed(1)}   wanted ≤ ${most}   ${both <= most ? 'yes' : 'NO'}`,
  );
  console.log(`    PostgreSQL ${postgres.toFixed(1)}, Node ${node.toFixed(1)}; ${limit}`);
}

/** What a unit of work takes of a process, in µs. */
async function measured<T>(processId: number, work: () => Promise<T>): Promise<{ value: T; microseconds: number }> {
  const before = processorSeconds(processId);
  const value = await work();
  return { value, microseconds: (processorSeconds(processId) - before) * 1e6 };
}

/** How long the functions of the database took in all, each without those that it calls, in µs. */
async function functionTimes(client: pg.Client): Promise<ReadonlyMap<string, number>> {
  await sleep(2_000); // counts come out a second late
  const { rows } = await client.query<{ name: string; microseconds: number }>(
    'select funcname as name, sum(self_time) * 1000 as microseconds from pg_stat_user_functions group by 1',
  );
  return new Map(rows.map(({ name: each, microseconds }) => [each, microseconds]));
}

async function single(stack: Stack): Promise<void> {
  const url = await stack.database();
  const ratios: number[] = [];
  const passes: Pass[] = [];
  const bareCosts: number[] = [];
  await stack.serving('bare', (bare) =>
    stack.serving(url, async (target) => {
      await stack.load(bare, { connections, batch: 0, seconds: WARM_SECONDS, firstKey: 0, subjects });
      await stack.load(target, { connections, batch: 0, seconds: WARM_SECONDS, firstKey: 1e12, subjects });
      for (let pair = 0; pair < pairs; pair += 1) {
        const { value: limit, microseconds } = await measured(bare.processId, () =>
          stack.load(bare, { connections, batch: 0, seconds, firstKey: 0, subjects }),
        );
        bareCosts.push(microseconds / limit.requests);
        const limitPerSecond = limit.requests / limit.seconds;
        console.log(
          `  ${Math.round(limitPerSecond).toLocaleString('en').padStart(8)} requests/s of a bare Fastify POST with a schema`,
        );
        const found = await pass(stack, target, (pair + 2) * 1e12, 0);
        ratios.push(found.eventsPerSecond / limitPerSecond);
        passes.push(found);
      }
    }),
  );
  verdict('ingest.single ÷ bare POST', median(ratios), 0.5);
  costs(passes, 100, `a bare POST takes ${median(bareCosts).toFixed(1)} of Node`);
}

async function batched(stack: Stack): Promise<void> {
  const url = await stack.database();
  const found: Pass[] = [];
  const ratios: number[] = [];
  const copyCosts: number[] = [];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`alter system set track_functions = 'all'`);
  await client.query('select pg_reload_conf()');
  let before: ReadonlyMap<string, number> = new Map();
  await stack.serving(url, async (target) => {
    await stack.load(target, { connections, batch, seconds: WARM_SECONDS, firstKey: 1e12, subjects });
    before = await functionTimes(client);
    for (let pair = 0; pair < pairs; pair += 1) {
      const { value: limit, microseconds } = await measured(stack.postgresId, () => copyRowsPerSecond(url, COPIED));
      copyCosts.push(microseconds / COPIED);
      console.log(`  ${Math.round(limit).toLocaleString('en').padStart(8)} rows/s of COPY with a unique index`);
      const each = await pass(stack, target, (pair + 2) * 1e12);
      found.push(each);
      ratios.push(each.eventsPerSecond / limit);
    }
  });
  verdict('ingest.batch ÷ COPY', median(ratios), 0.4);
  verdict('ingest.batch, events/s', median(found.map((each) => each.eventsPerSecond)), 45_000, 0);
  costs(found, 40, `COPY takes ${median(copyCosts).toFixed(1)} of PostgreSQL a row`);
  console.log('  of an event, time in each function of the database, without those that it calls, µs');
  const events = found.reduce((total, each) => total + each.eventsPerSecond * seconds, 0);
  for (const [each, microseconds] of await functionTimes(client)) {
    const cost = (microseconds - (before.get(each) ?? 0)) / events;
    if (cost >= 0.1) console.log(`    ${each.padEnd(44)} ${cost.toFixed(1)}`);
  }
  await client.end();
}

async function memory(stack: Stack): Promise<void> {
  const url = await stack.database();
  await stack.serving(url, async (target) => {
    const order = { connections, batch, seconds: 600, subjects };
    await stack.load(target, { ...order, requests: 100, firstKey: 1e12 });
    const before = residentMegabytes(target.processId);
    await stack.load(target, { ...order, requests: Math.ceil(events / Math.max(1, batch)), firstKey: 2e12 });
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const after = residentMegabytes(target.processId);
    console.log(
      `  memory: ${before.toFixed(0)} MiB warm, ${after.toFixed(0)} MiB after ${events.toLocaleString('en')} events`,
    );
    console.log(`  growth ${(after - before).toFixed(0)} MiB   wanted ≤ 50   ${after - before <= 50 ? 'yes' : 'NO'}`);
  });
}
