import { type Static, Type } from 'typebox';
import { decimal } from '../../kernel/decimal.ts';
import type { PriceModel } from './model.ts';
import { IncludedUnits, PROPERTY_FIELDS, PriceOrRebate } from './properties.ts';

const StandardProperties = Type.Object(
  { unitPrice: PriceOrRebate, includedUnits: IncludedUnits },
  {
    additionalProperties: false,
    $id: 'StandardProperties',
    'x-fields': PROPERTY_FIELDS,
    description: 'Each unit at the same price.',
  },
);
type StandardProperties = Static<typeof StandardProperties>;

/**
 * `q × unitPrice`. A negative unit price is a rebate; that it never takes an invoice below zero is held in
 * `calculation/totals.ts`.
 */
export const standard: PriceModel<StandardProperties> = {
  schema: StandardProperties,
  check: () => [],
  describe: ({ unitPrice }) => ({ kind: 'unit', unitPrice: decimal(unitPrice) }),
  rate: (properties, { quantity }) => {
    const unitPrice = decimal(properties.unitPrice);
    const amount = quantity.times(unitPrice);
    return [{ quantity, amount, unitPrice, firstUnitPrice: unitPrice, tiers: null, group: null }];
  },
};
