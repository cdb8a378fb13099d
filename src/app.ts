import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Database, migrate } from './db/index.ts';
import { createServer, type Route } from './http/index.ts';
import { Authenticator, type EnvironmentName, ensurePlatform, recordAudit } from './identity/index.ts';
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
  startWorker(): void;
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
  await ensurePlatform(database, options.platformKey, now());
  const authenticator = new Authenticator(database, now);
  const server = await createServer({
    database,
    routes: allRoutes(),
    errorTables: allErrorTables,
    authenticate: (token) => authenticator.authenticate(token),
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
    startWorker: () => undefined,
    close: async () => {
      await server.close();
      await database.close();
    },
  };
}

const allErrorTables: readonly ErrorTable[] = [];
const allRoutes = (): readonly Route[] => [];
