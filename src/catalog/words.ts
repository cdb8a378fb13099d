import { DecimalNumber, DecimalText, NumberOut, type Static, Strict, Text, Type } from '../http/index.ts';
import { DISPLAY_UNIT_FIELDS } from '../invoicing/rating/index.ts';
import { type CheckedDecimal, type Decimal, decimalOf, decimalOrNull, jsonNumber, plain } from '../kernel/decimal.ts';

/** A tax rate in percent: 8.875 means 8.875 percent. */
export const Percent = DecimalNumber({ minimum: '0', maximum: '100' });
export const PercentOut = NumberOut;

/** An active ISO 4217 code. */
export const Currency = Type.String({ format: 'currency' });

/** A CloudEvents type. */
export const EventType = Text({ minLength: 1, maxLength: 255 });

/** A decimal of a change: null clears the field, absent leaves it. */
export const toDecimal = (value: CheckedDecimal | null | undefined): Decimal | null | undefined =>
  value === undefined ? undefined : decimalOrNull(value);

/** A rate in an answer, left out where there is none. */
export const percentNumber = (rate: Decimal | null) => (rate === null ? undefined : jsonNumber(rate));

/** A cadence as it is stored: `annual` is understood as a year. */
export const readCadence = (text: string): string => (text === 'annual' ? 'P1Y' : text);

/** What the document says of a display unit. */
export const DISPLAY_UNIT = [
  'The unit in which pages, documents and mails say quantities and prices. Figures in answers stay for one unit. It can ' +
    'change at any time: issued invoices keep theirs. Null: the unit itself.',
  { per: '1000000', name: '1M tokens' },
] as const;

export const DisplayUnitBody = Strict(
  { per: DecimalText({ exclusiveMinimum: '0' }), name: Text({ minLength: 1, maxLength: 60 }) },
  { 'x-fields': DISPLAY_UNIT_FIELDS },
);

/** A display unit as it is stored; null and undefined stay. */
export const displayUnitIn = (given: Static<typeof DisplayUnitBody> | null | undefined) =>
  given && { per: plain(decimalOf(given.per)), name: given.name };
