import pg from 'pg';
import type { Settings } from '../settings.ts';
import { openDatabases } from './databases.ts';
import { StartFailure } from './failure.ts';
import type { Output } from './output.ts';
import { openDataDirectory } from './start.ts';

/**
 * `reset --yes`: deletes the sandbox of the embedded database. The next start makes a new one, with a new demo.
 * Production is never touched.
 * @throws StartFailure without `--yes`, for a database of somebody's own, and while the program runs
 */
export async function resetSandbox(
  settings: Settings,
  isSure: boolean,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  if (settings.sandbox.databaseUrl !== undefined)
    throw new StartFailure('The sandbox has a database of your own.', 'empty it yourself: SANDBOX_DATABASE_URL');
  if (!isSure)
    throw new StartFailure('This deletes all data of the sandbox.', 'say that you are sure: npm run reset -- --yes');
  const sandboxAlone: Settings = { ...settings, environments: ['sandbox'] };
  const databases = await openDatabases(sandboxAlone, openDataDirectory(settings), output, cleanup);
  const url = new URL(databases.ownerUrlOf('sandbox'));
  const name = decodeURIComponent(url.pathname.slice(1));
  url.pathname = '/postgres';
  await output.step('sandbox: all data deleted', async () => {
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`);
    await client.end();
  });
  output.line('Start it again: npm start');
}
