import { type Route, routesOf } from '../http/index.ts';
import { mapped, ok, type Result } from '../kernel/result.ts';
import type { OrderDependencies } from './dependencies.ts';
import { createLine, deleteLine, getLine, type LineOfOrder, listLines, updateLine } from './line-items.ts';
import { toLineReply } from './present.ts';
import {
  OrderLineItemCreateBody,
  OrderLineItemListQuery,
  OrderLineItemReply,
  OrderLineItemUpdateBody,
} from './schemas.ts';

const api = routesOf('Orders');
const ofOrder = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'order' } }) as const;

const answer = (found: Result<LineOfOrder>) =>
  found.ok ? ok(toLineReply(found.value.line, found.value.order)) : found;

/** `/v0/orders/{id}/lineItems` (api.md). */
export const lineRoutes = (dependencies: OrderDependencies): readonly Route[] => [
  api.post('/v0/orders/:id/lineItems', 'createOrderLineItem', {
    summary: 'Add a line item to an order',
    description:
      'The figures must agree: `unitPrice` is `listUnitPrice` less `discountUnitAmount`, and `totalPrice` is ' +
      '`quantity` times `unitPrice`. A 400 names each field that disagrees. The change cancels pending approvals of ' +
      'the order.',
    access: ofOrder('member'),
    body: OrderLineItemCreateBody,
    replies: { 201: OrderLineItemReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, caller, now }) => {
      const key = { merchantId, id: params.id };
      return answer(await createLine(dependencies, tx, key, body, { by: caller.userId, wall: now }));
    },
  }),
  api.list('/v0/orders/:id/lineItems', 'listOrderLineItems', {
    summary: 'List the line items of an order',
    description: 'The lines come in pages. `GET /v0/orders/{id}` has them all.',
    access: ofOrder('viewer'),
    query: OrderLineItemListQuery,
    of: OrderLineItemReply,
    list: async ({ tx, merchantId, params, page }) =>
      mapped(await listLines(tx, { merchantId, id: params.id }, page), ({ order, data, total }) => ({
        rows: data.map((line) => toLineReply(line, order)),
        total,
      })),
  }),
  api.get('/v0/orders/:id/lineItems/:lineItemId', 'getOrderLineItem', {
    summary: 'Retrieve a line item of an order',
    description: 'Answers one line with its figures.',
    access: ofOrder('viewer'),
    replies: { 200: OrderLineItemReply },
    handler: async ({ tx, merchantId, params }) =>
      answer(await getLine(tx, { order: { merchantId, id: params.id }, id: params.lineItemId })),
  }),
  api.patch('/v0/orders/:id/lineItems/:lineItemId', 'updateOrderLineItem', {
    summary: 'Update a line item of an order',
    description:
      '`unitPrice` and `totalPrice` follow from the other figures unless you send them. The change cancels pending ' +
      'approvals of the order.',
    access: ofOrder('member'),
    body: OrderLineItemUpdateBody,
    replies: { 200: OrderLineItemReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, caller, now }) => {
      const key = { order: { merchantId, id: params.id }, id: params.lineItemId };
      return answer(await updateLine(dependencies, tx, key, body, { by: caller.userId, wall: now }));
    },
  }),
  api.delete('/v0/orders/:id/lineItems/:lineItemId', 'deleteOrderLineItem', {
    summary: 'Delete a line item of an order',
    description: 'The total of the order follows. The change cancels pending approvals of the order.',
    access: ofOrder('member'),
    errors: [409],
    handler: async ({ tx, merchantId, params, caller, now }) => {
      const key = { order: { merchantId, id: params.id }, id: params.lineItemId };
      return deleteLine(dependencies, tx, key, { by: caller.userId, wall: now });
    },
  }),
];
