import type { Tx } from '../db/index.ts';
import { merchantSettings } from '../identity/index.ts';
import type { OrderDependencies } from './dependencies.ts';
import { contentOfOrder, isApprovedContent } from './moves.ts';
import type { Order } from './order.ts';

/**
 * May invoices of the order be issued now? It must be approved; where the merchant requires approvals of orders, the
 * present content must be. A cancelled order that was approved still bills what it owes, and credits what it does not.
 */
export async function isPushAllowed(dependencies: OrderDependencies, tx: Tx, order: Order): Promise<boolean> {
  if (order.approvalStatus !== 'approved') return false;
  if (order.cancelledAt !== null) return true;
  const required = (await merchantSettings(tx)).requiredApprovals.order;
  if (required.length === 0) return true;
  const { dataSnapshotHash } = await contentOfOrder(dependencies, tx, order);
  return isApprovedContent(dependencies, tx, order, dataSnapshotHash);
}
