import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ApiError, ConnectionError, Reckoner } from '../../sdk/src/index.ts';
import { readCredentials } from '../credentials.ts';
import { type EnvironmentName, readSettings, type Variables } from '../settings.ts';
import { CommandFailure } from './failure.ts';

/** Where the commands go, and with which key. */
export interface Target {
  readonly url: string;
  readonly key: string;
  readonly environment: EnvironmentName;
  /** Where it was found, for a person. */
  readonly origin: string;
}

type Saved = Readonly<Partial<Record<EnvironmentName, { readonly url: string; readonly key: string }>>>;

/** The user's own configuration, as the system places it. */
export function configFile({ RECKONER_CONFIG, XDG_CONFIG_HOME, APPDATA }: Variables): string {
  if (RECKONER_CONFIG) return RECKONER_CONFIG;
  return join(XDG_CONFIG_HOME || APPDATA || join(homedir(), '.config'), 'reckoner', 'config.json');
}

/** The keys that `login` has kept. @throws CommandFailure where the file cannot be understood */
export function readSaved(variables: Variables): Saved {
  const file = configFile(variables);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Saved;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CommandFailure(`${file} cannot be read.`, 'delete it, and log in again: reckoner login');
  }
}

/** Keeps the keys where only the user reads them. */
export function writeSaved(variables: Variables, saved: Saved): void {
  const file = configFile(variables);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600 });
  chmodSync(file, 0o600); // a file that was there keeps its mode
}

/**
 * The environment that a command is for: by the variables `RECKONER_URL` and `RECKONER_API_KEY`, by `login`, or the
 * installation of this folder.
 * @throws CommandFailure where there is none
 */
export function findTarget(variables: Variables, environment: EnvironmentName): Target {
  const { RECKONER_API_KEY: key, RECKONER_URL: url } = variables;
  if (key) return { url: url || 'http://localhost:4401', key, environment, origin: 'RECKONER_API_KEY' };
  const saved = readSaved(variables)[environment];
  if (saved) return { ...saved, environment, origin: configFile(variables) };
  const local = localTarget(variables, environment);
  if (local) return local;
  throw new CommandFailure(
    `No key for the ${environment} environment is known.`,
    'start Reckoner in this folder (npm start), or log in: reckoner login --url URL',
  );
}

/** The installation in this folder, as its last start wrote it down: the demo merchant, else the platform. */
function localTarget(variables: Variables, environment: EnvironmentName): Target | null {
  const settings = readSettings(variables);
  if (!settings.ok) return null;
  const known = readCredentials(settings.settings.dataDirectory)[environment];
  if (!known) return null;
  const { baseUrl, platformKey } = known;
  const key = ('merchantKey' in known ? known.merchantKey : undefined) ?? platformKey;
  return { url: baseUrl, key, environment, origin: settings.settings.dataDirectory };
}

/** A client of the environment. */
export const apiOf = ({ url, key }: Target): Reckoner => new Reckoner({ baseUrl: url, apiKey: key });

/** What a failed call means to a person at a terminal. */
export function explainCall(error: unknown, { url, origin }: Target): CommandFailure | null {
  if (error instanceof ConnectionError) return new CommandFailure(error.message, `is Reckoner running at ${url}?`);
  if (!(error instanceof ApiError)) return null;
  const fields = error.fields.map(({ field, message }) => `\n    ${field}: ${message}`).join('');
  const id = error.requestId === null ? '' : ` (${error.requestId})`;
  const fix =
    error.status === 401 ? `the key is from ${origin}; log in again: reckoner login` : `see docs/errors.md${id}`;
  return new CommandFailure(`${error.code ?? error.status}: ${error.message}${fields}`, fix);
}
