import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { LineWorkings } from './workings.ts';

export interface LineRow {
  merchant_id: string;
  invoice_id: string;
  id: string;
  position: number;
  event_type: 'usage' | 'fee' | 'discount';
  line_item_type: 'charge' | 'refund';
  /** What kind of line it is, finer than `event_type`: charge, minimum, maximum, … */
  type: string;
  price_id: string | null;
  billable_metric_id: string | null;
  fee_id: string | null;
  item_id: string | null;
  display_name: string;
  metric_name: string;
  metric_unit: string;
  metric_description: string;
  quantity: Decimal;
  unit_price: Decimal;
  total_price: Decimal;
  discount_price: Decimal;
  tax_rate: Decimal;
  total_tax: Decimal;
  total_amount: Decimal;
  period_start: Instant;
  period_end: Instant;
  group_values: Record<string, string | null> | null;
  tiers: TierRecord[] | null;
  /** How the amount came about; null where quantity × unit price tells, and for lines from before it was kept. */
  workings: LineWorkings | null;
  applies_to_line_id: string | null;
  /** What of an order's schedule it bills; null for all other lines. */
  source_key: string | null;
}

/** One tier's part of a line, as decimal strings. */
export interface TierRecord {
  above: string;
  upTo: string | null;
  quantity: string;
  unitPrice: string;
  flatPrice: string;
  amount: string;
}

/** What the hash of an invoice, its bookings and its wallet need of a line. */
export type IssuedLine = Pick<
  LineRow,
  | 'invoice_id'
  | 'id'
  | 'display_name'
  | 'event_type'
  | 'type'
  | 'quantity'
  | 'unit_price'
  | 'total_price'
  | 'tax_rate'
  | 'total_tax'
  | 'total_amount'
  | 'period_start'
  | 'period_end'
>;
