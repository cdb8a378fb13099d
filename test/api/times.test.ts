import type { TSchema } from 'typebox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Call, operations, type Scenario, urlOf } from '../support/operations.ts';
import { allDeclarations, propertiesOf, type RouteDeclaration, requiredOf } from '../support/routes.ts';
import { openWorld, type World } from '../support/world.ts';

/** Every POST with every optional time of its body: long over, a moment ago, now, ahead. */
const NOW = '2026-01-20T00:00:00Z';
const TIMES = ['2024-02-29T00:00:00Z', '2026-01-19T23:59:59.999999Z', NOW, '2026-03-31T12:00:00Z'];

let env: TestEnvironment;
let world: World;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow(NOW);
  world = await openWorld(env);
});
afterAll(() => env.close());

const isTime = (schema: TSchema): boolean =>
  ('format' in schema && schema.format === 'date-time') ||
  ('anyOf' in schema && (schema.anyOf as TSchema[]).some(isTime));

const optionalTimes = ({ body }: RouteDeclaration): string[] =>
  Object.entries(propertiesOf(body))
    .filter(([name, schema]) => isTime(schema) && !requiredOf(body).includes(name))
    .map(([name]) => name);

const declarations = await allDeclarations();
const asked = declarations
  .filter(({ method }) => method === 'POST')
  .flatMap((declaration) =>
    optionalTimes(declaration).flatMap((field) =>
      (operations[declaration.operationId] ?? []).map((scenario, index) => ({
        ...{ name: declaration.operationId, path: declaration.path, field, scenario, index },
      })),
    ),
  );

const at = (call: Call, field: string, time: string): Call => ({
  ...call,
  body: { ...(call.body as object), [field]: time },
});

const taken = new Set<string>();

it.each(asked)('$name $index takes or refuses every $field', async ({ name, path, field, scenario }) => {
  for (const time of TIMES) {
    const call = await (scenario as Scenario)(world);
    const { status, text } = await world.merchant.post(urlOf(path, call), at(call, field, time).body);
    expect(status, `${time}: ${text}`).toBeLessThan(500);
    if (status < 300) taken.add(`${name} ${field}`);
  }
});

it('has taken each of these times at some instant', () => {
  expect(asked.filter(({ name, field }) => !taken.has(`${name} ${field}`))).toEqual([]);
});
