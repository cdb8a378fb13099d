import type { CustomerHooks } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { EnvironmentName } from '../../identity/index.ts';
import type { InvoicingDependencies } from '../../invoicing/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { SubscriptionDependencies } from '../../subscriptions/index.ts';
import type { MailedLink } from './links.ts';

/** The dependencies of the portal beside the database; `wiring.ts` binds them. */
export interface PortalDependencies {
  readonly environment: EnvironmentName;
  /** The base of links to this environment. */
  readonly publicUrl: string;
  readonly invoicing: InvoicingDependencies;
  readonly subscriptions: SubscriptionDependencies;
  readonly customerHooks: CustomerHooks;
  /** Writes the mail with a link, in the transaction that makes the link. */
  readonly mailLink: (tx: Tx, link: MailedLink, now: Instant) => Promise<void>;
}
