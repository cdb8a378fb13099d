import type { Tx } from '../db/index.ts';
import { plain } from '../kernel/decimal.ts';
import { formatMoney } from '../kernel/money.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { totalAmountOf } from './arithmetic.ts';
import { contentHash, orderContent } from './content.ts';
import type { OrderDependencies } from './dependencies.ts';
import type { Order, OrderLine, OrderRow } from './order.ts';

const textOf = (instant: Instant | null): string | null => instant && formatInstant(instant);

/** A line as the API answers it (§2). */
export const toLineReply = (line: OrderLine, { currency }: Pick<OrderRow, 'currency'>) => ({
  id: line.id,
  object: 'order_line_item' as const,
  orderId: line.orderId,
  itemId: line.itemId,
  description: line.description,
  quantity: plain(line.quantity),
  listUnitPrice: plain(line.listUnitPrice),
  discountUnitAmount: plain(line.discountUnitAmount),
  unitPrice: plain(line.unitPrice),
  totalPrice: formatMoney(line.totalPrice, currency),
  termStartDate: textOf(line.termStartDate),
  termEndDate: textOf(line.termEndDate),
  metadata: line.metadata,
  createdAt: formatInstant(line.createdAt),
  updatedAt: formatInstant(line.updatedAt),
});

const toOrderFields = (order: Order, billingSchedules: readonly unknown[], dataSnapshotHash: string) => ({
  id: order.id,
  object: 'order' as const,
  merchantId: order.merchantId,
  customerId: order.customerId,
  resellerId: order.resellerId,
  taxExempt: order.taxExempt,
  sellingEntity: order.sellingEntity,
  currency: order.currency,
  approvalStatus: order.approvalStatus,
  cancelledAt: textOf(order.cancelledAt),
  type: order.type,
  termStartDate: formatInstant(order.termStartDate),
  termEndDate: formatInstant(order.termEndDate),
  closeDate: textOf(order.closeDate),
  totalAmount: formatMoney(totalAmountOf(order), order.currency),
  defaultPaymentTermDays: order.defaultPaymentTermDays,
  metadata: order.metadata,
  lineItems: order.lineItems.map((line) => toLineReply(line, order)),
  billingSchedules,
  dataSnapshotHash,
  testClockId: order.testClockId,
  createdAt: formatInstant(order.createdAt),
  updatedAt: formatInstant(order.updatedAt),
});
export type OrderReply = ReturnType<typeof toOrderFields>;

/** Orders as the API answers them (§2), in their order. */
export async function toOrderReplies(
  dependencies: OrderDependencies,
  tx: Tx,
  orders: readonly Order[],
): Promise<OrderReply[]> {
  if (orders.length === 0) return [];
  const merchantIds = [...new Set(orders.map(({ merchantId }) => merchantId))];
  const ids = orders.map(({ id }) => id);
  const schedules = await dependencies.schedulesOf(tx, merchantIds, ids);
  const ofSchedules = await dependencies.contentOfSchedules(tx, merchantIds, ids);
  return orders.map((order) => {
    const content = orderContent(order, ofSchedules.get(order.id) ?? []);
    return toOrderFields(order, schedules.get(order.id) ?? [], contentHash(content));
  });
}

/** The same of one order. */
export async function toOrderReply(dependencies: OrderDependencies, tx: Tx, order: Order): Promise<OrderReply> {
  const [reply] = await toOrderReplies(dependencies, tx, [order]);
  return reply as OrderReply;
}
