import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { numbersOf, verdict } from './support/arguments.ts';
import {
  type Answer,
  type Caller,
  copySubscription,
  countStatements,
  makePlan,
  openSandbox,
} from './support/sandbox.ts';
import { processorSeconds, type Stack, withStack } from './support/stack.ts';

/**
 * How long a test clock takes for a year of many subscriptions that renew at one instant, in one call. See README.md.
 */

const { subscriptions, months } = numbersOf({ subscriptions: 1_000, months: 12 });

const WANTED_SECONDS = 60;
const WANTED_MILLISECONDS = 4;
const LINES = 3;
const START = '2026-01-31T00:00:00Z';
const POLL_MILLISECONDS = 250;

/** Subscriptions of different customers on one clock, with usage in each month. */
async function subscribe(call: Caller, pool: pg.Pool): Promise<Answer> {
  const plan = await makePlan(call);
  const clock = await call('POST', '/v0/testClocks', { name: 'Year', currentTime: START });
  const made = await call('POST', '/v0/subscriptions', {
    name: 'Subscription',
    planId: plan.id,
    startedAt: START,
    testClockId: clock.id,
    customer: { name: 'Customer', email: 'customer@example.com' },
  });
  const customerId = made.customerId as string;
  await copySubscription(pool, { id: made.id, customerId }, subscriptions - 1);
  const usage = Array.from({ length: subscriptions * months }, (_, n) => ({
    ...{ type: 'call', source: 'bench' },
    subject: n < months ? customerId : `${customerId}${Math.floor(n / months)}`,
    timestamp: Temporal.Instant.from(START)
      .add({ hours: 24 * (1 + 30 * (n % months)) })
      .toString(),
    data: { units: 150 + (n % 100) },
  }));
  for (let from = 0; from < usage.length; from += 1_000)
    await call('POST', '/v0/events', usage.slice(from, from + 1_000));
  return clock;
}

/** One call, and then looks at the clock until it has arrived. @returns seconds */
async function advance(call: Caller, id: string): Promise<number> {
  const began = performance.now();
  let clock = await call('PATCH', `/v0/testClocks/${id}`, { advanceBy: `P${months}M1D` });
  while (clock.advancingTo !== null) {
    await sleep(POLL_MILLISECONDS);
    clock = await call('GET', `/v0/testClocks/${id}`);
  }
  return (performance.now() - began) / 1000;
}

async function run(stack: Stack): Promise<void> {
  const url = await stack.database();
  const sent = countStatements();
  const { environment, merchant } = await openSandbox(url);
  const call = await merchant();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  try {
    const clock = await subscribe(call, pool);
    await pool.query('vacuum analyze');
    environment.startWorker();
    const before = { postgres: processorSeconds(stack.postgresId), node: process.cpuUsage(), sent: sent() };
    const seconds = await advance(call, clock.id);
    const node = process.cpuUsage(before.node);
    const each = 1_000 / (subscriptions * months);
    const spent = {
      postgres: (processorSeconds(stack.postgresId) - before.postgres) * each,
      node: ((node.user + node.system) / 1e6) * each,
    };
    const { rows } = await pool.query<{ issued: number; lines: number; documents: number }>(
      `select count(*)::int as issued, min(item_count)::int as lines, (select count(*)::int from document) as documents
         from invoice where clock_id = $1 and invoice_number is not null`,
      [clock.id],
    );
    if (rows[0]?.issued !== subscriptions * months || rows[0].lines !== LINES)
      throw new Error(`${rows[0]?.issued} of ${subscriptions * months} were issued, with ${rows[0]?.lines} lines.`);
    const statements = (sent() - before.sent) / (subscriptions * months);
    const total = spent.postgres + spent.node;
    const wanted = (WANTED_SECONDS * subscriptions * months) / 12_000;
    console.log(
      `  ${subscriptions} subscriptions × ${months} months   ` +
        `PostgreSQL ${spent.postgres.toFixed(2)} + Node ${spent.node.toFixed(2)} ms, ` +
        `${statements.toFixed(2)} statements a subscription and month, ${rows[0].documents} documents beside`,
    );
    console.log(
      `  clock.year, seconds                    ${seconds.toFixed(1)}   wanted ≤ ${wanted.toFixed(0)}   ${verdict(seconds <= wanted)}`,
    );
    console.log(
      `  clock.year, ms a subscription-month    ${total.toFixed(2)}   wanted ≤ ${WANTED_MILLISECONDS}   ${verdict(total <= WANTED_MILLISECONDS)}`,
    );
  } finally {
    await pool.end();
    await environment.close();
  }
}

await withStack(run);
