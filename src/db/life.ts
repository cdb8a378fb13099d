import { HOURS_PER_DAY, type Instant, isBefore } from '../kernel/time.ts';
import { connectTo } from './connection/index.ts';
import { sql } from './sql.ts';
import type { Tx } from './tx.ts';

/** One life of a database: from its creation, or from a restore, to the next restore (decision 0250). */
export interface Life {
  /** 1: it was never restored. */
  readonly number: number;
  readonly beganAt: Instant;
  /** About when the life before it ended for this database. Null: the first life. */
  readonly restoredTo: Instant | null;
  /** The first event of this life, in the order of acceptance. */
  readonly firstSeq: bigint;
}

/** What the life before had begun, retries included, is over after so many days. */
const DAYS_OF_DOUBT = 40;

/** All lives, the first one first. A life begins while nothing works on the database, so a process reads them once. */
export const livesOf = (tx: Tx): Promise<readonly Life[]> =>
  tx.constant('lives', () =>
    tx.rows<Life>(sql`select number, began_at, restored_to, first_seq from database_life order by number`),
  );

/** The present life. */
export const currentLife = async (tx: Tx): Promise<Life> => (await livesOf(tx)).at(-1) as Life;

/** May others know of things that happened here before a restore, and that this database does not know? */
export const isInDoubt = ({ number, beganAt }: Life, now: Instant): boolean =>
  number > 1 && isBefore(now, beganAt.add({ hours: DAYS_OF_DOUBT * HOURS_PER_DAY }));

/** Processes work on the database: each has read the lives already. */
export class DatabaseInUse extends Error {
  readonly fix = 'stop all processes of Reckoner, and run this command again';

  constructor() {
    super('Processes of Reckoner work on the database.');
    this.name = 'DatabaseInUse';
  }
}

/** Begins the next life of a database that was restored. @param url of its owner. @throws DatabaseInUse */
export async function beginNextLife(url: string, now: Instant): Promise<{ number: number; restoredTo: string }> {
  const client = await connectTo(url, { application_name: 'reckoner restored' });
  try {
    const { rows: others } = await client.query(
      `select from pg_stat_activity where datname = current_database()
          and (application_name = 'reckoner' or usename = 'reckoner_login') limit 1`,
    );
    if (others.length > 0) throw new DatabaseInUse();
    const { rows } = await client.query<{ number: number; restored_to: string }>(
      `select number, to_char(restored_to at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as restored_to from begin_life($1)`,
      [now.toString()],
    );
    const [row] = rows;
    if (!row) throw new Error('The database has no life.');
    return { number: row.number, restoredTo: row.restored_to };
  } finally {
    await client.end();
  }
}

/**
 * Takes the clock of this machine as right, which is behind what was read before: documents may have its days from now
 * on (decision 0254). @param url of the owner of the database. @returns how many counters of numbers were ahead of it
 */
export async function acceptClockAt(url: string, now: Instant): Promise<number> {
  const client = await connectTo(url, { application_name: 'reckoner accept-clock' });
  try {
    const { rows } = await client.query<{ ahead: number }>('select accept_clock($1) as ahead', [now.toString()]);
    return rows[0]?.ahead ?? 0;
  } finally {
    await client.end();
  }
}

/** Keeps the latest time that a worker has read. @returns by how many seconds `now` is behind it */
export async function noteClock(tx: Tx, now: Instant): Promise<number> {
  const { seconds } = await tx.one<{ seconds: number }>(sql`
    insert into clock_reading as c (read_at) values (${now}::timestamptz)
    on conflict (is_only) do update set read_at = greatest(c.read_at, excluded.read_at)
    returning extract(epoch from c.read_at - ${now}::timestamptz)::float8 as seconds`);
  return seconds;
}
