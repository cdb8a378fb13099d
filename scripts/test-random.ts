import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { home } from './checks/project.ts';

/**
 * `npm run test:random`: the tests that choose by chance, with choices that no run had before (decision 0174). It says
 * the seed, and the command that repeats what failed. `SEED` chooses the seed, `LIVES` how many lives are lived;
 * arguments are those of Vitest, such as a test file.
 */
const DRAWS = /from '(?:fast-check|(?:\.\.?\/)+(?:test\/)?support\/seed\.ts)'/;
/** Ten times as many as `npm test` lives. */
const LIVES = '480';

const seed = process.env.SEED ?? String(Date.now() % 1_000_000_000);
const asked = process.argv.slice(2);
const files = asked.some((each) => !each.startsWith('-'))
  ? []
  : globSync('{src,test,scripts}/**/*.test.ts', { cwd: home })
      .filter((path) => DRAWS.test(readFileSync(home + path, 'utf8')))
      .toSorted();

console.info(`SEED=${seed}`);
const { status } = spawnSync('vitest', ['run', ...files, ...asked], {
  cwd: home,
  stdio: 'inherit',
  env: { LIVES, ...process.env, SEED: seed },
});
if (status !== 0) console.error(`Once more: SEED=${seed} npx vitest run <file>. LIVES=${LIVES} where lives failed.`);
process.exitCode = status ?? 1;
