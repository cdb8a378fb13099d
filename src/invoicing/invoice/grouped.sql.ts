import { type Sql, sql } from '../../db/index.ts';

/*
 * The lines of an invoice that is joined stand on a grouped one (docs/decisions/0246). What a subscription is billed is
 * read through its own invoices, `i`, whose lines and status are then those of that document.
 */

/**
 * Line `l` is one of invoice `i`, wherever it stands. Under row-level security PostgreSQL uses no index for a condition
 * with `coalesce`, which it does not know to be leakproof: it would read all lines of the merchant for each invoice.
 */
export const IS_LINE_OF = sql`
  l.merchant_id = i.merchant_id
  and l.invoice_id = case when i.grouped_into_id is null then i.id else i.grouped_into_id end
  and (i.grouped_into_id is null or l.member_id = i.id)`;

/** The status of the document on which the lines of invoice `i` stand. */
export const STATUS_OF_LINES = sql`
  case when i.grouped_into_id is null then i.status
       else (select g.status from invoice g where g.merchant_id = i.merchant_id and g.id = i.grouped_into_id) end`;

/** An invoice is one of a subscription, or has lines of it. The array is read first, so that indexes find both. */
export const isOfSubscription = (merchantId: Sql, subscriptionId: string, alias: Sql) => sql`
  (${alias}.subscription_id = ${subscriptionId}
   or ${alias}.id = any (array(
        select m.grouped_into_id from invoice m
         where m.merchant_id = ${merchantId} and m.subscription_id = ${subscriptionId}
           and m.grouped_into_id is not null)))`;
