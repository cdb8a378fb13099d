import { type Static, Type } from 'typebox';
import { Decimal, sum } from '../../kernel/decimal.ts';
import { scale } from '../../kernel/fraction.ts';
import type { PriceModel } from './model.ts';
import { checkTiers, IncludedUnits, PROPERTY_FIELDS, readTiers, Tiers } from './properties.ts';
import { shownTiers } from './shown-price.ts';

const GraduatedProperties = Type.Object(
  { tiers: Tiers, includedUnits: IncludedUnits },
  {
    additionalProperties: false,
    $id: 'GraduatedProperties',
    'x-fields': PROPERTY_FIELDS,
    description: 'The units of each tier at the price of that tier.',
  },
);
type GraduatedProperties = Static<typeof GraduatedProperties>;

/** Each tier's units at its price, plus its flat price once when the tier is entered (the first also at quantity 0). */
export const graduated: PriceModel<GraduatedProperties> = {
  schema: GraduatedProperties,
  check: ({ tiers }) => checkTiers(tiers),
  describe: ({ tiers }) => ({ kind: 'tiers', tiers: shownTiers(tiers), byVolume: false }),
  rate: (properties, { quantity, flatShare }) => {
    const [first, ...others] = readTiers(properties.tiers);
    const entered = [first, ...others.filter((tier) => quantity.gt(tier.above))];
    const tiers = entered.map((tier) => {
      const units = Decimal.min(quantity, tier.upTo ?? quantity).minus(tier.above);
      const flatPrice = scale(tier.flatPrice, flatShare);
      return { ...tier, quantity: units, flatPrice, amount: units.times(tier.unitPrice).plus(flatPrice) };
    });
    const amount = sum(tiers.map((tier) => tier.amount));
    return [{ quantity, amount, unitPrice: null, firstUnitPrice: first.unitPrice, tiers, group: null }];
  },
};
