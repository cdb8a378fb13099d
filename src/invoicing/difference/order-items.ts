import { Decimal } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import type { Instant } from '../../kernel/time.ts';

/** The billed amount of a billing schedule on one invoice, under one key and for one time. */
export interface OrderItem {
  readonly invoiceId: string;
  readonly sourceKey: string;
  readonly itemId: string | null;
  readonly displayName: string;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  readonly net: Decimal;
  readonly tax: Decimal;
  /** Percent. */
  readonly taxRate: Decimal;
  readonly creditedNet: Decimal;
  readonly creditedTax: Decimal;
  readonly isIssued: boolean;
  /** Nothing can be taken back of an invoice that is cancelled, written off or refunded. */
  readonly isStanding: boolean;
}

/** The credit of an item. */
export interface OrderCredit {
  readonly item: OrderItem;
  /** Before tax; above 0, and no more than is left of the item. */
  readonly amount: Decimal;
  /** From when on it is not owed. */
  readonly from: Instant;
}

/**
 * The tax of a credit: its share of what is left of the tax that was billed, all of it for all that is left (§3
 * Credits).
 */
export function taxOfCredit({ item, amount }: OrderCredit, currency: string): Decimal {
  const left = item.net.minus(item.creditedNet);
  const tax = item.tax.minus(item.creditedTax);
  if (amount.gte(left)) return tax;
  return Decimal.min(tax, roundTo(tax.times(amount).div(left), currency, 'half-away-from-zero'));
}
