import pg from 'pg';
import type { Answer, Caller } from './sandbox.ts';
import type { Target } from './stack.ts';

/** Sends requests to a server process under a key. */
export const clientOf =
  ({ port, key }: Pick<Target, 'port' | 'key'>): Caller =>
  async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };

/** What entitlements of a benchmark are to: a feature, and the metric that measures it. */
export interface Sold {
  readonly merchantId: string;
  readonly productId: string;
  readonly featureId: string;
  readonly metricId: string;
}

/** A feature that measures the tokens of calls, through the API. */
export async function makeFeature(target: Target): Promise<Sold> {
  const call = clientOf(target);
  const named = { name: 'Calls', description: 'Calls' };
  const product = await call('POST', '/v0/products', named);
  const measured = { aggregation: 'SUM', eventType: 'call', valueProperty: '$.tokens', unit: 'token' };
  const metric = await call('POST', '/v0/billableMetrics', { ...named, ...measured, productId: product.id });
  const feature = await call('POST', '/v0/features', {
    ...{ key: 'tokens', name: 'Tokens', productId: product.id, type: 'metered' },
  });
  return { merchantId: target.merchantId, productId: product.id, featureId: feature.id, metricId: metric.id };
}

/**
 * Writes customers that are known as `customer-<n>` in events, each with the entitlement `ent_<n of 22 digits>` of a
 * month that a grant funds. Statistics are taken after each table, because triggers look rows of the one before up.
 */
export async function seedEntitlements(url: string, sold: Sold, many: number): Promise<void> {
  const { merchantId, productId, featureId, metricId } = sold;
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const numbers = `(select n, lpad(n::text, 22, '0') as id from generate_series(0, ${many - 1}) n) numbered`;
  const template = { type: 'metered', usagePeriod: { interval: 'P1M' }, billableMetricIds: [metricId] };
  const statements: [string, unknown[]][] = [
    [
      `insert into organization (merchant_id, id, type, name, default_currency, created_at, updated_at)
       select $1, 'org_' || id, 'consumer', 'Customer', 'USD', now(), now() from ${numbers}`,
      [merchantId],
    ],
    ['analyze organization', []],
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
      `insert into entitlement (merchant_id, id, customer_id, feature_id, feature_type, product_id, is_from_plan,
                                active_from, billable_metric_ids, created_at, updated_at)
       select $1, 'ent_' || id, 'cus_' || id, $2, 'metered', $3, false, now() - interval '10 days', array[$4], now(), now()
         from ${numbers}`,
      [merchantId, featureId, productId, metricId],
    ],
    ['analyze customer, entitlement', []],
    [
      `insert into entitlement_term (merchant_id, entitlement_id, effective_from, template)
       select merchant_id, id, active_from, $2::jsonb from entitlement where merchant_id = $1`,
      [merchantId, JSON.stringify(template)],
    ],
    [
      `insert into entitlement_grant (merchant_id, id, entitlement_id, origin, amount, priority, effective_at,
                                      reset_max_rollover, reset_min_rollover, created_at)
       select merchant_id, 'grt_' || substr(id, 5), id, 'direct', 1e9, 0, active_from, 999999999999, 0, now()
         from entitlement where merchant_id = $1`,
      [merchantId],
    ],
    ['vacuum analyze', []],
  ];
  for (const [text, values] of statements) await pool.query(text, values);
  await pool.end();
}
