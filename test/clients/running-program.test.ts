import { afterAll, beforeAll, expect, it } from 'vitest';
import { home } from '../../scripts/checks/project.ts';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { callOperation, generateClient } from './client.ts';

interface Request {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Program {
  run(
    call: (operationId: string, request: Request) => Promise<unknown>,
    names: { readonly customer: string; readonly start: string },
  ): Promise<unknown>;
}

/** Its types come from a generator, and `generated-types.test.ts` compiles them: the repository has none. */
const { run }: Program = await import(`${home}test/clients/program/program.ts`);

let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

it('serves the client that compiles against the types of a generator', async () => {
  const merchant = await env.merchant();
  env.setNow('2026-03-01T12:00:00Z');
  const operations = generateClient((await merchant.get('/openapi.json')).body);
  const call = async (operationId: string, { path, query, body }: Request) => {
    const operation = operations.get(operationId);
    if (operation === undefined) throw new Error(`There is no operation ${operationId}`);
    const request = { ...(path && { params: path }), ...(query && { query }), body };
    const answer = await callOperation(operation, merchant, request);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  expect(await run(call, { customer: 'Ada', start: '2026-03-01T00:00:00Z' })).toEqual({
    tiers: ['0.02', '0.01'],
    models: ['standard', 'graduated', 'volume', 'package', 'percentage', 'dynamic', 'matrix'],
    status: 'active',
    balances: [300, null, { seats: 5, regions: ['eu', null] }], // 700 of 1000 units are used
    lines: ['100.00'],
    amount: '100.00',
  });
});
