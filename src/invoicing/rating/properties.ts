import { type Static, Type } from 'typebox';
import { DecimalText, Nullable } from '../../http/schema.ts';
import { Decimal, decimal, isRawNumber, plain } from '../../kernel/decimal.ts';
import type { FieldError } from '../../kernel/result.ts';

/** A price: a decimal string in major units; a JSON number is read from its text. */
export const Price = DecimalText({ minimum: '0', accept: 'both' });

/** A price that may be negative: a rebate (domain.md §2). */
export const PriceOrRebate = DecimalText({ accept: 'both' });

/** Units that cost nothing in each period, before the model counts. */
export const IncludedUnits = Type.Optional(DecimalText({ minimum: '0', accept: 'both' }));

/** More tiers than this are a rate table, which is what `matrix` is for. */
const MOST_TIERS = 100;

/** Tiers in ascending order; `upTo` is inclusive, and the last has none. */
export const Tiers = Type.Array(
  Type.Object(
    {
      upTo: Nullable(DecimalText({ exclusiveMinimum: '0', accept: 'both' })),
      unitPrice: Price,
      flatPrice: Type.Optional(Price),
    },
    { additionalProperties: false },
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

/** Properties as stored and returned: every number as a decimal string with all its digits. */
export function normaliseProperties<T>(properties: T): T {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'number' || isRawNumber(value)) return plain(decimal(value));
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
    return value;
  };
  return walk(properties) as T;
}
