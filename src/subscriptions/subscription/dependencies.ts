import type { CustomerHooks } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { EnvironmentName } from '../../identity/index.ts';
import type { BillingSource, InvoiceRow, InvoicingDependencies } from '../../invoicing/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

/** A renewal of which the customer is reminded. */
export interface ComingRenewal {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly customerId: string;
  /** The name of the plan for the customer. */
  readonly planName: string;
  readonly renewsAt: Instant;
  /** The estimate of the ending period's invoice; null if unknown. */
  readonly estimate: { readonly amount: Decimal; readonly currency: string } | null;
  /** The card that will be charged; null where none will be. */
  readonly card: { readonly brand: string; readonly last4: string } | null;
}

/** The end of a trial of which the customer is told. */
export interface EndingTrial extends Pick<ComingRenewal, 'merchantId' | 'subscriptionId' | 'customerId' | 'planName'> {
  readonly trialEnd: Instant;
  /** What follows, as things are. */
  readonly follows: 'invoice' | 'terminate' | 'pause';
  /** The card that is charged; null where none will be. */
  readonly card: ComingRenewal['card'];
}

/** The dependencies of subscriptions beside their transaction; `app.ts` binds them. */
export interface SubscriptionDependencies {
  readonly environment: EnvironmentName;
  readonly source: BillingSource;
  readonly customerHooks: CustomerHooks;
  readonly invoicing: InvoicingDependencies;
  /** Charges the customer's stored card for an issued invoice, where there is one. @returns the invoice after it */
  readonly chargeNow: (tx: Tx, invoice: InvoiceRow, now: Instant) => Promise<InvoiceRow>;
  /** Writes to the customer, in the transaction of the reminder. */
  readonly remindCustomer: (tx: Tx, renewal: ComingRenewal, now: Instant) => Promise<void>;
  readonly tellOfTrial: (tx: Tx, trial: EndingTrial, now: Instant) => Promise<void>;
}
