import { type Sql, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';

type SubjectKind = 'direct' | 'external';

/** Whom an event is addressed to, as sent. */
export interface SubjectKey {
  readonly merchantId: string;
  readonly kind: SubjectKind;
  readonly key: string;
}

export interface SubjectRow {
  readonly merchant_id: string;
  readonly id: bigint;
  readonly kind: SubjectKind;
  readonly key: string;
  readonly addressee: string | null;
  readonly customer_id: string | null;
}

const columns = (keys: readonly SubjectKey[]): Sql => sql`
  unnest(${keys.map(({ merchantId }) => merchantId)}::text[], ${keys.map(({ kind }) => kind)}::text[],
         ${keys.map(({ key }) => key)}::text[]) as k (merchant_id, kind, key)`;

/** The current rows (the highest epoch) of some keys; a key that was never seen has none. */
export const currentSubjects = (tx: Tx, keys: readonly SubjectKey[]): Promise<SubjectRow[]> =>
  tx.rows<SubjectRow>(sql`
    select s.merchant_id, s.id, s.kind, s.key, s.addressee, s.customer_id
      from ${columns(keys)}
     cross join lateral (
       select * from event_subject es
        where es.merchant_id = k.merchant_id and es.kind = k.kind and es.key = k.key
        order by es.epoch desc limit 1) s`);

/**
 * First rows for keys never seen, in one order for everybody, so that two who meet wait for each other only one way round.
 * A direct key is addressed to the customer or subscription of this merchant that it names, if it does; such ids are known
 * to nobody before they exist, so what names nobody today never will. One that appears meanwhile is left as it is.
 */
export const insertSubjects = (tx: Tx, keys: readonly SubjectKey[], now: Instant): Promise<number> =>
  tx.run(sql`
    insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at)
    select k.merchant_id, k.kind, k.key, case when named.is_ours then k.key end,
           case when named.is_ours and k.key like 'cus\\_%' then k.key end, ${now}
      from ${columns(keys)}
     cross join lateral (
       select k.kind = 'direct' and k.key ~ '^(cus|sub)_' and owner_of(k.key) is not distinct from k.merchant_id as is_ours) named
     order by k.merchant_id, k.kind, k.key
        on conflict (merchant_id, kind, key, epoch) do nothing`);

/** One at a time links an externalId, and the next statement sees what the one before has done. */
export const lockExternalKey = (tx: Tx, merchantId: string, externalId: string): Promise<number> =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`subject ${merchantId} ${externalId}`}, 0))`);

/**
 * The current epoch is taken where it is nobody's (also by an event that is being accepted right now: the insert waits
 * for it and then updates its row), kept where it is this customer's already, and else followed by the next.
 */
export const linkExternal = (
  tx: Tx,
  link: { merchantId: string; externalId: string; customerId: string | null },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    with latest as (
      select epoch, customer_id from event_subject
       where merchant_id = ${link.merchantId} and kind = 'external' and key = ${link.externalId}
       order by epoch desc limit 1)
    insert into event_subject (merchant_id, kind, key, epoch, addressee, customer_id, created_at, linked_at)
    select ${link.merchantId}, 'external', ${link.externalId},
           coalesce((select case when customer_id is null then epoch else epoch + 1 end from latest), 0),
           c.id, c.id, ${now}, case when c.id is not null then ${now}::timestamptz end
      from (select ${link.customerId}::text as id) c
     where (select customer_id from latest) is distinct from c.id
        on conflict (merchant_id, kind, key, epoch) do update
       set addressee = excluded.addressee, customer_id = excluded.customer_id, linked_at = excluded.linked_at`);

/** An event that arrived before the call has made the row already; then only the customer is new. */
export const linkDirect = (
  tx: Tx,
  link: { merchantId: string; subscriptionId: string; customerId: string },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at, linked_at)
    values (${link.merchantId}, 'direct', ${link.subscriptionId}, ${link.subscriptionId}, ${link.customerId}, ${now}, ${now})
        on conflict (merchant_id, kind, key, epoch) do update
       set addressee = excluded.addressee, customer_id = excluded.customer_id, linked_at = excluded.linked_at`);

/** A customer with all its subscriptions that have events, or the one subject itself. */
export const selectSubjectsOf = async (tx: Tx, merchantId: string, subject: string): Promise<string[]> => {
  const rows = await tx.rows<{ addressee: string }>(sql`
    select distinct addressee from event_subject
     where merchant_id = ${merchantId} and customer_id = ${subject} and addressee is not null`);
  return [...new Set([subject, ...rows.map(({ addressee }) => addressee)])];
};
