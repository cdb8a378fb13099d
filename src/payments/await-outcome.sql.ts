import { sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';

/** A charge or a return of an invoice that a provider outside is asked for. */
export interface OpenCall {
  readonly kind: 'charge' | 'return';
  readonly id: string;
  readonly clockId: string | null;
  /** The start of the call to the provider, running or with an unknown outcome; null: not yet. */
  readonly begunAt: Instant | null;
}

/** The calls of an invoice that are waiting, or were made and not looked up yet, in the order of their locks. */
export const selectOpenCalls = (
  tx: Tx,
  { merchantId, invoiceId }: { merchantId: string; invoiceId: string },
): Promise<OpenCall[]> =>
  tx.rows<OpenCall>(sql`
    select 'charge' as kind, id, clock_id, sent_at as begun_at from payment_charge
     where merchant_id = ${merchantId} and invoice_id = ${invoiceId} and provider <> 'sandbox'
       and provider_token is not null and status in ('intended', 'sent') and look_ups = 0
    union all
    select 'return', id, clock_id, return_started_at from payment_receipt
     where merchant_id = ${merchantId} and invoice_id = ${invoiceId} and provider <> 'sandbox'
       and return_status = 'requested' and return_look_ups = 0
     order by kind, id`);
