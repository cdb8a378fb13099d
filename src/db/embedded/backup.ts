import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import pg from 'pg';
import type { PostgresSettings } from './configuration.ts';
import { isRoot } from './directories.ts';
import { stopLeftovers } from './leftovers.ts';
import { lockDataDirectory } from './lock.ts';

/**
 * Backups of an embedded server in a folder: `wal/` is the log that the server archives while it runs, and each
 * `base-TIME/` a copy of its files. Of both any second behind a copy can be restored (decision 0250).
 */

/** Not part of a copy: notes of the running server, and files that a start makes anew. */
const LEFT_OUT = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_stat_tmp',
  'pg_notify',
  'pg_subtrans',
  'pg_serial',
  'pg_snapshots',
]);
const LEFT_OUT_FILES = /^(?:postmaster\.(?:pid|opts)|recovery\.signal|standby\.signal|.*\.unfinished)$/;
const BASE = /^base-(.+)$/;
const DONE = 'finished';

/** The time of the server, whose log is followed by it. */
const TIME = `to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const walOf = (folder: string): string => join(folder, 'wal');

/** A path in a command of PostgreSQL, which replaces `%f` and `%p`. */
const inCommand = (path: string): string => resolve(path).replaceAll('%', '%%');

/** The folder, made where it is missing: the account of the server writes there. @returns the settings of a server */
export function archivingTo(folder: string): PostgresSettings {
  mkdirSync(walOf(folder), { recursive: true, mode: 0o755 });
  if (isRoot()) chmodSync(walOf(folder), 0o1777); // the server has another account
  const wal = inCommand(walOf(folder));
  return {
    archive_mode: 'on',
    archive_timeout: '60s',
    // A file is there whole or not at all. No two have one name: a restore begins another timeline.
    archive_command: `test -e "${wal}/%f" || (cp "%p" "${wal}/%f.part" && mv "${wal}/%f.part" "${wal}/%f")`,
  };
}

/**
 * Copies the files of a running server, with the log that makes them consistent.
 * @param url of the superuser
 * @returns the copy's folder, and whether the log goes to an archive. @throws where the log of the copying is gone
 */
export async function copyRunning(url: string, folder: string): Promise<{ folder: string; isArchived: boolean }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const ask = async <Row extends object>(text: string): Promise<Row> => (await client.query<Row>(text)).rows[0] as Row;
  try {
    const { cluster, mode, wal, now } = await ask<{ cluster: string; mode: string; wal: string; now: string }>(
      `select current_setting('data_directory') as cluster, current_setting('archive_mode') as mode, ${TIME} as now,
              pg_walfile_name(pg_backup_start('reckoner', true)) as wal`,
    );
    const name = `base-${now.replaceAll(/[:-]|\.\d+/g, '')}`;
    const unfinished = join(folder, `${name}.unfinished`);
    mkdirSync(unfinished, { recursive: true, mode: 0o700 });
    try {
      copyTree(cluster, unfinished);
      const { label, last, at } = await ask<{ label: string; last: string; at: string }>(
        `select labelfile as label, pg_walfile_name(lsn) as last, ${TIME} as at from pg_backup_stop(false)`,
      );
      writeFileSync(join(unfinished, 'backup_label'), label);
      const segments = readdirSync(join(cluster, 'pg_wal')).filter((each) => each >= wal && each <= last);
      if (!segments.includes(wal)) throw new Error('The log of the backup was recycled while the files were copied.');
      mkdirSync(join(unfinished, 'pg_wal'), { recursive: true, mode: 0o700 });
      for (const each of segments) cpSync(join(cluster, 'pg_wal', each), join(unfinished, 'pg_wal', each));
      writeFileSync(join(unfinished, DONE), at);
      renameSync(unfinished, join(folder, name));
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      throw error;
    }
    await client.query('select pg_switch_wal()'); // what was written until now is archived soon
    return { folder: join(folder, name), isArchived: mode === 'on' };
  } finally {
    await client.end();
  }
}

/** Files of a running server come and go while they are copied; its log makes up for it. */
function copyTree(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    try {
      if (entry.isDirectory()) {
        mkdirSync(target, { mode: 0o700 });
        if (!LEFT_OUT.has(entry.name)) copyTree(source, target);
      } else if (entry.isFile() && !LEFT_OUT_FILES.test(entry.name)) cpSync(source, target);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** The copies of a folder, the oldest first, with the time from which on each can be restored. */
export const copiesIn = (folder: string): { readonly folder: string; readonly at: Temporal.Instant }[] =>
  readdirSync(folder)
    .filter((name) => BASE.test(name) && existsSync(join(folder, name, DONE)))
    .map((name) => ({
      folder: join(folder, name),
      at: Temporal.Instant.from(readFileSync(join(folder, name, DONE), 'utf8')),
    }))
    .toSorted((one, other) => Temporal.Instant.compare(one.at, other.at));

/**
 * Puts a copy in the place of a server's files, which are set aside. The next start recovers to the time, or to the end
 * of the log where there is none.
 * @returns the settings of that start, and the way back
 * @throws EmbeddedPostgresFailure while somebody uses the folder
 */
export async function putBack(
  copy: string,
  request: { readonly backups: string; readonly dataDirectory: string; readonly to: Temporal.Instant | null },
): Promise<PutBack> {
  const lock = await lockDataDirectory(request.dataDirectory);
  try {
    await stopLeftovers(join(request.dataDirectory, 'cluster'), () => undefined);
    return exchange(copy, request);
  } finally {
    lock.release();
  }
}

/** The files of a copy, in their place. */
export interface PutBack {
  /** For the next start alone. */
  readonly settings: PostgresSettings;
  /** The name of the folder with the files of before; null: there were none. */
  readonly aside: string | null;
  undo(): void;
}

function exchange(copy: string, { backups, dataDirectory, to }: Parameters<typeof putBack>[1]): PutBack {
  const cluster = join(dataDirectory, 'cluster');
  const aside = existsSync(cluster) ? freeName(join(dataDirectory, 'cluster.before-restore')) : null;
  if (aside !== null) renameSync(cluster, aside);
  cpSync(copy, cluster, { recursive: true });
  rmSync(join(cluster, DONE), { force: true });
  writeFileSync(join(cluster, 'recovery.signal'), '');
  // The last minute of the log is archived by nobody where the server was killed: it lies among the files set aside.
  const places = [walOf(backups), ...(aside === null ? [] : [join(aside, 'pg_wal')])].map(inCommand);
  return {
    settings: {
      ...archivingTo(backups), // a later restore follows the timeline that begins here
      restore_command: places.map((each) => `cp "${each}/%f" "%p" 2>/dev/null`).join(' || '),
      recovery_target_action: 'promote',
      ...(to !== null && { recovery_target_time: to.toString({ timeZone: 'UTC' }) }), // with +00:00: it takes no `Z`
    },
    aside: aside === null ? null : basename(aside),
    undo: () => {
      rmSync(cluster, { recursive: true, force: true });
      if (aside !== null) renameSync(aside, cluster);
    },
  };
}

function freeName(path: string): string {
  for (let number = 1; ; number += 1) if (!existsSync(`${path}-${number}`)) return `${path}-${number}`;
}
