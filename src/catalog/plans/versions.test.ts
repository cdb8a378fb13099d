import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Merchant,
  sharedEnvironment,
  type TestEnvironment,
} from '../../../test/support/environment.ts';
import { sql } from '../../db/index.ts';
import { defaultVersionOf, findPlan, findPlanVersion, findPlanVersionByNumber } from '../index.ts';
import { type Builder, builderFor, failingFields } from '../testing/build.ts';

let env: TestEnvironment;
let merchant: Merchant;
let build: Builder;
let productId: string;
let metricId: string;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  build = builderFor(merchant);
  productId = await build.product();
  metricId = await build.metric(productId);
});
afterAll(() => env.close());

const price = () => build.metricPrice(metricId);
const idsOf = (answer: Answer): string[] => answer.body.prices.map(({ id }: { id: string }) => id);

/** A plan with some prices, and calls on its versions. */
async function planWith(count: number) {
  const prices: string[] = [];
  for (let n = 0; n < count; n += 1) prices.push(await price());
  const { id } = await build.plan(productId, { prices });
  const path = `/v0/plans/${id}/versions`;
  return {
    id,
    prices,
    get: async () => (await merchant.get(`/v0/plans/${id}`)).body,
    post: (body?: object) => merchant.post(path, body),
    list: (query = '') => merchant.get(`${path}${query}`),
    version: (number: number | string) => merchant.get(`${path}/${number}`),
    patch: (number: number, body: object) => merchant.patch(`${path}/${number}`, body),
  };
}

describe('POST /v0/plans/{id}/versions', () => {
  it('publishes the next version, makes it the default, and leaves the one before as it was', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const plan = await planWith(2);
    const [first, second] = plan.prices as [string, string];
    const before = await plan.version(1);
    env.setNow('2026-04-01T00:00:00Z');
    const [added, replacement] = [await price(), await price()];
    const made = await plan.post({
      addPrices: [added],
      replacePrices: [{ replacesPriceId: first, withPriceId: replacement }],
    });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^pver_[0-9A-Za-z]{22}$/),
      object: 'plan_version',
      versionNumber: 2,
      status: 'published',
      publishedAt: '2026-04-01T00:00:00Z',
      isDefault: true,
      subscriptionCount: 0,
      basedOnVersionId: before.body.id,
      minimumAmount: null,
      currencyMinimums: {},
      trialRequiresPaymentMethod: false,
      trialEndBehavior: 'invoice',
      createdAt: '2026-04-01T00:00:00Z',
      updatedAt: '2026-04-01T00:00:00Z',
      prices: expect.any(Array),
    });
    expect(idsOf(made)).toEqual([replacement, second, added]);
    expect(made.body.prices[0]).toEqual({
      ...(await merchant.get(`/v0/prices/${replacement}`)).body,
      priceDeleted: false,
    });
    expect((await plan.version(2)).body).toEqual(made.body);
    expect((await plan.version(1)).body).toEqual({ ...before.body, isDefault: false });
    const shown = await plan.get();
    expect(shown.defaultVersionId).toBe(made.body.id);
    expect(shown.prices.map(({ id }: { id: string }) => id)).toEqual([replacement, second, added]);
  });

  it('leaves a draft with publish: false, on which the plan does not stand', async () => {
    const plan = await planWith(1);
    const added = await price();
    const made = await plan.post({ addPrices: [added], publish: false });
    expect(made).toMatchObject({ status: 201, body: { status: 'draft', isDefault: false, versionNumber: 2 } });
    expect(made.body).not.toHaveProperty('publishedAt');
    expect((await plan.get()).prices).toHaveLength(1);
    // based on 1
    expect(await plan.post({ addPrices: [added] })).toMatchObject({ status: 201, body: { versionNumber: 3 } });
  });

  it('keeps the commitment of the version before, unless it says another one', async () => {
    const plan = await planWith(1);
    expect((await plan.version(1)).body.minimumAmount).toBeNull();
    expect(await plan.post({ minimumAmount: '500.00' })).toMatchObject({ status: 201, body: { minimumAmount: '500' } });
    expect((await plan.get()).minimumAmount).toBe('500');
    expect((await plan.post({ addPrices: [await price()] })).body.minimumAmount).toBe('500');
    expect((await plan.post({ minimumAmount: 250.5 })).body.minimumAmount).toBe('250.5');
    expect((await plan.post({ minimumAmount: null, addPrices: [await price()] })).body.minimumAmount).toBe('250.5');
    expect((await plan.post({ minimumAmount: '0' })).body.minimumAmount).toBe('0');
    expect((await plan.get()).minimumAmount).toBe('0');
    const { data } = (await plan.list()).body;
    expect(data.map((version: Answer['body']) => version.minimumAmount)).toEqual([
      '0',
      '250.5',
      '250.5',
      '500',
      '500',
      null,
    ]);
  });

  it('refuses a commitment that is the one before, and one that is no amount of the currency', async () => {
    const plan = await planWith(1);
    expect(failingFields(await plan.post({ minimumAmount: null }))).toEqual(['addPrices']);
    await plan.post({ minimumAmount: '10' });
    expect(failingFields(await plan.post({ minimumAmount: '10.00' }))).toEqual(['addPrices']);
    for (const minimumAmount of ['-1', '10.005', 'ten', '', true, {}])
      expect(failingFields(await plan.post({ minimumAmount }))).toEqual(['minimumAmount']);
    expect((await plan.list()).body.pagination.total).toBe(2);
  });

  it('refuses an empty diff and a version without a price', async () => {
    const plan = await planWith(1);
    const [only = ''] = plan.prices;
    expect(failingFields(await plan.post({}))).toEqual(['addPrices']);
    expect(failingFields(await plan.post())).toEqual(['addPrices']);
    expect(failingFields(await plan.post({ publish: false }))).toEqual(['addPrices']);
    expect(failingFields(await plan.post({ replacePrices: [{ replacesPriceId: only, withPriceId: only }] }))).toEqual([
      'addPrices',
    ]);
    expect(failingFields(await plan.post({ removePrices: [only] }))).toEqual(['removePrices']);
    expect(failingFields(await plan.post({ addPrices: [only] }))).toEqual(['addPrices.0']);
    expect(failingFields(await plan.post({ removePrices: [await price()] }))).toEqual(['removePrices.0']);
    expect((await plan.list()).body.pagination.total).toBe(1);
  });

  it.each([
    { body: { addPrices: 'price_a' }, failing: ['addPrices'] },
    { body: { addPrices: ['plan_a'] }, failing: ['addPrices.0'] },
    { body: { addPrices: ['price_a', 'price_a'] }, failing: ['addPrices'] },
    { body: { replacePrices: [{ replacesPriceId: 'price_a' }] }, failing: ['replacePrices.0.withPriceId'] },
    { body: { replacePrices: [['a', 'b']] }, failing: ['replacePrices.0'] },
    { body: { publish: 'no' }, failing: ['publish'] },
    { body: { prices: [] }, failing: ['prices'] },
  ])('is a 400 for $body', async ({ body, failing }) => {
    expect(failingFields(await (await planWith(1)).post(body))).toEqual(failing);
  });

  it('is a 404 for a price that was deleted', async () => {
    const gone = await price();
    await merchant.delete(`/v0/prices/${gone}`);
    const plan = await planWith(1);
    expect(await plan.post({ addPrices: [gone] })).toMatchObject({
      status: 404,
      body: { details: { field: 'addPrices.0' } },
    });
  });

  it('is a 400 where a price carries a feature with another template than one that stays', async () => {
    const featureId = await build.feature(productId);
    const carrying = (isSoftLimit: boolean) =>
      build.metricPrice(metricId, { feature: { featureId, entitlementTemplate: { type: 'metered', isSoftLimit } } });
    const [soft, hard] = [await carrying(true), await carrying(false)];
    const plan = await planWith(1);
    expect(await plan.post({ addPrices: [soft] })).toMatchObject({ status: 201 });
    expect(failingFields(await plan.post({ addPrices: [hard] }))).toEqual(['addPrices.0']);
    const replace = { replacePrices: [{ replacesPriceId: plan.prices[0], withPriceId: hard }] };
    expect(failingFields(await plan.post(replace))).toEqual(['replacePrices.0.withPriceId']);
    const swap = { replacePrices: [{ replacesPriceId: soft, withPriceId: hard }] };
    expect(await plan.post(swap)).toMatchObject({ status: 201 });
  });

  it('gives consecutive numbers to versions that come at once, each based on the one before', async () => {
    const plan = await planWith(1);
    const added = await Promise.all(Array.from({ length: 8 }, price));
    const answers = await Promise.all(added.map((id) => plan.post({ addPrices: [id] })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    const byNumber = answers.map(({ body }) => body).toSorted((a, b) => a.versionNumber - b.versionNumber);
    expect(byNumber.map(({ versionNumber }) => versionNumber)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    for (const [index, version] of byNumber.entries()) {
      expect(version.basedOnVersionId).toBe(index === 0 ? (await plan.version(1)).body.id : byNumber[index - 1].id);
      expect(version.prices).toHaveLength(index + 2);
    }
    expect((await plan.get()).defaultVersionId).toBe(byNumber.at(-1).id);
  });

  it('lets one of two at once take a price: the other finds it there', async () => {
    const plan = await planWith(1);
    const body = { addPrices: [await price()] };
    const answers = await Promise.all([plan.post(body), plan.post(body)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    expect((await plan.list()).body.pagination.total).toBe(2);
  });
});

describe('GET versions', () => {
  it('lists them newest first, without their prices, page by page', async () => {
    const plan = await planWith(1);
    for (let n = 0; n < 4; n += 1) await plan.post({ addPrices: [await price()] });
    const { body } = await plan.list();
    expect(body.data.map(({ versionNumber }: { versionNumber: number }) => versionNumber)).toEqual([5, 4, 3, 2, 1]);
    expect(body.data[0]).not.toHaveProperty('prices');
    expect(body.data.filter(({ isDefault }: { isDefault: boolean }) => isDefault)).toHaveLength(1);
    expect((await plan.list('?limit=2&offset=3')).body).toMatchObject({
      data: [{ versionNumber: 2 }, { versionNumber: 1 }],
      pagination: { limit: 2, offset: 3, total: 5, nextAfter: null },
    });
  });

  it.each(['0', '2', '-1', '1.0', '01', 'one', '99999999999999999999', '1%00', 'pver_a'])(
    'has no version %s: 404',
    async (number) => {
      expect(await (await planWith(1)).version(number)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    },
  );
});

describe('PATCH a version', () => {
  it('publishes a draft, and makes it the default when asked', async () => {
    const plan = await planWith(1);
    await plan.post({ addPrices: [await price()], publish: false });
    expect(await plan.patch(2, { default: true })).toMatchObject({
      status: 409,
      body: { code: 'VERSION_NOT_PUBLISHED' },
    });
    env.setNow('2026-06-01T00:00:00Z');
    const published = await plan.patch(2, { status: 'published' });
    expect(published).toMatchObject({
      status: 200,
      body: { status: 'published', publishedAt: '2026-06-01T00:00:00Z', isDefault: false },
    });
    env.setNow('2026-06-02T00:00:00Z');
    expect((await plan.patch(2, { status: 'published' })).body).toEqual(published.body); // repeated: no change
    expect(await plan.patch(2, { default: true })).toMatchObject({ status: 200, body: { isDefault: true } });
    expect((await plan.get()).defaultVersionId).toBe(published.body.id);
    // and back
    expect(await plan.patch(1, { default: true })).toMatchObject({ status: 200, body: { isDefault: true } });
  });

  it('archives for good, but never the default', async () => {
    const plan = await planWith(1);
    await plan.post({ addPrices: [await price()] });
    expect(await plan.patch(2, { status: 'archived' })).toMatchObject({
      status: 409,
      body: { error: 'conflict', code: 'VERSION_IS_DEFAULT' },
    });
    expect(await plan.patch(1, { status: 'archived', default: true })).toMatchObject({ status: 409 });
    expect(await plan.patch(1, { status: 'archived' })).toMatchObject({ status: 200, body: { status: 'archived' } });
    expect(await plan.patch(1, { status: 'published' })).toMatchObject({
      status: 409,
      body: { code: 'INVALID_TRANSITION', details: { status: 'archived', trigger: 'publish' } },
    });
    expect(await plan.patch(1, { default: true })).toMatchObject({
      status: 409,
      body: { code: 'VERSION_NOT_PUBLISHED' },
    });
  });

  it.each([
    { body: { status: 'draft' }, failing: ['status'] },
    { body: { status: 'deleted' }, failing: ['status'] },
    { body: { default: false }, failing: ['default'] },
    { body: { addPrices: [] }, failing: ['addPrices'] }, // a version never changes
    { body: { versionNumber: 7 }, failing: ['versionNumber'] },
  ])('is a 400 for $body', async ({ body, failing }) => {
    expect(failingFields(await (await planWith(1)).patch(1, body))).toEqual(failing);
  });

  it('is a 404 for a number that the plan does not have', async () => {
    expect(await (await planWith(1)).patch(2, { default: true })).toMatchObject({ status: 404 });
  });

  it('of archiving a version and making it the default at once, one is refused', async () => {
    for (let round = 0; round < 6; round += 1) {
      const plan = await planWith(1);
      await plan.post({ addPrices: [await price()] });
      const [archived, defaulted] = await Promise.all([
        plan.patch(1, { status: 'archived' }),
        plan.patch(1, { default: true }),
      ]);
      expect([archived.status, defaulted.status].toSorted()).toEqual([200, 409]);
      const { status, isDefault } = (await plan.version(1)).body;
      expect(status === 'archived' && isDefault).toBe(false);
    }
  });
});

describe('what a version holds', () => {
  it('can be changed by no statement', async () => {
    const plan = await planWith(1);
    const { body } = await plan.version(1);
    for (const statement of [
      sql`delete from plan_version_price where version_id = ${body.id}`,
      sql`update plan_version_price set position = 9 where version_id = ${body.id}`,
    ])
      await expect(env.database.transaction({ merchants: [merchant.id] }, (tx) => tx.run(statement))).rejects.toThrow(
        /permission denied/,
      );
  });

  it('other domains find with all that rating needs, whatever was deleted since', async () => {
    const itemId = await build.item({ catalogId: productId });
    const metric = await build.metric(productId, {
      itemId,
      unit: 'token',
      taxRate: 5,
      groupBy: { region: '$.region' },
    });
    const feeId = await build.fee(productId, { name: 'Seat' });
    const featureId = await build.feature(productId, { key: 'rated' });
    const usage = await build.metricPrice(metric, {
      groupFilters: { region: ['eu'] },
      minimumAmount: '10',
      taxRate: 7,
      feature: { featureId, entitlementTemplate: { type: 'metered' } },
    });
    const seats = await build.feePrice(feeId, { quantity: 3, billingCadence: 'P12M', paymentTerm: 'in_advance' });
    const { id: planId } = await build.plan(productId, { prices: [usage, seats], billingCadence: 'P3M' });
    await merchant.post(`/v0/plans/${planId}/versions`, { removePrices: [seats] });
    await merchant.patch(`/v0/plans/${planId}/versions/1`, { status: 'archived' });
    expect(await merchant.delete(`/v0/prices/${seats}`)).toMatchObject({ status: 204 });
    expect(await merchant.delete(`/v0/fees/${feeId}`)).toMatchObject({ status: 204 });

    await env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
      const plan = await findPlan(tx, planId);
      expect(plan).toMatchObject({ id: planId, currency: 'USD', billingCadence: 'P3M', gracePeriod: 'PT0S' });
      const first = await findPlanVersionByNumber(tx, planId, 1);
      expect(first).toMatchObject({ planId, versionNumber: 1, status: 'archived' });
      expect(first?.prices).toMatchObject([
        {
          id: usage,
          paymentTerm: 'in_arrears',
          pricing: { model: 'standard', properties: { unitPrice: '0.000003' } },
          billingCadence: null,
          metric: {
            id: metric,
            name: 'Tokens',
            unit: 'token',
            itemId,
            meter: {
              eventType: 'llm',
              aggregation: 'SUM',
              valueProperty: '$.tokens',
              groupBy: { region: '$.region' },
              eventFrom: null,
            },
          },
          fee: null,
          itemId,
          groupFilters: { region: ['eu'] },
          features: [{ featureId, feature: { key: 'rated' } }],
          deletedAt: null,
        },
        {
          id: seats,
          paymentTerm: 'in_advance',
          billingCadence: 'P1Y', // normalised
          metric: null,
          fee: { id: feeId, name: 'Seat' },
          itemId: null,
        },
      ]);
      const [usagePrice, seatPrice] = first?.prices ?? [];
      expect(usagePrice?.minimumAmount?.toFixed()).toBe('10');
      expect(usagePrice?.taxRate?.toFixed()).toBe('7');
      expect(usagePrice?.metric?.taxRate?.toFixed()).toBe('5');
      expect(seatPrice?.quantity.toFixed()).toBe('3');
      expect(seatPrice?.deletedAt).not.toBeNull();
      const current = plan && (await defaultVersionOf(tx, plan));
      expect(current?.versionNumber).toBe(2);
      expect(current?.prices.map(({ id }) => id)).toEqual([usage]);
      expect((await findPlanVersion(tx, first?.id ?? ''))?.id).toBe(first?.id);
      expect(await findPlanVersion(tx, 'pver_unknown')).toBeUndefined();
      expect(await findPlan(tx, 'plan_unknown')).toBeUndefined();
      expect(await findPlanVersionByNumber(tx, planId, 9)).toBeUndefined();
    });
  });
});
