import { createHmac } from 'node:crypto';
import type { Answer, TestEnvironment } from './environment.ts';
import type { Resource, Shop } from './shop.ts';

/** The signing secret of webhooks from sources in tests. */
export const SECRET = `whsec_${Buffer.from('a secret of twenty-four bytes').toString('base64')}`;

type Fields = Record<string, unknown>;

/** Headers of Standard Webhooks over a body. */
export function signedHeaders(
  body: string,
  at: Temporal.Instant,
  secret = SECRET,
  id = 'msg_1',
): Record<string, string> {
  const timestamp = String(Math.floor(at.epochMilliseconds / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** The header of Stripe over a body. */
export function stripeHeaders(body: string, at: Temporal.Instant, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(at.epochMilliseconds / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { 'stripe-signature': `t=${timestamp},v1=${signature}` };
}

let counter = 0;

/** A body of `generic_revenue`: 100 USD of `externalId`, each with an id of its own. */
export function revenue(externalId: string, fields: Fields = {}): Fields {
  counter += 1;
  return {
    id: `ext-${counter}`,
    customerExternalId: externalId,
    amount: '100.00',
    currency: 'USD',
    occurredAt: '2026-01-10T12:00:00Z',
    ...fields,
  };
}

/** Sends a provider's webhook: without an API key, signed now. */
export function deliver(env: TestEnvironment, source: Resource, body: Fields | string): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return env.client().post(`/v0/sources/${source.id}/events`, text, signedHeaders(text, Temporal.Now.instant()));
}

/** A metric of revenue and a plan that bills 5 % of it, with a customer from the start of 2026. */
export async function revenueShop(shop: Shop, fields: { plan?: Fields } = {}) {
  counter += 1;
  const metric = await shop.metric({ name: 'Revenue', unit: 'USD', eventType: 'revenue', valueProperty: '$.amount' });
  const price = await shop.usagePrice({
    billableMetricId: metric.id,
    invoiceDisplayName: 'Share of revenue',
    model: 'percentage',
    properties: { percentage: '0.05' },
  });
  const plan = await shop.plan([price], fields.plan);
  const clock = await shop.clock('2026-01-01T00:00:00Z');
  const externalId = `app-${counter}`;
  const customer = await shop.customer({ externalId });
  const subscription = await shop.subscribe(plan, { clock, customer });
  return { metric, plan, clock, customer, subscription, externalId };
}

/** A source of a plan with a metric for its revenue; by default `generic_revenue` and `automatic`. */
export const newSource = (shop: Shop, of: { plan: Resource; metric: Resource }, fields: Fields = {}) =>
  shop.create('/v0/sources', {
    name: 'App',
    planId: of.plan.id,
    type: 'generic_revenue',
    config: { projectId: 'proj_1', webhookSecret: SECRET },
    metadata: { billableMetricMapping: { revenue: of.metric.id } },
    ...fields,
  });
