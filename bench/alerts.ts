import pg from 'pg';
import { median, numbersOf } from './support/arguments.ts';
import {
  type Metric,
  MOST,
  makeMetric,
  numbered,
  seedCustomers,
  seedEntitlements,
  subscribeAll,
} from './support/customers.ts';
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

let sent = 0;

const LATE_LIMIT = 5;
const COST_LIMIT = 2;
const ACCESS_LIMIT = 1.2;
/** Requests a second. */
const TICKS = 100;
const LOOK_MILLISECONDS = 100;
const CONNECTIONS = 16;
const READ_SECONDS = 5;

/** What the alerts of a type are of, and where they get their period. */
const SEEDS = {
  usage: {
    target: 'null, null, $2',
    from: `(select n, 'cus_' || id as customer_id, null as invoice_id, date_trunc('month', now()) as period_start,
                   date_trunc('month', now()) + interval '1 month' as period_end from ${numbered(alerts)})`,
    period: `'month'`,
  },
  balance: {
    target: 'c.entitlement_id, null, null',
    from: `(select n, 'cus_' || id as customer_id, 'ent_' || id as entitlement_id, null as invoice_id,
                   now() - interval '1 day' as period_start, now() + interval '28 days' as period_end from ${numbered(alerts)})`,
    period: 'null',
  },
  invoice_total: {
    target: 'null, c.subscription_id, null',
    from: `(select n, s.customer_id, i.subscription_id, i.id as invoice_id, i.period_start, i.period_end
              from ${numbered(alerts)} join subscription s on s.customer_id = 'cus_' || numbered.id
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
  await seedCustomers(pool, target, alerts);
  if (type === 'balance') await seedEntitlements(pool, target, metric, alerts);
  if (type === 'invoice_total') await subscribeAll(target, metric, alerts);
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
  await seedCustomers(pool, target, alerts);
  await seedEntitlements(pool, target, metric, alerts);
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
