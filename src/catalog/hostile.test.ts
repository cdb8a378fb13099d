import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Builder, builderFor, FEE_PRICE, METRIC, METRIC_PRICE } from './testing/build.ts';

let env: TestEnvironment;
let merchant: Merchant;
let build: Builder;
/** A body of each operation with every field that it takes. */
let whole: Record<string, Record<string, unknown>>;

beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  build = builderFor(merchant);
  const productId = await build.product();
  const itemId = await build.item({ catalogId: productId });
  const metricId = await build.metric(productId, { groupBy: { region: '$.region' } });
  const feeId = await build.fee(productId);
  const featureId = await build.feature(productId);
  const priceId = await build.metricPrice(metricId);
  const common = { merchantId: merchant.id }; // metadata is a form of the edge, tested there
  const feature = {
    featureId,
    entitlementTemplate: {
      type: 'metered',
      usagePeriod: { interval: 'P1M', anchor: '2026-01-01T00:00:00Z' },
      isSoftLimit: true,
      issueAfterReset: 10,
      issueAfterResetPriority: 1,
      preserveOverageAtReset: true,
      resetMaxRollover: 5,
      resetMinRollover: 1,
      billableMetricIds: [metricId],
    },
  };
  whole = {
    '/v0/products': { name: 'P', description: 'D', ...common },
    '/v0/features': { key: 'a-key', name: 'F', productId, type: 'metered', ...common },
    '/v0/billableMetrics': {
      ...METRIC,
      description: 'D',
      unit: 'tokens',
      productId,
      itemId,
      groupBy: { region: '$.region' },
      eventFrom: '2026-01-01T00:00:00Z',
      taxRate: 8.875,
      merchantId: merchant.id,
    },
    '/v0/costs': {
      type: 'metered',
      ...METRIC,
      unitCost: 0.1,
      currency: 'USD',
      productId,
      unit: 'token',
      groupBy: { region: '$.region' },
      merchantId: merchant.id,
    },
    '/v0/items': { name: 'I', catalogId: productId, ...common },
    '/v0/fees': { name: 'F', description: 'D', productId, itemId, merchantId: merchant.id },
    '/v0/prices': {
      billableMetricId: metricId,
      ...METRIC_PRICE,
      model: 'graduated',
      properties: {
        tiers: [
          { upTo: '10', unitPrice: '1', flatPrice: '2' },
          { upTo: null, unitPrice: '1' },
        ],
        includedUnits: '1',
      },
      billingCadence: 'P1M',
      quantity: 1,
      minimumAmount: '1',
      maximumAmount: '2',
      taxRate: 20,
      groupFilters: { region: ['eu'] },
      grantDiscountEnabled: true,
      feature,
      merchantId: merchant.id,
    },
    '/v0/prices of a fee': { feeId, ...FEE_PRICE, quantity: 3 },
    '/v0/prices with a static feature': {
      feeId,
      ...FEE_PRICE,
      feature: {
        featureId: await build.feature(productId, { type: 'static' }),
        entitlementTemplate: { type: 'static', config: { a: [1] } },
      },
    },
    '/v0/plans': {
      name: 'P',
      productId,
      currency: 'USD',
      prices: [priceId],
      billingCadence: 'P1M',
      billingInterval: 'monthly',
      billingVersion: 1,
      description: 'D',
      invoiceDisplayName: 'N',
      billingAnchor: '2026-01-01T00:00:00Z',
      gracePeriod: 'PT1H',
      autoApprove: true,
      trialPeriod: 'P14D',
      defaultTaxCode: 'eservice',
      defaultTaxRate: 20,
      taxBehavior: 'exclusive',
      renewalReminderEnabled: true,
      renewalReminderDays: 3,
      ...common,
    },
    '/v0/externalReferences': {
      entityType: 'item',
      entityId: itemId,
      provider: 'crm',
      externalId: 'x',
      externalLabel: 'X',
      isPrimary: true,
      isDefault: true,
      ...common,
    },
  };
});
afterAll(() => env.close());

const HOSTILE: Record<string, unknown> = {
  'a NUL': 'a\0b',
  'a lone surrogate': 'a\ud800b',
  'a huge string': 'x'.repeat(100_000),
  'an empty string': '',
  'a number': 7,
  'a negative number': -1,
  '1e400': JSON.rawJSON('1e400'),
  '40 digits': JSON.rawJSON('1234567890123456789012345678901234567890'),
  '1e-400': JSON.rawJSON('1e-400'),
  'a boolean': true,
  null: null,
  'an array': ['a'],
  'an object': { a: 1 },
  'an object with hostile parts': {
    'k\0': 'v',
    'k\ud800': 1,
    constructor: { prototype: 1 },
    '': 'a\0b',
    n: JSON.rawJSON('1e400'),
  },
  'an object with a NUL key': { 'k\0': 'v' },
  'an object with a lone surrogate inside': { a: { b: ['\ud800'] } },
  'a list of hostile parts': ['a\0', 'a\udfff', JSON.rawJSON('1e400'), null, {}],
  'an unknown id': 'prod_0000000000000000000000',
  'another kind of id': 'usr_0000000000000000000000',
  'a path into a prototype': '$.__proto__.constructor',
};

const PATHS = [
  '/v0/products',
  '/v0/features',
  '/v0/billableMetrics',
  '/v0/costs',
  '/v0/items',
  '/v0/fees',
  '/v0/prices',
  '/v0/prices of a fee',
  '/v0/prices with a static feature',
  '/v0/plans',
  '/v0/externalReferences',
];

/** Every place inside a value, as a path of keys. */
function* placesIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* placesIn(inner, [...path, key]);
}

function withValueAt(body: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(body))
    return body.map((each, index) => (String(index) === key ? withValueAt(each, rest, value) : each));
  const fields = body as Record<string, unknown>;
  return { ...fields, [key]: withValueAt(fields[key], rest, value) };
}

const urlOf = (path: string): string => path.replace(/ .*/, '');

let sent = 0;

/** Makes unique fields unique, so that a 409 does not hide a 400. */
function fresh(body: unknown, place: readonly string[] = []): unknown {
  sent += 1;
  const fields = body as Record<string, unknown>;
  const unique = { key: `key-${sent}`, externalId: `id-${sent}` };
  const replaced = Object.entries(unique).filter(([field]) => field in fields && place[0] !== field);
  return { ...fields, ...Object.fromEntries(replaced) };
}

describe.each(PATHS)('POST %s', (path) => {
  it('takes the whole body', async () => {
    expect(await merchant.post(urlOf(path), fresh(whole[path]))).toMatchObject({ status: 201 });
  });

  it('answers every hostile value in every field with a 4xx that names the field, or takes it', async () => {
    const faults: string[] = [];
    for (const place of placesIn(whole[path])) {
      for (const [name, value] of Object.entries(HOSTILE)) {
        const answer = await merchant.post(urlOf(path), fresh(withValueAt(whole[path], place, value), place));
        const { status, body } = answer;
        const where = `${name} in ${place.join('.')}: ${status} ${answer.text.slice(0, 200)}`;
        if (status !== 201 && (status < 400 || status > 499)) faults.push(where);
        if (status === 400 && body.error === 'validation_error') {
          const fields: string[] = body.errors.map(({ field }: { field: string }) => field);
          // A fault of one field may be reported at another (a model and its properties), but never at none.
          if (fields.length === 0 || fields.some((field) => field === '')) faults.push(where);
        }
      }
    }
    expect(faults).toEqual([]);
  }, 120_000);

  it('names a field that it does not know, and one that reaches into a prototype', async () => {
    expect(await merchant.post(urlOf(path), { ...whole[path], colour: 'red' })).toMatchObject({
      status: 400,
      body: { error: 'validation_error', errors: [{ field: 'colour', message: 'is not a known field' }] },
    });
    const reaching = JSON.stringify(whole[path]).replace(/^\{/, '{"__proto__":{"isOperator":true},');
    expect(await merchant.post(urlOf(path), reaching)).toMatchObject({ status: 400 });
  });

  it.each(['[]', 'null', '"text"', '7', '{', '{"name":}', ''])('refuses the body %j', async (text) => {
    expect(await merchant.post(urlOf(path), text)).toMatchObject({ status: 400 });
  });
});

describe.each(PATHS.filter((path) => !path.includes(' ')))('PATCH %s', (path) => {
  it('answers every hostile value in every field with a 4xx, or takes it', async () => {
    const faults: string[] = [];
    const { body: created } = await merchant.post(path, fresh(whole[path]));
    for (const place of placesIn(whole[path])) {
      for (const [name, value] of Object.entries(HOSTILE)) {
        const [top = ''] = place;
        const change = { [top]: (withValueAt(whole[path], place, value) as Record<string, unknown>)[top] };
        const { status, text } = await merchant.patch(`${path}/${created.id}`, change);
        if (status !== 200 && (status < 400 || status > 499))
          faults.push(`${name} in ${place.join('.')}: ${status} ${text}`);
      }
    }
    expect(faults).toEqual([]);
    expect(await merchant.get(`${path}/${created.id}`)).toMatchObject({ status: 200, body: { id: created.id } });
  }, 120_000);
});
