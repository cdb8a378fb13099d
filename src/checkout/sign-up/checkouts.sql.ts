import { type Database, insertion, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Checkout } from './checkout.ts';

const INSERTED = sql`merchant_id, id, link_id, form, plan_version_id, typed, coupons, details_print, amount, tax, currency,
  customer_id, subscription_id, invoice_id, session_id, expires_at, created_at`;
const COLUMNS = sql`${INSERTED}, completed_at`;

export const insertCheckout = (tx: Tx, checkout: Checkout): Promise<Checkout> =>
  tx.one<Checkout>(
    sql`${insertion('checkout', withJsonb(checkout, 'typed', 'coupons'), INSERTED)} returning ${COLUMNS}`,
  );

export const selectCheckout = (tx: Tx, id: string): Promise<Checkout | undefined> =>
  tx.maybe<Checkout>(sql`select ${COLUMNS} from checkout where merchant_id = ${tx.merchantId} and id = ${id}`);

export const selectCheckoutOfForm = (tx: Tx, linkId: string, form: string): Promise<Checkout | undefined> =>
  tx.maybe<Checkout>(sql`
    select ${COLUMNS} from checkout where merchant_id = ${tx.merchantId} and link_id = ${linkId} and form = ${form}`);

export const selectCheckoutOfSession = (tx: Tx, sessionId: string): Promise<Checkout | undefined> =>
  tx.maybe<Checkout>(
    sql`select ${COLUMNS} from checkout where merchant_id = ${tx.merchantId} and session_id = ${sessionId}`,
  );

/** The unfinished checkouts of some sessions. */
export const selectUnfinishedOfSessions = (tx: Tx, sessionIds: readonly string[]): Promise<Checkout[]> =>
  tx.rows<Checkout>(sql`
    select ${COLUMNS} from checkout
     where merchant_id = ${tx.merchantId} and session_id = any (${[...sessionIds]}::text[]) and completed_at is null`);

/** No form, and nobody's details. */
export const EVERYBODY = { form: null, detailsPrint: null } as const;

/** The unfinished checkouts of a link, or of one person's details; and (of a form) its result. The link is locked. */
export const selectCheckoutsOfLink = (
  tx: Tx,
  linkId: string,
  { form, detailsPrint }: { readonly form: string | null; readonly detailsPrint: Buffer | null },
) =>
  tx.rows<Checkout>(sql`
    select ${COLUMNS} from checkout
     where merchant_id = ${tx.merchantId} and link_id = ${linkId}
       and ((${form}::text is null or details_print = ${detailsPrint}) and completed_at is null or form = ${form})
     order by created_at, id`);

/** Has somebody with these details finished a checkout of the link since then? */
export const hasFinished = async (
  tx: Tx,
  { merchantId, linkId, detailsPrint }: Pick<Checkout, 'merchantId' | 'linkId' | 'detailsPrint'>,
  since: Instant,
): Promise<boolean> =>
  (await tx.maybe(sql`
    select from checkout
     where merchant_id = ${merchantId} and link_id = ${linkId} and details_print = ${detailsPrint}
       and completed_at > ${since} limit 1`)) !== undefined;

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
