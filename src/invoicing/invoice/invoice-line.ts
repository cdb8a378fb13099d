import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { LineWorkings } from './workings.ts';

export interface LineRow {
  merchantId: string;
  invoiceId: string;
  id: string;
  position: number;
  eventType: 'usage' | 'fee' | 'discount';
  lineItemType: 'charge' | 'refund';
  /** What kind of line it is, finer than `event_type`: charge, minimum, maximum, … */
  type: string;
  priceId: string | null;
  billableMetricId: string | null;
  feeId: string | null;
  itemId: string | null;
  displayName: string;
  metricName: string;
  metricUnit: string;
  metricDescription: string;
  quantity: Decimal;
  unitPrice: Decimal;
  totalPrice: Decimal;
  discountPrice: Decimal;
  taxRate: Decimal;
  totalTax: Decimal;
  totalAmount: Decimal;
  periodStart: Instant;
  periodEnd: Instant;
  groupValues: Record<string, string | null> | null;
  tiers: TierRecord[] | null;
  /**
   * The calculation of the amount; null if quantity × unit price is the amount, and for lines from before it was
   * stored.
   */
  workings: LineWorkings | null;
  appliesToLineId: string | null;
  /** Of a line on a grouped invoice: the invoice that it was calculated for. */
  memberId?: string | null;
  /** Of the same: its subscription; else it is the invoice's. */
  subscriptionId?: string | null;
  /** The source in an order's schedule; null for all other lines. */
  sourceKey: string | null;
}

/** The lines of a subscription among those of an invoice: on a grouped one several have some. */
export const linesOf = <Line extends Pick<LineRow, 'subscriptionId'>>(
  of: { readonly subscriptionId: string | null },
  lines: readonly Line[],
): Line[] => lines.filter(({ subscriptionId }) => subscriptionId == null || subscriptionId === of.subscriptionId);

/** One tier's part of a line, as decimal strings. */
export interface TierRecord {
  above: string;
  upTo: string | null;
  quantity: string;
  unitPrice: string;
  flatPrice: string;
  amount: string;
}

/** The fields of a line for the hash of an invoice, its bookings and its wallet. */
export type IssuedLine = Pick<
  LineRow,
  | 'invoiceId'
  | 'id'
  | 'displayName'
  | 'eventType'
  | 'type'
  | 'quantity'
  | 'unitPrice'
  | 'totalPrice'
  | 'taxRate'
  | 'totalTax'
  | 'totalAmount'
  | 'periodStart'
  | 'periodEnd'
>;
