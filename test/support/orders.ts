import type { Resource, Shop } from './shop.ts';

type Fields = Record<string, unknown>;

/** A line of an order: two at 50.00 by default. */
export const orderLine = (fields: Fields = {}): Fields => ({
  quantity: '2',
  listUnitPrice: '50',
  unitPrice: '50',
  totalPrice: '100',
  ...fields,
});

/** The body of an order in USD over the year 2026, with one line by default. */
export const orderBody = (customer: Resource, fields: Fields = {}): Fields => ({
  customerId: customer.id,
  currency: 'USD',
  termStartDate: '2026-01-01T00:00:00Z',
  termEndDate: '2027-01-01T00:00:00Z',
  lineItems: [orderLine()],
  ...fields,
});

/** A draft order of a customer. */
export const newOrder = (shop: Shop, customer: Resource, fields: Fields = {}): Promise<Resource> =>
  shop.create('/v0/orders', orderBody(customer, fields));
