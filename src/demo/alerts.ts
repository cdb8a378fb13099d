import { decimal, plain } from '../kernel/decimal.ts';
import type { Client } from './client.ts';

/** The customer whose usage and invoice are watched. */
const WATCHED = 'nordlys';
/** The customer without access after a spent budget. */
const LIMITED = 'lagoa-clara';

/** Fewer than in the event that a start shows. */
const TOKENS_LEFT = 1_000;

/**
 * Three alerts: a bill that has reached its threshold already, tokens that reach theirs with the event that a start
 * shows, and a budget of images.
 * @param client of the merchant's own key
 */
export async function makeAlerts(client: Client): Promise<void> {
  const first = async (path: string): Promise<string> => (await client.get(path)).data[0].id;
  const watched = await first(`/v0/customers?externalId=${WATCHED}`);
  const limited = await first(`/v0/customers?externalId=${LIMITED}`);
  const metrics: { id: string; name: string }[] = (await client.get('/v0/billableMetrics?limit=100')).data;
  const metric = (name: string): string => (metrics.find((each) => each.name === name) as { id: string }).id;
  await client.once('alert bill', '/v0/alerts', {
    type: 'invoice_total',
    name: 'Bill above 500 USD',
    subscriptionId: await first(`/v0/subscriptions?customerId=${watched}`),
    threshold: '500',
  });
  const { id: tokens } = await client.once('alert tokens', '/v0/alerts', {
    type: 'usage',
    name: 'The next thousand tokens',
    customerId: watched,
    billableMetricId: metric('Tokens'),
    threshold: '100000000',
  });
  await client.once('alert images', '/v0/alerts', {
    type: 'usage',
    name: 'Budget of images',
    customerId: limited,
    billableMetricId: metric('Images'),
    threshold: '400',
    blocksAccess: true,
  });
  const { currentValue } = await client.get(`/v0/alerts/${tokens}`);
  await client.patch(`/v0/alerts/${tokens}`, { threshold: plain(decimal(currentValue).plus(TOKENS_LEFT)) });
}
