import type { Tx } from '../db/index.ts';
import { sum } from '../kernel/decimal.ts';
import type { OrderDependencies } from '../orders/index.ts';
import { loadOwed } from './contract.ts';
import { selectHoldersOfLine } from './intervals.sql.ts';
import { schedulesWithIntervals } from './intervals.ts';
import { toScheduleContent, toScheduleReply } from './present.ts';
import { selectHoldersOfOrder, selectSchedulesOfOrders } from './schedules.sql.ts';
import { BillingScheduleReply } from './schemas.ts';
import { selectPushedOrders } from './staged.sql.ts';

const MOST_NAMED = 10;

const byOrder = <T extends { readonly orderId: string | null }, R>(
  all: readonly T[],
  to: (one: T) => R,
): Map<string, R[]> =>
  new Map([...Map.groupBy(all, ({ orderId }) => orderId as string)].map(([id, those]) => [id, those.map(to)]));

/** The questions of orders to schedules. */
export const partsForOrders: Pick<
  OrderDependencies,
  'scheduleReply' | 'schedulesOf' | 'contentOfSchedules' | 'totalOfSchedules' | 'hasPushed' | 'holdersOf'
> = {
  scheduleReply: BillingScheduleReply,
  schedulesOf: async (tx, merchantIds, orderIds) =>
    byOrder(await selectSchedulesOfOrders(tx, merchantIds, orderIds), toScheduleReply),
  contentOfSchedules: async (tx, merchantIds, orderIds) => {
    const found = await schedulesWithIntervals(tx, await selectSchedulesOfOrders(tx, merchantIds, orderIds));
    const all = found.map((each) => ({ ...each, orderId: each.schedule.orderId }));
    return byOrder(all, ({ schedule, intervals }) => toScheduleContent(schedule, intervals));
  },
  totalOfSchedules: async (tx, order) => {
    const schedules = await selectSchedulesOfOrders(tx, [order.merchantId], [order.id]);
    const found = await schedulesWithIntervals(tx, schedules);
    if (found.every(({ intervals }) => intervals.length === 0)) return null;
    const owed = await Promise.all(schedules.map((schedule) => loadOwed(tx, schedule, order)));
    return sum(owed.flat().map(({ subtotal }) => subtotal));
  },
  hasPushed: async (tx, merchantIds, orderIds) =>
    new Set((await selectPushedOrders(tx, merchantIds, orderIds)).map(({ orderId }) => orderId)),
  holdersOf: async (tx: Tx, kind, id) => {
    const rows =
      kind === 'order' ? await selectHoldersOfOrder(tx, id, MOST_NAMED) : await selectHoldersOfLine(tx, id, MOST_NAMED);
    const type = kind === 'order' ? 'billingSchedule' : 'scheduleInterval';
    return rows.slice(0, 1).map(({ count }) => ({ type, count, items: rows.map((row) => ({ id: row.id })) }));
  },
};
