import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseExactJson } from '../../src/db/index.ts';
import { decimal, plain } from '../../src/kernel/decimal.ts';
import type { Aggregation, Meter } from '../../src/metering/meter/meter.ts';
import type { UsageCut } from '../../src/metering/meter/usage-request.ts';
import { type NaiveEvent, naiveUsage } from '../../src/metering/testing/oracle.ts';
import { cases } from '../support/cases.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { shopOf } from '../support/shop.ts';

/**
 * The figures of meters over HTTP, for events in any order (reliability I-03, I-08, I-09, I-13): alone and in arrays,
 * as CloudEvents, repeated, and at the same time. Only LATEST among events of one time may depend on the order: it is
 * the event accepted last, and a repeated event is not accepted again.
 */
const AGGREGATIONS = ['SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST'] as const;
const GROUP_BY = { region: '$.region' };

let env: TestEnvironment;
let merchant: Merchant;
const metrics = new Map<Aggregation, string>();
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  for (const aggregation of AGGREGATIONS)
    metrics.set(aggregation, (await shopOf(merchant).metric({ aggregation, groupBy: GROUP_BY })).id);
});
afterAll(() => env.close());

interface Drawn {
  /** Microseconds after the beginning of the run's own day. */
  readonly at: number;
  /** JSON texts, because a JavaScript number would lose digits. */
  readonly units: string;
  readonly region: string;
}

/**
 * One day of the merchant for each run. Figures of different days are independent, except for LATEST, which continues.
 */
let days = 0;
const nextDay = (): Temporal.Instant => {
  days += 1;
  return Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours: 24 * days });
};

interface Story {
  readonly from: Temporal.Instant;
  readonly events: readonly Drawn[];
}

const timeOf = ({ from }: Story, { at }: Drawn) => from.add({ microseconds: at });
const dataOf = ({ units, region }: Drawn) => `{"units":${units},"region":${region}}`;
const keyOf = ({ from }: Story, place: number) => `${from.epochMilliseconds}-${place}`;

/** An event as it is sent: in our own form, or as a CloudEvent. */
function textOf(story: Story, place: number, form: 'own' | 'cloud'): string {
  const event = story.events[place] as Drawn;
  const [time, data] = [timeOf(story, event), dataOf(event)];
  return form === 'own'
    ? `{"type":"call","source":"/s","externalSubject":"x","idempotencyKey":"${keyOf(story, place)}","timestamp":"${time}","data":${data}}`
    : `{"specversion":"1.0","type":"call","source":"/s","externalsubject":"x","id":"${keyOf(story, place)}","time":"${time}","data":${data}}`;
}

/** The sent events so far, in the order of acceptance. */
const history = new Map<string, NaiveEvent>();
const naiveOf = (story: Story, place: number): NaiveEvent => {
  const event = story.events[place] as Drawn;
  return { type: 'call', subject: 'x', at: timeOf(story, event), data: parseExactJson(dataOf(event)) };
};

/** Sends events by their places in one request: a single one alone, several as an array. */
async function send(story: Story, places: readonly number[], form: 'own' | 'cloud' = 'own'): Promise<void> {
  for (const place of places)
    history.set(keyOf(story, place), history.get(keyOf(story, place)) ?? naiveOf(story, place));
  const texts = places.map((place) => textOf(story, place, form));
  const kind = form === 'own' ? 'json' : `cloudevents${texts.length > 1 ? '-batch' : ''}+json`;
  const body = texts.length > 1 ? `[${texts.join()}]` : (texts[0] as string);
  const { status, text } = await merchant.post('/v0/events', body, { 'content-type': `application/${kind}` });
  expect(status, text).toBe(202);
}

const CUTS = { all: {}, groups: { groups: ['region'] }, windows: { window: 'HOUR' } } as const;

/** The meters' figures of a day, as texts, by aggregation. */
async function told({ from }: Story, aggregations: readonly Aggregation[]): Promise<Record<string, unknown>> {
  const query = `from=${from}&to=${from.add({ hours: 24 })}&groupBy=region&groupLimit=500&windowSize=HOUR`;
  const digits = (value: unknown) => plain(decimal(value as never));
  const found: Record<string, unknown> = {};
  for (const aggregation of aggregations) {
    const { status, text } = await merchant.get(`/v0/billableMetrics/${metrics.get(aggregation)}/meter?${query}`);
    expect(status, text).toBe(200);
    const { totalValue, groupedValues, windowedValues } = parseExactJson(text) as {
      totalValue: unknown;
      groupedValues: { groupBy: unknown; value: unknown; eventCount: number }[];
      windowedValues: { windowStart: string; value: unknown }[];
    };
    found[aggregation] = {
      all: [`{"group":{}} ${digits(totalValue)}`],
      groups: groupedValues
        .map(
          ({ groupBy, value, eventCount }) => `${JSON.stringify({ group: groupBy })} ${digits(value)} of ${eventCount}`,
        )
        .toSorted(),
      windows: windowedValues
        .map(({ windowStart, value }) => `${JSON.stringify({ group: {}, window: windowStart })} ${digits(value)}`)
        .toSorted(),
    };
  }
  return found;
}

/** The same counted one by one, for events that were accepted in this order. */
function counted(
  story: Story,
  places: readonly number[],
  aggregations: readonly Aggregation[],
): Record<string, unknown> {
  const earlier = [...history.values()].filter(({ at }) => Temporal.Instant.compare(at, story.from) < 0);
  const events = [...earlier, ...places.map((place) => naiveOf(story, place))];
  const figures = (aggregation: Aggregation) => {
    const meter: Meter = {
      aggregation,
      eventType: 'call',
      valueProperty: '$.units',
      groupBy: GROUP_BY,
      eventFrom: null,
    };
    const range = { from: story.from, to: story.from.add({ hours: 24 }) };
    const of = (cut: UsageCut) => naiveUsage(events, { merchantId: 'any', meter, sources: null, ...range }, cut);
    const bare = (texts: readonly string[]) => texts.map((text) => text.replace(/ of \d+$/, '')).toSorted();
    const windows = bare(of(CUTS.windows));
    return {
      all: bare(of(CUTS.all)),
      groups: of(CUTS.groups),
      windows: aggregation === 'LATEST' ? everyHour(story, windows) : windows,
    };
  };
  return Object.fromEntries(aggregations.map((aggregation) => [aggregation, figures(aggregation)]));
}

/** A level continues: an hour without an event has the figure of the hour before. */
function everyHour({ from }: Story, texts: readonly string[]): string[] {
  let level: string | undefined;
  return Array.from({ length: 24 }, (_, hours) =>
    JSON.stringify({ group: {}, window: from.add({ hours }).toString() }),
  ).flatMap((window) => {
    level = texts.find((text) => text.startsWith(window))?.slice(window.length) ?? level;
    return level === undefined ? [] : [`${window}${level}`];
  });
}

const digits = (most: number) => fc.stringMatching(new RegExp(`^(0|[1-9][0-9]{0,${most - 1}})$`));
/**
 * Numbers of up to 38 digits, with fractions and exponents, as JSON numbers and as decimal strings; and values that are
 * no number.
 */
const units = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('0.1', '1', '1.0', '"1"', '-0.1', '1e-9', '9007199254740993', '2.5e3') },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('', '-'), digits(19), digits(19), fc.boolean())
      .map(([sign, whole, part, isText]) => (isText ? `"${sign}${whole}.${part}"` : `${sign}${whole}.${part}`)),
  },
  { weight: 1, arbitrary: fc.tuple(digits(38), fc.integer({ min: -38, max: 0 })).map(([whole, e]) => `${whole}e${e}`) },
  { weight: 1, arbitrary: fc.constantFrom('null', 'true', '"many"', '{}', '[1]') },
);
const DAY = 24 * 3_600_000_000;
const drawn = (at: fc.Arbitrary<number>) =>
  fc.record({ at, units, region: fc.constantFrom('"eu"', '"us"', '7', '7.0', 'null', '[]') });
/** Around the hours, where windows and roll-ups begin. */
const moments = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: -1, max: 1 }))
  .map(([hour, more]) => Math.max(0, hour * 3_600_000_000 + more));
const anyEvents = fc.array(drawn(moments), { minLength: 1, maxLength: 16 });
const eventsApart = fc.uniqueArray(drawn(fc.nat({ max: DAY - 1 })), {
  minLength: 1,
  maxLength: 16,
  selector: ({ at }) => at,
});

/** An order, divided into requests; some events come again later, in requests of their own. */
interface Arrival {
  readonly order: readonly number[];
  readonly sizes: readonly number[];
  readonly form: 'own' | 'cloud';
  /** The repeated event, and the form of its request. */
  readonly again: readonly (readonly [place: number, when: number])[];
}

const arrival = (count: number): fc.Arbitrary<Arrival> =>
  fc.record({
    order: fc.shuffledSubarray([...Array(count).keys()], { minLength: count, maxLength: count }),
    sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: count, maxLength: count }),
    form: fc.constantFrom('own', 'cloud'),
    again: fc.array(fc.tuple(fc.nat({ max: count - 1 }), fc.nat({ max: count })), { maxLength: count }),
  });
const stories = (events: fc.Arbitrary<Drawn[]>, arrivals: number) =>
  events.chain((chosen) =>
    fc.record({
      events: fc.constant(chosen),
      arrivals: fc.array(arrival(chosen.length), { minLength: arrivals, maxLength: arrivals }),
    }),
  );

/** The requests of an arrival, in their order. */
function requestsOf({ order, sizes, again }: Arrival): number[][] {
  const requests: number[][] = [];
  let start = 0;
  for (const size of sizes) {
    if (start < order.length) requests.push(order.slice(start, start + size));
    start += size;
  }
  for (const [place, when] of again) {
    const first = requests.findIndex((request) => request.includes(place));
    requests.splice(Math.max(first + 1, Math.min(when, requests.length)), 0, [place]); // never before the first time
  }
  return requests;
}

describe('the figures of all seven aggregations', () => {
  it(
    'are those of the events in the order of their acceptance, however they were sent',
    () =>
      fc.assert(
        fc.asyncProperty(stories(anyEvents, 1), async ({ events, arrivals: [first] }) => {
          const story = { from: nextDay(), events };
          const chosen = first as Arrival;
          for (const places of requestsOf(chosen)) await send(story, places, chosen.form);
          expect(await told(story, AGGREGATIONS)).toEqual(counted(story, chosen.order, AGGREGATIONS));
        }),
        cases(6, 25),
      ),
    90_000,
  );

  it(
    'are the same for every order, but for LATEST of one time',
    () =>
      fc.assert(
        fc.asyncProperty(stories(anyEvents, 3), async ({ events, arrivals }) => {
          const blind = AGGREGATIONS.filter((aggregation) => aggregation !== 'LATEST');
          const found: unknown[] = [];
          for (const chosen of arrivals) {
            const story = { from: nextDay(), events };
            for (const places of requestsOf(chosen)) await send(story, places, chosen.form);
            found.push(withoutDays(await told(story, blind)));
          }
          expect(found).toEqual(found.map(() => found[0]));
        }),
        cases(2, 8),
      ),
    90_000,
  );

  it(
    'are the same, LATEST with them, where the requests come all at once and times differ',
    () =>
      fc.assert(
        fc.asyncProperty(stories(eventsApart, 1), async ({ events, arrivals: [first] }) => {
          const story = { from: nextDay(), events };
          const chosen = first as Arrival;
          await Promise.all(requestsOf(chosen).map((places) => send(story, places, chosen.form)));
          expect(await told(story, AGGREGATIONS)).toEqual(counted(story, chosen.order, AGGREGATIONS));
        }),
        cases(4, 15),
      ),
    90_000,
  );
});

/** Figures of different days, as of one. */
const withoutDays = (figures: unknown): unknown =>
  JSON.parse(JSON.stringify(figures).replaceAll(/\d{4}-\d\d-\d\d(?=T\d\d:00:00Z)/g, 'day'));

describe('LATEST of events of one time', () => {
  const at = 3_600_000_000;
  const events = ['1', '2', '3'].map((each) => ({ at, units: each, region: '"eu"' }));

  it.each([
    { what: 'one after the other', requests: [[0], [1], [2]], latest: '3' },
    { what: 'in the other order', requests: [[2], [1], [0]], latest: '1' },
    { what: 'in one array, in its order', requests: [[1, 2, 0]], latest: '1' },
    {
      what: 'in arrays that share an event',
      requests: [
        [2, 0],
        [0, 1],
      ],
      latest: '2',
    },
    { what: 'and the first again, which changes nothing', requests: [[0], [2], [0]], latest: '3' },
    {
      what: 'and all again in the other order',
      requests: [
        [0, 1, 2],
        [2, 1, 0],
      ],
      latest: '3',
    },
    { what: 'twice in one array, where the first place counts', requests: [[0, 1, 0]], latest: '2' },
  ])('is the one accepted last: $what', async ({ requests, latest }) => {
    const story = { from: nextDay(), events };
    for (const places of requests) await send(story, places);
    expect(await told(story, ['LATEST'])).toMatchObject({ LATEST: { all: [`{"group":{}} ${latest}`] } });
  });

  it('gives way to a later time, whenever that came', async () => {
    const story = { from: nextDay(), events: [{ at: at + 1, units: '9', region: '"eu"' }, ...events] };
    for (const place of [0, 1, 2, 3]) await send(story, [place]);
    expect(await told(story, ['LATEST'])).toMatchObject({ LATEST: { all: ['{"group":{}} 9'] } });
  });
});

describe('numbers keep all their digits, from the request to the answer', () => {
  const nines = '9'.repeat(38);
  const tenth = Array.from({ length: 10 }, () => '0.1');

  it.each([
    { what: 'ten times 0.1', values: tenth, SUM: '1', AVG: '0.1' },
    { what: 'ten times "0.1", as text', values: tenth.map((value) => `"${value}"`), SUM: '1', AVG: '0.1' },
    { what: '2^53 + 1', values: ['9007199254740993'], SUM: '9007199254740993', MAX: '9007199254740993' },
    {
      what: '2^53 + 1 and its opposite',
      values: ['9007199254740993', '-9007199254740993'],
      SUM: '0',
      MIN: '-9007199254740993',
    },
    {
      what: 'a billionth',
      values: ['1e-9', '0.000000001', '"0.000000001"'],
      SUM: '0.000000003',
      LATEST: '0.000000001',
    },
    {
      what: 'thirty digits and a billionth',
      values: ['123456789012345678901234567890', '1e-9'],
      SUM: '123456789012345678901234567890.000000001',
      MAX: '123456789012345678901234567890',
    },
    { what: '38 digits, twice', values: [nines, nines], SUM: `1${nines.slice(1)}8`, AVG: nines },
    { what: '38 digits behind the point', values: [`"0.${nines}"`, '1e-38'], SUM: '1', MIN: `0.${'0'.repeat(37)}1` },
    { what: '38 digits below zero', values: [`-${nines}`, '1'], SUM: `-${nines.slice(1)}8`, MIN: `-${nines}` },
    { what: '38 digits and an exponent of 38', values: [`9.${nines.slice(1)}e38`, '1'], SUM: `${nines}1` },
    { what: 'what is below zero in all', values: ['-0.3', '0.1', '0.1'], SUM: '-0.1', MIN: '-0.3', MAX: '0.1' },
  ])('$what', async ({ what: _, values, ...expected }) => {
    const story = { from: nextDay(), events: values.map((value, at) => ({ at, units: value, region: 'null' })) };
    await send(story, [...values.keys()], 'own');
    const wanted = Object.entries(expected) as [Aggregation, string][];
    const found = await told(
      story,
      wanted.map(([aggregation]) => aggregation),
    );
    for (const [aggregation, value] of wanted)
      expect(found[aggregation], aggregation).toMatchObject({ all: [`{"group":{}} ${value}`] });
  });

  it.each(['1'.repeat(39), `0.${'1'.repeat(39)}`, '1e39', '1e-39', `1.${'1'.repeat(38)}e5`])(
    'or are refused, and nothing is stored: %s',
    async (number) => {
      const body = `{"type":"call","source":"/s","externalSubject":"x","idempotencyKey":"${number}","data":{"units":${number}}}`;
      const { status, body: answer } = await merchant.post('/v0/events', body);
      expect([status, answer.errors?.[0]?.field]).toEqual([400, 'data.units']);
    },
  );
});
