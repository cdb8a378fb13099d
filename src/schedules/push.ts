import type { Tx } from '../db/index.ts';
import { fingerprint } from '../http/index.ts';
import {
  cancelInvoice,
  creditOrderItems,
  lockInvoice,
  makeOrderInvoice,
  type OrderCredit,
  updateOrderDrafts,
} from '../invoicing/index.ts';
import type { DueKind } from '../jobs/index.ts';
import { orThrow } from '../kernel/result.ts';
import { type Instant, isAfter } from '../kernel/time.ts';
import { isPushAllowed, lockFreeOrders, lockOrder, type Order } from '../orders/index.ts';
import { loadStanding, type Standing } from './contract.ts';
import type { ScheduleDependencies } from './dependencies.ts';
import type { PlannedCredit, PlannedInvoice } from './difference.ts';
import { BILLS_SCHEDULE } from './invoice-purpose.ts';
import { cancelSchedule, draftsOf, firstBillDate, moveSchedule, stage } from './refresh.ts';
import type { ScheduleInvoiceRow, ScheduleRow } from './schedule.ts';
import { lockScheduleRow, selectSchedules, updateSchedule } from './schedules.sql.ts';
import { replaceStaged, selectPushedOrders, updateToCancelled } from './staged.sql.ts';
import { rowOf } from './staging.ts';

/** The background job of schedules: it creates their invoices, each at its bill date. */
export const scheduleDueKind = (dependencies: ScheduleDependencies): DueKind => ({
  kind: 'billing_schedule',
  lockParents: (tx, records) => lockContracts(dependencies, tx, records),
  step: (tx, record, now) => stepSchedule(dependencies, tx, record, now),
});

/** A schedule whose order or subscription is locked waits for another time, untouched. */
async function lockContracts(
  { lockFreeSubscriptions }: ScheduleDependencies,
  tx: Tx,
  records: readonly { readonly merchantId: string; readonly id: string }[],
): Promise<ReadonlySet<string>> {
  const [first] = records;
  if (!first) return new Set();
  const { merchantId } = first;
  const ids = records.map(({ id }) => id);
  const known = await selectSchedules(tx, [merchantId], ids);
  const ordered = known.flatMap(({ orderId }) => orderId ?? []);
  const subscribed = known.flatMap(({ subscriptionId }) => subscriptionId ?? []);
  const locked = new Set([
    ...(ordered.length === 0 ? [] : await lockFreeOrders(tx, ordered)),
    ...(subscribed.length === 0 ? [] : await lockFreeSubscriptions(tx, subscribed)),
  ]);
  const taken = known.filter(({ orderId, subscriptionId }) => !locked.has((orderId ?? subscriptionId) as string));
  return new Set(ids).difference(new Set(taken.map(({ id }) => id)));
}

/** The payer of a schedule's invoice. */
interface Payer {
  readonly order: Order | null;
  readonly planId: string | null;
  readonly paymentTermDays: number;
  readonly taxExempt: boolean;
  /** How invoices may be made now: `draft`, as drafts that wait for the approval of a changed order. */
  readonly pushes: 'issued' | 'draft' | 'nothing';
  /** May what was billed too much be credited now? */
  readonly credits: boolean;
}

/**
 * Makes the invoices of a schedule that are due, and credits what was billed too much. Its order or subscription, and
 * the schedule, are locked; its invoices are locked here.
 */
async function stepSchedule(
  dependencies: ScheduleDependencies,
  tx: Tx,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
  now: Instant,
): Promise<void> {
  const [known] = await selectSchedules(tx, [merchantId], [id]);
  if (!known) return;
  const order = known.orderId === null ? null : await lockedOrder(tx, known.orderId, now);
  const locked = await lockScheduleRow(tx, id);
  if (!locked) return;
  const { schedule, payer } = order
    ? await ofOrder(dependencies, tx, locked, order)
    : await ofSubscription(dependencies, tx, locked, now);
  const isLive = schedule.status !== 'draft' && schedule.activatedAt !== null;
  if (payer.pushes === 'nothing' || !isLive) {
    await updateSchedule(tx, schedule, { nextActionAt: null }, now);
    return;
  }
  await withdrawDrafts(dependencies, tx, schedule, payer, now);
  const drafts = draftsOf(await loadStanding(tx, schedule, payer.order, now));
  await updateOrderDrafts(tx, drafts, payer.pushes === 'issued', now);
  if (payer.credits) await creditUnpaid(dependencies, tx, schedule, payer, now);
  await pushDue(dependencies, tx, schedule, payer, now);
  await stageFollowing(tx, schedule, payer, await loadStanding(tx, schedule, payer.order, now), now);
}

async function lockedOrder(tx: Tx, id: string, now: Instant): Promise<Order> {
  return orThrow(await lockOrder(tx, { merchantId: tx.merchantId, id }, now)).order;
}

async function ofOrder(dependencies: ScheduleDependencies, tx: Tx, schedule: ScheduleRow, order: Order) {
  const isAllowed = await isPushAllowed(dependencies.orders, tx, order);
  const isPushed = isAllowed || (await selectPushedOrders(tx, [order.merchantId], [order.id])).length > 0;
  const payer: Payer = {
    order,
    planId: null,
    paymentTermDays: schedule.paymentTermDays ?? order.defaultPaymentTermDays,
    taxExempt: order.taxExempt,
    pushes: isAllowed ? 'issued' : isPushed ? 'draft' : 'nothing',
    credits: isAllowed || order.cancelledAt !== null,
  };
  return { schedule, payer };
}

/** A schedule is active while its subscription is, and is cancelled at its end. */
async function ofSubscription(dependencies: ScheduleDependencies, tx: Tx, before: ScheduleRow, now: Instant) {
  const subscriptionId = before.subscriptionId as string;
  const status = await dependencies.lockSubscription(tx, subscriptionId);
  const terms = await dependencies.source.terms(tx, subscriptionId);
  const schedule = await followSubscription(tx, before, status, terms.bounds.endsAt, now);
  const payer: Payer = {
    order: null,
    planId: terms.planId,
    paymentTermDays: schedule.paymentTermDays ?? terms.paymentTermDays,
    taxExempt: terms.taxExempt,
    pushes: 'issued',
    credits: true,
  };
  return { schedule, payer };
}

/**
 * Brings a schedule to the status that its subscription gives it. @param endsAt the end of the subscription, also a
 * planned one
 */
export async function followSubscription(
  tx: Tx,
  schedule: ScheduleRow,
  status: 'pending_payment' | 'active' | 'terminated',
  endsAt: Instant | null,
  now: Instant,
): Promise<ScheduleRow> {
  if (schedule.status === 'cancelled') return schedule;
  if (status === 'terminated') return cancelSchedule(tx, schedule, endsAt ?? now, now);
  const isMoved =
    schedule.cancelledAt === null ? endsAt !== null : endsAt === null || !schedule.cancelledAt.equals(endsAt);
  const ended = isMoved ? await updateSchedule(tx, schedule, { cancelledAt: endsAt }, now) : schedule;
  if (status === 'active' && ended.status === 'draft')
    return moveSchedule(tx, ended, 'activate', { activatedAt: now }, now);
  return ended;
}

/** A draft that waits for an approval and bills too much is created again instead of being credited. */
async function withdrawDrafts(
  dependencies: ScheduleDependencies,
  tx: Tx,
  schedule: ScheduleRow,
  { order }: Payer,
  now: Instant,
): Promise<void> {
  const { planned, rows, itemOf } = await loadStanding(tx, schedule, order, now);
  const wrong = new Set(
    planned.flatMap(({ credits }) =>
      credits.flatMap(({ item }) => (itemOf.get(item)?.isIssued === false ? [item.invoiceId] : [])),
    ),
  );
  for (const invoiceId of wrong) {
    const invoice = await lockInvoice(tx, invoiceId);
    if (invoice?.status !== 'DRAFT') continue;
    await cancelInvoice(dependencies.invoicing, tx, invoice, null, now);
    const made = rows.filter((row) => row.invoiceId === invoiceId).map(({ id }) => id);
    await updateToCancelled(tx, made, now);
  }
}

const orderCredits = ({ itemOf }: Standing, credits: readonly PlannedCredit[], from: Instant | null): OrderCredit[] =>
  credits.flatMap(({ item, amount }) => {
    const known = itemOf.get(item);
    return known?.isIssued ? [{ item: known, amount, from: from ?? item.period.start }] : [];
  });

/** An excess is first deducted from the customer's unpaid invoices (§3 Credits). */
async function creditUnpaid(
  dependencies: ScheduleDependencies,
  tx: Tx,
  schedule: ScheduleRow,
  { order }: Payer,
  now: Instant,
): Promise<void> {
  const standing = await loadStanding(tx, schedule, order, now);
  const planned = standing.planned.flatMap(({ credits }) => credits);
  const credits = orderCredits(standing, planned, schedule.cancelledAt);
  if (credits.length === 0) return;
  const given = await creditOrderItems(dependencies.invoicing, tx, schedule, credits, 'unpaid', now);
  await recordCredits(tx, schedule, standing, given, now);
}

/** Credits without an invoice are among the invoices of a schedule, too, so that these sum to the debt. */
async function recordCredits(
  tx: Tx,
  schedule: ScheduleRow,
  { itemOf, rows }: Pick<Standing, 'itemOf' | 'rows'>,
  given: readonly OrderCredit[],
  now: Instant,
): Promise<void> {
  const credits = [...itemOf].flatMap(([item, known]) =>
    given.filter((credit) => credit.item === known).map(({ amount }): PlannedCredit => ({ item, amount })),
  );
  if (credits.length === 0) return;
  const { merchantId, id: scheduleId } = schedule;
  const invoice: PlannedInvoice = { billAt: now, isCorrection: true, lines: [], credits };
  const number = 1 + Math.max(0, ...rows.map(({ correction }) => correction));
  const row = rowOf({ merchantId, scheduleId }, invoice, null, number, now);
  await replaceStaged(tx, scheduleId, { deleted: [], written: [{ ...row, status: 'pushed' }] });
}

/** Makes the invoices whose dates have come, in the order of their dates. */
async function pushDue(
  dependencies: ScheduleDependencies,
  tx: Tx,
  schedule: ScheduleRow,
  payer: Payer,
  now: Instant,
): Promise<void> {
  const standing = await loadStanding(tx, schedule, payer.order, now);
  await stage(tx, schedule, standing, now);
  for (const invoice of standing.planned.filter((planned) => isDue(planned, payer, now))) {
    const { rows } = await loadStanding(tx, schedule, payer.order, now);
    const row = rows.find(
      ({ status, billAt, correction }) =>
        status === 'staged' && billAt.equals(invoice.billAt) && correction > 0 === invoice.isCorrection,
    );
    if (!row) throw new Error(`Schedule ${schedule.id} has nothing staged for ${invoice.billAt.toString()}.`);
    await pushOne(dependencies, tx, { schedule, payer, standing }, invoice, row, now);
  }
}

/** While credits wait, an invoice of nothing else waits with them. */
const isDue = ({ billAt, lines }: PlannedInvoice, { credits }: Payer, now: Instant): boolean =>
  !isAfter(billAt, now) && (credits || lines.some(({ subtotal }) => subtotal.gt(0)));

async function pushOne(
  dependencies: ScheduleDependencies,
  tx: Tx,
  { schedule, payer, standing }: { schedule: ScheduleRow; payer: Payer; standing: Standing },
  invoice: PlannedInvoice,
  row: ScheduleInvoiceRow,
  now: Instant,
): Promise<void> {
  const { id: scheduleId } = schedule;
  const credits = orderCredits(standing, invoice.credits, schedule.cancelledAt);
  const invoiceId = invoice.lines.some(({ subtotal }) => subtotal.gt(0))
    ? await makeInvoice(dependencies, tx, { schedule, payer }, { invoice, row, credits }, now)
    : null;
  if (invoiceId === null) await creditOrderItems(dependencies.invoicing, tx, schedule, credits, 'all', now);
  const written = [{ ...row, status: 'pushed' as const, invoiceId, updatedAt: now }];
  await replaceStaged(tx, scheduleId, { deleted: [], written });
}

async function makeInvoice(
  dependencies: ScheduleDependencies,
  tx: Tx,
  { schedule, payer }: { readonly schedule: ScheduleRow; readonly payer: Payer },
  { invoice, row, credits }: { invoice: PlannedInvoice; row: ScheduleInvoiceRow; credits: readonly OrderCredit[] },
  now: Instant,
): Promise<string> {
  const made = orThrow(
    await makeOrderInvoice(
      dependencies.invoicing,
      tx,
      {
        merchantId: schedule.merchantId,
        customerId: schedule.customerId,
        subscriptionId: schedule.subscriptionId,
        planId: payer.planId,
        clockId: schedule.testClockId,
        currency: schedule.currency,
        paymentTermDays: payer.paymentTermDays,
        taxExempt: payer.taxExempt,
        metadata: {},
        purpose: { type: BILLS_SCHEDULE, id: schedule.id },
        autoApprove: payer.pushes === 'issued',
        lines: invoice.lines.map(({ description, subtotal, lineKey: _, ...line }) => ({
          ...line,
          displayName: description,
          amount: subtotal,
        })),
        credits,
        idempotency: {
          key: `schedule invoice ${row.id}`,
          fingerprint: fingerprint('schedule invoice', { id: row.id }),
        },
      },
      now,
    ),
  );
  return made.invoice.id;
}

/** The remainder is staged, and the schedule is completed if there is none. */
async function stageFollowing(
  tx: Tx,
  schedule: ScheduleRow,
  payer: Payer,
  standing: Standing,
  now: Instant,
): Promise<void> {
  await stage(tx, schedule, standing, now);
  const due = standing.planned.find((planned) => isDue(planned, payer, now));
  if (due) throw new Error(`Schedule ${schedule.id} still has something due at ${due.billAt.toString()}.`);
  const nextActionAt = firstBillDate(standing.planned.filter(({ billAt }) => isAfter(billAt, now)));
  const isOver = schedule.status === 'active' && standing.planned.length === 0 && standing.owed.length > 0;
  if (isOver) await moveSchedule(tx, schedule, 'complete', { nextActionAt: null }, now);
  else await updateSchedule(tx, schedule, { nextActionAt }, now);
}
