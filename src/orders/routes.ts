import { type Route, routesOf } from '../http/index.ts';
import { ok, type Result } from '../kernel/result.ts';
import type { OrderDependencies } from './dependencies.ts';
import { lineRoutes } from './line-routes.ts';
import type { Order } from './order.ts';
import { createOrder, deleteOrder, getOrder, listOrders, updateOrderBy } from './orders.ts';
import { toOrderReplies, toOrderReply } from './present.ts';
import { MOST_KEYS_OF_AN_ORDER, OrderCreateBody, OrderListQuery, OrderUpdateBody, orderReply } from './schemas.ts';

const api = routesOf('Orders');
const one = { of: 'id', kind: 'order' } as const;

/** `/v0/orders` and the lines of an order (§4, Orders and approvals). */
export function orderRoutes(dependencies: OrderDependencies): readonly Route[] {
  const OrderReply = orderReply(dependencies.scheduleReply);
  const answer = async (tx: Parameters<typeof toOrderReply>[1], order: Result<Order>) =>
    order.ok ? ok(await toOrderReply(dependencies, tx, order.value)) : order;
  return [
    api.post('/v0/orders', 'createOrder', {
      summary: 'Create an order',
      description:
        'Creates a draft with its lines. `totalAmount` is the sum of the lines unless you name another one. Nothing ' +
        'is invoiced before the order is approved and has a billing schedule. On a test clock (`testClockId`, ' +
        'sandbox only) the order follows the time of that clock.',
      access: { role: 'member', merchant: 'body', by: ['customerId'] },
      body: OrderCreateBody,
      mostKeys: MOST_KEYS_OF_AN_ORDER,
      replies: { 201: OrderReply },
      handler: async ({ tx, body, now }) => answer(tx, await createOrder(dependencies, tx, body, now)),
    }),
    api.list('/v0/orders', 'listOrders', {
      summary: 'List orders',
      description:
        'The newest order comes first. `status=cancelled` lists the orders with `cancelledAt`; the other statuses ' +
        'exclude them.',
      access: { role: 'viewer', merchant: 'query', by: ['customerId'] },
      query: OrderListQuery,
      of: OrderReply,
      list: async ({ tx, merchantId, query, page }) => {
        const { data, total } = await listOrders(tx, merchantId, query, page);
        return { rows: await toOrderReplies(dependencies, tx, data), total };
      },
    }),
    api.get('/v0/orders/:id', 'getOrder', {
      summary: 'Retrieve an order',
      description:
        'Answers the order with its lines and billing schedules. `dataSnapshotHash` is the hash of the content that ' +
        'an approval is given for.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: OrderReply },
      handler: async ({ tx, merchantId, params }) => answer(tx, await getOrder(tx, { merchantId, id: params.id })),
    }),
    api.patch('/v0/orders/:id', 'updateOrder', {
      summary: 'Update an order',
      description:
        'A change of money or dates cancels pending approvals. If nothing of the order was invoiced, it is a draft ' +
        'again. `cancelledAt` cancels the order, once. A cancelled order cannot change any more: 409.',
      access: { role: 'member', merchant: one },
      body: OrderUpdateBody,
      replies: { 200: OrderReply },
      errors: [409],
      handler: async ({ tx, merchantId, params, body, caller, now }) => {
        const key = { merchantId, id: params.id };
        return answer(tx, await updateOrderBy(dependencies, tx, key, body, { by: caller.userId, wall: now }));
      },
    }),
    api.delete('/v0/orders/:id', 'deleteOrder', {
      summary: 'Delete a draft order',
      description: 'Deletes the order with its lines. An order that is no draft is a 409.',
      access: { role: 'member', merchant: one },
      errors: [409],
      handler: async ({ tx, merchantId, params, now }) =>
        deleteOrder(dependencies, tx, { merchantId, id: params.id }, now),
    }),
    ...lineRoutes(dependencies),
  ];
}
