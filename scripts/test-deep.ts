import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesThatDraw } from '../test/support/suites.ts';
import { home } from './checks/project.ts';

/**
 * The tests that take long: `npm run test:deep` runs all of them. Words are those of Vitest, such as a test file.
 *
 * `npm run test:random` runs the files that draw random values, with values that no run had before (decision 0174). It
 * prints the seed, and the command that repeats a failure. `SEED` chooses the seed, `LIVES` the number of lives.
 *
 * The tests of ClickHouse need its engine, half a gigabyte. It is installed into a temporary folder, and removed after
 * the run; `CHDB_FOLDER` names a folder that keeps it.
 */
const ENGINE = ['chdb@3.4.0', '@clickhouse/client@1.23.1'];
/** Five times as many as the deep run lives. */
const MANY_LIVES = '500';

const isRandom = process.argv.includes('--random');
const words = process.argv.slice(2).filter((word) => word !== '--random');
const asked = words.filter((word) => !word.startsWith('-'));

function run(command: string, given: readonly string[], env: NodeJS.ProcessEnv): number {
  const { status, error } = spawnSync(command, given, { cwd: home, stdio: 'inherit', env });
  if (error) throw error;
  return status ?? 1;
}

/** Installs the engine where it is not there yet. @throws if the registry does not have it, or the disk is full */
function installEngine(folder: string): void {
  if (existsSync(join(folder, 'node_modules', 'chdb'))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const npm = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (run('npm', [...npm, '--prefix', folder, ...ENGINE], process.env) !== 0)
    throw new Error(`${ENGINE[0]} could not be installed.`);
}

function withEngine(work: (env: NodeJS.ProcessEnv) => number): number {
  const { CHDB_FOLDER } = process.env;
  const folder = CHDB_FOLDER ?? mkdtempSync(join(tmpdir(), 'reckoner-chdb-'));
  try {
    installEngine(folder);
    return work({ RECKONER_CHDB: folder });
  } finally {
    if (CHDB_FOLDER === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

const vitest = (given: readonly string[], env: NodeJS.ProcessEnv): number =>
  run('vitest', ['run', ...given, ...words], { ...process.env, TEST_RUN: 'deep', ...env });

function runRandom(): number {
  const SEED = process.env.SEED ?? String(Date.now() % 1_000_000_000);
  const LIVES = process.env.LIVES ?? MANY_LIVES;
  console.info(`SEED=${SEED}`);
  const code = vitest(asked.length > 0 ? [] : filesThatDraw(home), { SEED, LIVES, TEST_RUN: 'random' });
  if (code !== 0) console.error(`Once more: SEED=${SEED} LIVES=${LIVES} npm run test:deep -- <file>`);
  return code;
}

/**
 * The routes at their limits: a measurement, and so no test, but one that must not fail. A release also runs it by hand
 * with a million rows, its default.
 */
const measureRoutes = (): number =>
  asked.length === 0 ? run('node', ['bench/routes.ts', '--rows', '200000'], process.env) : 0;

const needsEngine = asked.length === 0 || asked.some((word) => word.includes('conformance'));
const runDeep = (): number => (needsEngine ? withEngine((env) => vitest([], env)) : vitest([], {}));

process.exitCode = isRandom ? runRandom() : runDeep() || measureRoutes();
