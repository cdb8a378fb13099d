import { isIP } from 'node:net';
import { readArchiveUrl } from './kernel/archive-url.ts';
import { hostUrlsOf } from './kernel/database-url.ts';
import { KEY_LENGTH } from './kernel/ids.ts';
import { editsBetween } from './kernel/nearest-word.ts';

/** One of the two worlds that a start can serve: money is real in `production`, nothing is in `sandbox`. */
export type EnvironmentName = 'production' | 'sandbox';

/**
 * A role of a process: `ingest` accepts events, `api` answers all other requests, `worker` runs background jobs. All
 * answer health checks.
 */
export type ProcessRole = 'api' | 'ingest' | 'worker';
export const ALL_ROLES: readonly ProcessRole[] = ['api', 'ingest', 'worker'];

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** One setting that cannot be used, and why. */
interface SettingProblem {
  readonly name: string;
  readonly problem: string;
}

/** The variables, the problems that were found in them, and the names that were asked for. */
interface Source {
  readonly variables: Variables;
  readonly problems: SettingProblem[];
  readonly names: Set<string>;
}

const sourceOf = (variables: Variables): Source => ({ variables, problems: [], names: new Set() });

/** A variable that is empty counts as not set, as container files write it. */
function textOf({ variables, names }: Source, name: string): string | undefined {
  names.add(name);
  return variables[name]?.trim() || undefined;
}

type Setting<T> = (source: Source) => T;

/**
 * The setting of one variable.
 * @param parse returns a value, or throws a sentence for the problem
 * @param initial the value if the variable is not set
 */
const setting =
  <T, Initial>(name: string, parse: (text: string) => T, initial: Initial): Setting<T | Initial> =>
  (source) => {
    const text = textOf(source, name);
    try {
      if (text !== undefined) return parse(text);
    } catch (error) {
      source.problems.push({ name, problem: (error as Error).message });
    }
    return initial;
  };

/** The setting of a variable without a default. */
const optional = <T>(name: string, parse: (text: string) => T) => setting(name, parse, undefined);

/** All settings of a table. */
const table =
  <Rows extends Readonly<Record<string, Setting<unknown>>>>(
    rows: Rows,
  ): Setting<{ readonly [Name in keyof Rows]: ReturnType<Rows[Name]> }> =>
  (source) =>
    Object.fromEntries(Object.entries(rows).map(([name, read]) => [name, read(source)])) as never;

/**
 * The settings of one environment.
 * @param prefix of its variables
 * @param foreignPrefix of keys of the other environment
 */
const environmentTable = (prefix: '' | 'SANDBOX_', port: number, foreignPrefix: string) =>
  table({
    /** 0 takes any free port. */
    port: setting(`${prefix}PORT`, parsePort, port),
    /** A port that nobody has chosen may be another one. */
    isPortChosen: (source) => textOf(source, `${prefix}PORT`) !== undefined,
    /** An external PostgreSQL; absent: a database of the embedded one. */
    databaseUrl: optional(`${prefix}DATABASE_URL`, parseDatabaseUrl),
    /** The same database without a pooler, for work that needs a connection of its own; absent: `databaseUrl`. */
    directDatabaseUrl: optional(`${prefix}DATABASE_DIRECT_URL`, parseDatabaseUrl),
    /** A standby that answers reports; absent: `databaseUrl` does. */
    readDatabaseUrl: optional(`${prefix}DATABASE_READ_URL`, parseReadUrl),
    /** Where events that are older than the retention are archived; absent: all stay in the database. */
    archiveUrl: optional(`${prefix}ARCHIVE_URL`, parseArchiveUrl),
    /** The base of checkout links and permalinks, without a slash at the end; absent: `http://HOST:PORT`. */
    publicUrl: optional(`${prefix}PUBLIC_URL`, parsePublicUrl),
    /** The first operator's API key as it was given; absent: generated once. */
    platformKey: optional(`RECKONER_${prefix}PLATFORM_KEY`, (value) => parsePlatformKey(value, foreignPrefix)),
    /** Seals the secrets of merchants; absent: the key that is kept in `credentials.json`. */
    masterKey: optional(`RECKONER_${prefix}MASTER_KEY`, parseMasterKey),
    /** Decrypts texts from before an unfinished rotation of the master key. */
    previousMasterKey: optional(`RECKONER_${prefix}MASTER_KEY_PREVIOUS`, parseMasterKey),
    /** The key that a rotation changes to. */
    newMasterKey: optional(`RECKONER_${prefix}NEW_MASTER_KEY`, parseMasterKey),
  });

const mailTable = table({ url: optional('SMTP_URL', parseSmtpUrl), from: optional('MAIL_FROM', parseMailFrom) });

/** The standard variables for a login at an object store. */
const storeTable = table({
  accessKeyId: optional('AWS_ACCESS_KEY_ID', (value) => value),
  secretAccessKey: optional('AWS_SECRET_ACCESS_KEY', (value) => value),
  sessionToken: optional('AWS_SESSION_TOKEN', (value) => value),
});

const metricsTable = table({
  port: optional('METRICS_PORT', parsePort),
  host: setting('METRICS_HOST', parseHost, '127.0.0.1'),
});

const OTLP = 'OTEL_EXPORTER_OTLP_ENDPOINT';

/** The standard variables of OpenTelemetry that we follow. */
const telemetryTable = table({
  /** The start of the receiver's address, without a slash at the end. */
  endpoint: optional(OTLP, parseReceiver),
  headers: setting('OTEL_EXPORTER_OTLP_HEADERS', parseHeaders, {}),
  serviceName: setting('OTEL_SERVICE_NAME', (value) => value, 'reckoner'),
  /** The share of traces that is sent. */
  share: setting('OTEL_TRACES_SAMPLER_ARG', parseShare, 1),
});

const BOTH: readonly EnvironmentName[] = ['production', 'sandbox'];

/** Everything that can be set from outside: the settings of the API's page "Running it", and LOG_LEVEL. */
const allSettings = table({
  host: setting('HOST', parseHost, '127.0.0.1'),
  environments: setting('RECKONER_ENVIRONMENT', parseEnvironments, BOTH),
  roles: setting('RECKONER_ROLES', parseRoles, ALL_ROLES),
  production: environmentTable('', 4400, 'rk_test_'),
  sandbox: environmentTable('SANDBOX_', 4401, 'rk_live_'),
  /** How many seconds old the data of a report may be, where a standby answers it. */
  readMaxAgeSeconds: setting('READ_MAX_AGE', parseMaxAge, 10),
  /** Days after which the events of a month are archived; absent: they stay in the database. */
  retentionDays: optional('RETENTION', parseRetention),
  /** The login of buckets in which events are archived. */
  storeKeys: (source) => {
    const { accessKeyId, secretAccessKey, sessionToken } = storeTable(source);
    if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
    return { accessKeyId, secretAccessKey, sessionToken };
  },
  /** Usage is aggregated in this ClickHouse; absent: in PostgreSQL. */
  clickhouseUrl: optional('CLICKHOUSE_URL', parseClickHouseUrl),
  /** The server that production sends mail through, and the address it comes from; absent: mail is held. */
  mailServer: (source) => {
    const { url, from } = mailTable(source);
    return url === undefined || from === undefined ? undefined : { url, from };
  },
  /** The address of the Stripe API, or of a proxy; absent: Stripe itself. */
  stripeApiUrl: optional('STRIPE_API_URL', parseApiUrl),
  /** The service that checks VAT numbers, by default that of the European Commission; null: none. */
  viesUrl: setting(
    'VIES_URL',
    (value) => (value.toLowerCase() === 'off' ? null : parsePublicUrl(value)),
    'https://ec.europa.eu/taxation_customs/vies/rest-api',
  ),
  /** Addresses and CIDR ranges of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: setting('TRUSTED_PROXIES', parseProxies, []),
  /** Where metrics are served by themselves; absent: nowhere. */
  metrics: (source) => {
    const { host, port } = metricsTable(source);
    return port === undefined ? undefined : { host, port };
  },
  /** Where traces and metrics are sent; absent: nowhere. Without the address, the other variables are not ours. */
  telemetry: (source) => {
    const problems = textOf(source, OTLP) === undefined ? [] : source.problems;
    const { endpoint, ...others } = telemetryTable({ ...source, problems });
    return endpoint === undefined ? undefined : { endpoint, ...others };
  },
  /** Names of lost master keys: their secrets are given up. */
  lostMasterKeys: setting('RECKONER_LOST_MASTER_KEYS', parseKeyNames, []),
  /** As it was given: relative to the folder of the start. */
  dataDirectory: setting('DATA_DIR', (value) => value, './.reckoner'),
  /** Where the embedded database archives its log, and backups are made. Absent: there are none. */
  backupDirectory: optional('BACKUP_DIR', (value) => value),
  /** Seed a demo merchant in the sandbox at the first start. */
  demo: (source) => setting('RECKONER_DEMO', parseBoolean, source.variables.npm_lifecycle_event === 'start')(source),
  /** Absent: quiet at a terminal, `info` elsewhere. */
  logLevel: optional('LOG_LEVEL', parseLogLevel),
});

/** The settings as they were read at the start. */
export type Settings = ReturnType<typeof allSettings>;
type EnvironmentSettings = Settings[EnvironmentName];

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly SettingProblem[] };

/** Reads every setting of the environment variables and names all that cannot be used at once. */
export function readSettings(variables: Variables): SettingsResult {
  const source = sourceOf(variables);
  const settings = allSettings(source);
  const problems = [...misspelt(source), ...source.problems, ...conflicts(settings)];
  if (textOf(source, 'SMTP_URL') !== undefined && textOf(source, 'MAIL_FROM') === undefined)
    problems.push({ name: 'MAIL_FROM', problem: 'is required with SMTP_URL: the sender address of emails' });
  return problems.length === 0 ? { ok: true, settings } : { ok: false, problems };
}

/** The names of all settings. */
export function settingNames(): ReadonlySet<string> {
  const source = sourceOf({});
  allSettings(source);
  return source.names;
}

const OURS = 'RECKONER_';

/** The variables of this name that are no settings: `bin/reckoner.js` sets it for itself. */
const INTERNAL: ReadonlySet<string> = new Set([
  'RECKONER_RUN_AGAIN',
  // of the client: the address and the key of a server, and its own configuration
  ...['RECKONER_URL', 'RECKONER_API_KEY', 'RECKONER_CONFIG'],
]);

/** Names of other programs that are one letter from ours. */
const FOREIGN: ReadonlySet<string> = new Set(['DATADIR', 'EMAIL_FROM', 'LOGLEVEL']);

/** Kubernetes sets these in every container beside a service whose name begins with "reckoner". */
const OF_A_SERVICE = /_SERVICE_(?:HOST|PORT)(?:_\w+)?$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;
const ADDRESS_OF_A_SERVICE = /^(?:tcp|udp|sctp):\/\//;

/**
 * Variables that were probably meant for us and would be overlooked: every unknown name that begins with ours, and a
 * name one letter from one of ours, or two letters from a long one. Short names are like too many others.
 */
function misspelt({ variables, names }: Source): SettingProblem[] {
  const unknown = Object.keys(variables).filter((name) => variables[name]?.trim() && !names.has(name));
  return unknown.flatMap((name) => {
    const near = name.startsWith(OURS) ? meantByOurs(name, variables[name] as string, names) : meantBy(name, names);
    return near === null ? [] : [{ name, problem: `is not a setting; the nearest is ${near}` }];
  });
}

function meantByOurs(name: string, value: string, names: ReadonlySet<string>): string | null {
  if (INTERNAL.has(name) || OF_A_SERVICE.test(name)) return null;
  if (name.endsWith('_PORT') && ADDRESS_OF_A_SERVICE.test(value)) return null;
  const short = name.slice(OURS.length);
  return names.has(short) ? short : nearestOf(name, names).near;
}

/** A name that differs by more has been chosen by somebody else. */
const MOST_EDITS = 2;

function meantBy(name: string, names: ReadonlySet<string>): string | null {
  if (FOREIGN.has(name)) return null;
  const alike = [...names].filter((each) => Math.abs(each.length - name.length) <= MOST_EDITS);
  if (alike.length === 0) return null;
  const { near, edits } = nearestOf(name, alike);
  return edits <= (near.length < 8 ? 0 : near.length < 12 ? 1 : MOST_EDITS) ? near : null;
}

function nearestOf(name: string, names: Iterable<string>): { near: string; edits: number } {
  return Array.from(names, (near) => ({ near, edits: editsBetween(name, near) })).reduce((one, other) =>
    other.edits < one.edits ? other : one,
  );
}

/** The faults of settings together. */
function conflicts(settings: Settings): SettingProblem[] {
  const { production, sandbox, environments } = settings;
  const problems = environments.flatMap((name) => [
    ...missingForRoles(settings, name),
    ...previousWithoutCurrent(settings[name], name),
    ...othersWithoutDatabase(settings[name], name),
    ...bucketWithoutLogin(settings, name),
  ]);
  problems.push(...wrongArchives(settings));
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

function othersWithoutDatabase(
  { databaseUrl, directDatabaseUrl, readDatabaseUrl }: EnvironmentSettings,
  name: EnvironmentName,
) {
  if (databaseUrl !== undefined) return [];
  const setting = `${name === 'sandbox' ? 'SANDBOX_' : ''}DATABASE_URL`;
  const needed = (what: string) => ({ name: setting, problem: `is required with ${what}` });
  return [
    ...(directDatabaseUrl === undefined ? [] : [needed('the direct way to the same database')]),
    ...(readDatabaseUrl === undefined ? [] : [needed('a standby of it')]),
  ];
}

function bucketWithoutLogin({ storeKeys, ...settings }: Settings, name: EnvironmentName): SettingProblem[] {
  const { archiveUrl } = settings[name];
  if (archiveUrl === undefined || storeKeys !== undefined || readArchiveUrl(archiveUrl).kind === 'folder') return [];
  const setting = `${name === 'sandbox' ? 'SANDBOX_' : ''}ARCHIVE_URL`;
  return [{ name: setting, problem: 'is a bucket, which needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY' }];
}

/** The settings of the archives of both environments. */
function wrongArchives({ retentionDays, environments, production, sandbox }: Settings): SettingProblem[] {
  if (environments.length > 1 && production.archiveUrl !== undefined && production.archiveUrl === sandbox.archiveUrl)
    return [{ name: 'SANDBOX_ARCHIVE_URL', problem: 'is the archive of production too; they must not share one' }];
  if (retentionDays === undefined || production.archiveUrl !== undefined || sandbox.archiveUrl !== undefined) return [];
  return [{ name: 'ARCHIVE_URL', problem: 'is required with RETENTION: where old events go' }];
}

/** The settings that a process with only some roles needs, because other processes have the others. */
function missingForRoles({ roles, ...settings }: Settings, name: EnvironmentName): SettingProblem[] {
  if (roles.length === ALL_ROLES.length) return [];
  const { databaseUrl, platformKey, masterKey, publicUrl } = settings[name];
  const prefix = name === 'sandbox' ? 'SANDBOX_' : '';
  const needed: [name: string, value: string | undefined, why: string][] = [
    [`${prefix}DATABASE_URL`, databaseUrl, 'the processes share one database'],
    [`RECKONER_${prefix}PLATFORM_KEY`, platformKey, 'otherwise each process would create its own operator key'],
    [`RECKONER_${prefix}MASTER_KEY`, masterKey, 'otherwise each process would create its own master key'],
  ];
  if (roles.includes('worker') && !roles.includes('api'))
    needed.push([`${prefix}PUBLIC_URL`, publicUrl, 'links must lead to a process with the role api']);
  return needed
    .filter(([, value]) => value === undefined)
    .map(([setting, , why]) => ({ name: setting, problem: `is needed with RECKONER_ROLES=${roles.join()}: ${why}` }));
}

/** Two connection strings can differ in user, password and options, and still lead to one database. */
function sameDatabase(one: string, other: string): boolean {
  const identities = hostUrlsOf(one).map(databaseIdentity);
  return hostUrlsOf(other).some((url) => identities.includes(databaseIdentity(url)));
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

const wordsOf = (value: string): string[] => value.split(',').map((word) => word.trim());

/** A caller that may claim any address could not be limited, so a range of all addresses is refused. */
function parseProxies(value: string): readonly string[] {
  const proxies = wordsOf(value);
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
  if (value === 'both') return BOTH;
  if (value === 'production' || value === 'sandbox') return [value];
  throw new Error(`"${value}" is none of production, sandbox, both`);
}

function parseRoles(value: string): readonly ProcessRole[] {
  if (value === 'all') return ALL_ROLES;
  const words = new Set(wordsOf(value));
  const roles = ALL_ROLES.filter((role) => words.delete(role));
  if (words.size > 0) throw new Error(`"${value}" is neither all nor a list of ${ALL_ROLES.join(', ')}`);
  return roles;
}

/** A problem does not repeat the value, which may hold a password. */
function parseUrl(value: string, protocol: RegExp, problem: string): URL {
  const url = URL.parse(value);
  if (!url || !protocol.test(url.protocol)) throw new Error(problem);
  return url;
}

const HTTP = /^https?:$/;

const parseHttpUrl = (value: string): URL => parseUrl(value, HTTP, 'is not a URL that begins with http:// or https://');

/** Each host of a connection string. */
function hostsOf(value: string): URL[] {
  const problem = 'is not a connection string of the form postgres://user:password@host:5432/database';
  return hostUrlsOf(value).map((url) => parseUrl(url, /^postgres(ql)?:$/, problem));
}

function parseReadUrl(value: string): string {
  hostsOf(value);
  return value;
}

/** Beats come each second: data is that old by itself. */
function parseMaxAge(value: string): number {
  const seconds = Number(value);
  if (!/^\d{1,4}$/.test(value) || seconds < 2 || seconds > 3600)
    throw new Error(`"${value}" is not a number of seconds from 2 to 3600`);
  return seconds;
}

function parseDatabaseUrl(value: string): string {
  const urls = hostsOf(value);
  const wanted = urls[0]?.searchParams.get('target_session_attrs') ?? 'read-write';
  if (!['read-write', 'primary'].includes(wanted))
    throw new Error(`asks for a server that is ${wanted}; the program writes: target_session_attrs=read-write`);
  return value;
}

function parsePublicUrl(value: string): string {
  const url = parseHttpUrl(value);
  if (url.search || url.hash || url.username || url.password)
    throw new Error(`"${value}" is not the start of a link: no user, query or fragment may be in it`);
  return value.replace(/\/+$/, '');
}

/** A problem does not repeat the address, which may hold a password. */
function parseReceiver(value: string): string {
  const url = parseHttpUrl(value);
  if (url.search || url.hash || url.username || url.password)
    throw new Error('is more than the start of an address: put keys into OTEL_EXPORTER_OTLP_HEADERS');
  return value.replace(/\/+$/, '');
}

/** `name=value,name=value`, with values as in a URL. A problem does not repeat a value, which may be a key. */
function parseHeaders(value: string): Readonly<Record<string, string>> {
  const pairs = wordsOf(value).map((word) => {
    const [, name, text] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/.exec(word) ?? [];
    if (name === undefined || text === undefined) throw new Error('is not of the form name=value,name=value');
    return [name.toLowerCase(), decoded(text)] as const;
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  let header: string;
  try {
    header = decodeURIComponent(text);
  } catch {
    throw new Error('has a % in a value; write %25 for it');
  }
  if (!/^[\x20-\x7e]*$/.test(header)) throw new Error('has a character that an HTTP header cannot have');
  return header;
}

function parseShare(value: string): number {
  const share = Number(value);
  if (!/^[\d.]+$/.test(value) || !(share >= 0 && share <= 1)) throw new Error(`"${value}" is not a share from 0 to 1`);
  return share;
}

/** The SDK of Stripe puts its own paths behind a host and a port. */
function parseApiUrl(value: string): string {
  const url = parseHttpUrl(value);
  if (url.pathname !== '/' || url.search || url.hash || url.username || url.password)
    throw new Error('is more than the start of a URL: write https://host:port');
  return url.origin;
}

/** User and password are decoded by the program that connects. */
function checkLogin({ username, password }: URL): void {
  try {
    decodeURIComponent(username + password);
  } catch {
    throw new Error('has a % in its user or password; write %25 for it');
  }
}

function parseClickHouseUrl(value: string): string {
  const url = parseUrl(value, HTTP, 'is not of the form http://user:password@host:8123/database, or https://…');
  checkLogin(url);
  if (!/^\/[\w-]*$/.test(url.pathname))
    throw new Error('names a database that is not letters, digits, underscores and dashes');
  const { cluster, ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0) throw new Error('has a parameter that is not ?cluster=name');
  if (cluster !== undefined && !/^[\w-]+$/.test(cluster))
    throw new Error('names a cluster that is not letters, digits, underscores and dashes');
  return value;
}

const LEAST_RETENTION_DAYS = 400;

/** Longer than a year with its grace period: no annual period that can still change is archived. */
function parseRetention(value: string): number {
  const [, text = ''] = /^P?(\d{1,5})D?$/i.exec(value) ?? [];
  if (text === '') throw new Error(`"${value}" is not a number of days, as P400D`);
  if (Number(text) < LEAST_RETENTION_DAYS)
    throw new Error(`is ${text} days; at least ${LEAST_RETENTION_DAYS} are required: P${LEAST_RETENTION_DAYS}D`);
  return Number(text);
}

/** A problem does not repeat the address. */
function parseArchiveUrl(value: string): string {
  readArchiveUrl(value);
  return value;
}

function parseSmtpUrl(value: string): string {
  const problem = 'is not of the form smtp://user:password@host:587, or smtps://…';
  const url = parseUrl(value, /^smtps?:$/, problem);
  if (url.hostname === '' || !/^\/?$/.test(url.pathname) || url.search !== '') throw new Error(problem);
  checkLogin(url);
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
  const names = wordsOf(value);
  const wrong = names.findIndex((name) => !/^[\w-]{8}$/.test(name));
  // It is not repeated here: somebody may have given the key itself.
  if (wrong >= 0) throw new Error(`has no name of a master key at place ${wrong + 1}: a name has eight characters`);
  return names;
}

function parseBoolean(value: string): boolean {
  const word = value.toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  if (['false', '0', 'no', 'off'].includes(word)) return false;
  throw new Error(`"${value}" is neither true nor false`);
}

function parseLogLevel(value: string) {
  const level = LOG_LEVELS.find((known) => known === value.toLowerCase());
  if (!level) throw new Error(`"${value}" is none of ${LOG_LEVELS.join(', ')}`);
  return level;
}
