import { ListOf, listReply, pageOf, Reply, type Route, route, Type } from '../http/index.ts';
import { notFound, ok } from '../kernel/result.ts';
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

export interface CustomerDependencies extends CustomerHooks {
  /** The obstacles to the deletion of a customer, one check for each domain. */
  readonly blockers: readonly CustomerBlocker[];
}

const byId = { of: 'id', kind: 'customer' } as const;

const toCreatedReply = (customer: Customer) => ({ ...publicCustomer(customer), customerId: customer.id });

/** Customers (api.md, Customers and wallet). */
export const customerRoutes = (dependencies: CustomerDependencies): readonly Route[] => [
  route(
    {
      method: 'POST',
      path: '/v0/customers',
      operationId: 'createCustomer',
      tag: 'Customers',
      summary: 'Create a customer',
      description:
        'The `externalId` identifies the customer. A known one with the same content answers 200; with ' +
        'other content it is 409 `EXTERNAL_ID_TAKEN`. Without an `externalId` the e-mail address ' +
        'identifies it: 200, or 409 `CUSTOMER_EXISTS` where name or address differ. Events that named ' +
        'the `externalId` before are linked at once.',
      access: { role: 'member', merchant: 'body', by: ['consumerId'] },
      body: CustomerCreateBody,
      replies: { 201: CustomerCreatedReply, 200: CustomerCreatedReply },
      errors: [409],
    },
    async ({ tx, now, merchantId, body }) => {
      const made = await createCustomer(tx, merchantId, body, now, dependencies);
      if (!made.ok) return made;
      const { customer, created } = made.value;
      return ok(new Reply(created ? 201 : 200, toCreatedReply(customer)));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/customers',
      operationId: 'listCustomers',
      tag: 'Customers',
      summary: 'List customers',
      description:
        'Newest first. Filters of name and e-mail address find parts of at least three characters, in any case.',
      access: { role: 'viewer', merchant: 'query', by: ['organizationId'] },
      query: CustomerFilterQuery,
      replies: { 200: ListOf(CustomerReply) },
    },
    async ({ tx, merchantId, query: { organizationId, updatedFrom, ...query } }) => {
      const consumer = organizationId !== undefined && organizationId !== merchantId;
      const filter = {
        ...query,
        merchantId,
        ...(consumer && { consumerId: organizationId }),
        ...(updatedFrom !== undefined && { updatedFrom: instantOf(updatedFrom) }),
      };
      const page = pageOf(query);
      const { data, total } = await listCustomers(tx, filter, page);
      return ok(listReply({ data: data.map(publicCustomer), total }, page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/customers/:id',
      operationId: 'getCustomer',
      tag: 'Customers',
      summary: 'Retrieve a customer',
      description: 'Answers one customer. An unknown or deleted id is a 404.',
      access: { role: 'viewer', merchant: byId },
      replies: { 200: CustomerReply },
    },
    async ({ tx, merchantId, params }) => {
      const found = await findCustomer(tx, merchantId, params.id);
      return found ? ok(publicCustomer(found)) : notFound('customer');
    },
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/customers/:id',
      operationId: 'updateCustomer',
      tag: 'Customers',
      summary: 'Update a customer',
      description:
        'A field that is not sent stays as it is. `taxRates` and `metadata` are replaced whole. ' +
        '`externalId: null` unlinks the customer; its old events stay. `PATCH /v0/organizations/{id}` ' +
        'changes name and addresses.',
      access: { role: 'member', merchant: byId },
      body: CustomerUpdateBody,
      replies: { 200: CustomerReply },
      errors: [409],
    },
    async ({ tx, now, merchantId, params, body }) => {
      const changed = await changeCustomer(tx, { merchantId, id: params.id }, body, now, dependencies);
      return changed.ok ? ok(publicCustomer(changed.value)) : changed;
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/v0/customers/:id',
      operationId: 'deleteCustomer',
      tag: 'Customers',
      summary: 'Delete a customer',
      description:
        'Refused with 409 and the blockers while the customer has subscriptions, orders, open invoices, ' +
        'entitlements or money in a wallet. Issued invoices stay. Its `externalId` is free again.',
      access: { role: 'member', merchant: byId },
      replies: { 204: Type.Null() },
      errors: [409],
    },
    ({ tx, now, merchantId, params }) => deleteCustomer(tx, { merchantId, id: params.id }, now, dependencies),
  ),
];
