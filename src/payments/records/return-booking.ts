import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { post } from '../../ledger/index.ts';
import type { PaymentReceipt } from './receipts.sql.ts';

/** What of a receipt paid its invoice; what was more is in the wallet and does not go back with the invoice. */
export const owned = ({ amount, overpaid }: PaymentReceipt): Decimal => amount.minus(overpaid);

/** What a refund owed to whoever paid has left. What was more than the invoice asked is in the wallet and stays. */
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
