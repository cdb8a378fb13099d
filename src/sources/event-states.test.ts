import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';
import { deliver, newSource, revenue, revenueShop } from '../../test/support/sources.ts';
import { openTables, type Tables } from '../../test/support/tables.ts';
import { next } from '../kernel/state-table.ts';
import {
  SOURCE_EVENT_STATUSES,
  SOURCE_EVENT_TRIGGERS,
  type SourceEventStatus,
  sourceEventStates,
} from './event-states.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let tables: Tables;
let world: Awaited<ReturnType<typeof revenueShop>>;
let source: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  tables = await openTables(env.url);
  world = await revenueShop(shop);
  source = await newSource(shop, world, { processingMode: 'manual' });
});
afterAll(async () => {
  await tables.close();
  await env.close();
});

const arrived = async (fields: object = {}): Promise<Resource> =>
  (await deliver(env, source, revenue(world.externalId, { ...fields }))).body;
const path = (event: Resource, action = '') => `/v0/sources/${source.id}/events/${event.id}${action && `/${action}`}`;
const reach: Record<SourceEventStatus, () => Promise<Resource>> = {
  pending: () => arrived(),
  processed: async () => shop.act(path(await arrived(), 'approve')),
  rejected: async () => shop.act(path(await arrived(), 'reject')),
  failed: async () => shop.act(path(await arrived({ currency: 'EUR' }), 'approve')),
};
const TRIGGER_OF = { approve: 'process', reject: 'reject', retry: 'retry' } as const;

describe('every state and every action', () => {
  const cells = SOURCE_EVENT_STATUSES.flatMap((status) =>
    (['approve', 'reject', 'retry'] as const).map((action) => ({ status, action })),
  );
  // Proves 2.source.event.status.
  it.each(cells)('$action of a $status event is as the table says', async ({ status, action }) => {
    const event = await reach[status]();
    expect(event.status).toBe(status);
    const answer = await merchant.post(path(event, action));
    const to = next(sourceEventStates, status, TRIGGER_OF[action]);
    if (to.ok) {
      expect(answer).toMatchObject({ status: 200, body: { id: event.id, status: to.value } });
      return;
    }
    expect(answer).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION', details: { status } } });
    expect(await shop.read(path(event))).toEqual(event);
  });

  it('the database refuses what the table refuses', async () => {
    const setters: Record<SourceEventStatus, string> = {
      pending: `status = 'pending', error_message = null, usage_event_ids = '{}', processed_at = null, processed_by = null`,
      processed: `status = 'processed', error_message = null, usage_event_ids = '{evt_x}', processed_at = now(), processed_by = 'system'`,
      failed: `status = 'failed', error_message = 'x', usage_event_ids = '{}', processed_at = now(), processed_by = 'system'`,
      rejected: `status = 'rejected', error_message = null, usage_event_ids = '{}', processed_at = now(), processed_by = 'system'`,
    };
    for (const from of SOURCE_EVENT_STATUSES)
      for (const to of SOURCE_EVENT_STATUSES) {
        const { id } = await reach[from]();
        const isLegal = SOURCE_EVENT_TRIGGERS.some((trigger) => {
          const led = next(sourceEventStates, from, trigger);
          return led.ok && led.value === to;
        });
        await tables.query('begin');
        const update = tables.query(`update source_event set ${setters[to]} where id = '${id}'`);
        const isTaken = await update.then(
          () => true,
          () => false,
        );
        await tables.query('rollback');
        expect(isTaken, `${from} → ${to}`).toBe(isLegal);
      }
  });

  it.each(['amount = amount + 1', `external_event_id = 'other'`, `raw_data = '{}'`, `currency = 'EUR'`])(
    'the database refuses %s of what was received',
    async (setter) => {
      const { id } = await arrived();
      await expect(tables.query(`update source_event set ${setter} where id = '${id}'`)).rejects.toThrow(/not change/);
    },
  );
});

describe('an approval', () => {
  it('says who gave it, and writes the usage', async () => {
    const event = await arrived();
    expect(event).toMatchObject({ status: 'pending', usageEventIds: [], customerId: world.customer.id });
    expect(event).not.toHaveProperty('processedAt');
    expect(event).not.toHaveProperty('processedBy');
    const approved = await shop.act(path(event, 'approve'));
    expect(approved).toMatchObject({ status: 'processed', processedBy: merchant.userId, errorMessage: null });
    expect(approved.processedAt).toBeTruthy();
    expect(approved.usageEventIds).toHaveLength(1);
  });

  it('of a user of the merchant is in the audit log, with before and after', async () => {
    const event = await arrived();
    await shop.act(path(event, 'reject'));
    const { data } = await shop.read('/v0/auditLog?limit=1');
    expect(data[0]).toMatchObject({
      operation: 'rejectSourceEvent',
      resourceId: event.id,
      before: { status: 'pending' },
      after: { status: 'rejected', processedBy: merchant.userId },
    });
  });

  it('twice at once is one', async () => {
    const event = await arrived();
    const answers = await Promise.all(Array.from({ length: 4 }, () => merchant.post(path(event, 'approve'))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const { pagination } = await shop.read(`/v0/events?type=revenue&limit=1`);
    const { usageEventIds } = await shop.read(path(event));
    expect(usageEventIds).toHaveLength(1);
    expect(pagination.total).toBeGreaterThan(0);
  });

  it('against a rejection at the same time: one of them wins, and what it says holds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const event = await arrived();
      const [approval, rejection] = await Promise.all([
        merchant.post(path(event, 'approve')),
        merchant.post(path(event, 'reject')),
      ]);
      expect([approval.status, rejection.status].toSorted()).toEqual([200, 409]);
      const { status, usageEventIds } = await shop.read(path(event));
      expect(status).toBe(approval.status === 200 ? 'processed' : 'rejected');
      expect(usageEventIds).toHaveLength(approval.status === 200 ? 1 : 0);
    }
  });
});

describe('a retry', () => {
  it('of an automatic source processes the event again, once what was wrong is mended', async () => {
    const automatic = await newSource(shop, world);
    const externalId = `late-${automatic.id.slice(4)}`;
    const customer = await shop.customer({ externalId });
    const { body: event } = await deliver(env, automatic, revenue(externalId));
    expect(event.status).toBe('failed');
    const retry = () => shop.act(`/v0/sources/${automatic.id}/events/${event.id}/retry`);
    expect(await retry()).toMatchObject({ status: 'failed', processedBy: 'system' });
    await shop.subscribe(world.plan, { clock: world.clock, customer });
    const retried = await retry();
    expect(retried).toMatchObject({ status: 'processed', errorMessage: null, customerId: customer.id });
  });

  it('of a manual source makes it wait again', async () => {
    const event = await reach.failed();
    expect(event.errorMessage).toContain('EUR');
    const retried = await shop.act(path(event, 'retry'));
    expect(retried).toMatchObject({ status: 'pending', errorMessage: null, usageEventIds: [] });
    expect(retried).not.toHaveProperty('processedAt');
    const { rows } = {
      rows: await tables.query<{ type: string }>(
        `select type from outbox where data->>'sourceEventId' = '${event.id}' order by seq`,
      ),
    };
    expect(rows.map(({ type }) => type)).toEqual([
      'source_event.pending.v0',
      'source_event.failed.v0',
      'source_event.pending.v0',
    ]);
  });
});

it('an unknown one is no such source event, whatever the name of its place in the path', async () => {
  const { status, body } = await merchant.get(`/v0/sources/${source.id}/events/sev_${'a'.repeat(22)}`);
  expect([status, body.message]).toEqual([404, 'No such source event.']);
});

describe('many at once', () => {
  it('are approved each with an outcome of its own', async () => {
    const [good, other, wrong, rejected] = [
      await arrived(),
      await arrived(),
      await arrived({ currency: 'EUR' }),
      await reach.rejected(),
    ];
    const unknown = 'sev_unknown';
    const answer = await shop.act(`/v0/sources/${source.id}/events/bulk-approve`, {
      eventIds: [good.id, wrong.id, rejected.id, unknown, other.id, good.id],
    });
    expect(answer).toEqual({
      processed: 2,
      failed: 3,
      details: {
        processed: [good.id, other.id],
        failed: [
          { id: wrong.id, error: expect.stringContaining('EUR') },
          { id: rejected.id, error: expect.stringContaining('rejected') },
          { id: unknown, error: expect.any(String) },
        ],
      },
    });
    for (const [event, status] of [
      [good, 'processed'],
      [other, 'processed'],
      [wrong, 'failed'],
      [rejected, 'rejected'],
    ])
      expect((await shop.read(path(event))).status).toBe(status);
  });

  it('are rejected, and those that cannot be are named', async () => {
    const [one, processed] = [await arrived(), await reach.processed()];
    const answer = await shop.act(`/v0/sources/${source.id}/events/bulk-reject`, { eventIds: [one.id, processed.id] });
    expect(answer).toMatchObject({ rejected: 1, details: { rejected: [one.id], failed: [{ id: processed.id }] } });
  });

  it('of another source are unknown', async () => {
    const event = await arrived();
    const elsewhere = await newSource(shop, world);
    const answer = await shop.act(`/v0/sources/${elsewhere.id}/events/bulk-approve`, { eventIds: [event.id] });
    expect(answer).toMatchObject({ processed: 0, failed: 1 });
    expect((await shop.read(path(event))).status).toBe('pending');
    expect((await merchant.get(`/v0/sources/${elsewhere.id}/events/${event.id}`)).status).toBe(404);
    expect((await merchant.post(`/v0/sources/${elsewhere.id}/events/${event.id}/approve`)).status).toBe(404);
  });

  it('approved by two callers in different orders are processed once each', async () => {
    const events = await Promise.all(Array.from({ length: 6 }, () => arrived()));
    const ids = events.map(({ id }) => id);
    const [one, two] = await Promise.all(
      [ids, ids.toReversed()].map((eventIds) => shop.act(`/v0/sources/${source.id}/events/bulk-approve`, { eventIds })),
    );
    expect([one.processed, two.processed].toSorted()).toEqual([0, 6]);
  });

  it.each([
    { eventIds: [] },
    { eventIds: Array.from({ length: 1001 }, (_, index) => `sev_${index}`) },
    { eventIds: ['src_a'] },
    { eventIds: 'sev_a' },
    {},
  ])('%j is a 400', async (body) => {
    for (const action of ['bulk-approve', 'bulk-reject'])
      expect((await merchant.post(`/v0/sources/${source.id}/events/${action}`, body)).status).toBe(400);
  });
});

it.each([
  {
    named: 'an unknown event',
    path: () => `/v0/sources/${source.id}/events/sev_none`,
    message: 'No such source event.',
  },
  {
    named: 'an id of another kind of event',
    path: () => `/v0/sources/${source.id}/events/evt_none`,
    message: 'No such source event.',
  },
  { named: 'an unknown source', path: () => '/v0/sources/src_none/events/sev_none', message: 'No such source.' },
  {
    named: 'a source of another kind',
    path: () => '/v0/sources/sub_none/events/sev_none',
    message: /source id \(src_…\)/,
  },
])('$named is a 404 that names what is unknown', async ({ path: pathOf, message }) => {
  const matching = typeof message === 'string' ? message : expect.stringMatching(message);
  for (const action of ['', '/approve', '/reject']) {
    const answer = action ? await merchant.post(pathOf() + action) : await merchant.get(pathOf());
    expect(answer).toMatchObject({ status: 404, body: { message: matching } });
  }
});

describe('the list of events', () => {
  it('filters by status, customer, subscription, external id and time of receipt', async () => {
    const own = await newSource(shop, world, { processingMode: 'manual' });
    const first = (await deliver(env, own, revenue(world.externalId))).body;
    const second = (await deliver(env, own, revenue('somebody'))).body;
    await shop.act(`/v0/sources/${own.id}/events/${first.id}/reject`);
    const idsOf = async (query: string) =>
      (await shop.read(`/v0/sources/${own.id}/events?${query}`)).data.map(({ id }: Resource) => id);
    expect(await idsOf('')).toEqual([second.id, first.id]);
    expect(await idsOf('status=rejected')).toEqual([first.id]);
    expect(await idsOf(`customerId=${world.customer.id}`)).toEqual([first.id]);
    expect(await idsOf(`externalEventId=${second.externalEventId}`)).toEqual([second.id]);
    expect(await idsOf(`from=${second.createdAt}`)).toEqual([second.id]);
    expect(await idsOf(`to=${second.createdAt}`)).toEqual([first.id]);
    expect(await idsOf('limit=1&offset=1')).toEqual([first.id]);
    const third = (await deliver(env, own, revenue(world.externalId))).body;
    const { subscriptionId } = await shop.act(`/v0/sources/${own.id}/events/${third.id}/approve`);
    expect(await idsOf(`subscriptionId=${subscriptionId}`)).toEqual([third.id]);
    expect(await idsOf('subscriptionId=sub_none')).toEqual([]);
    expect((await merchant.get(`/v0/sources/${own.id}/events?status=done`)).status).toBe(400);
    expect(
      (await merchant.get(`/v0/sources/${own.id}/events?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z`)).status,
    ).toBe(400);
  });
});
