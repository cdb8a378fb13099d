/**
 * Starts an example with one command: installs what is missing, builds the SDK, starts Reckoner where none answers, and
 * runs the example with the address and the key of the sandbox. Plain JavaScript, because it runs before anything is
 * installed.
 *
 *   node ../start.js node server.ts
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === 'win32';
const path = [join(home, 'node_modules', '.bin'), process.env.PATH].join(delimiter); // Node 26 comes with the packages

function must(command, words, folder) {
  const { status } = spawnSync(command, words, {
    cwd: folder,
    env: { ...process.env, PATH: path },
    shell: windows,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status || 1);
}

/** The sandbox of this clone, as its last start wrote it down. */
function sandbox() {
  try {
    return JSON.parse(readFileSync(join(home, '.reckoner', 'credentials.json'), 'utf8')).sandbox;
  } catch {
    return undefined;
  }
}

const isReady = (url) =>
  fetch(`${url}/readyz`).then(
    (response) => response.ok,
    () => false,
  );

async function findReckoner() {
  const { RECKONER_URL, RECKONER_API_KEY } = process.env;
  if (RECKONER_API_KEY) return { RECKONER_URL: RECKONER_URL || 'http://localhost:4401', RECKONER_API_KEY };
  const known = sandbox();
  if (!known || !(await isReady(known.baseUrl))) {
    const server = spawn('node', [join(home, 'bin', 'reckoner.js'), 'start'], {
      cwd: home,
      env: { ...process.env, PATH: path },
      shell: windows,
      stdio: 'inherit',
    });
    server.on('exit', (code) => process.exit(code || 1));
    process.on('exit', () => server.kill('SIGTERM'));
  }
  for (;;) {
    const found = sandbox();
    if (found?.merchantKey && (await isReady(found.baseUrl)))
      return { RECKONER_URL: found.baseUrl, RECKONER_API_KEY: found.merchantKey };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

must('npm', ['run', '--silent', 'prepack'], join(home, 'sdk')); // with all packages of Reckoner
if (!existsSync('node_modules')) must('npm', ['ci', '--no-audit', '--no-fund'], process.cwd());
const found = await findReckoner();
const program = spawn(process.argv[2], process.argv.slice(3), {
  env: {
    ...process.env,
    PATH: [join('node_modules', '.bin'), path].join(delimiter),
    NEXT_TELEMETRY_DISABLED: '1',
    ...found,
  },
  shell: windows,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => program.kill(signal));
program.on('exit', (code) => process.exit(code || 0));
