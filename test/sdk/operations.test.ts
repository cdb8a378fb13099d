import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiDocument, describe as describeApi } from '../../scripts/sdk/describe.ts';
import { Reckoner } from '../../sdk/src/index.ts';
import { describeSandbox } from '../support/documents.ts';
import { type Client, type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { operations } from '../support/operations.ts';
import { allDeclarations } from '../support/routes.ts';
import { openWorld, type World } from '../support/world.ts';

/** Every method of the SDK once, against the running program: it answers what the API answers. */
const { plain } = await describeSandbox();
const { operations: methods } = describeApi(plain as unknown as ApiDocument);
const ofOperators = new Set(
  (await allDeclarations()).flatMap(({ access, operationId }) =>
    'operator' in access && access.operator ? [operationId] : [],
  ),
);

let env: TestEnvironment;
let world: World;
let clients: Record<'platform' | 'merchant', Reckoner>;
beforeAll(async () => {
  env = await openTestEnvironment(); // of its own: it opens a port
  await env.server.listen({ port: 0, host: '127.0.0.1' });
  const baseUrl = `http://127.0.0.1:${(env.server.server.address() as AddressInfo).port}`;
  world = await openWorld(env);
  const clientOf = (by: Client | Merchant) => new Reckoner({ baseUrl, apiKey: by.key, retries: 0 });
  clients = { platform: clientOf(env.platform), merchant: clientOf(world.merchant) };
});
afterAll(() => env?.close());

type Method = (...taken: unknown[]) => Promise<unknown>;

describe('the SDK', () => {
  it.each(methods.map((each) => ({ ...each, name: [each.resource, each.method].filter(Boolean).join('.') })))(
    '$name',
    async ({ id, resource, method, parameters, body: takesBody, query: takesQuery, reply, isList }) => {
      const scenarios = operations[id] ?? [];
      expect(scenarios.length).toBeGreaterThan(0);
      const client = clients[ofOperators.has(id) ? 'platform' : 'merchant'];
      const owner = resource === null ? client : (client as unknown as Record<string, object>)[resource];
      const call = (owner as Record<string, Method>)[method] as Method;
      for (const scenario of scenarios) {
        const { params = {}, query, body } = await scenario(world);
        const ids = parameters.map((name) => params[name] ?? '');
        const taken = [...ids, ...(takesBody ? [blobOf(body)] : []), ...(takesQuery ? [query] : [])];
        const answer = await call(...taken);
        if (reply === null) expect(answer).toBeUndefined();
        else if (reply === 'bytes') expect(answer).toBeInstanceOf(Uint8Array);
        else expect(answer).toBeTypeOf('object');
        if (isList)
          for await (const each of call(...taken) as unknown as AsyncIterable<unknown>)
            expect(each).toBeTypeOf('object');
      }
    },
  );
});

/** A file is sent as it is. */
const blobOf = (body: unknown): unknown =>
  Buffer.isBuffer(body) ? new Blob([new Uint8Array(body)], { type: 'image/png' }) : body;
