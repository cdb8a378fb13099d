import { isIP } from 'node:net';
import { KEY_LENGTH } from './kernel/ids.ts';

/** One of the two worlds that a start can serve: money is real in `production`, nothing is in `sandbox`. */
export type EnvironmentName = 'production' | 'sandbox';

/**
 * A role of a process: `ingest` accepts events, `api` answers all other requests, `worker` runs background jobs. All
 * answer health checks.
 */
export type ProcessRole = 'api' | 'ingest' | 'worker';
export const ALL_ROLES: readonly ProcessRole[] = ['api', 'ingest', 'worker'];

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** The settings of one environment; an absent one has a default that is known only at the start. */
interface EnvironmentSettings {
  /** 0 takes any free port. */
  readonly port: number;
  /** An external PostgreSQL; absent: a database of the embedded one. */
  readonly databaseUrl?: string;
  /** The base of checkout links and permalinks, without a slash at the end; absent: `http://HOST:PORT`. */
  readonly publicUrl?: string;
  /** The first operator's API key as it was given; absent: generated once. */
  readonly platformKey?: string;
  /** Seals the secrets of merchants; absent: the key that is kept in `credentials.json`. */
  readonly masterKey?: string;
  /** Decrypts texts from before an unfinished rotation of the master key. */
  readonly previousMasterKey?: string;
  /** The key that a rotation changes to. */
  readonly newMasterKey?: string;
}

/** Everything that can be set from outside, read once. */
export interface Settings {
  readonly host: string;
  readonly environments: readonly EnvironmentName[];
  readonly roles: readonly ProcessRole[];
  readonly production: EnvironmentSettings;
  readonly sandbox: EnvironmentSettings;
  /** Usage is aggregated in this ClickHouse; absent: in PostgreSQL. */
  readonly clickhouseUrl?: string;
  /** The server that production sends mail through, and the address it comes from; absent: mail is held. */
  readonly mailServer?: { readonly url: string; readonly from: string };
  /** The address of the Stripe API, or of a proxy; absent: Stripe itself. */
  readonly stripeApiUrl?: string;
  /** The service that checks VAT numbers; null: none. */
  readonly viesUrl: string | null;
  /** Addresses and CIDR ranges of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Where metrics are served by themselves; absent: nowhere. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** Names of lost master keys: their secrets are given up. */
  readonly lostMasterKeys: readonly string[];
  /** As it was given: relative to the folder of the start. */
  readonly dataDirectory: string;
  /** Seed a demo merchant in the sandbox at the first start. */
  readonly demo: boolean;
  /** Absent: quiet at a terminal, `info` elsewhere. */
  readonly logLevel?: LogLevel;
}

/** One setting that cannot be used, and why. */
interface SettingProblem {
  readonly name: string;
  readonly problem: string;
}

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly SettingProblem[] };

/** The register of VAT numbers of the European Commission. */
const VIES_URL = 'https://ec.europa.eu/taxation_customs/vies/rest-api';

type Variables = Readonly<Record<string, string | undefined>>;

const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  1: true,
  yes: true,
  on: true,
  false: false,
  0: false,
  no: false,
  off: false,
};

/**
 * Reads every setting of the environment variables and names all that cannot be used at once. A variable that is empty
 * counts as not set, as container files write it. The settings are those of the API's page "Running it", and LOG_LEVEL.
 */
export function readSettings(variables: Variables): SettingsResult {
  const problems: SettingProblem[] = [];
  const text = (name: string): string | undefined => variables[name]?.trim() || undefined;

  /** Reads one variable with a parser that answers a value, or throws a sentence for the problem. */
  const read = <T>(name: string, parse: (value: string) => T): T | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    try {
      return parse(value);
    } catch (error) {
      problems.push({ name, problem: (error as Error).message });
      return undefined;
    }
  };

  const environmentSettings = (
    names: Record<'port' | 'databaseUrl' | 'publicUrl' | 'platformKey', string> &
      Record<'masterKey' | 'previousMasterKey' | 'newMasterKey', string>,
    defaultPort: number,
    foreignPrefix: string,
  ): EnvironmentSettings => ({
    port: read(names.port, parsePort) ?? defaultPort,
    ...optional('databaseUrl', read(names.databaseUrl, parseDatabaseUrl)),
    ...optional('publicUrl', read(names.publicUrl, parsePublicUrl)),
    ...optional(
      'platformKey',
      read(names.platformKey, (value) => parsePlatformKey(value, foreignPrefix)),
    ),
    ...optional('masterKey', read(names.masterKey, parseMasterKey)),
    ...optional('previousMasterKey', read(names.previousMasterKey, parseMasterKey)),
    ...optional('newMasterKey', read(names.newMasterKey, parseMasterKey)),
  });

  const settings: Settings = {
    host: read('HOST', parseHost) ?? '127.0.0.1',
    environments: read('RECKONER_ENVIRONMENT', parseEnvironments) ?? ['production', 'sandbox'],
    roles: read('RECKONER_ROLES', parseRoles) ?? ALL_ROLES,
    production: environmentSettings(
      {
        port: 'PORT',
        databaseUrl: 'DATABASE_URL',
        publicUrl: 'PUBLIC_URL',
        platformKey: 'RECKONER_PLATFORM_KEY',
        masterKey: 'RECKONER_MASTER_KEY',
        previousMasterKey: 'RECKONER_MASTER_KEY_PREVIOUS',
        newMasterKey: 'RECKONER_NEW_MASTER_KEY',
      },
      4400,
      'rk_test_',
    ),
    sandbox: environmentSettings(
      {
        port: 'SANDBOX_PORT',
        databaseUrl: 'SANDBOX_DATABASE_URL',
        publicUrl: 'SANDBOX_PUBLIC_URL',
        platformKey: 'RECKONER_SANDBOX_PLATFORM_KEY',
        masterKey: 'RECKONER_SANDBOX_MASTER_KEY',
        previousMasterKey: 'RECKONER_SANDBOX_MASTER_KEY_PREVIOUS',
        newMasterKey: 'RECKONER_SANDBOX_NEW_MASTER_KEY',
      },
      4401,
      'rk_live_',
    ),
    ...optional('clickhouseUrl', read('CLICKHOUSE_URL', parseClickHouseUrl)),
    ...optional('mailServer', mailServer(read('SMTP_URL', parseSmtpUrl), read('MAIL_FROM', parseMailFrom))),
    ...optional('stripeApiUrl', read('STRIPE_API_URL', parseApiUrl)),
    viesUrl: text('VIES_URL')?.toLowerCase() === 'off' ? null : (read('VIES_URL', parsePublicUrl) ?? VIES_URL),
    trustedProxies: read('TRUSTED_PROXIES', parseProxies) ?? [],
    ...optional('metrics', metricsAt(read('METRICS_PORT', parsePort), read('METRICS_HOST', parseHost))),
    lostMasterKeys: read('RECKONER_LOST_MASTER_KEYS', parseKeyNames) ?? [],
    dataDirectory: text('DATA_DIR') ?? './.reckoner',
    demo: read('RECKONER_DEMO', parseBoolean) ?? variables.npm_lifecycle_event === 'start',
    ...optional('logLevel', read('LOG_LEVEL', parseLogLevel)),
  };
  problems.push(...conflicts(settings));
  if (text('SMTP_URL') !== undefined && text('MAIL_FROM') === undefined)
    problems.push({ name: 'MAIL_FROM', problem: 'is required with SMTP_URL: the sender address of emails' });
  return problems.length === 0 ? { ok: true, settings } : { ok: false, problems };
}

const metricsAt = (port: number | undefined, host = '127.0.0.1') => (port === undefined ? undefined : { host, port });

const mailServer = (url: string | undefined, from: string | undefined) =>
  url === undefined || from === undefined ? undefined : { url, from };

/** The faults of settings together. */
function conflicts(settings: Settings): SettingProblem[] {
  const { production, sandbox, environments } = settings;
  const problems = environments.flatMap((name) => [
    ...missingForRoles(settings, name),
    ...previousWithoutCurrent(settings[name], name),
  ]);
  if (production.databaseUrl && sandbox.databaseUrl && sameDatabase(production.databaseUrl, sandbox.databaseUrl)) {
    problems.push({
      name: 'SANDBOX_DATABASE_URL',
      problem: 'names the same database as DATABASE_URL; production and sandbox must not share one',
    });
  }
  if (environments.length > 1 && production.port === sandbox.port && production.port !== 0) {
    problems.push({ name: 'SANDBOX_PORT', problem: `is the port of production too (${production.port})` });
  }
  return problems;
}

function previousWithoutCurrent({ masterKey, previousMasterKey }: EnvironmentSettings, name: EnvironmentName) {
  if (previousMasterKey === undefined || masterKey !== undefined) return [];
  const setting = `RECKONER_${name === 'sandbox' ? 'SANDBOX_' : ''}MASTER_KEY`;
  return [{ name: setting, problem: `is required with ${setting}_PREVIOUS: secrets are encrypted with it` }];
}

/** The settings that a process with only some roles needs, because other processes have the others. */
function missingForRoles({ roles, ...settings }: Settings, name: EnvironmentName): SettingProblem[] {
  if (roles.length === ALL_ROLES.length) return [];
  const { databaseUrl, platformKey, masterKey, publicUrl } = settings[name];
  const prefix = name === 'sandbox' ? 'SANDBOX_' : '';
  const missing = (setting: string, why: string): SettingProblem => ({
    name: setting,
    problem: `is needed with RECKONER_ROLES=${roles.join()}: ${why}`,
  });
  return [
    ...(databaseUrl === undefined ? [missing(`${prefix}DATABASE_URL`, 'the processes share one database')] : []),
    ...(platformKey === undefined
      ? [missing(`RECKONER_${prefix}PLATFORM_KEY`, 'otherwise each process would create its own operator key')]
      : []),
    ...(masterKey === undefined
      ? [missing(`RECKONER_${prefix}MASTER_KEY`, 'otherwise each process would create its own master key')]
      : []),
    ...(roles.includes('worker') && !roles.includes('api') && publicUrl === undefined
      ? [missing(`${prefix}PUBLIC_URL`, 'links must lead to a process with the role api')]
      : []),
  ];
}

/** Two connection strings can differ in user, password and options, and still lead to one database. */
function sameDatabase(one: string, other: string): boolean {
  return one === other || databaseIdentity(one) === databaseIdentity(other);
}

function databaseIdentity(connection: string): string {
  const url = new URL(connection);
  const host = (url.searchParams.get('host') ?? (url.hostname || 'localhost')).toLowerCase();
  const port = url.searchParams.get('port') ?? (url.port || '5432');
  const user = decodeURIComponent(url.username);
  const database = decodeURIComponent(url.pathname.slice(1)) || url.searchParams.get('dbname') || user;
  return JSON.stringify([host === 'localhost' || host === '[::1]' ? '127.0.0.1' : host, port, database]);
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d{1,5}$/.test(value) || port > 65535)
    throw new Error(`"${value}" is not a port (0 to 65535; 0 is any free one)`);
  return port;
}

function parseHost(value: string): string {
  if (/[\s/]/.test(value)) throw new Error(`"${value}" is not an address or a host name to listen on`);
  return value.replace(/^\[(.*)\]$/, '$1');
}

/** A caller that may claim any address could not be limited, so a range of all addresses is refused. */
function parseProxies(value: string): readonly string[] {
  const proxies = value.split(',').map((word) => word.trim());
  for (const proxy of proxies) {
    const [address = '', bits, ...more] = proxy.split('/');
    const width = isIP(address) === 6 ? 128 : 32;
    if (
      isIP(address) === 0 ||
      more.length > 0 ||
      (bits !== undefined && !/^\d{1,3}$/.test(bits)) ||
      Number(bits) > width
    )
      throw new Error(`"${proxy}" is no address and no range such as 10.0.0.0/8`);
    if (Number(bits ?? width) === 0) throw new Error(`"${proxy}" would believe every caller; name the proxies`);
  }
  return proxies;
}

function parseEnvironments(value: string): readonly EnvironmentName[] {
  if (value === 'both') return ['production', 'sandbox'];
  if (value === 'production' || value === 'sandbox') return [value];
  throw new Error(`"${value}" is none of production, sandbox, both`);
}

function parseRoles(value: string): readonly ProcessRole[] {
  if (value === 'all') return ALL_ROLES;
  const words = new Set(value.split(',').map((word) => word.trim()));
  const roles = ALL_ROLES.filter((role) => words.delete(role));
  if (words.size > 0) throw new Error(`"${value}" is neither all nor a list of ${ALL_ROLES.join(', ')}`);
  return roles;
}

/** The value itself is not repeated in the problem: it holds a password. */
function parseDatabaseUrl(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new Error('is not a connection string of the form postgres://user:password@host:5432/database');
  }
  return value;
}

function parsePublicUrl(value: string): string {
  const url = URL.parse(parseHttpUrl(value));
  if (!url || url.search || url.hash || url.username || url.password) {
    throw new Error(`"${value}" is not the start of a link: no user, query or fragment may be in it`);
  }
  return value.replace(/\/+$/, '');
}

/** The SDK of Stripe puts its own paths behind a host and a port. */
function parseApiUrl(value: string): string {
  const url = new URL(parseHttpUrl(value));
  if (url.pathname !== '/' || url.search || url.hash || url.username || url.password)
    throw new Error('is more than the start of a URL: write https://host:port');
  return url.origin;
}

function parseHttpUrl(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('is not a URL that begins with http:// or https://');
  return value;
}

/**
 * Its user, password and database are decoded by whoever connects; the value is not repeated here: it holds a password.
 */
function parseClickHouseUrl(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Error('is not of the form http://user:password@host:8123/database, or https://…');
  }
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    throw new Error('has a % in its user or password; write %25 for it');
  }
  if (!/^\/[\w-]*$/.test(url.pathname)) {
    throw new Error('names a database that is not letters, digits, underscores and dashes');
  }
  const { cluster, ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0) throw new Error('has a parameter that is not ?cluster=name');
  if (cluster !== undefined && !/^[\w-]+$/.test(cluster)) {
    throw new Error('names a cluster that is not letters, digits, underscores and dashes');
  }
  return value;
}

/** It is not repeated here: it holds a password. */
function parseSmtpUrl(value: string): string {
  const url = URL.parse(value);
  if (
    !url ||
    !/^smtps?:$/.test(url.protocol) ||
    url.hostname === '' ||
    !/^\/?$/.test(url.pathname) ||
    url.search !== ''
  ) {
    throw new Error('is not of the form smtp://user:password@host:587, or smtps://…');
  }
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    throw new Error('has a % in its user or password; write %25 for it');
  }
  return value;
}

function parseMailFrom(value: string): string {
  if (!/^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(value)) {
    throw new Error(`"${value}" is not a plain e-mail address, as billing@example.com`);
  }
  return value;
}

/** A key is used unchanged; only an impossible key, or the other environment's, is refused. */
function parsePlatformKey(value: string, foreignPrefix: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new Error('has a character that an HTTP header cannot have');
  if (value.length < KEY_LENGTH.least || value.length > KEY_LENGTH.most)
    throw new Error(
      `has ${value.length} characters; ${KEY_LENGTH.least} to ${KEY_LENGTH.most} are required: ` +
        'use a line of "openssl rand -hex 32"',
    );
  if (value.startsWith(foreignPrefix))
    throw new Error(`begins with ${foreignPrefix}: that is a key of the other environment`);
  return value;
}

/** It is not repeated here: it opens secrets. */
function parseMasterKey(value: string): string {
  if (value.length >= KEY_LENGTH.least) return value;
  throw new Error(
    `has ${value.length} characters; at least ${KEY_LENGTH.least} are required: use "openssl rand -hex 32"`,
  );
}

/** As a start and a rotation print them. */
function parseKeyNames(value: string): readonly string[] {
  const names = value.split(',').map((word) => word.trim());
  const wrong = names.findIndex((name) => !/^[\w-]{8}$/.test(name));
  // It is not repeated here: somebody may have given the key itself.
  if (wrong >= 0) throw new Error(`has no name of a master key at place ${wrong + 1}: a name has eight characters`);
  return names;
}

function parseBoolean(value: string): boolean {
  const meaning = WORDS[value.toLowerCase()];
  if (meaning === undefined) throw new Error(`"${value}" is neither true nor false`);
  return meaning;
}

function parseLogLevel(value: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value.toLowerCase());
  if (!level) throw new Error(`"${value}" is none of ${LOG_LEVELS.join(', ')}`);
  return level;
}

function optional<Name extends string, T>(name: Name, value: T | undefined): { [Key in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: T });
}
