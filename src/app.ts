import { hostname } from 'node:os';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { audit, invariantCount, type Violation } from './auditor/index.ts';
import { clockBook } from './clocks/index.ts';
import { createFirstLink, createSignInLink, forgetSessionsChore, openConsole } from './console/index.ts';
import {
  acceptClockAt,
  beginNextLife,
  Database,
  type DatabaseOptions,
  findPooler,
  migrate,
  migrationFiles,
  NeedsDirectUrl,
  type Pooler,
  Presence,
  Reports,
  type ReportsOptions,
  type Scope,
} from './db/index.ts';
import { type OpenedDemo, openDemo } from './demo/index.ts';
import {
  createServer,
  forgetIdempotencyKeys,
  healthRoutes,
  Metrics,
  PagePlaces,
  RateLimiter,
  type SlotLimits,
  Slots,
} from './http/index.ts';
import type { Telemetry } from './http/otlp/index.ts';
import {
  Authenticator,
  type EnvironmentName,
  ensurePlatform,
  findOrganization,
  findUsersOfEmail,
  recordAudit,
} from './identity/index.ts';
import {
  clockReadingChore,
  countParked,
  createRunner,
  findOldestDue,
  forgetClaimChore,
  listCountChore,
  lostClaimChore,
  rebuildListCounts,
} from './jobs/index.ts';
import type { Instant } from './kernel/time.ts';
import { createMailSender, type MailSender, type MailServer, noMailSender } from './mail/index.ts';
import {
  admissionOf,
  archiveCheck,
  archiveChore,
  backfillChore,
  type EventArchive,
  eventPartitionChore,
  eventTallyChore,
  keyGenerationChore,
  needlessLateChore,
  openArchive,
  openProjection,
  openStore,
  postgresUsage,
  rebuildProjection,
  type StoreKeys,
  type UsageProjection,
} from './metering/index.ts';
import {
  admitMasterKeys,
  type MasterKeys,
  missingKeyChore,
  type Rotation,
  rotateMasterKey,
  sealedCheck,
} from './secrets/index.ts';
import {
  createSender,
  INBOX_PATH,
  openInbox,
  openPost,
  resolveName,
  type Sender,
  type WebhookDependencies,
} from './webhooks/index.ts';
import {
  auditChecks,
  type DocumentRenderer,
  findLastNumbers,
  findOldestOpenPeriods,
  moveNumberOn,
  providersOutside,
  type RemotePayments,
  rebuildReports,
  recomputeFrom,
  referenceParts,
  registerAt,
  taxProvidersOutside,
  wireDomains,
} from './wiring.ts';

type ProcessRole = 'api' | 'ingest' | 'worker';

/** The receiver of traces and metrics. */
interface TelemetrySettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The share of traces that is sent, 0 to 1. */
  readonly share: number;
  readonly version: string;
  /** Between two batches; absent: 5 s. Shorter for tests. */
  readonly everyMilliseconds?: number;
}

/** Where old events are archived. */
export interface ArchiveSettings {
  /** `ARCHIVE_URL`. */
  readonly url: string;
  /** The login of a bucket. */
  readonly keys?: StoreKeys | undefined;
  /** So many days after its end a month is archived; null: none is, and what was archived can be read. */
  readonly retentionDays: number | null;
}

export interface EnvironmentOptions {
  readonly environment: EnvironmentName;
  /** The roles of this process (docs/scaling.md); absent: all of them. */
  readonly roles?: readonly ProcessRole[];
  readonly databaseUrl: string;
  /** Is the disk of the database full? Absent: it is not on this machine. */
  readonly isDiskFull?: () => boolean;
  /** The owner of the schema migrates by it; absent: `databaseUrl`. */
  readonly ownerDatabaseUrl?: string;
  /** Leads past a pooler, for work that needs a connection of its own; absent: there is no pooler of transactions. */
  readonly directDatabaseUrl?: string;
  /** Reports are read from this standby; absent: from the database itself. */
  readonly standby?: { readonly url: string; readonly maxAgeSeconds: number };
  /** Usage over many subjects is counted in this ClickHouse; absent: in PostgreSQL. */
  readonly clickhouseUrl?: string;
  /** Old events are archived there, and brought back from there; absent: all stay in the database. */
  readonly archive?: ArchiveSettings | undefined;
  /** How long a request waits for events from the archive; absent: 10 s. Shorter for tests. */
  readonly archiveMilliseconds?: number;
  /** Mail is sent through this server, in production only; absent: it is held. */
  readonly mailServer?: MailServer;
  /** The address of the Stripe API; absent: Stripe itself. */
  readonly stripeApiUrl?: string;
  /** The service that checks VAT numbers; absent or null: none. */
  readonly viesUrl?: string | null;
  /** Where traces and metrics are sent over OTLP; absent: nowhere, and nothing of it is loaded. */
  readonly telemetry?: TelemetrySettings;
  /** The base of links to this environment. */
  readonly publicUrl: string;
  /** The first platform operator's API key. */
  readonly platformKey: string;
  /** The keys that encrypt the secrets of merchants. */
  readonly masterKey: MasterKeys;
  /** Addresses and CIDR ranges of proxies whose `X-Forwarded-For` says where a call comes from; absent: none. */
  readonly trustedProxies?: readonly string[];
  /** Does the program listen for this machine alone? Absent: it does. */
  readonly isLocal?: boolean;
  readonly logger: Logger;
  /** Wall time; tests hand in their own. */
  readonly now?: () => Instant;
  /** Milliseconds by which a text of metrics is kept for a second; tests hand in a clock that hurries. */
  readonly metricsClock?: () => number;
  /** Holds every answer against its schema: for tests. */
  readonly checkReplies?: boolean;
  /** How long an answer waits for a payment provider; absent: 10 s. Shorter for tests. */
  readonly outcomeMilliseconds?: number;
  /** How long a wrong password of the console waits for its answer; absent: 1 s. Shorter for tests. */
  readonly failedMilliseconds?: number;
  /** How long an answer waits for the advance of a test clock; absent: 15 s. Longer for tests. */
  readonly advanceMilliseconds?: number;
  /** Makes the PDF of each document; tests that read no PDF hand in one that sets no type. */
  readonly renderer?: DocumentRenderer;
  /** Payment providers outside our database; absent: none. */
  readonly paymentProviders?: RemotePayments['providers'];
  /** Tax providers outside our database; absent: as a start takes them. */
  readonly taxProviders?: RemotePayments['taxProviders'];
  /** How much of a merchant is in work at once; absent: as http/slots.ts says. Benchmarks compare. */
  readonly slotLimits?: SlotLimits;
  /** Looks up the hosts of webhook endpoints; tests pass their own. */
  readonly resolveHost?: WebhookDependencies['resolve'];
  /** Opens the way into the database; tests hand in one that breaks. */
  readonly openDatabase?: (options: DatabaseOptions) => Database;
}

export interface Environment {
  readonly server: FastifyInstance;
  readonly database: Database;
  readonly migratedTo: string;
  /** The measurements of this process, as Prometheus reads them. */
  metrics(): Promise<string>;
  /** Starts background jobs, if that is a role of this process. */
  startWorker(): void;
  /**
   * Runs all that is due now, on the wall clock and on test clocks, and what calls to providers lead to. @returns how
   * many steps it tried.
   */
  runDueWork(): Promise<number>;
  /** Makes all attempts to deliver webhooks that are due now. @returns how many */
  deliverWebhooks(): Promise<number>;
  /** Opens a demo merchant, to be filled with believable data; null where it is there already. In the sandbox only. */
  openDemo?(): Promise<OpenedDemo | null>;
  /**
   * A link that signs a person in at the console, once: the first operator, or the owner of the demo that has just been
   * opened. Null: somebody can sign in already, or this process has no console.
   */
  firstSignInLink(demo?: Pick<OpenedDemo, 'merchantId' | 'ownerId'> | null): Promise<string | null>;
  close(): Promise<void>;
}

/** Wall time, cut to the microsecond as everywhere (domain.md §1). */
export function wallClock(): Instant {
  const { epochNanoseconds } = Temporal.Now.instant();
  return Temporal.Instant.fromEpochNanoseconds(epochNanoseconds - (epochNanoseconds % 1_000n));
}

const WORK_CONNECTIONS = 5;
const DELIVERY_CONNECTIONS = 2;
const WORK_STATEMENT_MILLISECONDS = 60_000;
const AUDIT_STATEMENT_MILLISECONDS = 600_000;
const ARCHIVE_MILLISECONDS = 10_000;

/**
 * Opens one environment on its database: migrates, sees to the platform's operator, and builds the server (not
 * listening).
 * @throws where the database does not answer or is not this environment's; nothing is left open then.
 */
export async function openEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { databaseUrl, directDatabaseUrl = databaseUrl, ownerDatabaseUrl = directDatabaseUrl } = options;
  const pooler = await findPooler(databaseUrl);
  if (pooler.isByTransaction) await checkDirectUrl(options);
  const { current, isNewer } = await migrate(ownerDatabaseUrl);
  if (isNewer)
    options.logger.warn({ schema: current }, 'the database has migrations of a newer version: upgrade this process');
  const telemetry = await openTelemetry(options);
  const pools = openPools(options, pooler, telemetry);
  try {
    return await buildEnvironment(options, pools, current, telemetry);
  } catch (error) {
    await Promise.all([pools.close(), telemetry?.close()]);
    throw error;
  }
}

async function openTelemetry({ telemetry, environment, logger }: EnvironmentOptions): Promise<Telemetry | undefined> {
  if (!telemetry) return undefined;
  const { Telemetry } = await import('./http/otlp/index.ts');
  const { endpoint, headers, share, everyMilliseconds } = telemetry;
  return new Telemetry({
    ...{ endpoint, headers, share, everyMilliseconds },
    resource: {
      'service.name': telemetry.serviceName,
      'service.version': telemetry.version,
      'service.instance.id': `${hostname()}:${process.pid}`,
      'deployment.environment.name': environment,
    },
    labels: { environment },
    wallNanoseconds: () => wallClock().epochNanoseconds,
    chance: Math.random,
    onTrouble: (error) => {
      if (error) logger.warn({ err: error }, 'the OTLP receiver takes no traces and metrics');
      else logger.info('the OTLP receiver takes traces and metrics again');
    },
  });
}

/** @throws NeedsDirectUrl where background jobs have no connection of their own */
async function checkDirectUrl({ environment, roles, directDatabaseUrl, logger }: EnvironmentOptions): Promise<void> {
  logger.info('a pooler gives each transaction another connection: the program keeps nothing on connections');
  if (roles?.includes('worker') === false) return;
  if (directDatabaseUrl === undefined || (await findPooler(directDatabaseUrl)).isByTransaction)
    throw new NeedsDirectUrl('background jobs', `${environment === 'sandbox' ? 'SANDBOX_' : ''}DATABASE_DIRECT_URL`);
}

interface Pools {
  readonly database: Database;
  /** Due work's own: requests and due work do not keep each other waiting. */
  readonly workDatabase: Database;
  /** Of the sender of webhooks, which nothing else keeps waiting. */
  readonly deliveryDatabase: Database;
  /** Reads reports from the standby; absent: there is none. */
  readonly reports: Reports | undefined;
  close(): Promise<void>;
}

const openPlainly = (options: DatabaseOptions): Database => new Database(options);

function openPools(options: EnvironmentOptions, pooler: Pooler, telemetry: Telemetry | undefined): Pools {
  const { databaseUrl: url, logger, isDiskFull, openDatabase: open = openPlainly } = options;
  let isClosing = false;
  const onConnectionError = (error: Error) => {
    if (!isClosing) logger.warn({ err: error }, 'an idle database connection broke');
  };
  const onPooler = (error: Error) =>
    logger.warn({ err: error }, 'a pooler keeps nothing on connections: statements are sent without names from now on');
  const common = { url, pooler, onPooler, onConnectionError, ...(isDiskFull && { isDiskFull }) };
  const observe = telemetry?.transaction;
  const { archiveMilliseconds = ARCHIVE_MILLISECONDS } = options;
  const database = open({ ...common, observe, mend: (error) => archive.mend(error, archiveMilliseconds) });
  const workDatabase: Database = open({
    ...common,
    observe,
    mend: (error) => archive.mend(error),
    connections: WORK_CONNECTIONS,
    statementTimeout: WORK_STATEMENT_MILLISECONDS,
  });
  const archive = archiveOf(workDatabase, options.archive, options.now, (error) =>
    logger.error({ err: error }, 'events could not be brought back from the archive'),
  );
  const deliveryDatabase = open({ ...common, connections: DELIVERY_CONNECTIONS });
  const openReports = ({ maxAgeSeconds, ...of }: NonNullable<EnvironmentOptions['standby']>) => {
    const standby = open({ ...of, observe, onConnectionError, isStandby: true });
    const onChange: ReportsOptions['onChange'] = (outcome, error) => {
      if (outcome === null) logger.info('reports are read from the standby again');
      else logger.warn({ outcome, err: error }, 'reports are read from the primary');
    };
    return new Reports({ primary: database, beating: workDatabase, standby, maxAgeSeconds, onChange });
  };
  const reports = options.standby && openReports(options.standby);
  const close = async () => {
    isClosing = true;
    await Promise.all([reports?.close(), database.close(), workDatabase.close(), deliveryDatabase.close()]);
  };
  return { database, workDatabase, deliveryDatabase, reports, close };
}

/** The archive of a database. @param onTrouble told when events could not be brought back; a command throws it */
const archiveOf = (
  database: Database,
  archive: ArchiveSettings | undefined,
  now = wallClock,
  onTrouble = (error: Error): void => {
    throw error;
  },
): EventArchive =>
  openArchive({
    ...{ database, now, onTrouble },
    store: archive === undefined ? null : openStore(archive.url, archive.keys),
  });

async function buildEnvironment(
  options: EnvironmentOptions,
  pools: Pools,
  current: string,
  telemetry: Telemetry | undefined,
): Promise<Environment> {
  const now = options.now ?? wallClock;
  const { database, workDatabase, deliveryDatabase, reports } = pools;
  const has = (role: ProcessRole): boolean => options.roles?.includes(role) ?? true;
  const { sealer, lost } = await admitMasterKeys(database, options.masterKey, now());
  if (lost.length > 0) options.logger.warn({ keyNames: lost }, 'secrets under lost master keys were given up');
  const platform = await ensurePlatform(database, options.platformKey, now(), options.environment);
  const { trustedProxies = [], isLocal = true } = options;
  const authenticator = new Authenticator({ database, now, isBehindProxy: trustedProxies.length > 0 });
  const projection = await openUsageProjection(options);
  const archiving = archivingOf(options, projection !== undefined);
  const mailSender = openMailSender(options, workDatabase, now);
  const sources = {
    sealer,
    authenticate: (token: string | undefined, address: string) => authenticator.authenticate(token, address),
  };
  const usage = projection?.usage(postgresUsage);
  const remote = {
    providers: options.paymentProviders ?? providersOutside(options),
    taxProviders: options.taxProviders ?? taxProvidersOutside(options),
    database: workDatabase,
    now,
    onTrouble: (error: Error) => options.logger.warn({ err: error }, 'a call to a provider did not end well'),
  };
  const resolve = options.resolveHost ?? resolveName;
  const outside = openPost({ resolve });
  const webhooks: WebhookDependencies = {
    transport: {
      post: outside.post,
      sealer: sources.sealer,
      guard: { allowsLoopback: options.environment === 'sandbox' && isLocal },
      inbox:
        options.environment === 'sandbox'
          ? {
              url: options.publicUrl + INBOX_PATH,
              post: openInbox({ database: deliveryDatabase, sealer: sources.sealer, now }),
            }
          : null,
    },
    resolve,
  };
  const domains = wireDomains(
    options.environment,
    options.publicUrl,
    usage,
    mailSender,
    sources,
    options.renderer,
    remote,
    webhooks,
    {
      register: registerAt(options.viesUrl),
      onTrouble: (error: Error) => options.logger.warn({ err: error }, 'a check of a tax id did not end well'),
    },
  );
  const slots = new Slots(options.slotLimits);
  let secondsBehind = 0;
  const metrics = new Metrics({
    database,
    ...(options.metricsClock && { clock: options.metricsClock }),
    ...(telemetry && { droppedSpans: telemetry.droppedSpans }),
    slots: () => slots.load,
    ...(reports && { reports: reports.counts }),
    countParked: () => database.transaction('every merchant, reading', countParked),
    countUnbilled: () => database.transaction('every merchant, reading', domains.countUnbilled),
    countWebhooks: () => database.transaction('every merchant, reading', domains.countWaiting),
    countExceptions: () => database.transaction('every merchant, reading', domains.countExceptions),
    dueLag: async () => {
      const kinds = domains.dueKinds.map(({ kind }) => kind);
      const oldest = await database.transaction('nobody', (tx) => findOldestDue(tx, kinds, now()));
      return oldest === undefined ? 0 : now().since(oldest).total('seconds');
    },
    clockBehind: () => secondsBehind,
    alertsLate: async () => {
      const oldest = await database.transaction('every merchant, reading', domains.findOldestUnseen);
      return oldest === null ? 0 : now().since(oldest).total('seconds');
    },
    ingest: () => {
      const { held, requests, oldest } = admissionOf(database).load;
      return { held, requests, oldestSeconds: oldest === null ? 0 : now().since(oldest).total('seconds') };
    },
  });
  telemetry?.sendMetrics(() => metrics.readings());
  const presence = new Presence(options.directDatabaseUrl ?? options.databaseUrl, (error) =>
    options.logger.warn({ err: error }, 'the connection broke that shows other processes this one'),
  );
  const worker = () => presence.number;
  const runner = createRunner({
    database: workDatabase,
    kinds: domains.dueKinds,
    clocks: clockBook,
    chores: [
      lostClaimChore(() => presence.ownNumber),
      forgetClaimChore,
      forgetIdempotencyKeys,
      forgetSessionsChore,
      listCountChore,
      eventPartitionChore,
      eventTallyChore,
      keyGenerationChore(),
      backfillChore,
      needlessLateChore,
      missingKeyChore(options.masterKey, (keyNames) =>
        options.logger.error({ keyNames }, 'a master key that the database needs was not given: start with that key'),
      ),
      clockReadingChore((seconds) => {
        secondsBehind = seconds;
        if (seconds > 0)
          options.logger.error(
            { seconds },
            'the clock of this machine was set back: this database has seen later times',
          );
      }),
      ...domains.chores,
      ...(projection?.chores ?? []),
      ...(archiving ? [archiving] : []),
    ],
    now,
    logger: options.logger,
    observe: (report) => {
      metrics.step(report);
      telemetry?.step(report);
    },
    within: telemetry?.within,
    worker,
  });
  const sender: Sender = createSender({
    database: deliveryDatabase,
    transport: webhooks.transport,
    now,
    chance: Math.random,
    stopwatch: () => performance.now(),
    onTrouble: (error, what) => options.logger.warn({ err: error }, what),
    observe: (outcome, seconds) => metrics.webhook(outcome, seconds),
    worker,
  });
  const console = openConsole({
    ...{ database, now, environment: options.environment, publicUrl: options.publicUrl },
    isBehindProxy: trustedProxies.length > 0,
    failedMilliseconds: options.failedMilliseconds,
  });
  if (has('api')) await reports?.start();
  const server = await createServer({
    database,
    reports,
    ...(has('api') && { console: console.door }),
    routes: [
      ...(has('api') ? console.routes : []),
      ...healthRoutes({ database, migrations: await migrationFiles(), metrics, showsMetrics: isLocal }),
      ...domains
        .routes(runner, options.advanceMilliseconds)
        .filter(({ declaration }) => has(declaration.operationId === 'createEvents' ? 'ingest' : 'api')),
    ],
    ...referenceParts,
    authenticate: (token, address) => authenticator.authenticate(token, address),
    audit: recordAudit,
    now,
    logger: options.logger,
    baseUrl: options.publicUrl,
    trustedProxies,
    environment: options.environment,
    metrics,
    tracer: telemetry?.tracer,
    rateLimiter: new RateLimiter({
      limitsOf: async (id) => {
        const found = await database.transaction({ merchants: [id] }, (tx) => findOrganization(tx, id));
        return found?.settings?.rateLimits ?? null; // the platform has no settings
      },
    }),
    slots,
    pagePlaces: new PagePlaces({ database, isBehindProxy: trustedProxies.length > 0 }),
    onChange: () => {
      runner.wake();
      sender.wake();
    },
    checkReplies: options.checkReplies ?? false,
    ...(options.outcomeMilliseconds !== undefined && { outcomeMilliseconds: options.outcomeMilliseconds }),
  });
  return {
    server,
    database,
    metrics: () => metrics.text(),
    migratedTo: current,
    startWorker: () => {
      if (!has('worker')) return;
      void presence.start();
      runner.start();
      sender.start();
    },
    runDueWork: async () => {
      for (let total = 0; ; ) {
        const steps = await runner.runOnce();
        await domains.idle();
        total += steps;
        if (steps === 0) return total;
      }
    },
    deliverWebhooks: () => sender.runOnce(),
    ...(options.environment === 'sandbox' &&
      has('api') &&
      has('ingest') && {
        openDemo: () =>
          openDemo({ server, platformKey: options.platformKey, inboxUrl: options.publicUrl + INBOX_PATH }, now()),
      }),
    firstSignInLink: async (demo) => {
      if (!has('api')) return null;
      const login = demo
        ? { userId: demo.ownerId, merchantId: demo.merchantId }
        : { userId: platform.operatorId, merchantId: platform.organizationId };
      return (await createFirstLink(database, login, options.publicUrl, now()))?.url ?? null;
    },
    close: async () => {
      await Promise.all([server.close(), runner.stop()]); // together: a request may be waiting for a test clock
      await sender.close();
      outside.close();
      await mailSender.close(); // it notes what became of the last mails
      await archiving?.end(); // a file that is being written is noted
      await projection?.close(); // what is being shipped needs the database to its end
      await domains.close(); // it notes what came of the last calls to payment providers
      await telemetry?.close(); // its last metrics come from the database
      metrics.close();
      await Promise.all([presence.close(), pools.close()]);
    },
  };
}

const openMailSender = (
  { environment, mailServer: server, logger }: EnvironmentOptions,
  database: Database,
  now: () => Instant,
): MailSender =>
  environment === 'sandbox' || server === undefined
    ? noMailSender
    : createMailSender({ server, database, now, onTrouble: (error, what) => logger.warn({ err: error }, what) });

const openUsageProjection = ({ clickhouseUrl, logger }: EnvironmentOptions): Promise<UsageProjection | undefined> =>
  clickhouseUrl === undefined
    ? Promise.resolve(undefined)
    : openProjection(clickhouseUrl, { onTrouble: (error, what) => logger.warn({ err: error }, what) });

/** Moves old events into the archive, if the settings say so. */
const archivingOf = ({ archive }: EnvironmentOptions, hasProjection: boolean) =>
  archive?.retentionDays == null
    ? undefined
    : archiveChore({
        store: openStore(archive.url, archive.keys),
        retentionDays: archive.retentionDays,
        findOpenPeriods: findOldestOpenPeriods,
        hasProjection,
      });

/** The database of a command: one connection. */
const openAlone = async (
  url: string,
  statementTimeout?: number,
  mend?: (error: unknown) => Promise<boolean>,
): Promise<Database> =>
  new Database({
    ...{ url, connections: 1, pooler: await findPooler(url) },
    ...(statementTimeout !== undefined && { statementTimeout }),
    ...(mend !== undefined && { mend }),
  });

/** Requests a new copy of an environment's usage in ClickHouse, from the events in PostgreSQL; its workers build it. */
export async function rebuildUsageProjection(databaseUrl: string): Promise<void> {
  const database = await openAlone(databaseUrl);
  try {
    await rebuildProjection(database, wallClock());
  } finally {
    await database.close();
  }
}

/** Rebuilds derived rows: facts and sums of revenue, counts of lists. @returns the number of wrong ones */
export async function rebuildSums(databaseUrl: string): Promise<{ facts: number; sums: number; counts: number }> {
  const database = await openAlone(databaseUrl, AUDIT_STATEMENT_MILLISECONDS);
  try {
    return { ...(await rebuildReports(database)), counts: await rebuildListCounts(database) };
  } finally {
    await database.close();
  }
}

/** Seals every secret of an environment under another master key; see `rotateMasterKey`. */
export async function rotateDatabase(databaseUrl: string, to: string, from: readonly string[]): Promise<Rotation> {
  const database = await openAlone(databaseUrl, AUDIT_STATEMENT_MILLISECONDS);
  try {
    return await rotateMasterKey(database, to, from, wallClock());
  } finally {
    await database.close();
  }
}

/** A user of an e-mail address, as it is listed to choose one. */
export type UserOfEmail = Awaited<ReturnType<typeof findUsersOfEmail>>[number];

/**
 * A link that signs a user in at the console, once. @param userId the one of several with this address
 * @returns the link, or the users with this address, if they are not exactly one
 */
export async function makeSignInLink(
  databaseUrl: string,
  { email, userId }: { readonly email: string; readonly userId?: string | undefined },
  publicUrl: string,
): Promise<{ readonly url: string } | { readonly users: readonly UserOfEmail[] }> {
  const database = await openAlone(databaseUrl);
  try {
    const users = await database.transaction('nobody', (tx) => findUsersOfEmail(tx, email, userId ?? null));
    const [user] = users;
    if (!user || users.length > 1) return { users };
    const login = { userId: user.id, merchantId: user.organizationId };
    return { url: (await createSignInLink(database, login, publicUrl, wallClock())).url };
  } finally {
    await database.close();
  }
}

/**
 * Begins another life of a database that was restored (decision 0250). Nothing else works on it meanwhile.
 * @param ownerUrl of the owner of the database
 * @param nextNumbers what the next document of a merchant gets at least; merchants without invoices are left out
 */
export async function beginLife(
  ownerUrl: string,
  nextNumbers: readonly {
    readonly merchantId: string;
    readonly counter: 'invoice' | 'credit_note';
    readonly number: bigint;
  }[],
): Promise<BegunLife> {
  const life = await beginNextLife(ownerUrl, wallClock());
  const database = new Database({ url: ownerUrl, connections: 1 });
  try {
    for (const { merchantId, counter, number } of nextNumbers)
      await database.transaction({ merchants: [merchantId] }, (tx) => moveNumberOn(tx, counter, number));
    const counters: BegunLife['counters'][number][] = [];
    for (const last of await database.transaction('every merchant, reading', findLastNumbers)) {
      const { merchantId } = last;
      const found = await database.transaction({ merchants: [merchantId] }, (tx) => findOrganization(tx, merchantId));
      counters.push({ ...last, name: found?.name ?? '' });
    }
    return { life, counters };
  } finally {
    await database.close();
  }
}

/** A life that began, and the last numbers of each merchant, which may be behind. */
export interface BegunLife {
  readonly life: { readonly number: number; readonly restoredTo: string };
  readonly counters: readonly {
    readonly merchantId: string;
    readonly name: string;
    readonly invoice: bigint;
    readonly creditNote: bigint;
  }[];
}

/** From now on documents may have the days of this machine's clock (decision 0254). @param ownerUrl of the owner */
export const acceptClock = (ownerUrl: string): Promise<number> => acceptClockAt(ownerUrl, wallClock());

/**
 * Holds an environment's data against all that is promised about it; see `audit`. With an archive, each of its files is
 * read, too.
 */
export async function auditDatabase(
  databaseUrl: string,
  archive?: ArchiveSettings,
): Promise<{ checked: number; violations: Violation[] }> {
  const database: Database = await openAlone(databaseUrl, AUDIT_STATEMENT_MILLISECONDS, (error) =>
    archiveOf(database, archive).mend(error),
  );
  try {
    const files = archive === undefined ? [] : [archiveCheck(openStore(archive.url, archive.keys))];
    const checks = [...auditChecks, sealedCheck, ...files];
    return { checked: invariantCount + checks.length, violations: await audit(database, checks) };
  } finally {
    await database.close();
  }
}

/**
 * Calculates an environment's issued invoices again from the events, and tells which come out otherwise.
 * @param scope whose invoices; absent: those of every merchant
 * @param archive from which old events are brought back; absent: there is none
 */
export async function recomputeDatabase(
  databaseUrl: string,
  scope?: Scope,
  archive?: ArchiveSettings,
): ReturnType<typeof recomputeFrom> {
  const database: Database = await openAlone(databaseUrl, AUDIT_STATEMENT_MILLISECONDS, (error) =>
    archiveOf(database, archive).mend(error),
  );
  try {
    return await recomputeFrom(database, scope);
  } finally {
    await database.close();
  }
}
