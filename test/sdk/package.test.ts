import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { home } from '../../scripts/checks/project.ts';
import { openFaultyServer } from '../../sdk/test/faulty-server.ts';
import { runIn } from '../clients/generators.ts';

/** The package as it would be published, in the empty project of somebody else. */
const folder = mkdtempSync(join(tmpdir(), 'reckoner-sdk-'));
afterAll(() => {
  for (const each of [folder, join(home, 'sdk', 'dist')]) rmSync(each, { recursive: true, force: true });
});

const COMPILERS = ['5.8.3', '5.9.3', '6.0.3', '7.0.2'];

/** Other programs that run JavaScript, for the system of the tests. */
const RUNTIMES: Readonly<Record<string, string>> =
  process.platform === 'linux' && process.arch === 'x64'
    ? {
        '@oven/bun-linux-x64@1.4.5': '@oven/bun-linux-x64/bin/bun',
        '@deno/linux-x64-glibc@2.9.6': '@deno/linux-x64-glibc/deno',
      }
    : {};

const PROGRAM = `
import { type types, ApiError, Reckoner, unwrap } from '@reckoner/sdk';
import { fileStore } from '@reckoner/sdk/file';

const reckoner = new Reckoner({ apiKey: 'rk_test_1', baseUrl: process.argv[2], buffer: { store: fileStore('./events') } });

export async function unpaid(customerId: string): Promise<types.Decimal[]> {
  const amounts: types.Decimal[] = [];
  for await (const { unpaidAmount } of reckoner.invoices.list({ customerId, status: 'ISSUED' })) amounts.push(unpaidAmount);
  return amounts;
}

export async function receive(request: Request): Promise<string | null> {
  const event = await unwrap(await request.text(), request.headers, 'whsec_c2VjcmV0');
  switch (event.type) {
    case 'invoice.paid.v0':
      return event.data.invoiceId;
    case 'alert.triggered.v0':
      return event.data.value;
    default:
      return null;
  }
}

export async function refund(id: string): Promise<string> {
  try {
    return (await reckoner.invoices.refund(id, { reason: 'A mistake' }, { idempotencyKey: id })).id;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'INVOICE_ALREADY_REFUNDED') return 'before';
    throw error;
  }
}

// @ts-expect-error no such field
const wrong = () => reckoner.customers.create({ nmae: 'Acme' });
// @ts-expect-error no such state
const state = () => reckoner.invoices.list({ status: 'OPEN' });
void [wrong, state];

const { data } = await reckoner.customers.list({ limit: 1 });
await reckoner.track({ type: 'tokens.used', source: 'test', externalSubject: 'acme', data: { tokens: 12 } });
await reckoner.buffer.close();
console.log(JSON.stringify(data.map(({ id }) => id)));
`;

const settings = {
  compilerOptions: {
    ...{ target: 'es2022', module: 'nodenext', lib: ['es2023', 'dom', 'dom.iterable'], types: ['node'] },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
    outDir: 'out',
  },
  files: ['program.ts'],
};

describe('the package', { timeout: 600_000 }, () => {
  it('is packed, and installed in an empty project', async () => {
    execFileSync('npm', ['pack', '--pack-destination', folder, '--loglevel=error'], { cwd: join(home, 'sdk') });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const compilers = COMPILERS.map((version) => `typescript-${version}@npm:typescript@${version}`).join(' ');
    const { ok, trouble } = await runIn(
      folder,
      `npm install ./reckoner-sdk-*.tgz @types/node@22 ${compilers} ${Object.keys(RUNTIMES).join(' ')}`,
    );
    expect(ok, trouble).toBe(true);
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  });

  it.each(COMPILERS)('compiles strictly with TypeScript %s', async (version) => {
    const { output } = await runIn(folder, `node node_modules/typescript-${version}/bin/tsc -p . || true`);
    expect(output).toBe('');
  });

  it.each(['node', ...Object.values(RUNTIMES)])('runs without any other package on %s', async (runtime) => {
    const server = await openFaultyServer(({ method }) => ({
      status: method === 'GET' ? 200 : 202,
      body: { object: 'list', data: [{ id: 'cus_1' }], pagination: { nextAfter: null } },
    }));
    const command =
      runtime === 'node' ? runtime : `./node_modules/${runtime} ${runtime.endsWith('deno') ? 'run -A' : ''}`;
    const { output, trouble } = await runIn(folder, `${command} out/program.js ${server.url}`);
    await server.close();
    expect(output, trouble).toContain('["cus_1"]');
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v0/customers?limit=1',
      'POST /v0/events',
    ]);
  });
});
