import { withChildren } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { selectBilledSubscriptions } from '../difference/commitments.sql.ts';
import { selectOpenSubscriptions } from '../invoice/invoices.sql.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import type { Commitment } from '../terms/commitment.ts';
import { lockBilling } from '../usage/billing-lock.sql.ts';

type Scoped = Pick<Commitment, 'subscriptionId' | 'customerId'>;

/** The terms of the subscription of a commitment; null: it is of all of the customer's. */
export const termsOfCommitment = async (
  source: BillingSource,
  tx: Tx,
  { subscriptionId }: Scoped,
): Promise<BillingTerms | null> => (subscriptionId === null ? null : source.terms(tx, subscriptionId));

/** The customer of a commitment, and those for which it pays. */
export const customersOf = (tx: Tx, { customerId }: Scoped): Promise<string[]> => withChildren(tx, [customerId]);

/** The subscriptions whose billing uses the credits of a commitment. */
export const billedFor = async (tx: Tx, commitment: Scoped): Promise<string[]> =>
  commitment.subscriptionId === null
    ? selectOpenSubscriptions(tx, await customersOf(tx, commitment))
    : [commitment.subscriptionId];

/** Locks the billing of what uses the credits of a commitment. */
export const lockScope = async (tx: Tx, commitment: Scoped): Promise<number> =>
  lockBilling(tx, await billedFor(tx, commitment));

/** The terms of the subscriptions of some customers that were ever billed in a currency on a clock. */
export const termsOfAll = async (
  source: BillingSource,
  tx: Tx,
  customerIds: readonly string[],
  commitment: Pick<Commitment, 'clockId' | 'currency'>,
): Promise<BillingTerms[]> => [
  ...(await source.termsOf(tx, await selectBilledSubscriptions(tx, customerIds, commitment))).values(),
];

/** The subscriptions with open periods for which a commitment agrees prices: those of its own customer. */
export const agreedFor = async (tx: Tx, { subscriptionId, customerId }: Scoped): Promise<string[]> =>
  subscriptionId === null ? selectOpenSubscriptions(tx, [customerId]) : [subscriptionId];
