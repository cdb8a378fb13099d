import { lockResources, type Tx } from '../../db/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { closeWhatIsOver, followChanges } from '../issue/follow-change.ts';
import { isAmong } from '../terms/applies-to.ts';
import type { BillingSource, BillingTerms, PriceOverride } from '../terms/billing-terms.ts';
import type { Commitment } from '../terms/commitment.ts';
import type { PriceOverridesBody } from '../terms/price-override-schema.ts';
import { agreedFor, type Scoped } from './scope.ts';

/**
 * The agreed prices of a new commitment as they are stored: of prices that its subscription has, or one of its
 * customer.
 * @param terms of its subscription; null: it is of several
 */
export async function decideAgreedPrices(
  source: BillingSource,
  tx: Tx,
  given: PriceOverridesBody,
  of: Scoped & Pick<Commitment, 'clockId' | 'currency'>,
  terms: BillingTerms | null,
): Promise<Result<readonly PriceOverride[]>> {
  if (given.length === 0) return ok([]);
  const all = terms === null ? await agreeing(source, tx, of) : [terms];
  const prices = new Map(all.flatMap((each) => each.prices).map((price) => [price.id, price]));
  return source.decideOverrides(tx, given, [...prices.values()]);
}

/** The terms of the subscriptions that a commitment of several may agree prices for, also those in a trial. */
async function agreeing(
  source: BillingSource,
  tx: Tx,
  of: Scoped & Pick<Commitment, 'clockId' | 'currency'>,
): Promise<BillingTerms[]> {
  const found = await source.termsOf(tx, await source.unended(tx, of.customerId));
  return [...found.values()].filter(
    (terms) => terms.clockId === of.clockId && terms.currency === of.currency && isAmong(terms, of),
  );
}

/** Locks the subscriptions whose prices a commitment agrees, before their billing. */
export const lockAgreed = async (
  source: BillingSource,
  tx: Tx,
  commitment: Scoped & Pick<Commitment, 'overrides'>,
): Promise<void> => {
  if (commitment.overrides.length > 0) await lockResources(tx, (await agreedFor(source, tx, commitment)).toSorted());
};

/**
 * Begins or ends the agreed prices of a commitment: a change of the terms of its subscriptions at this instant. The
 * caller has locked them, and their billing.
 * @param write stores what begins or ends them
 */
export async function withAgreedPrices<Written>(
  dependencies: InvoicingDependencies,
  tx: Tx,
  commitment: Scoped & Pick<Commitment, 'overrides'>,
  write: () => Promise<Written>,
  now: Instant,
): Promise<Written> {
  if (commitment.overrides.length === 0) return write();
  const { source } = dependencies;
  const ids = await agreedFor(source, tx, commitment);
  const at = (all: ReadonlyMap<string, BillingTerms>) => [...all.values()].map((terms) => ({ terms, at: now }));
  await closeWhatIsOver(tx, at(await source.termsOf(tx, ids)), now);
  const written = await write();
  await followChanges(dependencies, tx, at(await source.termsOf(tx, ids)), now);
  return written;
}
