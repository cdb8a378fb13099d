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
      expect((response as { description: string }).description, `${method} ${path} ${status}`).toMatch(/^\w.* \w|\.$/);
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
