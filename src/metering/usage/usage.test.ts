import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../../../test/support/cases.ts';
import { cloneDatabase } from '../../../test/support/environment.ts';
import { Database, parseExactJson, sql, type Tx } from '../../db/index.ts';
import { decimal, plain, sum } from '../../kernel/decimal.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { acceptEvents, createIntake, type EventIntake } from '../intake/intake.ts';
import { linkExternalSubject, linkSubscriptionSubject } from '../intake/subjects.ts';
import type { Aggregation, Meter, SampleAggregation } from '../meter/meter.ts';
import { TooManyRows, withinRows } from '../meter/most-rows.ts';
import { type RollupDefinition, rollupDefinitionOf } from '../meter/rollup-definition.ts';
import type { UsageCut, UsageRow, UsageScope } from '../meter/usage-request.ts';
import { backfillChore, rebuildRollups, registerMeter } from '../stored/rollups.ts';
import { type NaiveEvent, naiveUsage } from '../testing/oracle.ts';
import { backfillRollups, selectDefinition, selectPendingDefinitions } from './rollup-definitions.sql.ts';
import { measure, measureEach, postgresUsage, rawUsage, usage } from './usage.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  database = new Database({ url: clone.url, connections: 4 });
});
afterAll(async () => {
  await database.close();
  await drop();
});

const time = (text: string): Instant => Temporal.Instant.from(text);
const NOW = time('2026-03-01T00:00:00Z');
const FROM = time('2026-01-31T22:30:00Z');
const TO = time('2026-02-02T00:00:00Z');

const meterOf = (aggregation: Aggregation, more: Partial<Meter> = {}): Meter => ({
  eventType: 'call',
  aggregation,
  valueProperty: '$.v',
  groupBy: { region: '$.g', deep: '$.in.ner' },
  eventFrom: null,
  ...more,
});

/** A meter that is made after so many events. */
interface LateMeter {
  readonly meter: Meter;
  readonly after: number;
}

/** A merchant with these events; data is JSON text, so its numbers are read as over HTTP. */
async function withEvents<T>(
  events: readonly { subject?: string; at: Instant; data: string; type?: string }[],
  work: (tx: Tx, naive: NaiveEvent[]) => Promise<T>,
  late?: LateMeter,
): Promise<T> {
  const merchantId = `org_${randomBytes(8).toString('hex')}`;
  return database.transaction({ merchants: [merchantId] }, async (tx) => {
    await linkExternalSubject(tx, { merchantId, externalId: 'acme', customerId: 'cus_acme' }, NOW);
    await linkSubscriptionSubject(tx, { merchantId, subscriptionId: 'sub_1', customerId: 'cus_acme' }, NOW);
    const naive = events.map(({ subject = 'cus_acme', type = 'call', at, data }) => ({
      subject,
      type,
      at,
      data: parseExactJson(data),
    }));
    const incoming = naive.map(({ subject, type, at, data }, index) => ({
      merchantId,
      type,
      source: 'test',
      subject: subject === 'cus_acme' ? null : subject,
      externalSubject: subject === 'cus_acme' ? 'acme' : null,
      externalId: null,
      at: at.toString(),
      isTimeSent: true,
      idempotencyKey: `k${index}`,
      data: JSON.stringify(data),
    }));
    const accept = async (part: typeof incoming) => {
      for (let start = 0; start < part.length; start += 7)
        orThrow(await acceptEvents(tx, part.slice(start, start + 7), NOW));
    };
    await accept(incoming.slice(0, late?.after ?? 0));
    if (late) await registerMeter(tx, late.meter);
    await accept(incoming.slice(late?.after ?? 0));
    return work(tx, naive);
  });
}

const textOf = (row: UsageRow, cut: UsageCut): string => {
  const starts = row.windowStart && cut.window ? aligned(row.windowStart, cut.window).toString() : undefined;
  return `${JSON.stringify({ group: row.group, window: starts })} ${plain(row.value)} of ${row.eventCount}`;
};

/** The first window of a request is clipped to its start; the naive count names it by where it would begin. */
function aligned(at: Instant, size: NonNullable<UsageCut['window']>): Instant {
  const utc = at.toZonedDateTimeISO('UTC');
  if (size === 'MONTH') return utc.with({ day: 1 }).startOfDay().toInstant();
  return utc
    .round({ smallestUnit: ({ MINUTE: 'minute', HOUR: 'hour', DAY: 'day' } as const)[size], roundingMode: 'floor' })
    .toInstant();
}

const aggregations = ['SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST'] as const;

const digits = fc.stringMatching(/^[1-9][0-9]{0,18}$/);
const decimals = fc.oneof(
  fc.constantFrom('0', '0.1', '-0.1', '1e-9', '9007199254740993', '123456789012345678901234567890', '1e38', '1e-38'),
  fc.constantFrom('1.0', '1', '1.00', '2.5e1', '25'),
  fc.tuple(fc.constantFrom('', '-'), digits, digits).map(([sign, whole, part]) => `${sign}${whole}.${part}`),
);
const values = fc.oneof(
  decimals,
  decimals.filter((text) => !text.includes('e')).map((text) => `"${text}"`),
  fc.constantFrom('null', 'true', '"no number"', '"1e3"', '{"v":1}', '[1]', '""', '" 1"'),
);
const datas = fc
  .record(
    {
      v: values,
      g: fc.constantFrom('"eu"', '"us"', '1', '1.0', 'null', 'false', '{}'),
      in: fc.constantFrom('{"ner":"x"}', '{"ner":2}', '[]', '"flat"'),
    },
    { requiredKeys: [] },
  )
  .map(
    (fields) =>
      `{${Object.entries(fields)
        .map(([key, value]) => `"${key}":${value}`)
        .join()}}`,
  );
const instants = fc.constantFrom(
  FROM.subtract({ hours: 24 * 40 }),
  FROM.subtract({ hours: 5, minutes: 7 }),
  FROM.subtract({ minutes: 20 }),
  FROM.subtract({ microseconds: 1 }),
  FROM,
  FROM.add({ microseconds: 1 }),
  time('2026-01-31T23:59:59.999999Z'),
  time('2026-02-01T00:00:00Z'),
  time('2026-02-01T12:00:00Z'),
  time('2026-02-01T12:00:30Z'),
  time('2026-02-01T12:00:30.000001Z'),
  time('2026-02-01T12:59:59.999999Z'),
  time('2026-02-01T12:01:00Z'),
  TO.subtract({ microseconds: 1 }),
  TO,
);
const events = fc.array(
  fc.record({
    subject: fc.constantFrom('cus_acme', 'sub_1', 'nobody'),
    type: fc.constantFrom('call', 'call', 'call', 'other'),
    at: instants,
    data: datas,
  }),
  { maxLength: 25 },
);
const cuts = fc.record({
  groups: fc.subarray(['region', 'deep']),
  window: fc.constantFrom(undefined, 'MINUTE', 'HOUR', 'DAY', 'MONTH' as const),
}) as fc.Arbitrary<UsageCut>;
const scopes = fc.record({
  aggregation: fc.constantFrom(...aggregations),
  eventFrom: fc.option(instants),
  sources: fc.option(
    fc.array(
      fc.record({ subject: fc.constantFrom('cus_acme', 'sub_1', 'nobody', 'cus_other'), from: instants, to: instants }),
      {
        maxLength: 3,
      },
    ),
  ),
  groupFilters: fc.constantFrom({}, { region: ['eu', '1'] }, { region: ['us', null] }, { deep: ['x'], region: [null] }),
  withValue: fc.boolean(),
  // Makes a percentile of what can be the figure of its windows.
  sampled: fc.option(
    fc.record({
      percentile: fc.constantFrom('0.1', '5', '50', '66.67', '95', '99.9', '100').map(decimal),
      sampleWindow: fc.constantFrom(...(['PT5M', 'PT15M', 'PT1H', 'P1D'] as const)),
    }),
  ),
});

/** Adds the events from before a meter, a few at a time. */
async function backfill(tx: Tx): Promise<void> {
  for (const definition of await selectPendingDefinitions(tx)) while (await backfillRollups(tx, definition.id, 4));
}

/** The number of roll-up rows of the merchant. */
const rolledUp = async (tx: Tx) =>
  (await tx.one<{ rows: number }>(sql`select count(*)::int as rows from usage_rollup`)).rows;

type Wanted = typeof scopes extends fc.Arbitrary<infer Scope> ? Scope : never;
const SAMPLES: ReadonlySet<Aggregation | undefined> = new Set<Aggregation>(['SUM', 'MAX', 'COUNT', 'AVG']);

function meterIn({ aggregation, eventFrom, withValue, sampled }: Wanted): Meter {
  const more = { eventFrom, valueProperty: aggregation === 'COUNT' && !withValue ? null : '$.v' };
  if (sampled === null || !SAMPLES.has(aggregation)) return meterOf(aggregation, more);
  return meterOf('PERCENTILE', { ...more, ...sampled, sampleAggregation: aggregation as SampleAggregation });
}

describe('rolled-up usage', () => {
  it(
    'is that of the events and of a naive count, whenever the meter was made, and after all roll-ups were dropped',
    () =>
      fc.assert(
        fc.asyncProperty(events, scopes, cuts, fc.nat({ max: 25 }), async (sent, wanted, cut, after) => {
          const meter = meterIn(wanted);
          await withEvents(
            sent,
            async (tx, naive) => {
              const scope: UsageScope = {
                merchantId: tx.merchantId,
                meter,
                from: FROM,
                to: TO,
                sources: wanted.sources,
                groupFilters: wanted.groupFilters,
              };
              const expected = naiveUsage(naive, scope, cut);
              const read = async (query: typeof measure) => {
                const [rows = []] = await query(tx, scope, [cut]);
                return rows.map((row) => textOf(row, cut)).toSorted();
              };
              expect(await read(measure)).toEqual(expected);
              await backfill(tx);
              expect(await read(measure)).toEqual(expected);
              expect(await read(rawUsage.measure)).toEqual(expected);
              const byCustomer = async (query: typeof measure) => {
                const [rows = []] = await query(tx, scope, [{ ...cut, byCustomer: true }]);
                return rows.map((row) => `${row.customerId} ${textOf(row, cut)}`).toSorted();
              };
              expect(await byCustomer(measure)).toEqual(await byCustomer(rawUsage.measure));
              const before = await rolledUp(tx);
              await rebuildRollups(tx);
              expect([await rolledUp(tx), await read(measure)]).toEqual([0, expected]);
              await backfill(tx);
              expect(await read(measure)).toEqual(expected);
              expect(await rolledUp(tx)).toBeLessThanOrEqual(before);
            },
            { meter, after: Math.min(after, sent.length) },
          );
        }),
        cases(40, 250),
      ),
    180_000,
  );

  it(
    'of some subjects, uncut, is that of a naive count for every aggregation, wherever in an hour it begins and ends',
    () =>
      fc.assert(
        fc.asyncProperty(
          events,
          scopes.filter(({ sources }) => sources !== null),
          instants,
          instants,
          async (sent, { sources, eventFrom, withValue }, from, to) => {
            await withEvents(sent, async (tx, naive) => {
              const asked: UsageScope[] = [];
              for (const aggregation of aggregations) {
                const valueProperty = aggregation === 'COUNT' && !withValue ? null : '$.v';
                const meter = meterOf(aggregation, { eventFrom, valueProperty });
                await registerMeter(tx, meter);
                const scope: UsageScope = { merchantId: tx.merchantId, meter, from, to, sources };
                const expected = [aggregation, naiveUsage(naive, scope, {})];
                const read = async () => [aggregation, (await usage(tx, scope)).map((row) => textOf(row, {}))];
                expect(await read()).toEqual(expected);
                await backfill(tx);
                expect(await read()).toEqual(expected);
                asked.push(scope, { ...scope, from: FROM }, { ...scope, to: TO }, scope);
              }
              const together = (await measureEach(tx, asked)).map((figure) => textOf({ group: {}, ...figure }, {}));
              expect(together).toEqual(asked.flatMap((scope) => naiveUsage(naive, scope, {})));
            });
          },
        ),
        cases(20, 100),
      ),
    180_000,
  );

  it('takes away again what an hour holds before and after the time that is asked about', async () => {
    const sent = Array.from({ length: 30 }, (_, n) => ({
      at: time('2026-02-01T10:05:00Z').add({ minutes: n * 10 }),
      data: `{"v":${2 ** n},"g":"${n}"}`,
    }));
    const minute = (minutes: number) => time('2026-02-01T10:00:00Z').add({ minutes });
    await withEvents(
      sent,
      async (tx, naive) => {
        for (const [first, last] of [0, 20, 40, 50].flatMap((from) => [60, 100, 200, 230].map((to) => [from, to])))
          for (const subject of ['cus_acme', null])
            for (const cut of [{}, { groups: ['region'], window: 'HOUR' as const }]) {
              const [from, to] = [minute(first as number), minute(last as number)];
              const sources = subject === null ? null : [{ subject, from, to }];
              const scope = { merchantId: tx.merchantId, meter: meterOf('SUM'), from, to, sources };
              const rows = await usage(tx, { ...scope, ...cut });
              const shown = rows.map((row) => textOf(row, cut)).toSorted();
              expect([first, last, subject, shown]).toEqual([first, last, subject, naiveUsage(naive, scope, cut)]);
            }
      },
      { meter: meterOf('SUM'), after: 0 },
    );
  });

  it('is nothing where all that an hour holds is taken away again', async () => {
    const from = time('2026-02-01T12:00:30Z');
    const nothing = aggregations.map((aggregation) => `${aggregation} 0 of 0`);
    await withEvents([{ at: time('2026-02-01T12:00:00Z'), data: '{"v":0}' }], async (tx) => {
      for (const subject of ['cus_acme', null]) {
        const shown: string[] = [];
        for (const aggregation of aggregations) {
          const meter = meterOf(aggregation);
          await registerMeter(tx, meter);
          await backfill(tx);
          const sources = subject === null ? null : [{ subject, from, to: TO }];
          const [row] = await usage(tx, { merchantId: tx.merchantId, meter, from, to: TO, sources });
          shown.push(`${aggregation} ${plain((row as UsageRow).value)} of ${row?.eventCount}`);
          const windows = await usage(tx, { merchantId: tx.merchantId, meter, from, to: TO, sources, window: 'HOUR' });
          // a level continues
          expect([aggregation, windows.length]).toEqual([aggregation, aggregation === 'LATEST' ? 1 : 0]);
        }
        expect(shown).toEqual(nothing);
      }
    });
  });

  it('is read from the roll-ups where hours are full or all their events are in the time, and from no event in them', async () => {
    const sent = [0, 30, 90, 150, 400].map((minutes) => ({ at: FROM.add({ minutes }), data: '{"v":1}' }));
    for (const aggregation of aggregations) {
      const meter = meterOf(aggregation);
      await withEvents(
        sent,
        async (tx) => {
          const scope = {
            merchantId: tx.merchantId,
            meter,
            sources: [{ subject: 'cus_acme', from: FROM, to: TO }],
            from: FROM,
            to: TO,
          };
          await tx.run(sql`update usage_rollup set event_count = event_count + 100`);
          const [row] = await usage(tx, scope);
          const hours = ['UNIQUE_COUNT', 'LATEST'].includes(aggregation) ? 4 : 5;
          expect([aggregation, row?.eventCount]).toEqual([aggregation, sent.length + hours * 100]);
        },
        { meter, after: 0 },
      );
    }
  });

  it('of one meter serves another that reads the same values by the same dimensions', async () => {
    await withEvents(
      [{ at: FROM, data: '{"v":1,"g":"eu"}' }],
      async (tx) => {
        await registerMeter(tx, meterOf('MAX', { groupBy: { a: '$.in.ner', b: '$.g' }, eventFrom: FROM }));
        const { definitions } = await tx.one<{ definitions: number }>(
          sql`select count(*)::int as definitions from rollup_definition`,
        );
        expect(definitions).toBe(1);
      },
      { meter: meterOf('SUM'), after: 0 },
    );
  });

  it('counts events that are accepted by several at once, while their meter is being made, once each', async () => {
    const merchantId = `org_${randomBytes(8).toString('hex')}`;
    const meter = meterOf('SUM', { groupBy: null });
    const eventOf = (n: number) => ({
      merchantId,
      type: 'call',
      source: 'test',
      subject: null,
      externalSubject: 'acme',
      externalId: null,
      at: time('2026-02-01T12:00:00Z')
        .add({ minutes: n % 90 })
        .toString(),
      isTimeSent: true,
      idempotencyKey: `k${n}`,
      data: '{"v":0.1}',
    });
    const intakes = [createIntake(database), createIntake(database)];
    const send = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => (intakes[n % 2] as EventIntake).accept([eventOf(from + n)], NOW));
    await Promise.all([
      ...send(0, 100),
      database.transaction({ merchants: [merchantId] }, (tx) => registerMeter(tx, meter)),
      ...send(100, 200),
    ]);
    await Promise.all([backfillChore.run(database, NOW), backfillChore.run(database, NOW), ...send(150, 300)]);
    await database.transaction({ merchants: [merchantId] }, async (tx) => {
      const scope = { merchantId, meter, sources: null, from: FROM, to: time('2026-02-03T00:00:00Z') };
      expect((await selectDefinition(tx, rollupDefinitionOf(meter) as RollupDefinition))?.isReady).toBe(true);
      const [row] = await usage(tx, scope);
      expect([plain((row as UsageRow).value), row?.eventCount]).toEqual(['30', 300]);
      expect(await rolledUp(tx)).toBeGreaterThan(0);
    });
  });
});

describe('a question that may have only so many rows', () => {
  /** Four groups, which make five rows with their total. */
  const events = ['eu', 'us', 'asia', 'africa'].map((region) => ({ at: FROM, data: `{"v":1,"g":"${region}"}` }));
  const asked = (tx: Tx, mostRows: number, of: typeof rawUsage) =>
    of.measure(tx, { merchantId: tx.merchantId, meter: meterOf('SUM'), sources: null, from: FROM, to: TO, mostRows }, [
      { groups: ['region'] },
    ]);

  it.each([
    { name: 'of events', of: rawUsage },
    { name: 'of roll-ups', of: postgresUsage },
  ])('$name is given up where it needs more', ({ of }) =>
    withEvents(
      events,
      async (tx) => {
        expect((await asked(tx, 5, of))[0]).toHaveLength(4);
        await expect(asked(tx, 4, of)).rejects.toThrow(TooManyRows);
      },
      { meter: meterOf('SUM'), after: 0 },
    ),
  );

  it('is refused with the field that makes it smaller', async () => {
    const refused = await withinRows('groupBy', () => Promise.reject(new TooManyRows()));
    expect(refused).toMatchObject({ ok: false, refusal: { errors: [{ field: 'groupBy' }] } });
    await expect(withinRows('groupBy', () => Promise.reject(new Error('other')))).rejects.toThrow('other');
  });
});

describe('usage', () => {
  it(
    'is what a naive count of the same events gives, for every aggregation, source, filter, group and window',
    () =>
      fc.assert(
        fc.asyncProperty(events, scopes, cuts, async (sent, wanted, cut) => {
          const { aggregation, withValue, ...rest } = wanted;
          const valueProperty = aggregation === 'COUNT' && !withValue ? null : '$.v';
          await withEvents(sent, async (tx, naive) => {
            const meter = meterOf(aggregation, { eventFrom: rest.eventFrom, valueProperty });
            const scope: UsageScope = {
              merchantId: tx.merchantId,
              meter,
              from: FROM,
              to: TO,
              sources: rest.sources,
              groupFilters: rest.groupFilters,
            };
            const rows = await usage(tx, { ...scope, ...cut });
            expect(rows.map((row) => textOf(row, cut)).toSorted()).toEqual(naiveUsage(naive, scope, cut));
          });
        }),
        cases(40, 250),
      ),
    120_000,
  );

  it(
    'is the same for every order in which the events arrive, LATEST among equal times aside',
    () =>
      fc.assert(
        fc.asyncProperty(events, fc.infiniteStream(fc.nat()), async (sent, draws) => {
          const weights = sent.map(() => draws.next().value as number);
          const other = sent.map((event, index) => ({ event, weight: weights[index] as number }));
          const shuffled = other.toSorted((a, b) => a.weight - b.weight).map(({ event }) => event);
          const all = (order: typeof sent) =>
            withEvents(order, async (tx) => {
              const rows = [];
              for (const aggregation of aggregations.filter((each) => each !== 'LATEST'))
                rows.push(
                  await usage(tx, {
                    merchantId: tx.merchantId,
                    meter: meterOf(aggregation),
                    sources: null,
                    from: FROM,
                    to: TO,
                    groups: ['region'],
                  }),
                );
              return rows.map((each) => each.map((row) => textOf(row, {})).toSorted());
            });
          expect(await all(shuffled)).toEqual(await all(sent));
        }),
        cases(6, 25),
      ),
    60_000,
  );

  it.each(['SUM', 'COUNT'] as const)(
    'by group and by window sums to the whole: %s',
    (aggregation) =>
      fc.assert(
        fc.asyncProperty(events, async (sent) => {
          await withEvents(sent, async (tx) => {
            const scope = { merchantId: tx.merchantId, meter: meterOf(aggregation), sources: null, from: FROM, to: TO };
            const [whole = [], ...parts] = await measure(tx, scope, [
              {},
              { groups: ['region'] },
              { groups: ['deep', 'region'] },
              { window: 'HOUR' },
              { groups: ['region'], window: 'HOUR' },
            ]);
            const added = parts.map((rows) => plain(sum(rows.map(({ value }) => value))));
            expect(added).toEqual(parts.map(() => plain((whole[0] as UsageRow).value)));
          });
        }),
        cases(6, 25),
      ),
    60_000,
  );

  it.each([
    { name: 'ten times 0.1', data: Array(10).fill('{"v":0.1}'), SUM: '1', AVG: '0.1', MAX: '0.1' },
    {
      name: '2^53 + 1',
      data: ['{"v":9007199254740993}'],
      SUM: '9007199254740993',
      AVG: '9007199254740993',
      MAX: '9007199254740993',
    },
    {
      name: '30 digits and 1e-9',
      data: ['{"v":123456789012345678901234567890}', '{"v":"0.000000001"}', '{"v":1e-9}'],
      SUM: '123456789012345678901234567890.000000002',
      AVG: '41152263004115226300411522630.000000000666666666667',
      MAX: '123456789012345678901234567890',
    },
    { name: 'a third', data: ['{"v":1}', '{"v":0}', '{"v":0}'], SUM: '1', AVG: `0.${'3'.repeat(50)}`, MAX: '1' },
    {
      name: 'two thirds below zero',
      data: ['{"v":-2}', '{"v":0}', '{"v":0}'],
      SUM: '-2',
      AVG: `-0.${'6'.repeat(49)}7`,
      MAX: '0',
    },
    { name: 'nothing', data: [], SUM: '0', AVG: '0', MAX: '0' },
  ])('keeps all digits: $name', async ({ data, ...expected }) => {
    await withEvents(
      data.map((text: string) => ({ at: FROM, data: text })),
      async (tx) => {
        for (const [aggregation, value] of Object.entries(expected).filter(([key]) => key !== 'name')) {
          const [row] = await usage(tx, {
            merchantId: tx.merchantId,
            meter: meterOf(aggregation as Aggregation),
            sources: null,
            from: FROM,
            to: TO,
          });
          expect(`${aggregation} ${plain((row as UsageRow).value)}`).toBe(`${aggregation} ${value}`);
        }
      },
    );
  });

  it('takes, of the latest events, the one that was accepted last', async () => {
    const sent = [
      { at: FROM.add({ hours: 2 }), data: '{"v":1}' },
      { at: FROM.add({ hours: 2 }), data: '{"v":2}' },
      { at: FROM.add({ hours: 1 }), data: '{"v":3}' },
      { at: FROM.add({ hours: 3 }), data: '{"v":"none"}' },
    ];
    const latest = (order: typeof sent) =>
      withEvents(order, async (tx) => {
        const [row] = await usage(tx, {
          merchantId: tx.merchantId,
          meter: meterOf('LATEST'),
          sources: null,
          from: FROM,
          to: TO,
        });
        return plain((row as UsageRow).value);
      });
    expect(await latest(sent)).toBe('2');
    expect(await latest(sent.toReversed())).toBe('1');
  });

  it('clips windows to what was asked', async () => {
    const rows = await withEvents(
      [
        { at: FROM, data: '{"v":1}' },
        { at: TO.subtract({ minutes: 1 }), data: '{"v":2}' },
      ],
      (tx) =>
        usage(tx, {
          merchantId: tx.merchantId,
          meter: meterOf('SUM'),
          sources: null,
          from: FROM,
          to: TO.subtract({ seconds: 1 }),
          window: 'DAY',
        }),
    );
    expect(
      rows
        .toSorted((a, b) => a.value.comparedTo(b.value))
        .map((row) => [row.windowStart?.toString(), row.windowEnd?.toString(), plain(row.value)]),
    ).toEqual([
      ['2026-01-31T22:30:00Z', '2026-02-01T00:00:00Z', '1'],
      ['2026-02-01T00:00:00Z', '2026-02-01T23:59:59Z', '2'],
    ]);
  });

  it('names the customer of each event, also for a subscription and an unknown subject', async () => {
    const sent = [
      { subject: 'cus_acme', at: FROM, data: '{"v":1}' },
      { subject: 'sub_1', at: FROM, data: '{"v":2}' },
      { subject: 'nobody', at: FROM, data: '{"v":4}' },
    ];
    const rows = await withEvents(sent, (tx) =>
      usage(tx, {
        merchantId: tx.merchantId,
        meter: meterOf('SUM'),
        sources: null,
        from: FROM,
        to: TO,
        byCustomer: true,
      }),
    );
    expect(rows.map(({ customerId, value }) => [customerId, plain(value)])).toEqual(
      expect.arrayContaining([
        ['cus_acme', '3'],
        [null, '4'],
      ]),
    );
  });

  it('is nothing for a meter without an event type', async () => {
    const rows = await withEvents([{ at: FROM, data: '{"v":1}' }], (tx) =>
      usage(tx, {
        merchantId: tx.merchantId,
        meter: meterOf('SUM', { eventType: null }),
        sources: null,
        from: FROM,
        to: TO,
      }),
    );
    expect(rows).toMatchObject([{ eventCount: 0 }]);
  });
});
