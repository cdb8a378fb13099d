import { effectiveNow } from '../clocks/index.ts';
import { checkReference, type Tx } from '../db/index.ts';
import { notFound, ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import { selectOrderLines } from './lines.sql.ts';
import type { Order, OrderKey, OrderRow } from './order.ts';
import { lockOrderRow, lockOrderRowForDeletion, selectOrders } from './orders.sql.ts';

/** Orders with their lines, in the order of the rows. */
export async function withLines(tx: Tx, rows: readonly OrderRow[]): Promise<Order[]> {
  if (rows.length === 0) return [];
  const merchantIds = [...new Set(rows.map(({ merchantId }) => merchantId))];
  const ids = rows.map(({ id }) => id);
  const lines = Map.groupBy(await selectOrderLines(tx, merchantIds, ids), ({ orderId }) => orderId);
  return rows.map((row) => ({ ...row, lineItems: lines.get(row.id) ?? [] }));
}

/** Orders of some merchants by id, oldest first; unknown ids are left out. */
export const findOrders = async (tx: Tx, merchantIds: readonly string[], ids: readonly string[]): Promise<Order[]> =>
  ids.length === 0 ? [] : withLines(tx, await selectOrders(tx, merchantIds, ids));

/** One order of a merchant. */
export async function findOrder(tx: Tx, { merchantId, id }: OrderKey): Promise<Order | undefined> {
  const [order] = await findOrders(tx, [merchantId], [id]);
  return order;
}

/** An order that stays as it is until the transaction ends, and its effective now. */
export interface LockedOrder {
  readonly order: Order;
  readonly now: Instant;
}

/**
 * Locks an order, and its clock: every change of an order, its schedules or its approvals begins here.
 * @param wall wall time
 * @returns 404
 */
export async function lockOrder(
  tx: Tx,
  { merchantId, id }: OrderKey,
  wall: Instant,
  { toDelete = false }: { readonly toDelete?: boolean } = {},
): Promise<Result<LockedOrder>> {
  const [known] = await selectOrders(tx, [merchantId], [id]);
  if (!known) return notFound('order');
  // the clock comes first in the order of locks
  const now = await effectiveNow(tx, known.testClockId, wall);
  const row = await (toDelete ? lockOrderRowForDeletion : lockOrderRow)(tx, id);
  if (!row) return notFound('order');
  const [order] = await withLines(tx, [row]);
  return ok({ order: order as Order, now });
}

/** Locks an order that a body names in `orderId`. @returns 403, 404 */
export async function lockNamedOrder(tx: Tx, id: string, wall: Instant): Promise<Result<Order>> {
  const known = await checkReference(tx, 'order', id, 'orderId');
  if (!known.ok) return known;
  const locked = await lockOrder(tx, { merchantId: tx.merchantId, id }, wall);
  return locked.ok ? ok(locked.value.order) : locked;
}
