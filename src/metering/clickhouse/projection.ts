import type { Database, Tx } from '../../db/index.ts';
import type { Chore } from '../../jobs/index.ts';
import { Background } from '../keys/background.ts';
import type { UsageQuery } from '../meter/usage-request.ts';
import { auditAndReplace } from './audit.ts';
import { Patience } from './patience.ts';
import { rebuild, type ShipperDependencies, shipRound } from './shipper.ts';
import { type ClickHouse, connectClickHouse } from './store.ts';
import type { EngineMode } from './tables.sql.ts';
import { clickhouseUsage } from './usage.ts';

/** ClickHouse beside PostgreSQL, for one environment. */
export interface UsageProjection {
  /** Over many subjects from ClickHouse, else from `postgres`. */
  usage(postgres: UsageQuery<Tx>): UsageQuery<Tx>;
  /** For the worker: shipping and auditing. */
  readonly chores: readonly Chore[];
  close(): Promise<void>;
}

export interface ProjectionOptions {
  /** Called when PostgreSQL had to answer in ClickHouse's place, and for each deviation. */
  readonly onTrouble: (error: Error, what: string) => void;
}

const AUDITED_BATCHES = 100;
const AUDIT_SECONDS = 300;
const SHIP_SECONDS = 1;
/**
 * Questions read what waits in PostgreSQL; each shipment is a row there and a part in ClickHouse, so few are better
 * than many.
 */
const PATIENCE_SECONDS = 30;
const GREETING_MILLISECONDS = 5_000;
/** The year and the month of the first version whose type JSON may be relied on. */
const LEAST_VERSION = [25, 3] as const;

/**
 * Opens `CLICKHOUSE_URL`. Whether somebody answers there is found out meanwhile and told: a ClickHouse that is away
 * keeps nobody from starting, because PostgreSQL answers until it comes.
 */
export async function openProjection(url: string, options: ProjectionOptions): Promise<UsageProjection> {
  const { clickhouse, mode, shownUrl } = await connectClickHouse(url);
  const projection = projectionOn(clickhouse, mode, options);
  const greeting = problemOf(clickhouse).then((problem) => {
    if (problem === null) return;
    const what = 'usage is counted in PostgreSQL until CLICKHOUSE_URL leads to a ClickHouse that can be used';
    options.onTrouble(new Error(`ClickHouse at ${shownUrl}: ${problem}`), what);
  });
  return {
    ...projection,
    close: async () => {
      await greeting;
      await projection.close();
    },
  };
}

/** Why this ClickHouse cannot be used, as it is now; null where it can. */
async function problemOf(clickhouse: ClickHouse): Promise<string | null> {
  const end = AbortSignal.timeout(GREETING_MILLISECONDS);
  const version = await clickhouse.columns({ text: 'select version()' }, end).catch((error: unknown) => error);
  if (!Array.isArray(version)) return end.aborted ? 'it does not answer' : String(version);
  const text = String(version);
  const [year = 0, month = 0] = text.split('.').map(Number);
  const [leastYear, leastMonth] = LEAST_VERSION;
  if (year > leastYear || (year === leastYear && month >= leastMonth)) return null;
  return `version ${text} is too old; ${LEAST_VERSION.join('.')} is the first that has the type JSON`;
}

/** The same on a ClickHouse that is open already. */
export function projectionOn(
  clickhouse: ClickHouse,
  mode: EngineMode,
  { onTrouble }: ProjectionOptions,
): UsageProjection {
  const shipping = new Background();
  const auditing = new Background();
  const patience = new Patience();
  return {
    usage: (postgres) =>
      clickhouseUsage({
        clickhouse,
        mode,
        postgres,
        onFallback: (error) => onTrouble(error, 'usage was counted in PostgreSQL'),
      }),
    chores: [
      {
        name: 'shipping events to ClickHouse',
        everySeconds: SHIP_SECONDS,
        run: (database, now) => shipping.turn(() => patience.turn(() => ship({ database, clickhouse, mode }, now))),
      },
      {
        name: 'auditing the events in ClickHouse',
        everySeconds: AUDIT_SECONDS,
        run: (database, now) =>
          auditing.turn(async () => {
            const [reason, ...others] = await auditAndReplace({ database, clickhouse, mode }, now, AUDITED_BATCHES);
            if (reason !== undefined) throw new Error([reason, ...others].join(' '));
          }),
      },
    ],
    close: async () => {
      await Promise.all([shipping.end(), auditing.end()]);
      await clickhouse.close();
    },
  };
}

async function ship(dependencies: ShipperDependencies, now: Parameters<Chore['run']>[1]): Promise<void> {
  await shipRound({ ...dependencies, patienceSeconds: PATIENCE_SECONDS }, now);
}

/**
 * `reckoner rebuild`: builds the projection anew from PostgreSQL; the workers ship it, and it takes over when it has
 * caught up.
 */
export const rebuildProjection = (database: Database, now: Parameters<Chore['run']>[1]): Promise<void> =>
  rebuild(database, 'requested by hand', now);
