import type { CatalogPrice } from '../../catalog/index.ts';
import type { Taxation } from '../../customers/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { chooseTaxRate, taxPoint } from '../../tax/index.ts';
import type { PlanAtVersion } from '../billing/agreement.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';

/** A price of the pinned version, and the rate, in percent, at which it would be taxed now (domain.md §4, Tax). */
export interface TaxedPrice {
  readonly price: CatalogPrice;
  readonly rate: Decimal;
}

/** The facts that decide the tax of a subscription's prices at an instant. */
export interface TaxedAt {
  readonly pinned: PlanAtVersion;
  readonly taxation: Taxation;
  readonly at: Instant;
}

/** The prices of the pinned version with their tax rates, in the order of the version. Pure. */
export function taxedPrices(subscription: SubscriptionRow, { pinned, taxation, at }: TaxedAt): TaxedPrice[] {
  const { plan, version } = pinned;
  const { customerTaxRates, merchantTaxRate, placeOn } = taxation;
  const taxExempt = subscription.taxExempt || taxation.taxExempt;
  const place = placeOn(taxPoint(at, at), taxExempt);
  return version.prices.map((price) => ({
    price,
    rate: chooseTaxRate({
      taxExempt,
      customerTaxRates,
      metricId: price.metric?.id ?? null,
      planId: plan.id,
      priceTaxRate: price.taxRate,
      metricTaxRate: price.metric?.taxRate ?? null,
      planTaxRate: plan.defaultTaxRate,
      merchantTaxRate,
      place,
    }).rate,
  }));
}
