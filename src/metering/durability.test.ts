import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/index.ts';
import { Database, migrate, sql } from '../db/index.ts';
import { createIntake } from './intake/intake.ts';

const ROUNDS = 3;
const SENDERS = 4;
const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');
const merchantId = 'org_durable';

let folder: string;
let server: EmbeddedPostgres;
let database: Database;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reckoner-durability-'));
  server = await startEmbeddedPostgres({ dataDirectory: folder }); // with fsync, as in production
  await server.ensureDatabase('reckoner');
  await migrate(server.urlFor('reckoner'));
  database = new Database({
    url: server.urlFor('reckoner'),
    connections: SENDERS + 1,
    onConnectionError: () => undefined,
  });
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
  at: NOW.toString(),
  isTimeSent: true,
  idempotencyKey,
  data: '{"v":1}',
});

const read = <Row>(query: ReturnType<typeof sql>) =>
  database.transaction({ merchants: [merchantId] }, (tx) => tx.one<Row>(query));

/** Asks until the server is there again. */
async function whenUp(): Promise<void> {
  for (;;) {
    try {
      return await database.ping();
    } catch {
      await sleep(50);
    }
  }
}

it('keeps every acknowledged event through kill -9 of PostgreSQL, and counts what is sent again once', async () => {
  const intake = createIntake(database);
  const acknowledged: string[] = [];
  const unanswered: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    let isDead = false;
    const send = async (sender: number) => {
      for (let n = 0; !isDead; n += 1) {
        const keys = [0, 1, 2].map((part) => `${round}.${sender}.${n}.${part}`);
        try {
          await intake.accept(keys.map(eventOf), NOW);
          acknowledged.push(...keys);
        } catch {
          unanswered.push(...keys);
          isDead = true;
        }
      }
    };
    const sending = Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)));
    const target = acknowledged.length + 60 + round * 40;
    while (acknowledged.length < target) await sleep(2);
    process.kill(server.processId, 'SIGKILL');
    await sending;
    await whenUp();
  }
  expect(unanswered.length).toBeGreaterThan(0);

  const lost = await read<{ keys: string[] }>(sql`
    select coalesce(array_agg(key), '{}') as keys from unnest(${acknowledged}::text[]) as key
     where not exists (select from event e where e.merchant_id = ${merchantId} and e.idempotency_key = key)`);
  expect(lost.keys).toEqual([]);

  for (let start = 0; start < unanswered.length; start += 3)
    await intake.accept(unanswered.slice(start, start + 3).map(eventOf), NOW);
  await intake.accept(acknowledged.map(eventOf), NOW);
  const counted = await read<{ events: number; keys: number }>(
    sql`select (select count(*)::int from event) as events, (select count(*)::int from event_key) as keys`,
  );
  const sent = acknowledged.length + unanswered.length;
  expect(counted).toEqual({ events: sent, keys: sent });
}, 120_000);
