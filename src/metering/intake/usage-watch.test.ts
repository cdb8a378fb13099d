import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { newId } from '../../kernel/ids.ts';
import type { IncomingEvent } from '../events/incoming-event.ts';
import { createIntake, type OnAccepted } from './intake.ts';
import { linkExternalSubject, linkSubscriptionSubject } from './subjects.ts';
import { createUsageWatch } from './usage-watch.ts';

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');

describe('a watch', () => {
  it('gives each once, the longest there first, and again after new usage', () => {
    const watch = createUsageWatch({ most: 10 });
    watch.add('org_1', ['cus_a', 'cus_b']);
    watch.add('org_2', ['cus_a']);
    watch.add('org_1', ['cus_a']);
    expect(watch.take(2)).toEqual([
      { merchantId: 'org_1', addressee: 'cus_a' },
      { merchantId: 'org_1', addressee: 'cus_b' },
    ]);
    watch.add('org_1', ['cus_a']);
    expect(watch.take(10)).toEqual([
      { merchantId: 'org_2', addressee: 'cus_a' },
      { merchantId: 'org_1', addressee: 'cus_a' },
    ]);
    expect(watch.take(10)).toEqual([]);
    expect(watch.overflowed).toBe(false);
  });

  it('drops addressees without room, and reports that until it is acknowledged', () => {
    const watch = createUsageWatch({ most: 2 });
    watch.add('org_1', ['cus_a', 'cus_b', 'cus_a']);
    expect(watch.overflowed).toBe(false);
    watch.add('org_1', ['cus_c']);
    expect(watch.take(10).map(({ addressee }) => addressee)).toEqual(['cus_a', 'cus_b']);
    expect(watch.overflowed).toBe(true);
    watch.clearOverflow();
    watch.add('org_1', ['cus_c']);
    expect([watch.overflowed, watch.take(1).length]).toEqual([false, 1]);
  });
});

describe('the intake reports addressees with new events', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await sharedEnvironment();
  });
  afterAll(() => env.close());

  const eventOf = (merchantId: string, idempotencyKey: string, more: Partial<IncomingEvent>): IncomingEvent => ({
    merchantId,
    type: 'call',
    source: 'test',
    subject: null,
    externalSubject: null,
    externalId: null,
    at: NOW.toString(),
    isTimeSent: true,
    idempotencyKey,
    data: '{}',
    ...more,
  });

  async function merchantWithSubjects(): Promise<string> {
    const merchantId = newId('organization');
    await env.database.transaction({ merchants: [merchantId] }, async (tx) => {
      await linkExternalSubject(tx, { merchantId, externalId: 'a', customerId: 'cus_a' }, NOW);
      await linkExternalSubject(tx, { merchantId, externalId: 'b', customerId: 'cus_b' }, NOW);
      await linkSubscriptionSubject(tx, { merchantId, subscriptionId: 'sub_a', customerId: 'cus_a' }, NOW);
    });
    return merchantId;
  }

  const listening = () => {
    const told: [string, string[]][] = [];
    const onAccepted: OnAccepted = (merchantId, addressees) => told.push([merchantId, addressees.toSorted()]);
    return { told, intake: createIntake(env.database, { onAccepted }) };
  };

  it.each([
    { name: 'a customer by its id', sent: [{ subject: 'cus_a' }], told: ['cus_a'] },
    {
      name: 'a customer by its externalId, once',
      sent: [{ externalSubject: 'a' }, { externalSubject: 'a' }],
      told: ['cus_a'],
    },
    { name: 'a customer under two names', sent: [{ externalSubject: 'a' }, { subject: 'cus_a' }], told: ['cus_a'] },
    { name: 'a subscription, not its customer', sent: [{ subject: 'sub_a' }], told: ['sub_a'] },
    { name: 'several', sent: [{ subject: 'sub_a' }, { externalSubject: 'b' }], told: ['cus_b', 'sub_a'] },
    { name: 'nobody for an unknown name', sent: [{ externalSubject: 'x' }, { subject: 'y' }], told: [] },
  ])('$name', async ({ sent, told }) => {
    const merchantId = await merchantWithSubjects();
    const { intake, told: heard } = listening();
    await intake.accept(
      sent.map((more, n) => eventOf(merchantId, `k${n}`, more)),
      NOW,
    );
    expect(heard).toEqual(told.length === 0 ? [] : [[merchantId, told]]);
  });

  it('without repeated events, refused ones and the others of their batch', async () => {
    const merchantId = await merchantWithSubjects();
    const { intake, told } = listening();
    const known = eventOf(merchantId, 'known', { subject: 'cus_a' });
    await intake.accept([known], NOW);
    await intake.accept([known], NOW);
    expect(told).toEqual([[merchantId, ['cus_a']]]);
    const refused = [{ ...known, data: '{"v":1}' }, eventOf(merchantId, 'beside', { subject: 'sub_a' })];
    await Promise.allSettled([
      intake.accept(refused, NOW),
      intake.accept([known, eventOf(merchantId, 'new', { externalSubject: 'b' })], NOW),
    ]);
    expect(told).toEqual([
      [merchantId, ['cus_a']],
      [merchantId, ['cus_b']],
    ]);
  });

  it('each merchant of a batch by itself', async () => {
    const merchants = [await merchantWithSubjects(), await merchantWithSubjects()].toSorted();
    const { intake, told } = listening();
    await intake.accept(
      merchants.map((merchantId) => eventOf(merchantId, 'k', { subject: 'cus_a' })),
      NOW,
    );
    expect(told).toEqual(merchants.map((merchantId) => [merchantId, ['cus_a']]));
  });

  it('and answers as ever where that fails', async () => {
    const merchantId = await merchantWithSubjects();
    let calls = 0;
    const intake = createIntake(env.database, {
      onAccepted: () => {
        calls += 1;
        throw new TypeError('nobody listens');
      },
    });
    const accepted = await Promise.all(
      ['k1', 'k2'].map((key) => intake.accept([eventOf(merchantId, key, { subject: 'cus_a' })], NOW)),
    );
    expect(accepted.map(([record]) => record?.idempotencyKey)).toEqual(['k1', 'k2']);
    expect(calls).toBe(1);
  });
});
