import { insertion, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** Has an invoice told of once it is overdue, where its own due time is for its retries; once. */
export const scheduleOverdue = (tx: Tx, { merchantId, id, clockId }: InvoiceRow, at: Instant): Promise<number> =>
  tx.run(sql`${insertion('invoice_overdue', { merchantId, id, clockId, nextActionAt: at })} on conflict do nothing`);

export const markOverdueDone = (tx: Tx, id: string): Promise<number> =>
  tx.run(sql`update invoice_overdue set next_action_at = null where merchant_id = ${tx.merchantId} and id = ${id}`);

/** Has the subscription of an invoice ended in a step of its own; once. */
export const scheduleDunningEnd = (tx: Tx, { merchantId, id, clockId }: InvoiceRow, now: Instant): Promise<number> =>
  tx.run(sql`${insertion('dunning_end', { merchantId, id, clockId, nextActionAt: now })} on conflict do nothing`);

export const markDunningEndDone = (tx: Tx, id: string): Promise<number> =>
  tx.run(sql`update dunning_end set next_action_at = null where merchant_id = ${tx.merchantId} and id = ${id}`);
