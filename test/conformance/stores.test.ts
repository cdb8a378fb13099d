import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClickHouse } from '../../src/metering/clickhouse/store.ts';
import type { UsageCut, UsageScope } from '../../src/metering/meter/usage-request.ts';
import { naiveUsage } from '../../src/metering/testing/oracle.ts';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { hasEngine, unlessEngine } from './clickhouse-engine.ts';
import { openServedEngine, type ServedEngine } from './clickhouse-server.ts';
import {
  AGGREGATIONS,
  FROM,
  figures,
  meterOf,
  onlyClickHouse,
  onlyPostgres,
  POSTGRES,
  PROJECTIONS,
  type Store,
  type SuiteEvent,
  send,
  shipAll,
  TO,
  time,
} from './stores.ts';

let env: TestEnvironment;
let served: ServedEngine | null = null;
let clickhouse: ClickHouse;
beforeAll(async () => {
  env = await sharedEnvironment();
  if (!hasEngine) return;
  served = await openServedEngine();
  clickhouse = served.clickhouse;
  await send(await env.merchant(), [{ at: FROM, data: '{}' }], 1, () => Promise.resolve());
  await shipAll(env, clickhouse); // a projection answers from its first event on
});
afterAll(async () => {
  await served?.close();
  await env.close();
});

const queryOf = ({ shipped }: Store) => (shipped === null ? onlyPostgres : onlyClickHouse(clickhouse));

/** A new merchant with these events in the store. */
async function accepted(store: Store, events: readonly SuiteEvent[]) {
  const merchant = await env.merchant();
  const naive = await send(merchant, events, store.shipped ?? 1, async () => {
    if (store.shipped !== null) await shipAll(env, clickhouse);
  });
  return { merchant, naive };
}

const day = time('2026-02-01T00:00:00Z');
const valued = (...values: string[]): SuiteEvent[] =>
  values.map((value, index) => ({ at: day.add({ seconds: index }), data: `{"v":${value}}` }));

const CASES: { what: string; events: SuiteEvent[]; filter?: UsageScope['groupFilters']; eventFrom?: string }[] = [
  { what: 'nothing at all', events: [] },
  { what: 'ten times 0.1', events: valued(...Array.from({ length: 10 }, () => '0.1')) },
  { what: 'numbers beyond 2^53', events: valued('9007199254740993', '9007199254740992', '"9007199254740993"') },
  { what: 'billionths', events: valued('1e-9', '0.000000001', '-1e-9', '1e-10', '"0.000000001"') },
  {
    what: 'thirty digits and more',
    events: valued('123456789012345678901234567890', '-0.123456789012345678901234567890', '1e38', '1e-38', '-1e38'),
  },
  {
    what: 'as many digits as there can be',
    events: valued(
      `"${'9'.repeat(38)}.${'9'.repeat(38)}"`,
      `"${'9'.repeat(38)}.${'9'.repeat(38)}"`,
      `"-${'1'.repeat(38)}.${'0'.repeat(37)}1"`,
      `1.${'1'.repeat(37)}e-38`,
      `9.${'9'.repeat(37)}e38`,
    ),
  },
  {
    what: 'numbers on either side of what is kept as an integer',
    events: valued(
      '999999999999999',
      '1000000000000000',
      '999999999.999999999',
      '1000000000.5',
      '0.0000000001',
      '-999999999999999',
    ),
  },
  {
    what: 'texts that are numbers, and some that look like it',
    events: valued(
      '"5"',
      '5',
      '5.0',
      '"5.0"',
      '"007.50"',
      '"-0"',
      '"1e3"',
      '" 1"',
      '"+1"',
      '"2026-01-01"',
      '".5"',
      '"5."',
    ),
  },
  {
    what: 'numbers in several forms, of which some have the text of a string',
    events: valued(
      '1000',
      '1E3',
      '1000.0',
      '"1000"',
      '1e-9',
      '0.000000001',
      '2.50',
      '2.5',
      '"2.50"',
      '-0',
      '0',
      '"-0"',
    ),
  },
  { what: 'what is no value', events: valued('null', 'true', '{"v":1}', '[1]', '""', '"no number"') },
  {
    what: 'equal times, where the one accepted last is the latest',
    events: ['3', '1', '2'].map((value) => ({ at: day, data: `{"v":${value}}` })),
  },
  {
    what: 'a late event after a later one, and one sent twice',
    events: [
      { at: TO.subtract({ microseconds: 1 }), data: '{"v":1}' },
      { at: FROM, data: '{"v":2}', isRepeated: true },
      { at: FROM.add({ microseconds: 1 }), data: '{"v":4.5}', isRepeated: true },
    ],
  },
  {
    what: 'what was set before, in some groups and by some subjects, and set anew in others',
    events: [
      { subject: 'sub_a', at: FROM.subtract({ hours: 24 * 90 }), data: '{"v":3,"g":"eu"}' },
      { subject: 'sub_b', at: FROM.subtract({ minutes: 3 }), data: '{"v":4,"g":"eu"}' },
      { subject: 'sub_a', at: FROM.subtract({ hours: 24 * 60 }), data: '{"v":"5.25","g":"us","in":{"ner":"x"}}' },
      { subject: 'sub_a', at: FROM.subtract({ hours: 24 * 61 }), data: `{"v":1e30,"g":"us"}` },
      { subject: 'sub_c', at: FROM.subtract({ hours: 1 }), data: '{"v":0,"list":[1,"b"]}' },
      { subject: 'sub_a', at: FROM.add({ hours: 3 }), data: '{"v":6,"g":"us"}' },
      { subject: 'sub_b', at: FROM.add({ hours: 9 }), data: '{"v":1e-30,"g":"uk"}' },
      { subject: 'sub_b', at: FROM.add({ hours: 1 }), data: '{"v":"none","g":"uk"}' },
    ],
  },
  {
    what: 'half-open bounds, a microsecond on either side',
    events: [FROM.subtract({ microseconds: 1 }), FROM, TO.subtract({ microseconds: 1 }), TO].map((at, index) => ({
      at,
      data: `{"v":${index + 1}}`,
    })),
  },
  {
    what: 'only what is later than eventFrom',
    eventFrom: '2026-02-01T00:00:01Z',
    events: valued('1', '2', '4'),
  },
  {
    what: 'groups with null, numbers that are one text, and texts of every kind',
    events: ['"eu"', '1', '1.0', '"1"', 'null', 'false', '{}', '""', '"it\'s \\\\ \\"quoted\\" \\n ü"'].map(
      (group, index) => ({
        at: day,
        data: `{"v":${index},"g":${group}}`,
      }),
    ),
  },
  {
    what: 'places in arrays, and objects with such names',
    events: ['[5,"b"]', '{"1":"b"}', '{"1":"c"}', '["only"]', '"flat"'].map((list) => ({
      at: day,
      data: `{"v":1,"list":${list}}`,
    })),
  },
  {
    what: 'a filter of a group with null',
    filter: { region: ['eu', null] },
    events: ['"eu"', '"us"', 'null'].map((group) => ({ at: day, data: `{"v":1,"g":${group}}` })),
  },
  {
    what: 'a filter of two groups',
    filter: { region: ['eu'], deep: ['2'] },
    events: ['{"g":"eu","in":{"ner":2},"v":1}', '{"g":"eu","in":{"ner":"3"},"v":2}', '{"in":{"ner":2},"v":4}'].map(
      (data) => ({
        at: day,
        data,
      }),
    ),
  },
  {
    what: 'three hundred groups',
    events: Array.from({ length: 300 }, (_, index) => ({
      at: day,
      data: `{"v":${index % 7},"g":"g${index % 150}","in":{"ner":${index}}}`,
    })),
  },
  {
    what: 'events over two centuries',
    events: ['2000-01-01T00:00:00Z', '2199-12-31T23:59:59.999999Z'].map((at) => ({ at: time(at), data: '{"v":1}' })),
  },
];

const CUTS: UsageCut[] = [
  {},
  { groups: ['region'] },
  { groups: ['region', 'deep'] },
  { groups: ['place'], window: 'HOUR' },
  { window: 'HOUR' },
];

describe.each([POSTGRES, ...PROJECTIONS])('$name', (store) => {
  const isRun = store.shipped === null || hasEngine;
  const missing = isRun ? '' : unlessEngine;

  it.runIf(isRun).each(CASES)(`counts $what${missing}`, async ({ events, filter, eventFrom, what }) => {
    const { merchant, naive } = await accepted(store, events);
    const ranges = what.includes('centuries')
      ? [{ from: time('2000-01-01T00:00:00Z'), to: time('2200-01-01T00:00:00Z') }]
      : [{ from: FROM, to: TO }];
    for (const range of ranges) {
      for (const aggregation of AGGREGATIONS) {
        const meter = meterOf(aggregation, eventFrom === undefined ? {} : { eventFrom: time(eventFrom) });
        const scope: UsageScope = {
          merchantId: merchant.id,
          meter,
          sources: null,
          ...range,
          ...(filter !== undefined && { groupFilters: filter }),
        };
        const found = await figures(env, queryOf(store), scope, CUTS);
        expect(found, aggregation).toEqual(CUTS.map((cut) => naiveUsage(naive, scope, cut)));
      }
    }
  });

  it.runIf(isRun).each(['MINUTE', 'HOUR', 'DAY', 'MONTH'] as const)(
    `cuts windows of a %s${missing}`,
    async (window) => {
      const events = [
        '2026-01-31T23:59:59.999999Z',
        '2026-02-01T00:00:00Z',
        '2026-02-01T12:00:30Z',
        '2026-02-01T12:01:00Z',
        '2026-02-01T23:59:59.999999Z',
      ].map((at, index) => ({ at: time(at), data: `{"v":${2 ** index},"g":"${index % 2}"}` }));
      const { merchant, naive } = await accepted(store, events);
      for (const aggregation of AGGREGATIONS) {
        const scope: UsageScope = {
          merchantId: merchant.id,
          meter: meterOf(aggregation),
          sources: null,
          from: FROM,
          to: TO,
        };
        const cuts: UsageCut[] = [{ window }, { window, groups: ['region'] }, {}];
        expect(await figures(env, queryOf(store), scope, cuts)).toEqual(
          cuts.map((cut) => naiveUsage(naive, scope, cut)),
        );
      }
    },
  );

  it.runIf(isRun)(
    `counts the events of subjects in the times of each, an event of several once${missing}`,
    async () => {
      const subjects = ['sub_a', 'sub_b', 'sub_c'];
      const events = Array.from({ length: 30 }, (_, index) => ({
        subject: subjects[index % 3] as string,
        at: day.add({ minutes: index * 7 }),
        data: `{"v":${index}.5,"g":"${index % 2}"}`,
      }));
      const { merchant, naive } = await accepted(store, events);
      const hour = (hours: number) => day.add({ hours });
      const sources = [
        { subject: 'sub_a', from: FROM, to: hour(1) },
        { subject: 'sub_a', from: hour(0), to: hour(2) },
        { subject: 'sub_b', from: hour(1), to: hour(3) },
        { subject: 'sub_x', from: FROM, to: TO },
      ];
      for (const aggregation of AGGREGATIONS) {
        const scope: UsageScope = { merchantId: merchant.id, meter: meterOf(aggregation), sources, from: FROM, to: TO };
        expect(await figures(env, queryOf(store), scope, CUTS)).toEqual(
          CUTS.map((cut) => naiveUsage(naive, scope, cut)),
        );
        const later: UsageScope = { ...scope, from: hour(0).add({ minutes: 40 }), sources: sources.slice(1) };
        expect(await figures(env, queryOf(store), later, CUTS)).toEqual(
          CUTS.map((cut) => naiveUsage(naive, later, cut)),
        );
      }
    },
  );

  it.runIf(isRun)(`names customers as they are today, however late they were linked${missing}`, async () => {
    const events = ['acme', 'acme', 'beta', 'lost', 'sub_x', 'gone'].map((subject, index) => ({
      subject,
      at: day.add({ seconds: index }),
      data: `{"v":${10 ** index},"u":"${index < 2 ? 'same' : index % 2}","g":"x"}`,
    }));
    const { merchant } = await accepted(store, events);
    const customer = async (externalId: string) => {
      const consumer = { name: externalId, email: `${externalId}@example.com`, address: { country: 'DE' } };
      const { status, body } = await merchant.post('/v0/customers', { consumer, externalId });
      expect([status, body]).toMatchObject([201, expect.anything()]);
      return body.id as string;
    };
    const acme = await customer('acme');
    const beta = await customer('beta');
    // Acme now has another name, with one earlier event.
    expect((await merchant.patch(`/v0/customers/${acme}`, { externalId: 'gone' })).status).toBe(200);
    const owned = async (meter: ReturnType<typeof meterOf>, cut: UsageCut) => {
      const scope: UsageScope = { merchantId: merchant.id, meter, sources: null, from: FROM, to: TO };
      const [rows = []] = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
        queryOf(store).measure(tx, scope, [cut]),
      );
      return rows.map(({ customerId, value, eventCount }) => [customerId, value.toFixed(), eventCount]);
    };
    const sums = await owned(meterOf('SUM'), { byCustomer: true });
    expect(new Set(sums.map(String))).toEqual(
      new Set(
        [
          [acme, '100011', 3],
          [beta, '100', 1],
          [null, '11000', 2],
        ].map(String),
      ),
    );
    const unique = await owned(meterOf('UNIQUE_COUNT', { valueProperty: '$.u' }), {
      byCustomer: true,
      groups: ['region'],
    });
    expect(new Set(unique.map(String))).toEqual(
      new Set(
        [
          [acme, '2', 3],
          [beta, '1', 1],
          [null, '2', 2],
        ].map(String),
      ),
    );
  });

  it.runIf(isRun)(`has nothing for a meter without an event type, or of another merchant${missing}`, async () => {
    const { merchant } = await accepted(store, valued('1', '2'));
    const other = await env.merchant();
    const scope = { meter: meterOf('SUM'), sources: null, from: FROM, to: TO };
    const nothing = [['{"group":{}} 0 of 0'], []];
    const cuts: UsageCut[] = [{}, { window: 'DAY' }];
    expect(await figures(env, queryOf(store), { ...scope, merchantId: other.id }, cuts)).toEqual(nothing);
    const without = { ...scope, merchantId: merchant.id, meter: meterOf('SUM', { eventType: null }) };
    expect(await figures(env, queryOf(store), without, cuts)).toEqual(nothing);
  });

  it.runIf(isRun)(`answers whatever is sent as the naive count does${missing}`, { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.uniqueArray(cuts, { minLength: 1, maxLength: 3, selector: JSON.stringify }),
        async (sent, several) => {
          const { merchant, naive } = await accepted(store, sent);
          for (const aggregation of AGGREGATIONS) {
            const scope: UsageScope = {
              merchantId: merchant.id,
              meter: meterOf(aggregation),
              sources: null,
              from: FROM,
              to: TO,
            };
            expect(await figures(env, queryOf(store), scope, several), aggregation).toEqual(
              several.map((cut) => naiveUsage(naive, scope, cut)),
            );
          }
        },
      ),
      { numRuns: 12 },
    );
  });
});

const digits = fc.stringMatching(/^[1-9][0-9]{0,18}$/);
const decimals = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '0.1',
    '-0.1',
    '1e-9',
    '9007199254740993',
    '123456789012345678901234567890',
    '1e38',
    '1e-38',
  ),
  fc.tuple(fc.constantFrom('', '-'), digits, digits).map(([sign, whole, part]) => `${sign}${whole}.${part}`),
);
const values = fc.oneof(
  decimals,
  decimals.filter((text) => !text.includes('e')).map((text) => `"${text}"`),
  fc.constantFrom('null', 'true', '"no number"', '"1e3"', '{"v":1}', '[1]', '""', '" 1"', '"2026-01-01 00:00:00"'),
);
const datas = fc
  .record(
    {
      v: values,
      g: fc.constantFrom('"eu"', '1', '1.0', 'null', 'false', '{}', '"\\u0001\\t"', '"\\\\N"'),
      in: fc.constantFrom('{"ner":"x"}', '{"ner":2}', '[]', '"flat"'),
      list: fc.constantFrom('[1,2]', '{"1":2}', '[]'),
    },
    { requiredKeys: [] },
  )
  .map(
    (fields) =>
      `{${Object.entries(fields)
        .map(([key, value]) => `"${key}":${value}`)
        .join()}}`,
  );
const events = fc.array(
  fc.record({
    subject: fc.constantFrom('sub_a', 'sub_b', 'nobody'),
    type: fc.constantFrom('call', 'call', 'other'),
    at: fc.constantFrom(
      FROM.subtract({ microseconds: 1 }),
      FROM,
      FROM.add({ microseconds: 1 }),
      day,
      time('2026-02-01T12:00:30Z'),
      TO,
    ),
    data: datas,
    isRepeated: fc.boolean(),
  }),
  { maxLength: 25 },
);
const cuts = fc.record({
  groups: fc.subarray(['region', 'deep', 'place']),
  window: fc.constantFrom(undefined, 'HOUR' as const),
}) as fc.Arbitrary<UsageCut>;
