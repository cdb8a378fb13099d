import pg from 'pg';
import { median, numbersOf, verdict } from './support/arguments.ts';
import {
  type Metric,
  makeMetric,
  numbered,
  seedCustomers,
  seedEntitlements,
  subscribeAll,
} from './support/customers.ts';
import { type Stack, type Target, withStack } from './support/stack.ts';

/** What subscriptions that require credits cost access, and balances of credits with open usage. See README.md. */

const isBalance = process.argv[2] === 'balance';
const { customers, connections, reads, rounds, seconds } = numbersOf({
  customers: isBalance ? 1_000 : 10_000,
  connections: isBalance ? 128 : 16,
  reads: 100,
  rounds: 5,
  seconds: 5,
});

const ACCESS_LIMIT = 1.1;
const BALANCES_A_SECOND = 1_000;
const EVENTS = 1_000;

await withStack(async (stack) => {
  const url = await stack.database();
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    await stack.serving(url, async (target) => {
      const metric = await makeMetric(target);
      await seedCustomers(pool, target, customers);
      await (isBalance ? measureBalances : measureAccess)(stack, target, pool, metric);
    });
  } finally {
    await pool.end();
  }
});

/** `GET /v1/customers/{id}/access` where no credits are left, and where none are required, alternately. */
async function measureAccess(stack: Stack, target: Target, pool: pg.Pool, metric: Metric): Promise<void> {
  await seedEntitlements(pool, target, metric, customers);
  const order = { path: '/v1/customers/cus_#/access', many: customers, connections, rate: reads, seconds };
  const read = async (isRequired: boolean) => {
    await pool.query('truncate exhausted_credit');
    if (isRequired)
      await pool.query(
        `insert into exhausted_credit (merchant_id, customer_id, subscription_id, billable_metric_id)
         select $1, 'cus_' || id, 'sub_' || id, '' from ${numbered(customers)}`,
        [target.merchantId],
      );
    await pool.query('vacuum analyze exhausted_credit');
    const { p50, p99, refused } = await stack.read(target, order);
    const label = isRequired ? 'credits required' : 'without';
    console.log(`  ${label.padEnd(18)} p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms   refused ${refused}`);
    return p50;
  };
  await read(false); // warm
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const without = await read(false);
    ratios.push((await read(true)) / without);
  }
  const ratio = median(ratios);
  show('access, p50 with ÷ without', ratio.toFixed(2), `≤ ${ACCESS_LIMIT}`, ratio <= ACCESS_LIMIT);
}

/** The balance of customers, each with a credit, a subscription and usage in its open period. */
async function measureBalances(stack: Stack, target: Target, pool: pg.Pool, metric: Metric): Promise<void> {
  await subscribeAll(target, metric, customers);
  await pool.query(
    `insert into billing_credit (merchant_id, id, customer_id, name, amount, currency, category, priority, effective_at,
                                 applies_to, source, metadata, created_at, updated_at)
     select $1, 'bcr_' || id, 'cus_' || id, 'Credit', 1e9, 'USD', 'promotional', 0, now() - interval '1 day',
            '{"planIds": [], "priceIds": [], "billableMetricIds": [], "feeIds": []}', 'manual', '{}', now(), now()
       from ${numbered(customers)}`,
    [target.merchantId],
  );
  const requests = Math.ceil((customers * 10) / EVENTS);
  await stack.load(target, { connections: 4, batch: EVENTS, seconds: 60, firstKey: 0, subjects: customers, requests });
  await pool.query('vacuum analyze');
  const path = '/v0/customers/cus_#/billingCredits/balance?currency=USD';
  const order = { path, many: customers, connections, rate: null, seconds };
  await stack.read(target, { ...order, seconds: 1 }); // warm
  const { reads: answered, seconds: took, p50, refused } = await stack.read(target, order);
  const perSecond = answered / took;
  console.log(`  ${answered} balances, p50 ${p50.toFixed(1)} ms, ${refused} refused`);
  show('balances a second', perSecond.toFixed(0), `≥ ${BALANCES_A_SECOND}`, perSecond >= BALANCES_A_SECOND);
}

function show(name: string, figure: string, wanted: string, isKept: boolean): void {
  console.log(`  ${name.padEnd(44)} ${figure.padStart(9)}   wanted ${wanted.padEnd(10)} ${verdict(isKept)}`);
}
