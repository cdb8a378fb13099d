import type pg from 'pg';
import { connectTo } from '../db/index.ts';
import { hostUrlsOf } from '../kernel/database-url.ts';
import type { EnvironmentName } from '../settings.ts';
import { StartFailure } from './failure.ts';

const OLDEST_MAJOR = 18;

/** The settings of a PostgreSQL that decide whether its commits last. */
export interface DatabaseFacts {
  readonly versionNumber: number;
  readonly version: string;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly synchronousCommit: string;
  readonly dataChecksums: string;
  /** Does the user of the connection string step around row-level security: a superuser, or one with BYPASSRLS? */
  readonly isSuperuser: boolean;
}

/** The objections to a database: `refusals` stop a start, `warnings` are shown. */
export interface DatabaseVerdict {
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
}

/** Production refuses a database on which a committed row may be lost; the sandbox only says so. Pure. */
export function judgeDatabase(environment: EnvironmentName, facts: DatabaseFacts): DatabaseVerdict {
  const unsafe = (
    [
      ['fsync', facts.fsync],
      ['full_page_writes', facts.fullPageWrites],
      ['synchronous_commit', facts.synchronousCommit],
    ] as const
  )
    .filter(([, value]) => value === 'off')
    .map(([name]) => `its setting ${name} is off: a power failure could lose committed data`);
  const warnings = [
    ...(facts.dataChecksums === 'on' ? [] : ['its pages carry no checksums: a damaged disk may go unnoticed']),
    ...(facts.isSuperuser
      ? ['its user is a superuser and sees every merchant: migrate as its owner, then connect as reckoner_login']
      : []),
  ];
  const tooOld =
    Math.floor(facts.versionNumber / 10_000) < OLDEST_MAJOR
      ? [`it is PostgreSQL ${facts.version}; ${OLDEST_MAJOR} or newer is needed`]
      : [];
  return environment === 'production'
    ? { refusals: [...tooOld, ...unsafe], warnings }
    : { refusals: tooOld, warnings: [...unsafe, ...warnings] };
}

/**
 * Connects once and judges. @throws StartFailure when the database cannot be used. @returns what should be said about
 * it.
 */
export async function checkDatabase(
  environment: EnvironmentName,
  url: string,
  setting: string,
): Promise<{ version: string; warnings: readonly string[] }> {
  const facts = await readFacts(url, setting);
  const { refusals, warnings } = judgeDatabase(environment, facts);
  if (refusals.length > 0) {
    throw new StartFailure(
      `The database of ${environment} cannot be used: ${refusals.join('; ')}.`,
      `change that, or give another one: ${setting}=postgres://… npm start`,
    );
  }
  return { version: facts.version, warnings };
}

async function readFacts(url: string, setting: string): Promise<DatabaseFacts> {
  let client: pg.Client | undefined;
  try {
    client = await connectTo(url, { connectionTimeoutMillis: 10_000, application_name: 'reckoner' });
    const { rows } = await client.query<DatabaseFacts>(`
      select current_setting('server_version_num')::int as "versionNumber",
             current_setting('server_version') as version,
             current_setting('fsync') as fsync,
             current_setting('full_page_writes') as "fullPageWrites",
             current_setting('synchronous_commit') as "synchronousCommit",
             current_setting('data_checksums') as "dataChecksums",
             (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as "isSuperuser"`);
    return rows[0] as DatabaseFacts;
  } catch (error) {
    throw explainConnection(error, url, setting);
  } finally {
    await client?.end().catch(() => undefined);
  }
}

/** The connection string without its password, as far as it may be shown. */
export function shownDatabase(url: string): string {
  const urls = hostUrlsOf(url).map((each) => new URL(each));
  const hosts = urls.map(({ hostname, port, searchParams }) => {
    return `${searchParams.get('host') ?? decodeURIComponent(hostname)}:${port || '5432'}`;
  });
  return `${hosts.join()}${urls[0]?.pathname ?? ''}`;
}

function explainConnection(error: unknown, url: string, setting: string): StartFailure {
  const shown = shownDatabase(url);
  const code = (error as { code?: string }).code ?? '';
  const options = { cause: error };
  if (code === '28P01' || code === '28000') {
    return new StartFailure(`The database ${shown} refuses this user or password.`, `correct ${setting}`, options);
  }
  if (code === '3D000') {
    const name = decodeURIComponent(new URL(hostUrlsOf(url)[0]).pathname.slice(1));
    return new StartFailure(
      `The database "${name}" at ${shown} does not exist.`,
      `create it: createdb ${name}`,
      options,
    );
  }
  const reason = (error as Error).message || code;
  return new StartFailure(
    `The database ${shown} cannot be reached (${reason}).`,
    `start it, or correct ${setting}; without ${setting} Reckoner uses its own`,
    options,
  );
}
