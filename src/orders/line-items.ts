import type { Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { fail, invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import type { OrderDependencies } from './dependencies.ts';
import {
  deleteOrderLineRow,
  insertOrderLines,
  selectOrderLine,
  selectOrderLinePage,
  updateOrderLine,
} from './lines.sql.ts';
import { decideChangedLine, decideNewLines, keepItemsOf } from './lines.ts';
import { findOrder, lockOrder } from './load.ts';
import { changeOrder } from './moves.ts';
import type { Order, OrderKey, OrderLine } from './order.ts';
import { MOST_LINES, type OrderLineItemCreateBody, type OrderLineItemUpdateBody } from './schemas.ts';

const HERE = () => '';

/** A line with the order that it is of. */
export interface LineOfOrder {
  readonly order: Order;
  readonly line: OrderLine;
}

/** A line of an order, by their ids. */
export interface LineKey {
  readonly order: OrderKey;
  readonly id: string;
}

/** The caller, and the wall time. */
interface Asker {
  readonly by: string;
  readonly wall: Instant;
}

/** POST …/lineItems. @returns 404; 400; INVALID_TRANSITION for a cancelled order */
export async function createLine(
  dependencies: OrderDependencies,
  tx: Tx,
  key: OrderKey,
  body: OrderLineItemCreateBody,
  { by, wall }: Asker,
): Promise<Result<LineOfOrder>> {
  const locked = await lockOrder(tx, key, wall);
  if (!locked.ok) return locked;
  const { order, now } = locked.value;
  const changed = await changeOrder(dependencies, tx, order, { by, now }, async () => {
    if (order.lineItems.length >= MOST_LINES)
      return invalidField('lineItems', `must NOT have more than ${MOST_LINES} items`);
    const lines = decideNewLines(order, [body], HERE, now);
    if (!lines.ok) return lines;
    const items = await keepItemsOf(tx, [body], HERE);
    if (!items.ok) return items;
    await insertOrderLines(tx, lines.value);
    return ok(lines.value[0] as OrderLine);
  });
  return changed.ok ? ok({ order: changed.value.order, line: changed.value.value }) : changed;
}

/** PATCH …/lineItems/{lineItemId}. @returns 404; 400; INVALID_TRANSITION for a cancelled order */
export async function updateLine(
  dependencies: OrderDependencies,
  tx: Tx,
  key: LineKey,
  body: OrderLineItemUpdateBody,
  { by, wall }: Asker,
): Promise<Result<LineOfOrder>> {
  const locked = await lockOrder(tx, key.order, wall);
  if (!locked.ok) return locked;
  const { order, now } = locked.value;
  const line = order.lineItems.find(({ id }) => id === key.id);
  if (!line) return notFound('order line item');
  const changed = await changeOrder(dependencies, tx, order, { by, now }, async () => {
    const decided = decideChangedLine(order, line, body, now);
    if (!decided.ok) return decided;
    const items = await keepItemsOf(tx, [body], HERE);
    return items.ok ? ok(await updateOrderLine(tx, decided.value)) : items;
  });
  return changed.ok ? ok({ order: changed.value.order, line: changed.value.value }) : changed;
}

/** DELETE …/lineItems/{lineItemId}. @returns 404; INVALID_TRANSITION for a cancelled order; ORDER_IN_USE */
export async function deleteLine(
  dependencies: OrderDependencies,
  tx: Tx,
  key: LineKey,
  { by, wall }: Asker,
): Promise<Result<undefined>> {
  const locked = await lockOrder(tx, key.order, wall);
  if (!locked.ok) return locked;
  const { order, now } = locked.value;
  const line = order.lineItems.find(({ id }) => id === key.id);
  if (!line) return notFound('order line item');
  const changed = await changeOrder(dependencies, tx, order, { by, now }, async () => {
    const holders = await dependencies.holdersOf(tx, 'orderLineItem', line.id);
    const blockers = holders.filter(({ count }) => count > 0);
    if (blockers.length > 0) return fail('ORDER_IN_USE', { blockers });
    await deleteOrderLineRow(tx, line);
    return ok(undefined);
  });
  return changed.ok ? ok(undefined) : changed;
}

/** One line of an order; 404. */
export async function getLine(tx: Tx, key: LineKey): Promise<Result<LineOfOrder>> {
  const order = await findOrder(tx, key.order);
  const line = order && (await selectOrderLine(tx, key.order.id, key.id));
  return order && line ? ok({ order, line }) : notFound('order line item');
}

/** Lines of an order, newest first; 404. */
export async function listLines(
  tx: Tx,
  key: OrderKey,
  page: PageRequest,
): Promise<Result<{ order: Order; data: OrderLine[]; total: number }>> {
  const order = await findOrder(tx, key);
  if (!order) return notFound('order');
  const { rows, total } = await selectOrderLinePage(tx, key.id, page);
  return ok({ order, data: rows, total });
}
