import type { Tx } from '../../db/index.ts';
import { Decimal, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import { post } from '../../ledger/index.ts';
import { type InvoiceRow, payerOf } from '../invoice/invoice.ts';
import {
  type DebtOfCredit,
  insertDebt,
  lockDebtsOfCredit,
  type NewDebt,
  selectMissingCredits,
  updateDebt,
} from './debts.sql.ts';

/** An invoice stands again, because a credit note over it was voided. */
interface StandsAgain {
  readonly noteId: string;
  /** The credits that may pay it, locked. */
  readonly creditIds: readonly string[];
}

/**
 * A void takes back what is left of what credits had back; what is used elsewhere by now, by drafts too, its payer owes
 * (commercial.md §3, Billing credits).
 */
export async function oweUsedElsewhere(
  tx: Tx,
  invoice: InvoiceRow,
  { noteId, creditIds }: StandsAgain,
  now: Instant,
): Promise<void> {
  for (const { id, currency, missing, owed } of await selectMissingCredits(tx, creditIds)) {
    if (missing.lte(owed)) continue;
    const debt = {
      ...{ merchantId: tx.merchantId, paymentId: null, creditNoteId: noteId, billingCreditId: id },
      ...{ customerId: payerOf(invoice), currency, amount: missing.minus(owed), createdAt: now },
      sourceNumber: invoice.invoiceNumber as string, // credit notes are over invoices with a number
    };
    await insertDebt(tx, debt);
    await book(tx, { ...debt, paidInvoiceId: invoice.id }, { to_collect: debt.amount }, now);
  }
}

/**
 * Lines that were missing a credit have it again, because something else gave it back: the debt goes. What an invoice
 * has collected of it goes into the wallet.
 * @param creditIds of credits that are locked
 */
export async function payDebtsByCredits(tx: Tx, creditIds: readonly string[], now: Instant): Promise<void> {
  for (const { id, missing, owed } of await selectMissingCredits(tx, creditIds)) {
    let more = owed.minus(missing);
    for (const debt of await lockDebtsOfCredit(tx, id)) {
      const paid = Decimal.min(more, debt.amount.minus(debt.returned));
      if (paid.lte(0)) break;
      more = more.minus(paid);
      const isWaiting = debt.invoiceId === null;
      await updateDebt(
        tx,
        isWaiting ? { ...debt, amount: debt.amount.minus(paid) } : { ...debt, returned: debt.returned.plus(paid) },
      );
      await book(tx, debt, { [isWaiting ? 'to_collect' : 'wallet']: paid.negated() }, now);
    }
  }
}

/**
 * A debt, above 0, or less of it: as if the customer had bought more of the credit, which was used at once. Reports
 * count that by its key.
 */
async function book(
  tx: Tx,
  {
    merchantId,
    billingCreditId,
    customerId,
    currency,
    paidInvoiceId: invoiceId,
  }: NewDebt & Pick<DebtOfCredit, 'paidInvoiceId'>,
  { to_collect = ZERO, wallet = ZERO }: { readonly to_collect?: Decimal; readonly wallet?: Decimal },
  now: Instant,
): Promise<void> {
  const amount = to_collect.plus(wallet);
  const id = newId('ledgerTransaction');
  const deferred = { account: 'deferred_credits', customerId } as const;
  await post(
    tx,
    {
      ...{ merchantId, currency, invoiceId, key: `credit_debt:${billingCreditId}:${id}` },
      reason: amount.gt(0) ? 'refund_voided' : 'credit',
      entries: [
        { account: 'to_collect', customerId, amount: to_collect },
        { account: 'wallet', customerId, amount: wallet },
        { ...deferred, amount: amount.negated() },
      ],
    },
    now,
  );
  await post(
    tx,
    {
      ...{ merchantId, currency, key: `earned:debt:${id}`, reason: 'credits_earned' },
      entries: [
        { ...deferred, amount },
        { account: 'revenue', customerId: null, amount: amount.negated() },
      ],
    },
    now,
  );
}
