import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditAndReplace, auditProjections } from '../../src/metering/clickhouse/audit.ts';
import { rebuild } from '../../src/metering/clickhouse/shipper.ts';
import { selectProjectionsIn } from '../../src/metering/clickhouse/shipping.sql.ts';
import type { ClickHouse } from '../../src/metering/clickhouse/store.ts';
import { answerSettings, createTables, dropTables, insertInto } from '../../src/metering/clickhouse/tables.sql.ts';
import { clickhouseUsage } from '../../src/metering/clickhouse/usage.ts';
import type { UsageCut, UsageScope } from '../../src/metering/meter/usage-request.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { hasEngine, unlessEngine } from './clickhouse-engine.ts';
import { openServedEngine, type ServedEngine } from './clickhouse-server.ts';
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
  TO,
  time,
} from './stores.ts';

const single = { kind: 'single' } as const;
const NOW = time('2026-03-01T00:00:00Z');
const CUTS: UsageCut[] = [{}, { groups: ['region'] }, { window: 'HOUR' }, { byCustomer: true }];

let env: TestEnvironment;
let merchant: Merchant;
let clickhouse: ClickHouse;
let served: ServedEngine | null = null;
beforeAll(async () => {
  if (hasEngine) served = await openServedEngine();
});
afterAll(() => served?.close());
beforeEach(async () => {
  env = await openTestEnvironment(); // of its own: shipping is about the events of all merchants
  merchant = await env.merchant();
  if (served !== null) clickhouse = served.clickhouse;
});
afterEach(() => env.close());

const EVENTS: SuiteEvent[] = Array.from({ length: 40 }, (_, index) => ({
  subject: `s${index % 5}`,
  at: time('2026-02-01T00:00:00Z').add({ minutes: index * 11 }),
  data: `{"v":${index % 3 === 0 ? `"${index}.123456789012345678901234567890"` : `${index}.5`},"g":"g${index % 4}"}`,
}));

const accept = (events = EVENTS) => send(merchant, events, 1, () => Promise.resolve());

const scopeOf = (aggregation: (typeof AGGREGATIONS)[number]): UsageScope => ({
  merchantId: merchant.id,
  meter: meterOf(aggregation),
  sources: null,
  from: FROM,
  to: TO,
});

/** Every figure of every aggregation, as one text, from one store. */
async function all(query: Parameters<typeof figures>[1]): Promise<string> {
  const found: string[][][] = [];
  for (const aggregation of AGGREGATIONS) found.push(await figures(env, query, scopeOf(aggregation), CUTS));
  return JSON.stringify(found);
}

const servingName = async (): Promise<string> => {
  const [found] = await env.database.transaction('nobody', (tx) => selectProjectionsIn(tx, ['serving']));
  if (found === undefined) throw new Error('No projection is serving.');
  return found.name;
};

const audit = () => auditProjections({ database: env.database, clickhouse, mode: single });

describe('a ClickHouse that is shipped to', () => {
  it.runIf(hasEngine)(`counts a batch once, however often it came and nobody heard of it${unlessEngine}`, async () => {
    await accept();
    const tries = new Map<string, number>();
    const failing: ClickHouse = {
      ...clickhouse,
      insert: async (text, lines) => {
        await clickhouse.insert(text, lines);
        const token = /token = '([^']+)'/.exec(text)?.[1] ?? '';
        tries.set(token, (tries.get(token) ?? 0) + 1);
        if (Number(tries.get(token)) < 3) throw new Error('The answer was lost.');
      },
    };
    for (let failures = 0; ; failures += 1) {
      const isDone = await shipAll(env, failing).then(
        () => true,
        () => false,
      );
      if (isDone) break;
      expect(failures).toBeLessThan(100);
    }
    expect(Math.max(...tries.values())).toBe(3);
    expect(await audit()).toEqual([]);
    expect(await all(onlyClickHouse(clickhouse))).toBe(await all(onlyPostgres));
  });

  it.runIf(hasEngine)(`keeps an insert without a token that comes after one with a token${unlessEngine}`, async () => {
    await accept(EVENTS.slice(0, 3));
    await shipAll(env, clickhouse);
    const name = await servingName();
    const line = '{"batch_no":99,"token":"x","from_seq":1,"to_seq":2,"event_count":0}';
    const bare = `insert into batch_${name} (batch_no, token, from_seq, to_seq, event_count) format JSONEachRow`;
    await clickhouse.insert(
      insertInto(single, `batch_${name}`, 'batch_no, token, from_seq, to_seq, event_count', 't'),
      line,
    );
    await clickhouse.insert(bare, line.replace('99', '98'));
    await clickhouse.insert(bare, line.replace('99', '97'));
    expect(
      await clickhouse.columns({ text: `select toString(count()) from batch_${name} where batch_no > 96` }),
    ).toEqual([['3']]);
  });

  it.runIf(hasEngine)(`gives the same figures after it was dropped and rebuilt${unlessEngine}`, async () => {
    await accept();
    await shipAll(env, clickhouse);
    const [name, before] = [await servingName(), await all(onlyClickHouse(clickhouse))];
    for (const text of dropTables(single, name)) await clickhouse.run(text);
    await rebuild(env.database, 'a test', NOW);
    for (let tries = 0; tries < 3; tries += 1) await shipAll(env, clickhouse).catch(() => undefined);
    expect(await servingName()).not.toBe(name);
    expect(await all(onlyClickHouse(clickhouse))).toBe(before);
    expect(await all(onlyPostgres)).toBe(before);
  });

  it.runIf(hasEngine).each([
    {
      what: 'its events were emptied',
      breaks: (name: string) => [`truncate table event_${name}`],
      reason: 'has 0 of 40 events.',
    },
    {
      what: 'its batches were emptied',
      breaks: (name: string) => [`truncate table batch_${name}`],
      reason: 'has 0 batches, but batch 7 is the next.',
    },
    {
      what: 'its tables are gone',
      breaks: (name: string) => dropTables(single, name),
      reason: 'A table of the projection is missing: ',
    },
    {
      what: 'it was set back to a backup',
      breaks: (name: string) => [`alter table batch_${name} delete where batch_no > 2 settings mutations_sync = 2`],
      reason: 'has 2 batches, but batch 7 is the next.',
    },
  ])(
    `is not asked any more where $what, and rebuilt with the next event${unlessEngine}`,
    async ({ breaks, reason }) => {
      await accept();
      await shipAll(env, clickhouse);
      const expected = await all(onlyPostgres);
      const name = await servingName();
      for (const text of breaks(name)) await clickhouse.run(text);
      const told: Error[] = [];
      const query = clickhouseUsage({
        clickhouse,
        mode: single,
        postgres: onlyPostgres,
        pauseMilliseconds: 0,
        onFallback: (error) => told.push(error),
      });
      expect(await all(query)).toBe(expected);
      expect(told).toHaveLength(AGGREGATIONS.length);
      expect((await merchant.post('/v0/events', { type: 'other', source: 'x', externalSubject: 's1' })).status).toBe(
        202,
      );
      await expect(shipAll(env, clickhouse)).rejects.toThrow(reason);
      await shipAll(env, clickhouse);
      expect(await all(onlyClickHouse(clickhouse))).toBe(expected);
    },
  );

  it.runIf(hasEngine)(
    `is found out by the audit when an event is missing, is there twice, or is another${unlessEngine}`,
    async () => {
      await accept();
      await shipAll(env, clickhouse);
      expect(await audit()).toEqual([]);
      const name = await servingName();
      await clickhouse.run(`insert into event_${name} select * from event_${name} where batch_no = 2 limit 1`);
      expect((await audit()).map(({ batchNo }) => batchNo)).toEqual([2]);
      await clickhouse.run(
        `alter table event_${name} delete where seq = (select max(seq) from event_${name} where batch_no = 4) settings mutations_sync = 2`,
      );
      expect((await audit()).map(({ batchNo }) => batchNo)).toEqual([2, 4]);
      await clickhouse.run(
        `insert into event_${name} select * replace (at + 1 as at) from event_${name} where batch_no = 3 limit 1`,
      );
      expect((await audit()).map(({ batchNo }) => batchNo)).toEqual([2, 3, 4]);
    },
  );

  it.runIf(hasEngine)(
    `is rebuilt by the audit where its tables are gone and nothing comes in${unlessEngine}`,
    async () => {
      await accept();
      await shipAll(env, clickhouse);
      const expected = await all(onlyPostgres);
      for (const text of dropTables(single, await servingName())) await clickhouse.run(text);
      const [reason] = await auditAndReplace({ database: env.database, clickhouse, mode: single }, NOW);
      expect(reason).toContain('is rebuilt. Batch 1 is 7 ');
      await shipAll(env, clickhouse);
      expect(await all(onlyClickHouse(clickhouse))).toBe(expected);
    },
  );

  it.runIf(hasEngine)(`has tables for a cluster from the same source that it understands${unlessEngine}`, async () => {
    const mode = { kind: 'cluster', cluster: 'main' } as const;
    const statements = [...createTables(mode, 'x'), ...dropTables(mode, 'x')];
    expect(statements).toHaveLength(6);
    for (const text of statements) {
      expect(text).toContain("on cluster 'main'");
      await clickhouse.columns({ text: `select formatQuery({text:String})`, parameters: { text } });
    }
    const insert = insertInto(mode, 'event_x', 'seq', 't').replace(/format JSONEachRow/, 'values (1)');
    await clickhouse.columns({ text: `select formatQuery({text:String})`, parameters: { text: insert } });
    await clickhouse.columns({ text: `select 1 ${answerSettings(mode)}` });
  });
});
