import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** The packages that the test fetches: the only place with their versions. docs/clients.md names three of them. */
export const PACKAGES = {
  '@hey-api/openapi-ts': '0.95.0',
  '@oazapfts/runtime': '1.2.0',
  '@redocly/cli': '2.77.0',
  oazapfts: '7.5.0',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  orval: '7.13.0',
  typescript: '5.9.3',
} as const;

/** A generator, as a reader of its documentation runs it on `openapi.json`, and the file that a client imports. */
export const GENERATORS = [
  {
    name: 'hey-api',
    command: 'openapi-ts -i openapi.json -o hey-api -c @hey-api/client-fetch',
    entry: 'hey-api/index.ts',
  },
  {
    name: 'openapi-typescript',
    command: 'openapi-typescript openapi.json -o api.d.ts --default-non-nullable=false',
    entry: 'api.d.ts',
  },
  { name: 'orval', command: 'orval --input openapi.json --output orval.ts --client fetch', entry: 'orval.ts' },
  { name: 'oazapfts', command: 'oazapfts openapi.json oazapfts.ts', entry: 'oazapfts.ts' },
] as const;

const NO_REGISTRY = /\b(?:EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTCACHED|ENOTFOUND|ETIMEDOUT)\b/;

const SETTINGS = {
  DO_NOT_TRACK: '1',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  REDOCLY_TELEMETRY: 'off',
  npm_config_audit: 'false',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_maxtimeout: '2000',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fund: 'false',
  npm_config_ignore_scripts: 'true',
  npm_config_loglevel: 'error',
  npm_config_prefer_offline: 'true',
  npm_config_update_notifier: 'false',
};

/** A process that has ended. */
interface Ended {
  readonly ok: boolean;
  readonly output: string;
  readonly trouble: string;
}

/** Runs a shell command in a folder, with the packages that are installed there or in the folder above. */
export function runIn(folder: string, command: string): Promise<Ended> {
  const tools = [folder, dirname(folder)].map((each) => join(each, 'node_modules', '.bin'));
  const PATH = [...tools, dirname(process.execPath), process.env.PATH].join(delimiter);
  const options = { cwd: folder, env: { ...process.env, ...SETTINGS, PATH }, maxBuffer: 1 << 28 };
  return new Promise((done) => {
    execFile('sh', ['-ec', command], options, (error, output, trouble) =>
      done({ ok: error === null, output, trouble }),
    );
  });
}

/** Installs the packages into a new folder outside the project. @returns null if no package registry answers */
export async function installGenerators(): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'reckoner-generators-'));
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: PACKAGES }),
  );
  const { ok, trouble } = await runIn(folder, 'npm install');
  if (ok) return folder;
  await rm(folder, { recursive: true, force: true });
  if (NO_REGISTRY.test(trouble)) return null;
  throw new Error(trouble);
}

/** Runs the strict compiler over some files. @returns its messages; empty if they compile */
export async function compile(folder: string, files: readonly string[]): Promise<string> {
  const compilerOptions = {
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { ok, output } = await runIn(folder, 'tsc -p tsconfig.json');
  return ok ? '' : output;
}
