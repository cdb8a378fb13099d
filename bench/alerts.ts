import pg from 'pg';
import { numbersOf } from './support/arguments.ts';
import { processorSeconds, type Stack, type Target, withStack } from './support/stack.ts';

/** What alerts cost beside the events that they watch, and how late they are. See README.md. */

const { alerts, rate, seconds } = numbersOf({ alerts: 10_000, rate: 1_000, seconds: 15 });

const numbered = `(select n, lpad(n::text, 22, '0') as id from generate_series(0, ${alerts - 1}) n) numbered`;

let sent = 0;

const LATE_LIMIT = 5;
const COST_LIMIT = 2;
/** Requests a second. */
const TICKS = 100;
const LOOK_MILLISECONDS = 100;
const MOST = 1e9;

await withStack(async (stack) => {
  const url = await stack.database();
  await stack.serving(
    url,
    async (target) => {
      const pool = new pg.Pool({ connectionString: url, max: 1 });
      const metricId = await makeMetric(target);
      await seedCustomers(pool, target);
      await measure(stack, target, pool, 'warm');
      const without = await measure(stack, target, pool, 'without');
      await seedAlerts(pool, target, metricId);
      const beside = await measure(stack, target, pool, 'with alerts');
      const missed = await countMissed(pool);
      await pool.end();
      const ratio = beside.cost / without.cost;
      verdict('processor time of an event, with ÷ without', ratio.toFixed(2), `≤ ${COST_LIMIT}`, ratio <= COST_LIMIT);
      verdict('longest an event waited, seconds', beside.late.toFixed(2), `≤ ${LATE_LIMIT}`, beside.late <= LATE_LIMIT);
      verdict('reached and not told', `${missed}`, '0', missed === 0);
    },
    'with worker',
  );
});

function verdict(label: string, found: string, wanted: string, isWithin: boolean): void {
  console.log(`  ${label.padEnd(44)} ${found.padStart(7)}   wanted ${wanted.padEnd(6)} ${isWithin ? 'yes' : 'NO'}`);
}

async function makeMetric({ port, key }: Target): Promise<string> {
  const make = async (path: string, body: unknown): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return ((await response.json()) as { id: string }).id;
  };
  const productId = await make('/v0/products', { name: 'Calls', description: 'Calls' });
  const meter = { aggregation: 'SUM', eventType: 'call', valueProperty: '$.tokens' };
  return make('/v0/billableMetrics', { name: 'Tokens', description: 'Tokens', unit: 'token', productId, ...meter });
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

/** An alert on the usage of each customer in this month. One in a hundred goes off. */
async function seedAlerts(pool: pg.Pool, { merchantId }: Target, metricId: string): Promise<void> {
  await pool.query(
    `insert into alert (merchant_id, id, type, customer_id, billable_metric_id, period, threshold, blocks_access,
                        notifies_customer, metadata, period_start, period_end, is_reached, looked_at, next_action_at,
                        created_at, updated_at)
     select $1, 'alr_' || id, 'usage', 'cus_' || id, $2, 'month', case when n % 100 = 0 then 1 else ${MOST} end, false,
            false, '{}', date_trunc('month', now()), date_trunc('month', now()) + interval '1 month', false, now(),
            now() + interval '1 hour', now(), now()
       from ${numbered}`,
    [merchantId, metricId],
  );
  await pool.query('vacuum analyze');
}

/** Alerts whose figure, added up from the events, has reached the threshold, and that did not go off. */
async function countMissed(pool: pg.Pool): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, LATE_LIMIT * 1000));
  const { rows } = await pool.query(
    `select count(*)::int as count
       from alert a
      where a.threshold <= (select sum((e.data ->> 'tokens')::numeric)
                              from event e join event_subject s on s.id = e.subject_id
                             where s.customer_id = a.customer_id and e.at >= a.period_start and e.at < a.period_end)
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
