import type { CustomerHooks } from '../customers/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import type { BillingSource } from '../invoicing/index.ts';

/** What the operations of subscriptions work with beside their transaction; `app.ts` binds it. */
export interface SubscriptionParts {
  readonly environment: EnvironmentName;
  readonly source: BillingSource;
  readonly customerHooks: CustomerHooks;
}
