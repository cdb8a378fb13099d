import { createdReply, type Route, routesOf } from '../../http/index.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant } from '../../kernel/time.ts';
import { sessionUrl } from '../../payments/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { WalletTopUpCreateBody, WalletTopUpReply } from './wallet-schemas.ts';
import { type TopUp, topUpWallet } from './wallet-top-ups.ts';

const api = routesOf('Customers');

/** The top-up of a wallet (api.md, Customers and wallet); the ledger has its balance. */
export const walletTopUpRoute = (dependencies: InvoicingDependencies): Route =>
  api.post('/v0/customers/:id/wallet/topUps', 'topUpWallet', {
    summary: 'Top up the wallet of a customer',
    description:
      'Makes an invoice without tax and a payment session. The money is in the wallet once the invoice is `PAID`. If ' +
      'the session expires, the invoice is cancelled. The same `idempotencyKey` again answers 200 with the first ' +
      'top-up.',
    access: { role: 'member', merchant: { of: 'id', kind: 'customer' } },
    body: WalletTopUpCreateBody,
    replies: { 201: WalletTopUpReply, 200: WalletTopUpReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, now }) =>
      createdReply(await topUpWallet(dependencies, tx, { merchantId, customerId: params.id }, body, now), (made) =>
        toTopUpReply(dependencies, made),
      ),
  });

const toTopUpReply = ({ publicUrl }: InvoicingDependencies, { invoice, session }: TopUp): WalletTopUpReply => ({
  object: 'wallet_top_up',
  invoiceId: invoice.id,
  customerId: invoice.customerId,
  amount: formatMoney(invoice.grandTotal, invoice.currency),
  currency: invoice.currency,
  paymentSessions: session
    ? [
        {
          url: sessionUrl(publicUrl, session.id),
          expiresAt: formatInstant(session.expiresAt),
          amount: formatMoney(session.amount, session.currency),
        },
      ]
    : [],
});
