import { execFileSync, spawnSync } from 'node:child_process';
import { selectTests } from '../test/support/changed-files.ts';
import { deepTests } from '../test/support/suites.ts';
import { home, projectFiles } from './checks/project.ts';

/**
 * `npm run test:changed`: the tests that the difference from `main` concerns most, in half a minute. `SINCE` names
 * another commit than `main`; words are those of Vitest.
 */
const { SINCE = 'main' } = process.env;

const git = (...words: string[]): string[] =>
  execFileSync('git', words, { cwd: home, encoding: 'utf8' }).split('\0').filter(Boolean);

/** Committed, staged, changed and new files that differ from the commit. @throws if git fails */
const changed = new Set([
  ...git('diff', '--name-only', '-z', '--relative', `${SINCE}...HEAD`),
  ...git('diff', '--name-only', '-z', '--relative', 'HEAD'),
  ...git('ls-files', '-z', '--others', '--exclude-standard'),
]);

const deep = new Set(deepTests(home));
const { tests, others } = selectTests([...changed], projectFiles(), (path) => deep.has(path));
console.info(`${changed.size} files differ from ${SINCE}: ${tests.length} test files, ${others} others (npm test)`);
if (tests.length > 0) {
  const { status, error } = spawnSync('vitest', ['run', ...tests, ...process.argv.slice(2)], {
    cwd: home,
    stdio: 'inherit',
  });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
