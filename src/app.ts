import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { audit, invariantCount, type Violation } from './auditor/index.ts';
import { clockBook } from './clocks/index.ts';
import { Database, type DatabaseOptions, migrate, migrationFiles, Presence, type Scope } from './db/index.ts';
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
import {
  Authenticator,
  type EnvironmentName,
  ensurePlatform,
  findOrganization,
  recordAudit,
} from './identity/index.ts';
import {
  countParked,
  createRunner,
  forgetClaimChore,
  listCountChore,
  lostClaimChore,
  rebuildListCounts,
} from './jobs/index.ts';
import type { Instant } from './kernel/time.ts';
import { createMailSender, type MailSender, type MailServer, noMailSender } from './mail/index.ts';
import {
  admissionOf,
  backfillChore,
  eventPartitionChore,
  eventTallyChore,
  keyGenerationChore,
  needlessLateChore,
  openProjection,
  postgresUsage,
  rebuildProjection,
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

export interface EnvironmentOptions {
  readonly environment: EnvironmentName;
  /** The roles of this process (docs/scaling.md); absent: all of them. */
  readonly roles?: readonly ProcessRole[];
  readonly databaseUrl: string;
  /** Is the disk of the database full? Absent: it is not on this machine. */
  readonly isDiskFull?: () => boolean;
  /** The owner of the schema migrates by it; absent: `databaseUrl`. */
  readonly ownerDatabaseUrl?: string;
  /** Usage over many subjects is counted in this ClickHouse; absent: in PostgreSQL. */
  readonly clickhouseUrl?: string;
  /** Mail is sent through this server, in production only; absent: it is held. */
  readonly mailServer?: MailServer;
  /** The address of the Stripe API; absent: Stripe itself. */
  readonly stripeApiUrl?: string;
  /** The service that checks VAT numbers; absent or null: none. */
  readonly viesUrl?: string | null;
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

/**
 * Opens one environment on its database: migrates, sees to the platform's operator, and builds the server (not
 * listening).
 * @throws where the database does not answer or is not this environment's; nothing is left open then.
 */
export async function openEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { current } = await migrate(options.ownerDatabaseUrl ?? options.databaseUrl);
  const pools = openPools(options);
  try {
    return await buildEnvironment(options, pools, current);
  } catch (error) {
    await pools.close();
    throw error;
  }
}

interface Pools {
  readonly database: Database;
  /** Due work's own: requests and due work do not keep each other waiting. */
  readonly workDatabase: Database;
  /** Of the sender of webhooks, which nothing else keeps waiting. */
  readonly deliveryDatabase: Database;
  close(): Promise<void>;
}

const openPlainly = (options: DatabaseOptions): Database => new Database(options);

function openPools(options: EnvironmentOptions): Pools {
  const { databaseUrl: url, logger, isDiskFull, openDatabase: open = openPlainly } = options;
  let isClosing = false;
  const onConnectionError = (error: Error) => {
    if (!isClosing) logger.warn({ err: error }, 'an idle database connection broke');
  };
  const database = open({ url, onConnectionError, ...(isDiskFull && { isDiskFull }) });
  const workDatabase = open({
    url,
    connections: WORK_CONNECTIONS,
    statementTimeout: WORK_STATEMENT_MILLISECONDS,
    onConnectionError,
    ...(isDiskFull && { isDiskFull }),
  });
  const deliveryDatabase = open({
    url,
    connections: DELIVERY_CONNECTIONS,
    onConnectionError,
    ...(isDiskFull && { isDiskFull }),
  });
  const close = async () => {
    isClosing = true;
    await Promise.all([database.close(), workDatabase.close(), deliveryDatabase.close()]);
  };
  return { database, workDatabase, deliveryDatabase, close };
}

async function buildEnvironment(options: EnvironmentOptions, pools: Pools, current: string): Promise<Environment> {
  const now = options.now ?? wallClock;
  const { database, workDatabase, deliveryDatabase } = pools;
  const has = (role: ProcessRole): boolean => options.roles?.includes(role) ?? true;
  const { sealer, lost } = await admitMasterKeys(database, options.masterKey, now());
  if (lost.length > 0) options.logger.warn({ keyNames: lost }, 'secrets under lost master keys were given up');
  await ensurePlatform(database, options.platformKey, now(), options.environment);
  const { trustedProxies = [], isLocal = true } = options;
  const authenticator = new Authenticator({ database, now, isBehindProxy: trustedProxies.length > 0 });
  const projection = await openUsageProjection(options);
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
  const metrics = new Metrics({
    database,
    ...(options.metricsClock && { clock: options.metricsClock }),
    slots: () => slots.load,
    countParked: () => database.transaction('every merchant, reading', countParked),
    countUnbilled: () => database.transaction('every merchant, reading', domains.countUnbilled),
    countWebhooks: () => database.transaction('every merchant, reading', domains.countWaiting),
    countExceptions: () => database.transaction('every merchant, reading', domains.countExceptions),
    alertsLate: async () => {
      const oldest = await database.transaction('every merchant, reading', domains.findOldestUnseen);
      return oldest === null ? 0 : now().since(oldest).total('seconds');
    },
    ingest: () => {
      const { held, requests, oldest } = admissionOf(database).load;
      return { held, requests, oldestSeconds: oldest === null ? 0 : now().since(oldest).total('seconds') };
    },
  });
  const presence = new Presence(options.databaseUrl, (error) =>
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
      listCountChore,
      eventPartitionChore,
      eventTallyChore,
      keyGenerationChore(),
      backfillChore,
      needlessLateChore,
      missingKeyChore(options.masterKey, (keyNames) =>
        options.logger.error({ keyNames }, 'a master key that the database needs was not given: start with that key'),
      ),
      ...domains.chores,
      ...(projection?.chores ?? []),
    ],
    now,
    logger: options.logger,
    observe: (report) => metrics.step(report),
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
  const server = await createServer({
    database,
    routes: [
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
    close: async () => {
      await Promise.all([server.close(), runner.stop()]); // together: a request may be waiting for a test clock
      await sender.close();
      outside.close();
      await mailSender.close(); // it notes what became of the last mails
      await projection?.close(); // what is being shipped needs the database to its end
      await domains.close(); // it notes what came of the last calls to payment providers
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

/** Requests a new copy of an environment's usage in ClickHouse, from the events in PostgreSQL; its workers build it. */
export async function rebuildUsageProjection(databaseUrl: string): Promise<void> {
  const database = new Database({ url: databaseUrl, connections: 1 });
  try {
    await rebuildProjection(database, wallClock());
  } finally {
    await database.close();
  }
}

/** Rebuilds derived rows: facts and sums of revenue, counts of lists. @returns the number of wrong ones */
export async function rebuildSums(databaseUrl: string): Promise<{ facts: number; sums: number; counts: number }> {
  const database = new Database({ url: databaseUrl, connections: 1, statementTimeout: AUDIT_STATEMENT_MILLISECONDS });
  try {
    return { ...(await rebuildReports(database)), counts: await rebuildListCounts(database) };
  } finally {
    await database.close();
  }
}

/** Seals every secret of an environment under another master key; see `rotateMasterKey`. */
export async function rotateDatabase(databaseUrl: string, to: string, from: readonly string[]): Promise<Rotation> {
  const database = new Database({ url: databaseUrl, connections: 1, statementTimeout: AUDIT_STATEMENT_MILLISECONDS });
  try {
    return await rotateMasterKey(database, to, from, wallClock());
  } finally {
    await database.close();
  }
}

/** Holds an environment's data against all that is promised about it; see `audit`. */
export async function auditDatabase(databaseUrl: string): Promise<{ checked: number; violations: Violation[] }> {
  const database = new Database({ url: databaseUrl, connections: 1, statementTimeout: AUDIT_STATEMENT_MILLISECONDS });
  try {
    const checks = [...auditChecks, sealedCheck];
    return { checked: invariantCount + checks.length, violations: await audit(database, checks) };
  } finally {
    await database.close();
  }
}

/**
 * Calculates an environment's issued invoices again from the events, and tells which come out otherwise.
 * @param scope whose invoices; absent: those of every merchant
 */
export async function recomputeDatabase(databaseUrl: string, scope?: Scope): ReturnType<typeof recomputeFrom> {
  const database = new Database({ url: databaseUrl, connections: 1, statementTimeout: AUDIT_STATEMENT_MILLISECONDS });
  try {
    return await recomputeFrom(database, scope);
  } finally {
    await database.close();
  }
}
