import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Details } from './details.ts';

/** A person's way through a link: the typed and shown values, and the ids of the future records. */
export interface Checkout {
  readonly merchantId: string;
  readonly id: string;
  readonly linkId: string;
  /** Drawn for each form that is shown: one form sent twice is one checkout. */
  readonly form: string;
  /** The version of the shown prices. */
  readonly planVersionId: string;
  /** Null once the customer has it, and for a customer that was there before. */
  readonly typed: Details | null;
  /** Of the shown price: ids or codes. */
  readonly coupons: readonly string[];
  /** A hash of the typed details: the same details on one link are one person. */
  readonly detailsPrint: Buffer | null;
  /** The shown amount due now, with tax; a payment of another amount is not made. */
  readonly amount: Decimal;
  /** The shown tax. Null: the checkout is older than this field. */
  readonly tax: Decimal | null;
  readonly currency: string;
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly invoiceId: string;
  /** Null: nothing is due, and no card is wanted. */
  readonly sessionId: string | null;
  readonly expiresAt: Instant;
  readonly completedAt: Instant | null;
  /** The start of the subscription: the shown amounts were calculated as of this instant. */
  readonly createdAt: Instant;
}
