import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Resource, START, shopOf } from '../../../test/support/shop.ts';

/** The fate of an event, over HTTP. */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

const IN_JANUARY = '2026-01-10T00:00:00Z';

async function openStory(metricFields: Record<string, unknown> = {}, priceFields: Record<string, unknown> = {}) {
  const shop = shopOf(await env.merchant());
  const metric = await shop.metric(metricFields);
  const price = await shop.usagePrice({ billableMetricId: metric.id, ...priceFields });
  const plan = await shop.plan([price]);
  const clock = await shop.clock(START);
  const customer = await shop.customer({ externalId: 'acme' });
  const outcome = async ({ id }: Resource) => (await shop.read(`/v0/events/${id}`)).outcome;
  return { shop, metric, price, plan, clock, customer, outcome };
}

describe('an event that counts', () => {
  it('says on which open invoice it stands, and on which line once there is one', async () => {
    const { shop, metric, price, plan, clock, customer, outcome } = await openStory({
      groupBy: { region: '$.region' },
    });
    const subscription = await shop.subscribe(plan, { clock, customer });
    const event = await shop.use(customer.id, IN_JANUARY, '2.50', { data: { units: '2.50', region: 'eu' } });
    const [open] = await shop.invoices(subscription);
    const where = {
      billableMetricId: metric.id,
      priceId: price.id,
      subscriptionId: subscription.id,
      invoiceId: open.id,
      invoiceStatus: 'ACTIVE',
      lineItemId: null,
    };
    const counts = [{ id: metric.id, value: 2.5, group: { region: 'eu' } }];
    expect(await outcome(event)).toEqual({ counts, billing: [where] });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [issued] = await shop.invoices(subscription);
    expect(issued.status).toBe('ISSUED');
    expect(await outcome(event)).toEqual({
      counts,
      billing: [{ ...where, invoiceStatus: 'ISSUED', lineItemId: issued.lines[0].id }],
    });
  });

  it('that came after its period was read says so; one that came in time keeps its line', async () => {
    const { shop, plan, clock, customer, outcome } = await openStory();
    const subscription = await shop.subscribe(plan, { clock, customer });
    const inTime = await shop.use(customer.id, IN_JANUARY, 1);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const late = await shop.use(customer.id, IN_JANUARY, 2);
    const [issued] = await shop.invoices(subscription);
    expect((await outcome(inTime)).billing).toMatchObject([{ invoiceId: issued.id, lineItemId: issued.lines[0].id }]);
    expect(await outcome(late)).toMatchObject({
      billing: [{ invoiceId: issued.id, invoiceStatus: 'ISSUED', lineItemId: null, reason: 'PERIOD_CLOSED' }],
      reason: 'PERIOD_CLOSED',
    });
  });

  it('of a customer of two subscriptions is the older one’s, and the younger one’s line says why not', async () => {
    const { shop, plan, clock, customer, outcome } = await openStory();
    const older = await shop.subscribe(plan, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    const toCustomer = await outcome(await shop.use(customer.id, IN_JANUARY, 1));
    expect(toCustomer.reason).toBeUndefined();
    expect(toCustomer.billing.map(({ subscriptionId, reason }: Resource) => [subscriptionId, reason])).toEqual([
      [older.id, undefined],
      [younger.id, 'OLDER_SUBSCRIPTION'],
    ]);
    const toYounger = await outcome(await shop.use(younger.id, IN_JANUARY, 1));
    expect(toYounger.billing.map(({ subscriptionId, reason }: Resource) => [subscriptionId, reason])).toEqual([
      [younger.id, undefined],
    ]);
  });

  it('but that no price lets through says so', async () => {
    const { shop, plan, clock, customer, outcome } = await openStory(
      { groupBy: { region: '$.region' } },
      { groupFilters: { region: ['eu', 'uk'] } },
    );
    await shop.subscribe(plan, { clock, customer });
    const of = async (region?: string) =>
      outcome(await shop.use(customer.id, IN_JANUARY, 1, { data: { units: 1, region } }));
    expect(await of('uk')).toMatchObject({ billing: [{ lineItemId: null }] });
    expect((await of('uk')).reason).toBeUndefined();
    for (const [region, value] of [
      ['us', 'us'],
      [undefined, null],
    ] as const)
      expect(await of(region)).toMatchObject({
        counts: [{ value: 1, group: { region: value } }],
        billing: [{ reason: 'GROUP_FILTERED' }],
        reason: 'GROUP_FILTERED',
      });
  });

  it('that sets a level says whether a later one of its group has changed it before the period ended', async () => {
    const properties = { dimensions: ['region'], cells: [{ match: { region: 'eu' }, unitPrice: '2' }], default: '1' };
    const { shop, plan, clock, customer, outcome } = await openStory(
      { aggregation: 'LATEST', groupBy: { region: '$.region' } },
      { model: 'matrix', properties },
    );
    await shop.subscribe(plan, { clock, customer });
    const set = (at: string, region: string) =>
      shop.use(customer.id, at, 1, { data: { units: 1, region }, idempotencyKey: `${at} ${region}` });
    const before = await set('2025-12-10T00:00:00Z', 'eu');
    const first = await set('2026-01-10T00:00:00Z', 'eu');
    const last = await set('2026-01-11T00:00:00Z', 'eu');
    const other = await set('2026-01-09T00:00:00Z', 'us');
    await set('2026-02-02T00:00:00Z', 'us');
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    const reasons = [];
    for (const event of [before, first, last, other]) {
      const { billing, reason } = await outcome(event);
      reasons.push([billing.length, billing[0].reason, reason, typeof billing[0].lineItemId]);
    }
    expect(reasons).toEqual([
      [1, 'SUPERSEDED', 'SUPERSEDED', 'object'],
      [1, 'SUPERSEDED', 'SUPERSEDED', 'object'],
      [1, undefined, undefined, 'string'],
      [1, undefined, undefined, 'string'],
    ]);
  });

  it('that was used in a trial has no period, unless it sets a level', async () => {
    const { shop, price, clock, customer, outcome } = await openStory();
    await shop.subscribe(await shop.plan([price], { trialPeriod: 'P14D' }), { clock, customer });
    await shop.advance(clock, '2026-02-20T00:00:00Z');
    const event = await shop.use(customer.id, '2026-01-02T00:00:00Z', 1);
    expect(await outcome(event)).toMatchObject({ billing: [], reason: 'NO_PERIOD' });
  });

  it('that comes late, but before the grace is over, is billed', async () => {
    const { shop, price, clock, customer, outcome } = await openStory();
    await shop.subscribe(await shop.plan([price], { gracePeriod: 'PT48H' }), { clock, customer });
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    const event = await shop.use(customer.id, IN_JANUARY, 1);
    expect((await outcome(event)).billing).toMatchObject([{ invoiceStatus: 'CLOSING', lineItemId: null }]);
    expect((await outcome(event)).reason).toBeUndefined();
    await shop.advance(clock, '2026-02-03T00:00:00Z');
    expect((await outcome(event)).billing).toMatchObject([
      { invoiceStatus: 'ISSUED', lineItemId: expect.stringMatching(/^li_/) },
    ]);
  });

  it('for a cost alone is on no invoice', async () => {
    const { shop, plan, clock, customer, outcome } = await openStory();
    await shop.subscribe(plan, { clock, customer });
    const cost = await shop.create('/v0/costs', {
      type: 'metered',
      name: 'Tokens',
      unitCost: 1,
      currency: 'USD',
      productId: (await shop.product()).id,
      eventType: 'tokens',
      aggregation: 'SUM',
      valueProperty: '$.units',
    });
    expect(await outcome(await shop.use(customer.id, IN_JANUARY, 3, { type: 'tokens' }))).toEqual({
      counts: [{ id: cost.id, value: 3, group: {} }],
      billing: [],
      reason: 'NOT_PRICED',
    });
  });

  it('of a metric that no price of the plan is for says so', async () => {
    const { shop, clock, customer, outcome } = await openStory();
    await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock, customer });
    expect(await outcome(await shop.use(customer.id, IN_JANUARY, 1))).toMatchObject({
      billing: [],
      reason: 'NOT_PRICED',
    });
  });

  it.each([
    { when: 'before the subscription', at: '2025-12-31T23:59:59.999999Z' },
    { when: 'in a period that has not opened yet', at: '2026-02-01T00:00:00Z' },
  ])('but is of a time $when is in no period', async ({ at }) => {
    const { shop, plan, clock, customer, outcome } = await openStory();
    await shop.subscribe(plan, { clock, customer });
    expect(await outcome(await shop.use(customer.id, at, 1))).toMatchObject({ billing: [], reason: 'NO_PERIOD' });
  });

  it('is on the invoice of the period that opens at its time', async () => {
    const { shop, plan, clock, customer, outcome } = await openStory();
    const subscription = await shop.subscribe(plan, { clock, customer });
    const event = await shop.use(customer.id, '2026-02-01T00:00:00Z', 1);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [, second] = await shop.invoices(subscription);
    expect((await outcome(event)).billing).toMatchObject([{ invoiceId: second.id, invoiceStatus: 'ACTIVE' }]);
  });

  it('is billed for subscriptions on different clocks by each', async () => {
    const { shop, plan, clock, customer, outcome } = await openStory();
    const one = await shop.subscribe(plan, { clock, customer });
    const other = await shop.subscribe(plan, { clock: await shop.clock(START), customer });
    const { billing } = await outcome(await shop.use(customer.id, IN_JANUARY, 1));
    expect(billing.map(({ subscriptionId, reason }: Resource) => [subscriptionId, reason])).toEqual([
      [one.id, undefined],
      [other.id, undefined],
    ]);
  });
});

describe('an event that counts nothing', () => {
  it.each([
    { name: 'of a type that nothing measures', fields: { type: 'other' }, reason: 'UNKNOWN_TYPE', counts: [] },
    {
      name: 'without a value',
      fields: { data: { units: 'many' } },
      reason: 'NO_VALUE',
      counts: [{ group: {}, reason: 'NO_VALUE' }],
    },
    {
      name: 'at eventFrom',
      fields: { timestamp: '2026-01-05T00:00:00Z' },
      reason: 'BEFORE_EVENT_FROM',
      counts: [{ group: {}, reason: 'BEFORE_EVENT_FROM' }],
    },
    {
      name: 'for nobody whom we know',
      fields: { subject: 'nobody' },
      reason: 'UNKNOWN_SUBJECT',
      counts: [{ group: {}, value: 1 }],
    },
  ])('$name says why', async ({ fields, reason, counts }) => {
    const { shop, metric, plan, clock, customer, outcome } = await openStory({ eventFrom: '2026-01-05T00:00:00Z' });
    await shop.subscribe(plan, { clock, customer });
    const event = await shop.use(customer.id, IN_JANUARY, 1, fields);
    expect(await outcome(event)).toEqual({
      counts: counts.map((count) => ({ id: metric.id, ...count })),
      billing: [],
      reason,
    });
  });

  it('says something else as soon as its customer is there', async () => {
    const { shop, plan, clock, outcome } = await openStory();
    const event = await shop.use('', IN_JANUARY, 1, { subject: undefined, externalSubject: 'new' });
    expect((await outcome(event)).reason).toBe('UNKNOWN_SUBJECT');
    const customer = await shop.customer({ externalId: 'new' });
    expect((await outcome(event)).reason).toBe('NO_PERIOD');
    await shop.subscribe(plan, { clock, customer });
    expect((await outcome(event)).reason).toBeUndefined();
  });
});

const DAILY = { aggregation: 'PERCENTILE', percentile: '95', sampleWindow: 'P1D' };

describe('the value that an event contributes', () => {
  it.each([
    { aggregation: 'SUM', units: '"0.10"', value: '0.1' },
    { aggregation: 'MAX', units: '9007199254740993', value: '9007199254740993' },
    { aggregation: 'LATEST', units: '-1e-9', value: '-0.000000001' },
    { aggregation: 'COUNT', units: '"red"', value: '1' },
    { aggregation: 'UNIQUE_COUNT', units: '1.0', value: '"1"' },
    { ...DAILY, sampleAggregation: 'MAX', units: '2.50', value: '2.5' },
    { ...DAILY, sampleAggregation: 'COUNT', units: '"red"', value: '1' },
  ])('to $aggregation with $units is $value', async ({ units, value, ...fields }) => {
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    const metric = await shop.metric(fields);
    const customer = await shop.customer();
    const sent = await merchant.post(
      '/v0/events',
      `{"type":"call","source":"s","subject":"${customer.id}","data":{"units":${units}}}`,
    );
    const { text } = await merchant.get(`/v0/events/${sent.body.id}`);
    expect(text).toContain(`"counts":[{"id":"${metric.id}","group":{},"value":${value}}]`);
  });

  it('stands for each metric and cost of its type', async () => {
    const { shop, metric, customer, outcome } = await openStory();
    const another = await shop.metric({ aggregation: 'COUNT', valueProperty: null });
    const cost = await shop.create('/v0/costs', {
      type: 'metered',
      name: 'Calls',
      unitCost: 1,
      currency: 'USD',
      productId: (await shop.product()).id,
      eventType: 'call',
      aggregation: 'SUM',
      valueProperty: '$.bytes',
    });
    const { counts } = await outcome(await shop.use(customer.id, IN_JANUARY, 4, { data: { units: 4, bytes: 7 } }));
    expect(counts).toHaveLength(3);
    expect(counts).toEqual(
      expect.arrayContaining([
        { id: metric.id, value: 4, group: {} },
        { id: another.id, value: 1, group: {} },
        { id: cost.id, value: 7, group: {} },
      ]),
    );
  });
});

it('is visible to an operator and a viewer only', async () => {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const price = await shop.usagePrice();
  const customer = await shop.customer();
  await shop.subscribe(await shop.plan([price]), { customer, clock: await shop.clock(START) });
  const { id } = await shop.use(customer.id, IN_JANUARY, 1);
  const expected = (await merchant.get(`/v0/events/${id}`)).body.outcome;
  expect(expected.billing).toHaveLength(1);
  expect((await env.platform.get(`/v0/events/${id}`)).body.outcome).toEqual(expected);
  expect((await (await env.userOf(merchant, 'viewer')).get(`/v0/events/${id}`)).body.outcome).toEqual(expected);
  expect((await (await env.merchant()).get(`/v0/events/${id}`)).status).toBe(404);
});
