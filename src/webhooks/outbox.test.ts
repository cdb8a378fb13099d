import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { sql, type Tx } from '../db/index.ts';
import { type EventType, publish, publishAll } from './index.ts';

const now = Temporal.Instant.from('2026-01-01T00:00:00Z');
let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
});
afterAll(() => env.close());

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => env.database.transaction({ merchants: [merchant.id] }, work);
const say = (tx: Tx, type: EventType, data: Record<string, string>) =>
  publish(tx, { merchantId: merchant.id, type, data }, now);
const eventsOf = (id: string) =>
  inTransaction((tx) =>
    tx.rows<{ type: string; data: { sequence: number } }>(
      sql`select type, data from outbox where data::text like ${`%${id}%`} order by seq`,
    ),
  );

it('writes what happened, to whom and when', async () => {
  const id = await inTransaction((tx) => say(tx, 'invoice.paid.v0', { invoiceId: 'inv_a', grantId: 'grt_a' }));
  const row = await inTransaction((tx) => tx.one(sql`select id, type, data, created_at from outbox where id = ${id}`));
  expect(id).toMatch(/^wev_[0-9A-Za-z]{22,32}$/);
  expect(row).toEqual({
    id,
    type: 'invoice.paid.v0',
    data: { merchantId: merchant.id, invoiceId: 'inv_a', grantId: 'grt_a', sequence: 1 },
    createdAt: now,
  });
});

describe('the sequence', () => {
  it('counts on in the order of a list, for each resource by itself', async () => {
    const event = (invoiceId: string, type: EventType) => ({ merchantId: merchant.id, type, data: { invoiceId } });
    await inTransaction((tx) => say(tx, 'invoice.issued.v0', { invoiceId: 'inv_l1' }));
    const ids = await inTransaction((tx) =>
      publishAll(
        tx,
        [
          event('inv_l1', 'invoice.overdue.v0'),
          event('inv_l2', 'invoice.issued.v0'),
          event('inv_l1', 'invoice.paid.v0'),
        ],
        now,
      ),
    );
    expect(new Set(ids).size).toBe(3);
    const told = async (id: string) => (await eventsOf(id)).map(({ type, data }) => [type, data.sequence]);
    expect(await told('inv_l1')).toEqual([
      ['invoice.issued.v0', 1],
      ['invoice.overdue.v0', 2],
      ['invoice.paid.v0', 3],
    ]);
    expect(await told('inv_l2')).toEqual([['invoice.issued.v0', 1]]);
  });

  it('counts the events of each resource from 1', async () => {
    await inTransaction(async (tx) => {
      await say(tx, 'invoice.issued.v0', { invoiceId: 'inv_b', customerId: 'cus_b' });
      await say(tx, 'invoice.paid.v0', { invoiceId: 'inv_b', customerId: 'cus_b' });
      await say(tx, 'payment_session.completed.v0', { paymentSessionId: 'ps_b', invoiceId: 'inv_b' });
      await say(tx, 'payment_session.expired.v0', { paymentSessionId: 'ps_c', invoiceId: 'inv_b' });
    });
    expect((await eventsOf('inv_b')).map(({ type, data }) => [type, data.sequence])).toEqual([
      ['invoice.issued.v0', 1],
      ['invoice.paid.v0', 2],
      ['payment_session.completed.v0', 1],
      ['payment_session.expired.v0', 1],
    ]);
  });

  it('counts events about no one resource for the merchant', async () => {
    for (const reason of ['UNKNOWN_SUBJECT', 'PERIOD_CLOSED'])
      await inTransaction((tx) => say(tx, 'usage.unmatched.v0', { reason, mark: 'unmatched-mark' }));
    expect((await eventsOf('unmatched-mark')).map(({ data }) => data.sequence)).toEqual([1, 2]);
  });

  it('has neither gap nor repeat among many at once, some of which are rolled back', async () => {
    const attempts = Array.from({ length: 20 }, (_, n) =>
      inTransaction(async (tx) => {
        await say(tx, 'customer.created.v0', { customerId: 'cus_race' });
        if (n % 4 === 0) throw new Error('rolled back');
      }).catch((error: unknown) => expect(error).toMatchObject({ message: 'rolled back' })),
    );
    await Promise.all(attempts);
    const sequences = (await eventsOf('cus_race')).map(({ data }) => data.sequence);
    expect(sequences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, n) => n + 1));
  });
});

it('leaves nothing behind where the change is rolled back', async () => {
  const rolledBack = inTransaction(async (tx) => {
    await say(tx, 'invoice.paid.v0', { invoiceId: 'inv_gone' });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await eventsOf('inv_gone')).toEqual([]);
});
