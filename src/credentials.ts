import { closeSync, fsyncSync, lchownSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EnvironmentName } from './settings.ts';

/** How to reach production, the key of its first platform operator, and the key that seals its secrets. */
export interface ProductionCredentials {
  readonly baseUrl: string;
  readonly platformKey: string;
  /** Absent where a setting gives it. It is never shown. */
  readonly masterKey?: string;
  /** While a rotation is under way: the master key before it. */
  readonly previousMasterKey?: string | undefined;
}

/** The same for the sandbox, and the demo merchant if one was seeded. */
export interface SandboxCredentials extends ProductionCredentials {
  readonly merchantId?: string;
  readonly merchantKey?: string;
}

/** The content of `credentials.json`; an environment that never ran here is absent. */
export interface Credentials {
  readonly production?: ProductionCredentials;
  readonly sandbox?: SandboxCredentials;
}

/** New values for some environments; absent ones stay unchanged. */
export interface CredentialsChange {
  readonly production?: Partial<ProductionCredentials>;
  readonly sandbox?: Partial<SandboxCredentials>;
}

/** The source of an environment's platform key: a new key is shown once. */
export interface PlatformKey {
  readonly key: string;
  readonly origin: 'setting' | 'kept' | 'generated';
}

/** The file of the credentials in a data folder. */
export const credentialsFile = (dataDirectory: string): string => join(dataDirectory, 'credentials.json');

/**
 * The credentials of earlier starts; nothing when there are none. Throws when the file is there but cannot be
 * understood.
 */
export function readCredentials(dataDirectory: string): Credentials {
  const file = credentialsFile(dataDirectory);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  let credentials: unknown;
  try {
    credentials = JSON.parse(text);
  } catch {
    throw new CredentialsUnreadable(file, 'is not valid JSON'); // without the text: it holds keys
  }
  const problem = problemOf(credentials);
  if (problem !== undefined) throw new CredentialsUnreadable(file, problem);
  return credentials as Credentials;
}

const ENVIRONMENTS: readonly EnvironmentName[] = ['production', 'sandbox'];
const FIELDS = ['baseUrl', 'platformKey', 'masterKey', 'previousMasterKey', 'merchantId', 'merchantKey'] as const;
const KEYS = ['platformKey', 'masterKey', 'previousMasterKey'] as const;
const LEAST_KEY_LENGTH = 32;

/** The first thing that is wrong with what the file holds; no value is repeated. Pure. */
function problemOf(credentials: unknown): string | undefined {
  if (!isObject(credentials)) return `holds ${kindOf(credentials)} instead of an object`;
  for (const name of ENVIRONMENTS) {
    const own = credentials[name];
    if (own === undefined) continue;
    if (!isObject(own)) return `has ${kindOf(own)} at ${name} instead of an object`;
    for (const field of FIELDS) {
      const value = own[field];
      if (value !== undefined && typeof value !== 'string')
        return `has ${kindOf(value)} at ${name}.${field} instead of a text`;
    }
    const { platformKey } = own as { platformKey?: string };
    if (platformKey !== undefined && !/^[\x21-\x7e]+$/.test(platformKey))
      return `has a key at ${name}.platformKey with a character that no HTTP header can carry`;
    for (const field of KEYS) {
      const key = own[field] as string | undefined;
      if (key !== undefined && key.length < LEAST_KEY_LENGTH)
        return `has a key of ${key.length} characters at ${name}.${field}; a key has at least ${LEAST_KEY_LENGTH}`;
    }
    if (own.previousMasterKey !== undefined && own.masterKey === undefined)
      return `has a key at ${name}.previousMasterKey and none at ${name}.masterKey`;
  }
  return undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : `a ${typeof value}`;
}

/** The file exists and is no credentials file: to overwrite it would lose the only copy of a key. */
export class CredentialsUnreadable extends Error {
  readonly file: string;

  constructor(file: string, problem: string) {
    super(`${file} ${problem}.`);
    this.name = 'CredentialsUnreadable';
    this.file = file;
  }
}

/** The content of the file after a change: per environment, new values over the old ones. Pure. */
export function mergeCredentials(known: Credentials, change: CredentialsChange): Credentials {
  const merged: Record<string, unknown> = { ...known };
  for (const name of ENVIRONMENTS) if (change[name]) merged[name] = { ...known[name], ...change[name] };
  return merged;
}

/**
 * Merges a change into the file. Readable by its owner alone from its first byte, and replaced by a rename after it
 * reached the disk: a power cut leaves the old file or the new one.
 */
export function updateCredentials(dataDirectory: string, change: CredentialsChange): Credentials {
  const file = credentialsFile(dataDirectory);
  const credentials = mergeCredentials(readCredentials(dataDirectory), change);
  const unfinished = `${file}.${process.pid}.unfinished`;
  const descriptor = openSync(unfinished, 'w', 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify(credentials, null, 2)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  if (process.getuid?.() === 0) {
    const owner = statSync(dirname(file));
    lchownSync(unfinished, owner.uid, owner.gid);
  }
  renameSync(unfinished, file);
  return credentials;
}

/** The key from the settings, else the one of an earlier start, else a new one. */
export function decidePlatformKey(
  environment: EnvironmentName,
  given: string | undefined,
  known: Credentials,
  generate: (environment: EnvironmentName) => string,
): PlatformKey {
  if (given !== undefined) return { key: given, origin: 'setting' };
  const kept = known[environment]?.platformKey;
  return kept === undefined ? { key: generate(environment), origin: 'generated' } : { key: kept, origin: 'kept' };
}
