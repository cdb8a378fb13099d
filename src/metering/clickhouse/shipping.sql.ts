import { type Sql, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { UsageSource } from '../meter/usage-request.ts';
import type { Address } from './question.ts';

export type ProjectionState = 'new' | 'building' | 'serving' | 'retired' | 'dropped';

export interface ProjectionRow {
  readonly generation: number;
  readonly name: string;
  readonly state: ProjectionState;
}

export interface Shipment {
  readonly generation: number;
  readonly batchNo: number;
  /** Exclusive. */
  readonly fromSeq: bigint;
  /** Inclusive. */
  readonly toSeq: bigint;
  readonly token: string;
  readonly eventCount: number;
}

export interface EventToShip {
  readonly merchantId: string;
  readonly type: string;
  readonly subjectId: bigint;
  /** Microseconds since 1970. */
  readonly at: bigint;
  readonly seq: bigint;
  /** JSON as PostgreSQL writes it. */
  readonly data: string;
}

const PROJECTION = sql`generation, name, state`;
const SHIPMENT = sql`generation, batch_no, from_seq, to_seq, token, event_count`;

export const selectProjectionsIn = (tx: Tx, states: readonly ProjectionState[]): Promise<ProjectionRow[]> =>
  tx.rows<ProjectionRow>(sql`
    select ${PROJECTION} from usage_projection where state = any(${states}::text[]) order by generation`);

/** Projections that were retired before this: no question still uses them. */
export const selectRetiredBefore = (tx: Tx, before: Instant): Promise<ProjectionRow[]> =>
  tx.rows<ProjectionRow>(sql`
    select ${PROJECTION} from usage_projection where state = 'retired' and retired_at < ${before} order by generation`);

/** Starts another projection; only one is in construction, so of two starts the second does nothing. */
export const insertProjection = (tx: Tx, name: string, reason: string, now: Instant): Promise<number> =>
  tx.run(sql`
    insert into usage_projection (name, state, reason, created_at) values (${name}, 'new', ${reason}, ${now})
        on conflict do nothing`);

/** Moves a projection from a state to the next; none of two who try does it twice. @returns whether it was there. */
export const updateProjectionState = async (
  tx: Tx,
  generation: number,
  from: readonly ProjectionState[],
  to: ProjectionState,
  now: Instant,
): Promise<boolean> =>
  (await tx.run(sql`
    update usage_projection
       set state = ${to}, retired_at = case when ${to} = 'retired' then ${now}::timestamptz else retired_at end
     where generation = ${generation} and state = any(${from}::text[])`)) === 1;

/** Leases the work on a projection, unless another process has it. @returns its present state, if it has work */
export const claimProjection = (
  tx: Tx,
  generation: number,
  now: Instant,
  until: Instant,
): Promise<ProjectionRow | undefined> =>
  tx.maybe<ProjectionRow>(sql`
    update usage_projection set leased_until = ${until}
     where generation = ${generation} and state in ('new', 'building', 'serving')
       and (leased_until is null or leased_until <= ${now})
    returning ${PROJECTION}`);

export const markLeaseEnded = (tx: Tx, generation: number): Promise<number> =>
  tx.run(sql`update usage_projection set leased_until = null where generation = ${generation}`);

export interface Horizon {
  readonly lastSeq: bigint;
  readonly writers: readonly string[];
}

/** Up to where events have numbers, and who may still be about to commit some of them. */
export const selectHorizon = (tx: Tx): Promise<Horizon> =>
  tx.one<Horizon>(sql`select last_seq, writers from event_horizon()`);

export const selectWriters = (tx: Tx): Promise<string[]> => tx.value<string[]>(sql`select event_writers() as writers`);

/** The batch that is under way, or else the last one. */
export const selectLastShipment = (
  tx: Tx,
  generation: number,
): Promise<(Shipment & { shippedAt: Instant | null }) | undefined> =>
  tx.maybe<Shipment & { shippedAt: Instant | null }>(sql`
    select ${SHIPMENT}, shipped_at
      from usage_shipment where generation = ${generation} order by batch_no desc limit 1`);

/**
 * The end of a batch that begins after `after`: at most at `upTo` and about this many bytes further, and its number of
 * events. A larger event is a batch of its own.
 */
export const selectBatchEnd = (
  tx: Tx,
  after: bigint,
  upTo: bigint,
  mostBytes: number,
): Promise<{ toSeq: bigint; eventCount: number }> =>
  tx.one<{ toSeq: bigint; eventCount: number }>(sql`
    with sized as (
      select seq, sum(octet_length(data::text)) over (order by seq rows unbounded preceding) as bytes,
             row_number() over (order by seq) as place
        from event where seq > ${after} and seq <= ${upTo}),
    fitting as (select max(seq) as last, count(*) as event_count from sized where bytes <= ${mostBytes} or place = 1)
    select case when f.event_count = (select count(*) from sized) then ${upTo}::bigint else f.last end as to_seq,
           f.event_count::int as event_count
      from fitting f`);

/**
 * Numbers have gaps from rollbacks: the last number of one, if it is known to go as far as `after`. It ends before a
 * part of the archive, too.
 */
export const selectEndOfGap = (tx: Tx, after: bigint, lastSeq: bigint): Promise<bigint> =>
  tx.value<bigint>(sql`
    select least(${lastSeq}::bigint, min(seq) - 1,
                 (select min(greatest(a.first_seq - 1, ${after}::bigint)) from event_archive a
                   where a.state in ('leaving', 'away') and a.last_seq > ${after})) as end
      from event where seq > ${after} and seq <= ${lastSeq}`);

/** Commits to a batch, unless another worker has done so meanwhile. */
export const insertShipment = (tx: Tx, { generation, batchNo, ...rest }: Shipment): Promise<number> =>
  tx.run(sql`
    insert into usage_shipment (generation, batch_no, from_seq, to_seq, token, event_count)
    values (${generation}, ${batchNo}, ${rest.fromSeq}, ${rest.toSeq}, ${rest.token}, ${rest.eventCount})
        on conflict do nothing`);

export const markShipped = (tx: Tx, { generation, batchNo }: Shipment, now: Instant): Promise<number> =>
  tx.run(sql`
    update usage_shipment set shipped_at = ${now}
     where generation = ${generation} and batch_no = ${batchNo} and shipped_at is null`);

/** The events of a batch, the same whenever it is read: they never change, and no more come between these numbers. */
export const selectEventsOfShipment = (tx: Tx, { fromSeq, toSeq }: Shipment): Promise<EventToShip[]> =>
  tx.rows<EventToShip>(sql`
    select merchant_id, type, subject_id,
           (extract(epoch from at) * 1000000)::bigint as at, seq, data::text as data
      from event where seq > ${fromSeq} and seq <= ${toSeq} order by seq`);

export interface Standing {
  readonly generation: number;
  readonly name: string;
  readonly batchNo: number;
  readonly token: string;
  readonly mark: bigint;
}

const STANDING = (states: readonly ProjectionState[]): Sql => sql`
  select p.generation, p.name, last.batch_no, last.token, last.to_seq as mark
    from usage_projection p
   cross join lateral (
     select batch_no, token, to_seq from usage_shipment s
      where s.generation = p.generation and s.shipped_at is not null order by s.batch_no desc limit 1) last
   where p.state = any(${states}::text[])`;

/** The projection that answers, and up to where; none while events after it are in the archive. */
export const selectServingStanding = (tx: Tx): Promise<Standing | undefined> =>
  tx.maybe<Standing>(sql`
    ${STANDING(['serving'])}
       and not exists (select from event_archive a where a.state in ('leaving', 'away') and a.last_seq > last.to_seq)`);

/** The projections with content, for monitoring. */
export const selectStandings = (tx: Tx): Promise<Standing[]> => tx.rows<Standing>(STANDING(['building', 'serving']));

/** How many events of a merchant are not shipped yet, counted no further than `most`. */
export const countUnshipped = (tx: Tx, mark: bigint, most: number): Promise<number> =>
  tx.value<number>(sql`
    select count(*)::int as count
      from (select from event where merchant_id = ${tx.merchantId} and seq > ${mark} limit ${most}) unshipped`);

/**
 * The subject rows of some sources with the times for which they count: what is addressed to the customer or
 * subscription, and what was sent with just this subject, though it names nobody.
 */
export const selectAddresses = (tx: Tx, sources: readonly UsageSource[]): Promise<Address[]> =>
  tx.rows<Address>(sql`
    select es.id as subject_id, w.from_at as from, w.to_at as to
      from unnest(${sources.map(({ subject }) => subject)}::text[], ${sources.map(({ from }) => from)}::timestamptz[],
                  ${sources.map(({ to }) => to)}::timestamptz[]) as w (subject, from_at, to_at)
     cross join lateral (
       select id from event_subject where merchant_id = ${tx.merchantId} and addressee = w.subject
        union
       select id from event_subject where merchant_id = ${tx.merchantId} and kind = 'direct' and key = w.subject) es`);

/** The owners of some subjects; null for nobody yet. */
export const selectOwners = (
  tx: Tx,
  subjectIds: readonly bigint[],
): Promise<{ id: bigint; customerId: string | null }[]> =>
  tx.rows<{ id: bigint; customerId: string | null }>(sql`
    select id, coalesce(customer_id, addressee) as customer_id
      from event_subject where merchant_id = ${tx.merchantId} and id = any(${subjectIds}::bigint[])`);

/**
 * The subjects that share their customer with others, each with the first of them; and those without a customer, which
 * are one.
 */
export const selectSharedOwners = (tx: Tx, most: number): Promise<{ id: bigint; first: bigint }[]> =>
  tx.rows<{ id: bigint; first: bigint }>(sql`
    select id, first from (
      select id, min(id) over (partition by coalesce(customer_id, addressee)) as first
        from event_subject where merchant_id = ${tx.merchantId}) shared
     where id <> first limit ${most}`);

/** The figures of a batch in PostgreSQL: its number of events, and sums that change with any one of them. */
export interface BatchFigures {
  readonly batchNo: number;
  readonly eventCount: bigint;
  readonly seqs: string;
  readonly times: string;
  readonly subjects: string;
}

/** Batches with events in the archive are left out. */
export const selectFiguresOfBatches = (tx: Tx, generation: number, from: number, to: number): Promise<BatchFigures[]> =>
  tx.rows<BatchFigures>(sql`
    select s.batch_no, count(e.seq) as event_count, coalesce(sum(e.seq), 0)::text as seqs,
           coalesce(sum((extract(epoch from e.at) * 1000000)::bigint), 0)::text as times,
           coalesce(sum(e.subject_id), 0)::text as subjects
      from usage_shipment s left join event e on e.seq > s.from_seq and e.seq <= s.to_seq
     where s.generation = ${generation} and s.batch_no >= ${from} and s.batch_no <= ${to} and s.shipped_at is not null
       and not exists (select from event_archive a
                        where a.state = 'away' and a.last_seq > s.from_seq and a.first_seq <= s.to_seq)
     group by s.batch_no order by s.batch_no`);
