import { findPlan } from '../../catalog/index.ts';
import { findPayer, findTaxPlace } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import type { FrozenOutsideTax } from '../invoice/frozen-terms.ts';

/** The customer of the tax, and the plans with its tax codes. */
export interface OutsideFacts {
  readonly merchantId: string;
  readonly customerId: string;
  /** The plan of lines without a price; null: there is none. */
  readonly planId: string | null;
  /** The plan of each price, by price id. */
  readonly plans: ReadonlyMap<string, string>;
}

/**
 * The question to the merchant's tax provider; undefined with our own rates: the merchant has no provider, or the
 * customer has no valid tax address.
 */
export async function freezeOutside(
  tx: Tx,
  { customerId, planId, plans }: OutsideFacts,
  now: Instant,
): Promise<FrozenOutsideTax | undefined> {
  const { taxProvider: provider } = await merchantSettings(tx);
  if (provider === 'internal') return;
  const { address, taxId } = await findTaxPlace(tx, await findPayer(tx, customerId));
  if (address === null) return;
  const codes = new Map<string, string | null>();
  for (const id of new Set([...plans.values(), ...(planId === null ? [] : [planId])]))
    codes.set(id, (await findPlan(tx, id))?.defaultTaxCode ?? null);
  const ofPrices = [...plans].flatMap(([priceId, id]): [string, string][] => {
    const code = codes.get(id);
    return code == null ? [] : [[priceId, code]];
  });
  return {
    provider,
    at: formatInstant(now),
    customer: { address, taxId },
    taxCodes: Object.fromEntries(ofPrices),
    taxCode: planId === null ? null : (codes.get(planId) ?? null),
  };
}
