import { insertion, type Sql, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { ClockReference, DueRecord } from './due-kind.ts';

/** The place of a kind's rows, as its migration has it. */
export interface DueTable {
  readonly kind: string;
  readonly table: string;
  readonly orderColumn: string;
}

/** The tables of these kinds, in the kinds' order. @throws for a kind that no migration registered. */
export async function selectTables(tx: Tx, kinds: readonly string[]): Promise<DueTable[]> {
  const rows = await tx.rows<DueTable>(sql`
    select kind, table_name as table, order_column from due_kind where kind = any (${kinds})`);
  return kinds.map((kind) => {
    const found = rows.find((row) => row.kind === kind);
    if (!found) throw new Error(`No migration calls due_table('${kind}', …).`);
    return found;
  });
}

/** Due records on the wall clock, of all merchants, those that are due longest first; at most `most` of each kind. */
export const selectDue = (tx: Tx, kinds: readonly string[], now: Instant, most: number): Promise<DueRecord[]> =>
  tx.rows<DueRecord>(sql`
    select kind, merchant_id, id, due_at from due_now(${kinds}, ${now}, ${most}) order by due_at`);

/** Since when the record waits that is due longest. Undefined: nothing is due. */
export const selectOldestDue = async (tx: Tx, kinds: readonly string[], now: Instant): Promise<Instant | undefined> =>
  (await selectDue(tx, kinds, now, 1))[0]?.dueAt;

export interface LockedRecord {
  readonly dueAt: Instant;
  /** Names this version of the row: any update gives it another. */
  readonly version: string;
  readonly hasFailed: boolean;
}

const hasFailed = (kind: string): Sql => sql`
  exists (select from due_failure f where f.merchant_id = t.merchant_id and f.kind = ${kind} and f.id = t.id)`;

/**
 * Locks records of the wall clock, of one kind and merchant, that are still due, in the order of their ids. One that
 * another worker holds, has done or has seen fail since it was found is left alone. Not against rows that only refer to
 * them: a worker that closes a subscription's invoice opens the next one, and would wait by its foreign key for the one
 * that ends the subscription and waits for the invoice. They are found by their keys alone: the other conditions are
 * written so that the index of what is due, which may be long, is not used.
 * @returns what was locked, by its id
 */
export async function lockDueRecords(
  tx: Tx,
  { kind, table }: DueTable,
  records: readonly DueRecord[],
  now: Instant,
): Promise<ReadonlyMap<string, LockedRecord>> {
  const [first] = records;
  if (!first) return new Map();
  const rows = await tx.rows<LockedRecord & { id: string }>(sql`
    select t.id, t.next_action_at as due_at, t.ctid::text as version, ${hasFailed(kind)} as has_failed
      from ${sql.table(table)} t
     where t.merchant_id = ${first.merchantId} and t.id = any (${records.map(({ id }) => id)})
       and t.clock_id is not distinct from null and coalesce(t.next_action_at, 'infinity') <= ${now}
       and not exists (
         select from due_failure f
          where f.merchant_id = t.merchant_id and f.kind = ${kind} and f.id = t.id and f.due_at = t.next_action_at
            and (f.parked_at is not null or f.retry_at > ${now}))
     order by t.id
       for no key update of t skip locked`);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The same for records of a locked clock that are due at one instant. It waits for each: the other process is about to
 * release it.
 */
export async function lockClockRecords(
  tx: Tx,
  { kind, table }: DueTable,
  records: readonly DueRecord[],
): Promise<ReadonlyMap<string, LockedRecord>> {
  const [first] = records;
  if (!first) return new Map();
  const rows = await tx.rows<LockedRecord & { id: string }>(sql`
    select t.id, t.next_action_at as due_at, t.ctid::text as version, ${hasFailed(kind)} as has_failed
      from ${sql.table(table)} t
     where t.merchant_id = ${first.merchantId} and t.id = any (${records.map(({ id }) => id)})
       and coalesce(t.next_action_at, 'infinity') = ${first.dueAt}
     order by t.id
       for no key update of t`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Some records after their steps, by their ids; without those that a step deleted. */
export async function selectRecords(
  tx: Tx,
  { table }: DueTable,
  records: readonly DueRecord[],
): Promise<ReadonlyMap<string, { dueAt: Instant | null; version: string }>> {
  const [first] = records;
  if (!first) return new Map();
  const rows = await tx.rows<{ id: string; dueAt: Instant | null; version: string }>(sql`
    select id, next_action_at as due_at, ctid::text as version
      from ${sql.table(table)} where merchant_id = ${first.merchantId} and id = any (${records.map(({ id }) => id)})`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Has this record of a clock not been parked at its due time? */
const isNotParked = (kind: string): Sql => sql`
  not exists (
    select from due_failure f
     where f.merchant_id = t.merchant_id and f.kind = ${kind} and f.id = t.id and f.due_at = t.next_action_at
       and f.parked_at is not null)`;

/**
 * The record of a clock that is due first, over all kinds; of those due at one instant the first kind in the order of
 * registration, then the record that was made first. Parked ones are passed over.
 */
export const selectEarliestOnClock = (
  tx: Tx,
  tables: readonly DueTable[],
  clock: ClockReference,
  until: Instant,
): Promise<DueRecord | undefined> => {
  const kinds = tables.map(({ kind }) => kind);
  return tx.maybe<DueRecord>(
    sql`
    select kind, merchant_id, id, due_at
      from first_on_clock(${kinds}, ${clock.merchantId}, ${clock.id}, ${until})
     order by due_at, array_position(${kinds}::text[], kind)
     limit 1`,
    'earliest_on_clock',
  );
};

/**
 * The records of a clock that are due at the same instant as the first of their kind, in the order in which they were
 * made.
 */
export const selectDueWith = (
  tx: Tx,
  { kind, table, orderColumn }: DueTable,
  clock: ClockReference,
  { dueAt }: DueRecord,
  most: number,
): Promise<DueRecord[]> =>
  tx.rows<DueRecord>(
    sql`
    select ${kind}::text as kind, t.merchant_id, t.id, t.next_action_at as due_at
      from ${sql.table(table)} t
     where t.merchant_id = ${clock.merchantId} and t.clock_id = ${clock.id} and t.next_action_at = ${dueAt}
       and ${isNotParked(kind)}
     order by t.${sql.ref(orderColumn)}
     limit ${most}`,
    `due_with_${kind}`,
  );

/** How often the record has failed at this due time; locked, so that two workers count one after the other. */
export async function lockFailedAttempts(tx: Tx, { merchantId, kind, id, dueAt }: DueRecord): Promise<number> {
  const row = await tx.maybe<{ attempts: number }>(sql`
    select attempts from due_failure
     where merchant_id = ${merchantId} and kind = ${kind} and id = ${id} and due_at = ${dueAt}
       for update`);
  return row?.attempts ?? 0;
}

export interface Failure {
  readonly attempts: number;
  readonly error: string;
  readonly retryAt: Instant | null;
  readonly parkedAt: Instant | null;
}

export const upsertFailure = (tx: Tx, { merchantId, kind, id, dueAt }: DueRecord, failure: Failure) =>
  tx.run(sql`
    ${insertion('due_failure', { ...failure, merchantId, kind, id, dueAt })}
    on conflict (merchant_id, kind, id) do update
       set due_at = excluded.due_at, attempts = excluded.attempts, error = excluded.error,
           retry_at = excluded.retry_at, parked_at = excluded.parked_at`);

export const deleteFailure = (tx: Tx, { merchantId, kind, id }: DueRecord) =>
  tx.run(sql`delete from due_failure where merchant_id = ${merchantId} and kind = ${kind} and id = ${id}`);

/** Parked records by kind, of all merchants: for the metrics, read as operator. */
export const countParked = (tx: Tx) =>
  tx.rows<{ kind: string; parked: number }>(sql`
    select kind, count(*)::int as parked from due_failure where parked_at is not null group by kind`);

/** The same of one merchant, in the order of the kinds. */
export const countParkedOfMerchant = (tx: Tx) =>
  tx.rows<{ kind: string; parked: number }>(sql`
    select kind, count(*)::int as parked from due_failure
     where merchant_id = ${tx.merchantId} and parked_at is not null group by kind order by kind`);
