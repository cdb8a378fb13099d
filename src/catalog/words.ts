import { DecimalNumber, NumberOut, readDecimal, Text, Type } from '../http/index.ts';
import { type Decimal, jsonNumber } from '../kernel/decimal.ts';

/** A tax rate in percent: 8.875 means 8.875 percent. */
export const Percent = DecimalNumber({ minimum: '0', maximum: '100' });
export const PercentOut = NumberOut;

/** An active ISO 4217 code. */
export const Currency = Type.String({ format: 'currency' });

/** A CloudEvents type. */
export const EventType = Text({ minLength: 1, maxLength: 255 });

/** A validated number or decimal string as a decimal; null and absent stay unchanged. */
export const toDecimal = <T extends null | undefined>(value: string | number | T): Decimal | T =>
  value === null || value === undefined ? value : (readDecimal(value) as Decimal);

/** A rate in an answer, left out where there is none. */
export const percentNumber = (rate: Decimal | null) => (rate === null ? undefined : jsonNumber(rate));

/** A cadence as it is stored: `annual` is understood as a year. */
export const readCadence = (text: string): string => (text === 'annual' ? 'P1Y' : text);
