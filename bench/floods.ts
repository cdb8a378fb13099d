import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { addAllChanges } from '../src/analytics/sums.ts';
import { Database } from '../src/db/index.ts';
import { keepHeapSmall } from '../src/start/heap.ts';
import { numbersOf } from './support/arguments.ts';
import { at, readDuringBursts } from './support/bursts.ts';
import { watchTurns } from './support/holds.ts';
import { openSandbox } from './support/sandbox.ts';
import { withStack } from './support/stack.ts';

/**
 * One merchant asks for its largest reports again and again, and another one reads a customer every 30 ms. See
 * README.md.
 */
const { events, facts, customers, atOnce } = numbersOf({ events: 50_000, facts: 20_000, customers: 3, atOnce: 200 });
const BATCH = 10_000;
const METER_DAYS = 200;
const YEAR_HOURS = 8_736;
const MOST_FIGURES = 10_000;
const MINUTES_HOURS = Math.floor(MOST_FIGURES / 60);
const WANTED_MILLISECONDS = 50;
/** As long as a request may take. */
const PAUSE_MILLISECONDS = 20_000;
const START = Temporal.Instant.from('2026-01-01T00:00:00Z');
const after = (hours: number): string => START.add({ hours }).toString();

keepHeapSmall(); // as the program does
const longestTurn = watchTurns();

await withStack(async (stack) => {
  const url = await stack.database();
  const sandbox = await openSandbox(url);
  const base = await sandbox.environment.server.listen({ host: '127.0.0.1', port: 0 });
  const loud = await newMerchant();
  const quiet = await newMerchant();
  const consumer = { name: 'Quiet', email: 'quiet@example.com', address: { country: 'US' } };
  const { id: customerId } = await quiet.call('POST', '/v0/customers', { consumer });
  const product = await loud.call('POST', '/v0/products', { name: 'Product', description: 'Product' });
  const metric = await loud.call('POST', '/v0/billableMetrics', {
    ...{ name: 'Calls', description: 'Calls', unit: 'call', productId: product.id },
    ...{ aggregation: 'SUM', eventType: 'call', valueProperty: '$.units' },
  });
  await sendEvents();
  const customerIds: string[] = [];
  for (let made = 0; made < customers; made += 1) {
    const { id } = await loud.call('POST', '/v0/customers', {
      consumer: { ...consumer, email: `${made}@example.com` },
    });
    customerIds.push(id);
  }
  await fillRevenue(url, loud.id, customerIds);

  const meter = `/v0/billableMetrics/${metric.id}/meter?from=${after(0)}&windowSize=MINUTE`;
  const revenue = `/v0/revenue?startTime=${after(0)}&bucketWidth=hour&groupBy=customer`;
  const largestRevenue = Math.floor(MOST_FIGURES / customers) - 1;
  const floods = [
    { name: `meter, ${METER_DAYS} days by minute`, path: `${meter}&to=${after(METER_DAYS * 24)}`, many: 5 },
    { name: `meter, ${MINUTES_HOURS} hours by minute`, path: `${meter}&to=${after(MINUTES_HOURS)}`, many: atOnce },
    { name: 'revenue, a year by hour and customer', path: `${revenue}&endTime=${after(YEAR_HOURS)}`, many: atOnce },
    {
      name: `revenue, ${largestRevenue} hours by customer`,
      path: `${revenue}&endTime=${after(largestRevenue)}`,
      many: atOnce,
    },
  ];
  console.log(`  ${events} events, ${facts} facts of ${customers} customers; the other merchant reads every 30 ms`);
  for (const { name, path, many } of floods) {
    await sleep(PAUSE_MILLISECONDS);
    longestTurn();
    const bursts = [{ method: 'GET', paths: Array.from({ length: many }, () => path), headers: loud.headers }] as const;
    const report = await readDuringBursts({ base, bursts, key: quiet.key, read: `/v0/customers/${customerId}` });
    const held = longestTurn();
    const times = (list: readonly number[]) => `p50 ${at(list, 0.5).toFixed(0)} p99 ${at(list, 0.99).toFixed(0)}`;
    console.log(
      `  ${name.padEnd(36)} × ${String(many).padStart(3)}  ${JSON.stringify(report.answers[0])} in ` +
        `${report.seconds.toFixed(1)} s  longest turn ${held.toFixed(0)} ms ` +
        `(wanted ≤ ${WANTED_MILLISECONDS}: ${held <= WANTED_MILLISECONDS ? 'yes' : 'NO'})  ` +
        `other merchant alone ${times(report.alone)}, in bursts ${times(report.duringBursts)} ms, ${report.failed} failed`,
    );
  }
  await sandbox.environment.close();

  async function newMerchant() {
    const call = await sandbox.merchant();
    const me = (await call('GET', '/v0/me')) as unknown as { user: { id: string; organizationId: string } };
    const { secret } = await call('POST', `/v0/users/${me.user.id}/apikeys`, { name: 'flood' });
    const key = secret as string;
    return { call, key, id: me.user.organizationId, headers: { authorization: `Bearer ${key}` } };
  }

  /** Spread over the days of the meter. */
  async function sendEvents(): Promise<void> {
    const seconds = METER_DAYS * 24 * 3_600;
    for (let first = 0; first < events; first += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, events - first) }, (_, n) => ({
        ...{ type: 'call', source: 'flood', externalSubject: `customer-${n % 100}`, idempotencyKey: `${first + n}` },
        timestamp: START.add({ seconds: Math.floor(((first + n) / events) * seconds) }).toString(),
        data: { units: n % 100 },
      }));
      await loud.call('POST', '/v0/events', batch);
    }
  }
});

/** Paid invoices of some customers, spread over the hours of a year. */
async function fillRevenue(url: string, merchantId: string, customerIds: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into revenue_fact (merchant_id, id, kind, status, counted_at, currency, customer_id, amount, open_amount)
     select $1, 'inv_' || n, 'invoice', 'paid', $2::timestamptz + (n % $3::int) * interval '1 hour', 'USD',
            ($4::text[])[1 + n % cardinality($4::text[])], n % 1000, 0
       from generate_series(1, $5::int) n`,
    [merchantId, START.toString(), YEAR_HOURS, customerIds, facts],
  );
  await client.query(
    `insert into revenue_change (merchant_id, hour, currency, customer_id, plan_id, kind, status, count, amount,
                                 open_amount)
     select merchant_id, counted_at, currency, customer_id, '', kind, status, count(*), sum(amount), 0
       from revenue_fact group by 1, 2, 3, 4, 6, 7`,
  );
  await client.end();
  const database = new Database({ url });
  await addAllChanges(database, merchantId);
  await database.close();
}
