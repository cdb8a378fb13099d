import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { Decimal, ZERO } from '../kernel/decimal.ts';
import { wireDomains } from '../wiring.ts';
import type { Injector } from './client.ts';
import { CUSTOMERS } from './customers.ts';
import { type OpenedDemo, openDemo, type SeedingStep } from './index.ts';
import { seededNumbers, usageOf } from './usage.ts';

// biome-ignore lint/suspicious/noExplicitAny: resources of every kind
type Resource = any;

const NOW = '2026-11-21T15:04:05Z';
const PATHS = ['/v0/customers', '/v0/plans', '/v0/events', '/v2/invoices', '/v0/subscriptions', '/v0/paymentSessions'];

let env: TestEnvironment;
let demo: OpenedDemo;
let summary: string;
const labels: string[] = [];
let merchant: Client;
let counted: Record<string, number>;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset' });
  env.setNow(NOW);
  await cutShort();
  demo = (await env.openDemo?.()) as OpenedDemo;
  summary = await demo.fill(told, new AbortController().signal);
  merchant = env.client(demo.merchantKey);
  counted = await counts();
}, 120_000);
afterAll(() => env.close());

const told: SeedingStep = (label, work) => {
  labels.push(label);
  return work();
};

/**
 * Two seedings that end in the middle: the server of one goes away during its invoices, and the other is told to stop.
 */
async function cutShort(): Promise<void> {
  const open = async (inject: Injector['inject']) =>
    (await openDemo(
      { server: { inject }, platformKey: env.platform.key, inboxUrl: 'http://localhost:4401/v0/webhookInbox' },
      Temporal.Instant.from(NOW),
    )) as OpenedDemo;
  const quietly: SeedingStep = (_, work) => work();
  let calls = 0;
  const gone = await open(async (request) => {
    calls += 1;
    if (calls > 80) throw new Error('the process has ended');
    return env.server.inject(request);
  });
  await expect(gone.fill(quietly, new AbortController().signal)).rejects.toThrow('the process has ended');
  const stop = new AbortController();
  const stopped = await open((request) => env.server.inject(request));
  const until: SeedingStep = (label, work) => {
    if (label.startsWith('month')) stop.abort(new Error('told to stop'));
    return work();
  };
  await expect(stopped.fill(until, stop.signal)).rejects.toThrow('told to stop');
}

const counts = async (): Promise<Record<string, number>> => {
  const totals = await Promise.all(PATHS.map((path) => merchant.get(`${path}?limit=1`)));
  return Object.fromEntries(totals.map(({ body }, index) => [PATHS[index] as string, body.pagination.total]));
};
const list = async (path: string): Promise<Resource[]> =>
  (await merchant.get(`${path}${path.includes('?') ? '&' : '?'}limit=100`)).body.data;

it('is made once: again it changes nothing, and one that was cut short was taken up', async () => {
  expect(await env.openDemo?.()).toBeNull();
  expect(await counts()).toEqual(counted);
  const merchants = await env.platform.get('/v0/organizations?type=merchant');
  expect(merchants.body.data).toMatchObject([{ id: demo.merchantId, name: 'Halcyon Labs' }]);
  expect((await merchant.get('/v0/me')).body).toMatchObject({ role: 'admin', organization: { id: demo.merchantId } });
});

it('has an account for transfers, so that every invoice says how to pay it', async () => {
  const { settings } = (await merchant.get(`/v0/organizations/${demo.merchantId}`)).body;
  expect(settings.bankTransfer).toMatchObject({ holder: 'Halcyon Labs, Inc.', iban: 'DE89370400440532013000' });
  const byTransfer = (await list('/v0/subscriptions')).find(({ bankTransferOnly }) => bankTransferOnly);
  const [invoice] = await list(`/v2/invoices?subscriptionId=${byTransfer.id}&status=ISSUED`);
  const page = await env.client('').get(`/pay/invoices/${invoice.id}`);
  expect(page.text).toContain('DE89 3704 0044 0532 0130 00');
});

it('prints each piece that it makes', () => {
  expect(labels).toEqual([
    'three months of usage events',
    'two products and three plans',
    'twelve customers and their subscriptions',
    'two commitments',
    'month 1 of 3: usage billed, invoices paid',
    'month 2 of 3: usage billed, invoices paid',
    'month 3 of 3: usage billed, invoices paid',
    'an order that waits for approval',
    'a top-up of credits, a pause and a credit note',
    'three alerts, one of them a budget',
  ]);
});

it('says what is there, figure by figure', () => {
  const [customers, plans, events, invoices] = PATHS.map((path) => counted[path]);
  expect(summary).toBe(
    `Halcyon Labs: ${customers} customers · ${plans} plans · ${events} usage events · ${invoices} invoices`,
  );
  expect([customers, plans]).toEqual([CUSTOMERS.length, 3]);
  expect(events).toBeGreaterThan(2000);
});

it('entitles who is on Growth to images, of which each month some are used', async () => {
  const entitlements = await list('/v1/entitlements');
  const growing = CUSTOMERS.filter(({ plan }) => plan === 'growth');
  expect(entitlements).toHaveLength(growing.length);
  for (const { featureKey, balance, usageInPeriod, hasAccess } of entitlements)
    expect({ featureKey, hasAccess, left: balance }).toEqual({
      featureKey: 'images',
      hasAccess: true,
      left: Math.max(0, 500 - usageInPeriod),
    });
  expect(entitlements.some(({ usageInPeriod }) => usageInPeriod > 0)).toBe(true);
});

it('has invoices in every state that a merchant meets, and each adds up', async () => {
  const invoices = await list('/v2/invoices');
  const states = Object.groupBy(invoices, ({ status }: Resource) => status as string);
  expect(Object.keys(states).toSorted()).toEqual(['ACTIVE', 'CANCELLED', 'DRAFT', 'ISSUED', 'PAID', 'WRITTEN_OFF']);
  for (const invoice of invoices) {
    const amounts = ['subtotal', 'totalTax', 'grandTotal', 'paidAmount', 'unpaidAmount'];
    const [subtotal, tax, grand, paid, unpaid] = amounts.map((name) => new Decimal(invoice[name]));
    expect(subtotal?.plus(tax as Decimal).eq(grand as Decimal), invoice.id).toBe(true);
    expect(paid?.plus(unpaid as Decimal).eq(grand as Decimal), invoice.id).toBe(true);
    expect(grand?.gt(0), invoice.id).toBe(true);
    const lines = (await merchant.get(`/v2/invoices/${invoice.id}/lineItems`)).body.lineItems;
    const sum = lines.reduce((total: Decimal, line: Resource) => total.plus(line.totalPrice), ZERO);
    if (lines.length > 0) expect(sum.eq(subtotal as Decimal), invoice.id).toBe(true);
  }
  const numbers = invoices.flatMap(({ invoiceNumber }) => (invoiceNumber === null ? [] : [invoiceNumber])).toSorted();
  expect(numbers).toEqual(numbers.map((_, index) => `HAL-${String(index + 1).padStart(6, '0')}`));
});

it('has one refund, one invoice that is overdue, and documents', async () => {
  const refunds = await Promise.all(
    (await list('/v2/invoices'))
      .filter(({ status }) => status === 'PAID')
      .map(({ id }) => merchant.get(`/v2/invoices/${id}/refunds`)),
  );
  expect(refunds.map(({ body }) => body.pagination.total).filter((total) => total > 0)).toEqual([1]);
  const issued = (await list('/v2/invoices')).filter(({ status }) => status === 'ISSUED');
  const overdue = issued.filter(({ dueAt }) => Temporal.Instant.compare(dueAt, Temporal.Instant.from(NOW)) < 0);
  expect(overdue.length).toBeGreaterThan(0);
  const pdf = await merchant.get(`/v2/invoices/${issued[0]?.id}/pdf`);
  expect([pdf.status, pdf.bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
});

it('has a negotiated price and a coupon, and invoices that say so', async () => {
  const negotiated = await subscriptionOf('birchwood-clinics');
  expect(negotiated.priceOverrides).toMatchObject([{ multiplier: '0.9' }]);
  expect(await lineOf(negotiated, 'charge')).toMatchObject({
    invoiceDisplayName: 'Platform fee',
    totalPrice: '449.10',
  });
  const withCoupon = await subscriptionOf('elaionas');
  const [coupon, ...others] = await list('/v0/coupons');
  expect(others).toEqual([]);
  expect(coupon).toMatchObject({ code: 'LAUNCH25', redemptionCount: 1 });
  // a quarter of 49.00 is 12.25
  expect(await lineOf(withCoupon, 'coupon')).toMatchObject({ totalPrice: '-12.25' });
});

it('has a prepaid commitment whose credit burns, and a postpaid one on pace', async () => {
  const [postpaid, prepaid, ...others] = await list('/v0/commitments');
  expect(others).toEqual([]);
  expect(postpaid).toMatchObject({ type: 'postpaid', status: 'active', segments: [{ amount: '2000.00' }] });
  const pace = Number(postpaid.segments[0].pace);
  expect(pace).toBeGreaterThan(0.9);
  expect(pace).toBeLessThan(1.1);
  expect(prepaid).toMatchObject({ type: 'prepaid', status: 'active' });
  const [segment] = prepaid.segments;
  expect((await merchant.get(`/v2/invoices/${segment.invoiceId}`)).body).toMatchObject({ status: 'PAID' });
  const [credit] = await list(`/v0/customers/${prepaid.customerId}/billingCredits`);
  expect(credit).toMatchObject({
    id: segment.billingCreditId,
    source: 'commitment',
    status: 'active',
    amount: '600.00',
  });
  for (const burnt of [credit.usedAmount, credit.pendingAmount]) expect(Number(burnt)).toBeGreaterThan(0);
  expect(await lineOf(await subscriptionOf('tidewater-cu'), 'billing_credit')).toMatchObject({
    billingCreditId: credit.id,
  });
});

it('has a customer that pays for another one', async () => {
  const [child, payer] = await Promise.all(['mueller-soehne', 'hayabusa'].map(customerOf));
  expect(child.payerId).toBe(payer.id);
  const paid = await list(`/v2/invoices?payerId=${payer.id}&status=PAID`);
  expect(paid.length).toBeGreaterThan(0);
  expect(paid.every(({ customerId }) => customerId === child.id)).toBe(true);
});

it('has a card that has bought credits, a subscription that rests, and a credit note over a part', async () => {
  const { id } = await customerOf('lagoa-clara');
  expect((await merchant.get(`/v0/customers/${id}/creditTopUp`)).body).toMatchObject({ status: 'active', declines: 0 });
  await env.runDueWork();
  expect(await list(`/v0/customers/${id}/billingCredits`)).toMatchObject([{ source: 'top_up', amount: '100.00' }]);
  const resting = (await list('/v0/subscriptions')).filter(({ pausedAt }) => pausedAt !== null);
  expect(resting).toMatchObject([{ name: 'ТОО «Большая Медведица»: Team', resumesAt: '2026-12-21T15:04:00Z' }]);
  const first = await firstInvoiceOf(await subscriptionOf('birchwood-clinics'));
  expect(await list(`/v2/invoices/${first.id}/creditNotes`)).toMatchObject([
    { kind: 'partial', status: 'ISSUED', reason: 'The API was slow for a day', total: '43.55' }, // 40.00 and 8.875 %
  ]);
});

const customerOf = async (externalId: string): Promise<Resource> =>
  (await list(`/v0/customers?externalId=${externalId}`))[0];
const subscriptionOf = async (externalId: string): Promise<Resource> =>
  (await list(`/v0/subscriptions?customerId=${(await customerOf(externalId)).id}`))[0];
const firstInvoiceOf = async ({ id }: Resource): Promise<Resource> =>
  (await list(`/v2/invoices?subscriptionId=${id}`)).find(({ sequenceNumber }) => sequenceNumber === 1);

/** The first line of a type on the first invoice of a subscription. */
const lineOf = async (subscription: Resource, type: string): Promise<Resource> => {
  const { id } = await firstInvoiceOf(subscription);
  const { lineItems } = (await merchant.get(`/v2/invoices/${id}/lineItems`)).body;
  return lineItems.find((line: Resource) => line.type === type);
};

it('has an order of a year that waits for approval, with its invoices staged', async () => {
  const [order, ...others] = await list('/v0/orders');
  expect(others).toEqual([]);
  expect(order).toMatchObject({ approvalStatus: 'pending', totalAmount: '60000.00', currency: 'USD' });
  expect(await list('/v0/approvals')).toMatchObject([{ resourceId: order.id, decision: 'pending' }]);
  const [schedule] = await list('/v0/billingSchedules');
  const staged = (await merchant.get(`/v0/billingSchedules/${schedule.id}/invoices`)).body.data;
  const byQuarter = staged.map(({ periodStart, amount }: Resource) => [periodStart.slice(0, 10), amount]).toSorted();
  expect(byQuarter).toEqual([
    ['2026-12-01', '12000.00'],
    ['2027-03-01', '12000.00'],
    ['2027-06-01', '18000.00'],
    ['2027-09-01', '18000.00'],
  ]);
});

it('has events that count nothing, with the reasons, and events of a customer still to come', async () => {
  const unmatched = (await merchant.get('/v0/events?status=unmatched&limit=100')).body.data;
  const reasons = Object.groupBy(unmatched, ({ reason }: Resource) => reason as string);
  expect(Object.keys(reasons).toSorted()).toEqual(['NO_VALUE', 'UNKNOWN_SUBJECT', 'UNKNOWN_TYPE']);
  const early = (await merchant.get('/v0/events?externalSubject=atlas-freight')).body.data;
  expect(early).toHaveLength(3);
  expect(early.every((event: Resource) => event.subject === undefined)).toBe(true);
});

it('has an alert that went off, one that goes off with the event that a start shows, and a budget', async () => {
  await env.runDueWork();
  const [budget, tokens, bill, ...others] = await list('/v0/alerts');
  expect(others).toEqual([]);
  expect(budget).toMatchObject({ type: 'usage', isReached: false, blocksAccess: true });
  expect(tokens).toMatchObject({ type: 'usage', isReached: false, lastTriggeredAt: null });
  expect(bill).toMatchObject({ type: 'invoice_total', isReached: true, lastTriggeredAt: expect.any(String) });
  const triggered = async () => {
    const { data } = (await merchant.get('/v0/webhookEvents?type=alert.triggered.v0')).body;
    return data.map((event: Resource) => event.data.alertId);
  };
  expect(await triggered()).toEqual([bill.id]);
  const shown = { type: 'tokens.used', source: 'demo', externalSubject: demo.sampleExternalId };
  await merchant.post('/v0/events', { ...shown, data: { tokens: 1200, model: 'large' } });
  const watch = wireDomains('sandbox', 'http://localhost').chores.find(({ isPrompt }) => isPrompt);
  await watch?.run(env.database, Temporal.Instant.from(NOW));
  expect(await triggered()).toEqual([tokens.id, bill.id]);
  const mails = (await list('/v0/mails')).filter(({ kind }) => kind === 'alertTriggered');
  expect(mails.map(({ alertId }) => alertId)).toEqual([tokens.id, bill.id]);
});

it('has a sample subject whose open invoice grows with the event that a start shows', async () => {
  const [customer] = (await merchant.get(`/v0/customers?externalId=${demo.sampleExternalId}`)).body.data;
  const [invoice] = (await merchant.get(`/v2/invoices?customerId=${customer.id}`)).body.data;
  const total = async () => new Decimal((await merchant.get(`/v2/invoices/${invoice.id}`)).body.subtotal);
  const before = await total();
  const event = { type: 'tokens.used', source: 'demo', externalSubject: demo.sampleExternalId };
  const sent = await merchant.post('/v0/events', { ...event, data: { tokens: 12_000_000, model: 'large' } });
  expect(sent.status).toBe(202);
  expect((await total()).gt(before)).toBe(true);
});

describe('the usage of a customer', () => {
  const from = Temporal.Instant.from('2026-08-21T00:00:00Z');
  const to = Temporal.Instant.from('2026-11-21T00:00:00Z');

  it.each(CUSTOMERS)('$externalId is the same every time, and lies between the two instants', (customer) => {
    const events = usageOf(customer, 1, from, to);
    expect(usageOf(customer, 1, from, to)).toEqual(events);
    expect(usageOf(customer, 2, from, to)).not.toEqual(events);
    const times = events.map(({ timestamp }) => Temporal.Instant.from(timestamp as string).epochMilliseconds);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(from.epochMilliseconds);
    expect(Math.max(...times)).toBeLessThan(to.epochMilliseconds);
    expect(new Set(events.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(events.length);
  });

  it('draws from numbers that stay within their bounds and differ', () => {
    const draw = seededNumbers(7);
    const drawn = Array.from({ length: 1000 }, draw);
    expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(drawn).size).toBeGreaterThan(990);
  });
});
