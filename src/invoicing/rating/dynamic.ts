import { type Static, Type } from 'typebox';
import { decimal } from '../../kernel/decimal.ts';
import type { PriceModel } from './model.ts';
import { PROPERTY_FIELDS, Price } from './properties.ts';

const DynamicProperties = Type.Object(
  { multiplier: Type.Optional(Price) },
  {
    additionalProperties: false,
    $id: 'DynamicProperties',
    'x-fields': PROPERTY_FIELDS,
    description: 'The events carry the price: their summed value, times the multiplier (default 1).',
  },
);
type DynamicProperties = Static<typeof DynamicProperties>;

/** The summed value × `multiplier`. Included units make no sense of money, so there are none (domain.md §2). */
export const dynamic: PriceModel<DynamicProperties> = {
  schema: DynamicProperties,
  check: () => [],
  describe: ({ multiplier }) => ({ kind: 'cost', factor: decimal(multiplier ?? '1') }),
  aggregations: ['SUM'],
  rate: (properties, { quantity }) => {
    const unitPrice = decimal(properties.multiplier ?? '1');
    const amount = quantity.times(unitPrice);
    return [{ quantity, amount, unitPrice, firstUnitPrice: unitPrice, tiers: null, group: null }];
  },
};
