import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import type { Tx } from '../../db/index.ts';
import type { InstantText } from '../../kernel/time.ts';
import { toEventReply } from '../events/event-record.ts';
import { acceptInTransaction, type OwnEvent } from './accept-one.ts';

let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-03-01T12:00:00Z');
});
afterAll(() => env.close());

const NOW = Temporal.Instant.from('2026-03-01T12:00:00Z');

const event = {
  type: 'call',
  source: 'https://api.example',
  subject: 'cus_nobody',
  timestamp: '2026-03-01T00:00:00Z' as InstantText,
  data: { b: '2.50', a: 1 },
};

const inMerchant = <T>(work: (tx: Tx) => Promise<T>) => env.database.transaction({ merchants: [merchant.id] }, work);
const accept = (own: OwnEvent, now = NOW) => inMerchant((tx) => acceptInTransaction(tx, own, now));
const listed = async (key: string) => {
  const { body } = await merchant.get('/v0/events?limit=100');
  return body.data.filter(({ idempotencyKey }: { idempotencyKey: string }) => idempotencyKey === key);
};

beforeAll(async () => {
  merchant = await env.merchant();
});

describe('an event in the caller’s transaction', () => {
  it('is there with the transaction', async () => {
    const accepted = await accept({ ...event, idempotencyKey: 'kept' });
    expect(accepted).toMatchObject({ ok: true, value: { merchantId: merchant.id, at: event.timestamp } });
    expect(await listed('kept')).toHaveLength(1);
  });

  it('is gone with it, and its key with it', async () => {
    const undone = inMerchant(async (tx) => {
      expect((await acceptInTransaction(tx, { ...event, idempotencyKey: 'undone' }, NOW)).ok).toBe(true);
      throw new Error('the caller has thought better of it');
    });
    await expect(undone).rejects.toThrow('thought better');
    expect(await listed('undone')).toEqual([]);
    expect((await accept({ ...event, idempotencyKey: 'undone', type: 'other' })).ok).toBe(true);
  });

  it.each([
    { name: 'the same content', more: {}, same: true },
    { name: 'its data in another order', more: { data: { a: 1, b: '2.50' } }, same: true },
    {
      name: 'its time written with another offset',
      more: { timestamp: '2026-03-01T03:00:00+03:00' as InstantText },
      same: true,
    },
    { name: 'another value', more: { data: { a: 1, b: '2.5' } }, same: false },
    { name: 'another subject', more: { subject: 'cus_other' }, same: false },
  ])('compares a key that comes again with $name as POST /v0/events does, either way', async ({ name, more, same }) => {
    for (const [first, second] of [
      ['sent', 'own'],
      ['own', 'sent'],
      ['own', 'own'],
    ]) {
      const idempotencyKey = `${name}, ${first} then ${second}`;
      const answerOf = async (way: string | undefined, body: OwnEvent) => {
        if (way === 'sent') return merchant.post('/v0/events', body);
        const accepted = await accept(body, NOW.add({ hours: 1 }));
        return accepted.ok ? { status: 202, body: toEventReply(accepted.value) } : { status: 409, body: accepted };
      };
      const before = await answerOf(first, { ...event, idempotencyKey });
      const after = await answerOf(second, { ...event, ...more, idempotencyKey });
      expect([before.status, after.status]).toEqual([202, same ? 202 : 409]);
      if (same) expect(after.body).toEqual(before.body);
      else expect(JSON.stringify(after.body)).toContain('IDEMPOTENCY_KEY_REUSED');
      expect(await listed(idempotencyKey)).toHaveLength(1);
    }
  });

  it('refuses what could not be sent either', async () => {
    const refused = await accept({ ...event, type: '', data: { a: '\0' }, idempotencyKey: 'faulty' });
    expect(refused).toMatchObject({ ok: false });
    expect(JSON.stringify(refused)).toContain('"type"');
    expect(JSON.stringify(refused)).toContain('"data.a"');
    expect(await listed('faulty')).toEqual([]);
  });
});
