import pg from 'pg';
import { numbersOf, verdict } from './support/arguments.ts';
import { processorSeconds, type Stack, type Target, withStack } from './support/stack.ts';

/**
 * What a customer may use, and the check of one entitlement: how many a second one process answers, what each costs,
 * and that the number of events in the open hour does not matter. See README.md.
 */

const isCold = process.argv[2] === 'cold';
const { customers, rate, seconds, connections } = numbersOf({
  customers: isCold ? 100_000 : 1_000,
  rate: 1_000,
  seconds: 4,
  connections: 16,
});

const DIGITS = 22;
const READS_A_SECOND = 3_000;
const P50_LIMIT = 1;
const P99_LIMIT = 5;
const GROWTH_LIMIT = 0.05;
/** So many of the first customers have so many events each in the open hour. */
const LEVELS = [
  { events: 10, customers },
  { events: 1_000, customers: Math.min(100, customers) },
  { events: 10_000, customers: Math.min(10, customers) },
];

const line = (name: string, figure: string, wanted: string, kept: boolean) =>
  console.log(`  ${name.padEnd(34)} ${figure.padEnd(28)} wanted ${wanted.padEnd(10)} ${verdict(kept)}`);

async function create({ port, key }: Target, path: string, body: unknown): Promise<{ id: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { id: string };
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/**
 * Customers that are known as `customer-<n>` in events, each with two metered features, a static one and a boolean one.
 */
async function seed(url: string, target: Target): Promise<void> {
  const { merchantId } = target;
  const product = await create(target, '/v0/products', { name: 'Calls', description: 'Calls' });
  const shared = { description: 'Tokens', unit: 'token', productId: product.id, eventType: 'call' };
  const sum = await create(target, '/v0/billableMetrics', {
    ...shared,
    name: 'Tokens',
    aggregation: 'SUM',
    valueProperty: '$.tokens',
  });
  const count = await create(target, '/v0/billableMetrics', { ...shared, name: 'Calls', aggregation: 'COUNT' });
  const metered = (metric: { id: string }) => ({
    type: 'metered',
    usagePeriod: { interval: 'P1M' },
    billableMetricIds: [metric.id],
  });
  const features = [
    { key: 'tokens', type: 'metered', metrics: [sum.id], template: metered(sum) },
    { key: 'calls', type: 'metered', metrics: [count.id], template: metered(count) },
    {
      key: 'models',
      type: 'static',
      metrics: [],
      template: { type: 'static', config: { models: ['small', 'large'] } },
    },
    { key: 'support', type: 'boolean', metrics: [], template: { type: 'boolean' } },
  ];
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const numbers = `(select n, lpad(n::text, ${DIGITS}, '0') as id from generate_series(0, ${customers - 1}) n) numbered`;
  const run = (text: string, values: unknown[] = [merchantId]) => pool.query(text, values);
  await run(`insert into organization (merchant_id, id, type, name, default_currency, created_at, updated_at)
             select $1, 'org_' || id, 'consumer', 'Customer', 'USD', now(), now() from ${numbers}`);
  await run(`insert into customer (merchant_id, id, consumer_id, external_id, created_at, updated_at)
             select $1, 'cus_' || id, 'org_' || id, 'customer-' || n, now(), now() from ${numbers}`);
  await run(`insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at)
             select $1, 'external', 'customer-' || n, 'cus_' || id, 'cus_' || id, now() from ${numbers}`);
  for (const [place, { key, type, metrics, template }] of features.entries()) {
    const feature = await create(target, '/v0/features', { key, name: key, productId: product.id, type });
    const prefix = place === 0 ? 'ent_' : `ent_${place}`;
    const id = place === 0 ? 'id' : 'substr(id, 2)';
    await run(
      `insert into entitlement (merchant_id, id, customer_id, feature_id, feature_type, product_id, is_from_plan, active_from,
                                billable_metric_ids, created_at, updated_at)
       select $1, '${prefix}' || ${id}, 'cus_' || id, $2, $3, $4, false, now() - interval '10 days', $5, now(), now()
         from ${numbers}`,
      [merchantId, feature.id, type, product.id, metrics],
    );
    await run(
      `insert into entitlement_term (merchant_id, entitlement_id, effective_from, template)
       select merchant_id, id, active_from, $3::jsonb from entitlement where merchant_id = $1 and feature_id = $2`,
      [merchantId, feature.id, JSON.stringify(template)],
    );
  }
  await run(`insert into entitlement_grant (merchant_id, id, entitlement_id, origin, amount, priority, effective_at, reset_max_rollover,
                                            reset_min_rollover, created_at)
             select merchant_id, 'grt_' || substr(id, 5), id, 'direct', 1e9, 0, active_from, 999999999999, 0, now()
               from entitlement where merchant_id = $1 and feature_type = 'metered'`);
  let key = 0;
  for (const [place, { events, customers: those }] of LEVELS.entries()) {
    const more = those * (events - (LEVELS[place - 1]?.events ?? 0));
    await stackOf(target).load({ firstKey: key, subjects: those, requests: Math.ceil(more / 1_000) });
    key += Math.ceil(more / 1_000) * 1_000;
  }
  await pool.query('vacuum analyze');
  await pool.end();
}

let current: Stack;
const stackOf = (target: Target) => ({
  load: (order: { firstKey: number; subjects: number; requests: number }) =>
    current.load(target, { connections: 4, batch: 1_000, seconds: 60, ...order }),
});

/** What reads of one path cost, as fast as they are answered. */
async function costOf(target: Target, path: string, many: number, port: number) {
  const order = { path, many, connections, rate: null, port };
  await current.read(target, { ...order, seconds: 1.5 }); // warm
  const processes = [target.processId, current.postgresId] as const;
  const before = processes.map(processorSeconds);
  const report = await current.read(target, { ...order, seconds });
  const [node = 0, postgres = 0] = processes
    .map(processorSeconds)
    .map((after, place) => ((after - (before[place] as number)) / report.reads) * 1e6);
  if (report.refused > 0) throw new Error(`${report.refused} reads of ${path} were refused.`);
  return { perSecond: report.reads / report.seconds, node, postgres };
}

/** The least share of the rate of a read again, and the slowest read by the clock at half of `--rate`. */
const COLD_SHARE = 0.5;
const COLD_P99_LIMIT = 20;

/**
 * First reads of customers by a process that was started anew, and the same ones again: by far the most customers are
 * asked about once in a while.
 */
async function measureCold(stack: Stack, url: string, key: string): Promise<void> {
  const order = { path: '/v1/customers/cus_#/access', many: customers, connections, key };
  const measured = async (target: Target, seconds: number) => {
    const processes = [target.processId, stack.postgresId] as const;
    const before = processes.map(processorSeconds);
    const report = await stack.read(target, { ...order, rate: null, seconds });
    const [node = 0, postgres = 0] = processes
      .map(processorSeconds)
      .map((after, place) => ((after - (before[place] as number)) / report.reads) * 1e6);
    if (report.refused > 0) throw new Error(`${report.refused} reads were refused.`);
    return { ...report, perSecond: report.reads / report.seconds, node, postgres };
  };
  await stack.serving(url, async (target) => {
    const first = await measured(target, seconds);
    const again = await measured(target, seconds / 2);
    for (const [name, { perSecond, node, postgres }] of Object.entries({ first, again }))
      console.log(
        `  ${name}: ${perSecond.toFixed(0)}/s   Node ${node.toFixed(0)} µs, PostgreSQL ${postgres.toFixed(0)} µs`,
      );
    const share = first.perSecond / again.perSecond;
    line('access.cold ÷ again', share.toFixed(2), `>= ${COLD_SHARE}`, share >= COLD_SHARE);
  });
  await stack.serving(url, async (target) => {
    const { p50, p99 } = await stack.read(target, { ...order, rate: rate / 2, seconds });
    console.log(`  by the clock: p50 ${p50.toFixed(2)} ms at ${rate / 2}/s`);
    line('access.cold.p99', `${p99.toFixed(2)} ms`, `< ${COLD_P99_LIMIT} ms`, p99 < COLD_P99_LIMIT);
  });
}

await withStack(async (stack) => {
  current = stack;
  const url = await stack.database();
  await stack.serving(url, async (target) => {
    await seed(url, target);
    if (isCold) return measureCold(stack, url, target.key);
    const paths = [
      ['check', '/v1/entitlements/ent_#'],
      ['access', '/v1/customers/cus_#/access'],
      ['access to a feature', '/v1/customers/cus_#/access?featureKey=tokens'],
    ] as const;
    const limit = await costOf(target, '/v0/one', 1, target.limitPort);
    console.log(
      `  select 1: ${limit.perSecond.toFixed(0)}/s   Node ${limit.node.toFixed(0)} µs, PostgreSQL ${limit.postgres.toFixed(0)} µs`,
    );
    for (const [name, path] of paths) {
      const costs: { events: number; cost: number }[] = [];
      for (const level of name === 'access to a feature' ? LEVELS.slice(0, 1) : LEVELS) {
        const { perSecond, node, postgres } = await costOf(target, path, level.customers, target.port);
        costs.push({ events: level.events, cost: postgres });
        const ratio = ((node + postgres) / (limit.node + limit.postgres)).toFixed(2);
        const figure = `${perSecond.toFixed(0)}/s`;
        console.log(
          `  ${name}, ${level.events} events: Node ${node.toFixed(0)} µs, PostgreSQL ${postgres.toFixed(0)} µs, ${ratio} x select 1`,
        );
        line(`${name}.${level.events}`, figure, `>= ${READS_A_SECOND}/s`, perSecond >= READS_A_SECOND);
      }
      const [first, last] = [costs[0], costs.at(-1)] as [(typeof costs)[0], (typeof costs)[0]];
      if (first !== last) {
        const exponent = Math.log(last.cost / first.cost) / Math.log(last.events / first.events);
        line(`${name}.growth`, `N^${exponent.toFixed(3)}`, `<= N^${GROWTH_LIMIT}`, exponent <= GROWTH_LIMIT);
      }
      const { p50, p99 } = await stack.read(target, { path, many: customers, connections, rate, seconds });
      line(`${name}.p50`, `${p50.toFixed(2)} ms at ${rate}/s`, `< ${P50_LIMIT} ms`, p50 < P50_LIMIT);
      line(`${name}.p99`, `${p99.toFixed(2)} ms at ${rate}/s`, `< ${P99_LIMIT} ms`, p99 < P99_LIMIT);
    }
  });
});
