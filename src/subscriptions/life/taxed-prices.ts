import { type CatalogPrice, findPlan, findPlanVersion, toPriceReply } from '../../catalog/index.ts';
import { effectiveNowForReading } from '../../clocks/index.ts';
import { findTaxation } from '../../customers/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { type Decimal, jsonNumber } from '../../kernel/decimal.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { chooseTaxRate, taxPoint } from '../../tax/index.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { selectSubscription } from '../subscription/subscriptions.sql.ts';

/** A price of the pinned version, and the rate, in percent, at which it would be taxed now (domain.md §4, Tax). */
export interface TaxedPrice {
  readonly price: CatalogPrice;
  readonly rate: Decimal;
}

/** The prices of the pinned version with their tax rates of now, in the order of the version. */
export async function taxedPrices(tx: Tx, subscription: SubscriptionRow, now: Instant): Promise<TaxedPrice[]> {
  const { merchantId, customerId, planId, planVersionId, taxExempt } = subscription;
  const plan = await findPlan(tx, merchantId, planId);
  const version = await findPlanVersion(tx, merchantId, planVersionId);
  const { customerTaxRates, merchantTaxRate, placeOn } = await findTaxation(tx, merchantId, customerId);
  const at = await effectiveNowForReading(tx, merchantId, subscription.clockId, now);
  const place = placeOn(taxPoint(at, at), taxExempt);
  return (version?.prices ?? []).map((price) => ({
    price,
    rate: chooseTaxRate({
      taxExempt,
      customerTaxRates,
      metricId: price.metric?.id ?? null,
      planId,
      priceTaxRate: price.taxRate,
      metricTaxRate: price.metric?.taxRate ?? null,
      planTaxRate: plan?.defaultTaxRate ?? null,
      merchantTaxRate,
      place,
    }).rate,
  }));
}

/** GET /v0/fees/{id}/price/{subscriptionId}: of several prices of the fee the first one of the version. */
export async function feePrice(
  tx: Tx,
  merchantId: string,
  { id: feeId, subscriptionId }: { readonly id: string; readonly subscriptionId: string },
  now: Instant,
): Promise<Result<unknown>> {
  const own = await checkReference(tx, merchantId, 'subscription', subscriptionId, 'subscriptionId');
  if (!own.ok) return own;
  const subscription = await selectSubscription(tx, merchantId, own.value);
  if (!subscription) return notFound('subscription', 'subscriptionId');
  const taxed = (await taxedPrices(tx, subscription, now)).find(({ price }) => price.feeId === feeId);
  return taxed ? ok({ ...toPriceReply(taxed.price), taxRate: jsonNumber(taxed.rate) }) : notFound('price');
}
