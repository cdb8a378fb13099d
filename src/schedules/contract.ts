import { resolveItems } from '../catalog/index.ts';
import type { Tx } from '../db/index.ts';
import { findOrderItems, type OrderItem } from '../invoicing/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Order } from '../orders/index.ts';
import { type BilledItem, type PlannedInvoice, planInvoices } from './difference.ts';
import { selectIntervals } from './intervals.sql.ts';
import { type OwedLine, owedOf } from './owed.ts';
import type { IntervalRow, ScheduleInvoiceRow, ScheduleRow } from './schedule.ts';
import { selectSchedulesOfOrders } from './schedules.sql.ts';
import { selectScheduleInvoices } from './staged.sql.ts';

/** The debt of a schedule, its billed part, and the invoices that follow from the two. */
export interface Standing {
  readonly owed: readonly OwedLine[];
  readonly rows: readonly ScheduleInvoiceRow[];
  readonly planned: readonly PlannedInvoice[];
  /** The billed item of each item of the plan. */
  readonly itemOf: ReadonlyMap<BilledItem, OrderItem>;
}

/** The standing of a schedule. @param order of a schedule of an order, as it is now */
export async function loadStanding(
  tx: Tx,
  schedule: ScheduleRow,
  order: Order | null,
  now: Instant,
): Promise<Standing> {
  const owed = await loadOwed(tx, schedule, order);
  const rows = await selectScheduleInvoices(tx, schedule.id);
  const pushed = rows.filter(({ status }) => status === 'pushed');
  const invoiceIds = pushed.flatMap(({ invoiceId }) => (invoiceId === null ? [] : [invoiceId]));
  const items = invoiceIds.length === 0 ? [] : await findOrderItems(tx, invoiceIds);
  const itemOf = new Map(items.map((item) => [toBilledItem(item), item]));
  const dates = pushed.filter(({ correction }) => correction === 0).map(({ billAt }) => billAt);
  const through = dates.at(-1) ?? null; // rows are in the order of their dates
  return { owed, rows, itemOf, planned: planInvoices({ owed, billed: [...itemOf.keys()], through, now }) };
}

const toBilledItem = (item: OrderItem): BilledItem => ({
  key: item.sourceKey,
  invoiceId: item.invoiceId,
  itemId: item.itemId,
  description: item.displayName,
  period: { start: item.periodStart, end: item.periodEnd },
  net: item.net,
  credited: item.creditedNet.minus(item.notedNet),
  noted: item.notedNet,
  isStanding: item.isStanding,
});

/** The debt of a schedule over its whole term. */
export async function loadOwed(tx: Tx, schedule: ScheduleRow, order: Order | null): Promise<OwedLine[]> {
  if (schedule.status === 'cancelled' && schedule.activatedAt === null) return [];
  const { merchantId, orderId } = schedule;
  const all = orderId === null ? [schedule] : await selectSchedulesOfOrders(tx, [merchantId], [orderId]);
  const intervals = await selectIntervals(
    tx,
    [merchantId],
    all.map(({ id }) => id),
  );
  const intervalsOf = (id: string): IntervalRow[] => intervals.filter(({ scheduleId }) => scheduleId === id);
  const own = intervalsOf(schedule.id);
  const lines = order?.lineItems ?? [];
  const itemIds = [...own, ...lines].flatMap(({ itemId }) => (itemId === null ? [] : [itemId]));
  const items = itemIds.length === 0 ? [] : await resolveItems(tx, [...new Set(itemIds)]);
  return owedOf({
    schedule,
    currency: schedule.currency,
    intervals: own,
    lines,
    others: all
      .filter(({ id }) => id !== schedule.id)
      .map((other) => ({ schedule: other, intervals: intervalsOf(other.id) })),
    cancelledAt: schedule.cancelledAt,
    itemNames: new Map(items.map(({ id, name }) => [id, name])),
  });
}
