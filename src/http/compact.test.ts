import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, type EdgeCaller, openEdge, thingRoutes } from '../../test/support/edge.ts';
import { ok } from '../kernel/result.ts';
import { compactDocument, compactText, plainUrl } from './compact.ts';
import { MapOut, Nullable, Reply, route, Strict, Type } from './index.ts';

const Echoed = Type.Object(
  { note: Nullable(Type.String()), always: Type.Null(), sent: MapOut, count: Type.Unknown() },
  { $id: 'Echoed' },
);

const routes = [
  ...thingRoutes(),
  route(
    {
      method: 'POST',
      path: '/v0/echo',
      operationId: 'echo',
      tag: 'Things',
      summary: 'Answer what was sent',
      access: { role: 'member', merchant: 'caller' },
      body: Strict({ sent: MapOut, note: Type.Optional(Nullable(Type.String())) }, { $id: 'Echo' }),
      replies: { 200: Echoed },
    },
    async ({ body: { sent, note } }) =>
      ok({ note: note ?? null, always: null, sent, count: JSON.rawJSON('9007199254740993.10') }),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/page',
      operationId: 'showPage',
      tag: 'Things',
      summary: 'A page that is no JSON',
      access: { role: 'viewer', merchant: 'caller' },
      replies: { 200: { contentType: 'text/plain', description: 'A text' } },
    },
    async () => ok(new Reply(200, '{"a":null}', { 'content-type': 'text/plain' })),
  ),
];

let edge: Edge;
let caller: EdgeCaller;
beforeAll(async () => {
  edge = await openEdge(routes);
  caller = edge.caller();
});
afterAll(() => edge.close());

const sent = { a: null, b: [null, { c: null, d: [] }], e: {} };

describe('a compact answer', () => {
  it('has no field whose value is null, at any depth, and all digits of its numbers', async () => {
    const { text } = await caller.call('POST', '/compact/v0/echo', { body: { sent } });
    expect(text).toBe('{"sent":{"b":[null,{"d":[]}],"e":{}},"count":9007199254740993.10}');
    expect((await caller.call('POST', '/v0/echo', { body: { sent } })).body).toMatchObject({ note: null, sent });
  });

  it('is an error as the plain one', async () => {
    for (const path of ['/v0/things/prod_none', '/v0/nothing']) {
      const [plain, compact] = [await caller.call('GET', path), await caller.call('GET', `/compact${path}`)];
      expect([compact.status, compact.body.error]).toEqual([plain.status, plain.body.error]);
    }
    const { body } = await caller.call('GET', '/compact/v0/nothing');
    expect(body.message).toBe('GET /compact/v0/nothing does not exist.');
    expect(await caller.call('DELETE', '/compact/v0/page')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
    const refused = await caller.call('POST', '/compact/v0/things', { body: {} });
    expect(refused.body.errors).toEqual([{ field: 'name', message: 'is required' }]);
  });

  it('leaves what is no JSON as it is', async () =>
    expect((await caller.call('GET', '/compact/v0/page')).text).toBe('{"a":null}'));

  it('is the stored answer of an Idempotency-Key that was used on the plain path, and the other way round', async () => {
    const headers = { 'idempotency-key': 'one scope' };
    const first = await caller.call('POST', '/v0/echo', { headers, body: { sent: { one: null } } });
    const again = await caller.call('POST', '/compact/v0/echo', { headers, body: { sent: { one: null } } });
    expect(first.body).toMatchObject({ note: null, sent: { one: null } });
    expect(again).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' }, body: { sent: {} } });
    expect(again.text).not.toContain('null');
    const other = await caller.call('POST', '/compact/v0/echo', { headers, body: { sent: { two: 2 } } });
    expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    const made = { headers: { 'idempotency-key': 'compact first' }, body: { name: 'thing' } };
    const compact = await caller.call('POST', '/compact/v0/things', made);
    expect((await caller.call('POST', '/v0/things', made)).body).toEqual(compact.body);
  });
});

describe('the compact document', () => {
  it('has every operation of the plain one, and no null', async () => {
    const plain = (await caller.call('GET', '/openapi.json')).body;
    const compact = (await caller.call('GET', '/compact/openapi.json')).body;
    expect(Object.keys(compact.paths)).toEqual(Object.keys(plain.paths).map((path) => `/compact${path}`));
    expect(JSON.stringify(plain)).toMatch(/"null"/);
    expect(JSON.stringify(compact)).not.toMatch(/"null"|:null/);
    expect(plain.components.schemas.Echoed.required).toEqual(['note', 'always', 'sent', 'count']);
    expect(compact.components.schemas.Echoed).toMatchObject({
      required: ['sent'],
      properties: { note: { type: 'string' }, sent: { $ref: '#/components/schemas/JsonObject' } },
    });
    expect(Object.keys(compact.components.schemas.Echoed.properties)).toEqual(['note', 'sent', 'count']);
  });

  it('has a page, to which /compact leads', async () => {
    expect(await caller.call('GET', '/compact')).toMatchObject({ status: 302, headers: { location: '/compact/docs' } });
    const page = await caller.call('GET', '/compact/docs/');
    expect(page.text).toContain('/compact/openapi.json');
    expect(String(page.headers['content-security-policy'])).toContain("default-src 'none'");
  });
});

it.each([
  { schema: { type: ['string', 'null'] }, shown: { type: 'string' } },
  { schema: { type: ['string', 'integer', 'null'] }, shown: { type: ['string', 'integer'] } },
  {
    schema: { anyOf: [{ $ref: '#/x' }, { type: 'null' }], description: 'd' },
    shown: { $ref: '#/x', description: 'd' },
  },
  {
    schema: { anyOf: [{ type: 'string' }, { type: 'object' }, { type: 'null' }] },
    shown: { anyOf: [{ type: 'string' }, { type: 'object' }] },
  },
  { schema: { enum: ['a', null], default: null }, shown: { enum: ['a'] } },
  {
    schema: { type: 'object', additionalProperties: { type: ['number', 'null'] } },
    shown: { type: 'object', additionalProperties: { type: 'number' } },
  },
])('shows $schema as $shown', ({ schema, shown }) => {
  const document = { paths: {}, components: { schemas: { Thing: schema } } };
  expect(compactDocument(document)).toMatchObject({ components: { schemas: { Thing: shown } } });
  const names = Object.keys((compactDocument(document) as typeof document).components.schemas.Thing);
  expect(names.toSorted()).toEqual(Object.keys(shown).toSorted());
});

it.each([
  { url: '/compact/v0/customers?limit=1', plain: '/v0/customers?limit=1' },
  { url: '/compact/compact/v0/customers', plain: '/v0/customers' },
  { url: '/v0/compact/customers', plain: '/v0/compact/customers' },
  { url: '/compactor/v0', plain: '/compactor/v0' },
  { url: '/compact', plain: '/compact' },
  { url: '/compact/', plain: '/compact/' },
  { url: '/compact/docs', plain: '/compact/docs' },
  { url: '/compact/docs/js/scalar.js', plain: '/compact/docs/js/scalar.js' },
  { url: '/compact/openapi.json?x', plain: '/compact/openapi.json?x' },
])('$url is $plain', ({ url, plain }) => expect(plainUrl(url)).toBe(plain));

it('a number keeps its text where a double would not hold it', () =>
  expect(compactText('{"a":12345678901234567890.5,"b":null,"c":[1.10]}')).toBe(
    '{"a":12345678901234567890.5,"c":[1.1]}',
  ));
