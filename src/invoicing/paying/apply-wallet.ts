import type { Tx } from '../../db/index.ts';
import { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { lockedWalletBalance } from '../../ledger/index.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { changeInvoice } from '../invoice/invoices.sql.ts';
import { sellsForMoneyOnly } from './bookings.sql.ts';
import { bookWalletApplied } from './bookings.ts';

/**
 * Row 10 of domain.md §4: what is in the customer's wallet pays the invoice as it is issued, as far as it goes. Tax is on
 * the full amount all the same: the wallet pays and takes nothing off.
 */
export async function applyWallet(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<InvoiceRow> {
  const { merchant_id, customer_id, currency, unpaid_amount } = invoice;
  if (unpaid_amount.isZero() || (await sellsForMoneyOnly(tx, invoice))) return invoice;
  const held = await lockedWalletBalance(tx, merchant_id, customer_id, currency);
  const amount = Decimal.min(held, unpaid_amount);
  if (amount.isZero()) return invoice;
  await bookWalletApplied(tx, invoice, amount, now);
  const changes = { wallet_applied: amount, paid_amount: invoice.paid_amount.plus(amount) };
  return changeInvoice(tx, invoice, changes, now);
}
