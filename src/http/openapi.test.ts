import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiDocument, documentMeasures, gapsOf } from '../../scripts/checks/descriptions.ts';
import { home } from '../../scripts/checks/project.ts';
import { sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { wireDomains } from '../wiring.ts';
import { type Route, validate } from './index.ts';

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: unknown;
  responses: Record<string, unknown>;
}

interface Reply {
  content?: Record<string, { schema?: object; example?: unknown }>;
}

let env: TestEnvironment;
let document: {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
};
let routes: readonly Route[];
beforeAll(async () => {
  env = await sharedEnvironment();
  document = (await env.client().get('/openapi.json')).body;
  const domains = wireDomains('sandbox', 'http://localhost');
  routes = domains.routes({ runClock: async () => 0 } as never);
  await domains.close();
});
afterAll(() => env.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

/** A part of the document, also where a reference to a component stands in its place. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into parts of every shape
function shared(part: any): any {
  const [, , kind, name] = String(part.$ref ?? '').split('/');
  return kind === undefined ? part : document.components[kind]?.[name as string];
}

const EDGE = ['GET /healthz', 'GET /metrics', 'GET /readyz'];

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 and needs no key', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('lists every route exactly, and nothing else', () => {
    const declared = routes
      .filter(({ declaration }) => !declaration.hidden)
      .map(({ declaration }) => `${declaration.method} ${declaration.path.replaceAll(/:([A-Za-z]+)/g, '{$1}')}`);
    const listed = operations().map(({ path, method }) => `${method} ${path}`);
    expect(listed.toSorted()).toEqual([...declared, ...EDGE].toSorted());
  });

  it('names each operation once', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('says of each operation what it does, what it answers, and how it fails', () => {
    for (const { path, method, operation } of operations()) {
      const where = `${method} ${path}`;
      expect(operation.summary, where).toBeTruthy();
      expect(operation.tags, where).toHaveLength(1);
      const statuses = Object.keys(operation.responses);
      expect(
        statuses.some((status) => status.startsWith('2') || status === '302'),
        where,
      ).toBe(true);
      const isPublic = operation.security?.length === 0;
      if (!isPublic) expect(statuses, where).toEqual(expect.arrayContaining(['400', '401', '403', '404', '500']));
    }
  });

  it('has a parameter for each name in a path', () => {
    for (const { path, method, operation } of operations()) {
      const names = [...path.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name]) => name as string);
      const given = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(given.map(({ name }) => name).toSorted(), `${method} ${path}`).toEqual(names.toSorted());
    }
  });

  it('has every component that it refers to', () => {
    const missing = new Set<string>();
    const walk = (part: unknown): void => {
      if (typeof part !== 'object' || part === null) return;
      if ('$ref' in part && typeof part.$ref === 'string') {
        const [, , kind, name] = part.$ref.split('/');
        if (!(part.$ref.startsWith('#/components/') && document.components[kind as string]?.[name as string]))
          missing.add(part.$ref);
      }
      for (const each of Object.values(part)) walk(each);
    };
    walk(document);
    expect([...missing]).toEqual([]);
  });

  it('has a content security policy for browsers, and cannot be framed', async () => {
    const { headers, text } = await env.client().get('/docs/');
    const script = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(script).digest('base64');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(script).toContain('createApiReference');
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("connect-src 'self' http://localhost:4401");
    expect(headers['x-frame-options']).toBe('DENY');
    expect((await env.client().get('/docs/js/scalar.js')).headers['content-security-policy']).toContain(
      "default-src 'none'",
    );
  });

  it('is where / leads to', async () => {
    expect(await env.client().get('/')).toMatchObject({ status: 302, headers: { location: '/docs' } });
  });

  it('can be browsed at /docs', async () => {
    const answer = await env.client().get('/docs/');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toContain('text/html');
  });
});

it('orders the parts of the reference, and says what each is about', () => {
  const tags = (document as unknown as { tags: { name: string; description: string }[] }).tags;
  const used = new Set(operations().flatMap(({ operation }) => operation.tags));
  expect(new Set(tags.map(({ name }) => name))).toEqual(used);
  expect(tags.filter(({ description }) => description === '')).toEqual([]);
});

it('says each status in words, and when a body may be left out', () => {
  for (const { path, method, operation } of operations())
    for (const [status, response] of Object.entries(operation.responses))
      expect(shared(response).description, `${method} ${path} ${status}`).toMatch(/^\w.* \w|\.$/);
  const bodyOf = (path: string) => document.paths[path]?.post?.requestBody as { required?: boolean };
  expect(bodyOf('/v2/invoices/{id}/refunds').required).toBe(false);
  expect(bodyOf('/v0/products').required).toBe(true);
});

describe('the words of the document', () => {
  it('describe every property and operation, with an example of each body, but for a list that only shrinks', () => {
    // `npm run docs:measures -- --write` takes described schemas off the list.
    const listed: unknown = JSON.parse(readFileSync(`${home}scripts/checks/undescribed.json`, 'utf8'));
    expect(gapsOf(documentMeasures(document as unknown as ApiDocument))).toEqual(listed);
  });

  it('have an example of each success reply', () => {
    const { replies, repliesWithExample } = documentMeasures(document as unknown as ApiDocument);
    expect(repliesWithExample).toBe(replies);
  });

  it('have examples of replies that their schemas accept', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'document', components: document.components });
    const faults: string[] = [];
    for (const { operation } of operations())
      for (const [status, reply] of Object.entries(operation.responses)) {
        const { schema, example } = (reply as Reply).content?.['application/json'] ?? {};
        if (!(status.startsWith('2') && schema)) continue;
        const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
        if (!ajv.validate(whole, example)) faults.push(`${operation.operationId} ${status}: ${ajv.errorsText()}`);
      }
    expect(faults).toEqual([]);
  });

  it('have no example of a body that is refused for its form', () => {
    for (const { declaration } of routes) {
      const { examples = [] } = (declaration.body ?? {}) as { examples?: readonly unknown[] };
      const part = declaration.method === 'PATCH' ? 'change' : 'body';
      for (const example of examples)
        expect(validate(part, declaration.body as never, structuredClone(example)), declaration.operationId).toEqual(
          [],
        );
    }
  });
});

describe('the headers of the document', () => {
  const headersOf = (operation: Operation, status: number): string[] =>
    Object.keys(shared(operation.responses[status]).headers);
  const operationOf = (operationId: string): Operation =>
    operations().find(({ operation }) => operation.operationId === operationId)?.operation as Operation;
  const parametersOf = (operation: Operation): { name: string; in: string }[] =>
    (operation.parameters ?? []).map(shared);

  it('have the Idempotency-Key of each POST that takes one, and of no other operation', () => {
    const taking = operations()
      .filter(({ operation }) => parametersOf(operation).some(({ name }) => name === 'Idempotency-Key'))
      .map(({ operation }) => operation.operationId);
    const declared = routes
      .filter(
        ({ declaration: { method, access, idempotent } }) =>
          method === 'POST' && !('public' in access || idempotent === false),
      )
      .map(({ declaration }) => declaration.operationId);
    expect(taking.toSorted()).toEqual([...declared, 'createEvents'].toSorted());
  });

  it.each([
    {
      id: 'createProduct',
      status: 201,
      names: ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed'],
    },
    { id: 'getProduct', status: 200, names: ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'ETag'] },
    { id: 'getRevenue', status: 200, names: ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Reckoner-Data-Age'] },
    { id: 'updateProduct', status: 412, names: ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] },
    { id: 'getProduct', status: 401, names: ['X-Request-Id', 'WWW-Authenticate'] },
    { id: 'getProduct', status: 429, names: ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After'] },
    { id: 'createEvents', status: 503, names: ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After'] },
    { id: 'getReadiness', status: 503, names: ['X-Request-Id', 'Retry-After'] },
  ])('of $id $status are $names', ({ id, status, names }) =>
    expect(headersOf(operationOf(id), status).toSorted()).toEqual(names.toSorted()),
  );

  it('are those of the answers', async () => {
    const merchant = await env.merchant();
    const headers = { 'idempotency-key': 'document' };
    const body = { name: 'Messaging', description: 'Messages by API' };
    const answers = [
      { id: 'createProduct', answer: await merchant.post('/v0/products', body, headers) },
      { id: 'createProduct', answer: await merchant.post('/v0/products', body, headers) },
      { id: 'createProduct', answer: await merchant.post('/v0/products', {}, { 'idempotency-key': 'wrong' }) },
      { id: 'listProducts', answer: await merchant.get('/v0/products') },
      { id: 'listProducts', answer: await env.client().get('/v0/products') },
    ];
    const own = /^(?:x-request-id|ratelimit|ratelimit-policy|retry-after|idempotent-replayed|www-authenticate)$/;
    for (const { id, answer } of answers) {
      const declared = headersOf(operationOf(id), answer.status).map((name) => name.toLowerCase());
      const sent = Object.keys(answer.headers).filter((name) => own.test(name));
      expect(declared).toEqual(expect.arrayContaining(sent));
      expect(sent).toContain('x-request-id');
    }
    expect(answers[1]?.answer.headers['idempotent-replayed']).toBe('true');
  });
});

it('lists the codes of docs/errors.md as the values of `code`', () => {
  const page = readFileSync(`${home}docs/errors.md`, 'utf8').split('### Single fields')[0] as string;
  const { ErrorCode } = document.components.schemas as Record<string, { enum: string[] }>;
  const printed = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map(([, code]) => code as string);
  expect(ErrorCode?.enum.toSorted()).toEqual(printed.toSorted());
});

it('has the content types of CloudEvents', () => {
  const body = document.paths['/v0/events']?.post?.requestBody as { content: Record<string, unknown> };
  expect(Object.keys(body.content)).toEqual([
    'application/json',
    'application/cloudevents+json',
    'application/cloudevents-batch+json',
  ]);
});

it('describes every schema', () => {
  const { schemas = {} } = document.components as Record<string, Record<string, { description?: string }>>;
  expect(Object.keys(schemas).filter((name) => !schemas[name]?.description)).toEqual([]);
});
