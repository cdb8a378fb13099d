import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/index.ts';
import type { Chore } from '../../jobs/index.ts';
import { fail, RefusalError } from '../../kernel/result.ts';
import { type Instant, SECONDS_PER_MINUTE } from '../../kernel/time.ts';
import { type WantedEvents, wantedOf } from '../events/at-hand.sql.ts';
import { Background } from '../keys/background.ts';
import { type ArchivePart, selectPartsOf } from './archive.sql.ts';
import { bringBackPart } from './bring-back.ts';
import type { ObjectStore } from './store.ts';
import { type ArchiveTerms, archiveRound } from './write.ts';

/** The archive of the raw events of one database. */
export interface EventArchive {
  /**
   * Brings the events back for which a transaction failed.
   * @param thrown the error of the transaction
   * @param patienceMilliseconds how long the caller waits; the events come all the same. Absent: until they are there
   * @returns whether the same work can run again; false where the error has another cause
   * @throws RefusalError where the events are not there in time, or the archive does not answer
   */
  mend(thrown: unknown, patienceMilliseconds?: number): Promise<boolean>;
}

export interface ArchiveOptions {
  readonly database: Database;
  /** Null: no archive is set. */
  readonly store: ObjectStore | null;
  readonly now: () => Instant;
  readonly onTrouble: (error: Error) => void;
}

/** Events that were brought back stay so long. */
const KEPT_HOURS = 24;
const RETRY_SECONDS = 5;

/** Opens the archive of a database. Nothing is asked of the store yet. */
export function openArchive({ database, store, now, onTrouble }: ArchiveOptions): EventArchive {
  /** Each part that is being brought back, in this process. */
  const coming = new Map<string, Promise<void>>();
  const bringBack = async (from: ObjectStore, part: ArchivePart): Promise<void> => {
    const { objectKey: key } = part;
    const keptUntil = now().add({ hours: KEPT_HOURS });
    const known = coming.get(key);
    const work = known ?? bringBackPart(database, from, part, keptUntil, now()).finally(() => coming.delete(key));
    coming.set(key, work);
    await work;
  };
  const bringAllBack = async (from: ObjectStore, wanted: WantedEvents): Promise<void> => {
    const parts = await database.transaction('every merchant, reading', (tx) => selectPartsOf(tx, wanted));
    try {
      for (const part of parts) await bringBack(from, part);
    } catch (trouble) {
      onTrouble(trouble instanceof Error ? trouble : new Error(String(trouble)));
      throw new RefusalError(fail('ARCHIVE_UNAVAILABLE').refusal);
    }
  };
  return {
    mend: async (thrown, patienceMilliseconds) => {
      const wanted = wantedOf(thrown);
      if (wanted === null) return false;
      if (store === null) throw new RefusalError(fail('ARCHIVE_UNAVAILABLE', undefined, UNSET).refusal);
      const work = bringAllBack(store, wanted);
      await (patienceMilliseconds === undefined ? work : Promise.race([work, lateAfter(patienceMilliseconds, work)]));
      return true;
    },
  };
}

const UNSET = 'These events are in the archive, and ARCHIVE_URL is not set.';

/** Refuses after a while, unless the work has ended by then. */
async function lateAfter(milliseconds: number, work: Promise<void>): Promise<void> {
  const over = new AbortController();
  const end = () => over.abort();
  work.then(end, end);
  const isLate = await sleep(milliseconds, true, { signal: over.signal }).catch(() => false);
  if (isLate) throw new RefusalError(fail('EVENTS_ARCHIVED', { retryAfterSeconds: RETRY_SECONDS }).refusal);
}

const MINUTES = 15;

/** Moves old events into the archive, beside the other work of a worker. */
export function archiveChore(terms: ArchiveTerms): Chore & { end(): Promise<void> } {
  const background = new Background();
  return {
    name: 'archiving events',
    everySeconds: MINUTES * SECONDS_PER_MINUTE,
    run: (database, now) => background.turn(() => archiveRound(database, terms, now)),
    end: () => background.end(),
  };
}
