import type { Tx } from '../db/index.ts';
import { next } from '../kernel/state-table.ts';
import { earliest, type Instant } from '../kernel/time.ts';
import type { Order, OrderListener } from '../orders/index.ts';
import { loadStanding, type Standing } from './contract.ts';
import type { ScheduleInvoiceRow, ScheduleRow } from './schedule.ts';
import { lockSchedulesOfOrder, type ScheduleChanges, updateSchedule } from './schedules.sql.ts';
import { replaceStaged, selectPushedOrders, updateToCancelled } from './staged.sql.ts';
import { planStaging } from './staging.ts';
import { type ScheduleTrigger, scheduleStates } from './states.ts';

/** Moves a schedule along its table. @throws where the table refuses */
export async function moveSchedule(
  tx: Tx,
  schedule: ScheduleRow,
  trigger: ScheduleTrigger,
  changes: ScheduleChanges,
  now: Instant,
): Promise<ScheduleRow> {
  const to = next(scheduleStates, schedule.status, trigger);
  if (!to.ok) throw new Error(`Billing schedule ${schedule.id} is ${schedule.status}; ${trigger} does not apply.`);
  return updateSchedule(tx, schedule, { ...changes, status: to.value }, now);
}

/**
 * Stages the future invoices of a schedule, with a background job at the first due time. The schedule is locked.
 * @param order of a schedule of an order, locked
 */
export async function restage(tx: Tx, schedule: ScheduleRow, order: Order | null, now: Instant): Promise<ScheduleRow> {
  const standing = await loadStanding(tx, schedule, order, now);
  await stage(tx, schedule, standing, now);
  const resumed =
    schedule.status === 'completed' && schedule.cancelledAt === null && standing.planned.length > 0
      ? await moveSchedule(tx, schedule, 'resume', {}, now)
      : schedule;
  return updateSchedule(tx, resumed, { nextActionAt: nextActionOf(resumed, standing, now) }, now);
}

/** Writes the staged rows. What a cancelled schedule is not going to invoice any more stays, as cancelled. */
export async function stage(
  tx: Tx,
  schedule: ScheduleRow,
  { rows, planned }: Pick<Standing, 'rows' | 'planned'>,
  now: Instant,
): Promise<void> {
  const { merchantId, id: scheduleId } = schedule;
  const { written, gone } = planStaging({ merchantId, scheduleId }, rows, planned, now);
  const isShown = (id: string): boolean =>
    schedule.cancelledAt !== null && rows.some((row) => row.id === id && row.correction === 0);
  const deleted = gone.filter((id) => !isShown(id));
  await updateToCancelled(tx, gone.filter(isShown), now);
  await replaceStaged(tx, scheduleId, { deleted, written });
}

/**
 * A credit is processed once: it reduces the customer's unpaid invoices, before it waits for an invoice. Drafts follow
 * the approval of their order at once.
 */
function nextActionOf(schedule: ScheduleRow, { planned, itemOf }: Standing, now: Instant): Instant | null {
  if (schedule.status === 'draft' || schedule.activatedAt === null) return null;
  if (draftsOf({ itemOf }).length > 0) return now;
  if (planned.some(({ credits }) => credits.length > 0)) return now;
  return firstBillDate(planned);
}

/** The invoices of a schedule that are not issued yet. */
export const draftsOf = ({ itemOf }: Pick<Standing, 'itemOf'>): string[] => [
  ...new Set([...itemOf.values()].flatMap((item) => (item.isStanding && !item.isIssued ? [item.invoiceId] : []))),
];

/** The first date of some invoices; null: there are none. */
export const firstBillDate = (invoices: readonly Pick<ScheduleInvoiceRow, 'billAt'>[]): Instant | null =>
  invoices.map(({ billAt }) => billAt).reduce<Instant | null>((a, b) => (a === null ? b : earliest(a, b)), null);

/** Follows an order: its status, its lines and its schedules as they are now. The order is locked. */
async function followOrder(tx: Tx, order: Order, now: Instant): Promise<void> {
  const isPushed = (await selectPushedOrders(tx, [order.merchantId], [order.id])).length > 0;
  for (const schedule of await lockSchedulesOfOrder(tx, order.id)) {
    const moved = await moveWithOrder(tx, schedule, order, isPushed, now);
    await restage(tx, moved, order, now);
  }
}

async function moveWithOrder(
  tx: Tx,
  schedule: ScheduleRow,
  order: Order,
  isPushed: boolean,
  now: Instant,
): Promise<ScheduleRow> {
  const { status } = schedule;
  if (order.cancelledAt !== null) return cancelSchedule(tx, schedule, order.cancelledAt, now);
  if (order.approvalStatus === 'approved' && status === 'draft')
    return moveSchedule(tx, schedule, 'activate', { activatedAt: now }, now);
  if (order.approvalStatus !== 'approved' && !isPushed && status === 'active')
    return moveSchedule(tx, schedule, 'withdraw', { activatedAt: null }, now);
  return schedule;
}

/** Time from an instant on is not owed. A completed schedule stays completed; its excess is credited. */
export async function cancelSchedule(
  tx: Tx,
  schedule: ScheduleRow,
  cancelledAt: Instant,
  now: Instant,
): Promise<ScheduleRow> {
  if (schedule.status === 'cancelled' || schedule.status === 'completed')
    return updateSchedule(tx, schedule, { cancelledAt }, now);
  return moveSchedule(tx, schedule, 'cancel', { cancelledAt }, now);
}

/** Schedules follow their order in the transaction that changes it. */
export const scheduleListener: OrderListener = {
  approved: followOrder,
  reopened: followOrder,
  cancelled: followOrder,
  changed: followOrder,
};
