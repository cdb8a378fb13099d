import { type Static, Type } from 'typebox';
import { Decimal, decimal, plain } from '../../kernel/decimal.ts';
import { type Fraction, scale } from '../../kernel/fraction.ts';
import type { FieldError } from '../../kernel/result.ts';
import type { PriceModel } from './model.ts';
import { IncludedUnits, PROPERTY_FIELDS, Price, PropertyDecimal } from './properties.ts';
import type { EventRule } from './usage.ts';

const MOST_FREE = 1_000_000_000;

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
    perEvent: Type.Optional(
      Type.Object(
        { min: Type.Optional(Price), max: Type.Optional(Price) },
        { additionalProperties: false, minProperties: 1 },
      ),
    ),
    freeEvents: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_FREE })),
    includedUnits: IncludedUnits,
  },
  {
    additionalProperties: false,
    $id: 'PercentageProperties',
    'x-fields': PROPERTY_FIELDS,
    description:
      'A part of the quantity, and a fixed amount for each event; both together are not below or above a charge. With ' +
      '`perEvent` or `freeEvents` each event has its own amount, and an event of 0 or less bears its part alone.',
  },
);
type PercentageProperties = Static<typeof PercentageProperties>;

/**
 * `q × percentage`, plus `fixed` for each event, clamped once to `minCharge..maxCharge`. With `perEvent` or
 * `freeEvents` the sum is of amounts of events, which are added up where the events are. Of figures that come without
 * events, such as an estimate, the part alone is known.
 */
export const percentage: PriceModel<PercentageProperties> = {
  schema: PercentageProperties,
  check: checkCharges,
  describe: ({ percentage, fixed, minCharge, maxCharge, perEvent, freeEvents }) => ({
    kind: 'share',
    percent: decimal(percentage).times(100),
    fixed: decimal(fixed ?? '0'),
    least: minCharge === undefined ? null : decimal(minCharge),
    most: maxCharge === undefined ? null : decimal(maxCharge),
    each:
      perEvent === undefined && freeEvents === undefined
        ? null
        : { ...boundsOf(perEvent), free: decimal(freeEvents ?? 0) },
  }),
  byEvent: { fields: ['perEvent', 'freeEvents'], ruleOf },
  rate: (properties, { quantity, eventCount, ofEach, flatShare }) => {
    const part = decimal(properties.percentage);
    const exact = ofEach ?? quantity.times(part).plus(decimal(properties.fixed ?? '0').times(decimal(eventCount)));
    const least = Decimal.max(exact, decimal(properties.minCharge ?? '0'));
    const amount = properties.maxCharge === undefined ? least : Decimal.min(least, decimal(properties.maxCharge));
    const isPlain = amount.eq(quantity.times(part));
    const workings = {
      percentage: {
        percent: plain(part.times(100)),
        of: plain(quantity),
        ...beside(properties, eventCount),
        ...(ofEach && eachIn(ruleOf(properties, flatShare))),
      },
    };
    const unitPrice = isPlain ? part : null;
    return [{ quantity, amount, unitPrice, firstUnitPrice: part, tiers: null, group: null, workings }];
  },
};

function ruleOf(
  { percentage: part, fixed, perEvent, freeEvents }: PercentageProperties,
  share: Fraction,
): EventRule | null {
  if (perEvent === undefined && freeEvents === undefined) return null;
  const free = BigInt(
    scale(decimal(freeEvents ?? 0), share)
      .ceil()
      .toFixed(),
  );
  return { part: decimal(part), fixed: decimal(fixed ?? '0'), ...boundsOf(perEvent), free };
}

const boundsOf = ({ min, max }: PercentageProperties['perEvent'] = {}) => ({
  least: min === undefined ? null : decimal(min),
  most: max === undefined ? null : decimal(max),
});

const eachIn = (rule: EventRule | null) =>
  rule && {
    each: {
      ...(rule.least && { least: plain(rule.least) }),
      ...(rule.most && { most: plain(rule.most) }),
      ...(rule.free > 0n && { free: rule.free.toString() }),
    },
  };

/** The fixed amounts of a percentage price: for each event, and its bounds. */
const beside = ({ fixed, minCharge, maxCharge }: PercentageProperties, eventCount: bigint) => ({
  ...(fixed !== undefined && { fixed: plain(decimal(fixed)), events: eventCount.toString() }),
  ...(minCharge !== undefined && { least: plain(decimal(minCharge)) }),
  ...(maxCharge !== undefined && { most: plain(decimal(maxCharge)) }),
});

function checkCharges({
  minCharge,
  maxCharge,
  perEvent,
  freeEvents,
  includedUnits,
}: PercentageProperties): FieldError[] {
  const isAbove = (low?: string | number, high?: string | number) =>
    low !== undefined && high !== undefined && !decimal(low).lte(decimal(high));
  const errors: FieldError[] = [];
  if (isAbove(minCharge, maxCharge)) errors.push({ field: 'minCharge', message: 'must not be above maxCharge' });
  if (isAbove(perEvent?.min, perEvent?.max))
    errors.push({ field: 'perEvent.min', message: 'must not be above perEvent.max' });
  if ((perEvent ?? freeEvents) !== undefined && includedUnits !== undefined)
    errors.push({
      field: 'includedUnits',
      message: 'is not for a price on each event, which has no units in common; freeEvents makes events free',
    });
  return errors;
}
