import { withChildren } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { selectBilledSubscriptions } from '../difference/commitments.sql.ts';
import { selectOpenSubscriptions } from '../invoice/invoices.sql.ts';
import { isAmong, type Scope } from '../terms/applies-to.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import type { Commitment } from '../terms/commitment.ts';
import { lockBilling } from '../usage/billing-lock.sql.ts';

/** A commitment, as far as it says whose spending counts. */
export type Scoped = Scope & Pick<Commitment, 'customerId'>;

/** The terms of the subscription of a commitment; null: it is of several. */
export const termsOfCommitment = async (
  source: BillingSource,
  tx: Tx,
  { subscriptionId }: Pick<Scoped, 'subscriptionId'>,
): Promise<BillingTerms | null> => (subscriptionId === null ? null : source.terms(tx, subscriptionId));

/** The customer of a commitment, and those for which it pays. */
export const customersOf = (tx: Tx, { customerId }: Pick<Scoped, 'customerId'>): Promise<string[]> =>
  withChildren(tx, [customerId]);

/** The subscriptions whose billing uses the credits of a commitment, or (wider) of the customer of an order. */
export const billedFor = async (tx: Tx, commitment: Omit<Scoped, 'orderId'>): Promise<string[]> =>
  commitment.subscriptionId === null
    ? selectOpenSubscriptions(tx, await customersOf(tx, commitment))
    : [commitment.subscriptionId];

/** Locks the billing of what uses the credits of a commitment. */
export const lockScope = async (tx: Tx, commitment: Omit<Scoped, 'orderId'>): Promise<number> =>
  lockBilling(tx, await billedFor(tx, commitment));

/** The terms of the subscriptions of a commitment, of some customers, that were ever billed. */
export async function termsOfAll(
  source: BillingSource,
  tx: Tx,
  customerIds: readonly string[],
  commitment: Scope & Pick<Commitment, 'clockId' | 'currency'>,
): Promise<BillingTerms[]> {
  const found = await source.termsOf(tx, await selectBilledSubscriptions(tx, customerIds, commitment));
  return [...found.values()].filter((terms) => isAmong(terms, commitment));
}

/** The subscriptions with open periods for which a commitment agrees prices: those of its own customer. */
export async function agreedFor(source: BillingSource, tx: Tx, commitment: Scoped): Promise<string[]> {
  const { subscriptionId, orderId, customerId } = commitment;
  if (subscriptionId !== null) return [subscriptionId];
  const ids = await selectOpenSubscriptions(tx, [customerId]);
  if (orderId === null) return ids;
  const terms = await source.termsOf(tx, ids);
  return ids.filter((id) => isAmong(terms.get(id) as BillingTerms, commitment));
}
