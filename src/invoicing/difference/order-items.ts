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
  /** The part of it by credit notes of people, which count as billed. */
  readonly notedNet: Decimal;
  readonly isIssued: boolean;
  /** A cancelled, written off or refunded invoice gets no credit. */
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

/** The tax of a credit: its share of the remaining billed tax, all of it for the whole remainder (§3 Credits). */
export function taxOfCredit({ item, amount }: OrderCredit, currency: string): Decimal {
  const left = item.net.minus(item.creditedNet);
  const tax = item.tax.minus(item.creditedTax);
  if (amount.gte(left)) return tax;
  return Decimal.min(tax, roundTo(tax.times(amount).div(left), currency, 'half-away-from-zero'));
}
