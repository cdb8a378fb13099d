/**
 * Brings node_modules in line with package-lock.json, before `npm start`, the tests and `npm pack`. A start installs
 * what running needs, the others add the rest, and neither takes away what the other has installed
 * (docs/decisions/0221).
 *
 * It runs on whatever Node the machine has, before anything is installed: plain JavaScript, the standard library alone,
 * and a syntax old enough that a Node that is too old still reads it and can say so.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST_NODE = 18;
const STAMP = '.reckoner-installed';
const WAIT_MILLISECONDS = 250;

/**
 * Does the tree hold what the lock names? Answers the first difference as a sentence, or null.
 *
 * The tree's own record (`node_modules/.package-lock.json`, which npm writes) is compared with the lock entry by entry,
 * and each folder must be there. Packages that the lock does not know are left alone: somebody added them on purpose
 * without saving.
 * `mayLackDev` accepts a tree without development packages; `knownComplete` one without optional packages, when an
 * earlier installation of this very lock could not get them.
 */
export function firstDifference({ lock, tree, folderExists, platform, mayLackDev, knownComplete }) {
  if (!tree) return 'nothing is installed yet';
  for (const [location, wanted] of Object.entries(lock.packages)) {
    if (location === '' || wanted.link) continue;
    const present = tree.packages[location];
    if (!present) {
      if (mayLackDev && (wanted.dev || wanted.devOptional)) continue;
      if ((wanted.optional || wanted.devOptional) && (knownComplete || !fits(wanted, platform))) continue;
      return `${location} is missing`;
    }
    if (present.version !== wanted.version) return `${location} is ${present.version}, not ${wanted.version}`;
    if (present.integrity !== wanted.integrity) return `${location} has other contents than the lock says`;
    if (!folderExists(location)) return `${location} was removed`;
  }
  return null;
}

/** Optional packages that name no system come along with one that does; npm alone knows whether they are wanted. */
function fits(entry, platform) {
  if (!entry.os && !entry.cpu) return false;
  return (
    allows(entry.os, platform.os) &&
    allows(entry.cpu, platform.cpu) &&
    (!entry.libc || allows(entry.libc, platform.libc))
  );
}

/** npm's lists: names that are allowed, or names with `!` that are not; a package may give one name without a list. */
function allows(names, value) {
  const list = names ? [].concat(names) : [];
  if (list.includes(`!${value}`)) return false;
  return list.includes(value) || list.every((item) => item.startsWith('!'));
}

/** What to tell a person whose `npm ci` failed: the cause, and one thing to do. */
export function explainInstallFailure(output, home) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH|network/.test(output)) {
    return {
      cause: 'The npm registry could not be reached.',
      fix: 'check the network, or the registry and proxy in `npm config list`, and start again',
    };
  }
  if (/ENOSPC/.test(output)) {
    return { cause: 'The disk is full.', fix: 'free about 1 GB and start again' };
  }
  if (/EACCES|EPERM|EROFS/.test(output)) {
    return {
      cause: 'This user may not write node_modules.',
      fix: `start as the user who owns ${home}, or run \`npm ci\` there as that user`,
    };
  }
  if (/EUSAGE|in sync/.test(output)) {
    return {
      cause: 'package.json and package-lock.json do not agree.',
      fix: 'take both from the same commit, or run `npm install` after a change of your own',
    };
  }
  return { cause: 'npm ci failed; its own words stand above.', fix: 'run `npm ci` by itself and read what it says' };
}

const NODE_PACKAGE = /^node_modules\/node-(?:bin-)?[a-z]+-[a-z0-9]+$/;

/** Parts of packages that are a third of their size, and that nothing reads (docs/decisions/0221). */
const UNREAD = [
  { packages: NODE_PACKAGE, parts: /^include$/ }, // the header files of Node
  // other weights than the two of our documents
  { packages: /^node_modules\/@expo-google-fonts\/noto-/, parts: /^(?!400Regular$|600SemiBold$)\d{3}/ },
];

/** Does nothing read this folder of a package? */
export function isUnread(location, folder) {
  return UNREAD.some(({ packages, parts }) => packages.test(location) && parts.test(folder));
}

/** How the packages are brought in line, by what is there. */
export function planInstallation({ isTest, lacksOnlyDev, treeHasDev }) {
  // `npm ci` removes everything first, and the program may be running from there: what is right stays.
  if (lacksOnlyDev) return ['install', '--no-save', '--include=dev'];
  return ['ci', isTest || treeHasDev ? '--include=dev' : '--omit=dev'];
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

function thisPlatform() {
  const loaders = ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1', '/lib/ld-linux-armhf.so.3'];
  const libc = loaders.some((loader) => fs.existsSync(loader)) ? 'glibc' : 'musl';
  return { os: process.platform, cpu: process.arch, libc };
}

function stampOf(lockText) {
  return `${createHash('sha256').update(lockText).digest('hex')} ${process.platform}-${process.arch}\n`;
}

function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function difference(home, mayLackDev) {
  const lockText = fs.readFileSync(path.join(home, 'package-lock.json'), 'utf8');
  return firstDifference({
    lock: JSON.parse(lockText),
    tree: readJson(path.join(home, 'node_modules', '.package-lock.json')),
    folderExists: (location) => fs.existsSync(path.join(home, location, 'package.json')),
    platform: thisPlatform(),
    mayLackDev,
    knownComplete: readText(path.join(home, 'node_modules', STAMP)) === stampOf(lockText),
  });
}

function runNpm(home, words) {
  const npm = process.env.npm_execpath;
  const npmArguments = words.concat(['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  // npm removes node_modules, and with it the Node that came from there: npm itself runs on the machine's own.
  const command = npm
    ? [process.env.npm_node_execpath || process.execPath, [npm].concat(npmArguments)]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm', npmArguments];
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command[0], command[1], {
      cwd: home,
      env: npmEnvironment(),
      shell: !npm && process.platform === 'win32',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', (error) => resolve({ code: -1, output: output + String(error) }));
    child.on('close', (code) => resolve({ code, output }));
  });
}

/**
 * A user without a home of their own (a service, a container's random number) gets a cache among the temporary files.
 */
function npmEnvironment() {
  const environment = Object.assign({}, process.env);
  const cache = environment.npm_config_cache || path.join(os.homedir(), '.npm');
  const place = [cache, path.dirname(cache)].find((folder) => fs.existsSync(folder));
  if (!place || !isWritable(place)) {
    environment.npm_config_cache = path.join(os.tmpdir(), `npm-cache-${process.getuid ? process.getuid() : 'user'}`);
  }
  return environment;
}

function isWritable(folder) {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Two first starts at once would install into one folder and break each other's tree: the second waits for the first,
 * and then finds everything in place. A lock whose process is gone is nobody's.
 */
async function alone(home, action) {
  const key = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const lock = path.join(os.tmpdir(), `reckoner-install-${key}`);
  while (!take(lock)) await new Promise((resolve) => setTimeout(resolve, WAIT_MILLISECONDS));
  try {
    return await action();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

function take(lock) {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') return true; // a folder without a place for locks is no reason not to install
    const holder = Number(readText(lock));
    if (holder > 0 && isAlive(holder)) return false;
    fs.rmSync(lock, { force: true });
    return false;
  }
}

function isAlive(processId) {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

const installedPackages = (home) =>
  (readJson(path.join(home, 'node_modules', '.package-lock.json')) || { packages: {} }).packages;

/** Removes what nothing reads. */
function trim(home) {
  for (const location of Object.keys(installedPackages(home))) {
    if (!UNREAD.some(({ packages }) => packages.test(location))) continue;
    for (const folder of fs.readdirSync(path.join(home, location)))
      if (isUnread(location, folder)) fs.rmSync(path.join(home, location, folder), { recursive: true, force: true });
  }
}

/** npm 9 (of Debian 13) installs the Node of the packages without the link to it in `.bin`. */
function linkNode(home) {
  const link = path.join(home, 'node_modules', '.bin', 'node');
  const owner = Object.keys(installedPackages(home)).find(
    (location) => NODE_PACKAGE.test(location) && fs.existsSync(path.join(home, location, 'bin', 'node')),
  );
  if (!owner || process.platform === 'win32' || fs.existsSync(link)) return;
  fs.mkdirSync(path.dirname(link), { recursive: true });
  fs.rmSync(link, { force: true });
  fs.symlinkSync(path.join('..', path.basename(owner), 'bin', 'node'), link);
}

/** npm reads its record only if no folder is newer; otherwise it would fetch every package again. */
function believeRecord(home) {
  const now = new Date();
  fs.utimesSync(path.join(home, 'node_modules', '.package-lock.json'), now, now);
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** A line that moves at a terminal, and stands still elsewhere. Returns its end. */
function moving(label, started) {
  const { CI, NO_COLOR, TERM } = process.env;
  if (!process.stdout.isTTY || NO_COLOR || TERM === 'dumb' || (CI && CI !== 'false')) {
    process.stdout.write(`  ${label} …\n`);
    return () => undefined;
  }
  let frame = 0;
  const draw = () => {
    const columns = process.stdout.columns || 80;
    const line = `  ${FRAMES[frame % FRAMES.length]} ${seconds(started)}  ${label}`.slice(0, columns - 1);
    process.stdout.write(`\r\u001b[2K${line}`);
    frame += 1;
  };
  draw();
  const timer = setInterval(draw, 100);
  return () => {
    clearInterval(timer);
    process.stdout.write('\r\u001b[2K');
  };
}

function refuse(cause, fix) {
  process.stderr.write(`\n  ✖ ${cause}\n    Fix: ${fix}\n\n`);
  return 1;
}

async function install(home, isTest) {
  const treeHasDev = Object.values(installedPackages(home)).some(({ dev }) => dev);
  const situation = { isTest, lacksOnlyDev: !difference(home, true), treeHasDev };
  if (situation.lacksOnlyDev) believeRecord(home);
  const done = await runNpm(home, planInstallation(situation));
  if (!situation.lacksOnlyDev || (done.code === 0 && !difference(home, false))) return done;
  return runNpm(home, planInstallation({ isTest, lacksOnlyDev: false, treeHasDev: true }));
}

const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

async function main(home) {
  const started = Date.now();
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
    return refuse(
      `Node ${process.versions.node} is too old to install Reckoner, which then brings its own Node.`,
      `install Node ${OLDEST_NODE} or newer from https://nodejs.org and start again`,
    );
  }
  const isTest = /^pre(?:test|pack)/.test(process.env.npm_lifecycle_event || '');
  if (!difference(home, !isTest)) {
    process.stdout.write(`  ✔ packages in place  ${seconds(started)}\n`);
    return 0;
  }
  return alone(home, async () => {
    const reason = difference(home, !isTest);
    if (!reason) {
      process.stdout.write(`  ✔ packages in place  ${seconds(started)}\n`);
      return 0;
    }
    const end = moving(`Installing packages (${reason})`, started);
    const { code, output } = await install(home, isTest);
    end();
    if (code !== 0) {
      process.stderr.write(output);
      const { cause, fix } = explainInstallFailure(output, home);
      return refuse(cause, fix);
    }
    trim(home);
    linkNode(home);
    fs.writeFileSync(
      path.join(home, 'node_modules', STAMP),
      stampOf(fs.readFileSync(path.join(home, 'package-lock.json'), 'utf8')),
    );
    believeRecord(home);
    process.stdout.write(`  ✔ packages installed  ${seconds(started)}\n`);
    return 0;
  });
}

const isProgram = process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href;
if (isProgram) {
  main(path.dirname(path.dirname(fileURLToPath(import.meta.url)))).then(
    (code) => {
      process.exitCode = code;
    },
    (error) => {
      process.exitCode = refuse(`The packages could not be checked: ${error.message}`, 'run `npm ci` and start again');
    },
  );
}
