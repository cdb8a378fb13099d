import type { Instant } from '../../kernel/time.ts';
import type { KnownBuyer } from './known-buyer.ts';

/** A page on which people subscribe to a plan. */
export interface CheckoutLink {
  readonly merchantId: string;
  readonly id: string;
  readonly planId: string;
  /** Of the subscriptions that it makes. */
  readonly currency: string;
  /** The customer that it is for, where it is there already. */
  readonly customerId: string | null;
  /** The known details of its only buyer. */
  readonly known: KnownBuyer | null;
  /** Ids or codes of coupons that everybody gets. */
  readonly coupons: readonly string[];
  /** The page has a field for a code. */
  readonly allowPromotionCodes: boolean;
  /** Null: any number of people. */
  readonly maxUses: number | null;
  readonly uses: number;
  readonly successRedirectUrl: string | null;
  readonly failureRedirectUrl: string | null;
  readonly metadata: Record<string, string | number | boolean>;
  readonly expiresAt: Instant;
  /** Ended before its time. */
  readonly endedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const LINK_STATUSES = ['open', 'used', 'expired'] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

/** Can a customer subscribe by it? Not from the instant `expiresAt` on. */
export function statusOf(
  link: Pick<CheckoutLink, 'maxUses' | 'uses' | 'expiresAt' | 'endedAt'>,
  now: Instant,
): LinkStatus {
  if (link.maxUses !== null && link.uses >= link.maxUses) return 'used';
  return link.endedAt !== null || Temporal.Instant.compare(link.expiresAt, now) <= 0 ? 'expired' : 'open';
}
