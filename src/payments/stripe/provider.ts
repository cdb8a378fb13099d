import type { Stripe } from 'stripe';
import { type ProviderKeys, ProviderRefused, type RemoteProvider } from '../provider/remote.ts';
import { charge, findCharge, findRefund, listCharges, refund } from './charges.ts';
import { expireCheckout, openCheckout, readCheckout } from './checkout.ts';
import { callingPlainly, openClient, type StripeOptions } from './client.ts';
import { readNotice, resolve } from './notices.ts';

export interface StripeProviderOptions extends StripeOptions {
  /** Real money needs live keys, and the sandbox takes test keys only. Another server than Stripe takes any key. */
  readonly environment: 'production' | 'sandbox';
}

/** Stripe, as a payment provider. It keeps nothing: each call opens the account that it is for. */
export function createStripeProvider(options: StripeProviderOptions): RemoteProvider {
  const open = (account: ProviderKeys): Stripe => openClient(account, options);
  return {
    name: 'stripe',
    probe: async (account) => {
      checkKey(account.secretKey, options);
      const { id } = await callingPlainly(() => open(account).accounts.retrieveCurrent());
      return { externalId: id };
    },
    openCheckout: (account, request) => openCheckout(open(account), request),
    expireCheckout: (account, reference) => expireCheckout(open(account), reference),
    readCheckout: (account, reference) => readCheckout(open(account), reference),
    charge: (account, request) => charge(open(account), request),
    findCharge: (account, request) => findCharge(open(account), request),
    listCharges: (account, since) => listCharges(open(account), since),
    refund: (account, request) => refund(open(account), request),
    findRefund: (account, request) => findRefund(open(account), request),
    readNotice,
    resolve: (account, notice) => resolve(open(account), notice),
  };
}

/** @throws ProviderRefused for a key of the other world */
function checkKey(secretKey: string, { environment, apiUrl }: StripeProviderOptions): void {
  if (apiUrl !== undefined) return;
  const [mode, here] = environment === 'production' ? ['live', 'production'] : ['test', 'the sandbox'];
  if (!secretKey.startsWith(`sk_${mode}_`) && !secretKey.startsWith(`rk_${mode}_`))
    throw new ProviderRefused(`Here a secret key begins with sk_${mode}_ or rk_${mode}_: this is ${here}.`, 'account');
}
