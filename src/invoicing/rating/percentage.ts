import { type Static, Type } from 'typebox';
import { Decimal, decimal, plain } from '../../kernel/decimal.ts';
import type { FieldError } from '../../kernel/result.ts';
import type { PriceModel } from './model.ts';
import { IncludedUnits, PROPERTY_FIELDS, Price, PropertyDecimal } from './properties.ts';

const PercentageProperties = Type.Object(
  {
    percentage: PropertyDecimal({
      minimum: '0',
      description: 'A fraction: "0.029" is 2.9 percent.',
      words: 'must be a fraction, such as "0.029" for 2.9 %',
    }),
    fixed: Type.Optional(Price),
    minCharge: Type.Optional(Price),
    maxCharge: Type.Optional(Price),
    includedUnits: IncludedUnits,
  },
  {
    additionalProperties: false,
    $id: 'PercentageProperties',
    'x-fields': PROPERTY_FIELDS,
    description:
      'A part of the quantity, and a fixed amount for each event; both together are not below or above a charge.',
  },
);
type PercentageProperties = Static<typeof PercentageProperties>;

/** `q × percentage`, plus `fixed` for each event, clamped once to `minCharge..maxCharge`. */
export const percentage: PriceModel<PercentageProperties> = {
  schema: PercentageProperties,
  check: checkCharges,
  describe: ({ percentage, fixed, minCharge, maxCharge }) => ({
    kind: 'share',
    percent: decimal(percentage).times(100),
    fixed: decimal(fixed ?? '0'),
    least: minCharge === undefined ? null : decimal(minCharge),
    most: maxCharge === undefined ? null : decimal(maxCharge),
  }),
  rate: (properties, { quantity, eventCount }) => {
    const part = decimal(properties.percentage);
    const exact = quantity.times(part).plus(decimal(properties.fixed ?? '0').times(decimal(eventCount)));
    const least = Decimal.max(exact, decimal(properties.minCharge ?? '0'));
    const amount = properties.maxCharge === undefined ? least : Decimal.min(least, decimal(properties.maxCharge));
    const isPlain = amount.eq(quantity.times(part));
    const workings = {
      percentage: { percent: plain(part.times(100)), of: plain(quantity), ...beside(properties, eventCount) },
    };
    const unitPrice = isPlain ? part : null;
    return [{ quantity, amount, unitPrice, firstUnitPrice: part, tiers: null, group: null, workings }];
  },
};

/** The fixed amounts of a percentage price: for each event, and its bounds. */
const beside = ({ fixed, minCharge, maxCharge }: PercentageProperties, eventCount: bigint) => ({
  ...(fixed !== undefined && { fixed: plain(decimal(fixed)), events: eventCount.toString() }),
  ...(minCharge !== undefined && { least: plain(decimal(minCharge)) }),
  ...(maxCharge !== undefined && { most: plain(decimal(maxCharge)) }),
});

function checkCharges({ minCharge, maxCharge }: PercentageProperties): FieldError[] {
  if (minCharge === undefined || maxCharge === undefined || decimal(minCharge).lte(decimal(maxCharge))) return [];
  return [{ field: 'minCharge', message: 'must not be above maxCharge' }];
}
