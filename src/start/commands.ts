import { credentialsFile, readCredentials, updateCredentials } from '../credentials.ts';
import { EmbeddedPostgresFailure } from '../db/embedded/index.ts';
import { nameOfMasterKey } from '../kernel/sealing.ts';
import type { EnvironmentName, Settings } from '../settings.ts';
import type { LinkWords } from './command-line.ts';
import { directOf, openDatabases, shownPath } from './databases.ts';
import { fillDemo, rememberDemo } from './demo.ts';
import type { LoadProgram, Program } from './environment.ts';
import { StartFailure } from './failure.ts';
import { reachableUrl } from './listening.ts';
import {
  type DecidedRotation,
  decideRotation,
  explainRefusedKey,
  masterKeySetting,
  masterKeysOf,
} from './master-keys.ts';
import type { Output } from './output.ts';
import { archiveOf, createLogger, openDataDirectory } from './start.ts';

/** Every database of the settings, opened, with the parts that work on it. */
async function openAll(
  settings: Settings,
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
  whereBusy: 'refuse' | 'join',
): Promise<{ environment: EnvironmentName; url: string; ownerUrl: string; program: Program }[]> {
  const databases = await openDatabases(settings, openDataDirectory(settings), output, cleanup, whereBusy);
  const program = await loadProgram();
  for (const environment of settings.environments) await program.checkVersion(databases.urlOf(environment));
  return settings.environments.map((environment) => ({
    environment,
    url: databases.urlOf(environment),
    ownerUrl: databases.ownerUrlOf(environment),
    program,
  }));
}

/** `migrate`: brings every database of the settings to the newest schema, and starts nothing that serves. */
export async function migrateAll(
  settings: Settings,
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  for (const { environment, ownerUrl, program } of await openAll(settings, loadProgram, output, cleanup, 'refuse')) {
    await output.step(
      `${environment}: schema migrated`,
      () => program.migrate(ownerUrl),
      ({ applied, current }) => `${current} (${applied.length === 0 ? 'nothing new' : `${applied.length} applied`})`,
    );
  }
}

/**
 * `rebuild`: makes anew what is kept of other rows, and has the copies of the events in ClickHouse made anew, where
 * there is one. The workers do the latter; the old ones answer until then.
 */
export async function rebuildAll(
  settings: Settings,
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  for (const { environment, url, program } of await openAll(settings, loadProgram, output, cleanup, 'join')) {
    await output.step(
      `${environment}: sums of revenue and counts of lists`,
      () => program.rebuildSums(url),
      ({ facts, sums, counts }) => `${facts} facts, ${sums} sums and ${counts} counts were wrong`,
    );
    if (settings.clickhouseUrl === undefined) continue;
    await output.step(
      `${environment}: usage in ClickHouse`,
      () => program.rebuildUsageProjection(url),
      () => 'the workers rebuild it',
    );
  }
}

/** `audit`: checks the integrity of the data of every environment. @throws after a violation */
export async function auditAll(
  settings: Settings,
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  let broken = 0;
  for (const { environment, url, program } of await openAll(settings, loadProgram, output, cleanup, 'join')) {
    const { violations } = await output.step(
      `${environment}: data audited`,
      () => program.auditDatabase(url, archiveOf(settings, environment)),
      (found) => `${found.checked - found.violations.length} of ${found.checked} invariants hold`,
    );
    broken += violations.length;
    for (const { name, meaning, count, examples } of violations) {
      output.line(`  ${name}: ${count} rows violate the invariant: ${meaning}`);
      for (const { merchantId, id, detail } of examples) output.line(`    ${merchantId} ${id}: ${detail}`);
    }
  }
  if (broken > 0) throw new StartFailure(`${broken} invariants do not hold.`, 'see the rows above, and report it');
}

/** `recompute`: calculates issued invoices again from the events. @throws where one comes out otherwise */
export async function recomputeAll(
  settings: Settings,
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  let count = 0;
  for (const { environment, url, program } of await openAll(settings, loadProgram, output, cleanup, 'join')) {
    const { differing } = await output.step(
      `${environment}: invoices recomputed`,
      () => program.recomputeDatabase(url, undefined, archiveOf(settings, environment)),
      (found) => `${found.checked - found.differing.length} of ${found.checked} have the same result`,
    );
    count += differing.length;
    for (const { merchantId, invoiceId, differences } of differing)
      for (const difference of differences) output.line(`  ${merchantId} ${invoiceId}: ${difference}`);
  }
  if (count > 0)
    throw new StartFailure(`${count} invoices have a different result.`, 'see the lines above, and report it');
}

/**
 * `rotate-master-key`: seals every secret of the databases under new master keys. Keys that are kept are changed in
 * `credentials.json` first, so that a start in between opens both.
 * @throws where a secret could not be opened
 */
export async function rotateAll(
  settings: Settings,
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const dataDirectory = openDataDirectory(settings);
  const rotations = planRotations(settings, dataDirectory);
  const isBegun = settings.environments.every((name) => rotations.get(name)?.isBegun);
  const opened = await openAll(settings, loadProgram, output, cleanup, isBegun ? 'join' : 'refuse').catch(
    explainRunning,
  );
  let unopened = 0;
  for (const { environment, url, ownerUrl, program } of opened) {
    const { to, from, isKept } = rotations.get(environment) as PlannedRotation;
    const [old] = from;
    await program.migrate(ownerUrl);
    if (isKept && old !== undefined)
      updateCredentials(dataDirectory, { [environment]: { masterKey: to, previousMasterKey: old } });
    const done = await output.step(
      `${environment}: secrets encrypted with ${nameOfMasterKey(to)}`,
      () => program.rotateDatabase(url, to, from),
      (report) => `${report.resealed} re-encrypted, ${report.unopened.length} could not be decrypted`,
    );
    for (const { merchantId, id, where } of done.unopened) output.line(`  ${merchantId} ${id}: ${where}`);
    unopened += done.unopened.length;
    if (!isKept && to !== settings[environment].masterKey)
      output.line(`Start every process of ${environment} with this key from now on: ${masterKeySetting(environment)}`);
    if (isKept && old !== undefined && !done.stillNeeded.includes(nameOfMasterKey(old)))
      updateCredentials(dataDirectory, { [environment]: { previousMasterKey: undefined } });
  }
  if (unopened === 0) return;
  throw new StartFailure(
    `${unopened} secrets are encrypted with missing keys and were not changed.`,
    'give their key as RECKONER_MASTER_KEY_PREVIOUS and run this again, or set those secrets again by the API',
  );
}

type PlannedRotation = Extract<DecidedRotation, { kind: 'decided' }>;

/** The rotations of all environments, before anything is changed. */
function planRotations(settings: Settings, dataDirectory: string): Map<EnvironmentName, PlannedRotation> {
  const known = readCredentials(dataDirectory);
  return new Map(
    settings.environments.map((name) => {
      const decided = decideRotation(name, settings[name], known[name]);
      if (decided.kind === 'refused') throw new StartFailure(decided.problem, decided.fix);
      return [name, decided];
    }),
  );
}

/** A running program has its stored key in memory and could not decrypt texts of another one. */
function explainRunning(error: unknown): never {
  if (!(error instanceof EmbeddedPostgresFailure) || error.code !== 'DATA_DIRECTORY_IN_USE') throw error;
  throw new StartFailure(
    'The program is running with the master key to replace.',
    'stop it, run this command again, and start it',
    { cause: error },
  );
}

/** `seed`: the demo merchant, in the sandbox, without serving. */
export async function seed(
  settings: Settings,
  loadProgram: LoadProgram,
  output: Output,
  stop: AbortSignal,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const sandboxOnly: Settings = { ...settings, environments: ['sandbox'] };
  const dataDirectory = openDataDirectory(settings);
  const databases = await openDatabases(sandboxOnly, dataDirectory, output, cleanup);
  const kept = readCredentials(dataDirectory).sandbox;
  const platformKey = settings.sandbox.platformKey ?? kept?.platformKey;
  if (platformKey === undefined) {
    throw new StartFailure('The sandbox has no operator yet.', 'start it once: npm start (it also seeds the demo)');
  }
  const known = readCredentials(dataDirectory);
  const program = await loadProgram();
  const environment = await program
    .openEnvironment({
      environment: 'sandbox',
      databaseUrl: databases.urlOf('sandbox'),
      ownerDatabaseUrl: databases.ownerUrlOf('sandbox'),
      ...directOf(databases, 'sandbox'),
      publicUrl: settings.sandbox.publicUrl ?? kept?.baseUrl ?? reachableUrl(settings.host, settings.sandbox.port),
      platformKey,
      masterKey: masterKeysOf(settings, 'sandbox', dataDirectory),
      logger: createLogger(settings, true, { write: output.log }),
    })
    .catch((error: unknown) => {
      throw explainRefusedKey(error, settings, 'sandbox', known, dataDirectory);
    });
  cleanup.defer(() => environment.close());
  const demo = (await environment.openDemo?.()) ?? null;
  if (!demo) return output.line('The demo already exists.');
  rememberDemo(dataDirectory, demo);
  await fillDemo(demo, output, stop);
}

/** `keys`: what `credentials.json` holds. Starts nothing. */
export function showKeys(settings: Settings, output: Output): void {
  const dataDirectory = openDataDirectory(settings);
  const credentials = readCredentials(dataDirectory);
  const { production, sandbox } = credentials;
  if (!production && !sandbox) {
    throw new StartFailure(
      `${shownPath(credentialsFile(dataDirectory))} has no keys yet.`,
      'start once: npm start (it generates them)',
    );
  }
  const row = (label: string, value: string | undefined) => {
    if (value !== undefined) output.line(`${label.padEnd(22)} ${value}`);
  };
  row('production', production?.baseUrl);
  row('  platform key', production?.platformKey);
  row('sandbox', sandbox?.baseUrl);
  row('  platform key', sandbox?.platformKey);
  row('  demo merchant', sandbox?.merchantId);
  row('  demo merchant key', sandbox?.merchantKey);
}

/** `sign-in-link`: a link for the user with an address, in each environment that has exactly one. */
export async function makeLinks(
  settings: Settings,
  { email, userId, environment: only }: LinkWords,
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const environments = settings.environments.filter((name) => only === undefined || name === only);
  const known = readCredentials(openDataDirectory(settings));
  let found = 0;
  for (const { environment, url, program } of await openAll(
    { ...settings, environments },
    loadProgram,
    output,
    cleanup,
    'join',
  )) {
    const { publicUrl, port } = settings[environment];
    const base = publicUrl ?? known[environment]?.baseUrl ?? reachableUrl(settings.host, port);
    const made = await program.makeSignInLink(url, { email, userId }, base);
    if ('url' in made) output.line(`${environment}: signs in once, within 24 hours: ${made.url}`);
    else if (made.users.length > 0) {
      output.line(`${environment}: several users have this address; add --user with one of these ids:`);
      for (const { id, organizationName, role } of made.users) output.line(`  ${id}  ${role} of ${organizationName}`);
    }
    found += 'url' in made ? 1 : made.users.length;
  }
  if (found === 0) throw new StartFailure(`No user has the address ${email}.`, 'create it: POST /v0/users');
}

export const HELP = `
  reckoner [command]

  start     run Reckoner (default): npm start
  migrate   migrate the databases to the newest schema, and exit
  seed      seed the demo merchant in the sandbox, and exit
  rebuild   rebuild the sums of revenue and the counts of lists, and exit. The workers rebuild the copy of the events
            in CLICKHOUSE_URL
  audit     check the integrity of the data, and exit: with 1 after a violation
  recompute calculate all issued invoices of subscriptions again from the events, and exit: with 1 after a difference
  rotate-master-key
            encrypt all secrets with a new master key, and exit: with 1 if one could not be decrypted
  keys      show the stored addresses and keys
  sign-in-link EMAIL [--environment production] [--user usr_…]
            print a link that signs a user in at the console, once, within 24 hours
  backup    copy the embedded database into BACKUP_DIR, also while the program runs
  restore [--to TIME]
            put the embedded database back to a time, from BACKUP_DIR
  restored [--next-number org_…=30] [--next-credit-note org_…=7]
            say that a database was restored by other means, and which numbers come next
  accept-clock
            say that the clock of this machine is right now: it was ahead, and documents have days that are to come
  doctor    look at settings, disk, databases, clocks and parked jobs, with one fix for each fault
  reset --yes
            delete all data of the embedded sandbox; the next start makes a new one
  version   print the version (also: -v, --version)
  help      show this page (also: -h, --help)

  Through the API, with the key of "login" or of this installation; each has --help, --json and --environment:

  login, logout, whoami             keep, forget and show the key
  get RESOURCE ID, list RESOURCE    read: reckoner list invoices status=ISSUED --limit 5
  call OPERATION [ID…] [--data …]   any operation: reckoner call invoices.refund inv_… --data '{}'
  open ID                           the page of a resource in the console
  events send TYPE, events tail     report usage, and watch it arrive
  logs tail                         each change that somebody makes
  listen --forward-to URL           hand webhooks to a server on this machine
  trigger KIND                      make an event happen in the sandbox
  clock advance P1M [CLOCK]         move a test clock
  completion SHELL                  the script for bash, zsh or fish

  Settings are environment variables:

  PORT, SANDBOX_PORT                ports of production and sandbox (4400, 4401, or at a terminal the next free ones;
                                    0: any free port)
  HOST                              the address of both (127.0.0.1)
  RECKONER_ENVIRONMENT              production, sandbox or both (both)
  RECKONER_ROLES                    roles of this process: all, or some of api, ingest, worker (all). Other processes
                                    share the database
  DATABASE_URL, SANDBOX_DATABASE_URL
                                    your own PostgreSQL 18 (an embedded one in DATA_DIR)
  DATABASE_DIRECT_URL, SANDBOX_DATABASE_DIRECT_URL
                                    the same database without a pooler of transactions (DATABASE_URL)
  DATABASE_READ_URL, SANDBOX_DATABASE_READ_URL
                                    a standby that answers reports (DATABASE_URL)
  READ_MAX_AGE                      the greatest age of its data in seconds, 2 to 3600 (10)
  RETENTION                         archive the events of a month so long after its end: P400D or more (all stay in the
                                    database)
  ARCHIVE_URL, SANDBOX_ARCHIVE_URL  where archived events lie: s3://bucket/folder?region=…&endpoint=https://…, or
                                    file:///folder (none)
  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
                                    the login of these buckets (none)
  CLICKHOUSE_URL                    aggregate usage in ClickHouse (in PostgreSQL)
  SMTP_URL, MAIL_FROM               the mail server of production, smtp(s)://user:password@host:587, and the sender
                                    address (emails are stored and not sent)
  STRIPE_API_URL                    the address of the Stripe API, or of a proxy (https://api.stripe.com)
  VIES_URL                          the service that checks VAT numbers: a proxy of VIES, or off
                                    (https://ec.europa.eu/taxation_customs/vies/rest-api)
  OTEL_EXPORTER_OTLP_ENDPOINT       send traces and metrics over OTLP/HTTP to this address (nothing is sent)
  OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER_ARG
                                    its headers, the name of the service, the share of traces (none, reckoner, 1)
  METRICS_PORT, METRICS_HOST        a port for /metrics alone, and its address (none, 127.0.0.1)
  TRUSTED_PROXIES                   addresses and ranges of reverse proxies with a trusted X-Forwarded-For (none)
  DATA_DIR                          embedded data, documents, credentials (./.reckoner)
  BACKUP_DIR                        the folder of backups and of the archived log of the embedded database (none)
  RECKONER_PLATFORM_KEY, RECKONER_SANDBOX_PLATFORM_KEY
                                    the first operator's API key, at least 32 characters
                                    (generated, stored in DATA_DIR/credentials.json)
  RECKONER_MASTER_KEY, RECKONER_SANDBOX_MASTER_KEY
                                    encrypts the secrets of merchants, at least 32 characters
                                    (generated, stored in DATA_DIR/credentials.json)
  RECKONER_MASTER_KEY_PREVIOUS, RECKONER_SANDBOX_MASTER_KEY_PREVIOUS
                                    during a rotation: the master key before it (none)
  RECKONER_NEW_MASTER_KEY, RECKONER_SANDBOX_NEW_MASTER_KEY
                                    for rotate-master-key: the new key (generated, if the old one is stored)
  RECKONER_LOST_MASTER_KEYS         names of lost master keys: the start continues without them (none)
  RECKONER_DEMO                     seed a demo merchant in the sandbox (true with npm start, else false)
  PUBLIC_URL, SANDBOX_PUBLIC_URL    the base of links (http://HOST:PORT)
  LOG_LEVEL                         fatal, error, warn, info, debug, trace, silent (info; warn at a terminal)
`;
