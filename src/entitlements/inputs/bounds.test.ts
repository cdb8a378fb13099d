import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../../../test/support/cases.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../../test/support/shop.ts';

/** Questions about distant instants are answered by arithmetic, or refused; none is a fault. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let metric: Resource;
beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-03-10T00:00:00Z');
  merchant = await env.merchant();
  shop = shopOf(merchant);
  metric = await shop.metric();
});
afterAll(() => env.close());

const FAR = '2199-12-31T00:00:00Z';
const DAILY = { type: 'metered', usagePeriod: { interval: 'P1D' }, issueAfterReset: 5 };
const ROLLING = { ...DAILY, resetMaxRollover: 999999999999 };

let features = 0;
async function ask(template: Record<string, unknown>, fields: Record<string, unknown> = {}) {
  features += 1;
  const feature = await shop.create('/v0/features', {
    key: `feature-${features}`,
    name: 'Feature',
    productId: metric.productId,
    type: 'metered',
  });
  const customer = await shop.customer();
  const body = {
    customerId: customer.id,
    featureId: feature.id,
    template: { ...template, billableMetricIds: [metric.id] },
    ...fields,
  };
  return { customer, answer: await merchant.post('/v1/entitlements', body) };
}
async function entitle(template: Record<string, unknown>, fields: Record<string, unknown> = {}) {
  const { customer, answer } = await ask(template, fields);
  expect(answer.status).toBe(201);
  return { customer, id: answer.body.id as string };
}

describe('a balance two centuries ahead', () => {
  it.each([
    { what: 'of what rolls over is what was issued', template: ROLLING, balance: 5 * 63484 },
    { what: 'of what does not is the last of it', template: DAILY, balance: 5 },
    {
      what: 'of what rolls over in part is the bound and the last',
      template: { ...DAILY, resetMaxRollover: 2 },
      balance: 2 * 63483 + 5,
    },
    { what: 'without an allowance is nothing', template: { ...DAILY, issueAfterReset: undefined }, balance: 0 },
    { what: 'by the month', template: { ...ROLLING, usagePeriod: { interval: 'P1M' } }, balance: 5 * 2086 },
  ])('$what', async ({ template, balance }) => {
    const { id } = await entitle(template);
    const answer = await merchant.get(`/v1/entitlements/${id}?at=${FAR}`);
    expect(answer).toMatchObject({ status: 200, body: { balance, usageInPeriod: 0 } });
  });

  it('counts what was used before, in the list and in the access too', async () => {
    const { id, customer } = await entitle(ROLLING);
    await shop.use(customer.id, '2026-03-12T10:00:00Z', 7);
    await shop.use(customer.id, '2081-06-01T10:00:00Z', 100);
    const balance = 5 * 63484 - 107;
    const one = await merchant.get(`/v1/entitlements/${id}?at=${FAR}`);
    const list = await merchant.get(`/v1/entitlements?customerId=${customer.id}&at=${FAR}`);
    const access = await merchant.get(`/v1/customers/${customer.id}/access?at=${FAR}`);
    expect([one.body.balance, list.body.data[0].balance, access.body.features[0].balance]).toEqual([
      balance,
      balance,
      balance,
    ]);
  });

  it('is the end of a history', async () => {
    const { id, customer } = await entitle(DAILY);
    await shop.use(customer.id, '2081-06-01T10:00:00Z', 100);
    const history = await merchant.get(
      `/v1/entitlements/${id}/history?from=2081-06-01T00:00:00Z&to=2081-06-03T00:00:00Z`,
    );
    const shown = history.body.windows.map((each: Record<string, number>) => [
      each.usage,
      each.overage,
      each.balanceAtEnd,
    ]);
    expect([history.status, shown]).toEqual([
      200,
      [
        [100, 95, 0],
        [0, 0, 5],
      ],
    ]);
  });

  it('of a grant that recurs each day', async () => {
    const { id } = await entitle({ type: 'metered' });
    const body = { amount: 3, recurrencePeriod: 'P1D' };
    expect((await merchant.post(`/v1/entitlements/${id}/grants`, body)).status).toBe(201);
    expect((await merchant.get(`/v1/entitlements/${id}?at=${FAR}`)).body.balance).toBe(3);
  });

  it('is refused where more happens before it than is counted, with the number', async () => {
    const { id, customer } = await entitle(DAILY);
    const body = { amount: 3, recurrencePeriod: 'P1D', effectiveAt: '2026-03-10T12:00:00Z' };
    await merchant.post(`/v1/entitlements/${id}/grants`, body);
    const refusal = {
      status: 400,
      body: { errors: [{ field: 'at', message: expect.stringMatching(/^needs more than 10000 steps/) }] },
    };
    for (const path of [`/v1/entitlements/${id}?at=${FAR}`, `/v1/customers/${customer.id}/access?at=${FAR}`])
      expect(await merchant.get(path), path).toMatchObject(refusal);
    const history = `/v1/entitlements/${id}/history?from=2199-12-01T00:00:00Z&to=${FAR}`;
    expect(await merchant.get(history)).toMatchObject({ status: 400, body: { errors: [{ field: 'to' }] } });
    expect((await merchant.get(`/v1/entitlements/${id}?at=2027-01-01T00:00:00Z`)).status).toBe(200);
  });
});

describe('what begins long ago', () => {
  it('is an entitlement of some thousand resets at most', async () => {
    const { answer } = await ask(ROLLING, { activeFrom: '2000-01-01T00:00:00Z' });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        errors: [
          { field: 'activeFrom', message: expect.stringMatching(/^lies 9565 steps .* at most 5000 are possible$/) },
        ],
      },
    });
    const { id } = await entitle(ROLLING, { activeFrom: '2015-01-01T00:00:00Z' });
    expect((await merchant.get(`/v1/entitlements/${id}`)).body.balance).toBe(5 * 4087);
    expect(
      (await ask({ ...DAILY, usagePeriod: { interval: 'P1M' } }, { activeFrom: '2000-01-01T00:00:00Z' })).answer.status,
    ).toBe(201);
  });

  it('is a grant whose recurrences until now can be counted', async () => {
    const { id } = await entitle({ type: 'metered' }, { activeFrom: '2000-01-01T00:00:00Z' });
    const body = { amount: 3, recurrencePeriod: 'P1D', effectiveAt: '2000-01-01T00:00:00Z' };
    expect((await merchant.post(`/v1/entitlements/${id}/grants`, body)).status).toBe(201);
    const refused = await merchant.post(`/v1/entitlements/${id}/grants`, body);
    expect(refused.body.errors).toMatchObject([{ field: 'effectiveAt' }]);
    expect((await merchant.get(`/v1/entitlements/${id}`)).body.balance).toBe(3);
  });
});

it('any instant is answered or refused', async () => {
  const instant = fc
    .integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2199, 11, 31) })
    .map((at) => new Date(at).toISOString());
  const interval = fc.constantFrom('P1D', 'P2D', 'P1W', 'P1M', 'P7M', 'P1Y');
  const question = fc.record({
    interval,
    activeFrom: fc.option(instant, { nil: undefined }),
    ats: fc.array(instant, { minLength: 2, maxLength: 2 }),
    rollover: fc.constantFrom(0, 3, 999999999999),
    preserve: fc.boolean(),
    recurrence: fc.option(interval, { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(question, async ({ interval: length, activeFrom, ats, rollover, preserve, recurrence }) => {
      const template = {
        ...DAILY,
        usagePeriod: { interval: length },
        resetMaxRollover: rollover,
        preserveOverageAtReset: preserve,
      };
      const { answer, customer } = await ask(template, activeFrom === undefined ? {} : { activeFrom });
      expect([201, 400]).toContain(answer.status);
      if (answer.status !== 201) return;
      const { id } = answer.body;
      if (recurrence !== undefined) {
        const body = { amount: 2, recurrencePeriod: recurrence, effectiveAt: ats[0] };
        expect([201, 400]).toContain((await merchant.post(`/v1/entitlements/${id}/grants`, body)).status);
      }
      await shop.use(customer.id, '2026-03-09T00:00:00Z', 12);
      for (const at of ats)
        for (const path of [`/v1/entitlements/${id}?at=${at}`, `/v1/customers/${customer.id}/access?at=${at}`])
          expect([200, 400], path).toContain((await merchant.get(path)).status);
      expect((await merchant.get(`/v1/entitlements/${id}`)).status).toBe(200);
    }),
    cases(3, 8),
  );
});
