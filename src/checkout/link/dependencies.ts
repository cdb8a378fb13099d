import type { CustomerHooks, TaxIdRegister } from '../../customers/index.ts';
import type { EnvironmentName } from '../../identity/index.ts';
import type { InvoicingDependencies } from '../../invoicing/index.ts';
import type { SubscriptionDependencies } from '../../subscriptions/index.ts';

/** The dependencies of checkouts beside their transaction; `wiring.ts` binds them. */
export interface CheckoutDependencies {
  readonly environment: EnvironmentName;
  /** The base of links, without a slash at the end. */
  readonly publicUrl: string;
  readonly customerHooks: CustomerHooks;
  /** The register that checks tax ids during input; null: none. */
  readonly register: TaxIdRegister | null;
  readonly invoicing: InvoicingDependencies;
  readonly subscriptions: SubscriptionDependencies;
}
