import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../../../test/support/cases.ts';
import { type CutWire, layWire } from '../../../test/support/cut-wire.ts';
import { openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { Database, sql, type Tx } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import { orThrow, RefusalError } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { selectEventIds } from '../events/event-id.sql.ts';
import type { EventRecord } from '../events/event-record.ts';
import type { IncomingEvent } from '../events/incoming-event.ts';
import { keyGenerationChore } from '../keys/generations.ts';
import { acceptEvents, createIntake } from './intake.ts';
import { lockIngest } from './lock.sql.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');

const eventOf = (merchantId: string, idempotencyKey: string, more: Partial<IncomingEvent> = {}): IncomingEvent => ({
  merchantId,
  type: 'call',
  source: 'test',
  subject: null,
  externalSubject: 'acme',
  externalId: null,
  at: NOW.toString(),
  isTimeSent: true,
  idempotencyKey,
  data: '{}',
  ...more,
});

const inMerchant = <T>(merchantId: string, work: (tx: Tx) => Promise<T>) =>
  env.database.transaction({ merchants: [merchantId] }, work);

const stored = (merchantId: string) =>
  inMerchant(merchantId, async (tx) => {
    const events = await tx.rows<{ key: string; at: Instant; seq: bigint; v: string | null }>(
      sql`select idempotency_key as key, at, seq, data->>'v' as v from event order by seq`,
    );
    const ids = (await selectEventIds(tx)).idsOf(events);
    const rows = events.map(({ key, v }, index) => ({ key, v, id: ids[index] }));
    const { keys } = await tx.one<{ keys: number }>(sql`select count(*)::int as keys from event_key`);
    expect(keys).toBe(rows.length);
    return rows;
  });

const request = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), v: fc.constantFrom(1, 1, 1, 2) }), {
  minLength: 1,
  maxLength: 3,
});

describe('requests that are stored together', () => {
  it(
    'are accepted or refused each by itself, as if one came after the other',
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), async (requests) => {
          const merchantId = newId('organization');
          const intake = createIntake(env.database, { connections: 1 });
          const answers = await Promise.allSettled(
            requests.map((events) =>
              intake.accept(
                events.map(({ key, v }) => eventOf(merchantId, key, { data: `{"v":${v}}` })),
                NOW,
              ),
            ),
          );
          const rows = new Map((await stored(merchantId)).map((row) => [row.key, row]));
          const accepted = new Set<string>();
          for (const [index, answer] of answers.entries()) {
            const sent = requests[index] as { key: string; v: number }[];
            if (answer.status === 'fulfilled') {
              expect(answer.value.map(({ id }: EventRecord) => id)).toEqual(sent.map(({ key }) => rows.get(key)?.id));
              expect(sent.map(({ key }) => Number(rows.get(key)?.v))).toEqual(sent.map(({ v }) => v));
              for (const { key } of sent) accepted.add(key);
              continue;
            }
            const { refusal } = answer.reason as RefusalError;
            const details = refusal.kind === 'code' ? (refusal.details as { conflicts: { index: number }[] }) : null;
            expect(details?.conflicts.length).toBeGreaterThan(0);
          }
          expect([...rows.keys()].toSorted()).toEqual([...accepted].toSorted());
        }),
        cases(30, 150),
      ),
    60_000,
  );

  it('are stored one by one when the database rejects one of them, and only that one fails', async () => {
    const merchantId = newId('organization');
    const intake = createIntake(env.database, { connections: 1 });
    const faulty = eventOf(merchantId, 'faulty', { data: '{"v":"\\u0000"}' }); // the edge refuses such text
    const answers = await Promise.allSettled(
      [eventOf(merchantId, 'one'), faulty, eventOf(merchantId, 'two')].map((event) => intake.accept([event], NOW)),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await stored(merchantId)).map(({ key }) => key)).toEqual(['one', 'two']);
  });

  it('store the same after a repeated key, when its session looks keys up first for a while', async () => {
    const merchantId = newId('organization');
    const database = new Database({ url: env.url, connections: 1 });
    try {
      const intake = createIntake(database);
      const send = async (...keys: string[]) => {
        const events = keys.map((key) => eventOf(merchantId, key));
        const ids = (await intake.accept(events, NOW)).map(({ id }) => id);
        const [careful] = await database.call<{ flushes: string }>(
          'careful',
          sql`select coalesce(current_setting('reckoner.repeated_keys', true), '') as flushes`,
        );
        return { ids, flushes: careful?.flushes };
      };
      const first = await send('a');
      const second = await send('a', 'b');
      const third = await send('b', 'c');
      const fourth = await send('d');
      expect([first, second, third, fourth].map(({ flushes }) => flushes)).toEqual(['', '16', '16', '15']);
      expect([second.ids[0], third.ids[0]]).toEqual([first.ids[0], second.ids[1]]);
      expect((await stored(merchantId)).map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd']);
    } finally {
      await database.close();
    }
  });

  it('wait for another flush that stores one of their keys, and answer with its event', async () => {
    const merchantId = newId('organization');
    const intake = createIntake(env.database);
    const { first, others } = await inMerchant(merchantId, async (tx) => {
      const [kept] = orThrow(await acceptEvents(tx, [eventOf(merchantId, 'twin')], NOW));
      const answers = intake.accept(
        ['a', 'twin', 'z'].map((key) => eventOf(merchantId, key)),
        NOW,
      );
      const isWaitedFor = sql`select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`;
      while ((await tx.rows(isWaitedFor)).length === 0);
      return { first: kept, others: answers };
    });
    expect((await others)[1]).toEqual(first);
    const rows = await stored(merchantId);
    expect((await others).map(({ id }) => id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  });

  it('do not wait for another merchant whose events must be all there are', async () => {
    const [closing, open] = [newId('organization'), newId('organization')];
    const intake = createIntake(env.database, { connections: 1 });
    const order: string[] = [];
    const sent = await inMerchant(closing, async (tx) => {
      await lockIngest(tx, 'exclusive');
      const held = [1, 2, 3].map((n) =>
        intake.accept([eventOf(closing, `k${n}`)], NOW).then(() => order.push('closing')),
      );
      await Promise.all([1, 2, 3].map((n) => intake.accept([eventOf(open, `k${n}`)], NOW)));
      order.push('open');
      return { held };
    });
    await Promise.all(sent.held);
    expect(order).toEqual(['open', 'closing', 'closing', 'closing']);
  });
});

describe('a full queue', () => {
  it('refuses what comes, keeps what waits, and takes more when there is room', async () => {
    const merchantId = newId('organization');
    const intake = createIntake(env.database, { events: 3 });
    const waiting = await inMerchant(merchantId, async (tx) => {
      await lockIngest(tx, 'exclusive');
      const sent = ['a', 'b', 'c'].map((key) => intake.accept([eventOf(merchantId, key)], NOW));
      const refused = await intake.accept([eventOf(merchantId, 'd')], NOW).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(RefusalError);
      expect((refused as RefusalError).refusal).toMatchObject({ code: 'INGEST_QUEUE_FULL' });
      return { sent };
    });
    await Promise.all(waiting.sent);
    await intake.accept([eventOf(merchantId, 'd')], NOW);
    expect((await stored(merchantId)).map(({ key }) => key).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('takes a batch that is larger than it, where nothing else waits', async () => {
    const merchantId = newId('organization');
    const intake = createIntake(env.database, { events: 3, bytes: 1 });
    const batch = Array.from({ length: 1_000 }, (_, n) => eventOf(merchantId, `k${n}`));
    expect((await intake.accept(batch, NOW)).map(({ idempotencyKey }) => idempotencyKey)).toEqual(
      batch.map(({ idempotencyKey }) => idempotencyKey),
    );
    expect((await stored(merchantId)).map(({ key }) => key)).toEqual(batch.map(({ idempotencyKey }) => idempotencyKey));
  });
});

describe('while the database is away', () => {
  let wire: CutWire;
  let database: Database;
  beforeAll(async () => {
    wire = await layWire(env.url);
    database = new Database({ url: wire.url, onConnectionError: () => undefined });
  });
  afterAll(async () => {
    await database.close();
    await wire.close();
  });

  it('nothing is acknowledged, and what is sent again afterwards counts once', async () => {
    const merchantId = newId('organization');
    const intake = createIntake(database);
    const send = () => Promise.allSettled(['a', 'b'].map((key) => intake.accept([eventOf(merchantId, key)], NOW)));
    await wire.cut();
    for (const answer of await send()) expect(answer.status).toBe('rejected');
    await wire.mend();
    for (const answer of [...(await send()), ...(await send())]) expect(answer.status).toBe('fulfilled');
    expect((await stored(merchantId)).map(({ key }) => key).toSorted()).toEqual(['a', 'b']);
  });
});

describe('a key of an earlier generation', () => {
  it('is the same event, or another one’s', async () => {
    const merchantId = newId('organization');
    const intake = createIntake(env.database);
    const first = await intake.accept([eventOf(merchantId, 'old', { data: '{"v":1}' })], NOW);
    await keyGenerationChore(0).run(env.database, NOW);
    expect(await intake.accept([eventOf(merchantId, 'old', { data: '{"v":1}' })], NOW)).toEqual(first);
    await expect(intake.accept([eventOf(merchantId, 'old', { data: '{"v":2}' })], NOW)).rejects.toThrow(RefusalError);
    const contradiction = [1, 2].map((v) => eventOf(merchantId, 'old', { data: `{"v":${v}}` }));
    await expect(intake.accept(contradiction, NOW)).rejects.toMatchObject({
      refusal: { details: { conflicts: [{ index: 1, idempotencyKey: 'old' }] } },
    });
    await intake.accept([eventOf(merchantId, 'new')], NOW);
    await keyGenerationChore(0).run(env.database, NOW);
    expect(await intake.accept([eventOf(merchantId, 'old', { data: '{"v":1}' })], NOW)).toEqual(first);
  });
});
