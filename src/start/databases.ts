import { join, relative } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/index.ts';
import type { EnvironmentName, Settings } from '../settings.ts';
import { checkDatabase, shownDatabase } from './database-check.ts';
import type { Output } from './output.ts';

/** The variable that gives an environment a database of its own. */
const databaseSetting = (environment: EnvironmentName): string =>
  environment === 'production' ? 'DATABASE_URL' : 'SANDBOX_DATABASE_URL';

/** The databases of a start, each checked, and the embedded server if one of them needs it. */
export interface Databases {
  urlOf(environment: EnvironmentName): string;
}

/**
 * Starts the embedded server when an environment has no database of its own, and looks at each database before anything is written
 * to it. `cleanup` takes the server's end.
 */
export async function openDatabases(
  settings: Settings,
  dataDirectory: string,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<Databases> {
  const own = settings.environments.filter((environment) => settings[environment].databaseUrl === undefined);
  const urls = new Map<EnvironmentName, string>();
  if (own.length > 0) {
    const folder = join(dataDirectory, 'pg');
    const server = await startServer(folder, output);
    cleanup.defer(() => server.stop());
    for (const environment of own) {
      await server.ensureDatabase(`reckoner_${environment}`);
      urls.set(environment, server.urlFor(`reckoner_${environment}`));
    }
  }
  for (const environment of settings.environments) {
    const external = settings[environment].databaseUrl;
    if (external !== undefined) urls.set(environment, external);
    const url = urls.get(environment) as string;
    const check = () => checkDatabase(environment, url, databaseSetting(environment));
    const { warnings } =
      external === undefined
        ? await check()
        : await output.step(
            `PostgreSQL for ${environment} (${shownDatabase(url)})`,
            check,
            ({ version }) => `version ${version}`,
          );
    for (const warning of warnings) output.notice(`the database of ${environment}: ${warning}`);
  }
  return { urlOf: (environment) => urls.get(environment) as string };
}

async function startServer(folder: string, output: Output): Promise<EmbeddedPostgres> {
  return output.step(
    `PostgreSQL (embedded, ${shownPath(folder)})`,
    () => startEmbeddedPostgres({ dataDirectory: folder, log: (message) => output.notice(message) }),
    ({ version }) => `version ${version}`,
  );
}

/** A path as short as it can be typed from here. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : `./${near}`;
}
