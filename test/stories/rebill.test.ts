import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recomputeDatabase } from '../../src/app.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** A cancelled invoice counts as billed, unless it is to be billed again (domain.md §3, Owed less billed). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
});
beforeEach(async () => {
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const on = (date: string) => `2026-${date}T00:00:00Z`;
const shown = ({ lines }: Resource): string[] =>
  lines.map(
    ({ type, periodStart, periodEnd, totalPrice }: Resource) =>
      `${type} ${periodStart.slice(5, 10)}..${periodEnd.slice(5, 10)} ${totalPrice}`,
  );
const cancel = ({ id }: Resource, body: object = {}) =>
  merchant.post(`/v2/invoices/${id}/cancel`, { reason: 'Made by mistake', ...body });
const invoicesOf = (subscription: Resource): Promise<Resource[]> => shop.invoices(subscription);
const differences = async (subscription: Resource) => {
  const ids = new Set((await invoicesOf(subscription)).map(({ id }) => id));
  return (await recomputeDatabase(env.url, { merchants: [merchant.id] })).differing.filter(({ invoiceId }) =>
    ids.has(invoiceId),
  );
};

describe('the usage of a part that is cancelled', () => {
  /** 100 units on the 5th of January, cut on the 10th, cancelled. */
  async function cancelledPart(body: object) {
    const clock = await shop.clock(START);
    const metric = await shop.metric();
    const price = await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '1' } });
    const subscription = await shop.subscribe(await shop.plan([price]), { clock });
    await shop.use(subscription.id, on('01-05'), 100);
    await shop.advance(clock, on('01-10'));
    await shop.act(`/v2/invoices/${(await invoicesOf(subscription)).at(-1)?.id}/closeNow`, { reason: 'A mistake' });
    await shop.advance(clock, 'PT2S');
    const [part] = await invoicesOf(subscription);
    expect(part).toMatchObject({ status: 'ISSUED', subtotal: '100.00' });
    expect((await cancel(part as Resource, body)).status).toBe(200);
    const open = (await invoicesOf(subscription)).at(-1) as Resource;
    await shop.advance(clock, on('02-02'));
    const report = await shop.read(`/v0/usage/unbilled?from=${START}&to=${on('02-01')}`);
    const ofMetric = ({ billableMetricId }: Resource) => billableMetricId === metric.id;
    return {
      subscription,
      open,
      groups: report.groups.filter(ofMetric).map(({ reason, quantity }: Resource) => [reason, quantity]),
      priced: report.metrics.find(ofMetric).priced.quantity,
    };
  }

  it('is on the next invoice with `rebill`', async () => {
    const { subscription, open, groups, priced } = await cancelledPart({ rebill: true });
    expect(open.grandTotal).toBe('100.00');
    expect((await invoicesOf(subscription)).map(({ status, subtotal }) => `${status} ${subtotal}`)).toEqual([
      'CANCELLED 100.00',
      'ISSUED 100.00',
      'ACTIVE 0.00',
    ]);
    expect([groups, priced]).toEqual([[], 100]);
    expect(await differences(subscription)).toEqual([]);
  });

  it('counts as billed without it, and the report names it', async () => {
    const { subscription, open, groups, priced } = await cancelledPart({});
    expect(open.grandTotal).toBe('0.00');
    expect((await invoicesOf(subscription))[1]).toMatchObject({ subtotal: '0.00' });
    expect([groups, priced]).toEqual([[['INVOICE_CANCELLED', 100]], 0]);
    expect(await differences(subscription)).toEqual([]);
  });
});

it('the invoice of a whole period is on the next one: fees at their time, usage as late usage, once', async () => {
  const clock = await shop.clock(START);
  const fee = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '30' } });
  const own = await shop.feePrice({ properties: { unitPrice: '7' } }); // in arrears
  const price = await shop.usagePrice({ properties: { unitPrice: '1' } });
  const subscription = await shop.subscribe(await shop.plan([fee, own, price]), { clock, bankTransferOnly: true });
  await shop.use(subscription.id, on('01-05'), 100);
  await shop.advance(clock, on('02-02'));
  const january = (await invoicesOf(subscription)).find(
    ({ status, kind }) => status === 'ISSUED' && kind === 'subscription',
  );
  expect(shown(january as Resource).toSorted()).toEqual([
    'charge 01-01..02-01 100.00',
    'charge 01-01..02-01 7.00',
    'charge 02-01..03-01 30.00',
  ]);
  expect((await cancel(january as Resource, { rebill: true })).status).toBe(200);
  await shop.use(subscription.id, on('02-05'), 3);
  await shop.advance(clock, on('04-02'));
  const [february, march] = (await invoicesOf(subscription)).filter(
    ({ status, kind }) => status === 'ISSUED' && kind === 'subscription',
  );
  expect(shown(february as Resource).toSorted()).toEqual([
    'charge 01-01..02-01 7.00',
    'charge 02-01..03-01 3.00',
    'charge 02-01..03-01 30.00',
    'charge 02-01..03-01 7.00',
    'charge 03-01..04-01 30.00',
    'late_usage 01-01..02-01 100.00',
  ]);
  expect(shown(march as Resource).toSorted()).toEqual([
    'charge 03-01..04-01 0.00',
    'charge 03-01..04-01 7.00',
    'charge 04-01..05-01 30.00',
  ]);
  expect(await differences(subscription)).toEqual([]);
});

it('is refused where no invoice of a subscription follows', async () => {
  const customer = await shop.customer();
  const lines = [{ displayName: 'Advice', quantity: 1, unitPrice: '50' }];
  const oneOff = await shop.create('/v2/invoices', { customerId: customer.id, currency: 'USD', lines });
  const refused = await cancel(oneOff, { rebill: true });
  expect([refused.status, refused.body.code]).toEqual([409, 'REBILL_NOT_POSSIBLE']);
  expect((await cancel(oneOff, { rebill: false })).status).toBe(200);
});
