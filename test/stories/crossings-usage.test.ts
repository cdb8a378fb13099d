import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectBooksToBalance } from '../support/books.ts';
import {
  changeTo,
  costOf,
  end,
  endAsOf,
  fee,
  invoicesInForce,
  payAll,
  promptPlan,
  subscribed,
  walletsOf,
} from '../support/crossings.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * The usage of a closed period changes later (domain.md §3 Whose usage, §4 Late usage, §5). The difference is billed or
 * credited once, by the terms of the first bill. The cause is an event, an end in the past, a late payment or a grant.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(async () => {
  await expectBooksToBalance(env, merchant);
  await env.close();
});

const JANUARY = '2026-01-01T00:00:00Z';
const FEBRUARY = '2026-02-01T00:00:00Z';
const MARCH = '2026-03-01T00:00:00Z';
/** Long after the 35 days in which late usage of an ended subscription is billed. */
const LATER = '2026-06-10T00:00:00Z';
const at = (day: string) => `2026-${day}T12:00:00Z`;

/**
 * Calls at 1.00, sent to the customer, are priced by two subscriptions. The older one bills them while it is active,
 * the younger one otherwise. Each unit is billed once.
 */
describe('usage of a customer with two subscriptions on its metric', () => {
  async function pair() {
    const metric = await shop.metric();
    const planBy = async (billingCadence: string, others: readonly Resource[] = []) =>
      promptPlan(shop, [await shop.usagePrice({ billableMetricId: metric.id, billingCadence }), ...others], {
        billingCadence,
      });
    const clock = await shop.clock(JANUARY);
    const customer = await shop.customer();
    const subscribe = (plan: Resource, fields: object = {}) => shop.subscribe(plan, { clock, customer, ...fields });
    return { planBy, clock, customer, subscribe };
  }

  /**
   * The older one waits for its payment of 10.00 until the 10th of January, and counts from the 1st; the weekly younger
   * one has billed the 100 units of the 3rd by then. 100.00, and 10.00 for January and for February, with which it
   * ends.
   */
  it('is not billed twice where the older one is paid late', async () => {
    const { planBy, clock, customer, subscribe } = await pair();
    const advance = await fee(shop, 'in_advance', '10');
    const older = await subscribe(await planBy('P1M', [advance]), { sessionExpiryMinutes: 30_000 });
    expect(older.status).toBe('pending_payment');
    const younger = await subscribe(await planBy('P1W'), { bankTransferOnly: true });
    await shop.use(customer.id, at('01-03'), 100);
    await shop.advance(clock, '2026-01-08T00:00:00Z');
    expect(await costOf(shop, customer.id)).toBe('110.00'); // the upfront invoice is issued
    await shop.advance(clock, '2026-01-10T00:00:00Z');
    await shop.act(`/v0/paymentSessions/${older.payment.paymentSessionId}/complete`, { paymentMethod: 'pm_ok' });
    for (const { id } of [older, younger]) await shop.change(`/v0/subscriptions/${id}`, { endingAt: MARCH });
    await shop.advance(clock, LATER);
    expect(await costOf(shop, customer.id)).toBe('120.00');
  });

  /**
   * The weekly older one bills 100 + 10 units, then ends as of a time before; the month of the younger one is still
   * open.
   */
  it('is not billed twice where the older one ends as of the past in an open period of the younger', async () => {
    const { planBy, clock, customer, subscribe } = await pair();
    const older = await subscribe(await planBy('P1W'), { bankTransferOnly: true });
    await subscribe(await planBy('P1M'), { bankTransferOnly: true });
    await shop.use(customer.id, at('01-03'), 100);
    await shop.use(customer.id, at('01-10'), 10);
    await shop.advance(clock, '2026-01-20T00:00:00Z');
    expect(await costOf(shop, customer.id)).toBe('110.00');
    await endAsOf(shop, older, '2026-01-02T00:00:00Z');
    await shop.advance(clock, FEBRUARY);
    await shop.advance(clock, LATER);
    expect(await costOf(shop, customer.id)).toBe('110.00');
  });

  /**
   * 1 unit on the 10th of January is the older one's; the 100 of the 25th go over to the younger one, begun on the
   * 15th.
   */
  it('goes over once where the older one, monthly, ends on the 3rd of February as of the 20th of January', async () => {
    const { planBy, clock, customer, subscribe } = await pair();
    const plan = await planBy('P1M');
    const older = await subscribe(plan, { bankTransferOnly: true });
    await shop.advance(clock, '2026-01-15T00:00:00Z');
    await subscribe(plan, { bankTransferOnly: true, startedAt: '2026-01-15T00:00:00Z' });
    await shop.use(customer.id, at('01-10'), 1);
    await shop.use(customer.id, at('01-25'), 100);
    await shop.advance(clock, '2026-02-03T00:00:00Z');
    expect(await costOf(shop, customer.id)).toBe('101.00');
    await endAsOf(shop, older, '2026-01-20T00:00:00Z');
    await shop.advance(clock, LATER);
    expect(await costOf(shop, customer.id)).toBe('101.00');
  });

  /**
   * 1 unit on the 1st of January is the yearly older one's; 100 in January and 10 in February are the younger one's
   * after all.
   */
  it('is not lost where the older one, yearly, ends as of the 2nd of January in March', async () => {
    const { planBy, clock, customer, subscribe } = await pair();
    const older = await subscribe(await planBy('P1Y'), { bankTransferOnly: true });
    await subscribe(await planBy('P1M'), { bankTransferOnly: true });
    await shop.use(customer.id, at('01-01'), 1);
    await shop.use(customer.id, at('01-20'), 100);
    await shop.use(customer.id, at('02-20'), 10);
    await shop.advance(clock, '2026-03-05T00:00:00Z');
    expect(await costOf(shop, customer.id)).toBe('0.00');
    await endAsOf(shop, older, '2026-01-02T00:00:00Z');
    await shop.advance(clock, LATER);
    expect(await costOf(shop, customer.id)).toBe('111.00');
  });

  /**
   * 11 units in January are the older one's. It ends on the 6th of February as of the 1st; the younger closed on the
   * 3rd.
   */
  it('is not lost where the younger one, monthly, had closed the period', async () => {
    const { planBy, clock, customer, subscribe } = await pair();
    const plan = await planBy('P1M');
    const older = await subscribe(plan, { bankTransferOnly: true });
    await shop.advance(clock, '2026-01-03T00:00:00Z');
    await subscribe(plan, { bankTransferOnly: true, startedAt: '2026-01-03T00:00:00Z' });
    await shop.use(customer.id, at('01-20'), 11);
    await shop.use(customer.id, at('02-02'), 100);
    await shop.advance(clock, '2026-02-06T00:00:00Z');
    expect(await costOf(shop, customer.id)).toBe('11.00');
    await endAsOf(shop, older, FEBRUARY);
    await shop.advance(clock, LATER);
    expect(await costOf(shop, customer.id)).toBe('111.00');
  });

  /** With 19 % tax inside: 100 units are 100.00 with either subscription. */
  it('goes over with its tax', async () => {
    const metric = await shop.metric();
    const usage = await shop.usagePrice({ billableMetricId: metric.id });
    const plan = await promptPlan(shop, [usage], { defaultTaxRate: 19, taxBehavior: 'inclusive' });
    const clock = await shop.clock(JANUARY);
    const customer = await shop.customer();
    const older = await shop.subscribe(plan, { clock, customer, bankTransferOnly: true });
    await shop.subscribe(plan, { clock, customer, bankTransferOnly: true });
    await shop.use(customer.id, at('01-25'), 100);
    await shop.advance(clock, '2026-02-03T00:00:00Z');
    await payAll(shop, customer.id);
    await endAsOf(shop, older, '2026-01-20T00:00:00Z');
    await shop.advance(clock, LATER);
    expect(await costOf(shop, customer.id)).toBe('100.00');
  });
});

/* 100 calls at 1.00 in January, 70 in February. */
describe('a correction below 0 of a period', () => {
  async function january() {
    const sold = await subscribed(shop, await promptPlan(shop, [await shop.usagePrice()]), JANUARY);
    await shop.use(sold.subscription.id, at('01-10'), 100);
    await shop.advance(sold.clock, FEBRUARY);
    const [invoice] = await invoicesInForce(shop, sold.customerId);
    expect(invoice.grandTotal).toBe('100.00');
    return { ...sold, invoice };
  }
  const februaryOf = async ({ clock, subscription, customerId }: Awaited<ReturnType<typeof january>>) => {
    await shop.use(subscription.id, at('02-10'), 70);
    await shop.advance(clock, MARCH);
    const found = (await invoicesInForce(shop, customerId)).find(({ periodStart }) => periodStart === FEBRUARY);
    return found?.grandTotal;
  };

  it.each([
    { units: -60, february: '10.00', cost: '110.00' },
    { units: -20, february: '50.00', cost: '150.00' },
  ])('of $units that was paid lowers the next invoice to $february', async ({ units, february, cost }) => {
    const sold = await january();
    await payAll(shop, sold.customerId);
    await shop.use(sold.subscription.id, at('01-20'), units);
    expect(await februaryOf(sold)).toBe(february);
    expect(await costOf(shop, sold.customerId)).toBe(cost);
  });

  it.each([-60, -100])('of %d gives nothing back a second time of one that was refunded', async (units) => {
    const sold = await january();
    await shop.pay(await shop.invoice(await opened(sold.invoice)));
    await shop.create(`/v2/invoices/${sold.invoice.id}/refunds`, { reason: 'A gift' });
    await shop.use(sold.subscription.id, at('01-20'), units);
    expect(await februaryOf(sold)).toBe('70.00');
    expect(await costOf(shop, sold.customerId)).toBe('70.00');
    await end(shop, sold.subscription);
    await shop.advance(sold.clock, LATER);
    expect(await costOf(shop, sold.customerId)).toBe('70.00');
    expect(await walletsOf(shop, sold.customerId)).toEqual({});
  });

  it('gives nothing back of one that was cancelled', async () => {
    const sold = await january();
    await shop.act(`/v2/invoices/${sold.invoice.id}/cancel`, { reason: 'A mistake' });
    await shop.use(sold.subscription.id, at('01-20'), -100);
    expect(await februaryOf(sold)).toBe('70.00');
    expect(await costOf(shop, sold.customerId)).toBe('70.00');
  });

  it('gives nothing back of one that was written off', async () => {
    const sold = await january();
    await shop.act(`/v2/invoices/${sold.invoice.id}/writeOff`);
    await shop.use(sold.subscription.id, at('01-20'), -100);
    expect(await februaryOf(sold)).toBe('70.00');
  });

  /** The refund is void: January's 100.00 are kept, so their excess is credited again. */
  it('credits the excess once a refund is void', async () => {
    const sold = await january();
    await payAll(shop, sold.customerId);
    const refund = await shop.create(`/v2/invoices/${sold.invoice.id}/refunds`, { reason: 'A gift' });
    await shop.use(sold.subscription.id, at('01-20'), -60);
    await shop.act(`/v2/invoices/${sold.invoice.id}/refunds/${refund.id}/void`, { reason: 'Not so' });
    await februaryOf(sold);
    await end(shop, sold.subscription);
    await shop.advance(sold.clock, LATER);
    expect(await costOf(shop, sold.customerId)).toBe('110.00'); // 100 - 60 + 70
  });

  /** Opens a session for an invoice that is paid by transfer. @returns its id */
  async function opened({ id }: Resource): Promise<string> {
    await shop.create(`/v2/invoices/${id}/paymentSessions`, {});
    return id;
  }
});

describe('a correction has the terms of its bill', () => {
  /**
   * 100 calls at 1.00, at half the price in January: 50.00. 50 of them did not happen: 25.00 are credited, not 50.00.
   */
  it('the discount', async () => {
    const { clock, subscription, customerId } = await subscribed(
      shop,
      await promptPlan(shop, [await shop.usagePrice()]),
      JANUARY,
    );
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      ...{ type: 'percentageDiscount', percentageDiscount: '0.5', description: 'Half' },
      ...{ effectiveFrom: JANUARY, effectiveTo: '2026-02-02T00:00:00Z' },
    });
    await shop.use(subscription.id, at('01-10'), 100);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('50.00');
    await shop.use(subscription.id, at('01-20'), -50);
    await shop.use(subscription.id, at('02-10'), 200);
    await shop.advance(clock, MARCH);
    expect(await costOf(shop, customerId)).toBe('225.00'); // 50 - 25 + 200
  });

  /**
   * 100 calls at 1.00 taxed at 20 %: 120.00. The rate is 10 % when 50 of them turn out not to have happened: 60.00 are
   * credited.
   */
  it('the tax rate of a credit', async () => {
    const { clock, subscription, customerId } = await subscribed(
      shop,
      await promptPlan(shop, [await shop.usagePrice()], { defaultTaxRate: 20 }),
      JANUARY,
    );
    await shop.use(subscription.id, at('01-10'), 100);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    await shop.change(`/v0/customers/${customerId}`, { taxRates: { default: 10 } });
    await shop.use(subscription.id, at('01-20'), -50);
    await shop.use(subscription.id, at('02-10'), 200);
    await shop.advance(clock, MARCH);
    expect(await costOf(shop, customerId)).toBe('280.00'); // 120 - 60 + 220
  });

  /** The discount that billed January, with today's tax rate: 50 more calls at half of 1.00 and 10 %. */
  it('the discount alone, where it charges more', async () => {
    const { clock, subscription, customerId } = await subscribed(
      shop,
      await promptPlan(shop, [await shop.usagePrice()], { defaultTaxRate: 20 }),
      JANUARY,
    );
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      ...{ type: 'percentageDiscount', percentageDiscount: '0.5', description: 'Half' },
      ...{ effectiveFrom: JANUARY, effectiveTo: '2026-02-02T00:00:00Z' },
    });
    await shop.use(subscription.id, at('01-10'), 100);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    await shop.change(`/v0/customers/${customerId}`, { taxRates: { default: 10 } });
    await shop.use(subscription.id, at('01-20'), 50);
    await shop.advance(clock, MARCH);
    expect(await costOf(shop, customerId)).toBe('87.50'); // 60 + 25 + 2.50
  });
});

/* 100 calls at 1.00 are paid; the subscription has ended when 60 of them turn out not to have been made. */
describe('a correction below 0 after the last invoice', () => {
  it.each([
    { what: 'paid: into the wallet', isPaid: true, wallets: { USD: '60.00' } },
    { what: 'unpaid: off what is unpaid', isPaid: false, wallets: {} },
  ])('is not lost; $what', async ({ isPaid, wallets }) => {
    const { clock, subscription, customerId } = await subscribed(
      shop,
      await promptPlan(shop, [await shop.usagePrice()]),
      JANUARY,
    );
    await shop.use(subscription.id, at('01-10'), 100);
    await shop.advance(clock, '2026-01-25T00:00:00Z');
    await end(shop, subscription);
    await shop.advance(clock, 'PT1H');
    if (isPaid) await payAll(shop, customerId);
    await shop.use(subscription.id, at('01-20'), -60);
    await shop.advance(clock, LATER);
    expect(await costOf(shop, customerId)).toBe('40.00');
    expect(await walletsOf(shop, customerId)).toEqual(wallets);
    if (!isPaid) expect((await invoicesInForce(shop, customerId))[0]).toMatchObject({ unpaidAmount: '40.00' });
  });

  /**
   * The credit was carried over: February's invoice of 20.00 could take 20.00 of the 60.00, and then the subscription
   * ended.
   */
  it('the excess over the last invoice', async () => {
    const { clock, subscription, customerId } = await subscribed(
      shop,
      await promptPlan(shop, [await shop.usagePrice()]),
      JANUARY,
    );
    await shop.use(subscription.id, at('01-10'), 100);
    await shop.advance(clock, FEBRUARY);
    await payAll(shop, customerId);
    await shop.use(subscription.id, at('01-20'), -60);
    await shop.use(subscription.id, at('02-05'), 20);
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    await end(shop, subscription);
    await shop.advance(clock, LATER);
    expect(await costOf(shop, customerId)).toBe('60.00'); // 100 - 60 + 20
    expect(await walletsOf(shop, customerId)).toEqual({ USD: '40.00' });
  });
});

let features = 0;
/* Calls at 1.00, less the units of the entitlement's grants; each month has its own units. */
describe('a grant that takes effect in a closed period', () => {
  async function covered() {
    features += 1;
    const product = await shop.product();
    const { id: billableMetricId } = await shop.metric({ productId: product.id });
    const feature = await shop.create('/v0/features', {
      ...{ key: `covered-${features}`, name: 'Calls', productId: product.id, type: 'metered' },
    });
    const price = await shop.usagePrice({
      ...{ billableMetricId, grantDiscountEnabled: true },
      feature: {
        featureId: feature.id,
        entitlementTemplate: { type: 'metered', usagePeriod: { interval: 'P1M' }, isSoftLimit: true },
      },
    });
    const sold = await subscribed(shop, await promptPlan(shop, [price], { productId: product.id }), JANUARY);
    const { data } = await shop.read(`/v1/entitlements?subscriptionId=${sold.subscription.id}`);
    return { ...sold, grants: `/v1/entitlements/${data[0].entitlementId}/grants` };
  }

  /** `february` units are used in February, beyond the grant. The covered units of January are credited there. */
  it.each([
    { used: 60, granted: 50, late: null, february: 100, cost: '110.00' }, // 10 + 100
    { used: 60, granted: 50, late: 0, february: 100, cost: '110.00' },
    { used: 60, granted: 50, late: null, february: 0, cost: '10.00' },
    { used: 60, granted: 50, late: 0, february: 0, cost: '10.00' },
    { used: 100, granted: 50, late: null, february: 0, cost: '50.00' },
    { used: 30, granted: 50, late: null, february: 0, cost: '0.00' },
  ])(
    'lowers the bill of $used by up to $granted, late events: $late, then $february in February',
    async ({ used, granted, late, february, cost }) => {
      const { clock, subscription, customerId, grants } = await covered();
      await shop.use(subscription.id, at('01-10'), used);
      await shop.advance(clock, '2026-02-05T00:00:00Z');
      await payAll(shop, customerId);
      await shop.create(grants, { amount: granted, effectiveAt: '2026-01-05T00:00:00Z' });
      if (late !== null) await shop.use(subscription.id, at('01-20'), late);
      if (february > 0) await shop.use(subscription.id, at('02-10'), february);
      await shop.advance(clock, MARCH);
      await end(shop, subscription);
      await shop.advance(clock, LATER);
      expect(await costOf(shop, customerId)).toBe(cost);
    },
  );

  /** It covers 50 of January's 60, and none of February's 50. */
  it('covers nothing after it has expired', async () => {
    const { clock, subscription, customerId, grants } = await covered();
    await shop.use(subscription.id, at('01-10'), 60);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    await shop.create(grants, { amount: 50, effectiveAt: '2026-01-05T00:00:00Z', expiresAt: '2026-01-20T00:00:00Z' });
    await shop.use(subscription.id, at('02-06'), 50);
    await shop.advance(clock, MARCH);
    expect(await costOf(shop, customerId)).toBe('60.00');
  });

  /** A grant counts until it is void, so 50 of January's 60 stay covered. */
  it('stays covered where it is void in February', async () => {
    const { clock, subscription, customerId, grants } = await covered();
    await shop.use(subscription.id, at('01-10'), 60);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    const grant = await shop.create(grants, { amount: 50, effectiveAt: '2026-01-05T00:00:00Z' });
    expect((await merchant.delete(`${grants}/${grant.id}`)).status).toBe(200);
    await shop.use(subscription.id, at('02-06'), 50);
    await shop.advance(clock, MARCH);
    expect(await costOf(shop, customerId)).toBe('60.00');
  });
});

/*
 * A subscription changes to a plan without the metric on the 11th. Late usage of the days before is billed at the old
 * price.
 */
it('late usage of a part of a period that a change ended has the price of that part', async () => {
  const metric = await shop.metric();
  const old = await promptPlan(shop, [
    await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '2' } }),
  ]);
  const next = await promptPlan(shop, [
    await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '3' } }),
  ]);
  const { clock, subscription, customerId } = await subscribed(shop, old, JANUARY);
  await shop.use(subscription.id, at('01-05'), 10);
  await shop.advance(clock, '2026-01-11T00:00:00Z');
  await changeTo(shop, subscription, next);
  await shop.use(subscription.id, at('01-20'), 10);
  await shop.advance(clock, FEBRUARY);
  expect(await costOf(shop, customerId)).toBe('50.00'); // 20 + 30
  await shop.use(subscription.id, at('01-06'), 5);
  await shop.use(subscription.id, at('01-21'), 5);
  await shop.advance(clock, MARCH);
  expect(await costOf(shop, customerId)).toBe('75.00'); // 10 + 15 more
});
