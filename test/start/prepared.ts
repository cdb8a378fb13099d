import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { TEMPLATE } from '../support/database-server.ts';
import { eventually, project, query, temporaryFolder, undoneAfterwards, variables } from './support.ts';

const PATIENCE_MILLISECONDS = 100_000;

/**
 * The data folder of this test run that `reckoner migrate` has filled: PostgreSQL's files, and the databases of both
 * environments with the schema. The first test that asks makes it; tests in other processes wait for it.
 * @throws with the output of the command where it failed
 */
async function original(): Promise<string> {
  const folder = join(inject('runFolder'), 'prepared');
  const outcome = `${folder}.outcome`;
  if (makes(folder)) {
    const words = [join(project, 'bin', 'reckoner.js'), 'migrate'];
    const made = promisify(execFile)(process.execPath, words, { cwd: project, env: variables({ DATA_DIR: folder }) });
    writeFileSync(`${outcome}.unfinished`, await made.then(() => '', String));
    renameSync(`${outcome}.unfinished`, outcome);
  } else await eventually(() => void readFileSync(outcome), PATIENCE_MILLISECONDS);
  const failure = readFileSync(outcome, 'utf8');
  if (failure !== '') throw new Error(failure);
  return folder;
}

/** Makes a folder. @returns whether it was this call that made it, of all processes that try */
function makes(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/**
 * A new data folder that `reckoner migrate` has filled, for tests whose act is not the first start: to make
 * PostgreSQL's files and the schema takes longer than the start. No key is in it, and nothing has run on it.
 */
export async function preparedData(): Promise<string> {
  const data = join(temporaryFolder(), '.reckoner');
  mkdirSync(data, { mode: 0o711 });
  await copyCluster(join(data, 'pg'));
  return data;
}

/** The folder `pg` of such a data folder, for the embedded server alone. */
export async function preparedCluster(): Promise<string> {
  const folder = join(temporaryFolder(), 'pg');
  await copyCluster(folder);
  return folder;
}

async function copyCluster(folder: string): Promise<void> {
  const from = join(await original(), 'pg', 'cluster');
  mkdirSync(folder, { mode: 0o700 });
  execFileSync('cp', ['-a', from, join(folder, 'cluster')]);
}

/**
 * A new database with the schema, on the PostgreSQL of this test run, for sandboxes that start none of their own. It is
 * dropped after the test. Production refuses it: that server does not wait for its disk.
 * @returns its URL, for the owner
 */
export async function outsideDatabase(): Promise<string> {
  const server = inject('postgresUrl');
  const name = `outside_${randomBytes(6).toString('hex')}`;
  await query(server, `create database ${name} template ${TEMPLATE} strategy file_copy`);
  undoneAfterwards(async () => void (await query(server, `drop database ${name} with (force)`)));
  return server.replace(/\/postgres(?=\?|$)/, `/${name}`);
}
