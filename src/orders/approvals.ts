import type { ApprovalResource, LockedResource } from '../approvals/index.ts';
import { ok } from '../kernel/result.ts';
import type { OrderDependencies } from './dependencies.ts';
import { findOrder, lockOrder } from './load.ts';
import { contentOfOrder, markApproved, markRecalled, markRejected, markSubmitted, markWithdrawn } from './moves.ts';

/** How approvals reach orders (domain.md §6). */
export const orderApprovals = (dependencies: OrderDependencies): ApprovalResource => ({
  lock: async (tx, key, wall) => {
    const locked = await lockOrder(tx, key, wall);
    if (!locked.ok) return locked;
    const { order, now } = locked.value;
    return ok<LockedResource>({
      ...key,
      ...(await contentOfOrder(dependencies, tx, order)),
      customerId: order.customerId,
      now,
      isReleased: false,
      entityIds: [
        ...new Set([
          order.id,
          order.customerId,
          ...order.lineItems.flatMap(({ itemId }) => (itemId === null ? [] : [itemId])),
        ]),
      ],
      request: () => markSubmitted(dependencies, tx, order, now),
      approve: () => markApproved(dependencies, tx, order, now),
      reject: () => markRejected(dependencies, tx, order, now),
      recall: () => markRecalled(dependencies, tx, order, now),
      withdraw: () => markWithdrawn(dependencies, tx, order, now),
    });
  },
  find: async (tx, key) => {
    const order = await findOrder(tx, key);
    return order ? contentOfOrder(dependencies, tx, order) : null;
  },
});
