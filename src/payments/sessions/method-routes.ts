import { Metadata, Nullable, type Route, routesOf, Strict, Text, Timestamp, Type } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import { instantOf } from '../../kernel/time.ts';
import { listMethods, makeDefault, removeMethod } from '../records/methods.ts';
import { PaymentMethodReply, PaymentSessionReply, publicMethod, publicSession } from './replies.ts';
import type { PaymentEnvironment } from './session-routes.ts';
import { openSetup } from './setup.ts';

const api = routesOf('Customers');
const ofCustomer = { merchant: { of: 'id', kind: 'customer' } } as const;

const PaymentMethodSetupBody = Strict(
  {
    successRedirectUrl: Type.Optional(Nullable(Text())),
    failureRedirectUrl: Type.Optional(Nullable(Text())),
    expiresAt: Type.Optional(Timestamp),
    metadata: Type.Optional(Metadata),
  },
  {
    $id: 'PaymentMethodSetup',
    examples: [{ successRedirectUrl: 'https://app.example/account' }],
    'x-fields': {
      successRedirectUrl: 'The address after the card is stored. `https`, or `http` to localhost in the sandbox.',
      failureRedirectUrl: 'The address after the customer leaves the page.',
      expiresAt: 'The time from which the page can no longer be used. Default: a day from now.',
    },
  },
);

/**
 * The operations on payment methods: list, set up by a session, make default, remove (api.md, Invoices and payments).
 */
export const methodRoutes = ({ publicUrl, environment }: PaymentEnvironment): readonly Route[] => [
  api.list('/v0/customers/:id/paymentMethods', 'listPaymentMethods', {
    summary: 'List the payment methods of a customer',
    description: 'The default card has `isDefault`. Automatic charges use it.',
    access: { role: 'viewer', ...ofCustomer },
    of: PaymentMethodReply,
    list: ({ tx, merchantId, params, page }) => listMethods(tx, { merchantId, customerId: params.id }, page),
    each: publicMethod,
  }),
  api.post('/v0/customers/:id/paymentMethods', 'setUpPaymentMethod', {
    summary: 'Open a session in which the customer stores a card',
    description:
      'Nothing is charged. Send the customer to the `url` of the session. An open session of this kind for the ' +
      'customer expires.',
    access: { role: 'member', ...ofCustomer },
    body: PaymentMethodSetupBody,
    replies: { 201: PaymentSessionReply },
    errors: [409],
    handler: async ({ tx, now, merchantId, params, body }) => {
      const { expiresAt, ...request } = body;
      const opened = await openSetup(
        tx,
        environment,
        { merchantId, customerId: params.id },
        { ...request, ...(expiresAt !== undefined && { expiresAt: instantOf(expiresAt) }) },
        now,
      );
      return opened.ok ? ok(publicSession(opened.value, publicUrl)) : opened;
    },
  }),
  api.delete('/v0/customers/:id/paymentMethods/:paymentMethodId', 'deletePaymentMethod', {
    summary: 'Delete a payment method',
    description:
      'The card is never charged again. If it was the default one, the card that was stored last takes its place.',
    access: { role: 'member', ...ofCustomer },
    handler: async ({ tx, merchantId, params }) =>
      removeMethod(tx, { merchantId, customerId: params.id }, params.paymentMethodId),
  }),
  api.post('/v0/customers/:id/paymentMethods/:paymentMethodId/default', 'setDefaultPaymentMethod', {
    summary: 'Set the default payment method',
    description: 'Automatic charges use this card from now on.',
    access: { role: 'member', ...ofCustomer },
    replies: { 200: PaymentMethodReply },
    handler: async ({ tx, merchantId, params }) => {
      const owner = { merchantId, customerId: params.id };
      const method = await makeDefault(tx, owner, params.paymentMethodId);
      return method.ok ? ok(publicMethod(method.value)) : method;
    },
  }),
];
