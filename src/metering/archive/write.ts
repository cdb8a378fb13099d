import { randomBytes } from 'node:crypto';
import { type Database, LOCK_NOT_AVAILABLE, sqlState, type Tx } from '../../db/index.ts';
import { type Instant, isBefore } from '../../kernel/time.ts';
import {
  type ArchivePart,
  claimPart,
  deleteMonth,
  insertPart,
  markProven,
  selectEventsOfPart,
  selectMonthsToRemove,
  selectPartsToWrite,
  selectUnarchivedMonths,
  type UnarchivedMonth,
  updateReleased,
} from './archive.sql.ts';
import { readPart } from './bring-back.ts';
import { hashOf, toParquet } from './parquet.ts';
import type { ObjectStore } from './store.ts';

/** From when on the periods of merchants can still change: of each, the beginning of the oldest one. */
export type FindOpenPeriods = (tx: Tx) => Promise<readonly { readonly merchantId: string; readonly from: Instant }[]>;

export interface ArchiveTerms {
  readonly store: ObjectStore;
  /** Events of a month are archived so many days after its end. */
  readonly retentionDays: number;
  readonly findOpenPeriods: FindOpenPeriods;
  /** Is there a copy of the events in ClickHouse? What it lacks is not archived yet. */
  readonly hasProjection: boolean;
  /** Events of one file at most; default 50,000. */
  readonly mostEvents?: number;
}

/** An event is archived so many days after it came at the earliest: lists of new events have all of them. */
const REST_DAYS = 8;
const HOURS_OF_A_DAY = 24;
const LEASE_SECONDS = 600;
/** Longer than any statement that may still read a month that was let go. */
const LEAVE_SECONDS = 900;
const MOST_EVENTS = 50_000;

/**
 * One round: writes the files of what is old enough, lets go of months that nobody uses, and removes those that were
 * let go before. Any number of workers may run rounds at the same time, and each step may be the last one of a process.
 * @throws where the store does not answer; nothing was removed by that, and the next round goes on
 */
export async function archiveRound(database: Database, terms: ArchiveTerms, now: Instant): Promise<void> {
  const before = firstKeptMonth(now, terms.retentionDays);
  for (const part of await everybody(database, selectPartsToWrite)) await writePart(database, terms, part, now);
  for (const month of await monthsToWrite(database, terms, before)) await writeMonth(database, terms, month, now);
  await database.transaction('nobody', (tx) => updateReleased(tx, before, now));
  const releasedBefore = now.subtract({ seconds: LEAVE_SECONDS });
  for (const month of await everybody(database, (tx) => selectMonthsToRemove(tx, releasedBefore)))
    await removeMonth(database, month, releasedBefore, now);
}

/** Somebody who reads or accepts events may hold its locks: then the next round tries again. */
async function removeMonth(database: Database, month: string, releasedBefore: Instant, now: Instant): Promise<void> {
  try {
    await database.transaction('nobody', (tx) => deleteMonth(tx, month, releasedBefore, now));
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
  }
}

const everybody = <T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> =>
  database.transaction('every merchant, reading', work);

/** The first month that stays, because its end is not so many days ago. */
export const firstKeptMonth = (now: Instant, retentionDays: number): string =>
  now
    .subtract({ hours: retentionDays * HOURS_OF_A_DAY })
    .toZonedDateTimeISO('UTC')
    .toPlainDate()
    .with({ day: 1 })
    .toString();

/** The months with events to archive, without those of merchants with an open period that reaches into them. */
const monthsToWrite = (
  database: Database,
  { findOpenPeriods, hasProjection }: ArchiveTerms,
  before: string,
): Promise<UnarchivedMonth[]> =>
  everybody(database, async (tx) => {
    const open = new Map((await findOpenPeriods(tx)).map(({ merchantId, from }) => [merchantId, from]));
    const months = await selectUnarchivedMonths(tx, before, hasProjection);
    return months.filter(({ merchantId, month }) => {
      const from = open.get(merchantId);
      return from === undefined || !isBefore(from, endOf(month));
    });
  });

const endOf = (month: string): Instant =>
  Temporal.PlainDate.from(month).add({ months: 1 }).toZonedDateTime('UTC').toInstant();

async function writeMonth(
  database: Database,
  terms: ArchiveTerms,
  month: UnarchivedMonth,
  now: Instant,
): Promise<void> {
  const { merchantId, month: first } = month;
  const rested = now.subtract({ hours: REST_DAYS * HOURS_OF_A_DAY });
  for (let hasMore = true; hasMore; ) {
    const objectKey = `${first.slice(0, 7)}/${merchantId}/${randomBytes(12).toString('hex')}.parquet`;
    const made = { objectKey, most: terms.mostEvents ?? MOST_EVENTS, rested };
    hasMore = await database.transaction({ merchants: [merchantId] }, (tx) => insertPart(tx, month, made, now));
    const parts = hasMore ? await everybody(database, selectPartsToWrite) : [];
    for (const part of parts) if (part.objectKey === objectKey) await writePart(database, terms, part, now);
  }
}

/** Writes the file of a part, reads it back, and notes it once it has exactly the events of the part. */
async function writePart(database: Database, { store }: ArchiveTerms, part: ArchivePart, now: Instant): Promise<void> {
  const own = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    database.transaction({ merchants: [part.merchantId] }, work);
  const until = now.add({ seconds: LEASE_SECONDS });
  if (!(await own((tx) => claimPart(tx, part, now, until)))) return;
  const events = await own((tx) => selectEventsOfPart(tx, part));
  if (events.length !== part.eventCount)
    throw new Error(`${part.objectKey} is of ${part.eventCount} events, but ${events.length} are there.`);
  const [file, hash] = [await toParquet(events), await hashOf(events)];
  await store.put(part.objectKey, file);
  await readPart(store, { ...part, hash });
  await own((tx) => markProven(tx, part, { hash, bytes: file.byteLength }, now));
}
