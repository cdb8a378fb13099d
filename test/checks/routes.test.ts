import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageFaults, requestSchemaFaults, schemaFaults } from '../../scripts/checks/request-schemas.ts';
import { routeFaults, undocumentedRoutes } from '../../scripts/checks/routes.ts';
import { Formed, FreeMap, Id, MapOf, Metadata, Strict, Text, type TSchema, Type } from '../../src/http/index.ts';
import { priceModels } from '../../src/invoicing/rating/index.ts';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { allDeclarations, type RouteDeclaration } from '../support/routes.ts';

let environment: TestEnvironment;
let declarations: RouteDeclaration[];

beforeAll(async () => {
  environment = await sharedEnvironment();
  declarations = await allDeclarations();
});
afterAll(() => environment.close());

describe('the routes', () => {
  it('each declare who may call, an operationId of their own, a tag and a summary', () => {
    expect(declarations.length).toBeGreaterThan(0);
    expect(routeFaults(declarations)).toEqual([]);
  });

  it('are in the OpenAPI document, and it has no others', async () => {
    const { body } = await environment.client().get('/openapi.json');
    expect(undocumentedRoutes(declarations, body, ['/healthz', '/readyz', '/metrics'])).toEqual([]);
  });
});

/** Checks inside a handler, and their place. */
const APART = [
  'POST /v0/events body.data', // metering/content.ts, value by value
  'POST /v0/events body.*.data',
  // the model's schema, below
  ...['POST /v0/prices', 'PATCH /v0/prices/:id'].map((route) => `${route} body.properties`),
  ...['POST /v0/prices', 'PATCH /v0/prices/:id'].map((route) => `${route} body.currencyPrices.*.properties`),
  'POST /v0/commitments body.overrides.*.properties',
  ...['', '/preview', '/:id/changes'].map((path) => `POST /v0/subscriptions${path} body.priceOverrides.*.properties`),
];

describe('the schemas of requests', () => {
  it('take no text or key that cannot be stored, and no field that they do not name', () => {
    expect(requestSchemaFaults(declarations, APART)).toEqual([]);
    for (const [name, { schema }] of Object.entries(priceModels)) expect(schemaFaults(name, schema)).toEqual([]);
  });
});

describe('what is said of a wrong value', () => {
  it('is in words, without patterns and sections of the specification', () => {
    expect(messageFaults(declarations)).toEqual([]);
  });

  it.each([
    { what: 'a pattern without words', schema: Strict({ a: Type.String({ pattern: '^[a-z]+$' }) }), faults: 0 },
    { what: 'words with a pattern', schema: Strict({ a: Formed('^[a-z]+$', 'must match ^[a-z]+$') }), faults: 1 },
    { what: 'an example', schema: Strict({ a: Formed('^\\$', 'must be a path such as $.tokens') }), faults: 0 },
  ])('$what', ({ schema, faults }) => {
    expect(messageFaults([{ method: 'POST', path: '/v0/x', body: schema }])).toHaveLength(faults);
  });
});

describe('these checks see', () => {
  it.each<{ what: string; body: TSchema; faults: string[] }>([
    { what: 'an open object', body: Type.Object({ a: Text() }), faults: ['body takes fields that it does not name'] },
    {
      what: 'one inside',
      body: Strict({ a: Type.Array(Type.Union([Text(), Type.Object({})])) }),
      faults: ['body.a.* takes fields that it does not name'],
    },
    { what: 'a field of any type', body: Strict({ a: Type.Unknown() }), faults: ['body.a says no type'] },
    {
      what: 'nothing wrong',
      body: Strict({
        a: Type.String(),
        b: Metadata,
        c: MapOf(Id('plan'), Text()),
        d: Type.Record(Type.String({ pattern: '^a' }), Type.Integer()),
        e: FreeMap(),
        f: Type.String({ pattern: '^[^b]*$' }),
      }),
      faults: [],
    },
  ])('$what in a request', ({ body, faults }) => {
    const found = requestSchemaFaults([{ method: 'POST', path: '/v0/x', body }]);
    expect(found).toEqual(faults.map((fault) => `POST /v0/x ${fault}`));
  });

  const good = {
    method: 'GET',
    path: '/v0/prices/:id',
    operationId: 'getPrice',
    tag: 'Catalog',
    summary: 'Get a price',
    access: { public: true },
    replies: {},
  } as const satisfies RouteDeclaration;

  it.each([
    { what: 'no policy', change: { access: undefined } },
    { what: 'a policy without a merchant', change: { access: { role: 'viewer' } } },
    { what: 'a policy without a role', change: { access: { merchant: 'query' } } },
    { what: 'no operationId', change: { operationId: '' } },
    { what: 'an operationId in another form', change: { operationId: 'Get price' } },
    { what: 'no tag', change: { tag: '' } },
    { what: 'no summary', change: { summary: ' ' } },
    { what: 'a path in another form', change: { path: '/v0/Prices/' } },
  ])('$what', ({ change }) => {
    expect(routeFaults([good])).toEqual([]);
    expect(routeFaults([{ ...good, ...change } as RouteDeclaration])).toHaveLength(1);
  });

  it('an operationId twice, and a path twice', () => {
    expect(routeFaults([good, { ...good, path: '/v0/price/:id' }])).toHaveLength(1);
    expect(routeFaults([good, { ...good, path: '/v0/prices/:priceId', operationId: 'readPrice' }])).toHaveLength(1);
  });

  it('a route that the document lacks, and one that only the document has', () => {
    const operation = { operationId: 'getPrice', tags: ['Catalog'], summary: 'Get a price' };
    const document = { paths: { '/v0/prices/{id}': { get: operation } } };
    expect(undocumentedRoutes([good], document, [])).toEqual([]);
    expect(undocumentedRoutes([{ ...good, hidden: true }], { paths: {} }, [])).toEqual([]);
    expect(undocumentedRoutes([good], { paths: {} }, [])).toEqual(['GET /v0/prices/{id} is not in the document']);
    expect(undocumentedRoutes([], document, [])).toEqual(['GET /v0/prices/{id} is in the document alone']);
    expect(undocumentedRoutes([], document, ['/v0/prices/{id}'])).toEqual([]);
    const other = { paths: { '/v0/prices/{id}': { get: { ...operation, operationId: 'other' } } } };
    expect(undocumentedRoutes([good], other, [])).toHaveLength(1);
  });
});
