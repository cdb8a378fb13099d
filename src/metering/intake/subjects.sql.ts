import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';

type SubjectKind = 'direct' | 'external';

/** The addressee of an event, as sent. */
export interface SubjectKey {
  readonly merchantId: string;
  readonly kind: SubjectKind;
  readonly key: string;
}

/** Locks an externalId: links follow one after another, and the next statement sees the result of the one before. */
export const lockExternalKey = (tx: Tx, externalId: string): Promise<number> =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`subject ${tx.merchantId} ${externalId}`}, 0))`);

/**
 * Locks the direct row of a customer, which has the mark of all its rows: whoever raises marks comes before this or
 * after it (migrations/0053_metering_intake.sql). @returns whether its usage is settled up to some time
 */
export const upsertSubjectOfCustomer = async (tx: Tx, customerId: string, now: Instant): Promise<boolean> => {
  const { isMarked } = await tx.one<{ isMarked: boolean }>(sql`
    insert into event_subject as s (merchant_id, kind, key, addressee, customer_id, created_at)
    values (${tx.merchantId}, 'direct', ${customerId}, ${customerId}, ${customerId}, ${now})
        on conflict (merchant_id, kind, key, epoch) do update set linked_at = s.linked_at
    returning s.settled_until is not null as is_marked`);
  return isMarked;
};

/**
 * The current epoch is taken where it is nobody's (also by an event that is being accepted right now: the insert waits
 * for it and then updates its row), kept where it is this customer's already, and else followed by the next.
 * It takes over the customer's mark; events that it may have had before are late then, whatever their time.
 */
export const insertExternalLink = (
  tx: Tx,
  link: { merchantId: string; externalId: string; customerId: string | null },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    with latest as (
      select epoch, customer_id from event_subject
       where merchant_id = ${link.merchantId} and kind = 'external' and key = ${link.externalId}
       order by epoch desc limit 1
    ), mark as (
      select settled_until from event_subject
       where merchant_id = ${link.merchantId} and kind = 'direct' and key = ${link.customerId}
    ), linked as (
      insert into event_subject (merchant_id, kind, key, epoch, addressee, customer_id, created_at, linked_at,
                                 settled_until)
      select ${link.merchantId}, 'external', ${link.externalId},
             coalesce((select case when customer_id is null then epoch else epoch + 1 end from latest), 0),
             c.id, c.id, ${now}, case when c.id is not null then ${now}::timestamptz end, (select settled_until
               from mark)
        from (select ${link.customerId}::text as id) c
       where (select customer_id from latest) is distinct from c.id
          on conflict (merchant_id, kind, key, epoch) do update
         set addressee = excluded.addressee, customer_id = excluded.customer_id, linked_at = excluded.linked_at,
             settled_until = excluded.settled_until
      returning new.id, new.settled_until, old.id is not null as was_there
    )
    insert into usage_late (merchant_id, subject_id, at)
    select ${link.merchantId}, id, '-infinity' from linked where was_there and settled_until is not null`);

/** An event that arrived before the call, or a mark, has made the row already; then only the customer is new. */
export const insertDirectLink = (
  tx: Tx,
  link: { merchantId: string; subscriptionId: string; customerId: string },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at, linked_at)
    values (${link.merchantId}, 'direct', ${link.subscriptionId}, ${link.subscriptionId}, ${link.customerId}, ${now},
            ${now})
        on conflict (merchant_id, kind, key, epoch) do update
       set addressee = excluded.addressee, customer_id = excluded.customer_id, linked_at = excluded.linked_at`);

/** A customer with all its subscriptions that have events, or the one subject itself. */
export const selectSubjectsOf = async (tx: Tx, subject: string): Promise<string[]> => {
  const rows = await tx.rows<{ addressee: string }>(sql`
    select distinct addressee from event_subject
     where merchant_id = ${tx.merchantId} and customer_id = ${subject} and addressee is not null`);
  return [...new Set([subject, ...rows.map(({ addressee }) => addressee)])];
};

/** The same of several customers, by customer. */
export async function selectSubjectsOfEach(
  tx: Tx,
  customerIds: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const rows = await tx.rows<{ customerId: string; addressee: string }>(sql`
    select distinct customer_id, addressee from event_subject
     where merchant_id = ${tx.merchantId} and customer_id = any (${[...customerIds]}::text[])
       and addressee is not null`);
  const found = Map.groupBy(rows, ({ customerId }) => customerId);
  return new Map(
    customerIds.map((id) => [id, [...new Set([id, ...(found.get(id) ?? []).map(({ addressee }) => addressee)])]]),
  );
}

/** A customer of a merchant. */
export interface UsedCustomer {
  readonly merchantId: string;
  readonly customerId: string;
}

/**
 * The customers of all merchants to whom, or to whose subscriptions, events in a stretch of the order of acceptance are
 * addressed. The events come from the block index on their order.
 */
export const selectCustomersWithEvents = (tx: Tx, after: bigint, upTo: bigint): Promise<UsedCustomer[]> =>
  tx.rows<UsedCustomer>(sql`
    with used as materialized (
      select distinct merchant_id, subject_id from event where seq > ${after} and seq <= ${upTo})
    select distinct s.merchant_id, coalesce(s.customer_id, s.addressee) as customer_id
      from used u join event_subject s on s.merchant_id = u.merchant_id and s.id = u.subject_id
     where s.addressee is not null`);

/** When the first event after a place in the order of acceptance was accepted; null: there is none. */
export const selectOldestAcceptedAfter = (tx: Tx, after: bigint): Promise<Instant | null> =>
  tx.value<Instant | null>(sql`select min(accepted_at) as at from event where seq > ${after}`);
