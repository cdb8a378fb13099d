import { callingStripePlainly, openStripeClient, type StripeOptions } from '../../payments/index.ts';
import type { TaxProvider } from '../port.ts';
import { calculate, validateAddress } from './calculations.ts';
import { commit, createCreditNote, voidCreditNote } from './transactions.ts';

/**
 * Stripe Tax, on the keys of the integration with Stripe. It keeps nothing: each call opens the account that it is for.
 */
export const createStripeTax = (options: StripeOptions): TaxProvider => ({
  name: 'stripe_tax',
  integration: 'stripe',
  probe: async (account) => {
    const { status, status_details: details } = await callingStripePlainly(() =>
      openStripeClient(account, options).tax.settings.retrieve(),
    );
    if (status === 'active') return { ready: true };
    const missing = details.pending?.missing_fields ?? [];
    const what = missing.length > 0 ? `, missing: ${missing.join(', ')}` : '';
    return { ready: false, reason: `Stripe Tax is not active on this account (status ${status}${what}).` };
  },
  validateAddress: (account, address) => validateAddress(openStripeClient(account, options), address),
  calculate: (account, request) => calculate(openStripeClient(account, options), request),
  commit: (account, request) => commit(openStripeClient(account, options), request),
  createCreditNote: (account, request) => createCreditNote(openStripeClient(account, options), request),
  voidCreditNote: (account, request) => voidCreditNote(openStripeClient(account, options), request),
});
