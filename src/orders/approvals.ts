import type { ApprovalResource, LockedResource } from '../approvals/index.ts';
import { ok } from '../kernel/result.ts';
import { findOrder, lockOrder } from './load.ts';
import { markApproved, markRecalled, markRejected, markSubmitted, markWithdrawn, snapshotOfOrder } from './moves.ts';
import type { OrderParts } from './parts.ts';

/** How approvals reach orders (domain.md §6). */
export const orderApprovals = (parts: OrderParts): ApprovalResource => ({
  lock: async (tx, key, wall) => {
    const locked = await lockOrder(tx, key, wall);
    if (!locked.ok) return locked;
    const { order, now } = locked.value;
    return ok<LockedResource>({
      ...key,
      ...(await snapshotOfOrder(parts, tx, order)),
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
      request: () => markSubmitted(parts, tx, order, now),
      approve: () => markApproved(parts, tx, order, now),
      reject: () => markRejected(parts, tx, order, now),
      recall: () => markRecalled(parts, tx, order, now),
      withdraw: () => markWithdrawn(parts, tx, order, now),
    });
  },
  find: async (tx, key) => {
    const order = await findOrder(tx, key);
    return order ? snapshotOfOrder(parts, tx, order) : null;
  },
});
