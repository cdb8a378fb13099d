import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';

let env: TestEnvironment;
let merchant: Merchant;
let acme: string;
let beta: string;
let sum: string;
let average: string;
let latest: string;
const costs: Record<'tokens' | 'calls' | 'euro' | 'empty', string> = { tokens: '', calls: '', euro: '', empty: '' };

const RANGE = 'from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z';

const made = (answer: { status: number; body: { id: string } }): string => {
  expect(answer.status).toBe(201);
  return answer.body.id;
};

beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-03-01T12:00:00Z');
  merchant = await env.merchant();
  const productId = made(await merchant.post('/v0/products', { name: 'Model', description: 'd' }));
  const customer = async (name: string) => {
    const consumer = { name, email: `${name}@example.com`, address: { country: 'DE' } };
    return made(await merchant.post('/v0/customers', { consumer, externalId: name }));
  };
  [acme, beta] = [await customer('acme'), await customer('beta')];
  const metric = async (fields: object) =>
    made(
      await merchant.post('/v0/billableMetrics', {
        name: 'Tokens',
        description: 'd',
        unit: 'token',
        productId,
        eventType: 'tokens',
        valueProperty: '$.n',
        groupBy: { model: '$.model', region: '$.place.region' },
        ...fields,
      }),
    );
  sum = await metric({ aggregation: 'SUM' });
  average = await metric({ aggregation: 'AVG' });
  latest = await metric({ aggregation: 'LATEST', eventFrom: '2026-01-02T00:00:00Z' });
  const cost = async (name: string, fields: object) =>
    made(await merchant.post('/v0/costs', { type: 'metered', name, productId, currency: 'USD', ...fields }));
  const tokens = {
    eventType: 'tokens',
    aggregation: 'SUM',
    valueProperty: '$.n',
    groupBy: { model: '$.model' },
    unit: 'token',
  };
  costs.tokens = await cost('Tokens', { unitCost: 0.001, ...tokens });
  costs.calls = await cost('Calls', { unitCost: 0.5, eventType: 'tokens', aggregation: 'COUNT', unit: 'call' });
  costs.euro = await cost('Euro tokens', { unitCost: 1, ...tokens, currency: 'EUR' });
  costs.empty = await cost('Nothing measured', { unitCost: 1 });

  const event = (idempotencyKey: string, timestamp: string, externalSubject: string, data: object) => ({
    type: 'tokens',
    source: 's',
    idempotencyKey,
    timestamp,
    externalSubject,
    data,
  });
  const sent = await merchant.post('/v0/events', [
    event('before', '2025-12-31T23:59:59.999999Z', 'acme', { n: 1000, model: 'big' }),
    event('a', '2026-01-01T00:00:00Z', 'acme', { n: 10, model: 'big', place: { region: 'eu' } }),
    event('b', '2026-01-01T10:30:00Z', 'beta', { n: '20.5', model: 'small', place: { region: 'eu' } }),
    event('c', '2026-01-15T10:30:30Z', 'acme', { n: 30, model: 'big' }),
    event('d', '2026-01-31T23:59:59.999999Z', 'nobody', { n: 40 }),
    event('none', '2026-01-15T00:00:00Z', 'acme', { n: 'many', model: 'big' }),
    event('after', '2026-02-01T00:00:00Z', 'acme', { n: 5000, model: 'big' }),
  ]);
  expect(sent.status).toBe(202);
});
afterAll(() => env.close());

describe('GET /v0/billableMetrics/{id}/meter', () => {
  const meter = async (id: string, query = '') => merchant.get(`/v0/billableMetrics/${id}/meter?${RANGE}${query}`);

  it('answers the usage in [from, to) with all digits', async () => {
    const { status, body, text } = await meter(sum);
    expect({ status, body }).toEqual({
      status: 200,
      body: { object: 'meter', billableMetricId: sum, totalValue: 100.5 },
    });
    expect(text).toContain('"totalValue":100.5');
    expect((await meter(average)).text).toContain('"totalValue":25.125');
    expect((await meter(latest)).body.totalValue).toBe(40);
  });

  it('keeps what a JavaScript number could not', async () => {
    const at = { type: 'tokens', source: 's', subject: acme, timestamp: '2027-01-01T00:00:00Z' };
    await merchant.post('/v0/events', [
      { ...at, data: { n: '9007199254740993' } },
      { ...at, data: { n: '0.000000001' } },
    ]);
    const { text } = await merchant.get(
      `/v0/billableMetrics/${sum}/meter?from=2027-01-01T00:00:00Z&to=2028-01-01T00:00:00Z`,
    );
    expect(text).toContain('"totalValue":9007199254740993.000000001');
  });

  it.each([
    { name: 'a customer', query: () => `&subject=${acme}`, value: 40 },
    { name: 'another customer', query: () => `&subject=${beta}`, value: 20.5 },
    { name: 'nobody', query: () => '&subject=cus_unknown', value: 0 },
    { name: 'a group', query: () => '&filterGroupBy={"model":["small"]}', value: 20.5 },
    { name: 'a group by its value alone', query: () => '&filterGroupBy={"model":"small"}', value: 20.5 },
    { name: 'several groups', query: () => '&filterGroupBy={"model":["small","big"],"region":["eu"]}', value: 30.5 },
    { name: 'a missing group', query: () => '&filterGroupBy={"model":[null]}', value: 40 },
    { name: 'a group of a customer', query: () => `&subject=${acme}&filterGroupBy={"region":["eu"]}`, value: 10 },
  ])('counts for $name alone', async ({ query, value }) =>
    expect((await meter(sum, query())).body.totalValue).toBe(value),
  );

  it.each([
    {
      size: 'DAY',
      windows: [
        ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', 30.5],
        ['2026-01-15T00:00:00Z', '2026-01-16T00:00:00Z', 30],
        ['2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z', 40],
      ],
    },
    { size: 'MONTH', windows: [['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', 100.5]] },
    {
      size: 'HOUR',
      windows: [
        ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z', 10],
        ['2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z', 20.5],
        ['2026-01-15T10:00:00Z', '2026-01-15T11:00:00Z', 30],
        ['2026-01-31T23:00:00Z', '2026-02-01T00:00:00Z', 40],
      ],
    },
    {
      size: 'MINUTE',
      to: '2026-01-07T22:40:00Z', // 10,000 minutes
      windows: [
        ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', 10],
        ['2026-01-01T10:30:00Z', '2026-01-01T10:31:00Z', 20.5],
      ],
    },
  ])('by $size leaves out the windows without events', async ({ size, to = '2026-02-01T00:00:00Z', windows }) => {
    const range = `from=2026-01-01T00:00:00Z&to=${to}`;
    const { body } = await merchant.get(`/v0/billableMetrics/${sum}/meter?${range}&windowSize=${size}`);
    const rows = body.windowedValues.map((each: Record<string, unknown>) => [
      each.windowStart,
      each.windowEnd,
      each.value,
    ]);
    expect(rows).toEqual(windows);
    expect(body).not.toHaveProperty('groupedValues');
  });

  it('by group has the largest first and null for what is missing', async () => {
    const { body } = await meter(sum, '&groupBy=model,region');
    expect(body.groupedValues).toEqual([
      { groupBy: { model: null, region: null }, value: 40, eventCount: 1 },
      { groupBy: { model: 'big', region: null }, value: 30, eventCount: 1 },
      { groupBy: { model: 'small', region: 'eu' }, value: 20.5, eventCount: 1 },
      { groupBy: { model: 'big', region: 'eu' }, value: 10, eventCount: 1 },
    ]);
    expect(body.groupCount).toBe(4);
    expect((await meter(sum, '&groupBy=model&groupBy=region')).body).toEqual(body);
  });

  it('pages groups', async () => {
    const { body } = await meter(sum, '&groupBy=model,region&groupLimit=2&groupOffset=1');
    expect(body.groupedValues.map(({ value }: { value: number }) => value)).toEqual([30, 20.5]);
    expect(body.groupCount).toBe(4);
  });

  it('without events is 0, without windows and groups', async () => {
    const { body } = await merchant.get(
      `/v0/billableMetrics/${sum}/meter?from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z&windowSize=DAY&groupBy=model`,
    );
    expect(body).toEqual({
      object: 'meter',
      billableMetricId: sum,
      totalValue: 0,
      windowedValues: [],
      groupedValues: [],
      groupCount: 0,
    });
  });

  it.each([
    { query: 'from=2026-01-01T00:00:00Z', field: 'to' },
    { query: 'to=2026-01-01T00:00:00Z', field: 'from' },
    { query: 'from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', field: 'to' },
    { query: 'from=2026-01-01&to=2026-01-02T00:00:00Z', field: 'from' },
    { query: `${RANGE}&groupBy=colour`, field: 'groupBy' },
    { query: `${RANGE}&groupBy=`, field: 'groupBy' },
    { query: `${RANGE}&groupBy=constructor`, field: 'groupBy' },
    { query: `${RANGE}&filterGroupBy=model`, field: 'filterGroupBy' },
    { query: `${RANGE}&filterGroupBy=["model"]`, field: 'filterGroupBy' },
    { query: `${RANGE}&filterGroupBy={"model":{"a":1}}`, field: 'filterGroupBy' },
    { query: `${RANGE}&filterGroupBy={"model":[]}`, field: 'filterGroupBy' },
    { query: `${RANGE}&filterGroupBy={"model":1}`, field: 'filterGroupBy' },
    { query: `${RANGE}&filterGroupBy={"model":null}`, field: 'filterGroupBy' },
    { query: `${RANGE}&filterGroupBy={"model":[1]}`, field: 'filterGroupBy' },
    { query: `${RANGE}&filterGroupBy={"model":["\\u0000"]}`, field: 'filterGroupBy' },
    { query: `${RANGE}&filterGroupBy={"model":["\\ud800"]}`, field: 'filterGroupBy' },
    { query: `${RANGE}&filterGroupBy={"\\u0000":["a"]}`, field: 'filterGroupBy' },
    { query: `${RANGE}&filterGroupBy={"colour":["red"]}`, field: 'filterGroupBy' },
    { query: `${RANGE}&subject=`, field: 'subject' },
    { query: `${RANGE}&subject=${'x'.repeat(256)}`, field: 'subject' },
    { query: `${RANGE}&windowSize=YEAR`, field: 'windowSize' },
    { query: 'from=2026-01-01T00:00:00Z&to=2026-01-07T22:40:01Z&windowSize=MINUTE', field: 'windowSize' },
    { query: `${RANGE}&groupLimit=501`, field: 'groupLimit' },
    { query: `${RANGE}&groupOffset=-1`, field: 'groupOffset' },
    { query: `${RANGE}&limit=3`, field: 'limit' },
  ])('answers 400 to $query', async ({ query, field }) =>
    expect(await merchant.get(`/v0/billableMetrics/${sum}/meter?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'validation_error', errors: [{ field }] },
    }),
  );
});

describe('GET /v0/billableMetrics/{id}/events', () => {
  const keys = (body: { events: { idempotencyKey: string }[] }) =>
    body.events.map((each) => each.idempotencyKey).join();

  it.each([
    { query: () => '', found: 'd,c,b,a' },
    { query: () => `&subject=${acme}`, found: 'c,a' },
    { query: () => '&externalSubject=beta', found: 'b' },
    { query: () => '&externalId=none', found: '' },
  ])('lists the events that count, newest first: $found', async ({ query, found }) => {
    const { status, body } = await merchant.get(`/v0/billableMetrics/${sum}/events?${RANGE}${query()}`);
    expect({ status, found: keys(body) }).toEqual({ status: 200, found });
    expect(body).toMatchObject({ object: 'list', billableMetricId: sum, data: body.events });
    expect(body.pagination).toEqual({ limit: 20, offset: 0, total: body.data.length, nextAfter: null });
  });

  it('shows an event with its time and data', async () => {
    const { body } = await merchant.get(`/v0/billableMetrics/${sum}/events?${RANGE}&externalSubject=beta`);
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^evt_202601/),
        object: 'meterEvent',
        type: 'tokens',
        source: 's',
        subject: beta,
        externalSubject: 'beta',
        time: '2026-01-01T10:30:00Z',
        idempotencyKey: 'b',
        data: { n: '20.5', model: 'small', place: { region: 'eu' } },
      },
    ]);
  });

  it('holds to eventFrom, and pages', async () => {
    const late = await merchant.get(`/v0/billableMetrics/${latest}/events?${RANGE}`);
    expect(keys(late.body)).toBe('d,c');
    const page = await merchant.get(`/v0/billableMetrics/${sum}/events?${RANGE}&limit=1&offset=1`);
    expect([keys(page.body), page.body.pagination]).toEqual([
      'c',
      { limit: 1, offset: 1, total: 4, nextAfter: expect.any(String) },
    ]);
  });

  it('answers 400 without times', async () =>
    expect(await merchant.get(`/v0/billableMetrics/${sum}/events`)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'from' }, { field: 'to' }] },
    }));
});

describe('GET /v0/costs/{id}/summary', () => {
  it('is exact, with the digits of the currency at least', async () => {
    const { status, body } = await merchant.get(`/v0/costs/${costs.tokens}/summary?${RANGE}&groupBy=model&window=DAY`);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        object: 'cost',
        id: costs.tokens,
        name: 'Tokens',
        type: 'metered',
        currency: 'USD',
        eventType: 'tokens',
        totalCost: '0.1005',
        totalQuantity: 100.5,
        groups: [
          { dimensions: { model: 'big' }, quantity: 40, cost: '0.04' },
          { dimensions: { model: null }, quantity: 40, cost: '0.04' },
          { dimensions: { model: 'small' }, quantity: 20.5, cost: '0.0205' },
        ],
        timeSeries: [
          { windowStart: '2026-01-01T00:00:00Z', windowEnd: '2026-01-02T00:00:00Z', quantity: 30.5, cost: '0.0305' },
          { windowStart: '2026-01-15T00:00:00Z', windowEnd: '2026-01-16T00:00:00Z', quantity: 30, cost: '0.03' },
          { windowStart: '2026-01-31T00:00:00Z', windowEnd: '2026-02-01T00:00:00Z', quantity: 40, cost: '0.04' },
        ],
      },
    });
  });

  it('of a subject and a group', async () => {
    const { body } = await merchant.get(
      `/v0/costs/${costs.tokens}/summary?${RANGE}&subject=${acme}&filterGroupBy={"model":["big"]}`,
    );
    expect(body).toMatchObject({ totalCost: '0.04', totalQuantity: 40 });
  });

  it('is null where nothing is measured', async () => {
    const { body } = await merchant.get(`/v0/costs/${costs.empty}/summary?${RANGE}`);
    expect(body).toMatchObject({ totalCost: null, totalQuantity: null });
    expect(body).not.toHaveProperty('eventType');
  });

  it.each([
    { query: `${RANGE}&window=MONTH`, field: 'window' },
    { query: `${RANGE}&window=MINUTE`, field: 'window' },
    { query: `${RANGE}&groupBy=region`, field: 'groupBy' },
    { query: 'from=2026-01-01T00:00:00Z', field: 'to' },
  ])('answers 400 to $query', async ({ query, field }) =>
    expect(await merchant.get(`/v0/costs/${costs.tokens}/summary?${query}`)).toMatchObject({
      status: 400,
      body: { errors: [{ field }] },
    }),
  );
});

describe('GET /v0/costs/report', () => {
  const report = async (query: string) => merchant.get(`/v0/costs/report?${RANGE}&${query}`);

  it.each([
    { groups: 1, query: 'groupBy=cost&topN=1', windows: 10_001 },
    { groups: 2, query: 'groupBy=cost', windows: 5_001 },
    { groups: 2, query: 'groupBy=cost', windows: 5_000 },
  ])('has at most 10,000 figures: $windows windows of $groups groups', async ({ groups, query, windows }) => {
    const to = Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours: windows });
    const asked = `from=2026-01-01T00:00:00Z&to=${to}&windowSize=HOUR&${query}`;
    const { status, body } = await merchant.get(`/v0/costs/report?${asked}`);
    expect([status, body.errors?.[0]]).toEqual(
      groups * windows > 10_000
        ? [400, { field: 'windowSize', message: expect.stringMatching(/^HOUR gives (?:10,001|5,001) windows/) }]
        : [200, undefined],
    );
  });

  it('by cost compares with the period before', async () => {
    const { status, body } = await report('groupBy=cost&comparePriorPeriod=true&windowSize=MONTH');
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        object: 'cost_report',
        currency: 'USD',
        period: { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
        groupBy: 'cost',
        totalCost: '2.6005',
        totalQuantity: 105.5,
        groups: [
          {
            key: costs.calls,
            label: 'Calls',
            totalCost: '2.50',
            totalQuantity: 5,
            unit: 'call',
            percentOfTotal: 96.1354,
            priorPeriod: { cost: '0.50', changePercent: 400 },
            isOther: false,
          },
          {
            key: costs.tokens,
            label: 'Tokens',
            totalCost: '0.1005',
            totalQuantity: 100.5,
            unit: 'token',
            percentOfTotal: 3.8646,
            priorPeriod: { cost: '1.00', changePercent: -89.95 },
            isOther: false,
          },
        ],
        timeSeries: [
          {
            windowStart: '2026-01-01T00:00:00Z',
            windowEnd: '2026-02-01T00:00:00Z',
            groups: { [costs.tokens]: '0.1005', [costs.calls]: '2.50' },
          },
        ],
        availableDimensions: ['model'],
        warnings: [
          'Costs in other currencies are left out: EUR.',
          'Quantities of different units are added: call, token.',
        ],
        pagination: { total: 2, limit: 9, offset: 0 },
      },
    });
  });

  it('by customer has a group for usage without a customer', async () => {
    const { body } = await report(`groupBy=customer&costId=${costs.tokens}`);
    expect(
      body.groups.map((group: Record<string, unknown>) => [group.key, group.totalCost, group.priorPeriod]),
    ).toEqual([
      ['__none__', '0.04', null],
      [acme, '0.04', null],
      [beta, '0.0205', null],
    ]);
  });

  it('by dimension counts costs without it under what is missing, and says so', async () => {
    const { body } = await report('groupBy=model');
    expect(body.groups.map((group: Record<string, unknown>) => [group.key, group.totalCost, group.unit])).toEqual([
      ['__none__', '2.54', null],
      ['big', '0.04', 'token'],
      ['small', '0.0205', 'token'],
    ]);
    expect(body.warnings).toContain('These costs have no dimension model: Calls.');
  });

  it('shows the first groups in the order asked for, and the rest as one', async () => {
    const { body } = await report(
      `groupBy=model&costId=${costs.tokens}&topN=1&sort=totalQuantity&sortDir=asc&windowSize=MONTH`,
    );
    expect(body.groups.map((group: Record<string, unknown>) => [group.key, group.totalCost, group.isOther])).toEqual([
      ['small', '0.0205', false],
      ['__other__', '0.08', true],
    ]);
    expect(body.timeSeries[0].groups).toEqual({ small: '0.0205', __other__: '0.08' });
    expect(body.pagination).toEqual({ total: 3, limit: 1, offset: 0 });
  });

  it.each([
    { query: 'limit=2', keys: ['__none__', 'big'], pagination: { total: 3, limit: 2, offset: 0 } },
    { query: 'limit=2&offset=2', keys: ['small'], pagination: { total: 3, limit: 2, offset: 2 } },
    { query: 'offset=1', keys: ['big', 'small'], pagination: { total: 3, limit: 10, offset: 1 } },
    { query: 'limit=1&offset=3', keys: [], pagination: { total: 3, limit: 1, offset: 3 } },
    { query: 'limit=1&topN=1', keys: ['__none__'], pagination: { total: 2, limit: 1, offset: 0 } },
    { query: 'limit=1&offset=1&topN=1', keys: ['__other__'], pagination: { total: 2, limit: 1, offset: 1 } },
  ])('pages its groups by $query', async ({ query, keys, pagination }) => {
    const { body } = await report(`groupBy=model&windowSize=MONTH&comparePriorPeriod=true&${query}`);
    expect(body.groups.map((group: Record<string, unknown>) => group.key)).toEqual(keys);
    expect(body.pagination).toEqual(pagination);
    expect(body.totalCost).toBe('2.6005');
    const inWindow = Object.values<string>(body.timeSeries[0].groups).map(Number);
    expect(inWindow.reduce((a, b) => a + b, 0)).toBeCloseTo(2.6005, 10);
  });

  it('leaves out costs that a filter cannot match', async () => {
    const { body } = await report('groupBy=cost&filterGroupBy={"model":["small"]}');
    expect(body).toMatchObject({
      totalCost: '0.0205',
      warnings: expect.arrayContaining(['The filter leaves these costs out: Calls.']),
    });
    expect((await report('groupBy=cost&filterGroupBy={"model":[null]}')).body.totalCost).toBe('2.54');
  });

  it('is in the currency asked for, and of the subject', async () => {
    expect((await report('groupBy=cost&currency=EUR')).body).toMatchObject({ currency: 'EUR', totalCost: '100.50' });
    expect((await report(`groupBy=cost&subject=${beta}`)).body.totalCost).toBe('0.5205');
  });

  it('of a merchant without costs is empty', async () => {
    const { body } = await (await env.merchant()).get(`/v0/costs/report?${RANGE}&groupBy=cost`);
    expect(body).toMatchObject({
      totalCost: '0.00',
      totalQuantity: 0,
      groups: [],
      timeSeries: [],
      warnings: [],
      pagination: { total: 0 },
    });
  });

  it.each([
    { query: '', field: 'groupBy' },
    { query: 'groupBy=region', field: 'groupBy' },
    { query: 'groupBy=cost&topN=26', field: 'topN' },
    { query: 'groupBy=cost&topN=0', field: 'topN' },
    { query: 'groupBy=cost&limit=0', field: 'limit' },
    { query: 'groupBy=cost&limit=101', field: 'limit' },
    { query: 'groupBy=cost&offset=-1', field: 'offset' },
    { query: 'groupBy=cost&windowSize=MINUTE', field: 'windowSize' },
    { query: 'groupBy=cost&sort=name', field: 'sort' },
    { query: 'groupBy=cost&sortDir=up', field: 'sortDir' },
    { query: 'groupBy=cost&currency=XXZ', field: 'currency' },
    { query: 'groupBy=cost&comparePriorPeriod=maybe', field: 'comparePriorPeriod' },
    { query: 'groupBy=cost&filterGroupBy={"region":{"eu":1}}', field: 'filterGroupBy' },
    { query: 'groupBy=cost&costId=nonsense', field: 'costId' },
  ])('answers 400 to $query', async ({ query, field }) =>
    expect(await report(query)).toMatchObject({ status: 400, body: { errors: [{ field }] } }),
  );

  it('answers 404 to an unknown cost, 403 to another merchant’s', async () => {
    expect(await report('groupBy=cost&costId=cst_unknown')).toMatchObject({
      status: 404,
      body: { details: { field: 'costId' } },
    });
    const other = await env.merchant();
    expect((await other.get(`/v0/costs/report?${RANGE}&groupBy=cost&costId=${costs.tokens}`)).status).toBe(403);
  });

  it('asks an operator for the merchant, or takes it from the cost', async () => {
    expect(await env.platform.get(`/v0/costs/report?${RANGE}&groupBy=cost`)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'merchantId' }] },
    });
    const one = await env.platform.get(`/v0/costs/report?${RANGE}&groupBy=cost&merchantId=${merchant.id}`);
    expect(one.body.totalCost).toBe('2.6005');
    const cost = await env.platform.get(`/v0/costs/report?${RANGE}&groupBy=cost&costId=${costs.tokens}`);
    expect(cost.body.totalCost).toBe('0.1005');
  });
});

describe('figures', () => {
  const paths = () => [
    `/v0/billableMetrics/${sum}/meter?${RANGE}`,
    `/v0/billableMetrics/${sum}/events?${RANGE}`,
    `/v0/costs/${costs.tokens}/summary?${RANGE}`,
  ];

  it('are for the merchant’s viewers and for operators: 200', async () => {
    const viewer = await env.userOf(merchant, 'viewer');
    for (const path of paths()) {
      expect((await viewer.get(path)).status).toBe(200);
      expect((await env.platform.get(path)).status).toBe(200);
    }
  });

  it('are not for others: 403, and 401 without a key', async () => {
    const other = await env.merchant();
    for (const path of paths()) {
      expect((await other.get(path)).status).toBe(403);
      expect((await env.client().get(path)).status).toBe(401);
    }
  });

  it('of what does not exist are a 404', async () => {
    for (const path of paths()) {
      const unknown = path.replace(/(bm_|cst_)[0-9A-Za-z]+/, '$1unknown');
      expect((await merchant.get(unknown)).status).toBe(404);
    }
  });

  it('of a deleted cost stay for the time before', async () => {
    const paths = [`${costs.euro}/summary?${RANGE}`, `report?${RANGE}&groupBy=cost&currency=EUR`];
    const read = () => Promise.all(paths.map(async (path) => (await merchant.get(`/v0/costs/${path}`)).body));
    const before = await read();
    expect((await merchant.delete(`/v0/costs/${costs.euro}`)).status).toBe(204);
    expect((await merchant.get(`/v0/costs/${costs.euro}`)).status).toBe(404);
    expect(await read()).toEqual(before);
  });
});
