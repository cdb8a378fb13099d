import type { Decimal } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import type { OrderStatus } from './states.ts';

export const ORDER_TYPES = ['new_business', 'renewal', 'expansion'] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

/** The key of an order. */
export interface OrderKey {
  readonly merchantId: string;
  readonly id: string;
}

/** The agreement of a customer to buy over a term (§2), without its lines. */
export interface OrderRow extends OrderKey {
  readonly customerId: string;
  readonly resellerId: string | null;
  readonly taxExempt: boolean;
  readonly sellingEntity: string | null;
  readonly currency: string;
  readonly approvalStatus: OrderStatus;
  /** Time from here on is not owed; it may lie in the future. Null: the order is not cancelled. */
  readonly cancelledAt: Instant | null;
  readonly type: OrderType | null;
  readonly termStartDate: Instant;
  readonly termEndDate: Instant;
  readonly closeDate: Instant | null;
  /** A total that is not the sum of the lines; null: the total follows the lines. */
  readonly namedTotal: Decimal | null;
  readonly defaultPaymentTermDays: number;
  readonly metadata: Record<string, unknown>;
  /** Null: the order is on wall time. */
  readonly testClockId: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** One thing that an order sells (§2). */
export interface OrderLine {
  readonly merchantId: string;
  readonly id: string;
  readonly orderId: string;
  readonly itemId: string | null;
  readonly description: string | null;
  readonly quantity: Decimal;
  readonly listUnitPrice: Decimal;
  readonly discountUnitAmount: Decimal;
  /** listUnitPrice − discountUnitAmount. */
  readonly unitPrice: Decimal;
  /** quantity × unitPrice, rounded once to the minor unit of the order's currency. */
  readonly totalPrice: Decimal;
  /** Null: the line runs over the order's whole term, from its start. */
  readonly termStartDate: Instant | null;
  /** Null: the line runs to the end of the order's term. */
  readonly termEndDate: Instant | null;
  readonly metadata: Record<string, unknown>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** An order with its lines, oldest first. */
export interface Order extends OrderRow {
  readonly lineItems: readonly OrderLine[];
}
