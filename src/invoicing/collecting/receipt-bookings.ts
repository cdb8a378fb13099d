import { findPayer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { creditWallet, type LedgerReason, post } from '../../ledger/index.ts';
import type { PaymentReceipt } from '../../payments/index.ts';
import type { ReceiptRow } from './receipt.ts';
import { lockReceipt, updateApplicationReversed } from './receipts.sql.ts';

/*
 * Money that names no invoice is cash that its customer may ask back (`unapplied`). What is applied to an invoice
 * leaves the cash here, and comes in for the invoice as every payment does: so the books of an invoice know no
 * receipts.
 */

/** Above 0: money comes, or comes back. Below 0: it leaves. */
const book = (
  tx: Tx,
  { merchantId, customerId, currency }: ReceiptRow,
  what: { readonly key: string; readonly reason: LedgerReason },
  amount: Decimal,
  now: Instant,
): Promise<void> =>
  post(
    tx,
    {
      merchantId,
      ...what,
      currency,
      entries: [
        { account: 'cash', customerId: null, amount },
        { account: 'unapplied', customerId, amount: amount.negated() },
      ],
    },
    now,
  );

/** The money came. */
export const bookReceipt = (tx: Tx, receipt: ReceiptRow, now: Instant): Promise<void> =>
  book(tx, receipt, { key: `receipt:${receipt.id}`, reason: 'receipt' }, receipt.amount, now);

/** A part of it pays an invoice. */
export const bookApplied = (tx: Tx, receipt: ReceiptRow, id: string, amount: Decimal, now: Instant): Promise<void> =>
  book(tx, receipt, { key: `applied:${id}`, reason: 'receipt_applied' }, amount.negated(), now);

/** A part of it is in the wallet of who pays for the customer. */
export async function bookIntoWallet(
  tx: Tx,
  { merchantId, customerId, currency }: ReceiptRow,
  id: string,
  amount: Decimal,
  now: Instant,
): Promise<void> {
  const against = { account: 'unapplied', customerId } as const;
  const of = { merchantId, customerId: await findPayer(tx, customerId), currency };
  await creditWallet(tx, { ...of, key: `applied:${id}`, reason: 'receipt_applied', amount, against }, now);
}

/** What was left of it went back to the payer. */
export const bookReturned = (tx: Tx, receipt: ReceiptRow, amount: Decimal, now: Instant): Promise<void> => {
  const key = `receipt_return:${receipt.id}:${receipt.returnedAmount.toFixed()}`;
  return book(tx, receipt, { key, reason: 'receipt_returned' }, amount.negated(), now);
};

/** A payment by it is reversed: the money is its again. */
export async function bookGivenBack(
  tx: Tx,
  { id, amount }: Pick<PaymentReceipt, 'id' | 'amount'>,
  receiptId: string,
  now: Instant,
): Promise<void> {
  const receipt = await lockReceipt(tx, receiptId);
  await updateApplicationReversed(tx, id, now);
  await book(tx, receipt, { key: `given_back:${id}`, reason: 'payment_reversed' }, amount, now);
}
