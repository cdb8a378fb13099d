import type { Connection } from '../calls/dependencies.ts';
import { type CheckoutState, ProviderAway, ProviderRefused } from '../provider/remote.ts';
import { type Checkout, selectLiveCheckoutsOf } from '../records/checkouts.sql.ts';
import type { PaymentDependencies } from '../sessions/completion.ts';
import { recordCheckoutState } from './checkouts.ts';

interface ChargedInvoice {
  readonly merchantId: string;
  readonly invoiceId: string;
  /** Takes the charge back, so that the page may pay. */
  readonly withdraw: () => Promise<void>;
}

/**
 * Ends the pages at the provider by which a customer could pay an invoice, before its stored card is charged (I-32).
 * If the customer was faster, the charge is withdrawn, and then the page pays.
 * @returns `paid`: on a page, or the bank is being asked there; `unknown`: a page may still be paid by
 */
export async function endPages(
  dependencies: PaymentDependencies,
  { provider, account }: Connection,
  { withdraw, ...of }: ChargedInvoice,
): Promise<'ended' | 'paid' | 'unknown'> {
  const { merchantId } = of;
  const live = await dependencies.remote.database.transaction({ merchants: [merchantId] }, (tx) =>
    selectLiveCheckoutsOf(tx, of),
  );
  let isPaid = false;
  for (const checkout of live) {
    const { id, reference, accountId } = checkout;
    if (reference === null || accountId !== account.externalId) continue; // nobody has its address, or can end it
    try {
      const state = await provider.expireCheckout(account, reference);
      if (pays(state, checkout)) {
        isPaid = true;
        await withdraw();
      }
      await recordCheckoutState(dependencies, { merchantId, id }, state);
    } catch (error) {
      if (error instanceof ProviderAway || error instanceof ProviderRefused) return 'unknown';
      throw error;
    }
  }
  return isPaid ? 'paid' : 'ended';
}

/**
 * Does a page pay the requested amount, now or after the bank's answer? Other money goes back, and the card is charged.
 */
const pays = (state: CheckoutState, { amount, currency }: Checkout): boolean =>
  state.status === 'processing' || (state.status === 'paid' && state.amount.eq(amount) && state.currency === currency);
