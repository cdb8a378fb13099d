import {
  ListOf,
  ListQuery,
  listReply,
  Metadata,
  Nullable,
  pageOf,
  type Route,
  route,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { ok } from '../kernel/result.ts';
import { type Instant, parseInstant } from '../kernel/time.ts';
import { listMethods, makeDefault, removeMethod } from './records/methods.ts';
import { PaymentMethodReply, PaymentSessionReply, publicMethod, publicSession } from './replies.ts';
import type { PaymentEnvironment } from './session-routes.ts';
import { openSetup } from './setup.ts';

const TAG = 'Customers';
const ofCustomer = { merchant: { of: 'id', kind: 'customer' } } as const;

const PaymentMethodSetup = Strict(
  {
    successRedirectUrl: Type.Optional(Nullable(Text())),
    failureRedirectUrl: Type.Optional(Nullable(Text())),
    expiresAt: Type.Optional(Timestamp),
    metadata: Type.Optional(Metadata),
  },
  { $id: 'PaymentMethodSetup' },
);

/** The operations on payment methods: list, set up by a session, make default, remove (api.md, Invoices and payments). */
export const methodRoutes = ({ publicUrl, environment }: PaymentEnvironment): readonly Route[] => [
  route(
    {
      method: 'GET',
      path: '/v0/customers/:id/paymentMethods',
      operationId: 'listPaymentMethods',
      tag: TAG,
      summary: "List a customer's payment methods",
      access: { role: 'viewer', ...ofCustomer },
      query: ListQuery({}),
      replies: { 200: ListOf(PaymentMethodReply) },
    },
    async ({ tx, merchantId, params, query }) => {
      const owner = { merchantId, customerId: params.id };
      const listed = await listMethods(tx, owner, pageOf(query));
      if (!listed.ok) return listed;
      const { rows, total } = listed.value;
      return ok(listReply({ data: rows.map(publicMethod), total }, pageOf(query)));
    },
  ),
  route(
    {
      method: 'POST',
      path: '/v0/customers/:id/paymentMethods',
      operationId: 'setUpPaymentMethod',
      tag: TAG,
      summary: 'Open a session in which the customer stores a card',
      description: 'Send the customer to its `url`. A session of this kind that is open for the customer expires.',
      access: { role: 'member', ...ofCustomer },
      body: PaymentMethodSetup,
      replies: { 201: PaymentSessionReply },
      errors: [409],
    },
    async ({ tx, now, merchantId, params, body }) => {
      const { expiresAt, ...request } = body;
      const opened = await openSetup(
        tx,
        environment,
        { merchantId, customerId: params.id },
        { ...request, ...(expiresAt !== undefined && { expiresAt: parseInstant(expiresAt) as Instant }) },
        now,
      );
      return opened.ok ? ok(publicSession(opened.value, publicUrl)) : opened;
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/v0/customers/:id/paymentMethods/:paymentMethodId',
      operationId: 'deletePaymentMethod',
      tag: TAG,
      summary: 'Delete a payment method',
      description: 'Where it was the default, the one that was stored last takes its place.',
      access: { role: 'member', ...ofCustomer },
      replies: { 204: Type.Null() },
    },
    async ({ tx, merchantId, params }) =>
      removeMethod(tx, { merchantId, customerId: params.id }, params.paymentMethodId),
  ),
  route(
    {
      method: 'POST',
      path: '/v0/customers/:id/paymentMethods/:paymentMethodId/default',
      operationId: 'setDefaultPaymentMethod',
      tag: TAG,
      summary: 'Set the default payment method',
      access: { role: 'member', ...ofCustomer },
      replies: { 200: PaymentMethodReply },
    },
    async ({ tx, merchantId, params }) => {
      const owner = { merchantId, customerId: params.id };
      const method = await makeDefault(tx, owner, params.paymentMethodId);
      return method.ok ? ok(publicMethod(method.value)) : method;
    },
  ),
];
