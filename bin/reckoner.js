#!/usr/bin/env node
/**
 * The entry point of the program. npm's scripts find the Node that came with the packages. A direct call finds the
 * machine's own Node, which may be too old to read TypeScript or to know `Temporal`. Then the program starts itself
 * again with the Node of the packages.
 */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const home = path.dirname(path.dirname(realpathSync(fileURLToPath(import.meta.url))));
const main = path.join(home, 'src', 'main.ts');

// Node keeps compiled modules in a cache, so a second start takes about half the work.
module.enableCompileCache?.(path.join(home, 'node_modules', '.cache', 'reckoner'));

if (typeof Temporal === 'undefined') runAgain();
else await import(pathToFileURL(main).href).then((program) => program.main());

function runAgain() {
  const ours = path.join(home, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  if (!existsSync(ours) || process.env.RECKONER_RUN_AGAIN) {
    process.stderr.write(
      `\n  ✖ Node ${process.versions.node} cannot run Reckoner, and the Node 26 that comes with its packages is missing.\n` +
        '    Fix: npm ci --include=optional (or install Node 26)\n\n',
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(
    ours,
    ['--max-semi-space-size=16', fileURLToPath(import.meta.url)].concat(process.argv.slice(2)),
    {
      env: Object.assign({}, process.env, { RECKONER_RUN_AGAIN: '1' }),
      shell: process.platform === 'win32',
      stdio: 'inherit',
    },
  );
  // The terminal sends Ctrl-C to both of us; a supervisor's signal reaches us alone. The child decides when it is over.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
}
