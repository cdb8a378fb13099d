import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { sql } from '../../src/db/index.ts';
import { openStore } from '../../src/metering/archive/store.ts';
import { archiveRound } from '../../src/metering/archive/write.ts';
import { eventTallyChore } from '../../src/metering/index.ts';
import { findOldestOpenPeriods } from '../../src/wiring.ts';
import { loginUrl, type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { openS3Server, type S3Server } from '../support/s3-server.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Retention (docs/retention.md): old months lie in the archive, and everybody reads them as if they were here. */

const SENT = '2027-03-05T12:00:00Z';
const LATER = Temporal.Instant.from('2028-06-01T00:00:00Z');
const MONTHS = Array.from({ length: 14 }, (_, n) =>
  Temporal.PlainDate.from('2026-01-01').add({ months: n }).toString().slice(0, 7),
);

const minutesLater = (minutes: number): string => LATER.add({ minutes }).toString();

/** What the worker does in some hours: counts, writes files, lets go, and removes. */
async function archive(env: TestEnvironment, { url, keys }: { url: string; keys?: S3Server['keys'] }, from: number) {
  const terms = {
    store: openStore(url, keys),
    retentionDays: 400,
    findOpenPeriods: findOldestOpenPeriods,
    hasProjection: false,
    mostEvents: 4,
  };
  for (let minutes = from; minutes < from + 40; minutes += 20) {
    const now = Temporal.Instant.from(minutesLater(minutes));
    await eventTallyChore.run(env.database, now);
    await eventTallyChore.run(env.database, now);
    await archiveRound(env.database, terms, now);
  }
}

const months = (env: TestEnvironment): Promise<{ month: string; events: number }[]> =>
  env.database.transaction('every merchant, reading', (tx) =>
    tx.rows(sql`select to_char(at at time zone 'UTC', 'YYYY-MM') as month, count(*)::int as events
                  from event group by 1 order by 1`),
  );

const partsOf = (env: TestEnvironment) =>
  env.database.transaction('every merchant, reading', (tx) =>
    tx.rows<{ month: string; state: string; events: number }>(sql`
      select to_char(month, 'YYYY-MM') as month, state, event_count as events from event_archive
       order by month, first_seq`),
  );

/** A merchant whose periods begin and end in the middle of an hour, so that raw events are read for each. */
async function openWorld(env: TestEnvironment) {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const sum = await shop.metric({ groupBy: { region: '$.region' } });
  const users = await shop.metric({ aggregation: 'UNIQUE_COUNT', valueProperty: '$.user', name: 'Users' });
  const prices = [
    await shop.usagePrice({ billableMetricId: sum.id, properties: { unitPrice: '0.01' } }),
    await shop.usagePrice({ billableMetricId: users.id, properties: { unitPrice: '2' } }),
  ];
  const clock = await shop.clock('2026-01-01T00:30:00Z');
  const customer = await shop.customer({ externalId: 'acme' });
  const subscription = await shop.subscribe(await shop.plan(prices), { clock, customer });
  env.setNow(SENT);
  const events: Resource[] = [];
  for (const [number, month] of MONTHS.entries())
    for (const [place, time] of [
      '01T00:15:00.000001Z',
      '01T00:45:00Z',
      '14T10:00:00Z',
      '28T23:59:59.999999Z',
    ].entries())
      events.push(
        await shop.use(customer.id, `${month}-${time}`, `${number}.${place}00000000000000000001`, {
          idempotencyKey: `${month} ${place}`,
          data: {
            units: `${number}.${place}00000000000000000001`,
            user: `u${place % 3}`,
            region: place % 2 ? 'eu' : 'us',
          },
        }),
      );
  await shop.advance(clock, '2027-03-05T00:00:00Z');
  return { merchant, shop, sum, users, customer, subscription, clock, events };
}

/** All that somebody can ask about old months. */
async function answersOf(
  shop: Shop,
  { sum, users, events, customer, subscription }: Awaited<ReturnType<typeof openWorld>>,
) {
  const invoices = await shop.invoices(subscription);
  const range = 'from=2026-01-01T00:20:00Z&to=2027-02-20T10:10:00Z';
  return {
    invoices,
    explained: await Promise.all(invoices.map(({ id }: Resource) => shop.read(`/v2/invoices/${id}/explain`))),
    usage: await shop.read(`/v0/billableMetrics/${sum.id}/meter?${range}&groupBy=region&windowSize=MONTH`),
    users: await shop.read(`/v0/billableMetrics/${users.id}/meter?${range}&subject=${customer.id}`),
    metricEvents: await shop.read(`/v0/billableMetrics/${sum.id}/events?${range}&limit=100`),
    listed: await shop.read(`/v0/events?${range}&limit=100`),
    event: await shop.read(`/v0/events/${events[5].id}`),
    explainedEvent: await shop.read(`/v0/events/${events[9].id}/explain`),
    unbilled: await shop.read('/v0/usage/unbilled?from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z'),
  };
}

describe('an archive in a folder', () => {
  let folder: string;
  let url: string;
  let env: TestEnvironment;
  let world: Awaited<ReturnType<typeof openWorld>>;
  let before: Awaited<ReturnType<typeof answersOf>>;
  const files = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reckoner-archive-'));
    url = pathToFileURL(folder).href;
    env = await openTestEnvironment({ archive: { url, retentionDays: 400 }, recomputed: true });
    world = await openWorld(env);
    before = await answersOf(world.shop, world);
  }, 120_000);
  afterAll(async () => {
    await env.close();
    await rm(folder, { recursive: true });
  });

  it('has the months that are old enough, and the database does not', async () => {
    expect((await months(env)).map(({ month }) => month)).toEqual(MONTHS);
    env.setNow(minutesLater(0));
    await archive(env, { url }, 0);
    expect(await months(env)).toEqual([]);
    expect(await partsOf(env)).toEqual(MONTHS.map((month) => ({ month, state: 'away', events: 4 })));
    expect(files()).toHaveLength(MONTHS.length);
  });

  it('lists the events in the database, unless a list names a time', async () => {
    expect(await world.shop.read('/v0/events')).toMatchObject({ data: [], pagination: { total: 0 } });
    expect(await world.shop.read('/v0/events?type=call')).toMatchObject({ pagination: { total: 0 } });
  });

  it('gives each event by its id, and brings back no more than its file', async () => {
    expect(await world.shop.read(`/v0/events/${world.events[5].id}`)).toEqual(before.event);
    expect(await months(env)).toEqual([{ month: '2026-02', events: 4 }]);
    expect((await env.platform.get(`/v0/events/${world.events[9].id}`)).status).toBe(200);
    expect(await months(env)).toHaveLength(2);
  });

  it('answers every question about old months as before', async () => {
    expect(await answersOf(world.shop, world)).toEqual(before);
  });

  it('takes them away again a day later', async () => {
    await archive(env, { url }, 60);
    expect(await months(env)).not.toEqual([]);
    await archive(env, { url }, 1_500);
    expect(await months(env)).toEqual([]);
    expect(files()).toHaveLength(MONTHS.length);
  });

  it('is read by recompute and audit', async () => {
    const settings = { url, retentionDays: 400 };
    expect(await recomputeDatabase(loginUrl(env.url), undefined, settings)).toMatchObject({ differing: [] });
    expect(await auditDatabase(loginUrl(env.url), settings)).toMatchObject({ violations: [] });
  });

  it('knows a repeated event, and one with other content', async () => {
    await archive(env, { url }, 3_000);
    expect(await months(env)).toEqual([]);
    const [first] = world.events;
    const sent = {
      ...{ type: 'call', source: 'test', subject: world.customer.id, timestamp: '2026-01-01T00:15:00.000001Z' },
      data: { units: '0.000000000000000000001', user: 'u0', region: 'us' },
      idempotencyKey: '2026-01 0',
    };
    expect(await world.merchant.post('/v0/events', sent)).toMatchObject({ status: 202, body: first });
    const other = { ...sent, data: { units: 7 } };
    expect(await world.merchant.post('/v0/events', other)).toMatchObject({ status: 409 });
    const { id } = world.events[4];
    const batch = [{ ...sent, timestamp: '2028-05-01T00:00:00Z', idempotencyKey: 'new' }, sent];
    const answer = await world.merchant.post('/v0/events', batch);
    expect(answer).toMatchObject({ status: 202, body: { data: [{ idempotencyKey: 'new' }, { id: first.id }] } });
    expect(id).toBeDefined();
  });

  it('takes an event that comes late for an archived month', async () => {
    const late = await world.shop.use(world.customer.id, '2026-02-10T00:00:00Z', 100, { idempotencyKey: 'late' });
    const range = 'from=2026-02-01T00:30:00Z&to=2026-03-01T00:30:00Z';
    const usage = () => world.shop.read(`/v0/billableMetrics/${world.sum.id}/meter?${range}`);
    const counted = await usage();
    const file = await world.shop.read(`/v0/events?${range}`);
    expect(file.pagination.total).toBe(5);
    env.setNow(minutesLater(60 * 24 * 12));
    await archive(env, { url }, 60 * 24 * 12);
    expect((await months(env)).map(({ month }) => month)).toEqual(['2028-05']);
    expect((await partsOf(env)).filter(({ month }) => month === '2026-02')).toEqual([
      { month: '2026-02', state: 'away', events: 4 },
      { month: '2026-02', state: 'away', events: 1 },
    ]);
    expect(await usage()).toEqual(counted);
    expect(await world.shop.read(`/v0/events/${late.id}`)).toMatchObject({ id: late.id, data: { units: 100 } });
    expect((await world.shop.read(`/v0/events?${range}`)).pagination.total).toBe(5);
  });

  it('counts old events for a new metric', async () => {
    const metric = await world.shop.metric({ aggregation: 'COUNT', valueProperty: null });
    const range = 'from=2026-01-01T00:00:00Z&to=2027-03-01T00:00:00Z';
    const usage = await world.shop.read(`/v0/billableMetrics/${metric.id}/meter?${range}`);
    expect(usage.totalValue).toBe(MONTHS.length * 4 + 1);
  });
});

describe('a bucket', () => {
  let s3: S3Server;
  let env: TestEnvironment;
  let merchant: Merchant;
  let event: Resource;
  beforeAll(async () => {
    s3 = await openS3Server();
    env = await openTestEnvironment({
      archive: { url: s3.url, keys: s3.keys, retentionDays: 400 },
      archiveMilliseconds: 400,
    });
    env.setNow(SENT);
    merchant = await env.merchant();
    const shop = shopOf(merchant);
    const customer = await shop.customer();
    event = await shop.use(customer.id, '2026-05-05T00:00:00Z', '1.50');
  });
  afterAll(async () => {
    await env.close();
    await s3.close();
  });

  it('that refuses keeps everything in the database', async () => {
    env.setNow(minutesLater(0));
    s3.failing = 503;
    await expect(archive(env, s3, 0)).rejects.toThrow('503 SlowDown');
    s3.failing = null;
    const stranger = { ...s3.keys, secretAccessKey: 'another one' };
    await expect(archive(env, { url: s3.url, keys: stranger }, 60)).rejects.toThrow('403 SignatureDoesNotMatch');
    expect(await months(env)).toEqual([{ month: '2026-05', events: 1 }]);
    expect(await partsOf(env)).toMatchObject([{ state: 'writing' }]);
  });

  it('takes one file, with a signature, when it answers again', async () => {
    await archive(env, s3, 120);
    expect(await months(env)).toEqual([]);
    const [key = '', ...others] = s3.objects.keys();
    expect(others).toEqual([]);
    expect(key).toMatch(new RegExp(`^/usage/events/of-us/2026-05/${merchant.id}/[0-9a-f]{24}\\.parquet$`));
  });

  it('that is away or slow lets the caller come again, and loses nothing', async () => {
    s3.failing = 500;
    const away = await merchant.get(`/v0/events/${event.id}`);
    expect(away).toMatchObject({ status: 503, body: { code: 'ARCHIVE_UNAVAILABLE' } });
    s3.failing = null;
    s3.slowMilliseconds = 1_500;
    const slow = await merchant.get(`/v0/events/${event.id}`);
    expect(slow).toMatchObject({ status: 503, body: { code: 'EVENTS_ARCHIVED' }, headers: { 'retry-after': '5' } });
    await expect.poll(async () => (await months(env)).length, { timeout: 10_000 }).toBe(1);
    expect(await merchant.get(`/v0/events/${event.id}`)).toMatchObject({
      status: 200,
      body: { data: { units: '1.50' } },
    });
  });
});
