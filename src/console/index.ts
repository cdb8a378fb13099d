import type { Database } from '../db/index.ts';
import type { Route } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';
import { SignInAttempts } from './attempts.ts';
import { Door, type DoorOptions } from './door.ts';
import { consoleFiles } from './files.ts';
import { Logins } from './logins.ts';
import { sessionRoutes } from './routes.ts';
import { type LoginOf, selectIsAnybodyIn } from './sessions.sql.ts';
import { createLink, FAILED_MILLISECONDS, type SignInLink } from './sign-in.ts';

export { consoleErrors } from './errors.ts';
export { forgetSessionsChore } from './sessions.sql.ts';
export type { SignInLink } from './sign-in.ts';

/** The dependencies of the console. */
export interface ConsoleOptions extends DoorOptions {
  /** Addresses come from a trusted proxy: one of this machine is then nothing special. */
  readonly isBehindProxy: boolean;
  /** How long a wrong password waits for its answer; absent: 1 s. Shorter for tests. */
  readonly failedMilliseconds?: number | undefined;
}

/** The web console of an environment: door, files and sessions. Nothing is loaded before it is asked for. */
export function openConsole(options: ConsoleOptions): { readonly door: Door; readonly routes: readonly Route[] } {
  const { database, environment, publicUrl, now, isBehindProxy, failedMilliseconds = FAILED_MILLISECONDS } = options;
  const door = new Door(options);
  const attempts = new SignInAttempts(now, isBehindProxy);
  const parts = { database, logins: new Logins(database, now, publicUrl), attempts, publicUrl, failedMilliseconds };
  return { door, routes: [...consoleFiles(publicUrl), ...sessionRoutes(environment, door, parts, database)] };
}

/** A link that signs a user in once, for who holds the database. */
export const createSignInLink = (
  database: Database,
  login: LoginOf,
  publicUrl: string,
  now: Instant,
): Promise<SignInLink> => database.transaction('nobody', (tx) => createLink(tx, login, publicUrl, now));

/** The same where nobody can sign in yet, with a password or because somebody is signed in; else null. */
export const createFirstLink = (
  database: Database,
  login: LoginOf,
  publicUrl: string,
  now: Instant,
): Promise<SignInLink | null> =>
  database.transaction('nobody', async (tx) =>
    (await selectIsAnybodyIn(tx, now)) ? null : createLink(tx, login, publicUrl, now),
  );
