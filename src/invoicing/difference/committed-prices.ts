import type { Tx } from '../../db/index.ts';
import { isAmong } from '../terms/applies-to.ts';
import type { PriceOverride } from '../terms/billing-terms.ts';
import { overridesOf } from '../terms/price-overrides.ts';
import { selectAgreeing } from './commitments.sql.ts';

/** Agreed prices of a commitment, for subscriptions in its currency. */
export interface CommittedPrices {
  readonly currency: string;
  readonly overrides: readonly PriceOverride[];
}

/** A subscription that commitments may agree prices for. */
interface Agreed {
  readonly id: string;
  readonly customerId: string;
  readonly orderId: string | null;
  readonly clockId: string | null;
}

/** The prices that commitments agree for some subscriptions of one merchant, in the order of the commitments. */
export async function findCommittedPrices(
  tx: Tx,
  subscriptions: readonly Agreed[],
): Promise<(subscription: Agreed) => readonly CommittedPrices[]> {
  const customerIds = [...new Set(subscriptions.map(({ customerId }) => customerId))];
  const found = customerIds.length === 0 ? [] : await selectAgreeing(tx, customerIds);
  return ({ id, customerId, orderId, clockId }) =>
    found
      .filter((each) => each.customerId === customerId && each.clockId === clockId)
      .filter((each) => isAmong({ subscriptionId: id, orderId }, each))
      .map((each) => ({ currency: each.currency, overrides: overridesOf(each) }));
}
