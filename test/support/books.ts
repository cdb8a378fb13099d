import { expect } from 'vitest';
import { type Scope, type Sql, sql } from '../../src/db/index.ts';
import type { TestEnvironment } from './environment.ts';

/** What must hold in the ledger of every merchant, whatever has happened: each finds the rows for which it does not. */
const rules: Record<string, Sql> = {
  'every transaction balances': sql`
    select merchant_id, transaction_id, sum(amount) from ledger_entry
     group by merchant_id, transaction_id having sum(amount) <> 0`,
  'a wallet holds what its entries come to': sql`
    select merchant_id, customer_id, currency, wallet.balance, -sum(entry.amount) as replayed
      from wallet left join (select * from ledger_entry where account = 'wallet') entry
           using (merchant_id, customer_id, currency)
     group by merchant_id, customer_id, currency, wallet.balance
    having wallet.balance <> -coalesce(sum(entry.amount), 0) or wallet.balance < 0`,
  'an invoice is owed where it is numbered and open; without a number, what was paid ahead is owed to the customer': sql`
    select invoice.id, invoice.status, invoice.invoice_number, coalesce(sum(entry.amount), 0) as receivable
      from invoice
      left join ledger_transaction booked on booked.merchant_id = invoice.merchant_id and booked.invoice_id = invoice.id
      left join ledger_entry entry on entry.merchant_id = booked.merchant_id and entry.transaction_id = booked.id
                                  and entry.account = 'receivable'
     group by invoice.merchant_id, invoice.id
    having coalesce(sum(entry.amount), 0) <> case
             when invoice.status not in ('ISSUED', 'PAYMENT_FAILED') then 0
             when invoice.invoice_number is null then -invoice.paid_amount
             else invoice.unpaid_amount end`,
  'what an invoice asks for the wallet is due while it is numbered and open': sql`
    select invoice.id, invoice.status, due.amount, asked.amount as asked
      from invoice
      cross join lateral (
        select coalesce(sum(total_amount), 0) as amount from invoice_line line
         where line.merchant_id = invoice.merchant_id and line.invoice_id = invoice.id and line.type = 'wallet_top_up') asked
      cross join lateral (
        select coalesce(sum(entry.amount), 0) as amount
          from ledger_transaction booked
          join ledger_entry entry on entry.merchant_id = booked.merchant_id and entry.transaction_id = booked.id
         where booked.merchant_id = invoice.merchant_id and booked.invoice_id = invoice.id and entry.account = 'top_ups_due') due
     where due.amount <> case
             when invoice.status in ('ISSUED', 'PAYMENT_FAILED') and invoice.invoice_number is not null then -asked.amount
             else 0 end`,
  'what the wallet paid of an invoice is booked': sql`
    select invoice.id, invoice.wallet_applied
      from invoice
      left join ledger_transaction booked on booked.merchant_id = invoice.merchant_id
                                         and booked.key = 'wallet:' || invoice.id
      left join ledger_entry entry on entry.merchant_id = booked.merchant_id and entry.transaction_id = booked.id
                                  and entry.account = 'wallet'
     where invoice.wallet_applied <> coalesce(entry.amount, 0)`,
  'cash is what came in for invoices less what was returned, each of them once': sql`
    select merchant_id, currency, coalesce(cash, 0) as cash, coalesce(moved, 0) as moved
      from (select merchant_id, currency, sum(amount) as cash from ledger_entry where account = 'cash'
             group by merchant_id, currency) booked
      full join (select merchant_id, currency,
                        sum(amount - case when return_status = 'returned' then amount else 0 end) as moved
                   from payment_receipt where invoice_id is not null group by merchant_id, currency) receipts
           using (merchant_id, currency)
     where coalesce(cash, 0) <> coalesce(moved, 0)`,
  'what refunds owe is what was asked to go back and has not left': sql`
    select merchant_id, currency, coalesce(payable, 0) as payable, coalesce(asked, 0) as asked
      from (select merchant_id, currency, sum(amount) as payable from ledger_entry where account = 'refunds_payable'
             group by merchant_id, currency) booked
      full join (select merchant_id, currency,
                        sum(amount - coalesce((to_jsonb(payment_receipt) ->> 'overpaid')::numeric, 0)) as asked
                   from payment_receipt where return_status in ('requested', 'manual') group by merchant_id, currency) receipts
           using (merchant_id, currency)
     where coalesce(payable, 0) <> -coalesce(asked, 0)`,
};

/** Holds the books of one merchant, or of all in an environment, to what they promise (reliability I-41, I-43 to I-45). */
export async function expectBooksToBalance(
  env: Pick<TestEnvironment, 'database'>,
  merchant?: { id: string },
): Promise<void> {
  const scope: Scope = merchant ? { merchants: [merchant.id] } : 'every merchant, reading';
  for (const [rule, violations] of Object.entries(rules)) {
    const found = await env.database.transaction(scope, (tx) => tx.rows(violations));
    expect({ rule, found }).toEqual({ rule, found: [] });
  }
}
