import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';

/** A check of a customer's address with the merchant's tax provider; its id is the customer's. */
export interface AddressCheckRow {
  readonly merchantId: string;
  readonly id: string;
  readonly lookUps: number;
  /** When the customer was made, or its address was changed. */
  readonly askedAt: Instant;
}

export const selectAddressCheck = (tx: Tx, id: string): Promise<AddressCheckRow> =>
  tx.one<AddressCheckRow>(sql`
    select merchant_id, id, look_ups, asked_at from tax_address_check
     where merchant_id = ${tx.merchantId} and id = ${id}`);

/**
 * @param at the time of the next question; null: it has its answer, or there is no provider. A repeated question stays
 * due.
 */
export const updateAddressCheck = (
  tx: Tx,
  { merchantId, id, askedAt }: AddressCheckRow,
  lookUps: number,
  at: Instant | null,
): Promise<number> =>
  tx.run(sql`
    update tax_address_check set look_ups = ${lookUps}, next_action_at = ${at}
     where merchant_id = ${merchantId} and id = ${id} and asked_at = ${askedAt}`);
