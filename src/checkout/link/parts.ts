import type { CustomerHooks, TaxIdRegister } from '../../customers/index.ts';
import type { EnvironmentName } from '../../identity/index.ts';
import type { InvoicingParts } from '../../invoicing/index.ts';
import type { SubscriptionParts } from '../../subscriptions/index.ts';

/** What checkouts work with beside their transaction; `wiring.ts` binds it. */
export interface CheckoutParts {
  readonly environment: EnvironmentName;
  /** What links start with, without a slash at the end. */
  readonly publicUrl: string;
  readonly customerHooks: CustomerHooks;
  /** Who is asked about tax ids while somebody types one; null: nobody. */
  readonly register: TaxIdRegister | null;
  readonly invoicing: InvoicingParts;
  readonly subscriptions: SubscriptionParts;
}
