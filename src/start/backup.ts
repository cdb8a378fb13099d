import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  copiesIn,
  copyRunning,
  EmbeddedPostgresFailure,
  putBack,
  startEmbeddedPostgres,
} from '../db/embedded/index.ts';
import type { EnvironmentName, Settings } from '../settings.ts';
import type { RestoreWords } from './command-line.ts';
import { nameOfDatabase, openDatabases } from './databases.ts';
import type { LoadProgram, NextNumber, Program } from './environment.ts';
import { StartFailure } from './failure.ts';
import type { Output } from './output.ts';
import { archiveOf, openDataDirectory } from './start.ts';

const POLL_MILLISECONDS = 100;
const OWN = 'it is your own: use its backups, and after a restore of them: npm run restored';

/** `backup`: a copy of the files of the embedded server, running or not, in the folder `BACKUP_DIR`. */
export async function backup(settings: Settings, output: Output, cleanup: AsyncDisposableStack): Promise<void> {
  const { folder, environments } = backupOf(settings);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const databases = await openDatabases(
    { ...settings, environments },
    openDataDirectory(settings),
    output,
    cleanup,
    'join',
  );
  const [first] = environments as [EnvironmentName];
  const { isArchived } = await output.step(
    'backup',
    () => copyRunning(databases.ownerUrlOf(first), folder),
    (copy) => copy.folder,
  );
  if (!isArchived) output.line('The log is not archived: start the program with BACKUP_DIR, too.');
  output.line('Keep credentials.json, or the master keys in your settings, in another place: they are not in it.');
}

/**
 * `restore`: puts the embedded server back to a time, or to the end of its log, and begins another life of each
 * database. The files of before are kept beside it.
 * @throws StartFailure where there is no copy from before that time, and while the program runs
 */
export async function restore(
  settings: Settings,
  { to }: RestoreWords,
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const { folder, environments } = backupOf(settings);
  const copy = (existsSync(folder) ? copiesIn(folder) : [])
    .filter(({ at }) => to === null || Temporal.Instant.compare(at, to) <= 0)
    .at(-1);
  if (!copy)
    throw new StartFailure(`${folder} holds no backup${to === null ? '' : ` from before ${to}`}.`, 'npm run backup');
  const dataDirectory = join(openDataDirectory(settings), 'pg');
  const put = await output.step(
    'files put back',
    () => putBack(copy.folder, { backups: folder, dataDirectory, to }),
    () => copy.folder,
  );
  const server = await startEmbeddedPostgres({ dataDirectory, settings: put.settings }).catch((error: unknown) => {
    put.undo();
    if (!(error instanceof EmbeddedPostgresFailure)) throw error;
    throw new StartFailure(`The log could not be followed to that time: ${error.message}`, 'give an earlier time', {
      cause: error,
    });
  });
  cleanup.defer(() => server.stop());
  const url = (environment: EnvironmentName) => server.urlFor(nameOfDatabase(environment));
  const [first] = environments as [EnvironmentName];
  await output.step(
    'log followed',
    () => untilPromoted(url(first)),
    () => (to === null ? 'to its end' : `to ${to}`),
  );
  if (put.aside !== null) output.line(`The files of before: ${join(dataDirectory, put.aside)}`);
  const program = await loadProgram();
  for (const environment of environments) await sayRestored(environment, url(environment), program, [], output);
  for (const environment of environments)
    await auditRestored(settings, environment, server.loginUrlFor(nameOfDatabase(environment)), program, output);
}

/**
 * `restored`: says that a database was restored by other means, and moves numbers on.
 * @throws StartFailure while the program runs on the embedded server
 */
export async function restored(
  settings: Settings,
  nextNumbers: readonly NextNumber[],
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const databases = await openDatabases(settings, openDataDirectory(settings), output, cleanup);
  const program = await loadProgram();
  const unknown = new Set(nextNumbers.map(({ merchantId }) => merchantId));
  for (const environment of settings.environments) {
    for (const id of await sayRestored(environment, databases.ownerUrlOf(environment), program, nextNumbers, output))
      unknown.delete(id);
    await auditRestored(settings, environment, databases.urlOf(environment), program, output);
  }
  if (unknown.size > 0)
    throw new StartFailure(`No merchant with invoices has the id ${[...unknown].join(', ')}.`, 'see the list above');
}

/**
 * `accept-clock`: the clock of this machine is right, and was ahead before: documents have its days from now on, though
 * others have days that are to come.
 */
export async function acceptClocks(
  settings: Settings,
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const databases = await openDatabases(settings, openDataDirectory(settings), output, cleanup, 'join');
  const program = await loadProgram();
  for (const environment of settings.environments)
    await output.step(
      `${environment}: clock taken as right`,
      () => program.acceptClock(databases.ownerUrlOf(environment)),
      (ahead) => `${ahead} counters of numbers were ahead of it`,
    );
}

async function sayRestored(
  environment: EnvironmentName,
  ownerUrl: string,
  program: Program,
  nextNumbers: readonly NextNumber[],
  output: Output,
): Promise<string[]> {
  await program.migrate(ownerUrl); // the backup may be of an earlier version
  const { life, counters } = await output.step(
    `${environment}: another life of the database`,
    () => program.beginLife(ownerUrl, nextNumbers),
    (begun) => `life ${begun.life.number}; it knows what happened until about ${begun.life.restoredTo}`,
  );
  if (counters.length > 0)
    output.line(`  Documents since ${life.restoredTo} may have had later numbers. Move on then:`);
  for (const { merchantId, name, invoice, creditNote } of counters) {
    const say = (option: string, last: bigint, what: string) =>
      output.line(
        `    npm run restored -- ${option} ${merchantId}=${last + 1n}   (${name}: the last ${what} here is ${last})`,
      );
    say('--next-number', invoice, 'invoice');
    if (creditNote > 0n) say('--next-credit-note', creditNote, 'credit note');
  }
  return counters.map(({ merchantId }) => merchantId);
}

async function auditRestored(
  settings: Settings,
  environment: EnvironmentName,
  url: string,
  program: Program,
  output: Output,
): Promise<void> {
  const { checked, violations } = await output.step(
    `${environment}: data audited`,
    () => program.auditDatabase(url, archiveOf(settings, environment)),
    (found) => `${found.checked - found.violations.length} of ${found.checked} invariants hold`,
  );
  if (violations.length > 0)
    throw new StartFailure(`${violations.length} of ${checked} invariants do not hold.`, 'see them: npm run audit');
}

/** The folder of the backups, and the environments on the embedded server. @throws where there is neither */
function backupOf(settings: Settings): { folder: string; environments: readonly EnvironmentName[] } {
  const environments = settings.environments.filter((name) => settings[name].databaseUrl === undefined);
  if (environments.length === 0) throw new StartFailure('The database is not the embedded one.', OWN);
  if (settings.backupDirectory === undefined)
    throw new StartFailure('There is no folder for backups.', 'set BACKUP_DIR, also for the start of the program');
  return { folder: settings.backupDirectory, environments };
}

async function untilPromoted(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query<{ is: boolean }>('select pg_is_in_recovery() as is');
      if (rows[0]?.is === false) return;
      await sleep(POLL_MILLISECONDS);
    }
  } finally {
    await client.end();
  }
}
