import { toPriceReply } from '../../catalog/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { jsonNumber } from '../../kernel/decimal.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { selectSubscription } from '../subscription/subscriptions.sql.ts';
import { loadShown } from './present.ts';
import { taxedPrices } from './taxed-prices.ts';

/** GET /v0/fees/{id}/price/{subscriptionId}: of several prices of the fee the first one of the version. */
export async function feePrice(
  tx: Tx,
  { id: feeId, subscriptionId }: { readonly id: string; readonly subscriptionId: string },
  now: Instant,
): Promise<Result<unknown>> {
  const own = await checkReference(tx, 'subscription', subscriptionId, 'subscriptionId');
  if (!own.ok) return own;
  const subscription = await selectSubscription(tx, own.value);
  if (!subscription) return notFound('subscription', 'subscriptionId');
  const facts = await loadShown(tx, [subscription], now);
  const taxed = taxedPrices(subscription, facts(subscription)).find(({ price }) => price.feeId === feeId);
  return taxed ? ok({ ...toPriceReply(taxed.price), taxRate: jsonNumber(taxed.rate) }) : notFound('price');
}
