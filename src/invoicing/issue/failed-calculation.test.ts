import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

it('waits after a calculation that throws, fails after five, and is issued once the cause is mended and it is calculated again', async () => {
  const merchant = await env.merchant();
  const create = async (path: string, body: unknown) => (await merchant.post(path, body)).body;
  const product = await create('/v0/products', { name: 'P', description: '' });
  const fee = await create('/v0/fees', { name: 'Seat', description: '', productId: product.id });
  const price = await create('/v0/prices', {
    feeId: fee.id,
    invoiceDisplayName: 'Seat',
    paymentTerm: 'in_arrears',
    billingCadence: 'P1M',
    properties: { unitPrice: '10' },
  });
  const plan = await create('/v0/plans', { name: 'Seats', productId: product.id, currency: 'USD', prices: [price.id] });
  const clock = await create('/v0/testClocks', { currentTime: '2025-01-01T00:00:00Z' });
  const subscription = await create('/v0/subscriptions', {
    name: 'S',
    planId: plan.id,
    startedAt: '2025-01-01T00:00:00Z',
    testClockId: clock.id,
    customer: { name: 'C', email: 'c@example.com', address: {} },
  });
  const owner = new pg.Client({ connectionString: env.url });
  owner.on('error', () => undefined); // the database is dropped under it where the test fails early
  await owner.connect();
  const setProperties = (properties: unknown) =>
    owner.query('update price set properties = $1 where id = $2', [JSON.stringify(properties), price.id]);
  const advance = async (currentTime: string) =>
    expect((await merchant.patch(`/v0/testClocks/${clock.id}`, { currentTime })).status).toBe(200);
  const first = async () =>
    (await merchant.get(`/v2/invoices?subscriptionId=${subscription.id}`)).body.data.find(
      (each: { sequenceNumber: number }) => each.sequenceNumber === 1,
    );

  await setProperties({ unitPrice: 'not a price' }); // no caller can do this
  await advance('2025-02-01T00:00:30Z');
  expect(await first()).toMatchObject({ status: 'CALCULATING', nextActionAt: '2025-02-01T00:01:00Z' });
  await advance('2025-02-01T00:37:00Z');
  expect(await first()).toMatchObject({ status: 'CALCULATING' });
  await advance('2025-02-01T04:00:00Z');
  const failed = await first();
  expect(failed).toMatchObject({
    status: 'FAILED',
    failureReason: 'CALCULATION_FAILED',
    nextActionAt: null,
    invoiceNumber: null,
    itemCount: 0,
  });

  await setProperties({ unitPrice: '10' });
  await owner.end();
  expect(await merchant.post(`/v2/invoices/${failed.id}/recalculate`)).toMatchObject({
    status: 200,
    body: { status: 'CALCULATING' },
  });
  await advance('2025-02-01T04:00:01Z');
  expect(await first()).toMatchObject({ status: 'ISSUED', grandTotal: '10.00', issuedAt: '2025-02-01T04:00:00Z' });
  expect((await first()).failureReason).toBeUndefined();
});
