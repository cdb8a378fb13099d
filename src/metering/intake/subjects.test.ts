import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../../../test/support/cases.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import type { Tx } from '../../db/index.ts';
import { plain } from '../../kernel/decimal.ts';
import { orThrow } from '../../kernel/result.ts';
import { usage } from '../usage/usage.ts';
import { acceptEvents, createIntake } from './intake.ts';
import { linkExternalSubject, linkSubscriptionSubject, subjectsOf } from './subjects.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');
const newMerchant = () => `org_${randomBytes(8).toString('hex')}`;

const eventOf = (merchantId: string, key: string, external: string) => ({
  merchantId,
  type: 'call',
  source: 'test',
  subject: null,
  externalSubject: external,
  externalId: null,
  at: NOW.toString(),
  isTimeSent: true,
  idempotencyKey: key,
  data: '{}',
});

/** The number of events that count for a customer or subscription. */
async function countFor(tx: Tx, subject: string): Promise<number> {
  const [row] = await usage(tx, {
    merchantId: tx.merchantId,
    meter: { eventType: 'call', aggregation: 'COUNT', valueProperty: null, groupBy: null, eventFrom: null },
    sources: [{ subject, from: NOW, to: NOW.add({ hours: 1 }) }],
    from: NOW,
    to: NOW.add({ hours: 1 }),
  });
  return Number(plain((row as { value: Parameters<typeof plain>[0] }).value));
}

type Step = { kind: 'event'; key: string } | { kind: 'link'; key: string; customerId: string | null };

/** §4, rules 2 to 4, as one would keep them with paper and pencil. */
function onPaper(steps: readonly Step[]): Map<string, number> {
  const counts = new Map<string, number>();
  const owner = new Map<string, string | null>();
  const waiting = new Map<string, number>();
  const add = (customerId: string, more: number) => counts.set(customerId, (counts.get(customerId) ?? 0) + more);
  for (const step of steps) {
    const current = owner.get(step.key) ?? null;
    if (step.kind === 'event') {
      if (current === null) waiting.set(step.key, (waiting.get(step.key) ?? 0) + 1);
      else add(current, 1);
      continue;
    }
    if (current === null && step.customerId !== null) {
      add(step.customerId, waiting.get(step.key) ?? 0);
      waiting.delete(step.key);
    }
    owner.set(step.key, step.customerId);
  }
  return counts;
}

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('event' as const), key: fc.constantFrom('x', 'y') }),
    fc.record({
      kind: fc.constant('link' as const),
      key: fc.constantFrom('x', 'y'),
      customerId: fc.constantFrom('cus_a', 'cus_b', null),
    }),
  ),
  { maxLength: 20 },
);

describe('an externalId', () => {
  it(
    'gives each event to one customer, in whatever order events, creations, renamings and reassignments come',
    () =>
      fc.assert(
        fc.asyncProperty(steps, async (order) => {
          const merchantId = newMerchant();
          const intake = createIntake(env.database);
          for (const [index, step] of order.entries()) {
            if (step.kind === 'event') await intake.accept([eventOf(merchantId, `k${index}`, step.key)], NOW);
            else
              await env.database.transaction({ merchants: [merchantId] }, (tx) =>
                linkExternalSubject(tx, { merchantId, externalId: step.key, customerId: step.customerId }, NOW),
              );
          }
          const paper = onPaper(order);
          const counted = await env.database.transaction({ merchants: [merchantId] }, async (tx) => [
            await countFor(tx, 'cus_a'),
            await countFor(tx, 'cus_b'),
          ]);
          expect(counted).toEqual([paper.get('cus_a') ?? 0, paper.get('cus_b') ?? 0]);
        }),
        cases(20, 100),
      ),
    60_000,
  );

  it('is another one for another merchant', async () => {
    const [one, two] = [newMerchant(), newMerchant()];
    await env.database.transaction({ merchants: [one, two] }, async (tx) => {
      orThrow(await acceptEvents(tx, [eventOf(one, 'k', 'x'), eventOf(two, 'k', 'x')], NOW));
      await linkExternalSubject(tx.of(one), { merchantId: one, externalId: 'x', customerId: 'cus_a' }, NOW);
      expect([await countFor(tx.of(one), 'cus_a'), await countFor(tx.of(two), 'cus_a')]).toEqual([1, 0]);
    });
  });

  it('loses no event that is accepted while its customer is being created', async () => {
    for (let round = 0; round < 12; round += 1) {
      const merchantId = newMerchant();
      const intake = createIntake(env.database);
      const link = env.database.transaction({ merchants: [merchantId] }, (tx) =>
        linkExternalSubject(tx, { merchantId, externalId: 'x', customerId: 'cus_a' }, NOW),
      );
      const sent = Array.from({ length: 8 }, (_, n) => intake.accept([eventOf(merchantId, `k${n}`, 'x')], NOW));
      await Promise.all(round % 2 ? [link, ...sent] : [...sent, link]);
      const counted = await env.database.transaction({ merchants: [merchantId] }, (tx) => countFor(tx, 'cus_a'));
      expect(counted).toBe(8);
    }
  });

  it('gives each event that is accepted during a reassignment to one of the two', async () => {
    const merchantId = newMerchant();
    const intake = createIntake(env.database);
    const linkTo = (customerId: string | null) =>
      env.database.transaction({ merchants: [merchantId] }, (tx) =>
        linkExternalSubject(tx, { merchantId, externalId: 'x', customerId }, NOW),
      );
    await linkTo('cus_a');
    const sent = Array.from({ length: 40 }, (_, n) => intake.accept([eventOf(merchantId, `k${n}`, 'x')], NOW));
    await Promise.all([...sent, linkTo('cus_b'), linkTo('cus_a'), linkTo('cus_b')]);
    const [a, b] = await env.database.transaction({ merchants: [merchantId] }, async (tx) => [
      await countFor(tx, 'cus_a'),
      await countFor(tx, 'cus_b'),
    ]);
    expect(a + b).toBe(40);
  });
});

describe('over HTTP', () => {
  const consumer = (name: string) => ({ name, email: `${name}@example.com`, address: { country: 'DE' } });
  const subjectsIn = async (merchant: Merchant) => {
    const { body } = await merchant.get('/v0/events?limit=100');
    return Object.fromEntries(
      body.data.map((each: { idempotencyKey: string; subject?: string }) => [each.idempotencyKey, each.subject]),
    );
  };

  it('events reach the customer before and after it exists, and stay with it when its externalId moves on', async () => {
    const merchant = await env.merchant();
    const send = (idempotencyKey: string, more: object = { externalSubject: 'acme' }) =>
      merchant.post('/v0/events', { type: 'call', source: 's', idempotencyKey, ...more });
    const early = await send('early');
    expect(early.body).toMatchObject({ externalSubject: 'acme' });
    expect(early.body).not.toHaveProperty('subject');
    const { body: acme } = await merchant.post('/v0/customers', { consumer: consumer('acme'), externalId: 'acme' });
    expect((await send('early')).body).toMatchObject({ id: early.body.id, subject: acme.id });
    expect((await send('known')).body.subject).toBe(acme.id);
    expect((await send('direct', { subject: acme.id })).body).toMatchObject({ subject: acme.id });
    const both = await send('both', { subject: 'somebody', externalSubject: 'acme' });
    expect(both.body).toMatchObject({ externalSubject: 'acme' });
    expect(both.body).not.toHaveProperty('subject');

    expect((await merchant.patch(`/v0/customers/${acme.id}`, { externalId: 'acme-old' })).status).toBe(200);
    await send('between');
    const { body: heir } = await merchant.post('/v0/customers', { consumer: consumer('heir'), externalId: 'acme' });
    await send('late');
    await send('old-name', { externalSubject: 'acme-old' });
    expect(await subjectsIn(merchant)).toEqual({
      early: acme.id,
      known: acme.id,
      direct: acme.id,
      both: undefined,
      between: heir.id,
      late: heir.id,
      'old-name': acme.id,
    });
  });

  it('another merchant’s customer is no subject', async () => {
    const [merchant, other] = [await env.merchant(), await env.merchant()];
    const { body: theirs } = await other.post('/v0/customers', { consumer: consumer('theirs') });
    const { status, body } = await merchant.post('/v0/events', { type: 'call', source: 's', subject: theirs.id });
    expect(status).toBe(202);
    expect(body).not.toHaveProperty('subject');
    expect((await merchant.get('/v0/events?status=unmatched')).body.data).toMatchObject([
      { reason: 'UNKNOWN_SUBJECT' },
    ]);
  });
});

describe('a subscription', () => {
  it('has its own events apart from its customer’s, whether they come before or after it is announced', async () => {
    const merchantId = newMerchant();
    await env.database.transaction({ merchants: [merchantId] }, async (tx) => {
      const send = async (idempotencyKey: string, subject: string) =>
        orThrow(await acceptEvents(tx, [{ ...eventOf(merchantId, idempotencyKey, 'x'), subject }], NOW))[0];
      await linkSubscriptionSubject(tx, { merchantId, subscriptionId: 'sub_1', customerId: 'cus_a' }, NOW);
      await linkExternalSubject(tx, { merchantId, externalId: 'x', customerId: 'cus_a' }, NOW);
      orThrow(await acceptEvents(tx, [eventOf(merchantId, 'k0', 'x')], NOW));
      expect(await send('k1', 'sub_1')).toMatchObject({ subject: 'cus_a' });
      await send('k2', 'sub_2');
      await linkSubscriptionSubject(tx, { merchantId, subscriptionId: 'sub_2', customerId: 'cus_a' }, NOW);
      const counts = [];
      for (const subject of ['cus_a', 'sub_1', 'sub_2']) counts.push(await countFor(tx, subject));
      expect(counts).toEqual([1, 1, 1]);
      expect((await subjectsOf(tx, 'cus_a')).toSorted()).toEqual(['cus_a', 'sub_1', 'sub_2']);
      expect(await subjectsOf(tx, 'sub_1')).toEqual(['sub_1']);
    });
  });
});
