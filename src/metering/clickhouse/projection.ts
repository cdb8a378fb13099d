import type { Database, Tx } from '../../db/index.ts';
import type { Chore } from '../../jobs/index.ts';
import { Background } from '../background.ts';
import type { UsageQuery } from '../usage-request.ts';
import { auditAndReplace } from './audit.ts';
import { rebuild, type ShipperParts, shipRound } from './shipper.ts';
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
  /** Told when PostgreSQL had to answer in ClickHouse's place, and what deviates. */
  readonly onTrouble: (error: Error, what: string) => void;
}

const AUDITED_BATCHES = 100;
const AUDIT_SECONDS = 300;
const SHIP_SECONDS = 1;

/** Opens `CLICKHOUSE_URL`. Nothing is sent until there is something to ship or to ask. */
export async function openProjection(url: string, options: ProjectionOptions): Promise<UsageProjection> {
  const { clickhouse, mode } = await connectClickHouse(url);
  return projectionOn(clickhouse, mode, options);
}

/** The same on a ClickHouse that is open already. */
export function projectionOn(
  clickhouse: ClickHouse,
  mode: EngineMode,
  { onTrouble }: ProjectionOptions,
): UsageProjection {
  const shipping = new Background();
  const auditing = new Background();
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
        run: (database, now) => shipping.turn(() => ship({ database, clickhouse, mode }, now)),
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

async function ship(parts: ShipperParts, now: Parameters<Chore['run']>[1]): Promise<void> {
  await shipRound(parts, now);
}

/** `clickhouse rebuild`: builds the projection anew from PostgreSQL; the workers ship it, and it takes over when it has caught up. */
export const rebuildProjection = (database: Database, now: Parameters<Chore['run']>[1]): Promise<void> =>
  rebuild(database, 'somebody asked for it', now);
