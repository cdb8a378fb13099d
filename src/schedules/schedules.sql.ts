import { allOf, assignments, insertion, jsonb, keptTotal, pageOfRows, sql, type Tx, withJsonb } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { type Instant, type InstantText, instantOf, type Period } from '../kernel/time.ts';
import type { ScheduleRow } from './schedule.ts';
import type { ScheduleStatus } from './states.ts';

const COLUMNS = sql`merchant_id, id, order_id, subscription_id,
  customer_id, currency, status, start_date, end_date,
  billing_anchor, alignment_policy, proration_policy,
  period_preset, custom_period_windows,
  payment_term_days, metadata, activated_at, cancelled_at,
  clock_id as test_clock_id, next_action_at, created_at, updated_at`;

interface Stored extends Omit<ScheduleRow, 'customPeriodWindows'> {
  readonly customPeriodWindows: readonly { readonly start: InstantText; readonly end: InstantText }[];
}

const toRow = ({ customPeriodWindows, ...row }: Stored): ScheduleRow => ({
  ...row,
  customPeriodWindows: customPeriodWindows.map(({ start, end }) => ({
    start: instantOf(start),
    end: instantOf(end),
  })),
});

const windowsAsJson = (windows: readonly Period[]) =>
  jsonb(windows.map(({ start, end }) => ({ start: start.toString(), end: end.toString() })));

export const insertSchedule = async (tx: Tx, schedule: ScheduleRow): Promise<ScheduleRow> => {
  const customPeriodWindows = windowsAsJson(schedule.customPeriodWindows);
  const row = { ...withJsonb(schedule, 'metadata'), customPeriodWindows };
  return toRow(await tx.one<Stored>(sql`${insertion('billing_schedule', row, COLUMNS)} returning ${COLUMNS}`));
};

export const selectSchedules = async (
  tx: Tx,
  merchantIds: readonly string[],
  ids: readonly string[],
): Promise<ScheduleRow[]> =>
  (
    await tx.rows<Stored>(sql`
      select ${COLUMNS} from billing_schedule
       where merchant_id = any (${[...merchantIds]}::text[]) and id = any (${[...ids]}::text[]) order by seq`)
  ).map(toRow);

export const selectSchedulesOfOrders = async (
  tx: Tx,
  merchantIds: readonly string[],
  orderIds: readonly string[],
): Promise<ScheduleRow[]> =>
  (
    await tx.rows<Stored>(sql`
      select ${COLUMNS} from billing_schedule
       where merchant_id = any (${[...merchantIds]}::text[]) and order_id = any (${[...orderIds]}::text[])
       order by seq`)
  ).map(toRow);

/** Locks the schedules of an order in the order of their creation. The order is locked before them. */
export const lockSchedulesOfOrder = async (tx: Tx, orderId: string): Promise<ScheduleRow[]> =>
  (
    await tx.rows<Stored>(sql`
      select ${COLUMNS} from billing_schedule
       where merchant_id = ${tx.merchantId} and order_id = ${orderId} order by seq for no key update`)
  ).map(toRow);

export const lockScheduleRow = async (tx: Tx, id: string): Promise<ScheduleRow | undefined> => {
  const row = await tx.maybe<Stored>(sql`
    select ${COLUMNS} from billing_schedule where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);
  return row && toRow(row);
};

/** The same without waiting. @throws 55P03 if another process has it */
export const lockScheduleRowNow = (tx: Tx, id: string): Promise<number> =>
  tx.run(sql`
    select from billing_schedule where merchant_id = ${tx.merchantId} and id = ${id} for no key update nowait`);

export interface ScheduleFilter {
  readonly orderId?: string | undefined;
  readonly subscriptionId?: string | undefined;
  readonly customerId?: string | undefined;
  readonly status?: ScheduleStatus | undefined;
}

export const selectSchedulePage = async (
  tx: Tx,
  merchantId: string | null,
  filter: ScheduleFilter,
  page: PageRequest,
) => {
  const { rows, total } = await pageOfRows<Stored>(
    tx,
    {
      kind: 'billingSchedule',
      select: COLUMNS,
      from: sql`billing_schedule`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filter.orderId !== undefined && sql`order_id = ${filter.orderId}`,
        filter.subscriptionId !== undefined && sql`subscription_id = ${filter.subscriptionId}`,
        filter.customerId !== undefined && sql`customer_id = ${filter.customerId}`,
        filter.status !== undefined && sql`status = ${filter.status}`,
      ]),
    },
    page,
    keptTotal(tx, 'billing_schedule', merchantId, filter, ['status']),
  );
  return { rows: rows.map(toRow), total };
};

/** The fields of a schedule that can change; absent fields stay unchanged. */
export type ScheduleChanges = Partial<
  Omit<ScheduleRow, 'merchantId' | 'id' | 'orderId' | 'subscriptionId' | 'customerId' | 'currency' | 'testClockId'>
>;

export const updateSchedule = async (
  tx: Tx,
  { merchantId, id }: Pick<ScheduleRow, 'merchantId' | 'id'>,
  changes: ScheduleChanges,
  now: Instant,
): Promise<ScheduleRow> =>
  toRow(
    await tx.one<Stored>(sql`
      update billing_schedule set ${assignments({
        status: changes.status,
        startDate: changes.startDate,
        endDate: changes.endDate,
        billingAnchor: changes.billingAnchor,
        alignmentPolicy: changes.alignmentPolicy,
        prorationPolicy: changes.prorationPolicy,
        periodPreset: changes.periodPreset,
        customPeriodWindows: changes.customPeriodWindows && windowsAsJson(changes.customPeriodWindows),
        paymentTermDays: changes.paymentTermDays,
        metadata: changes.metadata && jsonb(changes.metadata),
        activatedAt: changes.activatedAt,
        cancelledAt: changes.cancelledAt,
        nextActionAt: changes.nextActionAt,
        updatedAt: now,
      })}
       where merchant_id = ${merchantId} and id = ${id}
      returning ${COLUMNS}`),
  );

export const deleteScheduleRow = (tx: Tx, { merchantId, id }: Pick<ScheduleRow, 'merchantId' | 'id'>) =>
  tx.run(sql`delete from billing_schedule where merchant_id = ${merchantId} and id = ${id}`);

/** The schedules of an order that are there, as many as are named, and how many there are. */
export const selectHoldersOfOrder = (tx: Tx, orderId: string, most: number) =>
  tx.rows<{ id: string; count: number }>(sql`
    select id, count(*) over ()::int as count from billing_schedule
     where merchant_id = ${tx.merchantId} and order_id = ${orderId} order by seq limit ${most}`);
