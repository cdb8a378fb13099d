import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home } from '../../scripts/checks/project.ts';
import { describeSandbox } from '../support/documents.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { compile, GENERATORS, installGenerators, PACKAGES, runIn } from './generators.ts';

/** Clients of strangers: the generators that people use make them of both documents, and each has to compile. */
const folder = await installGenerators();
const documents = await describeSandbox('https://billing.acme.test');
afterAll(() => (folder === null ? undefined : rm(folder, { recursive: true, force: true })));

const PATIENCE = { timeout: 1_200_000 };

describe.skipIf(folder === null).each(['plain', 'compact'] as const)('the %s document', PATIENCE, (kind) => {
  const place = join(String(folder), kind);
  beforeAll(async () => {
    await mkdir(place);
    await writeFile(join(place, 'openapi.json'), JSON.stringify(documents[kind]));
  });

  it('passes the linter without an error or a warning', async () => {
    const { output } = await runIn(place, 'redocly lint openapi.json --format=json || true');
    const { totals, problems } = JSON.parse(output);
    expect(problems.map(({ ruleId, location }: Problem) => `${ruleId} ${location[0]?.pointer}`)).toEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
  });

  it.each(GENERATORS)('makes a client by $name that compiles', async ({ command, entry }) => {
    expect(await runIn(place, command)).toMatchObject({ ok: true });
    expect(await compile(place, [entry])).toBe('');
  });
});

interface Problem {
  readonly ruleId: string;
  readonly location: readonly { readonly pointer?: string }[];
}

/** What the types of the recipe refuse. Each line that compiled would be an error. */
const REFUSED = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

const api = createClient<paths>({ baseUrl: '' });
// @ts-expect-error an event has a source
api.POST('/v0/events', { body: { type: 'tokens.used' } });
const price = { billableMetricId: 'bm_1', invoiceDisplayName: 'Calls', paymentTerm: 'in_arrears' } as const;
api.POST('/v0/prices', { body: { ...price, model: 'standard', properties: { unitPrice: '1' } } });
// @ts-expect-error the properties of another model
api.POST('/v0/prices', { body: { ...price, model: 'graduated', properties: { unitPrice: '1' } } });
// @ts-expect-error a misspelt header
api.POST('/v0/products', { params: { header: { 'Idempotent-Key': 'a' } }, body: { name: 'a', description: 'b' } });

export function invoiceOf(delivery: components['schemas']['WebhookDelivery']): string | undefined {
  return delivery.type === 'invoice.paid.v0' ? delivery.data.invoiceId : undefined;
}
export const code: components['schemas']['ErrorCode'] = 'INVOICE_NOT_PAID';
// @ts-expect-error no such code
export const other: components['schemas']['ErrorCode'] = 'INVOICE_NOT_BLUE';
`;

describe.skipIf(folder === null)('the recipe of docs/clients.md', PATIENCE, () => {
  const page = readFileSync(`${home}docs/clients.md`, 'utf8');
  const [, script = '', program = ''] = /^```sh\n([\s\S]*?)^```$[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const place = String(folder);
  let env: TestEnvironment;
  let address: string;
  beforeAll(async () => {
    env = await openTestEnvironment();
    await env.server.listen({ port: 0, host: '127.0.0.1' });
    address = `http://127.0.0.1:${(env.server.server.address() as AddressInfo).port}`;
  });
  afterAll(() => env.close());

  it('names packages of the versions that are tested', () => {
    const named = [...script.matchAll(/([a-z-]+)@(\d[\d.]*)/g)].map(([, name = '', version]) => [name, version]);
    expect(named.map(([name]) => name)).toEqual(['openapi-fetch', 'typescript', 'openapi-typescript']);
    expect(PACKAGES).toMatchObject(Object.fromEntries(named));
  });

  it('compiles and works, and its types refuse what the API refuses', async () => {
    const { key } = await env.merchant();
    const here = (text: string) => text.replaceAll('http://localhost:4401', address).replaceAll('rk_test_…', key);
    expect(await runIn(place, here(script))).toMatchObject({ ok: true });
    await writeFile(join(place, 'recipe.ts'), here(program));
    await writeFile(join(place, 'refused.ts'), REFUSED);
    expect(await compile(place, ['recipe.ts', 'refused.ts'])).toBe('');
    expect(await runIn(place, 'node recipe.ts')).toMatchObject({
      ok: true,
      output: expect.stringMatching(/^evt_\w+\nMessaging\n$/),
    });
  });
});
