import type { CustomerHooks } from '../customers/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import type { InvoicingParts } from '../invoicing/index.ts';
import type { SubscriptionParts } from '../subscriptions/index.ts';

/** What checkouts work with beside their transaction; `wiring.ts` binds it. */
export interface CheckoutParts {
  readonly environment: EnvironmentName;
  /** What links start with, without a slash at the end. */
  readonly publicUrl: string;
  readonly customerHooks: CustomerHooks;
  readonly invoicing: InvoicingParts;
  readonly subscriptions: SubscriptionParts;
}
