import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Environment, wallClock } from '../src/app.ts';
import { CountedDatabase } from '../test/support/counted-database.ts';
import { numbersOf, verdict } from './support/arguments.ts';
import { type Answer, type Caller, columnsOf, copySubscription, makePlan, openSandbox } from './support/sandbox.ts';
import { processorSeconds, type Stack, withStack } from './support/stack.ts';

/**
 * How fast periods are closed, rated and issued, beside plain SQL that writes the same rows; a year of one
 * subscription, and an account of many lines. See README.md.
 */

const { subscriptions, lines } = numbersOf({ subscriptions: 1_000, lines: 30_000 });

const WANTED_PER_SECOND = 1_500;
const WANTED_OF_SQL = 0.3;
const WANTED_YEAR_SECONDS = 2;
const WANTED_ACCOUNT_SECONDS = 10;
const LINES = 3;

/** A sandbox that counts the statements of its lists. */
async function open(url: string) {
  const databases: CountedDatabase[] = [];
  const sandbox = await openSandbox(url, {
    publicUrl: 'http://127.0.0.1:4401',
    openDatabase: (asked) => {
      const database = new CountedDatabase(asked);
      databases.push(database);
      return database;
    },
  });
  const call = await sandbox.merchant();
  return { ...sandbox, call, lists: () => databases.flatMap((database) => database.lists) };
}

/** Customers subscribed since a while, each with an event: one over HTTP, the others as copies of its rows. */
async function subscribe(call: Caller, pool: pg.Pool, plan: Answer): Promise<void> {
  const made = await call('POST', '/v0/subscriptions', {
    name: 'Subscription',
    planId: plan.id,
    startedAt: wallClock().subtract({ hours: 24 }).toString(),
    customer: { name: 'Customer', email: 'customer@example.com' },
  });
  const customerId = made.customerId as string;
  await copySubscription(pool, { id: made.id, customerId }, subscriptions - 1);
  const usage = Array.from({ length: subscriptions }, (_, n) => ({
    type: 'call',
    source: 'bench',
    subject: n === 0 ? customerId : `${customerId}${n}`,
    data: { units: 150 + (n % 100) },
  }));
  for (let from = 0; from < usage.length; from += 1_000)
    await call('POST', '/v0/events', usage.slice(from, from + 1_000));
}

const POLL_MILLISECONDS = 25;

/** By then the first periods are over, and their invoices are not overdue. */
const AHEAD = Temporal.Duration.from({ hours: 24 * 40 });

/** The worker as it runs beside a server, until no invoice is due; documents are rendered later. */
async function issueAll(environment: Environment, pool: pg.Pool, now: Temporal.Instant): Promise<number> {
  const began = performance.now();
  environment.startWorker();
  for (;;) {
    const { rows } = await pool.query<{ isOpen: boolean }>(
      'select exists (select from invoice where clock_id is null and next_action_at <= $1) as "isOpen"',
      [now.toString()],
    );
    if (rows[0]?.isOpen === false) return (performance.now() - began) / 1000;
    await sleep(POLL_MILLISECONDS);
  }
}

/** The invoices of the run. */
const RUN = `select id from invoice where sequence_number = 1 and kind = 'subscription' and clock_id is null`;

/** What the run writes beside the invoices' own rows: the tables, and which of their rows are of the run. */
const WRITTEN: readonly (readonly [table: string, rows: string])[] = [
  ['invoice_line', `t.invoice_id in (${RUN})`],
  ['invoice_usage', `t.invoice_id in (${RUN})`],
  ['usage_taken', `t.invoice_id in (${RUN})`],
  ['ledger_transaction', `t.invoice_id in (${RUN})`],
  ['ledger_entry', `t.transaction_id in (select id from ledger_transaction where invoice_id in (${RUN}))`],
  ['outbox', `t.data ->> 'invoiceId' in (${RUN})`],
  ['outbox_sequence', `t.resource_id in (${RUN})`],
  ['mail', `t.about_id in (${RUN})`],
  ['payment_session', `t.invoice_id in (${RUN})`],
  ['document_job', `t.id in (${RUN})`],
];

/**
 * The same rows in tables with the same indexes, a statement for each table: what writing them takes when nothing is
 * asked, decided, checked or kept apart. Invoices have two versions after the one that opened them.
 * @returns seconds
 */
async function writePlainly(pool: pg.Pool): Promise<number> {
  const names = [...WRITTEN.map(([table]) => table), 'invoice'];
  await pool.query(names.map((name) => `create table plain_${name} (like ${name} including all)`).join('; '));
  const columns = new Map<string, string[]>();
  for (const name of names) columns.set(name, await columnsOf(pool, name));
  const copied = (name: string, rows: string) => {
    const all = columns.get(name) as string[];
    return `insert into plain_${name} (${all.join(', ')}) select ${all.map((each) => `t.${each}`).join(', ')} from ${name} t where ${rows}`;
  };
  await pool.query(copied('invoice', `t.id in (${RUN})`));
  const changed = (columns.get('invoice') as string[]).filter((name) => !['merchant_id', 'id'].includes(name));
  const version = `update plain_invoice p set ${changed.map((name) => `${name} = t.${name}`).join(', ')}
    from invoice t where t.merchant_id = p.merchant_id and t.id = p.id and t.id in (${RUN})`;
  const began = performance.now();
  for (const [table, rows] of WRITTEN) await pool.query(copied(table, rows));
  await pool.query(copied('invoice', `t.sequence_number = 2 and t.kind = 'subscription' and t.clock_id is null`));
  await pool.query(version);
  await pool.query(version);
  return (performance.now() - began) / 1000;
}

/** Bytes of the log that PostgreSQL has written until now. */
async function walBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`);
  return Number(rows[0]?.bytes);
}

async function run(stack: Stack): Promise<void> {
  const url = await stack.database();
  const { environment, call, setAhead, lists } = await open(url);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  try {
    await year(call); // the first document starts the renderer
    tellYear(await year(call));
    await subscribe(call, pool, await makePlan(call));
    setAhead(AHEAD);
    await pool.query('vacuum analyze');
    const before = processorSeconds(stack.postgresId);
    const logged = await walBytes(pool);
    const node = process.cpuUsage();
    const seconds = await issueAll(environment, pool, wallClock().add(AHEAD));
    const spent = process.cpuUsage(node);
    const postgres = (processorSeconds(stack.postgresId) - before) / subscriptions;
    const wal = (await walBytes(pool)) - logged;
    const { rows } = await pool.query<{ issued: number; lines: number }>(`
      select count(*)::int as issued, min(item_count)::int as lines from invoice where sequence_number = 1 and clock_id is null and invoice_number is not null`);
    if (rows[0]?.issued !== subscriptions || rows[0].lines !== LINES)
      throw new Error(`${rows[0]?.issued} of ${subscriptions} were issued, with ${rows[0]?.lines} lines.`);
    const plain = await writePlainly(pool);
    const rate = subscriptions / seconds;
    const milliseconds = (part: number) => (part * 1_000).toFixed(2);
    console.log(
      `  ${rate.toFixed(0)} invoices/s   PostgreSQL ${milliseconds(postgres)} + Node ${milliseconds((spent.user + spent.system) / 1e6 / subscriptions)} ms, ${(wal / subscriptions / 1024).toFixed(1)} KiB of WAL an invoice`,
    );
    const statements = lists().map((list) => list.statements);
    console.log(`  ${statements.length} lists of ${Math.min(...statements)} to ${Math.max(...statements)} statements`);
    console.log(
      `  invoice.run, invoices/s    ${rate.toFixed(0)}   wanted ≥ ${WANTED_PER_SECOND}   ${verdict(rate >= WANTED_PER_SECOND)}`,
    );
    console.log(
      `  invoice.run ÷ plain SQL    ${(plain / seconds).toFixed(3)}   wanted ≥ ${WANTED_OF_SQL}   ${verdict(plain / seconds >= WANTED_OF_SQL)}`,
    );
  } finally {
    await pool.end();
    await environment.close();
  }
}

/** The account by itself: work that went on after a call was given up would be in the other figures. */
async function runAccount(stack: Stack): Promise<void> {
  const { environment, call } = await open(await stack.database());
  try {
    await account(call);
  } finally {
    await environment.close();
  }
}

/** Twelve months of one subscription in one call. @returns seconds */
async function year(call: Caller): Promise<number> {
  const plan = await makePlan(call);
  const clock = await call('POST', '/v0/testClocks', { name: 'Year', currentTime: '2026-01-31T00:00:00Z' });
  await call('POST', '/v0/subscriptions', {
    name: 'Year',
    planId: plan.id,
    startedAt: '2026-01-31T00:00:00Z',
    testClockId: clock.id,
    customer: { name: 'Year', email: 'year@example.com' },
  });
  const began = performance.now();
  await call('PATCH', `/v0/testClocks/${clock.id}`, { currentTime: '2027-02-01T00:00:00Z' });
  return (performance.now() - began) / 1000;
}

function tellYear(seconds: number): void {
  console.log(
    `  clock.year                 ${seconds.toFixed(2)} s   wanted < ${WANTED_YEAR_SECONDS}   ${verdict(seconds < WANTED_YEAR_SECONDS)}`,
  );
}

/** The most cells that a price has. */
const MOST_CELLS = 1_000;

/** One account whose invoice has a line for each cell of its prices. */
async function account(call: Caller): Promise<void> {
  const product = await call('POST', '/v0/products', { name: 'Wide', description: 'Wide' });
  const metric = await call('POST', '/v0/billableMetrics', {
    name: 'Traffic',
    description: 'Traffic',
    unit: 'GB',
    productId: product.id,
    aggregation: 'SUM',
    eventType: 'traffic',
    valueProperty: '$.units',
    groupBy: { host: '$.host' },
  });
  const wanted = Math.ceil(lines / MOST_CELLS);
  const hosts = Array.from({ length: Math.ceil(lines / wanted) }, (_, n) => `host-${n}`);
  const cells = hosts.map((host, n) => ({ match: { host }, unitPrice: `0.${1000 + n}` }));
  const prices: string[] = [];
  while (prices.length < wanted) {
    const price = await call('POST', '/v0/prices', {
      billableMetricId: metric.id,
      invoiceDisplayName: 'Traffic',
      paymentTerm: 'in_arrears',
      model: 'matrix',
      properties: { dimensions: ['host'], cells, default: '0' },
    });
    prices.push(price.id);
  }
  const plan = await call('POST', '/v0/plans', {
    name: 'Wide',
    productId: product.id,
    currency: 'USD',
    prices,
    defaultTaxRate: 20,
  });
  const clock = await call('POST', '/v0/testClocks', { name: 'Wide', currentTime: '2026-01-01T00:00:00Z' });
  const { id: subject } = await call('POST', '/v0/subscriptions', {
    name: 'Wide',
    planId: plan.id,
    startedAt: '2026-01-01T00:00:00Z',
    testClockId: clock.id,
    customer: { name: 'Wide', email: 'wide@example.com' },
  });
  const timestamp = '2026-01-10T00:00:00Z';
  const usage = hosts.map((host, n) => ({
    ...{ type: 'traffic', source: 'bench', subject, timestamp },
    data: { units: 1 + (n % 100), host },
  }));
  await call('POST', '/v0/events', usage);
  const began = performance.now();
  const answer = await call('PATCH', `/v0/testClocks/${clock.id}`, { currentTime: '2026-02-01T00:00:00Z' }).catch(
    (error: unknown) => error,
  );
  const seconds = (performance.now() - began) / 1000;
  const tell = (many: number, kept: boolean) =>
    console.log(
      `  account of ${many} lines     ${seconds.toFixed(2)} s   wanted < ${WANTED_ACCOUNT_SECONDS}   ${verdict(kept)}`,
    );
  const billed = wanted * hosts.length;
  if (answer instanceof Error) {
    console.log(`  ${answer.message}`);
    tell(billed, false);
    return;
  }
  const { data } = (await call('GET', `/v2/invoices?subscriptionId=${subject}&status=ISSUED`)) as unknown as {
    data: readonly { itemCount: number }[];
  };
  if (data[0]?.itemCount !== billed) throw new Error(`The invoice has ${data[0]?.itemCount} lines, not ${billed}.`);
  tell(billed, seconds < WANTED_ACCOUNT_SECONDS);
}

await withStack(async (stack) => {
  await run(stack);
  await runAccount(stack);
});
