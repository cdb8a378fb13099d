import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino, { type DestinationStream, type Logger } from 'pino';
import {
  credentialsFile,
  decidePlatformKey,
  type PlatformKey,
  readCredentials,
  type SandboxCredentials,
  updateCredentials,
} from '../credentials.ts';
import { joinEmbeddedPostgres, makeDirectory } from '../db/embedded/index.ts';
import { ALL_ROLES, type EnvironmentName, type Settings } from '../settings.ts';
import { type Databases, directOf, openDatabases, shownPath } from './databases.ts';
import { fillDemo, rememberDemo } from './demo.ts';
import type { ArchiveOfStart, Demo, LoadProgram, Program, ServedEnvironment } from './environment.ts';
import { explainListening, StartFailure } from './failure.ts';
import {
  isLoopbackHost,
  PortsInUse,
  type ReservedPort,
  reachableUrl,
  reservePorts,
  type WantedPort,
} from './listening.ts';
import { explainRefusedKey, masterKeysOf, warnOfSharing } from './master-keys.ts';
import { openMetricsServer } from './metrics-server.ts';
import type { Output } from './output.ts';

/** Requests that are under way when a stop begins get this long to end. */
const DRAIN_MILLISECONDS = 25_000;
const CLOSE_MILLISECONDS = 3_000;
const TIDY_MILLISECONDS = 50;

interface Served {
  readonly name: EnvironmentName;
  readonly baseUrl: string;
  readonly key: PlatformKey;
  readonly environment: ServedEnvironment;
}

/** The version of this program, from its package. */
export function programVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Log fields that may have a key or a secret; our lines never log them, and those of packages must not. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'set-cookie',
  'secret',
  'platformKey',
  'masterKey',
  'previousMasterKey',
  'newMasterKey',
  'webhookSecret',
  'secretKey',
  'merchantKey',
  'password',
];
const REDACTED = SECRET_FIELDS.flatMap((name) => ['', '*.', '*.*.', '*.*.*.'].map((path) => `${path}["${name}"]`));

/** Logs are JSON, one line each. */
export function createLogger(settings: Settings, atTerminal: boolean, to: DestinationStream): Logger {
  const level = settings.logLevel ?? (atTerminal ? 'warn' : 'info');
  const redact = { paths: REDACTED.map((path) => path.replace('.[', '[')), censor: '[redacted]' };
  return pino({ level, redact, serializers: { err: describeError } }, to);
}

/**
 * An error in a log: a database's error carries its whole connection with it, password included, which no log needs,
 * and a `detail` with the values of rows.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return { type: error.name, message: error.message, code, constraint, stack: error.stack, cause };
}

/** The folder for all our files. Other users may pass through it to their own files, but not list it. */
export function openDataDirectory(settings: Settings): string {
  const dataDirectory = resolve(settings.dataDirectory);
  makeDirectory(dataDirectory, 0o711);
  return dataDirectory;
}

/**
 * Starts everything and returns when requests are answered. What was started is handed to `cleanup` piece by piece, so
 * that disposing it stops a whole start as well as half of one. Once `stop` is aborted no further piece is begun.
 *
 * @throws StartFailure, EmbeddedPostgresFailure, the reason of `stop`, or a fault
 */
export async function start(
  settings: Settings,
  loadProgram: LoadProgram,
  output: Output,
  logger: Logger,
  stop: AbortSignal,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const started = performance.now();
  output.line();
  const part = settings.roles.length === ALL_ROLES.length ? '' : ` · ${settings.roles.join(', ')} only`;
  output.line(
    `Reckoner ${programVersion()} · Node ${process.versions.node} · ${settings.environments.join(' and ')}${part}`,
  );
  const ports = await reserveAll(settings, output);
  cleanup.defer(async () => void (await Promise.all(ports.map((port) => port.release()))));
  const dataDirectory = openDataDirectory(settings);
  readCredentials(dataDirectory); // a file that cannot be read is better found before anything is started
  const load = loadedOnce(loadProgram);
  const databases = await openDatabases(settings, dataDirectory, output, cleanup, 'refuse', {
    meanwhile: () => void load(),
    migrate: async (ownerUrl) => (await load()).migrate(ownerUrl),
  });
  const program = await load();
  stop.throwIfAborted();

  let filling: Promise<void> | undefined;
  cleanup.defer(async () => filling); // once the environments are closed, nothing that it asks is answered
  const served: Served[] = [];
  cleanup.defer(async () => {
    const drained = await Promise.allSettled(served.map(({ name, environment }) => drain(name, environment, output)));
    for (const each of drained) if (each.status === 'rejected') throw each.reason;
  });
  for (const [index, name] of settings.environments.entries()) {
    const { port } = ports[index] as ReservedPort;
    served.push(await open({ name, port, dataDirectory }, databases, settings, { program, output, logger }));
    stop.throwIfAborted();
  }

  const demo = await openDemo(settings, served, dataDirectory, output, logger);
  stop.throwIfAborted();
  for (const [index, { name, environment }] of served.entries()) {
    const port = ports[index] as ReservedPort;
    await port.release();
    await environment.server.listen({ host: settings.host, port: port.port }).catch((error: unknown) => {
      throw explainListening(error, settings.host, port.port, portSetting(name));
    });
    environment.startWorker();
  }
  await serveMetrics(settings, served, { output, logger }, cleanup);
  output.line(`  ready ${((performance.now() - started) / 1000).toFixed(1)} s after the start`);
  if (settings.roles.includes('api'))
    welcome(served, demo, await signInLines(served, demo, output), dataDirectory, output);
  else for (const { name, baseUrl } of served) output.line(`  ${name} ${baseUrl}   ${settings.roles.join(', ')} only`);
  if (demo) filling = fillConcurrently(demo, output, logger, stop);
}

/**
 * The ports of the environments, in their order, before anything is made. A port moves by itself only where nobody
 * else can have been told of it: nobody chose it, a person reads its new number at a terminal, this machine alone
 * reaches it, and no proxy leads to it (docs/decisions/0220).
 */
async function reserveAll(settings: Settings, output: Output): Promise<ReservedPort[]> {
  const { host, environments, metrics } = settings;
  const wanted: WantedPort[] = environments.map((name) => {
    const { port, isPortChosen, publicUrl } = settings[name];
    const mayMove = !isPortChosen && output.isTerminal && isLoopbackHost(host) && publicUrl === undefined;
    return { setting: portSetting(name), host, port, mayMove };
  });
  if (metrics && metrics.port !== 0) wanted.push({ setting: 'METRICS_PORT', ...metrics, mayMove: false });
  const reserved = await reservePorts(wanted).catch(async (error: unknown) => {
    throw error instanceof PortsInUse ? ((await alreadyRunning(settings, error)) ?? error) : error;
  });
  for (const [index, name] of environments.entries()) {
    const [asked, { port }] = [settings[name].port, reserved[index] as ReservedPort];
    if (asked !== 0 && asked !== port)
      output.notice(`port ${asked} is in use by another program; ${name} listens on ${port}`);
  }
  return reserved.slice(0, environments.length);
}

/** The usual cause of a port in use: the program itself, started before on the same data. */
async function alreadyRunning(settings: Settings, cause: PortsInUse): Promise<StartFailure | null> {
  const dataDirectory = resolve(settings.dataDirectory);
  if (!(await joinEmbeddedPostgres(join(dataDirectory, 'pg')))) return null;
  return new StartFailure(
    `Reckoner is running already, with the data in ${shownPath(dataDirectory)}.`,
    'stop it first (Ctrl-C in its terminal); npm run keys shows its addresses',
    { cause },
  );
}

/** Serves the metrics on the port that is theirs, if there is one. */
async function serveMetrics(
  { metrics: at }: Settings,
  served: readonly Served[],
  { output, logger }: { readonly output: Output; readonly logger: Logger },
  cleanup: AsyncDisposableStack,
): Promise<void> {
  if (!at) return;
  const texts = new Map(served.map(({ name, environment }) => [name, () => environment.metrics()] as const));
  const server = await openMetricsServer(at, texts, (error) =>
    logger.warn({ err: error }, 'the metrics could not be made'),
  );
  cleanup.defer(() => server.close());
  output.line(`  metrics ${reachableUrl(at.host, server.port)}/metrics`);
}

/** Loading keeps the process busy, so it is begun where PostgreSQL has work of its own. */
function loadedOnce(loadProgram: LoadProgram): LoadProgram {
  let loading: Promise<Program> | undefined;
  return () => {
    loading ??= loadProgram();
    loading.catch(() => undefined); // thrown where it is waited for; the database may have something more urgent to say
    return loading;
  };
}

/** Where the old events of an environment are archived. */
export function archiveOf(settings: Settings, name: EnvironmentName): ArchiveOfStart | undefined {
  const { archiveUrl: url } = settings[name];
  if (url === undefined) return undefined;
  return { url, keys: settings.storeKeys, retentionDays: settings.retentionDays ?? null };
}

const portSetting = (name: EnvironmentName): string => (name === 'production' ? 'PORT' : 'SANDBOX_PORT');

/**
 * Decides the key, remembers it before the database knows it (a key that only the database knows is lost), and opens.
 */
async function open(
  { name, port, dataDirectory }: { name: EnvironmentName; port: number; dataDirectory: string },
  databases: Databases,
  settings: Settings,
  { program, output, logger }: { program: Program; output: Output; logger: Logger },
): Promise<Served> {
  const baseUrl = reachableUrl(settings.host, port);
  const key = decidePlatformKey(
    name,
    settings[name].platformKey,
    readCredentials(dataDirectory),
    program.generateApiKey,
  );
  if (settings.roles.includes('api')) updateCredentials(dataDirectory, { [name]: { baseUrl, platformKey: key.key } });
  const known = readCredentials(dataDirectory);
  warnOfSharing(settings, name, dataDirectory, output);
  const environment = await output.step(
    `${name}: schema migrated`,
    () =>
      program
        .openEnvironment({
          environment: name,
          roles: settings.roles,
          databaseUrl: databases.urlOf(name),
          ownerDatabaseUrl: databases.ownerUrlOf(name),
          ...directOf(databases, name),
          ...standbyOf(settings, name),
          isDiskFull: () => databases.isDiskFull(name),
          ...(settings.clickhouseUrl !== undefined && { clickhouseUrl: settings.clickhouseUrl }),
          archive: archiveOf(settings, name),
          ...(settings.mailServer !== undefined && { mailServer: settings.mailServer }),
          ...(settings.stripeApiUrl !== undefined && { stripeApiUrl: settings.stripeApiUrl }),
          viesUrl: settings.viesUrl,
          ...(settings.telemetry && { telemetry: { ...settings.telemetry, version: programVersion() } }),
          publicUrl: settings[name].publicUrl ?? baseUrl,
          trustedProxies: settings.trustedProxies,
          isLocal: isLoopbackHost(settings.host),
          platformKey: key.key,
          masterKey: masterKeysOf(settings, name, dataDirectory),
          logger: logger.child({ environment: name }),
        })
        .catch((error: unknown) => {
          throw explainRefusedKey(error, settings, name, known, dataDirectory);
        }),
    ({ migratedTo }) => migratedTo,
  );
  return { name, baseUrl, key, environment };
}

/** The option of an environment with a standby for reports. */
function standbyOf({ readMaxAgeSeconds: maxAgeSeconds, ...settings }: Settings, name: EnvironmentName) {
  const { readDatabaseUrl: url } = settings[name];
  return url === undefined ? {} : { standby: { url, maxAgeSeconds } };
}

/**
 * Lets running requests end, for a while; whoever still holds a connection then is cut off. An environment that does
 * not close even so is left behind: what it has committed is safe, and the database still wants a clean end.
 */
async function drain(name: EnvironmentName, environment: ServedEnvironment, output: Output): Promise<void> {
  const late = new AbortController();
  const patience = async (milliseconds: number, act: () => void) => {
    const over = await sleep(milliseconds, true, { signal: late.signal }).catch(() => false);
    if (over) act();
  };
  // A connection that is kept alive becomes idle only after its last answer, when closing has long begun.
  const { server } = environment.server;
  const tidy = setInterval(() => server.closeIdleConnections(), TIDY_MILLISECONDS);
  const cutOff = patience(DRAIN_MILLISECONDS, () => server.closeAllConnections());
  const leave = patience(DRAIN_MILLISECONDS + CLOSE_MILLISECONDS, () => output.notice(`${name} did not close in time`));
  try {
    await Promise.race([environment.close(), leave]);
  } finally {
    clearInterval(tidy);
    late.abort();
    await cutOff;
  }
}

/** The sandbox only, and never a reason not to start: the program works without its demo. */
async function openDemo(
  settings: Settings,
  served: readonly Served[],
  dataDirectory: string,
  output: Output,
  logger: Logger,
): Promise<Demo | null> {
  const sandbox = served.find(({ name }) => name === 'sandbox')?.environment;
  if (!settings.demo || !sandbox?.openDemo) return null;
  try {
    const demo = await sandbox.openDemo();
    if (demo) rememberDemo(dataDirectory, demo);
    return demo;
  } catch (error) {
    logger.error({ err: error }, 'the demo merchant was not created');
    output.notice(`the demo merchant was not created: ${(error as Error).message}`);
    return null;
  }
}

/** Fills the demo while the program serves. A stop ends it wherever it is, and the next start takes it up. */
async function fillConcurrently(demo: Demo, output: Output, logger: Logger, stop: AbortSignal): Promise<void> {
  output.line('Filling the demo with three months of data; the program is ready to use:');
  try {
    await fillDemo(demo, output, stop);
  } catch (error) {
    if (stop.aborted) return;
    logger.error({ err: error }, 'the demo merchant was not completed');
    output.notice(`the demo is not complete: ${(error as Error).message}; the next start continues`);
  }
}

/**
 * The addresses, their keys, and a first call to copy. A new key is shown at a terminal alone: no file shall have it.
 */
function welcome(
  served: readonly Served[],
  demo: Demo | null,
  signIn: ReadonlyMap<EnvironmentName, string>,
  dataDirectory: string,
  output: Output,
): void {
  const file = shownPath(credentialsFile(dataDirectory));
  output.line();
  for (const { name, baseUrl, key } of served) {
    const title = name === 'production' ? 'Production' : 'Sandbox';
    output.line(`${title.padEnd(11)} ${baseUrl}   reference ${baseUrl}/docs`);
    output.line(`${''.padEnd(11)} ${describeKey(key, name, file, output)}`);
    output.line(`${''.padEnd(11)} console ${baseUrl}/console${signIn.get(name) ?? ''}`);
  }
  const shown = served.find(({ name }) => name === 'sandbox') ?? served[0];
  if (!shown) return;
  const kept: SandboxCredentials | undefined = readCredentials(dataDirectory)[shown.name];
  if (demo)
    output.line(
      `Demo        merchant Halcyon Labs; its key ${output.isTerminal ? demo.merchantKey : `stored in ${file}`}`,
    );
  output.line();
  output.line('Try it:');
  for (const line of firstCall(shown, kept, demo, file, output)) output.line(`  ${line}`);
  output.line();
  output.line(
    'Stop: Ctrl-C (your data stays) · own database: DATABASE_URL=postgres://… npm start · all settings: npm run help',
  );
  output.line();
}

/**
 * How the first person signs in at the console, while nobody can. The link of an operator is shown at a terminal alone,
 * as a new key is; that of the demo everywhere, because it leads to made-up data.
 */
async function signInLines(
  served: readonly Served[],
  demo: Demo | null,
  { isTerminal }: Output,
): Promise<ReadonlyMap<EnvironmentName, string>> {
  const lines = new Map<EnvironmentName, string>();
  for (const { name, environment } of served) {
    const owned = name === 'sandbox' ? demo : null;
    const link = owned || isTerminal ? await environment.firstSignInLink(owned) : null;
    const who = owned ? 'the owner of the demo' : 'the first operator';
    if (link !== null) lines.set(name, `\n${''.padEnd(14)}sign in as ${who}, once: ${link}`);
    else if (!isTerminal) lines.set(name, '   a link to sign in: npm run sign-in-link -- EMAIL');
  }
  return lines;
}

function describeKey(key: PlatformKey, name: EnvironmentName, file: string, { isTerminal }: Output): string {
  const setting = name === 'production' ? 'RECKONER_PLATFORM_KEY' : 'RECKONER_SANDBOX_PLATFORM_KEY';
  if (key.origin === 'setting') return `key from ${setting}`;
  const place = `stored in ${file}; npm run keys shows it`;
  return key.origin === 'generated' && isTerminal ? `key ${key.key}   (${place})` : `key ${place}`;
}

/**
 * A call that works as it is copied: an event of the demo merchant if there is one, else the question who the key is.
 */
function firstCall(
  served: Served,
  kept: SandboxCredentials | undefined,
  demo: Demo | null,
  file: string,
  { isTerminal }: Output,
): string[] {
  const field = kept?.merchantKey === undefined ? 'platformKey' : 'merchantKey';
  const made = demo?.merchantKey ?? (served.key.origin === 'generated' ? served.key.key : undefined);
  const known = isTerminal ? made : undefined;
  const key = `KEY=${known ?? `$(node -p "JSON.parse(fs.readFileSync('${file}')).${served.name}.${field}")`}`;
  if (!demo) return [key, `curl -s ${served.baseUrl}/v0/me -H "Authorization: Bearer $KEY"`];
  const event = {
    type: 'tokens.used',
    source: 'demo',
    externalSubject: demo.sampleExternalId,
    data: { tokens: 1200, model: 'large' },
  };
  return [
    key,
    `curl -s ${served.baseUrl}/v0/events -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(event)}'`,
  ];
}
