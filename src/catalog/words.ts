import { DecimalNumber, NumberOut, Text, Type } from '../http/index.ts';
import { type CheckedDecimal, type Decimal, decimalOrNull, jsonNumber } from '../kernel/decimal.ts';

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
