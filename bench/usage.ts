import pg from 'pg';
import { Database, sql, type Tx } from '../src/db/index.ts';
import { decimal, plain } from '../src/kernel/decimal.ts';
import { createIntake } from '../src/metering/intake/intake.ts';
import { eventPartitionChore } from '../src/metering/intake/partitions.ts';
import { eventTallyChore } from '../src/metering/intake/tally.ts';
import type { Meter } from '../src/metering/meter/meter.ts';
import { findEvent, listEvents } from '../src/metering/stored/events.ts';
import { registerMeter } from '../src/metering/stored/rollups.ts';
import { measureEach, rawUsage, usage } from '../src/metering/usage/usage.ts';
import { exponent, median, numbersOf, verdict } from './support/arguments.ts';
import { processMicroseconds, processorSeconds, type Stack, withStack } from './support/stack.ts';

/** How long a question about usage takes, and how that and taking events in grow with what is stored. See README.md. */

const [name = 'one'] = process.argv.slice(2);
const DEFAULTS = {
  one: { from: 1_000, to: 1_000_000, rounds: 200 },
  growth: { from: 10_000, to: 1_000_000, rounds: 100 },
  level: { from: 1_000, to: 100_000, rounds: 100 },
  flat: { from: 10_000, to: 160_000, rounds: 60 },
  percentile: { from: 10_000, to: 1_000_000, rounds: 10 },
} as const;
const { from, to, rounds } = numbersOf(DEFAULTS[name as keyof typeof DEFAULTS] ?? DEFAULTS.one);

const merchantId = 'org_0123456789abcdefghijkl';
const meter = {
  eventType: 'call',
  aggregation: 'SUM' as const,
  valueProperty: '$.tokens',
  groupBy: null,
  eventFrom: null,
};
const MONTH_START = Temporal.Instant.from('2026-03-01T00:00:00Z');
const DAY_SECONDS = 24 * 3_600;
const MONTH_SECONDS = 31 * DAY_SECONDS;
const BATCH = 1_000;
const PERIOD = {
  from: Temporal.Instant.from('2026-03-01T10:17:23Z'),
  to: Temporal.Instant.from('2026-03-31T10:17:23Z'),
};

/** When events happened, by how far the month has passed as they come in: a part of it, and chance. */
type Arrival = (passed: number, chance: number) => number;

const asTheyHappen: Arrival = (passed, chance) =>
  Math.max(0, Math.floor(passed * MONTH_SECONDS) - (chance % 20 === 0 ? chance % DAY_SECONDS : 0));

const ARRIVALS: Readonly<Record<string, Arrival>> = {
  'as they happen, one in twenty up to a day late': asTheyHappen,
  'in no order': (_passed, chance) => chance % MONTH_SECONDS,
};

/** Events of one merchant and some subjects; each call fills the month once more. @returns the ids of some of them */
function filler(database: Database, subjects: number, arrival: Arrival) {
  const intake = createIntake(database);
  let next = 0;
  const batch = (first: number, until: number) =>
    Array.from({ length: Math.min(BATCH, until - next) }, () => {
      next += 1;
      const mixed = Math.imul(next, 2654435761) >>> 0;
      return {
        merchantId,
        type: 'call',
        source: 'https://api.example.com/v1',
        subject: null,
        externalSubject: `customer-${next % subjects}`,
        externalId: null,
        at: MONTH_START.add({ seconds: arrival((next - first) / (until - first + 1), mixed) }).toString(),
        isTimeSent: true,
        idempotencyKey: `request-${next}`,
        data: JSON.stringify({ tokens: (mixed % 10_000) / 100, model: 'large', region: 'eu-central' }),
      };
    });
  return async (until: number): Promise<string[]> => {
    const first = next;
    const ids: string[] = [];
    const one = async () => {
      while (next < until) ids.push((await intake.accept(batch(first, until), MONTH_START))[0]?.id as string);
    };
    await Promise.all([one(), one()]);
    return ids;
  };
}

async function open(url: string): Promise<Database> {
  const database = new Database({ url, statementTimeout: 600_000 });
  await eventPartitionChore.run(database, MONTH_START);
  await database.transaction({ merchants: [merchantId] }, (tx) => registerMeter(tx, meter));
  return database;
}

type Reading<Answer> = (tx: Tx, time: number) => Promise<Answer>;

/** How long a reading takes, begin and commit included, and what it says. */
async function take<Answer>(database: Database, time: number, read: Reading<Answer>) {
  const began = performance.now();
  const answer = await database.transaction({ merchants: [merchantId] }, (tx) => read(tx, time));
  return { milliseconds: performance.now() - began, answer };
}

/** The middle one of many, what PostgreSQL's processes took for one on the average, and the last answer. */
async function takeMany<Answer>(stack: Stack, database: Database, times: number, read: Reading<Answer>) {
  const before = processorSeconds(stack.postgresId);
  const taken: Awaited<ReturnType<typeof take<Answer>>>[] = [];
  for (let time = 0; time < times; time += 1) taken.push(await take(database, time, read));
  return {
    milliseconds: median(taken.map(({ milliseconds }) => milliseconds)),
    processor: ((processorSeconds(stack.postgresId) - before) / times) * 1_000,
    answer: taken.at(-1)?.answer,
  };
}

/** The usage of one customer in one month, as text. */
const asked =
  (query: typeof usage, of: Meter = meter) =>
  async (tx: Tx) => {
    const rows = await query(tx, { merchantId, meter: of, ...PERIOD, sources: [{ subject: 'cus_0', ...PERIOD }] });
    return rows.map(({ value, eventCount }) => `${plain(value)} of ${eventCount}`).join();
  };

const raw: typeof usage = async (tx, request) => (await rawUsage.measure(tx, request, [request]))[0] ?? [];

const linkSubject = (database: Database) =>
  database.transaction({ merchants: [merchantId] }, (tx) =>
    tx.run(sql`update event_subject set addressee = 'cus_0', customer_id = 'cus_0' where key = 'customer-0'`),
  );

/** As autovacuum does it within a minute. */
async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}

async function one(stack: Stack): Promise<void> {
  for (const [order, arrival] of Object.entries(ARRIVALS)) {
    console.log(`  events of one subject, that come ${order}`);
    for (let size = from; size <= to; size *= 10) {
      const url = await stack.database();
      const database = await open(url);
      await filler(database, 1, arrival)(size);
      await linkSubject(database);
      await analyze(url);
      await takeMany(stack, database, 20, asked(usage));
      const { milliseconds, processor, answer } = await takeMany(stack, database, rounds, asked(usage));
      const scan = await takeMany(stack, database, size > 100_000 ? 3 : 20, asked(raw));
      if (answer !== scan.answer) throw new Error(`${answer} is not ${scan.answer}`);
      const ratio = milliseconds / scan.milliseconds;
      console.log(
        `  ${size.toLocaleString('en').padStart(10)}   ${milliseconds.toFixed(2)} ms (PostgreSQL ${processor.toFixed(2)})   wanted ≤ 2 ms   ${milliseconds <= 2 ? 'yes' : 'NO'}   from the events ${scan.milliseconds.toFixed(1)} ms   ratio ${ratio.toFixed(3)}${size < 1_000_000 ? '' : `   wanted ≤ 0.02   ${ratio <= 0.02 ? 'yes' : 'NO'}`}`,
      );
      await database.close();
    }
  }
}

const sampled = { ...meter, aggregation: 'PERCENTILE' } as const;
/** Of windows that events make, and of windows that roll-ups make. */
const PERCENTILES = {
  'p95 of five-minute sums': {
    meter: { ...sampled, percentile: decimal(95), sampleWindow: 'PT5M', sampleAggregation: 'SUM' },
    beside: raw,
  },
  'p99 of hourly peaks': {
    meter: { ...sampled, percentile: decimal(99), sampleWindow: 'PT1H', sampleAggregation: 'MAX' },
    beside: usage,
  },
} as const;

/** What a percentile of one month costs beside a sum of the same that reads as much. */
async function percentile(stack: Stack): Promise<void> {
  for (let size = from; size <= to; size *= 10) {
    const url = await stack.database();
    const database = await open(url);
    await filler(database, 1, asTheyHappen)(size);
    await linkSubject(database);
    await analyze(url);
    for (const [what, { meter: of, beside }] of Object.entries(PERCENTILES)) {
      const read = async (query: ReturnType<typeof asked>) => {
        await takeMany(stack, database, 3, query);
        return takeMany(stack, database, rounds, query);
      };
      const [found, sum] = [await read(asked(usage, of)), await read(asked(beside))];
      const ratio = found.milliseconds / sum.milliseconds;
      console.log(
        `  ${size.toLocaleString('en').padStart(10)}   ${what.padEnd(24)} ${found.milliseconds.toFixed(1)} ms (PostgreSQL ${found.processor.toFixed(1)})   the sum ${sum.milliseconds.toFixed(1)} ms   ratio ${ratio.toFixed(2)}   wanted ≤ 4   ${verdict(ratio <= 4)}`,
      );
    }
    await database.close();
  }
}

const SLICE = 1_000;
const MOST_SLICES = 20;
const PAGE = { limit: 20, offset: 0 };
const metersOf = async () => [{ id: 'met_0', merchantId, meter }];
const findBilling = async () => ({ billing: [], reason: null, reasons: new Map() });

/** A database with so many events, but for some slices of which it is measured what taking them in costs. */
async function storeOf(stack: Stack, size: number) {
  const url = await stack.database();
  const database = await open(url);
  const fill = filler(database, 1_000, asTheyHappen);
  const slices = Math.min(MOST_SLICES, size / 2 / SLICE);
  let filled = size - (slices + 1) * SLICE;
  const ids = await fill(filled);
  await linkSubject(database);
  await analyze(url);
  const takeIn = async (): Promise<number> => {
    if (filled === size) return 0;
    const before = processorSeconds(stack.postgresId);
    filled += SLICE;
    await fill(filled);
    return ((processorSeconds(stack.postgresId) - before) / slices / SLICE) * 1e6;
  };
  const reading = {
    question: asked(usage),
    list: async (tx: Tx) => (await listEvents(tx, merchantId, {}, { ...PAGE }, metersOf, Temporal.Now.instant())).total,
    event: async (tx: Tx, time: number) => {
      const id = ids[(time * 7_919) % ids.length] as string;
      return (await findEvent(tx, merchantId, id, metersOf, findBilling)).ok;
    },
  };
  return { size, database, takeIn, reading };
}

/** The sizes take turns, so that whatever else the machine does is shared out among them. */
async function growth(stack: Stack): Promise<void> {
  const stores: Awaited<ReturnType<typeof storeOf>>[] = [];
  for (let size = from; size <= to; size *= 10) stores.push(await storeOf(stack, size));
  for (const { takeIn } of stores) await takeIn(); // plans are made
  const points = stores.map(({ size }) => ({ size, ingest: 0, question: 0, list: 0, event: 0 }));
  for (let slice = 0; slice < MOST_SLICES; slice += 1)
    for (const [index, { takeIn }] of stores.entries()) (points[index] as { ingest: number }).ingest += await takeIn();
  for (const { database } of stores) {
    // As it runs every ten seconds: first it notes up to where it can count.
    await eventTallyChore.run(database, MONTH_START);
    await eventTallyChore.run(database, MONTH_START);
  }
  for (const figure of ['question', 'list', 'event'] as const) {
    const taken: number[][] = stores.map(() => []);
    for (let time = -20; time < rounds; time += 1)
      for (const [index, { size, database, reading }] of stores.entries()) {
        const { milliseconds, answer } = await take<unknown>(database, Math.abs(time), reading[figure]);
        const isRight = { question: true, list: answer === size, event: answer === true }[figure];
        if (!isRight) throw new Error(`The ${figure} of ${size} is wrong: ${answer}.`);
        if (time >= 0) taken[index]?.push(milliseconds);
      }
    for (const [index, times] of taken.entries())
      (points[index] as Record<typeof figure, number>)[figure] = median(times);
  }
  for (const { size, ingest, question, list, event } of points)
    console.log(
      `  ${size.toLocaleString('en').padStart(10)} events   taking one in ${ingest.toFixed(1)} µs of PostgreSQL   a question ${question.toFixed(2)} ms   the newest ${PAGE.limit} and the total ${list.toFixed(2)} ms   one by its id ${event.toFixed(2)} ms`,
    );
  for (const figure of ['ingest', 'question', 'list', 'event'] as const) {
    const grows = exponent(points.map((each) => [each.size, each[figure]]));
    console.log(
      `  growth of ${figure.padEnd(9)} N^${grows.toFixed(2)}   wanted ≤ 0.10   ${grows <= 0.1 ? 'yes' : 'NO'}`,
    );
  }
  for (const { database } of stores) await database.close();
}

const levelMeter = {
  ...meter,
  aggregation: 'LATEST' as const,
  valueProperty: '$.seats',
  groupBy: { region: '$.region' },
};
const REGIONS = 10;
/** A period in which nothing is reported: all that counts came before it. */
const QUIET = {
  from: Temporal.Instant.from('2026-03-01T10:17:23Z'),
  to: Temporal.Instant.from('2026-04-01T10:17:23Z'),
};

/** The level of one customer in that period, or those of its groups, as text. */
const askedLevel = (query: typeof usage, groups: readonly string[]) => async (tx: Tx) => {
  const sources = [{ subject: 'cus_0', ...QUIET }];
  const rows = await query(tx, { merchantId, meter: levelMeter, ...QUIET, sources, groups });
  const texts = rows.map(({ group, value }) => `${JSON.stringify(group)} ${plain(value)}`);
  return texts.toSorted().join();
};

/** Seats of ten regions that were reported once an hour, up to an hour before the period, and never since. */
async function reportHourly(database: Database, size: number): Promise<void> {
  const intake = createIntake(database);
  for (let first = 0; first < size; first += BATCH)
    await intake.accept(
      Array.from({ length: Math.min(BATCH, size - first) }, (_, index) => ({
        merchantId,
        type: 'call',
        source: 'https://api.example.com/v1',
        subject: null,
        externalSubject: 'customer-0',
        externalId: null,
        at: QUIET.from.subtract({ hours: size - first - index }).toString(),
        isTimeSent: true,
        idempotencyKey: `report-${first + index}`,
        data: JSON.stringify({ seats: (first + index) % 97, region: `region-${(first + index) % REGIONS}` }),
      })),
      QUIET.from,
    );
}

/** What a level costs that goes on, by how long its history is: one figure, and one of each of ten groups. */
async function level(stack: Stack): Promise<void> {
  const points: { size: number; one: number; groups: number }[] = [];
  for (let size = from; size <= to; size *= 10) {
    const url = await stack.database();
    const database = await open(url);
    await database.transaction({ merchants: [merchantId] }, (tx) => registerMeter(tx, levelMeter));
    await reportHourly(database, size);
    await linkSubject(database);
    await analyze(url);
    const point = { size, one: 0, groups: 0 };
    for (const [figure, groups] of [
      ['one', []],
      ['groups', ['region']],
    ] as const) {
      const rolled = askedLevel(usage, groups);
      await takeMany(stack, database, 20, rolled);
      const { milliseconds, processor, answer } = await takeMany(stack, database, rounds, rolled);
      const scan = await takeMany(stack, database, 3, askedLevel(raw, groups));
      if (answer !== scan.answer) throw new Error(`${answer} is not ${scan.answer}`);
      point[figure] = milliseconds;
      console.log(
        `  ${size.toLocaleString('en').padStart(10)} hours   ${figure === 'one' ? 'one level    ' : `${REGIONS} groups    `} ${milliseconds.toFixed(2)} ms (PostgreSQL ${processor.toFixed(2)})   from the events ${scan.milliseconds.toFixed(1)} ms   ratio ${(milliseconds / scan.milliseconds).toFixed(3)}`,
      );
    }
    points.push(point);
    await database.close();
  }
  for (const figure of ['one', 'groups'] as const) {
    const grows = exponent(points.map((each) => [each.size, each[figure]]));
    console.log(
      `  growth of ${figure.padEnd(9)} N^${grows.toFixed(2)}   wanted ≤ 0.10   ${grows <= 0.1 ? 'yes' : 'NO'}`,
    );
  }
}

/**
 * A customer whose events lie evenly in one hour, and the time of a question that begins and ends there or elsewhere.
 */
const SCENES = {
  'the open hour': { from: PERIOD.from, to: MONTH_START.add({ hours: 300, minutes: 59, seconds: 59 }), hour: 300 },
  'the hour in which a first period begins': { from: MONTH_START.add({ hours: 200 }), to: PERIOD.to, hour: 200 },
  'the hour in which a later period begins': {
    from: MONTH_START.add({ hours: 100, minutes: 17 }),
    to: PERIOD.to,
    hour: 100,
  },
} as const;
const SCENE_SIZES = [10, 100, 1_000, 10_000] as const;
const SCENE_NAMES = Object.keys(SCENES) as (keyof typeof SCENES)[];

interface SceneCustomer {
  readonly name: string;
  readonly scene: keyof typeof SCENES;
  readonly size: number;
}

const SCENE_CUSTOMERS: readonly SceneCustomer[] = SCENE_NAMES.flatMap((scene, place) =>
  SCENE_SIZES.map((size) => ({ name: `scene-${place}-${size}`, scene, size })),
);

const sceneScope = ({ name: customer, scene }: SceneCustomer) => {
  const { from: begin, to: end } = SCENES[scene];
  const sources = [{ subject: `cus_${customer}`, from: begin, to: end }];
  return { merchantId, meter, from: begin, to: end, sources };
};

async function fillScene(database: Database, { name: customer, scene, size }: SceneCustomer): Promise<void> {
  const intake = createIntake(database);
  const hour = MONTH_START.add({ hours: SCENES[scene].hour });
  for (let first = 0; first < size; first += BATCH)
    await intake.accept(
      Array.from({ length: Math.min(BATCH, size - first) }, (_, index) => ({
        merchantId,
        type: 'call',
        source: 'https://api.example.com/v1',
        subject: null,
        externalSubject: customer,
        externalId: null,
        at: hour.add({ milliseconds: Math.floor(((first + index) * 3_590_000) / size) }).toString(),
        isTimeSent: true,
        idempotencyKey: `${customer}-${first + index}`,
        data: JSON.stringify({ tokens: (first + index) % 89 }),
      })),
      MONTH_START,
    );
}

/**
 * What PostgreSQL takes for the figures of some questions, one call each: the middle of many rounds, in turn, in
 * microseconds.
 */
async function statementCosts(database: Database, scopes: readonly ReturnType<typeof sceneScope>[]): Promise<number[]> {
  const taken: number[][] = scopes.map(() => []);
  for (let round = -10; round < rounds; round += 1)
    for (const [index, scope] of scopes.entries())
      await database.transaction({ merchants: [merchantId] }, async (tx) => {
        const { pid } = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
        const before = processMicroseconds(pid);
        await measureEach(tx, [scope]);
        if (round >= 0) taken[index]?.push(processMicroseconds(pid) - before);
      });
  return taken.map(median);
}

/** What one figure costs, by the events in an hour at its ends, and by the events of others in the store. */
async function flat(stack: Stack): Promise<void> {
  const url = await stack.database();
  const database = await open(url);
  for (const customer of SCENE_CUSTOMERS) await fillScene(database, customer);
  await database.transaction({ merchants: [merchantId] }, (tx) =>
    tx.run(sql`update event_subject set addressee = 'cus_' || key, customer_id = 'cus_' || key`),
  );
  await analyze(url);
  for (const customer of SCENE_CUSTOMERS)
    await database.transaction({ merchants: [merchantId] }, async (tx) => {
      const scope = sceneScope(customer);
      const [[rolled], [scanned]] = [await measureEach(tx, [scope]), await raw(tx, scope)];
      if (!rolled || !scanned || !rolled.value.equals(scanned.value)) throw new Error(`${customer.name} is wrong.`);
    });
  await database.close();
  const asking = new Database({ url, connections: 1 });
  const costs = await statementCosts(asking, SCENE_CUSTOMERS.map(sceneScope));
  for (const scene of SCENE_NAMES) {
    const points = SCENE_CUSTOMERS.flatMap((each, index) =>
      each.scene === scene ? [[each.size, costs[index] as number] as const] : [],
    );
    const [[, least], [, most]] = [points[0], points.at(-1)] as [readonly [number, number], readonly [number, number]];
    const grows = exponent(points);
    console.log(
      `  ${scene.padEnd(40)} ${points.map(([size, cost]) => `${size.toLocaleString('en')}: ${cost.toFixed(0)} µs`).join('   ')}   ratio ${(most / least).toFixed(2)}   N^${grows.toFixed(3)}   wanted ≤ 0.05   ${grows <= 0.05 ? 'yes' : 'NO'}`,
    );
  }
  await asking.close();
  await inAGrowingStore(stack);
}

/** The figure of one customer of a hundred events, as the events of a thousand others come in. */
async function inAGrowingStore(stack: Stack): Promise<void> {
  const url = await stack.database();
  const [database, asking] = [await open(url), new Database({ url, connections: 1 })];
  const customer = SCENE_CUSTOMERS[1] as SceneCustomer;
  await fillScene(database, customer);
  await database.transaction({ merchants: [merchantId] }, (tx) =>
    tx.run(sql`update event_subject set addressee = 'cus_' || key, customer_id = 'cus_' || key`),
  );
  const fill = filler(database, 1_000, asTheyHappen);
  const points: [number, number][] = [];
  for (let size = from; size <= to; size *= 4) {
    await fill(size);
    const [cost] = await statementCosts(asking, [sceneScope(customer)]);
    points.push([size, cost as number]);
  }
  const grows = exponent(points);
  console.log(
    `  ${'events of others in the store'.padEnd(40)} ${points.map(([size, cost]) => `${size.toLocaleString('en')}: ${cost.toFixed(0)} µs`).join('   ')}   N^${grows.toFixed(3)}   wanted ≤ 0.05   ${grows <= 0.05 ? 'yes' : 'NO'}`,
  );
  await database.close();
  await asking.close();
}

const commands: Readonly<Record<string, (stack: Stack) => Promise<void>>> = { one, growth, level, flat, percentile };
const command = commands[name];
if (!command) throw new Error(`There is ${Object.keys(commands).join(', ')}.`);
await withStack(command);
