import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { expectTotals } from '../support/identities.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import { openTables } from '../support/tables.ts';

/** Callers and workers that meet at one subscription: the result is that of one possible order, and nothing between. */
let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

const START = '2026-01-01T00:00:00Z';
const BOUNDARY = '2026-02-01T00:00:00Z';

async function sell(): Promise<{
  shop: Shop;
  post: (path: string, body?: unknown) => Promise<{ status: number }>;
  subscription: Resource;
}> {
  env.setNow(START);
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const metric = await shop.metric();
  const plan = await shop.plan([await shop.feePrice(), await shop.usagePrice({ billableMetricId: metric.id })], {
    autoApprove: false,
  });
  const subscription = await shop.subscribe(plan, { startedAt: START });
  return { shop, post: merchant.post, subscription };
}

it('a period that ends while its subscription is ended, or planned to end, is billed once and whole', {
  timeout: 90_000,
}, async () => {
  for (let round = 0; round < 8; round += 1) {
    const { shop, post, subscription } = await sell();
    env.setNow(BOUNDARY);
    const plansAnEnd = round % 2 === 0;
    const ending = plansAnEnd
      ? env.client(env.platform.key).patch(`/v0/subscriptions/${subscription.id}`, { endingAt: '2026-02-15T00:00:00Z' })
      : post(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Race' });
    const [{ status }] = await Promise.all([ending, env.runDueWork()]);
    expect(status).toBe(200);
    await env.runDueWork();
    const [first, ...later] = await shop.invoices(subscription);
    expect(first).toMatchObject({ status: 'DRAFT', periodStart: START, periodEnd: BOUNDARY, subtotal: '10.00' });
    const open = { status: 'ACTIVE', periodStart: BOUNDARY, periodEnd: '2026-02-15T00:00:00Z', subtotal: '5.00' };
    expect(later).toMatchObject(plansAnEnd ? [open] : []);
  }
});

it('a scheduled change that is cancelled as it comes is billed, or is not', { timeout: 90_000 }, async () => {
  for (let round = 0; round < 8; round += 1) {
    env.setNow(START);
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    const ofFee = async (unitPrice: string) =>
      shop.plan([await shop.feePrice({ properties: { unitPrice }, paymentTerm: 'in_advance' })], {
        gracePeriod: 'P0D',
      });
    const [usual, larger] = [await ofFee('10'), await ofFee('50')];
    const subscription = await shop.subscribe(usual, { startedAt: START, bankTransferOnly: true });
    const changes = `/v0/subscriptions/${subscription.id}/changes`;
    const { change } = await shop.create(changes, { planId: larger.id, effective: 'periodEnd' });
    env.setNow(BOUNDARY);
    const [{ status }] = await Promise.all([merchant.delete(`${changes}/${change.id}`), env.runDueWork()]);
    expect([204, 409]).toContain(status);
    await env.runDueWork();
    const { data } = await shop.read(changes);
    expect(data).toMatchObject([{ id: change.id, status: status === 204 ? 'cancelled' : 'applied' }]);
    env.setNow('2026-03-01T00:00:00Z');
    await env.runDueWork();
    const issued = (await shop.invoices(subscription)).filter((invoice) => invoice.status === 'ISSUED');
    const billed = issued.reduce((sum, { unpaidAmount }) => sum + Number(unpaidAmount), 0);
    expect(billed, 'of January, February and March').toBe(10 + 2 * (status === 204 ? 10 : 50));
  }
});

it('a scheduled change cannot be cancelled between the bill of the period before it and its application', async () => {
  env.setNow(START);
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const ofFee = async (unitPrice: string) =>
    shop.plan([await shop.feePrice({ properties: { unitPrice }, paymentTerm: 'in_advance' })], { gracePeriod: 'P0D' });
  const [usual, larger] = [await ofFee('10'), await ofFee('50')];
  const subscription = await shop.subscribe(usual, { startedAt: START, bankTransferOnly: true });
  const changes = `/v0/subscriptions/${subscription.id}/changes`;
  const { change } = await shop.create(changes, { planId: larger.id, effective: 'periodEnd' });
  env.setNow(BOUNDARY);
  const tables = await openTables(env.url);
  const lookAt = (time: string) =>
    tables.query(`update subscription_change set next_action_at = '${time}' where id = '${change.id}'`);
  await lookAt('2026-02-02T00:00:00Z'); // the worker that applies it is late
  await env.runDueWork();
  const cancelled = await merchant.delete(`${changes}/${change.id}`);
  expect(cancelled).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
  await lookAt(BOUNDARY);
  await tables.close();
  await env.runDueWork();
  expect((await shop.read(changes)).data).toMatchObject([{ id: change.id, status: 'applied' }]);
  const billed = (await shop.invoices(subscription)).flatMap(({ status, lines }) => (status === 'ISSUED' ? lines : []));
  expect(billed.map(({ totalPrice }) => totalPrice).toSorted()).toEqual(['10.00', '50.00']);
});

it('events that come while the grace ends are billed if they were accepted before, and none is billed in part', async () => {
  const { shop, subscription } = await sell();
  const send = (count: number, at: string) =>
    Promise.all(Array.from({ length: count }, () => shop.use(subscription.id, at, 1)));
  await send(20, '2026-01-31T23:59:59.999999Z');
  await send(5, BOUNDARY);
  env.setNow(BOUNDARY);
  await Promise.all([send(40, '2026-01-15T00:00:00Z'), env.runDueWork(), send(5, BOUNDARY)]);
  const [closed, open] = await shop.invoices(subscription);
  expectTotals(closed);
  const [, usage] = closed.lines;
  expect(usage.quantity).toBeGreaterThanOrEqual(20);
  expect(usage.quantity).toBeLessThanOrEqual(60);
  expect(Number.isInteger(usage.quantity)).toBe(true);
  await env.runDueWork();
  expect((await shop.invoice(closed.id)).lines[1].quantity).toBe(usage.quantity); // the figure that was read
  expect(open.lines[1].quantity).toBe(10);
});

it('twins of a creation with one idempotencyKey make one subscription with one open invoice', async () => {
  env.setNow(START);
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const body = {
    name: 'Twin',
    planId: (await shop.plan([await shop.feePrice()])).id,
    startedAt: START,
    idempotencyKey: 'twin',
    customer: { name: 'Twin', email: 'twin@example.com' },
  };
  const answers = await Promise.all(Array.from({ length: 12 }, () => merchant.post('/v0/subscriptions', body)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(11);
  expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1);
  expect(await shop.invoices(answers[0]?.body)).toHaveLength(1);
  expect((await shop.read('/v0/customers')).pagination.total).toBe(1);
});

it('twins of a creation with one Idempotency-Key get one answer, or are told that the first is still at it', async () => {
  env.setNow(START);
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const plan = await shop.plan([await shop.feePrice()]);
  const customer = await shop.customer();
  const body = { name: 'Twin', planId: plan.id, startedAt: START, customerId: customer.id };
  const send = () => merchant.post('/v0/subscriptions', body, { 'idempotency-key': 'twin' });
  const answers = await Promise.all(Array.from({ length: 12 }, send));
  const made = answers.filter(({ status }) => status === 201);
  expect(new Set(made.map(({ text }) => text)).size).toBe(1);
  for (const { status, body: answer } of answers)
    if (status !== 201) expect([status, answer.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
  expect((await shop.read('/v0/subscriptions')).pagination.total).toBe(1);
});

it('a credit that a period invoice spends while it is voided and another one is bought pays the time before the void', {
  timeout: 90_000,
}, async () => {
  for (let round = 0; round < 3; round += 1) {
    env.setNow(START);
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    const fee = await shop.feePrice({ paymentTerm: 'in_arrears', properties: { unitPrice: '30' } });
    const subscription = await shop.subscribe(await shop.plan([fee]), { startedAt: START });
    const path = `/v0/customers/${subscription.customerId}/billingCredits`;
    const terms = { currency: 'USD', idempotencyKey: 'one' };
    const welcome = await shop.create(path, { name: 'Welcome', amount: '100', ...terms });
    env.setNow('2026-01-31T12:00:00Z');
    const { paymentSessions } = await shop.create(`${path}/purchase`, { amount: '50', ...terms });
    const session = paymentSessions[0].url.split('/').at(-1);
    env.setNow(BOUNDARY);
    const acts = [
      () => env.runDueWork(),
      () => shop.act(`/v0/billingCredits/${welcome.id}/void`, { reason: 'A mistake' }),
      () => shop.act(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_ok' }),
    ];
    // Each of them begins first in some of the rounds.
    await Promise.all([...acts.slice(round % 3), ...acts.slice(0, round % 3)].map((act) => act()));
    await env.runDueWork();
    const [january] = await shop.invoices(subscription);
    expect(january).toMatchObject({ status: 'PAID', periodEnd: BOUNDARY, subtotal: '0.00' });
    expect(january.lines.map(({ type, totalPrice }: Resource) => [type, totalPrice])).toEqual([
      ['charge', '30.00'],
      ['billing_credit', '-30.00'],
    ]);
    const [bought, voided] = (await shop.read(path)).data;
    expect(voided).toMatchObject({ usedAmount: '30.00', voidedAmount: '70.00', remaining: '0.00', status: 'voided' });
    // It begins with February, whose fee it pays.
    expect(bought).toMatchObject({
      source: 'purchase',
      effectiveAt: BOUNDARY,
      pendingAmount: '30.00',
      usedAmount: '0.00',
    });
    expect(await shop.read(`${path}/balance?currency=USD`)).toMatchObject({
      ...{ granted: '80.00', used: '30.00', pending: '30.00', available: '20.00' },
    });
  }
});

it('there was no deadlock', async () => {
  const tables = await openTables(env.url);
  const [found] = await tables.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  await tables.close();
  expect(found?.deadlocks).toBe(0);
});
