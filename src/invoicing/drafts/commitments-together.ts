import { findPayer, withChildren } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { selectBilledSubscriptions, selectPostpaid } from '../difference/commitments.sql.ts';
import { isAmong } from '../terms/applies-to.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import type { Commitment } from '../terms/commitment.ts';
import type { CountedCommitment } from './spending.ts';

/** Postpaid commitments among which spending is divided, and the subscriptions that spend it. */
export interface Together {
  /** In their order. */
  readonly commitments: readonly CountedCommitment[];
  /** The oldest first: of what is spent at one instant, that of the older one counts first. */
  readonly subscriptions: readonly BillingTerms[];
}

/**
 * The postpaid commitments that may have a part of the same spending (commercial.md §4: for one at a time, in order of
 * priority): those of a subscription alone, unless one of several subscriptions is among those of its customer, of who
 * pays for that, and of all others for which that one pays.
 * @param terms of a subscription; null: the question is about a commitment of several
 */
export async function loadTogether(
  tx: Tx,
  source: BillingSource,
  of: Pick<Commitment, 'customerId' | 'clockId' | 'currency'>,
  terms: BillingTerms | null,
): Promise<Together> {
  const payerId = await findPayer(tx, of.customerId);
  const family = await withChildren(tx, [payerId]);
  const all = await selectPostpaid(tx, family, of);
  if (terms !== null && all.every(({ subscriptionId }) => subscriptionId !== null)) {
    const own = all.filter(({ subscriptionId }) => subscriptionId === terms.subscriptionId);
    return { commitments: own.map((commitment) => ofOne(commitment, terms)), subscriptions: [terms] };
  }
  const ids = await selectBilledSubscriptions(tx, family, of);
  const known = new Map(await source.termsOf(tx, ids));
  if (terms !== null) known.set(terms.subscriptionId, terms);
  const commitments = all.flatMap((commitment): CountedCommitment[] => {
    const { customerId, subscriptionId } = commitment;
    if (subscriptionId === null) {
      const isOfPayer = customerId === payerId;
      const isOf = (each: BillingTerms) => isOfPayer || each.customerId === customerId;
      return [{ commitment, endsAt: null, holds: (each) => isOf(each) && isAmong(each, commitment) }];
    }
    const own = known.get(subscriptionId);
    return own ? [ofOne(commitment, own)] : [];
  });
  const ordered = ids.flatMap((id) => known.get(id) ?? []);
  const isNew = terms !== null && !ids.includes(terms.subscriptionId);
  return { commitments, subscriptions: isNew ? [...ordered, terms] : ordered };
}

const ofOne = (commitment: Commitment, terms: BillingTerms): CountedCommitment => ({
  commitment,
  endsAt: terms.bounds.endsAt,
  holds: ({ subscriptionId }) => subscriptionId === terms.subscriptionId,
});
