import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/index.ts';
import { type Instant, isBefore } from '../../kernel/time.ts';
import { selectAtHand } from '../events/at-hand.sql.ts';
import { leavesOf } from './leaves.ts';
import {
  claimProjection,
  type EventToShip,
  insertProjection,
  insertShipment,
  markLeaseEnded,
  markShipped,
  type ProjectionRow,
  type Shipment,
  selectBatchEnd,
  selectEndOfGap,
  selectEventsOfShipment,
  selectHorizon,
  selectLastShipment,
  selectProjectionsIn,
  selectRetiredBefore,
  selectWriters,
  updateProjectionState,
} from './shipping.sql.ts';
import { type ClickHouse, isGone, type Statement } from './store.ts';
import { createTables, dropTables, type EngineMode, insertInto, tableNames } from './tables.sql.ts';
import { selectStanding } from './usage.sql.ts';

export interface ShipperDependencies {
  readonly database: Database;
  readonly clickhouse: ClickHouse;
  readonly mode: EngineMode;
  /** Events of one batch at most; default 20,000. */
  readonly mostEvents?: number;
  /** Bytes of their data at about most; default 6 MB. */
  readonly mostBytes?: number;
  /** Batches of one projection in one round at most, so that a round ends; default 25. */
  readonly mostBatches?: number;
  /** The time that less than a batch waits for more, once the projection serves; default 0. */
  readonly patienceSeconds?: number;
}

/** The result of a round. */
export interface ShippedRound {
  readonly batches: number;
  readonly events: number;
  /** Is everything shipped that there was when the round began? */
  readonly caughtUp: boolean;
}

const LEASE_SECONDS = 60;
/** Longer than anybody may be asking a projection that has just been retired. */
const REST_SECONDS = 120;
const LAST_BATCH = 2 ** 31;
const POLL_MILLISECONDS = 10;
const LONGEST_WAIT_MILLISECONDS = 5_000;

/**
 * The content of ClickHouse differs from the shipped events: it was lost, emptied or set back. Another projection must
 * be built.
 */
export class ProjectionBroken extends Error {}

/**
 * One round of shipping: makes the first projection where there is none, ships what has been accepted, lets a new
 * projection take over once it has caught up, and removes the one before. Any number of workers may run rounds at the
 * same time.
 * @throws where ClickHouse does not answer; nothing is lost by that, the next round goes on.
 */
export async function shipRound(dependencies: ShipperDependencies, now: Instant): Promise<ShippedRound> {
  const { database } = dependencies;
  const live = await nobody(database, async (tx) => {
    const found = await selectProjectionsIn(tx, ['new', 'building', 'serving']);
    if (found.length > 0) return found;
    await insertProjection(tx, newName(), 'there was none', now);
    return selectProjectionsIn(tx, ['new', 'building', 'serving']);
  });
  const lastSeq = await settledSeq(database);
  let batches = 0;
  let events = 0;
  let caughtUp = lastSeq !== null;
  for (const { generation } of lastSeq === null ? [] : live) {
    const until = now.add({ seconds: LEASE_SECONDS });
    const projection = await nobody(database, (tx) => claimProjection(tx, generation, now, until));
    if (projection === undefined) {
      caughtUp = false;
      continue;
    }
    try {
      const shipped = await shipProjection(dependencies, projection, lastSeq as bigint, now);
      batches += shipped.batches;
      events += shipped.events;
      caughtUp &&= shipped.caughtUp;
    } catch (error) {
      if (!(error instanceof ProjectionBroken)) throw error;
      await replaceProjection(database, projection, error.message, now);
      throw error;
    } finally {
      await nobody(database, (tx) => markLeaseEnded(tx, generation));
    }
  }
  await dropRetired(dependencies, now);
  return { batches, events, caughtUp };
}

/** Starts a new projection from the events in PostgreSQL; the serving one continues until the new one has caught up. */
export async function rebuild(database: Database, reason: string, now: Instant): Promise<void> {
  await nobody(database, async (tx) => {
    for (const { generation } of await selectProjectionsIn(tx, ['new', 'building']))
      await updateProjectionState(tx, generation, ['new', 'building'], 'retired', now);
    await insertProjection(tx, newName(), reason, now);
  });
}

/** Takes a projection out of service at once, and begins another: PostgreSQL answers until that one has caught up. */
export async function replaceProjection(
  database: Database,
  { generation }: Pick<ProjectionRow, 'generation'>,
  reason: string,
  now: Instant,
): Promise<void> {
  await nobody(database, async (tx) => {
    await updateProjectionState(tx, generation, ['new', 'building', 'serving'], 'retired', now);
    await insertProjection(tx, newName(), reason, now);
  });
}

const newName = (): string => randomBytes(8).toString('hex');

const nobody = <T>(database: Database, work: Parameters<typeof database.transaction<T>>[1]): Promise<T> =>
  database.transaction('nobody', work);

/**
 * The number up to which every event is visible, and none will appear any more: what was given out, once all have ended
 * who were storing events then. Nobody is kept from storing meanwhile. Null where somebody takes too long.
 */
export async function settledSeq(database: Database): Promise<bigint | null> {
  const { lastSeq, writers } = await nobody(database, selectHorizon);
  let left: readonly string[] = writers;
  for (let waited = 0; left.length > 0; waited += POLL_MILLISECONDS) {
    if (waited > LONGEST_WAIT_MILLISECONDS) return null;
    await sleep(POLL_MILLISECONDS);
    const writing = new Set(await nobody(database, selectWriters));
    left = left.filter((writer) => writing.has(writer));
  }
  return lastSeq;
}

async function shipProjection(
  dependencies: ShipperDependencies,
  projection: ProjectionRow,
  lastSeq: bigint,
  now: Instant,
): Promise<ShippedRound> {
  const { database, clickhouse, mode, mostBatches = 25 } = dependencies;
  if (projection.state === 'new') {
    for (const text of createTables(mode, projection.name)) await clickhouse.run(text);
    await nobody(database, (tx) => updateProjectionState(tx, projection.generation, ['new'], 'building', now));
  }
  let events = 0;
  for (let batches = 0; ; batches += 1) {
    const shipment = batches < mostBatches ? await nextShipment(dependencies, projection, lastSeq, now) : null;
    if (shipment === null) {
      const caughtUp = await isUpTo(database, projection, lastSeq);
      if (caughtUp && projection.state !== 'serving') await takeOver(database, projection, now);
      return { batches, events, caughtUp };
    }
    await send(dependencies, projection, shipment);
    await nobody(database, (tx) => markShipped(tx, shipment, now));
    events += shipment.eventCount;
  }
}

async function isUpTo(database: Database, { generation }: ProjectionRow, lastSeq: bigint): Promise<boolean> {
  const last = await nobody(database, (tx) => selectLastShipment(tx, generation));
  return last === undefined ? lastSeq === 0n : last.shippedAt !== null && last.toSeq >= lastSeq;
}

/** The batch that is under way, else the next one, committed; null where there is nothing to ship yet. */
async function nextShipment(
  { database, mostEvents = 20_000, mostBytes = 6_000_000, patienceSeconds = 0 }: ShipperDependencies,
  { generation, state }: ProjectionRow,
  lastSeq: bigint,
  now: Instant,
): Promise<Shipment | null> {
  const last = await nobody(database, (tx) => selectLastShipment(tx, generation));
  if (last?.shippedAt === null) return last;
  const fromSeq = last?.toSeq ?? 0n;
  if (fromSeq >= lastSeq) return null;
  const isFew = state === 'serving' && lastSeq - fromSeq < BigInt(mostEvents);
  if (isFew && last?.shippedAt && isBefore(now, last.shippedAt.add({ seconds: patienceSeconds }))) return null;
  const upTo = fromSeq + BigInt(mostEvents) < lastSeq ? fromSeq + BigInt(mostEvents) : lastSeq;
  const measured = await database.transaction('every merchant, reading', async (tx) => {
    await selectAtHand(tx, { merchantId: null, after: fromSeq, upTo });
    const found = await selectBatchEnd(tx, fromSeq, upTo, mostBytes);
    return found.eventCount > 0 ? found : { ...found, toSeq: await selectEndOfGap(tx, upTo, lastSeq) };
  });
  const batchNo = (last?.batchNo ?? 0) + 1;
  const shipment = { generation, batchNo, fromSeq, token: `${newName()}-${batchNo}`, ...measured };
  await nobody(database, (tx) => insertShipment(tx, shipment));
  // of two workers, what the first has committed
  return (await nobody(database, (tx) => selectLastShipment(tx, generation))) ?? null;
}

/**
 * Brings one batch into ClickHouse, once: what was sent before under the same token is nothing there. The events go
 * first and the batch says afterwards that they are all there.
 * @throws ProjectionBroken where ClickHouse does not hold the batches before, or another one in this one's place
 */
async function send(
  { database, clickhouse, mode }: ShipperDependencies,
  { name }: ProjectionRow,
  shipment: Shipment,
): Promise<void> {
  const { batchNo, token, fromSeq, toSeq, eventCount } = shipment;
  const tables = tableNames(name);
  const [[batches = '0'] = [], [lastToken = ''] = [], [events = '0'] = [], [rows = '0'] = []] = (await columnsOrBroken(
    clickhouse,
    selectStanding({ name, mode }, LAST_BATCH),
  )) as string[][];
  if (BigInt(rows) < BigInt(events)) throw new ProjectionBroken(`Projection ${name} has ${rows} of ${events} events.`);
  if (Number(batches) === batchNo && lastToken === token) return; // it was all there before, and nobody heard of it
  if (Number(batches) !== batchNo - 1)
    throw new ProjectionBroken(`Projection ${name} has ${batches} batches, but batch ${batchNo} is the next.`);
  const found = await database.transaction('every merchant, reading', async (tx) => {
    await selectAtHand(tx, { merchantId: null, after: fromSeq, upTo: toSeq });
    return selectEventsOfShipment(tx, shipment);
  });
  if (found.length !== eventCount)
    throw new Error(`Batch ${batchNo} has ${found.length} events, not ${eventCount} as before.`);
  if (found.length > 0) {
    const columns = 'merchant_id, type, subject_id, at, seq, batch_no, data';
    await clickhouse.insert(insertInto(mode, tables.events, columns, token), linesOf(found, batchNo));
  }
  const line = JSON.stringify({
    batch_no: batchNo,
    token,
    from_seq: String(fromSeq),
    to_seq: String(toSeq),
    event_count: eventCount,
  });
  const columns = 'batch_no, token, from_seq, to_seq, event_count';
  await clickhouse.insert(insertInto(mode, tables.batches, columns, `${token}-shipped`), line);
}

/** A missing table was dropped from outside: that is no temporary failure. */
async function columnsOrBroken(clickhouse: ClickHouse, statement: Statement): Promise<unknown[][]> {
  try {
    return await clickhouse.columns(statement);
  } catch (error) {
    if (isGone(error))
      throw new ProjectionBroken(`A table of the projection is missing: ${String(error)}`, { cause: error });
    throw error;
  }
}

const linesOf = (events: readonly EventToShip[], batchNo: number): string =>
  events
    .map(
      ({ merchantId, type, subjectId, at, seq, data }) =>
        `{"merchant_id":${JSON.stringify(merchantId)},"type":${JSON.stringify(type)},"subject_id":${subjectId},"at":${at},"seq":${seq},"batch_no":${batchNo},"data":${leavesOf(data)}}`,
    )
    .join('\n');

/** The one that has caught up answers from now on; the one before rests, and is removed later. */
async function takeOver(database: Database, { generation }: ProjectionRow, now: Instant): Promise<void> {
  await nobody(database, async (tx) => {
    for (const serving of await selectProjectionsIn(tx, ['serving']))
      await updateProjectionState(tx, serving.generation, ['serving'], 'retired', now);
    if (!(await updateProjectionState(tx, generation, ['building'], 'serving', now)))
      throw new Error(`Projection ${generation} was given up while it caught up.`); // the one before stays
  });
}

async function dropRetired({ database, clickhouse, mode }: ShipperDependencies, now: Instant): Promise<void> {
  const before = now.subtract({ seconds: REST_SECONDS });
  for (const { generation, name } of await nobody(database, (tx) => selectRetiredBefore(tx, before))) {
    for (const text of dropTables(mode, name)) await clickhouse.run(text);
    await nobody(database, (tx) => updateProjectionState(tx, generation, ['retired'], 'dropped', now));
  }
}
