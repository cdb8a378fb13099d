import { allOf, type Sql, sql, type Tx } from '../../db/index.ts';
import { statesFor } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import type { WantedEvents } from '../events/at-hand.sql.ts';
import type { ArchivedEvent } from './parquet.ts';
import { type ArchiveState, archiveStates } from './states.ts';

/** A part of the archive: some events of a merchant and a month. */
export interface ArchivePart {
  readonly merchantId: string;
  /** `2026-01-01`. */
  readonly month: string;
  /** Inclusive. */
  readonly firstSeq: bigint;
  readonly lastSeq: bigint;
  readonly eventCount: number;
  readonly objectKey: string;
  readonly state: ArchiveState;
  /** Null while the file is being written. */
  readonly hash: Buffer | null;
}

const PART: Sql = sql`merchant_id, month::text as month, first_seq, last_seq, event_count, object_key, state, hash`;

const isPart = ({ merchantId, month, firstSeq }: ArchivePart): Sql =>
  sql`merchant_id = ${merchantId} and month = ${month}::date and first_seq = ${firstSeq}`;

/** The time of a month: `e` is the event. */
const inMonth = (month: Sql): Sql => sql`
  e.at >= ${month}::timestamp at time zone 'UTC' and e.at < (${month} + interval '1 month') at time zone 'UTC'`;

/** A month of a merchant with events that are in no part. */
export interface UnarchivedMonth {
  readonly merchantId: string;
  readonly month: string;
  /** Up to where events are counted: no more can come up to there. */
  readonly upTo: bigint;
}

/**
 * The months before a month with more counted events than the parts have. Nothing up to the mark can appear any more,
 * and what a projection in ClickHouse lacks is not taken yet.
 */
export const selectUnarchivedMonths = (tx: Tx, before: string, hasProjection: boolean): Promise<UnarchivedMonth[]> =>
  tx.rows<UnarchivedMonth>(sql`
    select t.merchant_id, t.month::text as month, least(m.counted_seq, p.shipped_seq) as up_to
      from (select merchant_id, date_trunc('month', day)::date as month, sum(event_count) as counted
              from event_day_tally where day < ${before}::date group by 1, 2) t
      left join (select merchant_id, month, sum(event_count) as archived from event_archive group by 1, 2) a
        on a.merchant_id = t.merchant_id and a.month = t.month
     cross join event_tally_mark m
     cross join (
       select case when ${hasProjection} then min(coalesce(s.to_seq, 0)) end as shipped_seq
         from usage_projection p
         left join lateral (
           select max(s.to_seq) as to_seq from usage_shipment s
            where s.generation = p.generation and s.shipped_at is not null) s on true
        where p.state in ('new', 'building', 'serving')) p
     where t.counted > coalesce(a.archived, 0)
     order by t.month, t.merchant_id`);

/** The parts whose file is being written, or was when a worker was stopped. */
export const selectPartsToWrite = (tx: Tx): Promise<ArchivePart[]> =>
  tx.rows<ArchivePart>(sql`
    select ${PART} from event_archive where state = 'writing' order by month, merchant_id, first_seq`);

/**
 * Makes the next part of a month, of `most` events at most, in the order of their acceptance. It ends before the first
 * one that was accepted after `rested`. Of two workers, the first makes it. @returns whether there is a part to write
 */
export const insertPart = async (
  tx: Tx,
  { month, upTo }: UnarchivedMonth,
  { objectKey, most, rested }: { readonly objectKey: string; readonly most: number; readonly rested: Instant },
  now: Instant,
): Promise<boolean> =>
  (await tx.run(sql`
    with unarchived as materialized (
      select e.seq, e.type, e.accepted_at from event e
       where e.merchant_id = ${tx.merchantId} and ${inMonth(sql`${month}::date`)} and e.seq <= ${upTo}
         and e.seq > coalesce((select max(a.last_seq) from event_archive a
                                where a.merchant_id = ${tx.merchantId} and a.month = ${month}::date), 0)
       order by e.seq limit ${most}),
    taken as (
      select type, count(*) as events, min(seq) as first_seq, max(seq) as last_seq, min(accepted_at) as accepted_at
        from unarchived
       where seq < coalesce((select min(seq) from unarchived where accepted_at > ${rested}), ${upTo} + 1)
       group by type)
    insert into event_archive (merchant_id, month, first_seq, last_seq, event_count, types, first_accepted_at,
                               object_key, state, state_at, kept_until)
    select ${tx.merchantId}, ${month}::date, min(first_seq), max(last_seq), sum(events), jsonb_object_agg(type, events),
           min(accepted_at), ${objectKey}, 'writing', ${now}, ${now}
      from taken
    having count(*) > 0
        on conflict do nothing`)) === 1;

/** Leases the writing of a part, unless another process has it or has done it. */
export const claimPart = async (tx: Tx, part: ArchivePart, now: Instant, until: Instant): Promise<boolean> =>
  (await tx.run(sql`
    update event_archive set leased_until = ${until}
     where ${isPart(part)} and state = 'writing' and (leased_until is null or leased_until <= ${now})`)) === 1;

/** The events of a part, the same whenever they are read from their partition. */
export const selectEventsOfPart = (tx: Tx, { merchantId, month, firstSeq, lastSeq }: ArchivePart) =>
  tx.manyRows<ArchivedEvent>(sql`
    select e.seq, epoch_microseconds(e.at) as at, epoch_microseconds(e.accepted_at) as accepted_at, e.subject_id,
           e.type, e.source, e.idempotency_key, e.data::text as data, e.external_subject, e.external_id
      from event e
     where e.merchant_id = ${merchantId} and ${inMonth(sql`${month}::date`)}
       and e.seq >= ${firstSeq} and e.seq <= ${lastSeq}
     order by e.seq`);

/** The file was read back, and has the events. */
export const markProven = (
  tx: Tx,
  part: ArchivePart,
  { hash, bytes }: { readonly hash: Buffer; readonly bytes: number },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    update event_archive
       set state = 'here', state_at = ${now}, hash = ${hash}, bytes = ${bytes}, leased_until = null
     where ${isPart(part)} and state = any (${statesFor(archiveStates, 'prove')}::text[])`);

/** Lets go of the months before a month that nobody uses. */
export const updateReleased = (tx: Tx, before: string, now: Instant): Promise<number> =>
  tx.run(sql`select release_event_months(${before}::date, ${now})`);

/** The months that were let go before a time. */
export const selectMonthsToRemove = (tx: Tx, releasedBefore: Instant): Promise<string[]> =>
  tx.values<string>(sql`
    select month::text as month from event_archive where state = 'leaving' and state_at <= ${releasedBefore}
     group by month order by month`);

/** @returns whether the partition of the month was removed */
export const deleteMonth = (tx: Tx, month: string, releasedBefore: Instant, now: Instant): Promise<boolean> =>
  tx.value<boolean>(sql`select remove_event_month(${month}::date, ${releasedBefore}, ${now}) as done`);

/** The parts whose events are wanted, and not sure to stay: the conditions of `events_at_hand`. */
export const selectPartsOf = (tx: Tx, wanted: WantedEvents): Promise<ArchivePart[]> =>
  tx.rows<ArchivePart>(sql`
    select ${PART} from event_archive
     where ${allOf([
       sql`state in ('leaving', 'away')`,
       wanted.merchantId !== null && sql`merchant_id = ${wanted.merchantId}`,
       wanted.from != null && sql`month + interval '1 month' > ${wanted.from}::timestamptz at time zone 'UTC'`,
       wanted.to != null && sql`month < ${wanted.to}::timestamptz at time zone 'UTC'`,
       wanted.after != null && sql`last_seq > ${wanted.after}`,
       wanted.upTo != null && sql`first_seq <= ${wanted.upTo}`,
       wanted.type != null && sql`types ? ${wanted.type}`,
     ])}
     order by month, merchant_id, first_seq`);

/** All parts that are in files alone, from one on. */
export const selectPartsAway = (tx: Tx, after: string, most: number): Promise<ArchivePart[]> =>
  tx.rows<ArchivePart>(sql`
    select ${PART} from event_archive where state = 'away' and object_key > ${after} order by object_key limit ${most}`);

/** Locks a part. Whoever removes its month waits for it, or has removed it. */
export const lockPart = (tx: Tx, part: ArchivePart): Promise<ArchivePart> =>
  tx.one<ArchivePart>(sql`select ${PART} from event_archive where ${isPart(part)} for update`);

/**
 * Makes the partition of a month, if it is missing. Whoever accepts or reads events meanwhile waits behind it, so it
 * waits for its locks for a short time only.
 */
export async function insertPartition(tx: Tx, month: string): Promise<void> {
  await tx.run(sql`select set_config('lock_timeout', '500', true)`);
  await tx.run(sql`select ensure_event_partitions(${month}::date, 1)`);
}

/** Events of a merchant in their partition again. */
export const insertEvents = (tx: Tx, events: readonly ArchivedEvent[]): Promise<number> => {
  const texts = (field: keyof ArchivedEvent): Sql => sql`${events.map((event) => event[field])}`;
  const numbers = (field: keyof ArchivedEvent): Sql => sql`${events.map((event) => String(event[field]))}::bigint[]`;
  const time = (name: string): Sql => sql`timestamptz 'epoch' + ${sql.ref(name)} * interval '1 microsecond'`;
  return tx.run(sql`
    insert into event (seq, at, accepted_at, subject_id, merchant_id, type, source, idempotency_key, data,
                       external_subject, external_id)
    select e.seq, ${time('e.at')}, ${time('e.accepted_at')}, e.subject_id, ${tx.merchantId}, e.type, e.source,
           e.idempotency_key, e.data, e.external_subject, e.external_id
      from unnest(${numbers('seq')}, ${numbers('at')}, ${numbers('acceptedAt')}, ${numbers('subjectId')},
                  ${texts('type')}::text[], ${texts('source')}::text[], ${texts('idempotencyKey')}::text[],
                  ${texts('data')}::jsonb[], ${texts('externalSubject')}::text[], ${texts('externalId')}::text[])
           e (seq, at, accepted_at, subject_id, type, source, idempotency_key, data, external_subject, external_id)`);
};

/** The events of a part are in their partition, at least until a time. */
export const markHere = (tx: Tx, part: ArchivePart, keptUntil: Instant, now: Instant): Promise<number> =>
  tx.run(sql`
    update event_archive
       set state = 'here', state_at = ${now}, kept_until = greatest(kept_until, ${keptUntil})
     where ${isPart(part)} and state = any (${statesFor(archiveStates, 'bringBack')}::text[])`);
