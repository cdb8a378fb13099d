import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { wallClock } from '../src/app.ts';
import { numbersOf, verdict } from './support/arguments.ts';
import { type Answer, type Caller, copySubscription, openSandbox } from './support/sandbox.ts';
import { type Stack, withStack } from './support/stack.ts';

/** How much memory a run of invoices of many lines takes, of some accounts and of more. See README.md. */

const { few, many, lines } = numbersOf({ few: 20, many: 60, lines: 5_000 });

const WANTED_GROWTH = 1.2;
const WANTED_IDLE_SECONDS = 15;
/** The most cells that a price has. */
const CELLS = 1_000;
const SAMPLE_MILLISECONDS = 100;

interface Order {
  readonly url: string;
  readonly accounts: number;
}

interface Report {
  /** Of the process at its peak, and before, in MiB. */
  readonly peak: number;
  readonly before: number;
  /** The longest that a transaction waited for the process. */
  readonly idleSeconds: number;
  readonly seconds: number;
}

/** Accounts whose invoices have a line for each cell of their prices. */
async function makeAccounts(call: Caller, pool: pg.Pool, accounts: number): Promise<void> {
  const product = await call('POST', '/v0/products', { name: 'Wide', description: 'Wide' });
  const metric = await call('POST', '/v0/billableMetrics', {
    ...{ name: 'Traffic', description: 'Traffic', unit: 'GB', productId: product.id },
    ...{ aggregation: 'SUM', eventType: 'traffic', valueProperty: '$.units', groupBy: { host: '$.host' } },
  });
  const hosts = Array.from({ length: Math.min(CELLS, lines) }, (_, n) => `host-${n}`);
  const cells = hosts.map((host, n) => ({ match: { host }, unitPrice: `0.${1000 + n}` }));
  const prices: Answer[] = [];
  while (prices.length < lines / CELLS)
    prices.push(
      await call('POST', '/v0/prices', {
        ...{ billableMetricId: metric.id, invoiceDisplayName: 'Traffic', paymentTerm: 'in_arrears' },
        ...{ model: 'matrix', properties: { dimensions: ['host'], cells, default: '0' } },
      }),
    );
  const plan = await call('POST', '/v0/plans', {
    ...{ name: 'Wide', productId: product.id, currency: 'USD', defaultTaxRate: 20 },
    prices: prices.map(({ id }) => id),
  });
  const made = await call('POST', '/v0/subscriptions', {
    ...{ name: 'Wide', planId: plan.id, startedAt: wallClock().subtract({ hours: 24 }).toString() },
    customer: { name: 'Wide', email: 'wide@example.com' },
  });
  const customerId = made.customerId as string;
  await copySubscription(pool, { id: made.id, customerId }, accounts - 1);
  for (let account = 0; account < accounts; account += 1) {
    const subject = account === 0 ? customerId : `${customerId}${account}`;
    const usage = hosts.map((host, n) => ({
      ...{ type: 'traffic', source: 'bench', subject },
      data: { units: 1 + (n % 100), host },
    }));
    await call('POST', '/v0/events', usage);
  }
}

/** What the process and its transactions did until `isOver`. */
async function watch(pool: pg.Pool, isOver: () => Promise<boolean>): Promise<Pick<Report, 'peak' | 'idleSeconds'>> {
  let [peak, idleSeconds] = [0, 0];
  while (!(await isOver())) {
    const { rows } = await pool.query<{ idle: number | null }>(`
      select extract(epoch from max(clock_timestamp() - state_change))::float8 as idle
        from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`);
    idleSeconds = Math.max(idleSeconds, rows[0]?.idle ?? 0);
    peak = Math.max(peak, process.memoryUsage.rss() / 2 ** 20);
    await sleep(SAMPLE_MILLISECONDS);
  }
  return { peak, idleSeconds };
}

async function issueAll({ url, accounts }: Order): Promise<Report> {
  const { environment, merchant, setAhead } = await openSandbox(url);
  const call = await merchant();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  try {
    await makeAccounts(call, pool, accounts);
    setAhead(Temporal.Duration.from({ hours: 24 * 40 }));
    await pool.query('vacuum analyze');
    const before = process.memoryUsage.rss() / 2 ** 20;
    const began = performance.now();
    environment.startWorker();
    const seen = await watch(pool, async () => {
      const { rows } = await pool.query<{ isOpen: boolean }>(
        'select exists (select from invoice where sequence_number = 1 and invoice_number is null) as "isOpen"',
      );
      return rows[0]?.isOpen === false;
    });
    const { rows } = await pool.query<{ least: number; failures: number }>(`
      select min(item_count)::int as least, (select count(*)::int from due_failure) as failures
        from invoice where sequence_number = 1`);
    if (rows[0]?.least !== lines || rows[0].failures > 0)
      throw new Error(`${rows[0]?.least} lines, and ${rows[0]?.failures} steps failed.`);
    return { ...seen, before, seconds: (performance.now() - began) / 1000 };
  } finally {
    await pool.end();
    await environment.close();
  }
}

/** In a process of its own, so that nothing is in its memory before. */
const measure = (order: Order): Promise<Report> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: ['--max-semi-space-size=16'],
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`A process of the benchmark ended with ${code}.`)));
    child.once('message', (report) => resolve(report as Report));
    child.send(order);
  });

async function run(stack: Stack): Promise<void> {
  const reports: Report[] = [];
  for (const accounts of [few, many]) {
    const report = await measure({ url: await stack.database(), accounts });
    console.log(
      `  ${accounts} accounts of ${lines} lines   ${report.before.toFixed(0)} MiB before, ${report.peak.toFixed(0)} at most, ` +
        `${report.seconds.toFixed(1)} s`,
    );
    reports.push(report);
  }
  const [small, large] = reports as [Report, Report];
  const growth = large.peak / small.peak;
  const idle = Math.max(small.idleSeconds, large.idleSeconds);
  console.log(
    `  weights, memory ${many} ÷ ${few} accounts   ${growth.toFixed(2)}   wanted ≤ ${WANTED_GROWTH}   ${verdict(growth <= WANTED_GROWTH)}`,
  );
  console.log(
    `  weights, longest idle transaction      ${idle.toFixed(1)} s   wanted ≤ ${WANTED_IDLE_SECONDS}   ${verdict(idle <= WANTED_IDLE_SECONDS)}`,
  );
}

if (process.send === undefined) await withStack(run);
else {
  const order = await new Promise<Order>((resolve) => process.once('message', (sent) => resolve(sent as Order)));
  process.send(await issueAll(order), () => process.exit(0));
}
