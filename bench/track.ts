import pg from 'pg';
import { median, numbersOf } from './support/arguments.ts';
import { processorSeconds, type Stack, type Target, withStack } from './support/stack.ts';

/** What it costs that an event is answered with the balances that it changes. */

const { seconds, pairs, connections, subjects } = numbersOf({ seconds: 4, pairs: 3, connections: 16, subjects: 100 });

const LIMIT = 1.5;
const KEYS_A_PASS = 10_000_000;
const WARM_SECONDS = 60;

await withStack(async (stack) => {
  const url = await stack.database();
  await stack.serving(url, async (target) => {
    await seed(url, target);
    await spend(stack, target, '', 0); // warm
    await spend(stack, target, '?expand=entitlements', 1, 10 * subjects); // each customer's entitlement is known
    const ratios: number[] = [];
    for (let pair = 1; pair <= pairs; pair += 1) {
      const alone = await spend(stack, target, '', 2 * pair);
      const expanded = await spend(stack, target, '?expand=entitlements', 2 * pair + 1);
      ratios.push(expanded.total / alone.total);
      console.log(`  alone      Node ${alone.node.toFixed(0)} + PostgreSQL ${alone.postgres.toFixed(0)} µs an event`);
      console.log(
        `  expanded   Node ${expanded.node.toFixed(0)} + PostgreSQL ${expanded.postgres.toFixed(0)} µs an event`,
      );
    }
    const ratio = median(ratios);
    console.log(
      `  track   ${ratio.toFixed(2)} x the event alone   wanted < ${LIMIT}   ${ratio < LIMIT ? 'yes' : 'NO'}`,
    );
  });
});

/** Microseconds of processor time for each event. */
async function spend(stack: Stack, target: Target, query: string, pass: number, requests?: number) {
  const before = [processorSeconds(target.processId), processorSeconds(stack.postgresId)] as const;
  const most = requests === undefined ? { seconds } : { seconds: WARM_SECONDS, requests };
  const order = { connections, batch: 0, ...most, firstKey: pass * KEYS_A_PASS, subjects, query };
  const { events, refused } = await stack.load(target, order);
  if (refused > 0 || events === 0) throw new Error(`${refused} events were refused, ${events} were not.`);
  const each = (index: 0 | 1, id: number) => ((processorSeconds(id) - before[index]) / events) * 1e6;
  const [node, postgres] = [each(0, target.processId), each(1, stack.postgresId)];
  return { node, postgres, total: node + postgres };
}

/** Customers that events call `customer-<n>`, each with an entitlement of a month that a grant funds. */
async function seed(url: string, { port, key, merchantId }: Target): Promise<void> {
  const post = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { id: string }).id;
  };
  const named = { name: 'Calls', description: 'Calls' };
  const productId = await post('/v0/products', named);
  const measured = { aggregation: 'SUM', eventType: 'call', valueProperty: '$.tokens', unit: 'token' };
  const metricId = await post('/v0/billableMetrics', { ...named, ...measured, productId });
  const featureId = await post('/v0/features', { key: 'tokens', name: 'Tokens', productId, type: 'metered' });
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const numbers = `(select n, lpad(n::text, 22, '0') as id from generate_series(0, ${subjects - 1}) n) numbered`;
  const template = { type: 'metered', usagePeriod: { interval: 'P1M' }, billableMetricIds: [metricId] };
  const statements: [string, unknown[]][] = [
    [
      `insert into organization (merchant_id, id, type, name, default_currency, created_at, updated_at)
       select $1, 'org_' || id, 'consumer', 'Customer', 'USD', now(), now() from ${numbers}`,
      [merchantId],
    ],
    [
      `insert into customer (merchant_id, id, consumer_id, external_id, created_at, updated_at)
       select $1, 'cus_' || id, 'org_' || id, 'customer-' || n, now(), now() from ${numbers}`,
      [merchantId],
    ],
    [
      `insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at)
       select $1, 'external', 'customer-' || n, 'cus_' || id, 'cus_' || id, now() from ${numbers}`,
      [merchantId],
    ],
    [
      `insert into entitlement (merchant_id, id, customer_id, feature_id, feature_type, product_id, is_from_plan, active_from,
                                billable_metric_ids, created_at, updated_at)
       select $1, 'ent_' || id, 'cus_' || id, $2, 'metered', $3, false, now() - interval '10 days', array[$4], now(), now()
         from ${numbers}`,
      [merchantId, featureId, productId, metricId],
    ],
    [
      `insert into entitlement_term (merchant_id, entitlement_id, effective_from, template)
       select merchant_id, id, active_from, $2::jsonb from entitlement where merchant_id = $1`,
      [merchantId, JSON.stringify(template)],
    ],
    [
      `insert into entitlement_grant (merchant_id, id, entitlement_id, origin, amount, priority, effective_at, reset_max_rollover,
                                      reset_min_rollover, created_at)
       select merchant_id, 'grt_' || substr(id, 5), id, 'direct', 1e9, 0, active_from, 999999999999, 0, now()
         from entitlement where merchant_id = $1`,
      [merchantId],
    ],
    ['vacuum analyze', []],
  ];
  for (const [text, values] of statements) await pool.query(text, values);
  await pool.end();
}
