import { type Decimal, type DecimalInput, decimal, ZERO } from '../kernel/decimal.ts';
import type { PlaceOfSupply } from './place.ts';

/** All places that may name the rate of a line. Rates are percent: 8.875 is 8.875 %. */
export interface TaxRateSources {
  /** §2 Subscription: forces the rate to 0. */
  readonly taxExempt: boolean;
  /** §2 Customer: percentages by metric id, plan id or `default`. */
  readonly customerTaxRates: Readonly<Record<string, DecimalInput>>;
  readonly metricId: string | null;
  readonly planId: string | null;
  readonly priceTaxRate: Decimal | null;
  readonly metricTaxRate: Decimal | null;
  readonly planTaxRate: Decimal | null;
  readonly merchantTaxRate: Decimal | null;
  /** The place of the sale; null if the merchant has no registration for tax. */
  readonly place: Pick<PlaceOfSupply, 'treatment' | 'rate'> | null;
}

/** The source of the rate, for explanations. */
export type TaxRateSource =
  | 'exempt'
  | 'customer_metric'
  | 'customer_plan'
  | 'customer_default'
  | 'price'
  | 'metric'
  | 'plan'
  | 'merchant'
  | 'place'
  | 'none';

/** A rate in percent, and who named it. */
export interface ChosenTaxRate {
  readonly rate: Decimal;
  readonly source: TaxRateSource;
}

/**
 * The tax rate of a line: the first that is named, in the order of domain.md §4. A rate of 0 is a rate, and is not
 * passed over. The place of the sale comes after what the merchant has set for the customer. Rates of prices, metrics
 * and plans are rates of the merchant's own country: elsewhere the place decides before them.
 */
export function chooseTaxRate(sources: TaxRateSources): ChosenTaxRate {
  if (sources.taxExempt) return { rate: ZERO, source: 'exempt' };
  const ofCustomer = (key: string | null): Decimal | null =>
    key !== null && Object.hasOwn(sources.customerTaxRates, key)
      ? decimal(sources.customerTaxRates[key] as DecimalInput)
      : null;
  const candidates: readonly (readonly [TaxRateSource, Decimal | null])[] = [
    ['customer_metric', ofCustomer(sources.metricId)],
    ['customer_plan', ofCustomer(sources.planId)],
    ['customer_default', ofCustomer('default')],
    ['place', sources.place?.treatment === 'domestic' ? null : (sources.place?.rate ?? null)],
    ['price', sources.priceTaxRate],
    ['metric', sources.metricTaxRate],
    ['plan', sources.planTaxRate],
    ['place', sources.place?.rate ?? null],
    ['merchant', sources.merchantTaxRate],
  ];
  for (const [source, rate] of candidates) if (rate !== null) return { rate, source };
  return { rate: ZERO, source: 'none' };
}
