import { formatInstant, type Instant } from '../kernel/time.ts';
import type { Plans } from './catalog.ts';
import type { Client, Resource } from './client.ts';

/** The customer with a price of its own, of whose first invoice a part was credited. */
const NEGOTIATED = 'birchwood-clinics';
/** The customer with a coupon. */
const WITH_COUPON = 'elaionas';
/** The customer that has paid for its tokens before it uses them. */
const PREPAID = 'tidewater-cu';
/** The customer that has promised to spend, and pays for another one (`customers.ts`). */
const POSTPAID = 'hayabusa';
/** The customer whose card buys credits. */
const TOPPED_UP = 'lagoa-clara';
/** The customer that has paused. */
const PAUSED = 'medveditsa';

const COUPON = 'LAUNCH25';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The coupon of the demo, and what was agreed beside the plans.
 * @returns further fields of a subscription, by the customer's externalId
 */
export async function makeTerms(client: Client, plans: Plans): Promise<ReadonlyMap<string, Fields>> {
  await client.once('coupon', '/v0/coupons', {
    name: 'A quarter off for half a year',
    code: COUPON,
    percentOff: '0.25',
    duration: 'periods',
    durationInPeriods: 6,
  });
  const { prices } = await client.get(`/v0/plans/${plans.scale}`);
  const platform = prices.find((price: Resource) => price.invoiceDisplayName === 'Platform fee');
  return new Map<string, Fields>([
    [NEGOTIATED, { priceOverrides: [{ priceId: platform.id, multiplier: '0.9' }] }],
    [WITH_COUPON, { coupons: [COUPON] }],
  ]);
}

/**
 * A prepaid commitment over half a year, whose credits pay for tokens, and a postpaid one over a year. Each begins with
 * its subscription. @param client of the merchant's own key
 */
export async function makeCommitments(client: Client): Promise<void> {
  const { data: metrics } = await client.get('/v0/billableMetrics?limit=100');
  const tokens = metrics.find((metric: Resource) => metric.name === 'Tokens');
  await commit(client, PREPAID, {
    name: 'Tokens for half a year',
    ...{ type: 'prepaid', months: 6, amount: '600', appliesTo: { billableMetricIds: [tokens.id] } },
  });
  await commit(client, POSTPAID, {
    name: 'Spend of a year',
    ...{ type: 'postpaid', months: 12, amount: '2000' },
  });
}

async function commit(
  client: Client,
  externalId: string,
  { months, amount, ...fields }: Fields & { readonly months: number; readonly amount: string },
): Promise<void> {
  const subscription = await subscriptionOf(client, externalId);
  const start = Temporal.Instant.from(subscription.startedAt).toZonedDateTimeISO('UTC');
  const at = (further: number): string => formatInstant(start.add({ months: further }).toInstant());
  await client.once(`commitment ${externalId}`, '/v0/commitments', {
    customerId: subscription.customerId,
    subscriptionId: subscription.id,
    currency: subscription.currency,
    segments: [{ startDate: at(0), endDate: at(months), amount }],
    ...fields,
  });
}

/**
 * Credits that a stored card buys, a subscription that rests for a month, and a part of a paid invoice that was given
 * back. @param client of the merchant's own key
 */
export async function makeTopUpAndPause(client: Client, until: Instant): Promise<void> {
  const { customerId } = await subscriptionOf(client, TOPPED_UP);
  const { id: card } = await client.once('card', `/v0/customers/${customerId}/paymentMethods`, {});
  await client.once('card stored', `/v0/paymentSessions/${card}/complete`, { paymentMethod: 'pm_ok' });
  await client.put(`/v0/customers/${customerId}/creditTopUp`, {
    currency: 'USD',
    threshold: '20',
    amount: '100',
    expiresAfter: 'P1Y',
    maximumPerMonth: 2,
  });
  const paused = await subscriptionOf(client, PAUSED);
  await client.once('pause', `/v0/subscriptions/${paused.id}/pause`, {
    resumesAt: formatInstant(until.add({ hours: 24 * 30 })),
    reason: 'The season is over',
  });
  const negotiated = await subscriptionOf(client, NEGOTIATED);
  const { data } = await client.get(`/v2/invoices?subscriptionId=${negotiated.id}&status=PAID`);
  const first = data.find((invoice: Resource) => invoice.sequenceNumber === 1);
  const { lineItems } = await client.get(`/v2/invoices/${first.id}/lineItems`);
  const fee = lineItems.find((line: Resource) => line.invoiceDisplayName === 'Platform fee');
  await client.once('credit note', `/v2/invoices/${first.id}/creditNotes`, {
    lines: [{ lineItemId: fee.id, amount: '40' }],
    reason: 'The API was slow for a day',
    idempotencyKey: 'demo credit note',
  });
}

async function subscriptionOf(client: Client, externalId: string): Promise<Resource> {
  const { data: customers } = await client.get(`/v0/customers?externalId=${externalId}`);
  return (await client.get(`/v0/subscriptions?customerId=${customers[0].id}`)).data[0];
}
