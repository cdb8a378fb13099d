import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** `grantDiscountEnabled`: units that grants of the subscription's entitlement burnt are not billed (domain.md §5). */
let env: TestEnvironment;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  shop = shopOf(await env.merchant());
});
afterAll(() => env.close());

let features = 0;

/** Usage at 1.00 a unit, 100 units granted each month. */
async function subscribed(grantDiscountEnabled: boolean) {
  features += 1;
  const product = await shop.product();
  const { id: billableMetricId } = await shop.metric({ productId: product.id });
  const feature = await shop.create('/v0/features', {
    ...{ key: `calls-${features}`, name: 'Calls', productId: product.id, type: 'metered' },
  });
  const price = await shop.usagePrice({
    billableMetricId,
    grantDiscountEnabled,
    feature: {
      featureId: feature.id,
      entitlementTemplate: {
        type: 'metered',
        usagePeriod: { interval: 'P1M' },
        issueAfterReset: 100,
        isSoftLimit: true,
      },
    },
  });
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(await shop.plan([price], { productId: product.id }), { clock });
  return { clock, subscription };
}

/**
 * Two prices at 1.00 a unit, of events `call` and `search`, by their cadences: both are covered by the same 100 units a
 * month.
 */
async function sharing(cadences: readonly [string, string]) {
  features += 1;
  const product = await shop.product();
  const feature = await shop.create('/v0/features', {
    ...{ key: `calls-${features}`, name: 'Calls', productId: product.id, type: 'metered' },
  });
  const metrics = [
    await shop.metric({ productId: product.id }),
    await shop.metric({ productId: product.id, eventType: 'search' }),
  ];
  const entitlementTemplate = {
    ...{ type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 100, isSoftLimit: true },
    billableMetricIds: metrics.map(({ id }) => id),
  };
  const prices = [];
  for (const [index, { id: billableMetricId }] of metrics.entries())
    prices.push(
      await shop.usagePrice({
        billableMetricId,
        grantDiscountEnabled: true,
        billingCadence: cadences[index],
        feature: { featureId: feature.id, entitlementTemplate },
      }),
    );
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(await shop.plan(prices, { productId: product.id }), { clock });
  return { clock, subscription };
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const shown = ({ lines }: Resource) =>
  lines.map((line: Resource) => `${line.type} ${line.quantity} = ${line.totalPrice}`);

describe('a price with grantDiscountEnabled', () => {
  it('bills only uncovered units, and shows the covered ones; a month later again', async () => {
    const { clock, subscription } = await subscribed(true);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 130);
    await shop.use(subscription.id, '2026-02-10T00:00:00Z', 40);
    expect(shown((await shop.invoices(subscription))[0])).toEqual(['charge 30 = 30.00', 'grants 100 = 0.00']);
    await shop.advance(clock, '2026-03-15T00:00:00Z');
    const [january, february] = await shop.invoices(subscription);
    expect(shown(january)).toEqual(['charge 30 = 30.00', 'grants 100 = 0.00']);
    expect(january.lines[1]).toMatchObject({ eventType: 'discount', invoiceDisplayName: 'Calls: covered by grants' });
    expect(shown(february)).toEqual(['charge 0 = 0.00', 'grants 40 = 0.00']);
  });

  it('a late event recomputes both: what grants still cover of it is not billed', async () => {
    const { clock, subscription } = await subscribed(true);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 90);
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 25); // 10 of them are covered
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const [january, february] = await shop.invoices(subscription);
    expect(shown(january)).toEqual(['charge 0 = 0.00', 'grants 90 = 0.00']);
    expect(shown(february)).toEqual(['charge 0 = 0.00', 'late_usage 15 = 15.00']);
  });

  // 160 were used in January, and 100 of them covered; 300 in February.
  it.each<{ what: string; later: (entitlement: string) => Promise<unknown>; february: string[] }>([
    {
      what: 'a grant as of the past',
      later: (id) => shop.create(`/v1/entitlements/${id}/grants`, { amount: 50, effectiveAt: '2026-01-05T00:00:00Z' }),
      february: ['charge 200 = 200.00', 'grants 100 = 0.00', 'late_usage -50 = -50.00'],
    },
    {
      what: 'a grant as of the past that recurs each week',
      later: (id) =>
        shop.create(`/v1/entitlements/${id}/grants`, {
          ...{ amount: 20, effectiveAt: '2026-01-20T00:00:00Z', recurrencePeriod: 'P1W' },
        }),
      // January: 20 on the 20th and 20 on the 27th. February: 20 that are there on the 20th, and 20 on the 24th.
      february: ['charge 160 = 160.00', 'grants 140 = 0.00', 'late_usage -40 = -40.00'],
    },
    {
      what: 'a purchase as of the past',
      later: async (id) => {
        const { paymentSessions } = await shop.create(`/v1/entitlements/${id}/grants/purchase`, {
          ...{ amount: 60, price: '5.00', idempotencyKey: id, effectiveAt: '2026-01-31T00:00:00Z' },
        });
        const session = paymentSessions[0].url.split('/').at(-1);
        await shop.act(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_ok' });
      },
      february: ['charge 200 = 200.00', 'grants 100 = 0.00', 'late_usage -60 = -60.00'],
    },
    {
      what: 'a grant as of the end of the month, for what is used after it,',
      later: (id) => shop.create(`/v1/entitlements/${id}/grants`, { amount: 50, effectiveAt: '2026-02-01T00:00:00Z' }),
      february: ['charge 150 = 150.00', 'grants 150 = 0.00'],
    },
  ])('$what changes what is billed of the past, without any event', async ({ later, february }) => {
    const { clock, subscription } = await subscribed(true);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 160);
    await shop.use(subscription.id, '2026-02-20T00:00:00Z', 300);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    const [{ entitlementId }] = (await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`)).data;
    await later(entitlementId);
    await shop.advance(clock, '2026-03-15T00:00:00Z');
    const months = (await shop.invoices(subscription)).filter(({ billingCadence }) => billingCadence === 'P1M');
    expect(shown(months[0])).toEqual(['charge 60 = 60.00', 'grants 100 = 0.00']);
    expect(shown(months[1])).toEqual(february);
  });

  it('beside another one of the same entitlement: each unit that was burnt leaves only one of them', async () => {
    const { clock, subscription } = await sharing(['P1M', 'P1M']);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 70);
    await shop.use(subscription.id, '2026-01-11T00:00:00Z', 60, { type: 'search' });
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    expect(shown((await shop.invoices(subscription))[0])).toEqual([
      ...['charge 0 = 0.00', 'grants 70 = 0.00'],
      ...['charge 30 = 30.00', 'grants 30 = 0.00'],
    ]);
  });

  it('beside one that is billed each quarter: what the months took off their price, the quarter charges', async () => {
    const { clock, subscription } = await sharing(['P1M', 'P3M']);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 70);
    await shop.use(subscription.id, '2026-01-11T00:00:00Z', 60, { type: 'search' }); // 30 of them are covered
    await shop.use(subscription.id, '2026-02-11T00:00:00Z', 120, { type: 'search' }); // 100 of them are
    await shop.use(subscription.id, '2026-03-10T00:00:00Z', 90); // at one instant with the quarter's end
    await shop.use(subscription.id, '2026-03-11T00:00:00Z', 90, { type: 'search' }); // 10 of them are
    await shop.advance(clock, '2026-04-15T00:00:00Z');
    const closed = (await shop.invoices(subscription)).filter(({ status }) => status !== 'ACTIVE');
    const units = (type: string) =>
      closed.flatMap(({ lines }) =>
        lines.filter((line: Resource) => line.type === type).map(({ quantity }: Resource) => quantity),
      );
    expect(sum(units('grants'))).toBe(100 + 100 + 100);
    expect(sum(units('charge'))).toBe(70 + 60 + 120 + 90 + 90 - 300);
  });

  it('beside one that is billed each week, also where usage comes late', async () => {
    const { clock, subscription } = await sharing(['P1M', 'P1W']);
    await shop.use(subscription.id, '2026-01-03T00:00:00Z', 30, { type: 'search' });
    await shop.use(subscription.id, '2026-01-30T00:00:00Z', 100); // 70 of them are covered
    // in the week that ends in February
    await shop.use(subscription.id, '2026-01-30T12:00:00Z', 20, { type: 'search' });
    await shop.use(subscription.id, '2026-02-03T00:00:00Z', 5, { type: 'search' });
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    await shop.use(subscription.id, '2026-01-02T00:00:00Z', 50, { type: 'search' });
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    const invoices = (await shop.invoices(subscription)).filter(({ status }) => status !== 'ACTIVE');
    const billed = invoices.flatMap(({ lines }) => lines).filter(({ type }: Resource) => type !== 'grants');
    // 100 of January's 200 units are covered, and February's 5
    expect(sum(billed.map(({ totalPrice }: Resource) => Number(totalPrice)))).toBe(100);
  });

  it('without it grants decide access, never the bill', async () => {
    const { clock, subscription } = await subscribed(false);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 130);
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    expect(shown((await shop.invoices(subscription))[0])).toEqual(['charge 130 = 130.00']);
  });
});
