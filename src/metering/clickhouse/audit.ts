import type { Database } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { replaceProjection } from './shipper.ts';
import { type Standing, selectFiguresOfBatches, selectStandings } from './shipping.sql.ts';
import { type ClickHouse, isGone, type Statement } from './store.ts';
import type { EngineMode } from './tables.sql.ts';
import { selectBatchFigures } from './usage.sql.ts';

/** A batch whose events are not the same in both stores. */
export interface Deviation {
  readonly generation: number;
  readonly batchNo: number;
  readonly postgres: string;
  readonly clickhouse: string;
}

export interface AuditDependencies {
  readonly database: Database;
  readonly clickhouse: ClickHouse;
  readonly mode: EngineMode;
}

const BATCHES_AT_ONCE = 100;

/**
 * Counts the events of each shipped batch in both stores, and adds up their numbers, times and subjects: an event that
 * is missing, there twice or another one changes them. Answers the batches that differ.
 * @param mostBatches how many of the last ones; all without it
 */
export async function auditProjections(
  dependencies: AuditDependencies,
  mostBatches = Number.POSITIVE_INFINITY,
): Promise<Deviation[]> {
  const found: Deviation[] = [];
  for (const standing of await dependencies.database.transaction('nobody', selectStandings)) {
    const first = Math.max(1, standing.batchNo - mostBatches + 1);
    for (let from = first; from <= standing.batchNo; from += BATCHES_AT_ONCE)
      found.push(
        ...(await auditBatches(dependencies, standing, from, Math.min(from + BATCHES_AT_ONCE - 1, standing.batchNo))),
      );
  }
  return found;
}

/**
 * Audits, and takes each projection out of service that deviates; another is built then.
 * @returns why, for each of them
 */
export async function auditAndReplace(
  dependencies: AuditDependencies,
  now: Instant,
  mostBatches?: number,
): Promise<string[]> {
  const reasons: string[] = [];
  const found = await auditProjections(dependencies, mostBatches);
  for (const [generation, [first, ...others]] of Map.groupBy(found, (deviation) => deviation.generation)) {
    if (first === undefined) continue;
    const reason =
      `Batch ${first.batchNo} is ${first.postgres} in PostgreSQL and ${first.clickhouse} in ClickHouse; ` +
      `${others.length} others differ too.`;
    await replaceProjection(dependencies.database, { generation }, reason, now);
    reasons.push(`Projection ${generation} is rebuilt. ${reason}`);
  }
  return reasons;
}

async function auditBatches(
  { database, clickhouse, mode }: AuditDependencies,
  { generation, name }: Standing,
  from: number,
  to: number,
): Promise<Deviation[]> {
  const expected = await database.transaction('every merchant, reading', (tx) =>
    selectFiguresOfBatches(tx, generation, from, to),
  );
  const there = await figuresByBatch(clickhouse, selectBatchFigures({ name, mode }, from, to));
  return expected.flatMap(({ batchNo, eventCount, seqs, times, subjects }) => {
    const postgres = [eventCount, seqs, times, subjects].join(' ');
    const found = there.get(batchNo) ?? '0 0 0 0';
    return found === postgres ? [] : [{ generation, batchNo, postgres, clickhouse: found }];
  });
}

/** A table that is gone holds nothing. */
async function figuresByBatch(clickhouse: ClickHouse, statement: Statement): Promise<Map<number, string>> {
  const [batches = [], ...figures] = await clickhouse.columns(statement).catch((error: unknown) => {
    if (isGone(error)) return [];
    throw error;
  });
  return new Map(batches.map((batchNo, row) => [Number(batchNo), figures.map((values) => values[row]).join(' ')]));
}
