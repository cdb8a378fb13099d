import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, type Client, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Call, operations, urlOf } from '../support/operations.ts';
import { allDeclarations, propertiesOf, type RouteDeclaration } from '../support/routes.ts';
import { openWorld, type World } from '../support/world.ts';

/** No input causes a fault of ours: any body, query or path is accepted or refused (reliability I-62). */
const declarations = (await allDeclarations()).filter(({ access }) => !('public' in access));
const named = (list: readonly RouteDeclaration[]) =>
  list.map((declaration) => ({ name: declaration.operationId, declaration }));

let env: TestEnvironment;
let world: World;
beforeAll(async () => {
  env = await sharedEnvironment();
  world = await openWorld(env);
});
afterAll(() => env.close());

const texts = [
  '',
  ' ',
  '0',
  '-1',
  '1e5',
  'NaN',
  'null',
  'true',
  '%',
  "'; drop table invoice; --",
  '{{1}}',
  '\\u0000',
  'a\u0000b',
  '\uD800',
  '🧾'.repeat(200),
  'x'.repeat(9000),
  '٣',
  'İ',
  '../..',
  'P',
  'P0D',
  'P1M1D',
  'PT1S',
  'P9999Y',
  '-P1M',
  '2026-01-01',
  '0001-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2199-12-31T23:59:59.9999999+14:00',
  '9'.repeat(40),
  `0.${'0'.repeat(40)}1`,
  '1'.repeat(38),
  '__proto__',
  'constructor',
  'org_',
  'inv_zz',
  '$.',
  '$.a..b',
];
const hostile = fc.oneof(
  fc.constantFrom<unknown>(...texts),
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    [],
    {},
    [[]],
    [null],
    { a: { b: {} } },
    0,
    -0,
    -1,
    1.5,
    1e308,
    5e-324,
    2 ** 53,
    2 ** 31,
    -(2 ** 31),
    32768,
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The body with one of its parts replaced, taken out, or doubled under another name. */
function spoil(body: unknown, place: number, value: unknown): unknown {
  if (typeof body !== 'object' || body === null) return value;
  const keys = Object.keys(body);
  const key = keys[place % (keys.length + 1)];
  if (key === undefined) return Array.isArray(body) ? [...body, value] : value;
  const inner = (body as Record<string, unknown>)[key];
  const goDeeper = typeof inner === 'object' && inner !== null && place % 3 !== 0;
  const spoiled = goDeeper ? spoil(inner, Math.floor(place / (keys.length + 1)), value) : value;
  if (Array.isArray(body)) return body.with(Number(key), spoiled);
  return { ...body, [key]: spoiled };
}

const send = (client: Client, { method }: RouteDeclaration, url: string, body?: unknown): Promise<Answer> =>
  method === 'GET' ? client.get(url) : client[method.toLowerCase() as 'post'](url, body);

const prepared = async ({ operationId }: RouteDeclaration): Promise<Call> =>
  (await operations[operationId]?.[0](world)) ?? {};

const RUNS = { numRuns: 30, endOnFailure: true };

it.each(named(declarations.filter(({ body }) => body)))('in the body of $name', async ({ declaration }) => {
  const call = await prepared(declaration);
  const client = declaration.operationId === 'createOrganization' ? env.platform : world.merchant;
  await fc.assert(
    fc.asyncProperty(fc.nat(10_000), hostile, async (place, value) => {
      const answer = await send(
        client,
        declaration,
        urlOf(declaration.path, call),
        spoil(call.body ?? {}, place, value),
      );
      expect(answer.status, answer.text).toBeLessThan(500);
    }),
    RUNS,
  );
});

it.each(named(declarations.filter(({ query }) => query)))('in the query of $name', async ({ declaration }) => {
  const call = await prepared(declaration);
  const names = Object.keys(propertiesOf(declaration.query));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      fc.oneof(fc.constantFrom(...texts), fc.string({ maxLength: 40 })),
      async (name, value) => {
        const url = urlOf(declaration.path, { ...call, query: { ...call.query, [name]: value.toWellFormed() } });
        const answer = await send(world.merchant, declaration, url, call.body);
        expect(answer.status, `${url} ${answer.text}`).toBeLessThan(500);
      },
    ),
    RUNS,
  );
});

it.each(named(declarations.filter(({ path }) => path.includes(':'))))(
  'in the path of $name',
  async ({ declaration }) => {
    const call = await prepared(declaration);
    const names = Object.keys(call.params ?? {});
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.oneof(fc.constantFrom(...texts), fc.string({ maxLength: 40 })),
        async (name, value) => {
          const url = urlOf(declaration.path, { ...call, params: { ...call.params, [name]: value.toWellFormed() } });
          const answer = await send(world.merchant, declaration, url, call.body);
          // an empty one or a dot may name another path
          expect([400, 404, 405], `${url} ${answer.text}`).toContain(answer.status);
          if (answer.status === 405) expect(answer.headers.allow).not.toContain(declaration.method);
        },
      ),
      { ...RUNS, numRuns: 10 },
    );
  },
);
