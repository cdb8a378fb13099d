import { insertion, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { creditUses, IS_REFUNDED } from '../difference/billing-credits.sql.ts';

/** What else paid an invoice and pays it no longer: money that its payer had spent, or a credit used elsewhere. */
export interface PaymentDebt {
  readonly merchantId: string;
  /** The payment, or the credit note and the billing credit: there is one debt of each. */
  readonly id: string;
  /** Reversed; the payer had spent this part of it from the wallet. */
  readonly paymentId: string | null;
  /** Its void made an invoice use a billing credit again that has less by now. */
  readonly creditNoteId: string | null;
  readonly billingCreditId: string | null;
  /** Who owes it. */
  readonly customerId: string;
  readonly currency: string;
  readonly amount: Decimal;
  /** What of it was collected and went into the wallet, because the credit pays it after all. */
  readonly returned: Decimal;
  /** The number of the invoice that was paid so. */
  readonly sourceNumber: string;
  /** The invoice that collects it; null: it waits for the next one. */
  readonly invoiceId: string | null;
  readonly createdAt: Instant;
}

export type NewDebt = Omit<PaymentDebt, 'id' | 'returned' | 'invoiceId'>;

/** @throws where the debt of the same source is there */
export const insertDebt = (tx: Tx, debt: NewDebt): Promise<number> => tx.run(insertion('payment_debt', debt));

/** The debts of some customers that no invoice collects yet, the oldest first; locked, so that one invoice does. */
export const lockWaitingDebts = (tx: Tx, customerIds: readonly string[]): Promise<PaymentDebt[]> =>
  tx.rows<PaymentDebt>(sql`
    select * from payment_debt
     where merchant_id = ${tx.merchantId} and customer_id = any (${[...customerIds]}::text[]) and invoice_id is null
       and amount > 0
     order by created_at, id for update`);

/** The debts of a customer that no invoice collects yet: they block its deletion. */
export const selectWaitingDebts = (tx: Tx, customerId: string) =>
  tx.rows<Pick<PaymentDebt, 'paymentId' | 'billingCreditId' | 'currency'> & { amount: string }>(sql`
    select payment_id, billing_credit_id, currency, amount::text as amount from payment_debt
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId} and invoice_id is null and amount > 0
     order by created_at, id`);

/** An invoice collects some debts. */
export const updateCollected = (tx: Tx, invoiceId: string, ids: readonly string[]): Promise<number> =>
  tx.run(sql`
    update payment_debt set invoice_id = ${invoiceId}
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[]) and invoice_id is null`);

/** An invoice that collected debts is cancelled: they wait for the next one again. */
export const updateToCollectAgain = (tx: Tx, invoiceId: string): Promise<number> =>
  tx.run(sql`
    update payment_debt set invoice_id = null where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId}`);

/** A billing credit that its lines take more of than it has, or did; and what of that is owed by now. */
export interface MissingCredit {
  readonly id: string;
  readonly currency: string;
  readonly missing: Decimal;
  readonly owed: Decimal;
}

/** Those of some credits, which the caller has locked, of which another amount is owed than is missing. */
export const selectMissingCredits = (tx: Tx, creditIds: readonly string[]): Promise<MissingCredit[]> =>
  tx.rows<MissingCredit>(sql`
    select b.id, b.currency, u.missing, d.owed
      from billing_credit b cross join lateral (${creditUses()}) u
     cross join lateral (
       select coalesce(sum(d.amount - d.returned), 0) as owed from payment_debt d
        where d.merchant_id = ${tx.merchantId} and d.billing_credit_id = b.id) d
     where b.merchant_id = ${tx.merchantId} and b.id = any (${[...creditIds]}::text[]) and u.missing <> d.owed
     order by b.id`);

/** A debt of a credit, with the invoice that the credit pays. */
export type DebtOfCredit = PaymentDebt & { readonly paidInvoiceId: string };

/**
 * The debts of a credit, those that wait first; locked. Not those that nobody pays: their invoice was refunded or
 * written off.
 */
export const lockDebtsOfCredit = (tx: Tx, creditId: string): Promise<DebtOfCredit[]> =>
  tx.rows<DebtOfCredit>(sql`
    select d.*, n.invoice_id as paid_invoice_id
      from payment_debt d
      join credit_note n on n.merchant_id = d.merchant_id and n.id = d.credit_note_id
      left join invoice i on i.merchant_id = d.merchant_id and i.id = d.invoice_id
     where d.merchant_id = ${tx.merchantId} and d.billing_credit_id = ${creditId} and d.amount > d.returned
       and (i.id is null or i.status in ('ISSUED', 'PAYMENT_FAILED', 'PAID') and not ${IS_REFUNDED})
     order by d.invoice_id is not null, d.created_at desc, d.id for update of d`);

/** A credit pays a debt after all, or a part of it. */
export const updateDebt = (tx: Tx, { id, amount, returned }: PaymentDebt): Promise<number> =>
  tx.run(sql`
    update payment_debt set amount = ${amount}, returned = ${returned}
     where merchant_id = ${tx.merchantId} and id = ${id}`);
