import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { post } from '../../ledger/index.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import { type InvoiceRow, payerOf } from '../invoice/invoice.ts';

/**
 * A part of an invoice is given back: of what was unpaid the customer owes no more, the remainder is in the wallet.
 * @param owed how much it takes off what was unpaid, and off what is owed again because a refund was voided after it
 *   had left
 */
export const bookCredit = (
  tx: Tx,
  invoice: InvoiceRow,
  note: CreditNoteRow,
  { off, offAgain }: { readonly off: Decimal; readonly offAgain: Decimal },
  now: Instant,
): Promise<void> => {
  const { merchantId, id: invoiceId, currency } = invoice;
  const customerId = payerOf(invoice);
  return post(
    tx,
    {
      merchantId,
      key: `credit:${note.id}`,
      reason: 'credit',
      invoiceId,
      currency,
      entries: [
        { account: 'revenue', customerId: null, amount: note.amount },
        { account: 'tax', customerId: null, amount: note.taxAmount },
        { account: 'receivable', customerId, amount: off.negated() },
        { account: 'owed_again', customerId, amount: offAgain.negated() },
        { account: 'wallet', customerId, amount: off.plus(offAgain).minus(note.total) },
      ],
    },
    now,
  );
};
