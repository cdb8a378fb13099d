import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, LOCK_NOT_AVAILABLE, sqlState, tryAgain } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { type ArchivePart, insertEvents, insertPartition, lockPart, markHere } from './archive.sql.ts';
import { type ArchivedEvent, fromParquet, hashOf } from './parquet.ts';
import type { ObjectStore } from './store.ts';

/** The events of a file. @throws where they are not the events of the part */
export async function readPart(store: ObjectStore, part: ArchivePart): Promise<ArchivedEvent[]> {
  const events = await fromParquet(await store.get(part.objectKey));
  if (events.length !== part.eventCount || part.hash === null || !(await hashOf(events)).equals(part.hash))
    throw new Error(`${part.objectKey} does not have the events that were written.`);
  return events;
}

const EVENTS_AT_ONCE = 2_000;
const PAUSE_MILLISECONDS = 500;

/** Brings the events of a part back into their partition, in one transaction; who does it at the same time waits. */
export async function bringBackPart(
  database: Database,
  store: ObjectStore,
  part: ArchivePart,
  keptUntil: Instant,
  now: Instant,
): Promise<void> {
  const events = part.state === 'away' ? await readPart(store, part) : [];
  await tryAgain(() => database.transaction('nobody', (tx) => insertPartition(tx, part.month)), {
    isWorthwhile: (error) => sqlState(error) === LOCK_NOT_AVAILABLE,
    pause: (tries) => sleep(PAUSE_MILLISECONDS * tries),
  });
  await database.transaction({ merchants: [part.merchantId] }, async (tx) => {
    const { state } = await lockPart(tx, part);
    if (state === 'away' && part.state !== 'away') return; // removed meanwhile: the next try reads the file
    for (let from = 0; state === 'away' && from < events.length; from += EVENTS_AT_ONCE)
      await insertEvents(tx, events.slice(from, from + EVENTS_AT_ONCE));
    await markHere(tx, part, keptUntil, now);
  });
}
