import { Reply, type Route, routesOf } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import { instantOrNull } from '../../kernel/time.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { ReasonBody } from '../invoice/schemas.ts';
import { selectBillingCreditPage } from './billing-credits.sql.ts';
import { createBillingCredit, creditBalance, readCredits, voidBillingCredit } from './billing-credits.ts';
import {
  BillingCreditCreateBody,
  BillingCreditListQuery,
  BillingCreditReply,
  CreditBalanceQuery,
  CreditBalanceReply,
  toBalanceReply,
  toBillingCreditReply,
} from './schemas.ts';

const api = routesOf('Billing credits');
const ofCustomer = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'customer' } }) as const;

/** The billing credits of a customer (commercial.md §3). */
export const billingCreditRoutes = (dependencies: InvoicingDependencies): readonly Route[] => [
  api.post('/v0/customers/:id/billingCredits', 'createBillingCredit', {
    summary: 'Give a customer a billing credit',
    description:
      'Money before tax. It pays lines of invoices: usage by the time of its events, fees by the start of their ' +
      'service. The same `idempotencyKey` again answers 200 with the first credit.',
    access: ofCustomer('member'),
    body: BillingCreditCreateBody,
    replies: { 201: BillingCreditReply, 200: BillingCreditReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => {
      const made = await createBillingCredit(dependencies, tx, params.id, body, now);
      return made.ok ? ok(new Reply(made.value.isNew ? 201 : 200, toBillingCreditReply(made.value))) : made;
    },
  }),
  api.list('/v0/customers/:id/billingCredits', 'listBillingCredits', {
    summary: 'List the billing credits of a customer',
    description: 'The newest credit comes first.',
    access: ofCustomer('viewer'),
    query: BillingCreditListQuery,
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
    handler: async ({ tx, params, query: { currency, at }, now }) => {
      const of = { currency, at: instantOrNull(at) };
      return ok(toBalanceReply(params.id, currency, await creditBalance(dependencies, tx, params.id, of, now)));
    },
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
    handler: async ({ tx, params, now }) => {
      const voided = await voidBillingCredit(dependencies, tx, params.id, now);
      return voided.ok ? ok(toBillingCreditReply(voided.value)) : voided;
    },
  }),
];
