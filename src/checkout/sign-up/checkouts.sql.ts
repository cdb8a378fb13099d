import { type Database, jsonb, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Checkout } from './checkout.ts';

const COLUMNS = sql`merchant_id, id, link_id, form, plan_version_id,
  typed, amount, currency, customer_id, subscription_id,
  invoice_id, session_id, expires_at, completed_at,
  created_at`;

export const insertCheckout = (tx: Tx, checkout: Checkout): Promise<Checkout> =>
  tx.one<Checkout>(sql`
    insert into checkout (merchant_id, id, link_id, form, plan_version_id, typed, amount, currency, customer_id,
                          subscription_id, invoice_id, session_id, expires_at, created_at)
    values (${checkout.merchantId}, ${checkout.id}, ${checkout.linkId}, ${checkout.form}, ${checkout.planVersionId},
            ${checkout.typed === null ? null : jsonb(checkout.typed)}, ${checkout.amount}, ${checkout.currency},
            ${checkout.customerId}, ${checkout.subscriptionId}, ${checkout.invoiceId}, ${checkout.sessionId},
            ${checkout.expiresAt}, ${checkout.createdAt})
    returning ${COLUMNS}`);

export const selectCheckout = (tx: Tx, merchantId: string, id: string): Promise<Checkout | undefined> =>
  tx.maybe<Checkout>(sql`select ${COLUMNS} from checkout where merchant_id = ${merchantId} and id = ${id}`);

export const selectCheckoutOfSession = (tx: Tx, merchantId: string, sessionId: string): Promise<Checkout | undefined> =>
  tx.maybe<Checkout>(
    sql`select ${COLUMNS} from checkout where merchant_id = ${merchantId} and session_id = ${sessionId}`,
  );

/** The unfinished checkouts of a link, and (of a form) its result. The link is locked. */
export const selectCheckoutsOfLink = (tx: Tx, merchantId: string, linkId: string, form: string | null) =>
  tx.rows<Checkout>(sql`
    select ${COLUMNS} from checkout
     where merchant_id = ${merchantId} and link_id = ${linkId}
       and (${form}::text is null and completed_at is null or form = ${form})
     order by created_at, id`);

/** Deletes the typed details, which now belong to the customer. */
export const markCheckoutCompleted = (tx: Tx, { merchantId, id }: Checkout, now: Instant): Promise<number> =>
  tx.run(sql`
    update checkout set completed_at = ${now}, typed = null
     where merchant_id = ${merchantId} and id = ${id} and completed_at is null`);

export const deleteCheckout = (tx: Tx, { merchantId, id }: Checkout): Promise<number> =>
  tx.run(sql`delete from checkout where merchant_id = ${merchantId} and id = ${id} and completed_at is null`);

/** Deletes the typed details of unfinished checkouts, of all merchants, so many at most. @returns their number */
export const forgetUnfinished = async (database: Database, expiredBefore: Instant, most: number): Promise<number> =>
  Number(
    (
      await database.transaction('nobody', (tx) =>
        tx.one<{ count: bigint }>(sql`select forget_checkouts(${expiredBefore}, ${most}) as count`),
      )
    ).count,
  );
