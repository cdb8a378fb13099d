import { type Static, Type } from 'typebox';
import { type CompactForms, type DecimalRules, DecimalText, type FieldWords, Nullable } from '../../http/schema.ts';
import { Decimal, decimal, isRawNumber, plain } from '../../kernel/decimal.ts';
import type { FieldError } from '../../kernel/result.ts';

/** The meanings of the properties of all models, for the reference. */
export const PROPERTY_FIELDS: FieldWords = {
  unitPrice: ['The price of one unit, in major units. A negative one of the model `standard` is a rebate.', '0.02'],
  includedUnits: ['The units that are free in each period. Default: 0.', '500'],
  tiers: 'The tiers, from the lowest to the highest.',
  upTo: ['The last unit of the tier. Null: the last tier, which has no end.', '1000'],
  flatPrice: ['An amount for the whole tier, in major units. Default: 0.', '2'],
  size: ['The number of units in a package.', '1000'],
  price: ['The price of a package, in major units. A package that is begun is paid in full.', '4.50'],
  percentage: ['The part of the quantity as a fraction: `0.029` is 2.9 percent.', '0.029'],
  fixed: ['An amount for each event, in major units. Default: 0.', '0.30'],
  minCharge: ['The amount of a period at least, in major units. Default: none.', '1'],
  maxCharge: ['The amount of a period at most, in major units. Default: none.', '40'],
  perEvent: 'The bounds of the amount of each event, with `fixed`. Default: none.',
  min: ['The amount of an event at least, in major units.', '0.50'],
  max: ['The amount of an event at most, in major units.', '5'],
  freeEvents: ['The events that cost nothing in each period: the first ones in order of time. Default: 0.', 100],
  multiplier: ['The factor of the summed values. Default: 1.', '1.2'],
  dimensions: ['The dimensions of the metric that decide the price.', ['model']],
  cells: 'The prices of combinations of values. The cell that matches most dimensions is used.',
  match: ['The values of this cell by dimension. A dimension that is not named matches any value.', { model: 'large' }],
  default: ['The price of one unit where no cell matches, in major units.', '0.02'],
};

/**
 * A decimal among the properties of a price, as text or as a JSON number. Properties are stored as JSON, and rules read
 * them by `decimal`, so their type is not that of a checked body.
 */
export const PropertyDecimal = (rules: Omit<DecimalRules, 'accept'> & { readonly description?: string } = {}) =>
  Type.Unsafe<string | number>(DecimalText({ ...rules, accept: 'both' }));

/** A price: a decimal string in major units; a JSON number is read from its text. */
export const Price = PropertyDecimal({ minimum: '0' });

/** A price that may be negative: a rebate (domain.md §2). */
export const PriceOrRebate = PropertyDecimal();

/** Units that cost nothing in each period, before the model counts. */
export const IncludedUnits = Type.Optional(PropertyDecimal({ minimum: '0' }));

/** More tiers than this are a rate table, which is what `matrix` is for. */
const MOST_TIERS = 100;

/** Tiers in ascending order; `upTo` is inclusive, and the last has none. */
export const Tiers = Type.Array(
  Type.Object(
    {
      upTo: Nullable(PropertyDecimal({ exclusiveMinimum: '0' })),
      unitPrice: Price,
      flatPrice: Type.Optional(Price),
    },
    { additionalProperties: false, 'x-compact': { upTo: 'null' } satisfies CompactForms },
  ),
  { minItems: 1, maxItems: MOST_TIERS },
);
export type Tiers = Static<typeof Tiers>;

/** The bounds of tiers ascend, each names one, and the last is open: no quantity is without a price. */
export function checkTiers(tiers: Tiers): FieldError[] {
  const errors: FieldError[] = [];
  if (tiers.length === 0) errors.push({ field: 'tiers', message: 'must have at least one tier' });
  let below = new Decimal(0);
  for (const [index, { upTo }] of tiers.entries()) {
    const field = `tiers.${index}.upTo`;
    const isLast = index === tiers.length - 1;
    if (isLast && upTo !== null) errors.push({ field, message: 'must be null in the last tier' });
    if (!isLast && upTo === null) errors.push({ field, message: 'may be null in the last tier only' });
    if (upTo === null) continue;
    const bound = decimal(upTo);
    if (bound.lte(below))
      errors.push({
        field,
        message: index === 0 ? 'must be greater than 0' : 'must be greater than in the tier before',
      });
    below = bound;
  }
  return errors;
}

/** A tier with its numbers read and its lower bound. */
export interface Tier {
  readonly above: Decimal;
  readonly upTo: Decimal | null;
  readonly unitPrice: Decimal;
  readonly flatPrice: Decimal;
}

/** The tiers with their numbers read, each with the bound of the one before. */
export function readTiers(tiers: Tiers): [Tier, ...Tier[]] {
  let above = new Decimal(0);
  const read = tiers.map(({ upTo, unitPrice, flatPrice }) => {
    const tier = {
      above,
      upTo: upTo === null ? null : decimal(upTo),
      unitPrice: decimal(unitPrice),
      flatPrice: decimal(flatPrice ?? '0'),
    };
    above = tier.upTo ?? above;
    return tier;
  });
  if (read.length === 0) throw new RangeError('A tiered price has no tiers.');
  return read as [Tier, ...Tier[]];
}

/** The properties that are money, or a part of an amount of money. Bounds of tiers and sizes of packages are not. */
const MONEY = new Set([
  ...['unitPrice', 'flatPrice', 'price', 'percentage', 'fixed', 'minCharge', 'maxCharge', 'min', 'max'],
  ...['multiplier', 'default'],
]);

/** Properties in which all money is scaled by a factor (commercial.md §1); other numbers stay. */
export function scaledProperties<T>(properties: T, factor: Decimal): T {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const scaled = Object.entries(value as Record<string, unknown>).map(([name, inner]) => {
      if (name === 'match') return [name, inner]; // its names are the merchant's own
      return [name, MONEY.has(name) ? plain(decimal(inner as string).times(factor)) : walk(inner)];
    });
    return Object.fromEntries(scaled);
  };
  return walk(properties) as T;
}

/** The properties that count things: JSON numbers. */
const COUNTS = new Set(['freeEvents']);

/** Properties as stored and returned: every number as a decimal string with all its digits, but what counts things. */
export function normaliseProperties<T>(properties: T): T {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'number' || isRawNumber(value)) return plain(decimal(value));
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [
          key,
          COUNTS.has(key) && isRawNumber(inner) ? Number(inner.rawJSON) : COUNTS.has(key) ? inner : walk(inner),
        ]),
      );
    return value;
  };
  return walk(properties) as T;
}
