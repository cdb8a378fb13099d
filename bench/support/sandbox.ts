import pg from 'pg';
import pino from 'pino';
import { type Environment, type EnvironmentOptions, openEnvironment, wallClock } from '../../src/app.ts';
import { generateApiKey } from '../../src/identity/index.ts';
import { generateMasterKey } from '../../src/kernel/sealing.ts';

export type Answer = { id: string } & Record<string, unknown>;

/** Sends a request under a merchant's key, in the process of the benchmark. @throws where it is refused */
export type Caller = (method: 'POST' | 'GET' | 'PATCH', path: string, body?: unknown) => Promise<Answer>;

export interface Sandbox {
  readonly environment: Environment;
  /** Makes a merchant, and answers how to call under its key. */
  readonly merchant: () => Promise<Caller>;
  readonly setAhead: (by: Temporal.Duration) => void;
}

/** A sandbox in the process of the benchmark. Its wall time can be set ahead. */
export async function openSandbox(
  url: string,
  options: Partial<Pick<EnvironmentOptions, 'publicUrl' | 'openDatabase'>> = {},
): Promise<Sandbox> {
  let ahead = Temporal.Duration.from({ seconds: 0 });
  const platformKey = generateApiKey('sandbox');
  const environment = await openEnvironment({
    environment: 'sandbox',
    databaseUrl: url,
    publicUrl: 'http://127.0.0.1:4800',
    platformKey,
    masterKey: { key: generateMasterKey() },
    logger: pino({ level: process.env.BENCH_LOG ?? 'silent' }),
    now: () => wallClock().add(ahead),
    ...options,
  });
  const caller =
    (key: string): Caller =>
    async (method, path, body) => {
      const reply = await environment.server.inject({
        method,
        url: path,
        headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      });
      if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${reply.body}`);
      return JSON.parse(reply.body) as Answer;
    };
  const platform = caller(platformKey);
  const merchant = async (): Promise<Caller> => {
    const { id: organizationId } = await platform('POST', '/v0/organizations', { name: 'Bench', type: 'merchant' });
    const user = await platform('POST', '/v0/users', { organizationId, email: 'b@example.com', role: 'admin' });
    const key = await platform('POST', `/v0/users/${user.id}/apikeys`, { name: 'bench' });
    return caller(key.secret as string);
  };
  return {
    environment,
    merchant,
    setAhead: (by) => {
      ahead = by;
    },
  };
}

/** A plan of a fee, usage in tiers and usage by the unit, with tax. */
export async function makePlan(call: Caller): Promise<Answer> {
  const product = await call('POST', '/v0/products', { name: 'Product', description: 'Product' });
  const metric = await call('POST', '/v0/billableMetrics', {
    name: 'Calls',
    description: 'Calls',
    unit: 'call',
    productId: product.id,
    aggregation: 'SUM',
    eventType: 'call',
    valueProperty: '$.units',
  });
  const fee = await call('POST', '/v0/fees', { name: 'Base', description: 'Base', productId: product.id });
  const tiers = [
    { upTo: '100', unitPrice: '0.10' },
    { upTo: null, unitPrice: '0.05' },
  ];
  const usage = { billableMetricId: metric.id, paymentTerm: 'in_arrears' };
  const prices = await Promise.all(
    [
      {
        feeId: fee.id,
        invoiceDisplayName: 'Base',
        paymentTerm: 'in_arrears',
        billingCadence: 'P1M',
        properties: { unitPrice: '20' },
      },
      { ...usage, invoiceDisplayName: 'Calls', model: 'graduated', properties: { tiers } },
      { ...usage, invoiceDisplayName: 'Calls again', properties: { unitPrice: '0.001' } },
    ].map((price) => call('POST', '/v0/prices', price)),
  );
  return call('POST', '/v0/plans', {
    name: 'Plan',
    productId: product.id,
    currency: 'USD',
    prices: prices.map(({ id }) => id),
    defaultTaxRate: 20,
  });
}

/** Columns of a table that an insert may name. */
export async function columnsOf(pool: pg.Pool, table: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select attname as name from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
      order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Copies of a row, one for each number `n`; what is to be another one in each is said as SQL over the row `t`. */
async function copyRow(
  pool: pg.Pool,
  table: string,
  id: string,
  changed: Readonly<Record<string, string>>,
  copies: number,
): Promise<void> {
  const columns = await columnsOf(pool, table);
  await pool.query(
    `insert into ${table} (${columns.join(', ')})
     select ${columns.map((name) => changed[name] ?? `t.${name}`).join(', ')}
       from ${table} t cross join generate_series(1, $2) n where t.id = $1`,
    [id, copies],
  );
}

/** Copies of a subscription with its customer and its first invoice; the id of each is that of its original and `n`. */
export async function copySubscription(
  pool: pg.Pool,
  made: { readonly id: string; readonly customerId: string },
  copies: number,
): Promise<void> {
  const own = (name: string) => ({ [name]: `t.${name} || n` });
  const [invoice, customer] = await Promise.all([
    pool.query<{ id: string }>('select id from invoice where subscription_id = $1', [made.id]),
    pool.query<{ consumer_id: string }>('select consumer_id from customer where id = $1', [made.customerId]),
  ]);
  const rows: readonly [string, string, Record<string, string>][] = [
    ['organization', customer.rows[0]?.consumer_id as string, { email: 'n || t.email' }],
    ['customer', made.customerId, own('consumer_id')],
    ['subscription', made.id, own('customer_id')],
    ['invoice', invoice.rows[0]?.id as string, { ...own('customer_id'), ...own('subscription_id') }],
  ];
  for (const [table, id, changed] of rows) await copyRow(pool, table, id, { ...own('id'), ...changed }, copies);
}

/** Counts the statements that the process sends from now on. */
export function countStatements(): () => number {
  let sent = 0;
  const query = pg.Client.prototype.query as (...values: unknown[]) => unknown;
  pg.Client.prototype.query = function counted(this: pg.Client, ...values: unknown[]) {
    sent += 1;
    return query.apply(this, values);
  } as typeof pg.Client.prototype.query;
  return () => sent;
}
