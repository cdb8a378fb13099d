import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, type EdgeCaller, openEdge, thingRoutes } from '../../test/support/edge.ts';
import { ok } from '../kernel/result.ts';
import { compactText, plainUrl } from './compact.ts';
import {
  DecimalOut,
  GroupOut,
  JsonOut,
  MapOut,
  Nullable,
  Reply,
  routesOf,
  Strict,
  type TSchema,
  Type,
} from './index.ts';
import { compactDocument } from './reference/compact-document.ts';

const api = routesOf('Things');

const Echoed = Type.Object(
  { note: Nullable(Type.String()), always: Type.Null(), sent: MapOut, kept: Type.Null(), count: Type.Number() },
  { $id: 'Echoed', 'x-compact': { kept: 'null' } },
);

const routes = [
  ...thingRoutes(),
  api.post('/v0/echo', 'echo', {
    summary: 'Answer what was sent',
    access: { role: 'member', merchant: 'caller' },
    body: Strict({ sent: MapOut, note: Type.Optional(Nullable(Type.String())) }, { $id: 'Echo' }),
    replies: { 200: Echoed },
    handler: async ({ body: { sent, note } }) =>
      ok({ note: note ?? null, always: null, sent, kept: null, count: JSON.rawJSON('9007199254740993.10') }),
  }),
  api.get('/v0/page', 'showPage', {
    summary: 'A page that is no JSON',
    access: { role: 'viewer', merchant: 'caller' },
    replies: { 200: { contentType: 'text/plain', description: 'A text' } },
    handler: async () => ok(new Reply(200, '{"a":null}', { 'content-type': 'text/plain' })),
  }),
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
  it('has no null in a field that the API defines, all JSON of the caller, and all digits of its numbers', async () => {
    const { text } = await caller.call('POST', '/compact/v0/echo', { body: { sent } });
    expect(text).toBe(`{"sent":${JSON.stringify(sent)},"kept":null,"count":9007199254740993.10}`);
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
    expect(again).toMatchObject({
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
      body: { sent: { one: null }, kept: null },
    });
    expect(again.body).not.toHaveProperty('note');
    const other = await caller.call('POST', '/compact/v0/echo', { headers, body: { sent: { two: 2 } } });
    expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    const made = { headers: { 'idempotency-key': 'compact first' }, body: { name: 'thing' } };
    const compact = await caller.call('POST', '/compact/v0/things', made);
    expect((await caller.call('POST', '/v0/things', made)).body).toEqual(compact.body);
  });
});

describe('the compact document', () => {
  it('has every operation of the plain one, and null where it stays', async () => {
    const plain = (await caller.call('GET', '/openapi.json')).body;
    const compact = (await caller.call('GET', '/compact/openapi.json')).body;
    expect(Object.keys(compact.paths)).toEqual(Object.keys(plain.paths));
    expect(compact.servers).toEqual([{ url: `${plain.servers[0].url}/compact` }]);
    expect(JSON.stringify([plain, compact])).not.toContain('x-compact');
    expect(plain.components.schemas.Echoed.required).toEqual(['note', 'always', 'sent', 'kept', 'count']);
    expect(compact.components.schemas.Echoed).toMatchObject({
      required: ['sent', 'kept', 'count'],
      properties: {
        note: { type: 'string' },
        sent: { $ref: '#/components/schemas/JsonObject' },
        kept: { type: 'null' },
      },
    });
    expect(Object.keys(compact.components.schemas.Echoed.properties)).toEqual(['note', 'sent', 'kept', 'count']);
    expect(compact.components.schemas.JsonValue).toEqual(plain.components.schemas.JsonValue);
    const { requestBody, responses } = compact.paths['/v0/echo'].post;
    expect(requestBody.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Echo' });
    expect(compact.components.schemas.Echo.properties.note).toEqual({ type: 'string' });
    expect(responses[200].content['application/json'].example).toEqual({ sent: {}, kept: null, count: 1 });
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
  const compact = compactDocument(document, 'http://localhost/compact');
  expect(compact).toMatchObject({ components: { schemas: { Thing: shown } } });
  const names = Object.keys(compact.components.schemas.Thing ?? {});
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

const objects = (properties: Record<string, TSchema>, forms?: object) =>
  Type.Object(properties, { ...(forms && { 'x-compact': forms }) });
const words = Nullable(Type.String());
const ofKinds = {
  by: 'kind',
  of: { wide: { words: ['wide', 'broad'], fields: { data: objects({ end: words }) } }, tall: {} },
};

it.each([
  { answer: 'a null', schema: objects({ a: words, b: words }), plain: '{"a":null,"b":"b"}', compact: '{"b":"b"}' },
  {
    answer: 'a deep null',
    schema: objects({ a: objects({ b: words }) }),
    plain: '{"a":{"b":null}}',
    compact: '{"a":{}}',
  },
  {
    answer: 'nulls of a list and in it',
    schema: Type.Array(Nullable(objects({ a: words }))),
    plain: '[null,{"a":null}]',
    compact: '[null,{}]',
  },
  { answer: 'the value of no event', schema: objects({ g: GroupOut }), plain: '{"g":{"a":null}}', compact: '{"g":{}}' },
  { answer: 'keys of data', schema: objects({ d: MapOut }), plain: '{"d":{"a":{"b":null}}}' },
  { answer: 'a key that no schema declares', schema: objects({ a: words }), plain: '{"b":null}' },
  { answer: 'JSON of any content', schema: objects({ a: JsonOut, b: JsonOut }), plain: '{"a":null,"b":{"c":null}}' },
  {
    answer: 'keys beside the declared ones',
    schema: objects({ d: Type.Object({ a: words }, { additionalProperties: JsonOut }) }),
    plain: '{"d":{"a":null,"b":null}}',
    compact: '{"d":{"b":null}}',
  },
  { answer: 'a kept null', schema: objects({ a: words, b: words }, { a: 'null' }), plain: '{"a":null}' },
  {
    answer: 'no text',
    schema: objects({ a: words, b: Type.Optional(Type.String()) }, { a: 'text', b: 'text' }),
    plain: '{"a":null}',
    compact: '{"a":"","b":""}',
  },
  { answer: 'a text', schema: objects({ a: words }, { a: 'text' }), plain: '{"a":"sub_1"}' },
  {
    answer: 'figures',
    schema: objects({ a: Nullable(DecimalOut), b: Nullable(DecimalOut), c: DecimalOut }, { a: 'number', b: 'number' }),
    plain: '{"a":"12345678901234567890.10","b":null,"c":"1.10"}',
    compact: '{"a":12345678901234567890.10,"b":null,"c":"1.10"}',
  },
  {
    answer: 'a map of figures',
    schema: objects({ a: Type.Unsafe({ type: 'object', additionalProperties: DecimalOut }) }, { a: 'number' }),
    plain: '{"a":{"x":"-0.50","y":"0"}}',
    compact: '{"a":{"x":-0.50,"y":0}}',
  },
  {
    answer: 'what is absent',
    schema: objects({ a: words, b: words }, { a: 'absent' }),
    plain: '{"a":"a","b":"b"}',
    compact: '{"b":"b"}',
  },
  {
    answer: 'a kind of a union',
    schema: Type.Union([
      objects({ kind: Type.Literal('a'), of: words }, { of: 'null' }),
      objects({ kind: Type.Literal('b'), of: words }),
    ]),
    plain: '{"kind":"a","of":null}',
  },
  {
    answer: 'another kind of a union',
    schema: Type.Union([
      objects({ kind: Type.Literal('a'), of: words }, { of: 'null' }),
      objects({ kind: Type.Literal('b'), of: words }),
    ]),
    plain: '{"kind":"b","of":null}',
    compact: '{"kind":"b"}',
  },
  ...['wide', 'broad'].map((kind) => ({
    answer: `data of the kind ${kind}`,
    schema: Type.Object({ kind: Type.String(), data: MapOut }, { 'x-cases': ofKinds }),
    plain: `{"kind":"${kind}","data":{"end":null,"own":null}}`,
    compact: `{"kind":"${kind}","data":{"own":null}}`,
  })),
  {
    answer: 'data of another kind',
    schema: Type.Object({ kind: Type.String(), data: MapOut }, { 'x-cases': ofKinds }),
    plain: '{"kind":"tall","data":{"end":null}}',
  },
  { answer: 'long numbers', schema: objects({ a: Type.Number() }), plain: '{"a":12345678901234567890.5,"b":[1.5]}' },
])('has $answer in $plain as $compact', ({ schema, plain, compact = plain }) =>
  expect(compactText(schema, plain)).toBe(compact),
);

it.each([
  { form: 'null', field: { type: ['string', 'null'] }, shown: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
  { form: 'null', field: { type: 'null', description: 'd' }, shown: { type: 'null', description: 'd' } },
  {
    form: 'text',
    field: { anyOf: [{ type: 'string', pattern: '^sub_' }, { type: 'null' }], description: 'd' },
    shown: {
      anyOf: [
        { type: 'string', pattern: '^sub_' },
        { type: 'string', const: '' },
      ],
      description: 'd',
    },
  },
  { form: 'text', field: { type: 'string' }, shown: { type: 'string' } },
  {
    form: 'number',
    field: { anyOf: [{ $ref: '#/components/schemas/Decimal' }, { type: 'null' }], examples: ['4.60'] },
    shown: { anyOf: [{ $ref: '#/components/schemas/DecimalNumber' }, { type: 'null' }], examples: [4.6] },
  },
])('shows a field of the form $form as $shown', ({ form, field, shown }) => {
  const thing = { type: 'object', properties: { field, other: { type: 'null' } }, 'x-compact': { field: form } };
  const document = { paths: {}, components: { schemas: { Thing: { ...thing, required: ['field'] } } } };
  const { components } = compactDocument(document, '/compact');
  expect(components.schemas.Thing).toEqual({ type: 'object', properties: { field: shown }, required: ['field'] });
});

it('shows no field of the form absent, and requires a text where there was no value', () => {
  const thing = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    required: ['a'],
    'x-compact': { a: 'absent', b: 'text' },
  };
  const { components } = compactDocument({ paths: {}, components: { schemas: { Thing: thing } } }, '/compact');
  expect(components.schemas.Thing).toEqual({ type: 'object', properties: { b: { type: 'string' } }, required: ['b'] });
});
