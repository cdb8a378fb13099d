import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { post } from '../../ledger/index.ts';
import type { PaymentReceipt } from './receipts.sql.ts';

/** The part of a receipt that paid its invoice; the excess is in the wallet and does not go back with the invoice. */
export const owned = ({ amount, overpaid }: PaymentReceipt): Decimal => amount.minus(overpaid);

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
