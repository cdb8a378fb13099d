import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditAndReplace, auditProjections } from '../../src/metering/clickhouse/audit.ts';
import { rebuild, shipRound } from '../../src/metering/clickhouse/shipper.ts';
import { clickhouseUsage } from '../../src/metering/clickhouse/usage.ts';
import type { UsageCut, UsageScope } from '../../src/metering/meter/usage-request.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { hasEngine, unlessEngine } from './clickhouse-engine.ts';
import { openServedEngine, type ServedEngine } from './clickhouse-server.ts';
import { AGGREGATIONS, FROM, figures, meterOf, onlyClickHouse, onlyPostgres, shipAll, time } from './stores.ts';

/**
 * Merchants are placed on several servers of PostgreSQL, an installation each, and all copies lie in one ClickHouse. It
 * loses everything while ten writers go on: no figure is wrong meanwhile, and every copy is whole again afterwards.
 */
const WRITERS = 10;
const ROUNDS = 120;
const MOST_ROUNDS = 1_000;
const EVENTS = 5;
const CUTS: UsageCut[] = [{}, { groups: ['region'] }, { window: 'HOUR' }, { byCustomer: true }];

/** One PostgreSQL with the merchants that are placed on it. */
interface Placed {
  readonly env: TestEnvironment;
  readonly merchants: readonly Merchant[];
}

let served: ServedEngine;
let servers: Placed[];
beforeAll(async () => {
  if (hasEngine) served = await openServedEngine();
});
afterAll(() => served?.close());
beforeEach(async () => {
  if (!hasEngine) return;
  const open = async (): Promise<Placed> => {
    const env = await openTestEnvironment();
    return { env, merchants: [await env.merchant(), await env.merchant()] };
  };
  servers = [await open(), await open()];
});
afterEach(async () => {
  if (hasEngine) for (const { env } of servers) await env.close();
});

/** An acknowledged list of events, of other keys with each call. */
async function accept(merchant: Merchant, writer: number, round: number): Promise<void> {
  const events = Array.from({ length: EVENTS }, (_, place) => {
    const number = (writer * MOST_ROUNDS + round) * EVENTS + place;
    return {
      type: 'call',
      source: 'servers',
      externalSubject: `s${number % 7}`,
      timestamp: time('2026-02-01T00:00:00Z')
        .add({ seconds: number * 20 })
        .toString(),
      idempotencyKey: `w${number}`,
      data: { v: `${number}.5`, g: `g${number % 4}` },
    };
  });
  expect((await merchant.post('/v0/events', events)).status).toBe(202);
}

const scopeOf = (merchant: Merchant, aggregation: (typeof AGGREGATIONS)[number]): UsageScope => ({
  merchantId: merchant.id,
  meter: meterOf(aggregation),
  sources: null,
  from: FROM,
  to: time('2026-03-01T00:00:00Z'),
});

const everyFigure = async ({ env }: Placed, merchant: Merchant, query: Parameters<typeof figures>[1]) => {
  const found: string[][][] = [];
  for (const aggregation of AGGREGATIONS) found.push(await figures(env, query, scopeOf(merchant, aggregation), CUTS));
  return found;
};

const dependenciesOf = ({ env }: Pick<Placed, 'env'>) =>
  ({ database: env.database, clickhouse: served.clickhouse, mode: { kind: 'single' } }) as const;

const tables = async (): Promise<string[]> =>
  (await served.run('select name from system.tables where database = currentDatabase() order by name'))
    .replaceAll('"', '')
    .split('\n')
    .filter((name) => /^(?:event|batch)_/.test(name));

async function shipUntilDone(env: TestEnvironment): Promise<void> {
  for (let failures = 0; failures < 50; failures += 1)
    try {
      return await shipAll(env, served.clickhouse, 500);
    } catch {} // as in a worker, the next round tries failed work again
  throw new Error('Shipping does not come to an end.');
}

describe('several servers of PostgreSQL with one ClickHouse', () => {
  it.runIf(hasEngine)(
    `answer exactly while it loses all copies under ten writers, and build them again${unlessEngine}`,
    { timeout: 240_000 },
    async () => {
      const [started, acknowledged] = [new Map<Merchant, number>(), new Map<Merchant, number>()];
      const count = (events: Map<Merchant, number>, merchant: Merchant) =>
        events.set(merchant, (events.get(merchant) ?? 0) + EVENTS);
      let lost = 0;
      const fallbacks: string[] = [];
      const mustGoOn = (round: number) => round < ROUNDS || lost === 0 || fallbacks.length === 0;
      const merchants = servers.flatMap((server) => server.merchants.map((merchant) => ({ server, merchant })));
      const writing = Array.from({ length: WRITERS }, async (_, writer) => {
        const { merchant } = merchants[writer % merchants.length] as (typeof merchants)[number];
        for (let round = 0; round < MOST_ROUNDS && mustGoOn(round); round += 1) {
          count(started, merchant);
          await accept(merchant, writer, round);
          count(acknowledged, merchant);
          await sleep(25);
        }
      });
      let isOver = false;
      const shipping = servers.map(async ({ env }) => {
        while (!isOver) await shipAll(env, served.clickhouse, 500).catch(() => undefined);
      });
      const losing = (async () => {
        while (!isOver) {
          await sleep(1_200);
          const [some, ...others] = await tables();
          if (some === undefined || others.length < 1) continue;
          for (const name of [some, ...others]) await served.run(`drop table if exists ${name} sync`);
          lost += 1;
        }
      })();
      const wrong: unknown[] = [];
      const asking = servers.map(async ({ env, merchants: [merchant] }) => {
        const query = clickhouseUsage({
          clickhouse: served.clickhouse,
          mode: { kind: 'single' },
          fewSubjects: -1,
          postgres: onlyPostgres,
          pauseMilliseconds: 0,
          onFallback: ({ message }) => fallbacks.push(message),
        });
        while (!isOver) {
          const least = acknowledged.get(merchant as Merchant) ?? 0;
          const [[text = ''] = []] = await figures(env, query, scopeOf(merchant as Merchant, 'COUNT'), [{}]);
          const found = Number(/ of (\d+)$/.exec(text)?.[1]);
          const most = started.get(merchant as Merchant) ?? 0;
          if (found < least || found > most) wrong.push({ least, found, most });
        }
      });
      await Promise.all(writing);
      isOver = true;
      await Promise.all([...shipping, losing, ...asking]);
      expect(wrong).toEqual([]);
      expect(lost).toBeGreaterThan(0);
      expect(fallbacks.length).toBeGreaterThan(0);
      for (const server of servers) {
        await auditAndReplace(dependenciesOf(server), time('2026-03-01T00:00:00Z')); // lost with nothing left to ship
        await shipUntilDone(server.env);
        for (const merchant of server.merchants) {
          const whole = await everyFigure(server, merchant, onlyClickHouse(served.clickhouse));
          expect(whole).toEqual(await everyFigure(server, merchant, onlyPostgres));
          expect(whole[AGGREGATIONS.indexOf('COUNT')]?.[0]).toEqual([
            expect.stringContaining(` of ${acknowledged.get(merchant)}`),
          ]);
        }
        expect(await auditProjections(dependenciesOf(server))).toEqual([]);
      }
    },
  );

  it.runIf(hasEngine)(`remove their own copies alone${unlessEngine}`, async () => {
    const [first, second] = servers as [Placed, Placed];
    for (const { env, merchants } of servers) {
      await accept(merchants[0] as Merchant, 0, 0);
      await shipUntilDone(env);
    }
    const before = await tables();
    const other = async () => everyFigure(second, second.merchants[0] as Merchant, onlyClickHouse(served.clickhouse));
    const expected = await other();
    await rebuildAndDrop(first);
    const after = await tables();
    expect(after.filter((name) => before.includes(name)).length).toBeGreaterThanOrEqual(2);
    expect(before.filter((name) => !after.includes(name))).toHaveLength(2); // the retired copy of the first one
    expect(await other()).toEqual(expected);
  });
});

/** Another copy takes over, and the one before is removed once its rest is over. */
async function rebuildAndDrop({ env }: Pick<Placed, 'env'>): Promise<void> {
  const now = time('2026-03-01T00:00:00Z');
  await rebuild(env.database, 'a test', now);
  await shipUntilDone(env);
  await shipRound(dependenciesOf({ env }), now.add({ hours: 1 }));
}
