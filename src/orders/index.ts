/** All that other domains may use of orders. */
export { orderApprovals } from './approvals.ts';
export { totalAmountOf } from './arithmetic.ts';
export type { OrderDependencies, OrderListener } from './dependencies.ts';
export { orderErrors } from './errors.ts';
export { findOrder, findOrders, type LockedOrder, lockNamedOrder, lockOrder } from './load.ts';
export {
  type Author,
  changeOrder,
  contentOfOrder,
  markApproved,
  markRecalled,
  markRejected,
  markSubmitted,
  markWithdrawn,
} from './moves.ts';
export type { Order, OrderKey, OrderLine } from './order.ts';
export { lockFreeOrders } from './orders.sql.ts';
export { isPushAllowed } from './push.ts';
export { linesOfItem, unendedOrders } from './references.ts';
export { orderRoutes } from './routes.ts';
