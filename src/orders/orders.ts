import { checkTestClockAllowed, findClock } from '../clocks/index.ts';
import { findCustomer } from '../customers/index.ts';
import { checkReference, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { minorDigits } from '../kernel/currency.ts';
import { decimalOf } from '../kernel/decimal.ts';
import { newId } from '../kernel/ids.ts';
import { digitsProblem } from '../kernel/money.ts';
import { fail, invalid, invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { type Instant, instantOf, instantOrNull } from '../kernel/time.ts';
import { deleteReferencesOf } from '../references/index.ts';
import { namedTotalOf } from './arithmetic.ts';
import type { OrderDependencies } from './dependencies.ts';
import { insertOrderLines } from './lines.sql.ts';
import { decideNewLines, keepItemsOf } from './lines.ts';
import { findOrder, lockOrder, withLines } from './load.ts';
import { applyMove, changeOrder, decideMove, notifyListeners } from './moves.ts';
import type { Order, OrderKey, OrderRow } from './order.ts';
import {
  deleteOrderRow,
  insertOrder,
  type OrderChanges,
  type OrderFilter,
  selectOrderPage,
  updateOrder,
} from './orders.sql.ts';
import type { OrderCreateBody, OrderUpdateBody } from './schemas.ts';
import { leftOutside, termProblems } from './terms.ts';
import { publishOrderEvent } from './webhooks.ts';

const lineAt = (index: number): string => `lineItems.${index}.`;

/** POST /v0/orders: a draft with its lines. @param wall wall time */
export async function createOrder(
  dependencies: OrderDependencies,
  tx: Tx,
  body: OrderCreateBody,
  wall: Instant,
): Promise<Result<Order>> {
  const clock = await clockOf(dependencies, tx, body.testClockId ?? null, wall);
  if (!clock.ok) return clock;
  const { now } = clock.value;
  const owned = await checkReference(tx, 'customer', body.customerId, 'customerId');
  if (!owned.ok) return owned;
  const customer = await findCustomer(tx, body.customerId, { keep: true }); // a deletion waits for us
  if (!customer) return notFound('customer', 'customerId');
  const draft = draftOf(tx.merchantId, body, now);
  const problems = termProblems(draft);
  if (problems.length > 0) return invalid(problems);
  const bodies = body.lineItems ?? [];
  const lines = decideNewLines(draft, bodies, lineAt, now);
  if (!lines.ok) return lines;
  const items = await keepItemsOf(tx, bodies, lineAt);
  if (!items.ok) return items;
  const namedTotal = body.totalAmount == null ? null : namedTotalOf(decimalOf(body.totalAmount), lines.value);
  const row = await insertOrder(tx, { ...draft, namedTotal });
  await insertOrderLines(tx, lines.value);
  return ok({ ...row, lineItems: lines.value });
}

/** The clock that an order is to live on, and effective now there. */
async function clockOf(
  { environment }: Pick<OrderDependencies, 'environment'>,
  tx: Tx,
  clockId: string | null,
  wall: Instant,
): Promise<Result<{ now: Instant }>> {
  if (clockId === null) return ok({ now: wall });
  const allowed = checkTestClockAllowed(environment);
  if (!allowed.ok) return allowed;
  const clock = await findClock(tx, clockId);
  return clock.ok ? ok({ now: clock.value.currentTime }) : clock;
}

const draftOf = (merchantId: string, body: OrderCreateBody, now: Instant): OrderRow => ({
  merchantId,
  id: newId('order'),
  customerId: body.customerId,
  resellerId: body.resellerId ?? null,
  taxExempt: body.taxExempt ?? false,
  sellingEntity: body.sellingEntity ?? null,
  currency: body.currency,
  approvalStatus: 'draft',
  cancelledAt: null,
  type: body.type ?? null,
  termStartDate: instantOf(body.termStartDate),
  termEndDate: instantOf(body.termEndDate),
  closeDate: instantOrNull(body.closeDate),
  namedTotal: null,
  defaultPaymentTermDays: body.defaultPaymentTermDays ?? 0,
  metadata: body.metadata ?? {},
  testClockId: body.testClockId ?? null,
  createdAt: now,
  updatedAt: now,
});

/** One order; 404. */
export async function getOrder(tx: Tx, key: OrderKey): Promise<Result<Order>> {
  const order = await findOrder(tx, key);
  return order ? ok(order) : notFound('order');
}

/** Orders of one merchant, or (null, for operators) of all, newest first. */
export async function listOrders(tx: Tx, merchantId: string | null, filter: OrderFilter, page: PageRequest) {
  const { rows, total } = await selectOrderPage(tx, merchantId, filter, page);
  return { data: await withLines(tx, rows), total };
}

/**
 * PATCH /v0/orders/{id}. Other fields change before `cancelledAt` cancels the order.
 * @param wall wall time
 * @returns 404; 400 for a term that leaves lines outside; INVALID_TRANSITION for a cancelled order
 */
export async function updateOrderBy(
  dependencies: OrderDependencies,
  tx: Tx,
  key: OrderKey,
  body: OrderUpdateBody,
  { by, wall }: { readonly by: string; readonly wall: Instant },
): Promise<Result<Order>> {
  const locked = await lockOrder(tx, key, wall);
  if (!locked.ok) return locked;
  const { order, now } = locked.value;
  const { cancelledAt, ...changes } = body;
  const changed = await applyChanges(dependencies, tx, order, changes, { by, now });
  if (!changed.ok || cancelledAt == null) return changed;
  return cancelOrder(dependencies, tx, changed.value, instantOf(cancelledAt), { by, now });
}

/** A PATCH that names nothing is no edit: a rejected order stays rejected. */
async function applyChanges(
  dependencies: OrderDependencies,
  tx: Tx,
  order: Order,
  changes: Omit<OrderUpdateBody, 'cancelledAt'>,
  author: { readonly by: string; readonly now: Instant },
): Promise<Result<Order>> {
  if (Object.values(changes).every((value) => value === undefined)) {
    const allowed = await decideMove(dependencies, tx, order, 'annotate');
    return allowed.ok ? ok(order) : allowed;
  }
  const changed = await changeOrder(dependencies, tx, order, author, async () => {
    const decided = decideChanges(order, changes);
    return decided.ok ? ok(await updateOrder(tx, order, decided.value, author.now)) : decided;
  });
  return changed.ok ? ok(changed.value.order) : changed;
}

/** The changes of a PATCH, or its faults. Pure. */
export function decideChanges(order: Order, body: Omit<OrderUpdateBody, 'cancelledAt'>): Result<OrderChanges> {
  const term = {
    termStartDate: body.termStartDate === undefined ? order.termStartDate : instantOf(body.termStartDate),
    termEndDate: body.termEndDate === undefined ? order.termEndDate : instantOf(body.termEndDate),
  };
  const problems = termProblems(term);
  const errors = problems.length > 0 ? problems : leftOutside(order.lineItems, term);
  if (errors.length > 0) return invalid(errors);
  const total = body.totalAmount === undefined ? undefined : decimalOf(body.totalAmount);
  if (total !== undefined && total.decimalPlaces() > minorDigits(order.currency))
    return invalidField('totalAmount', digitsProblem(order.currency));
  return ok({
    ...term,
    closeDate: body.closeDate == null ? body.closeDate : instantOf(body.closeDate),
    namedTotal: total === undefined ? undefined : namedTotalOf(total, order.lineItems),
    defaultPaymentTermDays: body.defaultPaymentTermDays,
    metadata: body.metadata,
    resellerId: body.resellerId,
    taxExempt: body.taxExempt,
    sellingEntity: body.sellingEntity,
  });
}

/** A cancelled order takes no more edits; pending approvals are cancelled with it. */
async function cancelOrder(
  dependencies: OrderDependencies,
  tx: Tx,
  order: Order,
  cancelledAt: Instant,
  { by, now }: { readonly by: string; readonly now: Instant },
): Promise<Result<Order>> {
  const move = await decideMove(dependencies, tx, order, 'cancel');
  if (!move.ok) return move;
  await dependencies.cancelApprovals(tx, order, by, now); // before: an approval's end may still ask the order
  const cancelled = await applyMove(dependencies, tx, order, move.value, { cancelledAt }, now);
  await publishOrderEvent(tx, cancelled, 'order.cancelled.v0', now);
  await notifyListeners(dependencies, 'cancelled', tx, cancelled, now);
  return ok(cancelled);
}

/**
 * DELETE /v0/orders/{id}: a draft, with its lines and its external references.
 * @returns 404; INVALID_TRANSITION where it is no draft; ORDER_IN_USE with the blockers
 */
export async function deleteOrder(
  dependencies: OrderDependencies,
  tx: Tx,
  key: OrderKey,
  wall: Instant,
): Promise<Result<undefined>> {
  const locked = await lockOrder(tx, key, wall, { toDelete: true });
  if (!locked.ok) return locked;
  const move = await decideMove(dependencies, tx, locked.value.order, 'remove');
  if (!move.ok) return move;
  const holders = await dependencies.holdersOf(tx, 'order', key.id);
  const blockers = holders.filter(({ count }) => count > 0);
  if (blockers.length > 0) return fail('ORDER_IN_USE', { blockers });
  await deleteReferencesOf(tx, key.id);
  await deleteOrderRow(tx, key);
  return ok(undefined);
}
