import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** Has an invoice told of once it is overdue, where its own due time is for its retries; once. */
export const scheduleOverdue = (tx: Tx, invoice: InvoiceRow, at: Instant): Promise<number> =>
  tx.run(sql`
    insert into invoice_overdue (merchant_id, id, clock_id, next_action_at)
    values (${invoice.merchantId}, ${invoice.id}, ${invoice.clockId}, ${at})
    on conflict do nothing`);

export const markOverdueDone = (tx: Tx, merchantId: string, id: string): Promise<number> =>
  tx.run(sql`update invoice_overdue set next_action_at = null where merchant_id = ${merchantId} and id = ${id}`);

/** Has the subscription of an invoice ended in a step of its own; once. */
export const scheduleDunningEnd = (tx: Tx, invoice: InvoiceRow, now: Instant): Promise<number> =>
  tx.run(sql`
    insert into dunning_end (merchant_id, id, clock_id, next_action_at)
    values (${invoice.merchantId}, ${invoice.id}, ${invoice.clockId}, ${now})
    on conflict do nothing`);

export const markDunningEndDone = (tx: Tx, merchantId: string, id: string): Promise<number> =>
  tx.run(sql`update dunning_end set next_action_at = null where merchant_id = ${merchantId} and id = ${id}`);
