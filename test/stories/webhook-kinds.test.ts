import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { evaluateBalances } from '../../src/entitlements/index.ts';
import { eventTallyChore, postgresUsage } from '../../src/metering/index.ts';
import { unbilledUsageChore } from '../../src/unbilled/index.ts';
import { EVENT_TYPES, type EventType } from '../../src/webhooks/kinds.ts';
import { approve, decideApproval, requestApproval } from '../support/approvals.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { newOrder } from '../support/orders.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { approveOrder } from '../support/schedules.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';
import { deliver, newSource, revenue, revenueShop } from '../support/sources.ts';

/**
 * Each kind of event is caused once, as by a merchant, and delivered to an endpoint for this kind alone (domain.md §9).
 */
let env: TestEnvironment;
let receiver: Receiver;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment();
  receiver = await openReceiver();
});
beforeEach(async () => {
  merchant = await env.merchant();
  shop = shopOf(merchant);
  receiver.received.length = 0;
});
afterAll(async () => {
  await env.close();
  await receiver.close();
});

const at = (text: string) => Temporal.Instant.from(text);
const colleague = async (): Promise<Shop> => shopOf(await env.userOf(merchant, 'admin'));

/** An entitlement with 100 units for each month, and its customer. */
async function entitled() {
  const metric = await shop.metric();
  const feature = await shop.create('/v0/features', {
    key: 'credits',
    name: 'Credits',
    productId: metric.productId,
    type: 'metered',
  });
  const clock = await shop.clock(START);
  const customer = await shop.customer();
  const entitlementTemplate = { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 100 };
  const price = await shop.usagePrice({
    billableMetricId: metric.id,
    feature: { featureId: feature.id, entitlementTemplate },
  });
  const subscription = await shop.subscribe(await shop.plan([price]), { clock, customer });
  const [{ entitlementId }] = (await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`)).data;
  return { clock, customer, grants: `/v1/entitlements/${entitlementId}/grants` };
}

async function use(units: number): Promise<void> {
  const { customer } = await entitled();
  await shop.use(customer.id, START, units);
  const used = [{ merchantId: merchant.id, customerId: customer.id }];
  await evaluateBalances(env.database, used, at(START));
}

/** An alert on usage that is reached already. */
async function reachedAlert(): Promise<void> {
  env.setNow(START);
  const [customer, metric] = [await shop.customer(), await shop.metric()];
  await shop.use(customer.id, START, 5);
  const of = { type: 'usage', customerId: customer.id, billableMetricId: metric.id, period: 'month' };
  await shop.create('/v0/alerts', { ...of, threshold: '5' });
  await env.runDueWork();
}

/** A day on which an event counted for no bill. */
async function strayUsage(): Promise<void> {
  env.setNow('2026-01-05T12:00:00Z');
  const customer = await shop.customer();
  await shop.use(customer.id, '2026-01-05T13:00:00Z', 5, { type: 'typo' });
  for (let turn = 0; turn < 3; turn += 1) await eventTallyChore.run(env.database, at('2026-01-05T12:00:00Z'));
  await unbilledUsageChore(postgresUsage).run(env.database, at('2026-01-06T01:00:00Z'));
}

async function sourced(fields: object = {}, of: object = {}): Promise<{ source: Resource; event: Resource }> {
  const world = await revenueShop(shop);
  const source = await newSource(shop, world, { processingMode: 'manual', ...of });
  const { body: event } = await deliver(env, source, revenue(world.externalId, { ...fields }));
  return { source, event };
}

const refunded = async () => {
  const { invoice } = await shop.paid();
  return { invoice, refund: await shop.create(`/v2/invoices/${invoice.id}/refunds`) };
};

async function credited(): Promise<Resource> {
  const { invoice } = await shop.issued();
  const lines = [{ lineItemId: (await shop.invoice(invoice.id)).lines[0].id, amount: '1' }];
  const body = { lines, reason: 'The export was down', idempotencyKey: `note of ${invoice.id}` };
  return shop.create(`/v2/invoices/${invoice.id}/creditNotes`, body);
}

async function reversed(): Promise<void> {
  const { invoice } = await shop.issued();
  const path = `/v2/invoices/${invoice.id}/payments`;
  const payment = { amount: '12', method: 'bank_transfer', idempotencyKey: `transfer for ${invoice.id}` };
  const { id } = await shop.create(path, payment);
  await shop.act(`${path}/${id}/reverse`, { reason: 'It came back', idempotencyKey: `return of ${id}` });
}

async function declined(): Promise<void> {
  const [clock, customer] = [await shop.clock(START), await shop.customer()];
  const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
  await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: 'pm_then_declined' });
  await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock, customer, autoCharge: true });
  await shop.advance(clock, 'P1M');
}

async function draft(): Promise<Resource> {
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()], { autoApprove: false }), {
    clock,
  });
  await shop.advance(clock, 'P1M');
  return (await shop.invoices(subscription))[0];
}

/** A fee that uses so much of a credit of 10.00, which expires at the end of the month. */
async function useCredit(unitPrice: number): Promise<void> {
  const clock = await shop.clock(START);
  const fee = await shop.feePrice({ properties: { unitPrice: String(unitPrice) } });
  const { customerId } = await shop.subscribe(await shop.plan([fee]), { clock });
  await shop.create(`/v0/customers/${customerId}/billingCredits`, {
    ...{ name: 'Welcome', amount: '10', currency: 'USD', expiresAt: '2026-02-01T00:00:00Z', idempotencyKey: 'used' },
  });
  await shop.advance(clock, 'P1M');
}

const ordered = async () => newOrder(shop, await shop.customer());

const paused = async () => shop.act(`/v0/subscriptions/${(await shop.issued()).subscription.id}/pause`, {});

/** An endpoint that fails at once, and again after a day. */
async function failing(status: number): Promise<void> {
  const other = await openReceiver((response) => response.writeHead(status).end());
  await shop.create('/v0/webhookEndpoints', { url: other.url, eventTypes: ['customer.created.v0'] });
  for (const day of ['2026-03-01', '2026-03-02']) {
    env.setNow(`${day}T00:00:00Z`);
    await shop.customer();
    await env.deliverWebhooks();
  }
  await other.close();
}

/** The cause of each kind. */
const CAUSES: Readonly<Record<EventType, () => Promise<unknown>>> = {
  'invoice.issued.v0': () => shop.issued(),
  'invoice.paid.v0': () => shop.paid(),
  'invoice.payment_failed.v0': declined,
  'invoice.overdue.v0': async () =>
    shop.advance((await shop.issued({ bankTransferOnly: true, paymentTermDays: 5 })).clock, 'P10D'),
  'invoice.cancelled.v0': async () => shop.act(`/v2/invoices/${(await draft()).id}/cancel`, { reason: 'Wrong' }),
  'invoice.written_off.v0': async () =>
    shop.act(`/v2/invoices/${(await shop.issued()).invoice.id}/writeOff`, { reason: 'Lost' }),
  'invoice.refunded.v0': refunded,
  'invoice.refund_voided.v0': async () => {
    const { invoice, refund } = await refunded();
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`);
  },
  'invoice.credited.v0': credited,
  'invoice.credit_note_voided.v0': async () => {
    const { id, invoiceId } = await credited();
    await shop.act(`/v2/invoices/${invoiceId}/creditNotes/${id}/void`);
  },
  'invoice.payment_reversed.v0': reversed,
  'invoice.pushed.v0': async () => approve(shop, await colleague(), (await shop.issued()).invoice, 'push'),
  'subscription.created.v0': () => shop.issued(),
  'subscription.activated.v0': () => shop.issued(),
  'subscription.updated.v0': async () =>
    shop.change(`/v0/subscriptions/${(await shop.issued()).subscription.id}`, { taxExempt: true }),
  'subscription.paused.v0': async () => paused(),
  'subscription.resumed.v0': async () => shop.act(`/v0/subscriptions/${(await paused()).id}/resume`, {}),
  'subscription.trial_ending.v0': async () =>
    shop.subscribe(await shop.plan([], { trialPeriod: 'P1D' }), { clock: await shop.clock(START) }),
  'subscription.terminated.v0': async () =>
    shop.act(`/v0/subscriptions/${(await shop.issued()).subscription.id}/termination`, { reason: 'Over' }),
  'subscription.renewal_reminder.v0': async () => {
    const clock = await shop.clock(START);
    await shop.subscribe(await shop.plan([await shop.feePrice()], { renewalReminderDays: 3 }), { clock });
    await shop.advance(clock, '2026-01-30T00:00:00Z');
  },
  'billing_credit.created.v0': async () =>
    shop.create(`/v0/customers/${(await shop.customer()).id}/billingCredits`, {
      ...{ name: 'Welcome', amount: '10', currency: 'USD', idempotencyKey: 'k' },
    }),
  'billing_credit.low.v0': () => useCredit(8),
  'billing_credit.exhausted.v0': () => useCredit(10),
  'billing_credit.expired.v0': () => useCredit(0),
  'credit_top_up.paused.v0': async () => {
    const [clock, customer] = [await shop.clock(START), await shop.customer()];
    await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock, customer });
    const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
    await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: 'pm_then_declined' });
    await shop.replace(`/v0/customers/${customer.id}/creditTopUp`, { currency: 'USD', threshold: '1', amount: '10' });
    await shop.advance(clock, 'P1D');
  },
  'grant.created.v0': async () => shop.create((await entitled()).grants, { amount: 5 }),
  'grant.voided.v0': async () => {
    const { grants } = await entitled();
    const { id } = await shop.create(grants, { amount: 5 });
    expect((await merchant.delete(`${grants}/${id}`)).status).toBe(200);
  },
  'entitlement.balance_low.v0': () => use(85),
  'entitlement.exhausted.v0': () => use(100),
  'entitlement.reset.v0': async () => shop.advance((await entitled()).clock, 'P1M'),
  'payment_session.completed.v0': () => shop.paid(),
  'payment_session.expired.v0': async () => shop.advance((await shop.issued()).clock, 'P2D'),
  'order.approved.v0': async () => approveOrder(env, await ordered()),
  'order.cancelled.v0': async () => shop.change(`/v0/orders/${(await ordered()).id}`, { cancelledAt: START }),
  'order.pushed.v0': async () => {
    const order = await ordered();
    await approveOrder(env, order);
    await approve(shop, await colleague(), order, 'push');
  },
  'approval.requested.v0': async () => requestApproval(shop, await ordered()),
  'approval.decided.v0': async () =>
    decideApproval(await colleague(), await requestApproval(shop, await ordered()), 'rejected'),
  'source_event.pending.v0': () => sourced(),
  'source_event.processed.v0': () => sourced({}, { processingMode: 'automatic' }),
  'source_event.failed.v0': () => sourced({ currency: 'EUR' }, { processingMode: 'automatic' }),
  'usage.unmatched.v0': strayUsage,
  'usage.unbilled.v0': strayUsage,
  'customer.created.v0': () => shop.customer(),
  'alert.triggered.v0': reachedAlert,
  'webhook_endpoint.failing.v0': () => failing(500),
  'webhook_endpoint.disabled.v0': () => failing(410),
};

it.each(EVENT_TYPES)('%s', async (type) => {
  await shop.create('/v0/webhookEndpoints', { url: receiver.url, eventTypes: [type] });
  await CAUSES[type]();
  await env.deliverWebhooks();
  const { data, pagination } = await shop.read(`/v0/webhookEvents?type=${type}`);
  expect(pagination.total).toBeGreaterThan(0);
  const sent = receiver.received.map(({ body }) => JSON.parse(body)).filter((each) => each.type === type);
  expect(sent.map((each) => each.data)).toEqual(data.toReversed().map((each: Resource) => each.data));
  for (const { data: told } of sent)
    expect(told).toMatchObject({ merchantId: merchant.id, sequence: expect.any(Number) });
});
