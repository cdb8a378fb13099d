import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takesNull } from '../../src/http/nulls.ts';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Call, operations } from '../support/operations.ts';
import { allDeclarations, propertiesOf } from '../support/routes.ts';
import { openWorld, type World } from '../support/world.ts';
import { callOperation, generateClient, type Operation, withNulls } from './client.ts';

/** Called by a payment provider, which signs the bytes that it sends. */
const OF_PROVIDERS = new Set(['receiveProviderNotice']);

/**
 * Clients that zod generates from our own documents call every operation. They send only requests that the document
 * allows, and refuse an answer with a missing field, an undeclared field or a field of another type.
 */
const declarations = (await allDeclarations()).filter(
  ({ hidden, operationId }) => !hidden && !OF_PROVIDERS.has(operationId),
);

let env: TestEnvironment;
let world: World;
let plain: ReadonlyMap<string, Operation>;
let compact: ReadonlyMap<string, Operation>;
beforeAll(async () => {
  env = await sharedEnvironment();
  world = await openWorld(env);
  plain = generateClient((await env.client().get('/openapi.json')).body);
  compact = generateClient((await env.client().get('/compact/openapi.json')).body);
});
afterAll(() => env.close());

const named = declarations.map((declaration) => ({ name: declaration.operationId, declaration }));
const byOf = ({ access }: (typeof declarations)[number]) =>
  'operator' in access && access.operator ? env.platform : world.merchant;
const callsOf = (operationId: string) => operations[operationId] ?? [];

describe('a generated client', () => {
  it.each(named)('calls $name', async ({ name, declaration }) => {
    const operation = plain.get(name) as Operation;
    for (const scenario of callsOf(name)) {
      const answer = await callOperation(operation, byOf(declaration), await scenario(world));
      expect(answer.status, answer.text).toBeLessThan(400);
    }
  });
});

describe.each(['plain', 'compact'])('a refusal of a %s path is in the document:', (kind) => {
  it.each(named.filter(({ declaration }) => !('public' in declaration.access)))(
    '$name',
    async ({ name, declaration }) => {
      const operation = (kind === 'plain' ? plain : compact).get(name) as Operation;
      const call = { query: { surprise: '1' }, params: paramsOf(declaration.access) };
      const answer = await callOperation(operation, byOf(declaration), call);
      expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    },
  );
});

describe('a generated client of the compact paths, which sends null for all that its caller left out,', () => {
  it.each(named)('calls $name', async ({ name, declaration }) => {
    const operation = compact.get(name) as Operation;
    const { bodySchema } = plain.get(name) as Operation;
    const nullable = propertiesOf(declaration.body);
    // In a PATCH, null clears a nullable field. The caller does not mean that.
    const isMeant = (field: string) =>
      declaration.method !== 'PATCH' || !(nullable[field] && takesNull(nullable[field]));
    for (const scenario of callsOf(name)) {
      const call: Call = await scenario(world);
      if (operation.body && call.body !== undefined) operation.body.parse(JSON.parse(JSON.stringify(call.body)));
      const body = bodySchema && call.body !== undefined && withNulls(bodySchema, call.body, isMeant);
      const answer = await callOperation(
        { ...operation, body: null },
        byOf(declaration),
        body ? { ...call, body } : call,
      );
      expect(answer.status, answer.text).toBeLessThan(400);
    }
  });
});

/** A known id where the path's policy needs one, so that the query causes the refusal. */
function paramsOf(access: (typeof declarations)[number]['access']): Record<string, string> {
  if ('public' in access || typeof access.merchant !== 'object') return {};
  const { of, kind } = access.merchant;
  return { [of]: world.ids[kind]?.[0] ?? '' };
}
