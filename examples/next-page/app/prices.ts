import type { types } from '@reckoner/sdk';

/** The unit of each metric, by its id. */
export type Units = ReadonlyMap<string, string>;

const PERIODS: Record<string, string> = { P0D: 'once', P1M: 'a month', P3M: 'a quarter', P1Y: 'a year' };

/** A price as a person reads it: `$20.00 a month`, `$0.002 per credit`. */
export function priceText(price: types.Price, { currency, billingCadence }: types.Plan, units: Units): string {
  const money = (amount: unknown) =>
    new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 12 }).format(amount as never);
  const period = price.billingCadence ?? billingCadence;
  const unit = units.get(price.billableMetricId ?? '') ?? 'unit';
  const per = price.feeId ? (PERIODS[period] ?? `every ${period}`) : `per ${unit}`;
  switch (price.model) {
    case 'standard':
      return `${money(price.properties.unitPrice)} ${per}`;
    case 'package':
      return `${money(price.properties.price)} per ${price.properties.size} × ${unit}`;
    case 'graduated':
    case 'volume':
      return `from ${money(price.properties.tiers.at(-1)?.unitPrice)} ${per}`;
    case 'matrix':
      return `from ${money(price.properties.default)} ${per}`;
    default:
      return `by ${price.model}`;
  }
}
