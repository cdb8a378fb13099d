import { insertion, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CreditTopUp } from './top-up.ts';

/** @param lock until the transaction ends nobody else tops up */
export const selectTopUp = (tx: Tx, customerId: string, lock = false): Promise<CreditTopUp | undefined> =>
  tx.maybe<CreditTopUp>(sql`
    select * from credit_top_up where merchant_id = ${tx.merchantId} and customer_id = ${customerId}
    ${lock ? sql`for no key update` : sql``}`);

/** Stores what is said of it anew. What is being paid goes on. */
export const insertTopUp = (tx: Tx, topUp: CreditTopUp): Promise<CreditTopUp> =>
  tx.one<CreditTopUp>(sql`
    ${insertion('credit_top_up', topUp)}
    on conflict (merchant_id, customer_id) do update
      set currency = excluded.currency, threshold = excluded.threshold, amount = excluded.amount,
          expires_after = excluded.expires_after, maximum_per_month = excluded.maximum_per_month,
          status = excluded.status, declines = excluded.declines, clock_id = excluded.clock_id,
          updated_at = excluded.updated_at
    returning *`);

export const updateTopUp = (
  tx: Tx,
  { customerId, status, declines, invoiceId }: CreditTopUp,
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    update credit_top_up
       set status = ${status}, declines = ${declines}, invoice_id = ${invoiceId}, updated_at = ${now}
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId}`);

export const deleteTopUpRow = async (tx: Tx, customerId: string): Promise<boolean> =>
  (await tx.run(sql`
    delete from credit_top_up where merchant_id = ${tx.merchantId} and customer_id = ${customerId}`)) === 1;
