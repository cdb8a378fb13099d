import { join, relative } from 'node:path';
import {
  archivingTo,
  type EmbeddedPostgres,
  EmbeddedPostgresFailure,
  isDiskFull,
  joinEmbeddedPostgres,
  type RunningPostgres,
  startEmbeddedPostgres,
} from '../db/embedded/index.ts';
import type { EnvironmentName, Settings } from '../settings.ts';
import { checkDatabase, shownDatabase } from './database-check.ts';
import type { Output } from './output.ts';

/** The variable that gives an environment a database of its own. */
const databaseSetting = (environment: EnvironmentName): string =>
  environment === 'production' ? 'DATABASE_URL' : 'SANDBOX_DATABASE_URL';

const directSetting = (environment: EnvironmentName): string =>
  environment === 'production' ? 'DATABASE_DIRECT_URL' : 'SANDBOX_DATABASE_DIRECT_URL';

/** The databases of a start, each checked, and the embedded server if one of them needs it. */
export interface Databases {
  /** For the program's connections. Of the embedded server: the role that is no superuser. */
  urlOf(environment: EnvironmentName): string;
  /** For migrations. */
  ownerUrlOf(environment: EnvironmentName): string;
  /** Leads past a pooler; undefined: no such way is known. */
  directUrlOf(environment: EnvironmentName): string | undefined;
  /** Is the disk of an environment's embedded database full? Unknown for another database. */
  isDiskFull(environment: EnvironmentName): boolean;
}

/** The shortcuts of a start. */
export interface Help {
  /** Called where the embedded server is being started and there is time for something else. */
  readonly meanwhile?: () => void;
  /** Brings a database to the newest schema. With it, new databases are made by one migration and a copy. */
  readonly migrate?: (ownerUrl: string) => Promise<unknown>;
}

/**
 * Looks at each database before anything is written to it, first at those from outside, and starts the embedded server
 * for the others. `cleanup` takes the server's end.
 * @param whereBusy what to do where another process keeps the embedded server: refuse, or `join` it, as commands do
 *   that only look at data
 */
export async function openDatabases(
  settings: Settings,
  dataDirectory: string,
  output: Output,
  cleanup: AsyncDisposableStack,
  whereBusy: 'refuse' | 'join' = 'refuse',
  help: Help = {},
): Promise<Databases> {
  const own = settings.environments.filter((environment) => settings[environment].databaseUrl === undefined);
  const urls = new Map<EnvironmentName, string>();
  const ownerUrls = new Map<EnvironmentName, string>();
  const look = (environment: EnvironmentName, url: string) =>
    checkDatabase(environment, url, databaseSetting(environment));
  const warn = (environment: EnvironmentName, warnings: readonly string[]) => {
    for (const warning of warnings) output.notice(`the database of ${environment}: ${warning}`);
  };
  for (const environment of settings.environments) {
    const { databaseUrl: url, directDatabaseUrl } = settings[environment];
    if (url === undefined) continue;
    urls.set(environment, url);
    ownerUrls.set(environment, directDatabaseUrl ?? url);
    const label = `PostgreSQL for ${titleOf(environment)} (${shownDatabase(url)})`;
    const found = await output.step(
      label,
      () => look(environment, url),
      ({ version }) => `version ${version}`,
    );
    warn(environment, found.warnings);
    if (directDatabaseUrl !== undefined)
      await checkDatabase(environment, directDatabaseUrl, directSetting(environment));
  }
  if (own.length > 0) {
    const server = await openServer(
      join(dataDirectory, 'pg'),
      serverFor(own, settings),
      settings.backupDirectory,
      output,
      cleanup,
      whereBusy,
      help,
    );
    if ('ensureDatabase' in server) await ensureDatabases(server, own.map(nameOfDatabase), output, help);
    for (const environment of own) {
      const name = nameOfDatabase(environment);
      urls.set(environment, server.loginUrlFor(name));
      ownerUrls.set(environment, server.urlFor(name));
      warn(environment, (await look(environment, server.loginUrlFor(name))).warnings);
    }
  }
  return {
    urlOf: (environment) => urls.get(environment) as string,
    ownerUrlOf: (environment) => ownerUrls.get(environment) as string,
    directUrlOf: (environment) => settings[environment].directDatabaseUrl,
    isDiskFull: (environment) => own.includes(environment) && isDiskFull(dataDirectory),
  };
}

/** The name of an environment's database on the embedded server. */
export const nameOfDatabase = (environment: EnvironmentName): string => `reckoner_${environment}`;

/** The option of an environment that leads past a pooler, if the settings have one. */
export function directOf(databases: Databases, environment: EnvironmentName): { readonly directDatabaseUrl?: string } {
  const directDatabaseUrl = databases.directUrlOf(environment);
  return directDatabaseUrl === undefined ? {} : { directDatabaseUrl };
}

/** Every environment begins with the same schema, and a copy takes a tenth of the time of a migration. */
async function ensureDatabases(
  server: EmbeddedPostgres,
  [first, ...others]: readonly string[],
  output: Output,
  { migrate }: Help,
): Promise<void> {
  if (first === undefined) return;
  const isNew = await server.ensureDatabase(first);
  const isModel = isNew && migrate !== undefined && others.length > 0;
  if (isModel) await output.step('schema of new databases', () => migrate(server.urlFor(first)));
  for (const other of others) await server.ensureDatabase(other, isModel ? first : undefined);
}

/** One of two environments alone needs the embedded server: a reader who gave a database learns for which. */
const serverFor = (own: readonly EnvironmentName[], { environments }: Settings): string =>
  own.length < environments.length ? `PostgreSQL for ${titleOf(own[0] as EnvironmentName)}` : 'PostgreSQL';

const titleOf = (environment: EnvironmentName): string => (environment === 'production' ? 'production' : 'the sandbox');

async function openServer(
  folder: string,
  label: string,
  backups: string | undefined,
  output: Output,
  cleanup: AsyncDisposableStack,
  whereBusy: 'refuse' | 'join',
  help: Help,
): Promise<EmbeddedPostgres | RunningPostgres> {
  try {
    const server = await startServer(folder, label, backups, output, help);
    cleanup.defer(() => server.stop());
    return server;
  } catch (error) {
    const isBusy = error instanceof EmbeddedPostgresFailure && error.code === 'DATA_DIRECTORY_IN_USE';
    const running = isBusy && whereBusy === 'join' ? await joinEmbeddedPostgres(folder) : null;
    if (!running) throw error;
    output.notice(`the PostgreSQL of the running program is used (${shownPath(folder)}, version ${running.version})`);
    return running;
  }
}

async function startServer(
  folder: string,
  label: string,
  backups: string | undefined,
  output: Output,
  { meanwhile }: Help,
): Promise<EmbeddedPostgres> {
  return output.step(
    `${label} (embedded, ${shownPath(folder)})`,
    () =>
      startEmbeddedPostgres({
        dataDirectory: folder,
        log: (message) => output.notice(message),
        ...(backups !== undefined && { settings: archivingTo(backups) }),
        ...(meanwhile && { meanwhile }),
      }),
    ({ version }) => `version ${version}`,
  );
}

/** A path as short as it can be typed from here. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : `./${near}`;
}
