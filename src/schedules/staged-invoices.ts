import type { Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { ok, type Result } from '../kernel/result.ts';
import { findOrder } from '../orders/index.ts';
import type { ScheduleDependencies } from './dependencies.ts';
import { toScheduleInvoiceReply } from './present.ts';
import { restage } from './refresh.ts';
import type { ScheduleInvoiceStatus, ScheduleRow } from './schedule.ts';
import { type Asker, changeSchedule, getSchedule, type ScheduleKey } from './schedules.ts';
import { selectScheduleInvoicePage } from './staged.sql.ts';

/** GET …/invoices: by their bill dates. @returns 404 */
export async function listScheduleInvoices(
  dependencies: ScheduleDependencies,
  tx: Tx,
  key: ScheduleKey,
  status: ScheduleInvoiceStatus | undefined,
  page: PageRequest,
) {
  const found = await getSchedule(tx, key);
  return found.ok ? ok(await toScheduleInvoiceReplies(dependencies, tx, found.value, status, page)) : found;
}

async function toScheduleInvoiceReplies(
  dependencies: ScheduleDependencies,
  tx: Tx,
  schedule: ScheduleRow,
  status: ScheduleInvoiceStatus | undefined,
  page: PageRequest,
) {
  const { rows, total } = await selectScheduleInvoicePage(tx, schedule.id, status, page);
  const days = await paymentTermDaysOf(dependencies, tx, schedule);
  return { data: rows.map((row) => toScheduleInvoiceReply(row, schedule, days)), total };
}

async function paymentTermDaysOf(dependencies: ScheduleDependencies, tx: Tx, schedule: ScheduleRow): Promise<number> {
  const { merchantId, orderId, subscriptionId, paymentTermDays } = schedule;
  if (paymentTermDays !== null) return paymentTermDays;
  if (subscriptionId !== null) return (await dependencies.source.terms(tx, subscriptionId)).paymentTermDays;
  const order = orderId === null ? undefined : await findOrder(tx, { merchantId, id: orderId });
  return order?.defaultPaymentTermDays ?? 0;
}

/** POST …/invoices: stages the future invoices again. @returns 404; INVALID_TRANSITION */
export async function regenerateScheduleInvoices(
  dependencies: ScheduleDependencies,
  tx: Tx,
  key: ScheduleKey,
  asker: Asker,
  page: PageRequest,
): Promise<Result<Awaited<ReturnType<typeof toScheduleInvoiceReplies>>>> {
  const changed = await changeSchedule(dependencies, tx, key, asker, async (schedule, now) => {
    const { merchantId, orderId } = schedule;
    const order = orderId === null ? null : ((await findOrder(tx, { merchantId, id: orderId })) ?? null);
    return ok(await restage(tx, schedule, order, now));
  });
  return changed.ok ? ok(await toScheduleInvoiceReplies(dependencies, tx, changed.value, undefined, page)) : changed;
}
