import type pg from 'pg';
import type { Target } from './stack.ts';

/** Customers of one merchant that are made by plain SQL, with what benchmarks need of them. */

/** What nobody uses up. */
export const MOST = 1e9;
const CALLERS = 8;

/** The numbers of so many customers, and the ends of their ids. */
export const numbered = (many: number): string =>
  `(select n, lpad(n::text, 22, '0') as id from generate_series(0, ${many - 1}) n) numbered`;

export interface Metric {
  readonly id: string;
  readonly productId: string;
  readonly featureId: string;
}

export async function make({ port, key }: Target, path: string, body: unknown): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { id: string };
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer.id;
}

export async function makeMetric(target: Target): Promise<Metric> {
  const productId = await make(target, '/v0/products', { name: 'Calls', description: 'Calls' });
  const meter = { aggregation: 'SUM', eventType: 'call', valueProperty: '$.tokens' };
  const naming = { name: 'Tokens', description: 'Tokens', unit: 'token' };
  const id = await make(target, '/v0/billableMetrics', { ...naming, productId, ...meter });
  const featureId = await make(target, '/v0/features', { key: 'tokens', name: 'Tokens', productId, type: 'metered' });
  return { id, productId, featureId };
}

/** An entitlement of a month for each customer, with a grant that nobody uses up. */
export async function seedEntitlements(
  pool: pg.Pool,
  { merchantId }: Target,
  metric: Metric,
  many: number,
): Promise<void> {
  await pool.query(
    `insert into entitlement (merchant_id, id, customer_id, feature_id, feature_type, product_id, is_from_plan,
                              active_from, billable_metric_ids, created_at, updated_at)
     select $1, 'ent_' || id, 'cus_' || id, $2, 'metered', $3, false, now() - interval '1 day', array[$4], now(), now()
       from ${numbered(many)}`,
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
export async function subscribeAll(target: Target, metric: Metric, many: number): Promise<void> {
  const startedAt = new Date().toISOString();
  const price = await make(target, '/v0/prices', {
    billableMetricId: metric.id,
    invoiceDisplayName: 'Tokens',
    paymentTerm: 'in_arrears',
    properties: { unitPrice: '1' },
  });
  const of = { productId: metric.productId, currency: 'USD', prices: [price] };
  const planId = await make(target, '/v0/plans', { name: 'Plan', ...of });
  const numbers = Array.from({ length: many }, (_, n) => n).values();
  const caller = async () => {
    for (const n of numbers) {
      const customerId = `cus_${String(n).padStart(22, '0')}`;
      await make(target, '/v0/subscriptions', { name: `Subscription ${n}`, planId, customerId, startedAt });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

/** Customers that events know as `customer-<n>`. */
export async function seedCustomers(pool: pg.Pool, { merchantId }: Target, many: number): Promise<void> {
  for (const text of [
    `insert into organization (merchant_id, id, type, name, default_currency, created_at, updated_at)
     select $1, 'org_' || id, 'consumer', 'Customer', 'USD', now(), now() from ${numbered(many)}`,
    `insert into customer (merchant_id, id, consumer_id, external_id, created_at, updated_at)
     select $1, 'cus_' || id, 'org_' || id, 'customer-' || n, now(), now() from ${numbered(many)}`,
    `insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at)
     select $1, 'external', 'customer-' || n, 'cus_' || id, 'cus_' || id, now() from ${numbered(many)}`,
  ])
    await pool.query(text, [merchantId]);
}
