import { Reply, type Route, routesOf } from '../http/index.ts';
import { mapped, notFound, ok } from '../kernel/result.ts';
import { instantOf } from '../kernel/time.ts';
import type { CustomerBlocker } from './blockers.ts';
import { type Customer, publicCustomer } from './customer.ts';
import {
  type CustomerHooks,
  changeCustomer,
  createCustomer,
  deleteCustomer,
  findCustomer,
  listCustomers,
} from './customers.ts';
import {
  CustomerCreateBody,
  CustomerCreatedReply,
  CustomerFilterQuery,
  CustomerReply,
  CustomerUpdateBody,
} from './schemas.ts';

const api = routesOf('Customers');

export interface CustomerDependencies extends CustomerHooks {
  /** The obstacles to the deletion of a customer, one check for each domain. */
  readonly blockers: readonly CustomerBlocker[];
}

const byId = { of: 'id', kind: 'customer' } as const;

const toCreatedReply = (customer: Customer) => ({ ...publicCustomer(customer), customerId: customer.id });

/** Customers (api.md, Customers and wallet). */
export const customerRoutes = (dependencies: CustomerDependencies): readonly Route[] => [
  api.post('/v0/customers', 'createCustomer', {
    summary: 'Create a customer',
    description:
      'The `externalId` identifies the customer. A known one with the same content answers 200; with other content ' +
      'it is 409 `EXTERNAL_ID_TAKEN`. Without an `externalId` the e-mail address identifies it: 200, or 409 ' +
      '`CUSTOMER_EXISTS` where name or address differ. Events that named the `externalId` before are linked at once.',
    access: { role: 'member', merchant: 'body', by: ['consumerId'] },
    body: CustomerCreateBody,
    replies: { 201: CustomerCreatedReply, 200: CustomerCreatedReply },
    errors: [409],
    handler: async ({ tx, now, body }) => {
      const made = await createCustomer(tx, body, now, dependencies);
      if (!made.ok) return made;
      const { customer, created } = made.value;
      return ok(new Reply(created ? 201 : 200, toCreatedReply(customer)));
    },
  }),
  api.list('/v0/customers', 'listCustomers', {
    summary: 'List customers',
    description:
      'Newest first. Filters of name and e-mail address find parts of at least three characters, in any case.',
    access: { role: 'viewer', merchant: 'query', by: ['organizationId'] },
    query: CustomerFilterQuery,
    of: CustomerReply,
    list: async ({ tx, merchantId, query: { organizationId, updatedFrom, ...query }, page }) => {
      const consumer = organizationId !== undefined && organizationId !== merchantId;
      const filter = {
        ...query,
        merchantId,
        ...(consumer && { consumerId: organizationId }),
        ...(updatedFrom !== undefined && { updatedFrom: instantOf(updatedFrom) }),
      };
      return listCustomers(tx, filter, page);
    },
    each: publicCustomer,
  }),
  api.get('/v0/customers/:id', 'getCustomer', {
    summary: 'Retrieve a customer',
    description: 'Answers one customer. An unknown or deleted id is a 404.',
    access: { role: 'viewer', merchant: byId },
    replies: { 200: CustomerReply },
    handler: async ({ tx, params }) => {
      const found = await findCustomer(tx, params.id);
      return found ? ok(publicCustomer(found)) : notFound('customer');
    },
  }),
  api.patch('/v0/customers/:id', 'updateCustomer', {
    summary: 'Update a customer',
    description:
      'A field that is not sent stays as it is. `taxRates` and `metadata` are replaced whole. `externalId: null` ' +
      'unlinks the customer; its old events stay. `PATCH /v0/organizations/{id}` changes name and addresses.',
    access: { role: 'member', merchant: byId },
    body: CustomerUpdateBody,
    replies: { 200: CustomerReply },
    errors: [409],
    handler: async ({ tx, now, merchantId, params, body }) =>
      mapped(await changeCustomer(tx, { merchantId, id: params.id }, body, now, dependencies), publicCustomer),
  }),
  api.delete('/v0/customers/:id', 'deleteCustomer', {
    summary: 'Delete a customer',
    description:
      'Refused with 409 and the blockers while the customer has subscriptions, orders, open invoices, entitlements ' +
      'or money in a wallet, and while it pays for others. Issued invoices stay. Its `externalId` is free again.',
    access: { role: 'member', merchant: byId },
    errors: [409],
    handler: ({ tx, now, merchantId, params }) => deleteCustomer(tx, { merchantId, id: params.id }, now, dependencies),
  }),
];
