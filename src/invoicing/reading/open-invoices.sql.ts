import { sql, type Tx } from '../../db/index.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** The open period of a subscription that closes next: of one series, or of all (of two that end together the older one). */
export const nextToClose = (
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  cadence: string | null,
): Promise<InvoiceRow | undefined> =>
  tx.maybe<InvoiceRow>(sql`
    select * from invoice
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and kind = 'subscription' and status = 'ACTIVE'
       and (${cadence}::text is null or billing_cadence = ${cadence})
     order by period_end, seq limit 1`);
