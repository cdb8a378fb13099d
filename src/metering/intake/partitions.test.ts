import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { sql, type Tx } from '../../db/index.ts';
import { eventPartitionChore } from './partitions.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

it('gives this month and the next three a partition, taking along what the default one holds of them', async () => {
  const merchant = await env.merchant();
  const event = (timestamp: string) => ({
    type: 'call',
    source: 's',
    subject: 'x',
    idempotencyKey: timestamp,
    timestamp,
  });
  const times = [
    '2031-04-30T23:59:59.999999Z',
    '2031-05-01T00:00:00Z',
    '2031-08-31T23:59:59.999999Z',
    '2031-09-01T00:00:00Z',
  ];
  const sent = await merchant.post('/v0/events', times.map(event));
  const where = () =>
    env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
      const rows = await tx.rows<{ partition: string }>(
        sql`select tableoid::regclass::text as partition from event where merchant_id = ${merchant.id} order by at`,
      );
      return rows.map(({ partition }) => partition);
    });
  expect(await where()).toEqual(Array(4).fill('event_default'));
  const before = await merchant.get('/v0/events');

  const now = Temporal.Instant.from('2031-05-20T00:00:00Z');
  await Promise.all([eventPartitionChore.run(env.database, now), eventPartitionChore.run(env.database, now)]);
  expect(await where()).toEqual(['event_default', 'event_203105', 'event_203108', 'event_default']);
  expect((await merchant.get('/v0/events')).body).toEqual(before.body);
  for (const { id } of sent.body.data) expect((await merchant.get(`/v0/events/${id}`)).status).toBe(200);
  const again = await merchant.post('/v0/events', times.map(event));
  expect(again.body).toEqual(sent.body);
  expect((await merchant.post('/v0/events', { ...event(times[1] as string), idempotencyKey: 'new' })).status).toBe(202);
  expect((await where()).toSorted()).toEqual([
    'event_203105',
    'event_203105',
    'event_203108',
    'event_default',
    'event_default',
  ]);
});

it('takes an event for a month whose partition is being made', async () => {
  const merchant = await env.merchant();
  const isWaitedFor = async (tx: Tx): Promise<boolean> =>
    (await tx.rows(sql`select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`))
      .length > 0;
  const event = { type: 'call', source: 's', subject: 'x', timestamp: '2032-02-03T00:00:00Z' };
  const sent = await env.database.transaction('nobody', async (tx) => {
    await tx.run(sql`select ensure_event_partitions('2032-02-01'::date, 1)`);
    const answer = merchant.post('/v0/events', event);
    while (!(await isWaitedFor(tx)));
    return { answer };
  });
  expect((await sent.answer).status).toBe(202);
});

it('shows a merchant nothing of a partition itself', async () => {
  const { id } = await env.merchant();
  const read = env.database.transaction({ merchants: [id] }, (tx) => tx.rows(sql`select * from event_default`));
  await expect(read).rejects.toThrow(/permission denied/);
});
