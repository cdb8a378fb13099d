import { type Database, LOCK_NOT_AVAILABLE, sqlState, type Tx } from '../../db/index.ts';
import type { Chore } from '../../jobs/index.ts';
import { Background } from './background.ts';
import { beginKeyWork, continueKeyWork, sealKeys, selectKeyTables } from './generations.sql.ts';
import { KEY_LIMITS, type KeyLimits, type KeyWork, planKeyWork } from './generations-plan.ts';

/** About 1.4 million keys of 68 bytes: with their index about as much as a small PostgreSQL keeps in memory. */
export const MOST_BYTES = 94_000_000;
const TEN_SECONDS = 10;

/**
 * Seals the active generation of keys when it has grown large, so that new keys touch few pages however many there are,
 * and keeps what is sealed in few tables. That goes on beside other due work, in short transactions.
 * @param mostBytes how large the active generation may become, without its index
 */
export function keyGenerationChore(mostBytes: number = MOST_BYTES): Chore {
  const tending = new Background();
  return {
    name: 'sealing keys of events',
    everySeconds: TEN_SECONDS,
    run: async (database) => {
      await unlessBusy(database, (tx) => sealKeys(tx, mostBytes));
      await tending.turn(() => tendKeys(database));
    },
  };
}

/** Sifts and merges sealed generations until no work is left, or another process does it. */
export async function tendKeys(database: Database, limits: KeyLimits = KEY_LIMITS): Promise<void> {
  do {
    for (const work of planKeyWork(await database.transaction('nobody', selectKeyTables), limits))
      await database.transaction('nobody', (tx) => beginKeyWork(tx, work));
  } while ((await hasStepped(database, 'sieve')) || (await hasStepped(database, 'generation')));
}

const hasStepped = (database: Database, kind: KeyWork['kind']): Promise<boolean> =>
  unlessBusy(database, (tx) => continueKeyWork(tx, kind));

/**
 * @returns false if another process held a lock for too long: intake must not wait for this work, so it is done later.
 */
async function unlessBusy(database: Database, work: (tx: Tx) => Promise<boolean>): Promise<boolean> {
  try {
    return await database.transaction('nobody', work);
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    return false;
  }
}
