import { createdReply, type Route, routesOf } from '../../http/index.ts';
import { mapped, ok } from '../../kernel/result.ts';
import { instantOrNull } from '../../kernel/time.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { ReasonBody } from '../invoice/schemas.ts';
import { selectBillingCreditPage } from './billing-credits.sql.ts';
import { createBillingCredit, readCredits, voidBillingCredit } from './billing-credits.ts';
import { gatheredBalances } from './gathered-balances.ts';
import { BillingCreditPurchaseBody, BillingCreditPurchaseReply, toPurchaseReply } from './purchase-schemas.ts';
import { buyBillingCredit } from './purchases.ts';
import {
  BillingCreditCreateBody,
  BillingCreditReply,
  CreditBalanceQuery,
  CreditBalanceReply,
  toBalanceReply,
  toBillingCreditReply,
} from './schemas.ts';
import { CreditTopUpBody, CreditTopUpReply, toTopUpReply } from './top-up-schemas.ts';
import { deleteTopUp, getTopUp, setTopUp } from './top-ups.ts';

const api = routesOf('Billing credits');
const ofCustomer = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'customer' } }) as const;

/** The billing credits of a customer (commercial.md §3). */
export const billingCreditRoutes = (
  dependencies: InvoicingDependencies,
  balances = gatheredBalances(dependencies),
): readonly Route[] => [
  api.post('/v0/customers/:id/billingCredits', 'createBillingCredit', {
    summary: 'Give a customer a billing credit',
    description:
      'Money before tax. It pays lines of invoices: usage by the time of its events, fees by the start of their ' +
      'service. The same `idempotencyKey` again answers 200 with the first credit.',
    access: ofCustomer('member'),
    body: BillingCreditCreateBody,
    replies: { 201: BillingCreditReply, 200: BillingCreditReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) =>
      createdReply(await createBillingCredit(dependencies, tx, params.id, body, now), toBillingCreditReply),
  }),
  api.list('/v0/customers/:id/billingCredits', 'listBillingCredits', {
    summary: 'List the billing credits of a customer',
    description: 'The newest credit comes first.',
    access: ofCustomer('viewer'),
    of: BillingCreditReply,
    list: async ({ tx, params, page, now }) => {
      const { rows, total } = await selectBillingCreditPage(tx, params.id, page);
      const read = await readCredits(dependencies, tx, params.id, rows, now);
      return { rows: read.map(toBillingCreditReply), total };
    },
  }),
  api.get('/v0/customers/:id/billingCredits/balance', 'getBillingCreditBalance', {
    summary: 'Retrieve the billing credit balance of a customer',
    description: 'In one currency. `pending` is what the usage and fees of open periods will use.',
    access: ofCustomer('viewer'),
    query: CreditBalanceQuery,
    replies: { 200: CreditBalanceReply },
    free: async ({ query: { currency, at }, params: { id: customerId }, ...request }) => {
      const balance = await balances(request, { customerId, currency, at: instantOrNull(at) });
      return ok(toBalanceReply(customerId, currency, balance));
    },
  }),
  api.post('/v0/customers/:id/billingCredits/purchase', 'purchaseBillingCredit', {
    summary: 'Sell a billing credit to a customer',
    description:
      'Makes an invoice over the price and a payment session. The credit is made in the transaction that marks the ' +
      'invoice `PAID`. If the session expires, the invoice is cancelled. The same `idempotencyKey` again answers ' +
      '201 with the first purchase; another amount or price is a 409.',
    access: ofCustomer('member'),
    body: BillingCreditPurchaseBody,
    replies: { 201: BillingCreditPurchaseReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) =>
      mapped(await buyBillingCredit(dependencies, tx, params.id, body, now), (made) =>
        toPurchaseReply(dependencies, made),
      ),
  }),
  api.put('/v0/customers/:id/creditTopUp', 'setCreditTopUp', {
    summary: 'Top up billing credits automatically',
    description:
      'Buys credits by the stored card when less than the threshold is available, one at a time. Three declined ' +
      'charges in a row pause it, until it is set again. Without a stored card: 409 `PAYMENT_METHOD_REQUIRED`.',
    access: ofCustomer('member'),
    body: CreditTopUpBody,
    replies: { 200: CreditTopUpReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) =>
      mapped(await setTopUp(dependencies, tx, params.id, body, now), toTopUpReply),
  }),
  api.get('/v0/customers/:id/creditTopUp', 'getCreditTopUp', {
    summary: 'Retrieve the automatic top-up of a customer',
    description: 'If there is none: 404.',
    access: ofCustomer('viewer'),
    replies: { 200: CreditTopUpReply },
    handler: async ({ tx, params }) => mapped(await getTopUp(tx, params.id), toTopUpReply),
  }),
  api.delete('/v0/customers/:id/creditTopUp', 'deleteCreditTopUp', {
    summary: 'End the automatic top-up of a customer',
    description: 'A top-up that is being paid still makes its credit.',
    access: ofCustomer('member'),
    handler: ({ tx, params }) => deleteTopUp(tx, params.id),
  }),
  api.post('/v0/billingCredits/:id/void', 'voidBillingCredit', {
    summary: 'Void a billing credit',
    description:
      'It pays no service from now on. Issued invoices stay as they are, and what open periods used before is still ' +
      'paid. If nothing is left: 409.',
    access: { role: 'member', merchant: { of: 'id', kind: 'billingCredit' } },
    body: ReasonBody,
    replies: { 200: BillingCreditReply },
    errors: [409],
    handler: async ({ tx, params, now }) =>
      mapped(await voidBillingCredit(dependencies, tx, params.id, now), toBillingCreditReply),
  }),
];
