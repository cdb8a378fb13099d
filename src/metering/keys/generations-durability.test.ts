import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../db/embedded/index.ts';
import { Database, migrate, sql, type Tx } from '../../db/index.ts';
import { createIntake } from '../intake/intake.ts';
import { beginKeyWork, continueKeyWork, sealKeys, selectKeyTables } from './generations.sql.ts';
import { type KeyLimits, planKeyWork } from './generations-plan.ts';

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');
const LIMITS: KeyLimits = { generations: 1, sieveRatio: 1_000, keysOfPlace: 512, bytesOfSlice: 8_000 };
const KEYS = 40;
const merchantId = 'org_durable';

let folder: string;
let server: EmbeddedPostgres;
let database: Database;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reckoner-generations-'));
  server = await startEmbeddedPostgres({ dataDirectory: folder }); // with fsync, as in production
  await server.ensureDatabase('reckoner');
  await migrate(server.urlFor('reckoner'));
  database = new Database({ url: server.urlFor('reckoner'), connections: 3, onConnectionError: () => undefined });
}, 120_000);
afterAll(async () => {
  await database.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const eventOf = (idempotencyKey: string) => ({
  merchantId,
  type: 'call',
  source: 'test',
  subject: null,
  externalSubject: 'acme',
  externalId: null,
  at: '2026-03-01T00:00:00Z',
  isTimeSent: true,
  idempotencyKey,
  data: '{}',
});

/** Tries until the server is there again: it may go away a moment after one of its processes. */
async function once<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 1_200) throw error; // a busy machine reads its log for a minute
      await sleep(50);
    }
  }
}

const byNobody = <T>(work: (tx: Tx) => Promise<T>) => database.transaction('nobody', work);

/**
 * Does something, and kills its process of the server before it is committed: then the server drops all it has in
 * memory, begins again from its log, and it was not done.
 */
async function killed(work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const undone = byNobody(async (tx) => {
    await work(tx);
    const { pid } = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    process.kill(pid, 'SIGKILL');
    await tx.one(sql`select pg_sleep(10)`);
  });
  await expect(undone).rejects.toThrow();
}

it('after a crash at any step of sealing, sifting and merging all keys are there, each once, and the step is taken then', async () => {
  const known = new Map<string, string>();
  const accept = async (keys: readonly string[]) => {
    const answered = await once(() => createIntake(database).accept(keys.map(eventOf), NOW));
    for (const { id, idempotencyKey } of answered) {
      expect(known.get(idempotencyKey) ?? id).toBe(id);
      known.set(idempotencyKey, id);
    }
  };
  let kills = 0;
  const step = async (work: (tx: Tx) => Promise<unknown>) => {
    await killed(work);
    kills += 1;
    await accept([...known.keys(), `after kill ${kills}`]);
    await byNobody(work);
    await accept([...known.keys(), `after step ${kills}`]);
  };

  for (let round = 0; round < 2; round += 1) {
    await accept(Array.from({ length: KEYS }, (_, n) => `${round} ${n}`));
    await step((tx) => sealKeys(tx, 0));
    for (;;) {
      const { underWay, ...tables } = await byNobody(selectKeyTables);
      const [work] = planKeyWork({ ...tables, underWay }, LIMITS);
      const [kind] = underWay;
      if (work !== undefined) await step((tx) => beginKeyWork(tx, work));
      else if (kind === undefined) break;
      else await step((tx) => continueKeyWork(tx, kind));
    }
  }

  const tables = await byNobody(selectKeyTables);
  expect(tables.generations.length).toBe(1);
  expect(tables.underWay).toEqual([]);
  expect(kills).toBeGreaterThan(10);
  const counted = await database.transaction({ merchants: [merchantId] }, (tx) =>
    tx.one(sql`
      select (select count(*)::int from event) as events, count(distinct h)::int as keys, count(*)::int as key_rows
        from (select h from event_key union all select h from event_key_sealed) keys`),
  );
  expect(counted).toEqual({ events: known.size, keys: known.size, keyRows: known.size });
}, 300_000);
