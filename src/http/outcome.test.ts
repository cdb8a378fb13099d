import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Edge, type EdgeCaller, openEdge, Thing } from '../../test/support/edge.ts';
import { sql } from '../db/index.ts';
import { newId } from '../kernel/ids.ts';
import { ok } from '../kernel/result.ts';
import { Intended, type Outcome, routesOf, Strict, Type } from './index.ts';

const api = routesOf('Things');

/** A provider of named things. It renames a thing now, or when the test says so. */
let provider: Outcome['wait'];
let edge: Edge;
let merchant: EdgeCaller;
let now = Temporal.Instant.from('2026-01-01T00:00:00Z');

const rename = (merchantId: string, id: string, name: string) =>
  edge.database.transaction({ merchants: [merchantId] }, (tx) =>
    tx.run(sql`update thing set name = ${name} where id = ${id}`),
  );
const find = async (of: Parameters<Outcome['answer']>[0]) => {
  const { name } = await of.tx.one<{ name: string }>(sql`select name from thing where id = ${of.intent.id}`);
  return ok({ id: of.intent.id, object: 'thing', merchantId: of.merchantId, name });
};

const asking = api.post('/v0/things', 'createThing', {
  summary: 'Create a thing that a provider renames',
  access: { role: 'member', merchant: 'caller' },
  body: Strict({ name: Type.String() }),
  replies: { 201: Thing },
  errors: [409],
  outcome: { wait: (of, signal) => provider(of, signal), answer: find },
  handler: async ({ tx, merchantId, body: { name } }) => {
    const id = newId('product');
    await tx.run(sql`insert into thing (merchant_id, id, name) values (${merchantId}, ${id}, ${name})`);
    return ok(new Intended({ id }, { id, object: 'thing', merchantId, name }));
  },
});

beforeAll(async () => {
  edge = await openEdge([asking], { now: () => now, outcomeMilliseconds: 300 });
  merchant = edge.caller();
});
beforeEach(() => {
  provider = ({ merchantId, intent }) => rename(merchantId, intent.id as string, 'known').then(() => undefined);
});
afterAll(() => edge.close());

const create = (key?: string) =>
  merchant.call('POST', '/v0/things', {
    body: { name: 'intended' },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
const things = () =>
  edge.database.transaction({ merchants: [merchant.organizationId] }, async (tx) => {
    const { count } = await tx.one<{ count: number }>(sql`select count(*)::int as count from thing`);
    return count;
  });
/** Provider calls that never end. */
const silent = () => new Promise<void>(() => undefined);

describe('an answer that waits for a provider', () => {
  it.each([{ key: undefined }, { key: 'known' }])('shows the outcome (key: $key)', async ({ key }) =>
    expect(await create(key)).toMatchObject({ status: 201, body: { name: 'known' } }),
  );

  it('is replayed with the first outcome, after any later events', async () => {
    const first = await create('replayed');
    await rename(merchant.organizationId, first.body.id, 'later');
    const again = await create('replayed');
    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it.each([{ key: undefined }, { key: 'slow' }])(
    'comes as things stand when the time is over (key: $key)',
    async ({ key }) => {
      provider = silent;
      expect(await create(key)).toMatchObject({ status: 201, body: { name: 'intended' } });
    },
  );

  it('comes as things stand when the wait itself fails', async () => {
    provider = () => Promise.reject(new Error('the provider is not there'));
    expect(await create('broken')).toMatchObject({ status: 201, body: { name: 'intended' } });
  });

  it('holds no connection while it waits', async () => {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    provider = () => {
      reach();
      return opened;
    };
    const answer = create('idle');
    await reached;
    expect(edge.database.load.total - edge.database.load.idle).toBe(0);
    open();
    expect((await answer).status).toBe(201);
  });
});

describe('a twin of a request that waits for a provider', () => {
  it('gets the same answer, and nothing is done twice', async () => {
    const before = await things();
    provider = async ({ merchantId, intent }) => {
      await sleep(100);
      await rename(merchantId, intent.id as string, 'known');
    };
    const [first, twin] = await Promise.all([create('twins'), create('twins')]);
    expect(twin.text).toBe(first.text);
    expect(first.body.name).toBe('known');
    expect(await things()).toBe(before + 1);
  });

  it('takes over after a process died, and answers with the outcome of the first intent', async () => {
    const before = await things();
    const died = await asDying('orphan');
    const { id } = died;
    expect(await create('orphan')).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } });
    now = now.add({ seconds: 31 });
    expect(await create('orphan')).toMatchObject({ status: 201, body: { id, name: 'known' } });
    const replayed = await create('orphan');
    expect(replayed.headers['idempotent-replayed']).toBe('true');
    expect(await things()).toBe(before + 1);
  });
});

/** A request of a process that dies while it waits: it leaves a claim and an intent, and no answer. */
async function asDying(key: string): Promise<{ id: string }> {
  const answer = await create(key);
  await edge.database.transaction({ merchants: [merchant.organizationId] }, async (tx) => {
    await rename(merchant.organizationId, answer.body.id, 'intended');
    await tx.run(sql`
      update idempotency_key set status = null, body = null, answer_due_at = ${now.add({ seconds: 30 })},
             intent = jsonb_build_object('id', ${answer.body.id}::text)
       where key = ${key}`);
  });
  return answer.body;
}
