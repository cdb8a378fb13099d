import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEnvironment } from '../../src/app.ts';
import { auditProjections } from '../../src/metering/clickhouse/audit.ts';
import { rebuild } from '../../src/metering/clickhouse/shipper.ts';
import { selectProjectionsIn } from '../../src/metering/clickhouse/shipping.sql.ts';
import { type ClickHouse, connectClickHouse } from '../../src/metering/clickhouse/store.ts';
import { clickhouseUsage } from '../../src/metering/clickhouse/usage.ts';
import type { UsageCut, UsageScope } from '../../src/metering/meter/usage-request.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { hasEngine, unlessEngine } from './clickhouse-engine.ts';
import { type Loss, openServedEngine, PASSWORD, type ServedEngine } from './clickhouse-server.ts';
import {
  AGGREGATIONS,
  FROM,
  figures,
  meterOf,
  onlyClickHouse,
  onlyPostgres,
  type SuiteEvent,
  send,
  shipAll,
  time,
} from './stores.ts';

/** Faults of a network, a slow server and other processes: the figures stay those of PostgreSQL. */

const single = { kind: 'single' } as const;
const NOW = time('2026-03-01T00:00:00Z');
const CUTS: UsageCut[] = [{}, { groups: ['region'] }, { window: 'HOUR' }, { byCustomer: true }];

let env: TestEnvironment;
let merchant: Merchant;
let served: ServedEngine;
let clickhouse: ClickHouse;
beforeAll(async () => {
  if (hasEngine) served = await openServedEngine();
});
afterAll(() => served?.close());
beforeEach(async () => {
  if (!hasEngine) return;
  env = await openTestEnvironment();
  merchant = await env.merchant();
  clickhouse = served.clickhouse;
  served.onStatement = () => null;
});
afterEach(() => env?.close());

const eventsFrom = (first: number, count: number): SuiteEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    subject: `s${index % 5}`,
    at: time('2026-02-01T00:00:00Z').add({ minutes: (first + index) * 7 }),
    data: `{"v":${first + index}.5,"g":"g${index % 4}"}`,
  }));

let sent = 0;
/** Each call sends other events. */
async function accept(count = 30): Promise<void> {
  const events = eventsFrom(sent, count);
  const texts = events.map(
    ({ subject, at, data }, index) =>
      `{"type":"call","source":"wire","externalSubject":"${subject}","timestamp":"${at}","idempotencyKey":"w${sent + index}","data":${data}}`,
  );
  sent += count;
  expect((await merchant.post('/v0/events', `[${texts.join()}]`)).status).toBe(202);
}

const scopeOf = (aggregation: (typeof AGGREGATIONS)[number]): UsageScope => ({
  merchantId: merchant.id,
  meter: meterOf(aggregation),
  sources: null,
  from: FROM,
  to: time('2026-03-01T00:00:00Z'),
});

/** Every figure of every aggregation, as one text. */
async function all(query: Parameters<typeof figures>[1]): Promise<string> {
  const found: string[][][] = [];
  for (const aggregation of AGGREGATIONS) found.push(await figures(env, query, scopeOf(aggregation), CUTS));
  return JSON.stringify(found);
}

const audit = () => auditProjections({ database: env.database, clickhouse, mode: single });

/** As in a worker, the next round tries failed work again. */
async function shipUntilDone(store = clickhouse): Promise<number> {
  for (let failures = 0; failures < 200; failures += 1) {
    const isDone = await shipAll(env, store).then(
      () => true,
      () => false,
    );
    if (isDone) return failures;
  }
  throw new Error('Shipping does not come to an end.');
}

/** ClickHouse if possible, else PostgreSQL, and the reports about it. */
function withFallback(options: { mostMilliseconds?: number; pauseMilliseconds?: number } = {}) {
  const told: string[] = [];
  const query = clickhouseUsage({
    clickhouse,
    mode: single,
    fewSubjects: -1,
    postgres: onlyPostgres,
    pauseMilliseconds: 0,
    onFallback: (error) => told.push(error.message),
    ...options,
  });
  return { told, query };
}

const isFigure = (text: string) => /from event_\w+ as e/.test(text);
const isInsert = (text: string) => /insert into (event|batch)_/.test(text);

describe('shipping', () => {
  it.runIf(hasEngine).each<{ loss: Loss; what: string; matches: RegExp }>([
    { loss: 'before', what: 'making a table', matches: /create table/ },
    { loss: 'after', what: 'making a table', matches: /create table/ },
    { loss: 'before', what: 'an insert of events', matches: /insert into event_/ },
    { loss: 'after', what: 'an insert of events', matches: /insert into event_/ },
    { loss: 'before', what: 'an insert of a batch', matches: /insert into batch_/ },
    { loss: 'after', what: 'an insert of a batch', matches: /insert into batch_/ },
    { loss: 'half', what: 'a look at what is there', matches: /argMax\(token/ },
  ])(`brings each event once where the connection breaks $loss $what${unlessEngine}`, async ({ loss, matches }) => {
    await accept();
    const seen = new Map<string, number>();
    served.onStatement = (text) => {
      if (!matches.test(text)) return null;
      seen.set(text, (seen.get(text) ?? 0) + 1);
      return Number(seen.get(text)) % 3 === 0 ? null : loss; // twice in a row
    };
    expect(await shipUntilDone()).toBeGreaterThan(1);
    expect(await audit()).toEqual([]);
    served.onStatement = () => null;
    expect(await all(onlyClickHouse(clickhouse))).toBe(await all(onlyPostgres));
  });

  it.runIf(hasEngine)(
    `completes an insert of which ClickHouse kept some months and not the others${unlessEngine}`,
    async () => {
      const months = ['2025-11', '2025-12', '2026-01', '2026-02'].flatMap((month) =>
        ['01', '15'].map((day) => ({ subject: 's1', at: time(`${month}-${day}T00:00:00Z`), data: '{"v":1}' })),
      );
      await send(merchant, months, 1, () => Promise.resolve());
      let isFirst = true;
      served.onStatement = async (text) => {
        if (!isFirst || !text.includes('insert into event_')) return null;
        isFirst = false;
        const [statement = '', lines = ''] = text.split(/(?<=JSONEachRow)\n/);
        const kept = lines.split('\n').filter((_, index) => index < 2 || index === 4 || index === 5);
        await served.run(`${statement}\n${kept.join('\n')}`); // parts are of one month each
        return 'before';
      };
      await expect(shipAll(env, clickhouse, 100)).rejects.toThrow();
      await shipAll(env, clickhouse, 100);
      expect(await audit()).toEqual([]);
      const scope = { ...scopeOf('COUNT'), from: time('2025-01-01T00:00:00Z') };
      expect(await figures(env, onlyClickHouse(clickhouse), scope, [{ window: 'MONTH' }])).toEqual(
        await figures(env, onlyPostgres, scope, [{ window: 'MONTH' }]),
      );
    },
  );

  it.runIf(hasEngine)(`counts an insert once that arrives long after it was sent again${unlessEngine}`, async () => {
    await accept();
    const impatient = await connectClickHouse(served.url, 300);
    let release = () => {};
    const late: Promise<void>[] = [];
    const tokens = new Set<string>();
    const gate = new Promise<void>((opened) => {
      release = opened;
    });
    served.onStatement = (text) => {
      const token = /token = '([^']+)'/.exec(text)?.[1];
      if (!isInsert(text) || token === undefined || tokens.has(token)) return null;
      tokens.add(token);
      late.push(gate);
      return gate.then(() => null); // the first of each, after everything else
    };
    expect(await shipUntilDone(impatient.clickhouse)).toBeGreaterThan(0);
    release();
    await Promise.all(late);
    await clickhouse.columns({ text: 'select 1' }); // behind them all
    expect(late.length).toBeGreaterThan(5);
    expect(await audit()).toEqual([]);
    expect(await all(onlyClickHouse(clickhouse))).toBe(await all(onlyPostgres));
    await impatient.clickhouse.close();
  });

  it.runIf(hasEngine)(`brings each event once from several workers, whoever of them fails${unlessEngine}`, async () => {
    let statements = 0;
    const losses: (Loss | null)[] = [null, 'after', null, null, 'before', null, null];
    served.onStatement = (text) => {
      if (!isInsert(text)) return null;
      statements += 1;
      return losses[statements % losses.length] ?? null;
    };
    const accepting = (async () => {
      for (let times = 0; times < 6; times += 1) await accept(10);
    })();
    await Promise.all([accepting, shipUntilDone(), shipUntilDone(), shipUntilDone()]);
    await shipUntilDone();
    served.onStatement = () => null;
    expect(await audit()).toEqual([]);
    expect(await all(onlyClickHouse(clickhouse))).toBe(await all(onlyPostgres));
  });

  it.runIf(hasEngine)(
    `makes the tables once, where two workers begin at the same moment${unlessEngine}`,
    { timeout: 60_000 },
    async () => {
      await accept();
      const made: string[] = [];
      served.onStatement = async (text) => {
        const [, table] = /create table if not exists (\w+)/.exec(text) ?? [];
        if (table !== undefined) made.push(table);
        return null;
      };
      await Promise.all([shipUntilDone(), shipUntilDone(), shipUntilDone()]);
      const projections = await env.database.transaction('nobody', (tx) =>
        selectProjectionsIn(tx, ['new', 'building', 'serving', 'retired', 'dropped']),
      );
      expect(projections.map(({ state }) => state)).toEqual(['serving']);
      expect(new Set(made).size).toBe(2);
      expect(await audit()).toEqual([]);
    },
  );
});

describe('a question', () => {
  it.runIf(hasEngine).each<{ what: string; loss: Loss; matches: (text: string) => boolean }>([
    { what: 'its figures are lost', loss: 'before', matches: isFigure },
    { what: 'half of its figures are lost', loss: 'half', matches: isFigure },
    { what: 'what they are held against is lost', loss: 'half', matches: (text) => text.includes('argMax(token') },
  ])(
    `is answered by PostgreSQL where $what, and by ClickHouse the next time${unlessEngine}`,
    async ({ loss, matches }) => {
      await accept();
      await shipUntilDone();
      await accept(5);
      const { query, told } = withFallback();
      served.onStatement = (text) => (matches(text) ? loss : null);
      expect(await all(query)).toBe(await all(onlyPostgres));
      expect(told).toHaveLength(AGGREGATIONS.length);
      expect(told[0]).toMatch(/^ClickHouse does not answer: /);
      served.onStatement = () => null;
      await all(query);
      expect(told).toHaveLength(AGGREGATIONS.length);
    },
  );

  it.runIf(hasEngine)(`does not wait for a ClickHouse that is late${unlessEngine}`, async () => {
    await accept();
    await shipUntilDone();
    const { query, told } = withFallback({ mostMilliseconds: 100, pauseMilliseconds: 60_000 });
    let release = () => {};
    const gate = new Promise<null>((opened) => {
      release = () => opened(null);
    });
    let asked = 0;
    served.onStatement = (text) => {
      if (!isFigure(text)) return null;
      asked += 1;
      return gate;
    };
    const expected = await all(onlyPostgres);
    expect(await all(query)).toBe(expected);
    expect(told).toHaveLength(1); // and then it gets a pause
    expect(asked).toBe(2); // small values and large ones
    release();
  });

  it.runIf(hasEngine)(
    `is answered by PostgreSQL where ClickHouse was emptied while it was being asked${unlessEngine}`,
    async () => {
      await accept();
      await shipUntilDone();
      const { query, told } = withFallback();
      served.onStatement = async (text) => {
        const [, table] = /from (event_\w+) as e/.exec(text) ?? [];
        if (table !== undefined) await served.run(`truncate table ${table}`);
        return null;
      };
      expect(await all(query)).toBe(await all(onlyPostgres));
      expect(told[0]).toContain('should have');
      expect(told).toHaveLength(AGGREGATIONS.length);
    },
  );

  it.runIf(hasEngine)(
    `is answered by PostgreSQL where another batch came into what was emptied${unlessEngine}`,
    async () => {
      await accept(5);
      await shipUntilDone();
      await accept(30);
      const { query, told } = withFallback();
      let table = '';
      let isUnderWay = false;
      let isEmptied = false;
      served.onStatement = async (text) => {
        if (text.includes('insert into event_')) {
          isUnderWay = true;
          while (!isEmptied) await sleep(10); // the shipper has looked before, and its events arrive afterwards
        } else if (text.includes('insert into batch_'))
          await served.run('select sleep(3)'); // asked before it is told
        else if (isFigure(text) && !isEmptied) {
          table = /from (event_\w+) as e/.exec(text)?.[1] ?? '';
          await served.run(`truncate table ${table}`);
          isEmptied = true;
          while ((await served.run(`select count() from ${table}`)).trim() === '0') await sleep(10);
        }
        return null;
      };
      const shipping = shipAll(env, clickhouse).catch(() => undefined);
      while (!isUnderWay) await sleep(10);
      const scope = scopeOf('COUNT');
      const [[found = ''] = []] = await figures(env, query, scope, [{}]);
      expect(found).toContain(' of 35');
      expect(told[0]).toContain('should have 1 batches');
      served.onStatement = () => null;
      await shipping;
    },
  );

  it.runIf(hasEngine)(`may have lists larger than a field of a form${unlessEngine}`, async () => {
    await accept();
    await shipUntilDone();
    const texts = Array.from({ length: 200 }, (_, index) => ({ u: `${"'\\\n\t".repeat(300)}${index % 190}` }));
    await send(
      merchant,
      texts.map((data) => ({ subject: 's1', at: FROM, data: JSON.stringify(data) })),
      1,
      () => Promise.resolve(),
    );
    const scope = { ...scopeOf('UNIQUE_COUNT'), meter: meterOf('UNIQUE_COUNT', { valueProperty: '$.u' }) };
    const found = await figures(env, onlyClickHouse(clickhouse), scope, [{}]);
    expect(found).toEqual([['{"group":{}} 190 of 200']]);
    expect(found).toEqual(await figures(env, onlyPostgres, scope, [{}]));
  });

  it.runIf(hasEngine)(
    `holds what was acknowledged, whatever is shipped, rebuilt and emptied meanwhile${unlessEngine}`,
    { timeout: 120_000 },
    async () => {
      const { query } = withFallback();
      const scope = scopeOf('COUNT');
      const count = async () => {
        const [[text = ''] = []] = await figures(env, query, scope, [{}]);
        return Number(/ of (\d+)$/.exec(text)?.[1]);
      };
      const start = sent;
      let acknowledged = 0;
      let isOver = false;
      const accepting = (async () => {
        for (let times = 0; times < 40; times += 1) {
          await accept(5);
          acknowledged += 5;
        }
        isOver = true;
      })();
      const shipping = (async () => {
        while (!isOver) await shipAll(env, clickhouse, 9).catch(() => undefined);
      })();
      const disturbing = (async () => {
        for (let times = 0; !isOver; times += 1) {
          await sleep(150);
          const [serving] = await env.database.transaction('nobody', (tx) => selectProjectionsIn(tx, ['serving']));
          if (times % 3 === 0) await rebuild(env.database, 'a test', NOW);
          else if (times % 3 === 1 && serving) await served.run(`truncate table if exists event_${serving.name}`);
        }
      })();
      const seen: [number, number, number][] = [];
      while (!isOver) {
        const least = acknowledged;
        const found = await count();
        seen.push([least, found, sent - start]);
      }
      await Promise.all([accepting, shipping, disturbing]);
      expect(seen.length).toBeGreaterThan(5);
      expect(seen.filter(([least, found, most]) => found < least || found > most)).toEqual([]);
      await shipUntilDone();
      expect(await all(onlyClickHouse(clickhouse))).toBe(await all(onlyPostgres));
      expect(await audit()).toEqual([]);
    },
  );
});

describe('a whole environment', () => {
  /** Another process on the same database, with a recorded log. */
  async function openWith(clickhouseUrl: string) {
    const log: string[] = [];
    const environment = await openEnvironment({
      environment: 'sandbox',
      databaseUrl: env.url,
      clickhouseUrl,
      publicUrl: 'http://localhost:4401',
      platformKey: env.platform.key,
      masterKey: { key: env.masterKey },
      logger: pino({ level: 'trace' }, { write: (line: string) => log.push(line) }),
    });
    const product = await merchant.post('/v0/products', { name: 'API', description: 'Calls' });
    const fields = {
      name: 'Calls',
      description: 'd',
      unit: 'u',
      eventType: 'call',
      aggregation: 'SUM',
      valueProperty: '$.v',
    };
    const metric = await merchant.post('/v0/billableMetrics', { ...fields, productId: product.body.id });
    expect(metric.status).toBe(201);
    const path = `/v0/billableMetrics/${metric.body.id}/meter?from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z`;
    const meter = async () => {
      const headers = { authorization: `Bearer ${merchant.key}` };
      const reply = await environment.server.inject({ url: path, headers });
      return [reply.statusCode, reply.payload];
    };
    const expected = async () => {
      const { status, text } = await merchant.get(path);
      return [status, text];
    };
    return { environment, log, meter, expected };
  }

  it.runIf(hasEngine)(`ships by itself and answers reports from ClickHouse${unlessEngine}`, async () => {
    await accept();
    let figureCount = 0;
    served.onStatement = (text) => {
      if (isFigure(text)) figureCount += 1;
      return null;
    };
    const { environment, log, meter, expected } = await openWith(served.url);
    try {
      environment.startWorker();
      const isServing = async () =>
        (await env.database.transaction('nobody', (tx) => selectProjectionsIn(tx, ['serving']))).length > 0;
      while (!(await isServing())) await sleep(50);
      expect(await meter()).toEqual(await expected());
      expect(figureCount).toBeGreaterThan(0);
    } finally {
      await environment.close();
    }
    for (const form of [PASSWORD, encodeURIComponent(PASSWORD), btoa(`reckoner:${PASSWORD}`)])
      expect(log.join()).not.toContain(form);
  });

  it.runIf(hasEngine).each([
    {
      what: 'the password is wrong',
      url: () => served.url.replace(/:\/\/.*@/, '://reckoner:wrong@'),
      said: 'Authentication failed',
    },
    { what: 'nobody listens', url: () => 'http://reckoner:wrong@127.0.0.1:9/usage', said: 'ECONNREFUSED' },
  ])(`says so and counts in PostgreSQL where $what${unlessEngine}`, async ({ url, said }) => {
    await accept();
    const { environment, log, meter, expected } = await openWith(url());
    try {
      environment.startWorker();
      while (!log.some((line) => line.includes('until CLICKHOUSE_URL leads'))) await sleep(20);
      expect(await meter()).toEqual(await expected());
      expect(await expected()).toEqual([200, expect.stringContaining('"totalValue":')]);
    } finally {
      await environment.close();
    }
    const told = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('until CLICKHOUSE_URL leads'));
    expect(told.map(({ err }) => String(err.message))).toEqual([
      expect.stringMatching(new RegExp(`^ClickHouse at http://127.0.0.1:\\d+/\\w+: .*${said}`)),
    ]);
    expect(log.join()).not.toContain('wrong');
  });
});
