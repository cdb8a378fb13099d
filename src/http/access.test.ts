import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asOwner, type Edge, type EdgeCaller, openEdge, thingRoutes } from '../../test/support/edge.ts';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Scope, sql, sqlState } from '../db/index.ts';
import { ok } from '../kernel/result.ts';
import { routesOf, Strict, Type } from './index.ts';

const api = routesOf('Things');

const operatorOnly = api.post('/v0/levers', 'pullLever', {
  summary: 'For operators only',
  access: { role: 'admin', merchant: 'caller', operator: true },
  body: Strict({}),
  replies: { 200: Type.Object({ pulled: Type.Boolean() }) },
  handler: async () => ok({ pulled: true }),
});
const list = api.get('/v0/things', 'listThings', {
  summary: 'List things without asking whose they are',
  access: { role: 'viewer', merchant: 'query', by: ['productId'] },
  query: Strict({ merchantId: Type.Optional(Type.String()), productId: Type.Optional(Type.String()) }),
  replies: { 200: Type.Object({ merchants: Type.Array(Type.String()) }) },
  handler: async ({ tx }) => {
    const rows = await tx.rows<{ id: string }>(sql`select distinct merchant_id as id from thing order by 1`);
    return ok({ merchants: rows.map(({ id }) => id) });
  },
});

const part = api.post('/v0/parts', 'createPart', {
  summary: 'Create something of a thing',
  access: { role: 'member', merchant: 'body', by: ['productId'] },
  body: Strict({ merchantId: Type.Optional(Type.String()), productId: Type.Optional(Type.String()) }),
  replies: { 201: Type.Object({ merchantId: Type.String() }) },
  handler: async ({ merchantId }) => ok({ merchantId }),
});

let edge: Edge;
let mine: EdgeCaller;
let theirs: EdgeCaller;
let myThing: string;
beforeAll(async () => {
  edge = await openEdge([...thingRoutes(), operatorOnly, list, part]);
  [mine, theirs] = [edge.caller(), edge.caller()];
  for (const { organizationId: id } of [mine, theirs])
    await asOwner(edge.url, `insert into resource (id, merchant_id) values ('${id}', '${id}')`);
  myThing = (await mine.call('POST', '/v0/things', { body: { name: 'mine' } })).body.id;
  await theirs.call('POST', '/v0/things', { body: { name: 'theirs' } });
});
afterAll(() => edge.close());

const UNKNOWN = 'prod_0000000000000000000000';

describe('a resource in the path', () => {
  // Proves 1.conventions.callers.
  it('is answered to its merchant and to operators', async () => {
    expect((await mine.call('GET', `/v0/things/${myThing}`)).body.name).toBe('mine');
    expect((await edge.operator.call('GET', `/v0/things/${myThing}`)).body.name).toBe('mine');
  });

  // Proves 5.authentication.4, 7.errors.403.
  it('of another merchant is a 403 that says nothing of it', async () => {
    const answer = await theirs.call('GET', `/v0/things/${myThing}`);
    expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect(answer.text).not.toContain('mine');
    expect(answer.text).not.toContain(mine.organizationId);
  });

  it.each([UNKNOWN, 'prod_', 'nonsense', 'cus_0000000000000000000000', "' or 1=1 --", 'prod_%00', 'x'.repeat(400)])(
    '%s is a 404',
    async (id) => {
      expect(await mine.call('GET', `/v0/things/${encodeURIComponent(id)}`)).toMatchObject({
        status: 404,
        body: { error: 'not_found' },
      });
    },
  );
});

describe('a merchant in the body or the query', () => {
  it('may be one’s own, and is when none is named', async () => {
    for (const merchantId of [undefined, mine.organizationId])
      expect(
        await mine.call('POST', '/v0/things', { body: { name: 'x', ...(merchantId && { merchantId }) } }),
      ).toMatchObject({ status: 201, body: { merchantId: mine.organizationId } });
  });

  it('may not be another one, whether it exists or not, and that is said before the rest of the body', async () => {
    for (const merchantId of [theirs.organizationId, 'org_0000000000000000000000']) {
      expect(await mine.call('POST', '/v0/things', { body: { merchantId } })).toMatchObject({ status: 403 });
      expect(await mine.call('GET', `/v0/things?merchantId=${merchantId}`)).toMatchObject({ status: 403 });
    }
  });

  it('must be named by an operator who creates, and may be by one who lists', async () => {
    expect(await edge.operator.call('POST', '/v0/things', { body: { name: 'x' } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'merchantId' }] },
    });
    const both = [mine.organizationId, theirs.organizationId].toSorted();
    expect((await edge.operator.call('GET', '/v0/things')).body.merchants).toEqual(both);
  });

  it('is that of the id it is asked for, which wins over merchantId', async () => {
    expect((await mine.call('GET', `/v0/things?productId=${myThing}`)).body.merchants).toEqual([mine.organizationId]);
    expect(await theirs.call('GET', `/v0/things?productId=${myThing}`)).toMatchObject({ status: 403 });
    expect(
      await theirs.call('GET', `/v0/things?productId=${myThing}&merchantId=${theirs.organizationId}`),
    ).toMatchObject({ status: 403 });
    expect(await mine.call('GET', `/v0/things?productId=${UNKNOWN}`)).toMatchObject({
      status: 404,
      body: { details: { field: 'productId' } },
    });
  });
});

describe('what a creation names', () => {
  const create = (who: EdgeCaller, body: object) => who.call('POST', '/v0/parts', { body });

  it('says whose it is to be, so that an operator need not', async () => {
    expect(await create(edge.operator, { productId: myThing })).toMatchObject({
      status: 201,
      body: { merchantId: mine.organizationId },
    });
    const agreed = { productId: myThing, merchantId: mine.organizationId };
    for (const who of [edge.operator, mine]) expect((await create(who, agreed)).status).toBe(201);
    expect(await create(edge.operator, {})).toMatchObject({ status: 400, body: { errors: [{ field: 'merchantId' }] } });
  });

  it('must not contradict merchantId', async () => {
    expect(await create(edge.operator, { productId: myThing, merchantId: theirs.organizationId })).toMatchObject({
      status: 400,
      body: { error: 'validation_error', errors: [{ field: 'merchantId' }] },
    });
    expect(await create(edge.operator, { productId: myThing, merchantId: 'org_0000000000000000000000' })).toMatchObject(
      {
        status: 404,
        body: { details: { field: 'merchantId' } },
      },
    );
    expect((await create(theirs, { productId: myThing, merchantId: theirs.organizationId })).status).toBe(403);
    expect((await create(theirs, { productId: myThing })).status).toBe(403);
    expect(await create(mine, { productId: UNKNOWN })).toMatchObject({
      status: 404,
      body: { details: { field: 'productId' } },
    });
  });
});

describe('a role', () => {
  it.each([
    { role: 'viewer', create: 403, read: 200 },
    { role: 'member', create: 201, read: 200 },
    { role: 'admin', create: 201, read: 200 },
  ] as const)('of $role may read ($read) and create ($create)', async ({ role, create, read }) => {
    const caller = edge.caller(role, mine.organizationId);
    expect((await caller.call('POST', '/v0/things', { body: { name: role } })).status).toBe(create);
    expect((await caller.call('GET', `/v0/things/${myThing}`)).status).toBe(read);
  });

  it('that may not is a 403 before the body is looked at', async () => {
    const viewer = edge.caller('viewer', mine.organizationId);
    expect(await viewer.call('POST', '/v0/things', { body: { nonsense: 1 } })).toMatchObject({ status: 403 });
  });

  it('of a merchant’s admin is not that of an operator', async () => {
    expect((await mine.call('POST', '/v0/levers', { body: {} })).status).toBe(403);
    expect((await edge.operator.call('POST', '/v0/levers', { body: {} })).status).toBe(200);
  });
});

describe('row-level security alone, when no code asks whose a row is', () => {
  const as = <Row>(scope: Scope, query: ReturnType<typeof sql>) =>
    edge.database.transaction(scope, (tx) => tx.rows<Row>(query));
  const stateOf = (work: Promise<unknown>) => work.then(() => 'done', sqlState);
  const INSUFFICIENT_PRIVILEGE = '42501';

  it('shows nobody’s rows to nobody, one’s own to a merchant, and all of them to an operator’s reading', async () => {
    const query = sql`select distinct merchant_id as id from thing order by 1`;
    expect(await as('nobody', query)).toEqual([]);
    expect(await as({ merchants: [] }, query)).toEqual([]);
    expect(await as({ merchants: ['org_nobody'] }, query)).toEqual([]);
    expect(await as({ merchants: [mine.organizationId] }, query)).toEqual([{ id: mine.organizationId }]);
    expect(await as('every merchant, reading', query)).toHaveLength(2);
  });

  it('refuses a change or a deletion of another owner’s row', async () => {
    const scope = { merchants: [theirs.organizationId] };
    const [changed, gone] = await edge.database.transaction(scope, async (tx) => [
      await tx.run(sql`update thing set name = 'taken' where id = ${myThing}`),
      await tx.run(sql`delete from thing where id = ${myThing}`),
    ]);
    expect([changed, gone]).toEqual([0, 0]);
    expect((await mine.call('GET', `/v0/things/${myThing}`)).body.name).toBe('mine');
  });

  it('refuses a row for another owner, and a change of the owner', async () => {
    const scope = { merchants: [theirs.organizationId] };
    const insert = sql`insert into thing (merchant_id, id, name) values (${mine.organizationId}, 'prod_x', 'smuggled')`;
    expect(await stateOf(as(scope, insert))).toBe(INSUFFICIENT_PRIVILEGE);
    const give = sql`update thing set merchant_id = ${mine.organizationId}`;
    expect(await stateOf(as(scope, give))).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it('lets an operator’s list write nothing', async () => {
    for (const query of [
      sql`update thing set name = 'x'`,
      sql`delete from thing`,
      sql`insert into thing values ('a', 'b', 'c')`,
    ])
      expect(await stateOf(as('every merchant, reading', query))).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it('hides who owns what, but for the answer to one id', async () => {
    expect(await stateOf(as('nobody', sql`select * from resource`))).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await as('nobody', sql`select owner_of(${myThing}) as owner`)).toEqual([{ owner: mine.organizationId }]);
    expect(await as('nobody', sql`select owner_of('prod_nobody') as owner`)).toEqual([{ owner: null }]);
  });

  it('is not to be had by a merchant id that is SQL', async () => {
    await expect(as({ merchants: ["x', true); reset role; --"] }, sql`select 1`)).rejects.toThrow('letters and digits');
  });

  it('stands before every table that belongs to merchants', async () => {
    const { rows } = await asOwner(
      edge.url,
      `select c.relname as name, c.relrowsecurity as locked,
              (select count(*)::int from pg_policy p where p.polrelid = c.oid) as policies,
              has_table_privilege('reckoner_app', c.oid, 'select, insert, update, delete') as reachable
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'merchant_id'
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`,
    );
    expect(rows.length).toBeGreaterThan(10);
    const open = rows.filter(({ locked, policies, reachable }) => reachable && !(locked && policies > 0));
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it('has views and functions that leave it standing: no view steps around it', async () => {
    const { rows } = await asOwner(
      edge.url,
      `select relname from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
          and not coalesce('security_invoker=true' = any (reloptions), false)`,
    );
    expect(rows).toEqual([]);
  });
});

describe('an API key', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await openTestEnvironment();
  });
  afterAll(() => env.close());

  const withHeader = async (authorization?: string) => {
    const reply = await env.server.inject({
      url: '/v0/testClocks',
      headers: authorization === undefined ? {} : { authorization },
    });
    return { status: reply.statusCode, headers: reply.headers, body: reply.json() };
  };

  it('is sent as Bearer, in any case of that word', async () => {
    const { key } = await env.merchant();
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await withHeader(`${scheme} ${key}`)).status).toBe(200);
  });

  it.each([
    { header: undefined, code: 'API_KEY_MISSING' },
    { header: '', code: 'API_KEY_INVALID' },
    { header: 'Bearer', code: 'API_KEY_INVALID' },
    { header: 'Bearer ', code: 'API_KEY_INVALID' },
    { header: 'Bearer rk_test_unknown', code: 'API_KEY_INVALID' },
    { header: 'Bearer two words', code: 'API_KEY_INVALID' },
    { header: 'Basic cms6', code: 'API_KEY_INVALID' },
    { header: `Bearer ${'k'.repeat(600)}`, code: 'API_KEY_INVALID' },
  ])('missing or malformed ($header) is a 401 $code', async ({ header, code }) => {
    const answer = await withHeader(header);
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized', code } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('without its scheme is not a key', async () => {
    const { key } = await env.merchant();
    expect(await withHeader(key)).toMatchObject({ status: 401, body: { code: 'API_KEY_INVALID' } });
  });

  it('is asked for before the content type, the body and the path are looked at', async () => {
    for (const request of [
      { method: 'POST', url: '/v0/testClocks', headers: { 'content-type': 'text/plain' }, payload: 'x' },
      { method: 'POST', url: '/v0/testClocks', headers: { 'content-type': 'application/json' }, payload: '{' },
      { method: 'POST', url: '/v0/nothing', headers: { 'content-type': 'text/plain' }, payload: 'x' },
      { method: 'GET', url: '/v0/testClocks/%zz' },
    ] as const)
      expect((await env.server.inject(request)).statusCode).toBe(401);
  });

  it('that has expired says so', async () => {
    const merchant = await env.merchant();
    await asOwner(
      env.url,
      `update api_key set expires_at = '2026-05-01T00:00:00Z' where user_id = '${merchant.userId}'`,
    );
    env.setNow('2026-04-30T23:59:59.999999Z');
    expect((await merchant.get('/v0/testClocks')).status).toBe(200);
    env.setNow('2026-05-01T00:00:00Z');
    expect(await merchant.get('/v0/testClocks')).toMatchObject({ status: 401, body: { code: 'API_KEY_EXPIRED' } });
  });

  it('that was revoked is refused soon', async () => {
    const merchant = await env.merchant();
    expect((await merchant.get('/v0/testClocks')).status).toBe(200);
    await asOwner(env.url, `update api_key set revoked_at = now() where user_id = '${merchant.userId}'`);
    await expect
      .poll(() => merchant.get('/v0/testClocks'), { timeout: 5_000 })
      .toMatchObject({ status: 401, body: { code: 'API_KEY_INVALID' } });
  });
});
