import { describe, expect, it } from 'vitest';
import { answerSettings, createTables, dropTables, engineMode, insertInto } from './tables.sql.ts';

const single = engineMode(null);
const cluster = engineMode('main');
const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
/** The created tables, in their order: name, cluster, engine with its arguments. */
const made = (mode: typeof single) =>
  createTables(mode, 'x').map((text) => {
    const [, name, onCluster = null, engine] =
      /^create table if not exists (\w+)(?: on cluster '(\w+)')? .*engine = (.*)$/.exec(plain(text)) ?? [];
    return { name, onCluster, engine };
  });

describe('the tables of one server', () => {
  it('are the events and the batches', () =>
    expect(made(single).map(({ name }) => name)).toEqual(['event_x', 'batch_x']));

  it('know nothing of a cluster', () => {
    const all = [...createTables(single, 'x'), ...dropTables(single, 'x'), insertInto(single, 'event_x', 'seq', 't')];
    expect(`${all.join()}${answerSettings(single)}`).not.toMatch(/cluster|Replicated|Distributed|quorum|sequential/);
  });

  it('forget repeated inserts and are written through to the disk', () => {
    for (const { engine } of made(single)) {
      expect(engine).toMatch(/^ReplacingMergeTree (partition|order) by/);
      expect(engine).toContain('non_replicated_deduplication_window = 10000');
      expect(engine).toContain('fsync_after_insert = 1');
    }
  });
});

describe('the tables of a cluster', () => {
  it('are made on all of it: local ones, one over them, and the batches', () =>
    expect(made(cluster).map(({ name, onCluster }) => [name, onCluster])).toEqual([
      ['event_x_local', 'main'],
      ['event_x', 'main'],
      ['batch_x', 'main'],
    ]));

  it('are replicated within a shard, and the batches on all servers', () => {
    const [local, , batches] = made(cluster).map(({ engine }) => engine ?? '');
    expect(local).toContain(
      `ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/event_x_local/{shard}', '{replica}')`,
    );
    expect(batches).toContain(
      `ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/batch_x', '{shard}-{replica}')`,
    );
    for (const engine of [local, batches]) expect(engine).toContain('replicated_deduplication_window = 10000');
  });

  it('have the events of a subject on one shard', () => {
    const [, over] = made(cluster).map(({ engine }) => engine);
    expect(over).toBe(`Distributed('main', currentDatabase(), 'event_x_local', cityHash64(merchant_id, subject_id))`);
  });

  it('have the columns of one server', () => {
    const columns = (text = '') => /\((\s*merchant_id[\s\S]*)\)\s+engine/.exec(text)?.[1];
    expect(columns(createTables(cluster, 'x')[0])).toBe(columns(createTables(single, 'x')[0]));
  });

  it('are all dropped, the one that leads to the others first', () =>
    expect(dropTables(cluster, 'x')).toEqual([
      `drop table if exists event_x on cluster 'main' sync`,
      `drop table if exists event_x_local on cluster 'main' sync`,
      `drop table if exists batch_x on cluster 'main' sync`,
    ]));

  it('take an insert when a majority has it, and answer with all that was taken', () => {
    expect(insertInto(cluster, 'event_x', 'seq', 't')).toContain(`insert_quorum = 'auto'`);
    expect(insertInto(cluster, 'event_x', 'seq', 't')).toContain('distributed_foreground_insert = 1');
    expect(answerSettings(cluster)).toContain('select_sequential_consistency = 1');
  });
});

it.each(['', "main'", 'a b', 'a;b'])('has no cluster named %j', (name) => expect(() => engineMode(name)).toThrow());
