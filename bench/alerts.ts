import pg from 'pg';
import { median, numbersOf } from './support/arguments.ts';
import { processorSeconds, type Stack, type Target, withStack } from './support/stack.ts';

/**
 * What alerts cost beside the events that they watch, and how late they are; what a budget costs access. See README.md.
 */

const WHAT = ['usage', 'balance', 'invoice_total', 'access'] as const;
type What = (typeof WHAT)[number];
const what = WHAT.find((each) => each === process.argv[2]) ?? 'usage';

const { alerts, rate, seconds, rounds, reads } = numbersOf({
  alerts: what === 'invoice_total' ? 1_000 : 10_000,
  rate: 1_000,
  seconds: 15,
  rounds: 5,
  reads: 100,
});

const numbered = `(select n, lpad(n::text, 22, '0') as id from generate_series(0, ${alerts - 1}) n) numbered`;

let sent = 0;

const LATE_LIMIT = 5;
const COST_LIMIT = 2;
const ACCESS_LIMIT = 1.2;
/** Requests a second. */
const TICKS = 100;
const LOOK_MILLISECONDS = 100;
const MOST = 1e9;
const CALLERS = 8;
const CONNECTIONS = 16;
const READ_SECONDS = 5;

/** What the alerts of a type are of, and where they get their period. */
const SEEDS = {
  usage: {
    target: 'null, null, $2',
    from: `(select n, 'cus_' || id as customer_id, null as invoice_id, date_trunc('month', now()) as period_start,
                   date_trunc('month', now()) + interval '1 month' as period_end from ${numbered})`,
    period: `'month'`,
  },
  balance: {
    target: 'c.entitlement_id, null, null',
    from: `(select n, 'cus_' || id as customer_id, 'ent_' || id as entitlement_id, null as invoice_id,
                   now() - interval '1 day' as period_start, now() + interval '28 days' as period_end from ${numbered})`,
    period: 'null',
  },
  invoice_total: {
    target: 'null, c.subscription_id, null',
    from: `(select n, s.customer_id, i.subscription_id, i.id as invoice_id, i.period_start, i.period_end
              from ${numbered} join subscription s on s.customer_id = 'cus_' || numbered.id
              join invoice i on i.merchant_id = s.merchant_id and i.subscription_id = s.id and i.status = 'ACTIVE')`,
    period: 'null',
  },
};

await withStack(async (stack) => {
  const url = await stack.database();
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    if (what === 'access') await stack.serving(url, (target) => measureAccess(stack, target, pool));
    else await stack.serving(url, (target) => measureAlerts(stack, target, pool, what), 'with worker');
  } finally {
    await pool.end();
  }
});

/** Events alone, then beside alerts of a type on all customers. */
async function measureAlerts(stack: Stack, target: Target, pool: pg.Pool, type: Exclude<What, 'access'>) {
  const metric = await makeMetric(target);
  await seedCustomers(pool, target);
  if (type === 'balance') await seedEntitlements(pool, target, metric);
  if (type === 'invoice_total') await subscribeAll(target, metric);
  await measure(stack, target, pool, 'warm');
  const without = await measure(stack, target, pool, 'without');
  await seedAlerts(pool, target, metric, type);
  const beside = await measure(stack, target, pool, 'with alerts');
  const missed = await countMissed(pool, type);
  const ratio = beside.cost / without.cost;
  if (type === 'usage')
    verdict('processor time of an event, with ÷ without', ratio.toFixed(2), `≤ ${COST_LIMIT}`, ratio <= COST_LIMIT);
  else console.log(`  processor time of an event, with ÷ without   ${ratio.toFixed(2)}`);
  verdict('longest an event waited, seconds', beside.late.toFixed(2), `≤ ${LATE_LIMIT}`, beside.late <= LATE_LIMIT);
  verdict('reached and not told', `${missed}`, '0', missed === 0);
}

/** `GET /v1/customers/{id}/access` where a budget is spent, and where none is, alternately. */
async function measureAccess(stack: Stack, target: Target, pool: pg.Pool): Promise<void> {
  const metric = await makeMetric(target);
  await seedCustomers(pool, target);
  await seedEntitlements(pool, target, metric);
  await seedAlerts(pool, target, metric, 'usage');
  const order = { path: '/v1/customers/cus_#/access', many: alerts, connections: CONNECTIONS, rate: reads };
  const read = async (hasBudgets: boolean) => {
    await pool.query('update alert set blocks_access = $1, is_reached = $1', [hasBudgets]);
    await pool.query('vacuum analyze alert');
    const { p50, p99, refused } = await stack.read(target, { ...order, seconds: READ_SECONDS });
    const label = hasBudgets ? 'spent budgets' : 'no budgets';
    console.log(`  ${label.padEnd(14)} p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms   refused ${refused}`);
    return p50;
  };
  await read(false); // warm
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const without = await read(false);
    ratios.push((await read(true)) / without);
  }
  const ratio = median(ratios);
  verdict('access, p50 with a spent budget ÷ without', ratio.toFixed(2), `≤ ${ACCESS_LIMIT}`, ratio <= ACCESS_LIMIT);
}

function verdict(label: string, found: string, wanted: string, isWithin: boolean): void {
  console.log(`  ${label.padEnd(44)} ${found.padStart(7)}   wanted ${wanted.padEnd(6)} ${isWithin ? 'yes' : 'NO'}`);
}

interface Metric {
  readonly id: string;
  readonly productId: string;
  readonly featureId: string;
}

async function make({ port, key }: Target, path: string, body: unknown): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { id: string };
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer.id;
}

async function makeMetric(target: Target): Promise<Metric> {
  const productId = await make(target, '/v0/products', { name: 'Calls', description: 'Calls' });
  const meter = { aggregation: 'SUM', eventType: 'call', valueProperty: '$.tokens' };
  const naming = { name: 'Tokens', description: 'Tokens', unit: 'token' };
  const id = await make(target, '/v0/billableMetrics', { ...naming, productId, ...meter });
  const featureId = await make(target, '/v0/features', { key: 'tokens', name: 'Tokens', productId, type: 'metered' });
  return { id, productId, featureId };
}

/** An entitlement of a month for each customer, with a grant that nobody uses up. */
async function seedEntitlements(pool: pg.Pool, { merchantId }: Target, metric: Metric): Promise<void> {
  await pool.query(
    `insert into entitlement (merchant_id, id, customer_id, feature_id, feature_type, product_id, is_from_plan,
                              active_from, billable_metric_ids, created_at, updated_at)
     select $1, 'ent_' || id, 'cus_' || id, $2, 'metered', $3, false, now() - interval '1 day', array[$4], now(), now()
       from ${numbered}`,
    [merchantId, metric.featureId, metric.productId, metric.id],
  );
  const template = { type: 'metered', usagePeriod: { interval: 'P1M' }, billableMetricIds: [metric.id] };
  await pool.query(
    `insert into entitlement_term (merchant_id, entitlement_id, effective_from, template)
     select merchant_id, id, active_from, $2::jsonb from entitlement where merchant_id = $1`,
    [merchantId, JSON.stringify(template)],
  );
  await pool.query(
    `insert into entitlement_grant (merchant_id, id, entitlement_id, origin, amount, priority, effective_at,
                                    reset_max_rollover, reset_min_rollover, created_at)
     select merchant_id, 'grt_' || substr(id, 5), id, 'direct', ${MOST}, 0, active_from, ${MOST}, 0, now()
       from entitlement where merchant_id = $1`,
    [merchantId],
  );
}

/** Subscribes each customer to a plan that bills 1.00 for a token, without tax. */
async function subscribeAll(target: Target, metric: Metric): Promise<void> {
  const startedAt = new Date().toISOString();
  const price = await make(target, '/v0/prices', {
    billableMetricId: metric.id,
    invoiceDisplayName: 'Tokens',
    paymentTerm: 'in_arrears',
    properties: { unitPrice: '1' },
  });
  const of = { productId: metric.productId, currency: 'USD', prices: [price] };
  const planId = await make(target, '/v0/plans', { name: 'Plan', ...of });
  const numbers = Array.from({ length: alerts }, (_, n) => n).values();
  const caller = async () => {
    for (const n of numbers) {
      const customerId = `cus_${String(n).padStart(22, '0')}`;
      await make(target, '/v0/subscriptions', { name: `Subscription ${n}`, planId, customerId, startedAt });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

/** Customers that events know as `customer-<n>`. */
async function seedCustomers(pool: pg.Pool, { merchantId }: Target): Promise<void> {
  for (const text of [
    `insert into organization (merchant_id, id, type, name, default_currency, created_at, updated_at)
     select $1, 'org_' || id, 'consumer', 'Customer', 'USD', now(), now() from ${numbered}`,
    `insert into customer (merchant_id, id, consumer_id, external_id, created_at, updated_at)
     select $1, 'cus_' || id, 'org_' || id, 'customer-' || n, now(), now() from ${numbered}`,
    `insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at)
     select $1, 'external', 'customer-' || n, 'cus_' || id, 'cus_' || id, now() from ${numbered}`,
  ])
    await pool.query(text, [merchantId]);
}

/** An alert of each customer. One in a hundred goes off. */
async function seedAlerts(
  pool: pg.Pool,
  { merchantId }: Target,
  metric: Metric,
  type: Exclude<What, 'access'>,
): Promise<void> {
  const { target, from, period } = SEEDS[type];
  const [near, far] = type === 'balance' ? [MOST - 1, 0] : [1, MOST];
  await pool.query(
    `insert into alert (merchant_id, id, type, customer_id, entitlement_id, subscription_id, billable_metric_id, period,
                        threshold, blocks_access, notifies_customer, metadata, period_start, period_end, invoice_id,
                        is_reached, looked_at, next_action_at, created_at, updated_at)
     select $1, 'alr_' || lpad(c.n::text, 22, '0'), '${type}', c.customer_id, ${target}, ${period},
            case when c.n % 100 = 0 then ${near} else ${far} end, false, false, '{}', c.period_start, c.period_end,
            c.invoice_id, false, now(), now() + interval '1 hour', now(), now()
       from ${from} c where $2::text is not null`,
    [merchantId, metric.id],
  );
  await pool.query('vacuum analyze');
}

/**
 * Alerts of customers with events since they were made whose figure, added up from the events, has reached the
 * threshold, and that did not go off.
 */
async function countMissed(pool: pg.Pool, type: Exclude<What, 'access'>): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, LATE_LIMIT * 1000));
  const { rows } = await pool.query(
    `select count(*)::int as count
       from alert a
      where ${type === 'balance' ? `${MOST} - a.threshold` : 'a.threshold'} <= (
              select sum((e.data ->> 'tokens')::numeric)
                from event e join event_subject s on s.id = e.subject_id
               where s.customer_id = a.customer_id and e.at >= a.period_start and e.at < a.period_end)
        and exists (select from event e join event_subject s on s.id = e.subject_id
                     where s.customer_id = a.customer_id and e.accepted_at > a.created_at)
        and not exists (select from alert_trigger t where t.alert_id = a.id)`,
  );
  return rows[0].count;
}

/** Events by the clock: their processor time, and how long the oldest event waited that nobody had looked at. */
async function measure(stack: Stack, target: Target, pool: pg.Pool, label: string) {
  const spent = () => processorSeconds(target.processId) + processorSeconds(stack.postgresId);
  const before = spent();
  let late = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await pool.query(
        `select extract(epoch from clock_timestamp() - min(accepted_at)) as late
           from event where seq > (select seen_seq from alert_mark)`,
      );
      late = Math.max(late, Number(rows[0].late ?? 0));
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    }
  })();
  const acceptedEvents = await drive(target);
  isOver = true;
  await watching;
  const { rows } = await pool.query('select count(*)::int as count from alert_trigger');
  const cost = ((spent() - before) / acceptedEvents) * 1e6;
  console.log(
    `  ${label.padEnd(12)} ${(acceptedEvents / seconds).toFixed(0)} events/s   ${cost.toFixed(0)} µs an event   ` +
      `${late.toFixed(2)} s late   ${rows[0].count} went off`,
  );
  return { cost, late };
}

/** Sends arrays of events by the clock, each event of another customer. @returns how many were accepted */
async function drive({ port, key }: Target): Promise<number> {
  const began = performance.now();
  const answers: Promise<number>[] = [];
  for (let tick = 0; tick < seconds * TICKS; tick += 1) {
    const events = Array.from({ length: rate / TICKS }, () => {
      sent += 1;
      const externalSubject = `customer-${(sent * 7919) % alerts}`;
      return { type: 'call', source: 'bench', externalSubject, idempotencyKey: `e-${sent}`, data: { tokens: 1 } };
    });
    answers.push(
      fetch(`http://127.0.0.1:${port}/v0/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(events),
      }).then(async (response) => {
        await response.arrayBuffer();
        return response.ok ? events.length : 0;
      }),
    );
    const wait = began + ((tick + 1) * 1000) / TICKS - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return (await Promise.all(answers)).reduce((sum, count) => sum + count, 0);
}
