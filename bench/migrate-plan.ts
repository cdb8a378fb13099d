import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { wallClock } from '../src/app.ts';
import { numbersOf } from './support/arguments.ts';
import { type Answer, type Caller, openSandbox } from './support/sandbox.ts';
import { processorSeconds, residentMegabytes, type Stack, withStack } from './support/stack.ts';

/**
 * What a migration of a plan takes for each subscription, whether that and the memory grow with their number. See
 * README.md.
 */

const { subscriptions, limit } = numbersOf({ subscriptions: 2_000, limit: 10 });

/** The figures are compared with those of a migration of so many times fewer subscriptions. */
const SMALLER = 4;
const WANTED_GROWTH = 1.2;
const WANTED_MEGABYTES = 100;
const POLL_MILLISECONDS = 250;

/** A plan whose second version has a dearer fee in advance, and a subscription that has paid the first version's. */
async function sell(call: Caller): Promise<{ plan: Answer; subscription: Answer }> {
  const product = await call('POST', '/v0/products', { name: 'Product', description: 'Product' });
  const fee = await call('POST', '/v0/fees', { name: 'Base', description: 'Base', productId: product.id });
  const metric = await call('POST', '/v0/billableMetrics', {
    ...{ name: 'Calls', description: 'Calls', unit: 'call', productId: product.id },
    ...{ aggregation: 'SUM', eventType: 'call', valueProperty: '$.units' },
  });
  const base = (unitPrice: string) =>
    call('POST', '/v0/prices', {
      ...{ feeId: fee.id, invoiceDisplayName: 'Base', paymentTerm: 'in_advance', billingCadence: 'P1M' },
      properties: { unitPrice },
    });
  const [cheap, dear] = [await base('20'), await base('25')];
  const usage = await call('POST', '/v0/prices', {
    ...{ billableMetricId: metric.id, paymentTerm: 'in_arrears', invoiceDisplayName: 'Calls' },
    properties: { unitPrice: '0.01' },
  });
  const plan = await call('POST', '/v0/plans', {
    ...{ name: 'Plan', productId: product.id, currency: 'USD', prices: [cheap.id, usage.id], defaultTaxRate: 20 },
  });
  const subscription = await call('POST', '/v0/subscriptions', {
    ...{ name: 'Subscription', planId: plan.id, startedAt: wallClock().subtract({ hours: 240 }).toString() },
    ...{ bankTransferOnly: true, customer: { name: 'Customer', email: 'customer@example.com' } },
  });
  const issued = await call('GET', `/v2/invoices?subscriptionId=${subscription.id}&status=ISSUED`);
  for (const { id, grandTotal: amount } of issued.data as readonly { id: string; grandTotal: string }[])
    await call('POST', `/v2/invoices/${id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: id });
  const replacePrices = [{ replacesPriceId: cheap.id, withPriceId: dear.id }];
  await call('POST', `/v0/plans/${plan.id}/versions`, { replacePrices });
  return { plan, subscription };
}

/** Columns that are another id, number or address in each copy. */
const OWN = new Set(['id', 'customer_id', 'consumer_id', 'subscription_id', 'invoice_id', 'invoice_number', 'email']);

/**
 * The tables of a subscription and what it was billed, and which of their rows are its own ($1, $2: it and its
 * customer).
 */
const COPIED: readonly (readonly [table: string, rows: string])[] = [
  ['organization', 't.id = (select consumer_id from customer where id = $2)'],
  ['customer', 't.id = $2'],
  ['subscription', 't.id = $1'],
  ['invoice', 't.subscription_id = $1'],
  ['invoice_line', 't.invoice_id in (select id from invoice where subscription_id = $1)'],
];

async function copySubscription(pool: pg.Pool, { id, customerId }: Answer, copies: number): Promise<void> {
  await pool.query('alter table invoice_line disable trigger user'); // lines of issued invoices are guarded
  for (const [table, rows] of COPIED) {
    const { rows: columns } = await pool.query<{ name: string }>(
      `select attname as name from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
      [table],
    );
    const names = columns.map(({ name }) => name);
    const values = names.map((name) =>
      OWN.has(name) ? `${name === 'email' ? 'n || ' : ''}t.${name}${name === 'email' ? '' : ' || n'}` : `t.${name}`,
    );
    await pool.query(
      `insert into ${table} (${names.join()})
       select ${values.join()} from ${table} t cross join generate_series(1, $3) n
        where ${rows} and $1::text <> $2::text order by n`,
      [id, customerId, copies],
    );
  }
  await pool.query('alter table invoice_line enable trigger user');
}

/** Milliseconds of processors for each subscription, and of memory that the process has more than before, in MiB. */
interface Cost {
  readonly postgres: number;
  readonly node: number;
  readonly megabytes: number;
}

async function migrate(stack: Stack, many: number): Promise<Cost> {
  const url = await stack.database();
  const { environment, merchant } = await openSandbox(url, { publicUrl: 'http://127.0.0.1:4820' });
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  try {
    environment.startWorker();
    const migration = async (copies: number) => {
      const call = await merchant();
      const { plan, subscription } = await sell(call);
      await copySubscription(pool, subscription, copies - 1);
      await pool.query('vacuum analyze');
      return async () => {
        const path = `/v0/plans/${plan.id}/migrations`;
        let found = await call('POST', path, { fromVersion: 1, toVersion: 2 });
        while (found.status === 'running') {
          await sleep(POLL_MILLISECONDS);
          found = await call('GET', `${path}/${found.id}`);
        }
        const { total, done } = found.progress as { total: number; done: number };
        if (total !== copies || done !== copies) throw new Error(`${done} of ${total} subscriptions were changed.`);
      };
    };
    await (await migration(WARM_UP))();
    const run = await migration(many);
    const [before, used, held] = [
      processorSeconds(stack.postgresId),
      process.cpuUsage(),
      residentMegabytes(process.pid),
    ];
    await run();
    const { user, system } = process.cpuUsage(used);
    return {
      postgres: ((processorSeconds(stack.postgresId) - before) * 1_000) / many,
      node: (user + system) / 1_000 / many,
      megabytes: residentMegabytes(process.pid) - held,
    };
  } finally {
    await pool.end();
    await environment.close();
  }
}

/** Subscriptions that are migrated before anything is measured. */
const WARM_UP = 200;

const tell = (name: string, figure: number, wanted: number, unit = '') => {
  const verdict = figure <= wanted ? 'yes' : 'NO';
  console.log(
    `  ${name.padEnd(40)} ${figure.toFixed(2)}${unit}   wanted ≤ ${wanted}${unit}   ${verdict}   ratio ${(figure / wanted).toFixed(2)}`,
  );
};

await withStack(async (stack) => {
  const few = await migrate(stack, subscriptions / SMALLER);
  const all = await migrate(stack, subscriptions);
  const milliseconds = ({ postgres, node }: Cost) => postgres + node;
  for (const [many, cost] of [
    [subscriptions / SMALLER, few],
    [subscriptions, all],
  ] as const)
    console.log(
      `  ${many} subscriptions: PostgreSQL ${cost.postgres.toFixed(2)} + Node ${cost.node.toFixed(2)} ms each, ${cost.megabytes.toFixed(0)} MiB more`,
    );
  tell('migration, processor a subscription', milliseconds(all), limit, ' ms');
  tell(`the same ÷ that of ${subscriptions / SMALLER}`, milliseconds(all) / milliseconds(few), WANTED_GROWTH);
  tell('memory more than before it', Math.max(0, all.megabytes), WANTED_MEGABYTES, ' MiB');
});
