import { canonicalJson } from '../http/index.ts';
import { plain } from '../kernel/decimal.ts';
import { formatMoney } from '../kernel/money.ts';
import { formatInstant, HOURS_PER_DAY, type Instant } from '../kernel/time.ts';
import type { IntervalRow, ScheduleInvoiceRow, ScheduleRow } from './schedule.ts';

const textOf = (instant: Instant | null): string | null => instant && formatInstant(instant);

const toWindows = ({ customPeriodWindows }: ScheduleRow) =>
  customPeriodWindows.map(({ start, end }) => ({ start: formatInstant(start), end: formatInstant(end) }));

/** A schedule as the API answers it (§2). */
export const toScheduleReply = (schedule: ScheduleRow) => ({
  id: schedule.id,
  object: 'billing_schedule' as const,
  merchantId: schedule.merchantId,
  orderId: schedule.orderId,
  subscriptionId: schedule.subscriptionId,
  status: schedule.status,
  startDate: formatInstant(schedule.startDate),
  endDate: formatInstant(schedule.endDate),
  billingAnchor: formatInstant(schedule.billingAnchor),
  alignmentPolicy: schedule.alignmentPolicy,
  prorationPolicy: schedule.prorationPolicy,
  periodPreset: schedule.periodPreset,
  customPeriodWindows: toWindows(schedule),
  paymentTermDays: schedule.paymentTermDays,
  metadata: schedule.metadata,
  customerId: schedule.customerId,
  currency: schedule.currency,
  cancelledAt: textOf(schedule.cancelledAt),
  testClockId: schedule.testClockId,
  createdAt: formatInstant(schedule.createdAt),
  updatedAt: formatInstant(schedule.updatedAt),
});

const termsOfInterval = (interval: IntervalRow) => ({
  orderLineItemId: interval.orderLineItemId,
  itemId: interval.itemId,
  priceId: interval.priceId,
  description: interval.description,
  unitPrice: interval.unitPrice && plain(interval.unitPrice),
  baseQuantity: plain(interval.baseQuantity),
  quantityTransitions: interval.quantityTransitions.map(({ effectiveDate, quantity }) => ({
    effectiveDate: formatInstant(effectiveDate),
    quantity: plain(quantity),
  })),
  billingCadence: interval.billingCadence,
  billingMode: interval.billingMode,
  billDate: textOf(interval.billDate),
  startDate: formatInstant(interval.startDate),
  endDate: textOf(interval.endDate),
  usageFilter: interval.usageFilter,
});

/** An interval as the API answers it. */
export const toIntervalReply = (interval: IntervalRow) => ({
  id: interval.id,
  object: 'schedule_interval' as const,
  scheduleId: interval.scheduleId,
  ...termsOfInterval(interval),
  metadata: interval.metadata,
  createdAt: formatInstant(interval.createdAt),
  updatedAt: formatInstant(interval.updatedAt),
});

/** The content of an interval that makes it a different one: all but its id, its metadata and its times of writing. */
export const contentOfInterval = (interval: IntervalRow): string => canonicalJson(termsOfInterval(interval));

/** A schedule with its intervals as an approval of its order is given for it (docs/decisions/0068-orders.md). */
export const toScheduleContent = (schedule: ScheduleRow, intervals: readonly IntervalRow[]) => ({
  id: schedule.id,
  startDate: formatInstant(schedule.startDate),
  endDate: formatInstant(schedule.endDate),
  billingAnchor: formatInstant(schedule.billingAnchor),
  alignmentPolicy: schedule.alignmentPolicy,
  prorationPolicy: schedule.prorationPolicy,
  periodPreset: schedule.periodPreset,
  customPeriodWindows: toWindows(schedule),
  paymentTermDays: schedule.paymentTermDays,
  intervals: intervals.map((interval) => ({ id: interval.id, ...termsOfInterval(interval) })),
});

/** A staged or pushed invoice as the API answers it. @param paymentTermDays of the schedule, with its defaults */
export const toScheduleInvoiceReply = (row: ScheduleInvoiceRow, schedule: ScheduleRow, paymentTermDays: number) => ({
  id: row.id,
  object: 'schedule_invoice' as const,
  orderId: schedule.orderId,
  subscriptionId: schedule.subscriptionId,
  billingScheduleId: row.scheduleId,
  merchantId: row.merchantId,
  periodStart: formatInstant(row.periodStart),
  periodEnd: formatInstant(row.periodEnd),
  billDate: formatInstant(row.billAt),
  dueDate: formatInstant(row.billAt.add({ hours: paymentTermDays * HOURS_PER_DAY })),
  amount: formatMoney(row.amount, schedule.currency),
  status: row.status,
  invoiceId: row.invoiceId,
  lineItems: row.lines.map((line) => ({
    lineKey: line.lineKey,
    description: line.description,
    quantity: plain(line.quantity),
    unitPrice: plain(line.unitPrice),
    subtotal: formatMoney(line.subtotal, schedule.currency),
    periodStart: formatInstant(line.periodStart),
    periodEnd: formatInstant(line.periodEnd),
  })),
  createdAt: formatInstant(row.createdAt),
  updatedAt: formatInstant(row.updatedAt),
});
