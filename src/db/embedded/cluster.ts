import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Account, accountForInitialization, commandAs, ownerOf, serverEnvironment } from './account.ts';
import type { Binaries } from './binaries.ts';
import { SUPERUSER } from './configuration.ts';
import { exists, giveTree, isRoot } from './directories.ts';
import { EmbeddedPostgresFailure, explainOutput } from './failure.ts';

const UNFINISHED = 'cluster.unfinished-';

/**
 * Makes the database files when there are none, and hands those that are there to the account that shall own them. A
 * first start that is killed leaves only an unfinished folder, which the next one throws away: `cluster` is whole from
 * its first moment.
 */
export async function prepareCluster(
  dataDirectory: string,
  account: Account,
  binaries: Binaries,
  password: string | undefined,
): Promise<string> {
  const cluster = join(dataDirectory, 'cluster');
  if (exists(cluster)) {
    requireCompleteCluster(dataDirectory, cluster, binaries);
    const owner = ownerOf(account);
    if (isRoot()) giveTree(cluster, owner.uid, owner.gid);
    return cluster;
  }
  removeUnfinished(dataDirectory);
  const unfinished = join(dataDirectory, `${UNFINISHED}${process.pid}`);
  mkdirSync(unfinished, { mode: 0o700 });
  chmodSync(unfinished, 0o700);
  if (isRoot()) {
    const owner = ownerOf(account);
    chownSync(unfinished, owner.uid, owner.gid);
  }
  await initialize(unfinished, dataDirectory, accountForInitialization(account), binaries, password);
  renameSync(unfinished, cluster);
  return cluster;
}

/** The initdb of a killed start may still be writing; what cannot be removed today is removed by the next start. */
function removeUnfinished(dataDirectory: string): void {
  for (const name of readdirSync(dataDirectory).filter((entry) => entry.startsWith(UNFINISHED))) {
    try {
      rmSync(join(dataDirectory, name), { recursive: true, force: true });
    } catch {
      // Not ours to wait for: this start makes its files in a folder of another name.
    }
  }
}

function requireCompleteCluster(dataDirectory: string, cluster: string, binaries: Binaries): void {
  const major = binaries.packageVersion.split('.')[0];
  const putAside = `move it away and start with an empty one: mv ${dataDirectory} ${dataDirectory}.old`;
  let version: string;
  try {
    version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    throw new EmbeddedPostgresFailure(
      'DATA_DIRECTORY_DAMAGED',
      `${cluster} is not a complete PostgreSQL data folder (${(error as Error).message}).`,
      `restore it from a backup, or ${putAside}`,
      { cause: error },
    );
  }
  if (version !== major) {
    throw new EmbeddedPostgresFailure(
      'DATA_DIRECTORY_FOREIGN',
      `PostgreSQL ${version} created ${cluster}; this is PostgreSQL ${major}.`,
      `start the version of Reckoner that created it, or ${putAside}`,
    );
  }
}

/**
 * The locale comes with PostgreSQL itself: it sorts and folds the same on every system, with any installed languages.
 */
async function initialize(
  cluster: string,
  dataDirectory: string,
  account: Account,
  binaries: Binaries,
  password: string | undefined,
): Promise<void> {
  const passwordFile = join(dataDirectory, 'password.unfinished');
  const authentication =
    password === undefined ? ['--auth=trust'] : ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  if (password !== undefined) writeFileSync(passwordFile, password, { mode: 0o600 });
  const command = commandAs(account, binaries.initdb, [
    `--pgdata=${cluster}`,
    `--username=${SUPERUSER}`,
    ...authentication,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
  ]);
  try {
    const { code, output } = await run(command, binaries);
    if (code !== 0) throw explainOutput(output, dataDirectory, dataDirectory);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function run(
  command: ReturnType<typeof commandAs>,
  binaries: Binaries,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command.program, command.arguments, {
      ...command.options,
      cwd: '/',
      detached: process.platform !== 'win32',
      env: serverEnvironment(binaries),
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const collect = (chunk: Buffer) => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ code: -1, output: `${output}${error.message}` }));
    child.once('close', (code) => resolve({ code, output }));
  });
}
