import { type Static, Type } from 'typebox';
import { scale } from '../../kernel/fraction.ts';
import type { PriceModel } from './model.ts';
import { checkTiers, IncludedUnits, PROPERTY_FIELDS, readTiers, type Tier, Tiers } from './properties.ts';
import { shownTiers } from './shown-price.ts';

const VolumeProperties = Type.Object(
  { tiers: Tiers, includedUnits: IncludedUnits },
  {
    additionalProperties: false,
    $id: 'VolumeProperties',
    'x-fields': PROPERTY_FIELDS,
    description: 'All units at the price of the tier that the quantity falls in.',
  },
);
type VolumeProperties = Static<typeof VolumeProperties>;

/**
 * All of the quantity at the price of the tier that it falls in, plus that tier's flat price (at 0: the first tier).
 */
export const volume: PriceModel<VolumeProperties> = {
  schema: VolumeProperties,
  check: ({ tiers }) => checkTiers(tiers),
  describe: ({ tiers }) => ({ kind: 'tiers', tiers: shownTiers(tiers), byVolume: true }),
  rate: (properties, { quantity, flatShare }) => {
    const tiers = readTiers(properties.tiers);
    const tier = tiers.find(({ upTo }) => upTo === null || quantity.lte(upTo)) as Tier; // the last has no bound
    const flatPrice = scale(tier.flatPrice, flatShare);
    const amount = quantity.times(tier.unitPrice).plus(flatPrice);
    return [
      {
        quantity,
        amount,
        unitPrice: null,
        firstUnitPrice: tiers[0].unitPrice,
        tiers: [{ ...tier, quantity, flatPrice, amount }],
        group: null,
      },
    ];
  },
};
