import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import { post } from '../../ledger/index.ts';
import type { PaymentReceipt } from './receipts.sql.ts';
import type { TakenOfPayment } from './return-states.ts';

/**
 * The part of a receipt that goes back with its invoice: not the excess, which is in the wallet, nor what others took
 * before.
 */
export const owned = ({ amount, overpaid, lessDisputed, lessOutside }: PaymentReceipt): Decimal =>
  amount.minus(overpaid).minus(lessDisputed).minus(lessOutside);

/** A refund to the payer has left. The excess over the invoice is in the wallet and stays. */
export const bookReturn = (tx: Tx, receipt: PaymentReceipt, now: Instant): Promise<void> =>
  post(
    tx,
    {
      merchantId: receipt.merchantId,
      key: `return:${receipt.id}`,
      reason: 'money_returned',
      invoiceId: receipt.invoiceId,
      currency: receipt.currency,
      entries: [
        { account: 'refunds_payable', customerId: null, amount: owned(receipt) },
        { account: 'cash', customerId: null, amount: owned(receipt).negated() },
      ],
    },
    now,
  );

/**
 * Of money that was to go back others took a part: it is owed no more, and that part was credited without money. The
 * key follows the refund's own, so that its void undoes both.
 */
export const bookLess = (
  tx: Tx,
  { merchantId, returnRefundId, invoiceId, currency }: PaymentReceipt,
  { disputed, outside }: TakenOfPayment,
  now: Instant,
): Promise<void> =>
  post(
    tx,
    {
      merchantId,
      key: `refund:${returnRefundId}:${newId('ledgerTransaction')}`,
      reason: 'refund',
      invoiceId,
      currency,
      entries: [
        { account: 'refunds_payable', customerId: null, amount: disputed.plus(outside) },
        { account: 'disputes', customerId: null, amount: disputed.negated() },
        { account: 'returned_outside', customerId: null, amount: outside.negated() },
      ],
    },
    now,
  );
