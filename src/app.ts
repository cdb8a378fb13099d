import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { clockBook, clockErrors, clockRoutes } from './clocks/index.ts';
import { Database, migrate } from './db/index.ts';
import { createServer, type Route } from './http/index.ts';
import {
  Authenticator,
  type EnvironmentName,
  ensurePlatform,
  identityErrors,
  identityRoutes,
  recordAudit,
} from './identity/index.ts';
import { createRunner, type DueKind, type DueRunner } from './jobs/index.ts';
import type { ErrorTable } from './kernel/result.ts';
import type { Instant } from './kernel/time.ts';

export interface EnvironmentOptions {
  readonly environment: EnvironmentName;
  readonly databaseUrl: string;
  /** What links to this environment start with. */
  readonly publicUrl: string;
  /** The first platform operator's API key. */
  readonly platformKey: string;
  readonly logger: Logger;
  /** Wall time; tests hand in their own. */
  readonly now?: () => Instant;
  /** Holds every answer against its schema: for tests. */
  readonly checkReplies?: boolean;
}

export interface Environment {
  readonly server: FastifyInstance;
  readonly database: Database;
  readonly migratedTo: string;
  /** Starts running due work by itself. */
  startWorker(): void;
  /** Runs all that is due now, on the wall clock and on test clocks. @returns how many steps it tried. */
  runDueWork(): Promise<number>;
  close(): Promise<void>;
}

/** Wall time, cut to the microsecond as everywhere (domain.md §1). */
export const wallClock = (): Instant =>
  Temporal.Now.instant().round({ smallestUnit: 'microsecond', roundingMode: 'trunc' });

/** Opens one environment on its database: migrates, sees to the platform's operator, and builds the server (not listening). */
export async function openEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const now = options.now ?? wallClock;
  const { current } = await migrate(options.databaseUrl);
  const database = new Database({
    url: options.databaseUrl,
    onConnectionError: (error) => options.logger.warn({ err: error }, 'an idle database connection broke'),
  });
  await ensurePlatform(database, options.platformKey, now(), options.environment);
  const authenticator = new Authenticator(database, now);
  const runner = createRunner({ database, kinds: allDueKinds(), clocks: clockBook, now, logger: options.logger });
  const server = await createServer({
    database,
    routes: allRoutes(options.environment, runner),
    errorTables: allErrorTables,
    authenticate: (token, address) => authenticator.authenticate(token, address),
    audit: recordAudit,
    now,
    logger: options.logger,
    baseUrl: options.publicUrl,
    checkReplies: options.checkReplies ?? false,
  });
  return {
    server,
    database,
    migratedTo: current,
    startWorker: () => runner.start(),
    runDueWork: () => runner.runOnce(),
    close: async () => {
      await Promise.all([server.close(), runner.stop()]); // together: a request may be waiting for a test clock
      await database.close();
    },
  };
}

const allErrorTables: readonly ErrorTable[] = [identityErrors, clockErrors];

const allRoutes = (environment: EnvironmentName, runner: DueRunner): readonly Route[] => [
  ...identityRoutes({ environment }),
  ...clockRoutes({ environment, runner, blockers: async () => null }),
];

/** In the order in which records that are due at one instant of a test clock are taken. */
const allDueKinds = (): readonly DueKind[] => [];
