import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AppliedMigration,
  compareMigrations,
  type Database,
  DatabaseFull,
  type MigrationFile,
  OtherVersion,
  sql,
  sqlState,
  UNDEFINED_FUNCTION,
} from '../db/index.ts';
import { notFound, ok } from '../kernel/result.ts';
import type { Metrics } from './metrics/metrics.ts';
import { Reply, type Route, routesOf } from './route.ts';
import { Type } from './schema.ts';

const api = routesOf('Operations');

export interface HealthOptions {
  readonly database: Database;
  /** The migrations that this program brings with it. */
  readonly migrations: readonly MigrationFile[];
  readonly metrics: Metrics;
  /** Are the metrics for whoever asks? Else they have a port of their own, or none. */
  readonly showsMetrics: boolean;
}

const PATIENCE_MILLISECONDS = 2_000; // a probe that has to wait longer counts as an answer too

const HealthReply = Type.Object(
  {
    status: Type.Literal('ok', { description: 'The program works.' }),
    schema: Type.Optional(
      Type.Literal('newer', { description: 'The database has migrations of a newer version: upgrade this process.' }),
    ),
  },
  { $id: 'Health', description: 'The answer of a program that works.' },
);
const NotReadyReply = Type.Object(
  {
    status: Type.Literal('unavailable', { description: 'The program cannot take requests now.' }),
    missing: Type.Array(Type.String(), {
      description: 'The missing parts, such as the database or a migration, or why another version made the database.',
    }),
  },
  { $id: 'NotReady', description: 'The answer of a program that cannot take requests now.' },
);

/**
 * `/healthz`, `/readyz` and `/metrics` (api.md, Running it): for probes, without a key, and without naming a merchant.
 */
export function healthRoutes({ database, migrations, metrics, showsMetrics }: HealthOptions): readonly Route[] {
  return [
    api.get('/healthz', 'getHealth', {
      summary: 'Check that the process is alive',
      description: 'Answers at once and asks no database. No API key is needed.',
      access: { public: true },
      replies: { 200: HealthReply },
      free: async () => ok({ status: 'ok' }),
    }),
    api.get('/readyz', 'getReadiness', {
      summary: 'Check that the program can take requests',
      description:
        'Answers 200 when the database answers and has all migrations of this program, otherwise 503. A database that ' +
        'was upgraded meanwhile has later ones too, and `schema` says it. No API key is needed.',
      access: { public: true },
      replies: { 200: HealthReply, 503: NotReadyReply },
      free: async () => {
        const { missing, isNewer } = await whatIsMissing(database, migrations);
        if (missing.length === 0) return ok({ status: 'ok', ...(isNewer && { schema: 'newer' }) });
        return ok(new Reply(503, { status: 'unavailable', missing }, { 'retry-after': '1' }));
      },
    }),
    api.get('/metrics', 'getMetrics', {
      summary: 'Retrieve metrics for Prometheus',
      description:
        'In the text format of Prometheus. No API key is needed. Where the program listens for other machines, the ' +
        'answer is 404: set `METRICS_PORT`.',
      access: { public: true },
      replies: { 200: { contentType: 'text/plain', description: 'Prometheus text format 0.0.4' } },
      free: async () =>
        showsMetrics
          ? ok(new Reply(200, await metrics.text(), { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }))
          : notFound('metrics'),
    }),
  ];
}

async function whatIsMissing(
  database: Database,
  migrations: HealthOptions['migrations'],
): Promise<{ readonly missing: readonly string[]; readonly isNewer: boolean }> {
  const timer = new AbortController();
  const applied = database
    .transaction('nobody', (tx) =>
      tx.rows<AppliedMigration>(
        sql`select name, hash, oldest_program(name) as oldest from migration_hashes()`,
        'readiness',
      ),
    )
    .catch((error: unknown) => {
      if (error instanceof DatabaseFull) return 'full';
      return sqlState(error) === UNDEFINED_FUNCTION ? [] : null; // a database before its first migration
    });
  const rows = await Promise.race([
    applied,
    sleep(PATIENCE_MILLISECONDS, null, { signal: timer.signal }).catch(() => null),
  ]);
  timer.abort();
  if (rows === 'full' || database.isFull) return { missing: ['disk space'], isNewer: false };
  if (rows === null) return { missing: ['database'], isNewer: false };
  const { missing, problem, isNewer } = compareMigrations(migrations, rows);
  if (problem !== null) return { missing: [new OtherVersion(problem).message], isNewer };
  return { missing: missing.map((name) => `migration ${name}`), isNewer };
}
