import { type Static, Type } from 'typebox';
import { decimal, plain } from '../../kernel/decimal.ts';
import type { PriceModel } from './model.ts';
import { IncludedUnits, PROPERTY_FIELDS, Price, PropertyDecimal } from './properties.ts';

const PackageProperties = Type.Object(
  { size: PropertyDecimal({ exclusiveMinimum: '0' }), price: Price, includedUnits: IncludedUnits },
  {
    additionalProperties: false,
    $id: 'PackageProperties',
    'x-fields': PROPERTY_FIELDS,
    description: 'Whole packages, each begun one paid in full.',
  },
);
type PackageProperties = Static<typeof PackageProperties>;

/** `ceil(q / size) × price`. (Not `package`, which is a reserved word.) */
export const packaged: PriceModel<PackageProperties> = {
  schema: PackageProperties,
  check: () => [],
  describe: ({ price, size }) => ({ kind: 'packages', price: decimal(price), size: decimal(size) }),
  rate: (properties, { quantity }) => {
    const size = decimal(properties.size);
    const price = decimal(properties.price);
    const full = quantity.divToInt(size);
    // the remainder is exact, a quotient would not be
    const packages = quantity.mod(size).isZero() ? full : full.plus(1);
    const firstUnitPrice = price.div(size).toDecimalPlaces(9);
    const workings = { packages: { count: plain(packages), size: plain(size), price: plain(price) } };
    const amount = packages.times(price);
    return [{ quantity, amount, unitPrice: null, firstUnitPrice, tiers: null, group: null, workings }];
  },
};
