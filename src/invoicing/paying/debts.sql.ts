import { insertion, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

/** The part of a reversed payment that its payer had spent from the wallet. */
export interface PaymentDebt {
  readonly merchantId: string;
  readonly paymentId: string;
  /** Who owes it. */
  readonly customerId: string;
  readonly currency: string;
  readonly amount: Decimal;
  /** The number of the invoice that the payment was for: more than it asked came, so it was paid and has one. */
  readonly sourceNumber: string;
  /** The invoice that collects it; null: it waits for the next one. */
  readonly invoiceId: string | null;
  readonly createdAt: Instant;
}

export const insertDebt = (tx: Tx, debt: PaymentDebt): Promise<number> => tx.run(insertion('payment_debt', debt));

/** The debts of some customers that no invoice collects yet, the oldest first; locked, so that one invoice does. */
export const lockWaitingDebts = (tx: Tx, customerIds: readonly string[]): Promise<PaymentDebt[]> =>
  tx.rows<PaymentDebt>(sql`
    select * from payment_debt
     where merchant_id = ${tx.merchantId} and customer_id = any (${[...customerIds]}::text[]) and invoice_id is null
     order by created_at, payment_id for update`);

/** The debts of a customer that no invoice collects yet: they block its deletion. */
export const selectWaitingDebts = (tx: Tx, customerId: string) =>
  tx.rows<{ paymentId: string; currency: string; amount: string }>(sql`
    select payment_id, currency, amount::text as amount from payment_debt
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId} and invoice_id is null
     order by created_at, payment_id`);

/** An invoice collects some debts. */
export const updateCollected = (tx: Tx, invoiceId: string, paymentIds: readonly string[]): Promise<number> =>
  tx.run(sql`
    update payment_debt set invoice_id = ${invoiceId}
     where merchant_id = ${tx.merchantId} and payment_id = any (${[...paymentIds]}::text[]) and invoice_id is null`);

/** An invoice that collected debts is cancelled: they wait for the next one again. */
export const updateToCollectAgain = (tx: Tx, invoiceId: string): Promise<number> =>
  tx.run(sql`
    update payment_debt set invoice_id = null where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId}`);
