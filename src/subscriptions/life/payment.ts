import type { Tx } from '../../db/index.ts';
import { describeUpfront, type InvoiceRow, upfrontInvoiceOf } from '../../invoicing/index.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { cardPaymentOf } from './trial-card.ts';
import { UPFRONT } from './upfront.ts';

/**
 * `payment` of a subscription (api.md): what it waits for, as it is now, or (in the answer to its creation) what was
 * paid at once; null where nothing is asked.
 * @param made the upfront invoice, in the transaction that made the subscription
 */
export async function paymentOf(
  { invoicing }: Pick<SubscriptionDependencies, 'invoicing'>,
  tx: Tx,
  subscription: SubscriptionRow,
  made: InvoiceRow | null = null,
) {
  const { id, status } = subscription;
  const isWaiting = status === 'pending_payment';
  const invoice = made ?? (isWaiting ? await upfrontInvoiceOf(tx, UPFRONT, id) : undefined);
  if (isWaiting && !invoice) return cardPaymentOf(tx, invoicing.publicUrl, subscription);
  if (!invoice || (!isWaiting && invoice.status !== 'PAID')) return null;
  const { amount, upfrontCharges, walletCharge, session } = await describeUpfront(invoicing, tx, invoice);
  if (!isWaiting) {
    const nothing = { breakdown: null, checkoutUrl: null, paymentSessionId: null };
    return { status: 'paid' as const, amount, invoiceId: invoice.id, ...nothing };
  }
  if (invoice.status === 'DRAFT') return { status: 'awaiting_approval' as const, amount, invoiceId: invoice.id };
  return {
    status: 'pending' as const,
    amount,
    breakdown: { upfrontCharges, walletCharge },
    checkoutUrl: session?.url ?? null,
    paymentSessionId: session?.id ?? null,
    invoiceId: invoice.id,
  };
}
