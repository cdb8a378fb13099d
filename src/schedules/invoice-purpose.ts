import type { Tx } from '../db/index.ts';
import type { PurposeHandler } from '../invoicing/index.ts';
import { fail, ok } from '../kernel/result.ts';
import { findOrder, type Order } from '../orders/index.ts';
import { lockScheduleRow, lockScheduleRowNow, selectSchedules, updateSchedule } from './schedules.sql.ts';
import { updateInvoiceOfWindow } from './staged.sql.ts';

/** The type of the purpose of the invoices that schedules make; its id is the schedule's. */
export const BILLS_SCHEDULE = 'billing_schedule';

/**
 * A schedule is locked before its invoices, and looked at again when one of which nothing could be taken back stands
 * again. A subscription comes before both, because its end locks invoices and then wakes schedules.
 * @param lockSubscription locks a subscription; `wait` false: throws 55P03 where somebody has it
 * @param isPushAllowed may invoices of an order be issued?
 */
export const scheduledInvoices = (
  lockSubscription: (tx: Tx, id: string, wait: boolean) => Promise<void>,
  isPushAllowed: (tx: Tx, order: Order) => Promise<boolean>,
): PurposeHandler => ({
  async lock(tx, { merchantId, purposeId }, wait) {
    const [schedule] = await selectSchedules(tx, [merchantId], [purposeId]);
    if (schedule?.subscriptionId) await lockSubscription(tx, schedule.subscriptionId, wait);
    await (wait ? lockScheduleRow : lockScheduleRowNow)(tx, purposeId);
  },
  async mayIssue(tx, { merchantId, purposeId }) {
    const [schedule] = await selectSchedules(tx, [merchantId], [purposeId as string]);
    const order = schedule?.orderId ? await findOrder(tx, { merchantId, id: schedule.orderId }) : undefined;
    // a cancelled order takes no approval any more: its drafts are approved one by one
    if (order?.cancelledAt !== null || (await isPushAllowed(tx, order))) return ok(undefined);
    return fail('APPROVAL_PENDING', { orderId: order.id });
  },
  paid: () => Promise.resolve({}),
  reissued: (tx, { id }, by, now) => updateInvoiceOfWindow(tx, id, by.id, now),
  async standsAgain(tx, { merchantId, purposeId: id }, now) {
    await updateSchedule(tx, { merchantId, id: id as string }, { nextActionAt: now }, now);
  },
});
