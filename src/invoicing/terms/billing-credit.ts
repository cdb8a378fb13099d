import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { AppliesTo } from './applies-to.ts';

export const CREDIT_CATEGORIES = ['promotional', 'paid'] as const;
export const CREDIT_SOURCES = ['manual', 'purchase', 'commitment', 'top_up'] as const;

/** Money before tax that pays lines of invoices (commercial.md §3). It never changes, but is voided or released. */
export interface BillingCredit {
  readonly merchantId: string;
  readonly id: string;
  readonly customerId: string;
  /** Null: it pays all subscriptions of the customer that are on its clock. */
  readonly subscriptionId: string | null;
  /** The order of the commitment that made it, whose subscriptions alone it pays; null: of none. */
  readonly orderId: string | null;
  /** The invoice by which it was bought. */
  readonly invoiceId: string | null;
  readonly name: string;
  readonly amount: Decimal;
  /** What was paid for it, net of tax; null: it was given, or paid for elsewhere. */
  readonly price: Decimal | null;
  readonly currency: string;
  readonly category: (typeof CREDIT_CATEGORIES)[number];
  /** The lowest burns first. */
  readonly priority: number;
  readonly effectiveAt: Instant;
  /** Exclusive; null: it does not end. */
  readonly expiresAt: Instant | null;
  readonly voidedAt: Instant | null;
  /** The invoice that made it was given back, or its payment: it is void. */
  readonly isUndone: boolean;
  readonly appliesTo: AppliesTo;
  readonly source: (typeof CREDIT_SOURCES)[number];
  /** The commitment that made it, and its segment by its place. */
  readonly commitmentId: string | null;
  readonly segment: number | null;
  /** The credit whose rest it carries over. */
  readonly rolledFrom: string | null;
  /** What of it went on to another credit, or back to who had paid it; null: that is not decided. */
  readonly released: Decimal | null;
  readonly idempotencyKey: string | null;
  readonly testClockId: string | null;
  readonly metadata: Record<string, unknown>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The lines of invoices that took of a credit. */
export interface CreditUses {
  /** On issued invoices, less what was given back. */
  readonly used: Decimal;
  /** On drafts. */
  readonly held: Decimal;
}

/** What is stored beside a credit, because it was done once. */
export interface CreditDeeds {
  /** What of the price is revenue by now. */
  readonly earned: Decimal;
  readonly isExpiryTold: boolean;
}

/** A credit with what took of it. */
export type UsedCredit = BillingCredit & CreditUses;

/** When a credit no longer pays: at its expiry, or earlier where it is voided; null: it does not end. */
export function endOf({ expiresAt, voidedAt }: Pick<BillingCredit, 'expiresAt' | 'voidedAt'>): Instant | null {
  if (voidedAt === null) return expiresAt;
  return expiresAt !== null && Temporal.Instant.compare(expiresAt, voidedAt) < 0 ? expiresAt : voidedAt;
}

/** A line of an invoice by which a credit pays a charge, with what is left of it, and what the charge still owes. */
export interface UseOfCharge {
  readonly invoiceId: string;
  /** Null: it is of an order. */
  readonly subscriptionId: string | null;
  readonly lineId: string;
  readonly billingCreditId: string;
  readonly priceId: string | null;
  readonly displayName: string;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  readonly taxRate: Decimal;
  readonly taxBehavior: 'exclusive' | 'inclusive';
  /** What it pays; above 0. */
  readonly paid: Decimal;
  /** What later invoices gave back of the charge to its credit. */
  readonly returned: Decimal;
  /** Before corrections on later invoices, and before coupons of whole periods. */
  readonly owed: Decimal;
}
