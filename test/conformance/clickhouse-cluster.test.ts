import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Question } from '../../src/metering/clickhouse/question.ts';
import { createTables, engineMode } from '../../src/metering/clickhouse/tables.sql.ts';
import { selectLarge, selectSmall, selectUnique } from '../../src/metering/clickhouse/usage.sql.ts';
import { type Engine, hasEngine, openEngine, unlessEngine } from './clickhouse-engine.ts';
import { AGGREGATIONS, FROM, meterOf, TO } from './stores.ts';

/**
 * A cluster of two shards in the configuration of one engine: the engine reads the statements, and makes the table over
 * the shards. There are no other servers and no keeper here, so nothing is replicated and no data is read.
 */
const CONFIGURATION = `<clickhouse>
  <remote_servers><main>
    <shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>
    <shard><replica><host>127.0.0.2</host><port>9000</port></replica></shard>
  </main></remote_servers>
  <macros><shard>1</shard><replica>a</replica></macros>
</clickhouse>`;

const cluster = engineMode('main');
const projection = { name: 'x', mode: cluster };
const [local = '', , batches = ''] = createTables(cluster, 'y');
const onOneServer = (text: string): string => text.replace(" on cluster 'main'", '');

let folder: string;
let engine: Engine;
beforeAll(async () => {
  if (!hasEngine) return;
  folder = await mkdtemp(join(tmpdir(), 'reckoner-chdb-'));
  await writeFile(join(folder, 'config.xml'), CONFIGURATION);
  engine = await openEngine([`--config-file=${join(folder, 'config.xml')}`]);
  const [alone = ''] = createTables(engineMode(null), 'x');
  await engine.run(alone.replace('event_x', 'event_x_local')); // in the place of the replicated one
  await engine.run(onOneServer(createTables(cluster, 'x')[1] ?? ''));
});
afterAll(async () => {
  await engine?.close();
  if (hasEngine) await rm(folder, { recursive: true, force: true });
});

const questionOf = (aggregation: (typeof AGGREGATIONS)[number], subjects: bigint[] | null): Question => ({
  scope: { merchantId: 'org_1', meter: meterOf(aggregation), sources: null, from: FROM, to: TO },
  mark: 100n,
  lastBatch: 1,
  addresses: subjects?.map((subjectId) => ({ subjectId, from: FROM, to: TO })) ?? null,
  columns: { dimensions: ['region'], bySubject: true, window: 'DAY' },
  sets: [['d0', 'owner', 'w'], []],
});

describe('a cluster, as far as an engine alone goes', () => {
  it.runIf(hasEngine).each([
    { what: 'the events of a shard', text: local },
    { what: 'the batches', text: batches },
  ])(`has replicated tables for $what that lack nothing but a keeper${unlessEngine}`, async ({ text }) => {
    await expect(engine.run(text)).rejects.toThrow('Replicated DDL queries are disabled');
    await expect(engine.run(onOneServer(text))).rejects.toThrow("Can't create replicated table without ZooKeeper");
  });

  it.runIf(hasEngine)(`has a table over its shards, which knows where a subject is${unlessEngine}`, async () => {
    expect(await engine.run(`select engine_full from system.tables where name = 'event_x' format TSVRaw`)).toBe(
      "Distributed('main', 'default', 'event_x_local', cityHash64(merchant_id, subject_id))\n",
    );
    const strictly = (condition: string) =>
      engine.run(`explain select count() from event_x where merchant_id = 'org_1' ${condition}
                  settings optimize_skip_unused_shards = 1, force_optimize_skip_unused_shards = 1`);
    await expect(strictly('')).rejects.toThrow('Sharding key');
    expect(await strictly('and subject_id = 5')).toContain('ReadFromRemote');
  });

  it.runIf(hasEngine).each(AGGREGATIONS)(
    `understands the questions of %s over its shards${unlessEngine}`,
    async (kind) => {
      for (const subjects of [null, [5n, 6n]]) {
        const question = questionOf(kind, subjects);
        const tail = [{ keys: ['eu', '5', 20_485], value: 'a', count: 1n }];
        const statements =
          kind === 'UNIQUE_COUNT'
            ? [
                selectUnique(question, projection, [], new Map()),
                selectUnique(question, projection, tail, new Map([[5n, 6n]])),
              ]
            : [selectSmall(question, projection), selectLarge(question, projection)];
        for (const statement of statements) {
          if (statement === null) continue;
          const plan = await engine.clickhouse.columns({ ...statement, text: `explain ${statement.text}` });
          expect(plan.flat().join()).toContain('ReadFromRemote');
        }
      }
    },
  );
});
