import type { Tx } from '../db/index.ts';
import { merchantSettings } from '../identity/index.ts';
import { plain } from '../kernel/decimal.ts';
import { type Failure, fail, ok, type Result } from '../kernel/result.ts';
import { next, wrongState } from '../kernel/state-table.ts';
import type { Instant } from '../kernel/time.ts';
import { sumOfLines, totalAmountOf } from './arithmetic.ts';
import { contentHash, type OrderContent, orderContent } from './content.ts';
import type { OrderDependencies, OrderListener } from './dependencies.ts';
import { findOrder } from './load.ts';
import type { Order, OrderKey } from './order.ts';
import { type OrderChanges, updateOrder } from './orders.sql.ts';
import { type OrderStanding, type OrderTrigger, orderStandings, orderStates, standingOf, statusOf } from './states.ts';
import { publishOrderEvent } from './webhooks.ts';

/** The standing of a locked order, and the one after a trigger. */
export interface OrderMove {
  readonly from: OrderStanding;
  readonly to: OrderStanding;
}

/** @returns INVALID_TRANSITION where the table refuses the trigger */
export async function decideMove(
  dependencies: OrderDependencies,
  tx: Tx,
  order: Order,
  trigger: OrderTrigger,
): Promise<Result<OrderMove>> {
  const isPushed = (await dependencies.hasPushed(tx, [order.merchantId], [order.id])).has(order.id);
  const from = standingOf(order, isPushed);
  const to = next(orderStates, from, trigger);
  if (to.ok) return ok({ from, to: to.value });
  return from === 'cancelled' ? cancelledFor(trigger) : to;
}

/** A cancelled order refuses everything, so its refusal names every standing that does not. */
function cancelledFor(trigger: OrderTrigger): Failure {
  const allowedFrom = orderStandings.filter((standing) => typeof orderStates[standing][trigger] === 'string');
  return wrongState(
    { thing: 'order', status: 'cancelled', trigger, allowedFrom, done: null },
    { why: 'This order is cancelled and cannot change any more.' },
  );
}

/** Stores a decided move, with other changes of the order, and reports it. */
export async function applyMove(
  dependencies: OrderDependencies,
  tx: Tx,
  order: Order,
  { from, to }: OrderMove,
  changes: OrderChanges,
  now: Instant,
): Promise<Order> {
  const approvalStatus = statusOf(to, order.approvalStatus);
  const row = await updateOrder(tx, order, { ...changes, approvalStatus }, now);
  const moved = { ...row, lineItems: order.lineItems };
  if (from === 'approved' && to === 'draft') await notifyListeners(dependencies, 'reopened', tx, moved, now);
  return moved;
}

/** Tells every listener, in their order. */
export async function notifyListeners(
  { listeners }: OrderDependencies,
  event: keyof OrderListener,
  tx: Tx,
  order: Order,
  now: Instant,
): Promise<void> {
  for (const listener of listeners) await listener[event]?.(tx, order, now);
}

/** The content of the order for an approval, and its hash. */
export async function contentOfOrder(
  dependencies: OrderDependencies,
  tx: Tx,
  order: Order,
): Promise<{ content: OrderContent; dataSnapshotHash: string }> {
  const schedules = await dependencies.contentOfSchedules(tx, [order.merchantId], [order.id]);
  const content = orderContent(order, schedules.get(order.id) ?? []);
  return { content, dataSnapshotHash: contentHash(content) };
}

/** Is a content of the order approved: by every required kind, or by any if none is required? */
export async function isApprovedContent(
  dependencies: OrderDependencies,
  tx: Tx,
  order: OrderKey,
  dataSnapshotHash: string,
): Promise<boolean> {
  const required = (await merchantSettings(tx)).requiredApprovals.order;
  const given = await dependencies.approvedKinds(tx, order, dataSnapshotHash);
  return given.size > 0 && required.every((kind) => given.has(kind));
}

const moveBy =
  (trigger: OrderTrigger) =>
  async (dependencies: OrderDependencies, tx: Tx, order: Order, now: Instant): Promise<Result<Order>> => {
    const move = await decideMove(dependencies, tx, order, trigger);
    return move.ok ? ok(await applyMove(dependencies, tx, order, move.value, {}, now)) : move;
  };

/** An approval was rejected. @returns INVALID_TRANSITION */
export const markRejected = moveBy('reject');

/** A pending approval was cancelled. @returns INVALID_TRANSITION */
export const markRecalled = moveBy('recall');

/**
 * A given approval is cancelled. @returns INVALID_TRANSITION, also where something of the order was pushed
 */
export const markWithdrawn = moveBy('withdraw');

/**
 * An approval is requested. The order is locked.
 * @returns INVALID_TRANSITION; what `checkTotals` refuses
 */
export async function markSubmitted(
  dependencies: OrderDependencies,
  tx: Tx,
  order: Order,
  now: Instant,
): Promise<Result<Order>> {
  const move = await decideMove(dependencies, tx, order, 'submit');
  if (!move.ok) return move;
  const checked = await checkTotals(dependencies, tx, order);
  if (!checked.ok) return checked;
  return ok(await applyMove(dependencies, tx, order, move.value, {}, now));
}

/**
 * Only an order that agrees with itself is approved (domain.md §6).
 * @returns ORDER_WITHOUT_LINES; ORDER_TOTAL_DIFFERS where the lines or the schedules come to another sum than its total
 */
async function checkTotals(dependencies: OrderDependencies, tx: Tx, order: Order): Promise<Result<undefined>> {
  if (order.lineItems.length === 0) return fail('ORDER_WITHOUT_LINES');
  const [totalAmount, lineItemsTotal] = [totalAmountOf(order), sumOfLines(order.lineItems)];
  const schedulesTotal = await dependencies.totalOfSchedules(tx, order);
  if (totalAmount.eq(lineItemsTotal) && totalAmount.eq(schedulesTotal ?? totalAmount)) return ok(undefined);
  return fail('ORDER_TOTAL_DIFFERS', {
    field: 'totalAmount',
    totalAmount: plain(totalAmount),
    lineItemsTotal: plain(lineItemsTotal),
    schedulesTotal: schedulesTotal && plain(schedulesTotal),
  });
}

/**
 * The last required approval is given. The order is locked.
 * @returns INVALID_TRANSITION; what `checkTotals` refuses of an order that was changed after its submission
 */
export async function markApproved(
  dependencies: OrderDependencies,
  tx: Tx,
  order: Order,
  now: Instant,
): Promise<Result<Order>> {
  const move = await decideMove(dependencies, tx, order, 'approve');
  if (!move.ok) return move;
  const checked = move.value.from === 'amended' ? await checkTotals(dependencies, tx, order) : ok(undefined);
  if (!checked.ok) return checked;
  const approved = await applyMove(dependencies, tx, order, move.value, {}, now);
  await publishOrderEvent(tx, approved, 'order.approved.v0', now);
  await notifyListeners(dependencies, 'approved', tx, approved, now);
  return ok(approved);
}

/** The author of a change, and its time: effective now of the order. */
export interface Author {
  /** A user's id. */
  readonly by: string;
  readonly now: Instant;
}

/**
 * Changes an order or what belongs to it. Where its content is another one afterwards, pending approvals are cancelled
 * and the order is a draft again; or, if something of it was pushed, pending with a new approval, until its content is
 * an approved one (domain.md §6).
 * @param order locked
 * @param change what is written
 * @returns INVALID_TRANSITION for a cancelled order, before `change` is called; what `change` refuses
 */
export async function changeOrder<T>(
  dependencies: OrderDependencies,
  tx: Tx,
  order: Order,
  { by, now }: Author,
  change: () => Promise<Result<T>>,
): Promise<Result<{ readonly order: Order; readonly value: T }>> {
  const allowed = await decideMove(dependencies, tx, order, 'annotate');
  if (!allowed.ok) return allowed;
  const before = await contentOfOrder(dependencies, tx, order);
  const done = await change();
  if (!done.ok) return done;
  const changed = await reload(tx, order);
  const after = await contentOfOrder(dependencies, tx, changed);
  const isAmended = before.dataSnapshotHash !== after.dataSnapshotHash;
  const moved = await (isAmended ? amend : touch)(dependencies, tx, changed, { by, now });
  return moved.ok ? ok({ order: moved.value, value: done.value }) : moved;
}

const touch = (dependencies: OrderDependencies, tx: Tx, order: Order, { now }: Author) =>
  moveBy('annotate')(dependencies, tx, order, now);

/** The content of an order has changed: nothing that was asked or approved holds for it any more. */
async function amend(
  dependencies: OrderDependencies,
  tx: Tx,
  order: Order,
  { by, now }: Author,
): Promise<Result<Order>> {
  const state = await contentOfOrder(dependencies, tx, order);
  const isKnown = await isApprovedContent(dependencies, tx, order, state.dataSnapshotHash);
  const restored = isKnown ? await decideMove(dependencies, tx, order, 'restore') : null;
  const move = restored?.ok ? restored : await decideMove(dependencies, tx, order, 'amend');
  if (!move.ok) return move;
  const moved = await applyMove(dependencies, tx, order, move.value, {}, now);
  await dependencies.cancelApprovals(tx, moved, by, now);
  if (move.value.to === 'amended') await dependencies.requestApprovals(tx, moved, state, by, now);
  await notifyListeners(dependencies, 'changed', tx, moved, now);
  return ok(moved);
}

async function reload(tx: Tx, key: OrderKey): Promise<Order> {
  const order = await findOrder(tx, key);
  if (!order) throw new Error(`Order ${key.id} was deleted while it was locked.`);
  return order;
}
