import type { Customer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { MerchantOrganization, MerchantSettings } from '../../identity/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Html, Look } from '../../pages/index.ts';
import type { PortalLink } from '../links/portal.sql.ts';
import type { Tab } from '../words/words.ts';

/** A visitor with an opened link, on a page of the portal. */
export interface Visit {
  readonly tx: Tx;
  readonly merchantId: string;
  readonly customerId: string;
  readonly customer: Customer;
  readonly session: PortalLink;
  readonly merchant: MerchantOrganization;
  /** The name of the merchant. */
  readonly seller: string;
  readonly settings: MerchantSettings;
  readonly look: Look;
  /** Wall time; records on a test clock have a now of their own. */
  readonly now: Instant;
  /** The path of the portal, without a slash at the end. */
  readonly base: string;
  /** The key of each form. */
  readonly formKey: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Aborted when the visitor no longer waits for the page. */
  readonly signal: AbortSignal;
  /** Writes a change to the audit log, as made by the customer. */
  readonly audit: (resourceId: string, before: unknown, after: unknown) => Promise<unknown>;
}

/** Does another customer pay for the visitor? Then its pages have no money: it sees what it used. */
export const isPaidFor = ({ customer }: Pick<Visit, 'customer'>): boolean => customer.payerId !== null;

/** A page of the portal, without what stands around all of them. */
export interface PortalPage {
  readonly title: string;
  readonly tab: Tab;
  readonly body: Html;
  /** 200 by default; a page with another status rolls back its changes. */
  readonly status?: number;
}

/** The result of a form: another page of the portal, or a page of ours elsewhere; or the page with its problems. */
export type Outcome = { readonly to: string } | { readonly toOurs: string } | PortalPage | null;

/** The fields of a form, beside the key that each has. */
export type FormFields = Readonly<Record<string, string>>;
