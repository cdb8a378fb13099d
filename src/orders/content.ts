import { createHash } from 'node:crypto';
import { canonicalJson } from '../http/index.ts';
import { plain } from '../kernel/decimal.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { totalAmountOf } from './arithmetic.ts';
import type { Order, OrderLine } from './order.ts';

const textOf = (instant: Instant | null): string | null => instant && formatInstant(instant);

const contentOfLine = (line: OrderLine) => ({
  id: line.id,
  itemId: line.itemId,
  description: line.description,
  quantity: plain(line.quantity),
  listUnitPrice: plain(line.listUnitPrice),
  discountUnitAmount: plain(line.discountUnitAmount),
  unitPrice: plain(line.unitPrice),
  totalPrice: plain(line.totalPrice),
  termStartDate: textOf(line.termStartDate),
  termEndDate: textOf(line.termEndDate),
});

/**
 * The content of an approval (domain.md §6): the buyer, the products, the times, the amounts and the billing. What
 * changes without a new approval is left out (docs/decisions/0068-orders.md).
 * @param schedules the order's billing schedules with their intervals, as schedules put them into the content
 */
export const orderContent = (order: Order, schedules: readonly unknown[]) => ({
  id: order.id,
  customerId: order.customerId,
  currency: order.currency,
  type: order.type,
  taxExempt: order.taxExempt,
  termStartDate: formatInstant(order.termStartDate),
  termEndDate: formatInstant(order.termEndDate),
  totalAmount: plain(totalAmountOf(order)),
  defaultPaymentTermDays: order.defaultPaymentTermDays,
  lineItems: order.lineItems.map(contentOfLine).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  billingSchedules: schedules,
});
export type OrderContent = ReturnType<typeof orderContent>;

/** SHA-256 of the content's canonical JSON: `dataSnapshotHash`. */
export const contentHash = (content: unknown): string =>
  createHash('sha256').update(canonicalJson(content)).digest('hex');
