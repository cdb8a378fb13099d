import { type Decimal, decimal, plain, ZERO } from '../../kernel/decimal.ts';
import type { Aggregation } from '../meter.ts';

/** Every value of an event is a whole number of 10^-76: at most 39 digits before the point and 76 after it. */
const PLACES = 76;
const AVERAGE_DIGITS = 50;

/** What one part of the events contributes to a cell; parts of one cell can be put together in any order. */
export interface Part {
  readonly eventCount: bigint;
  /** In units of 10^-76; null where no event counts. For an average, the sum. */
  readonly value: bigint | null;
  /** For LATEST: the time and the place in the order of acceptance of the event that has the value. */
  readonly latest?: { readonly at: bigint; readonly seq: bigint };
}

/** A decimal text exactly, as a number of 10^-76. */
export function unitsOf(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === '' || fraction.length > PLACES) throw new RangeError(`${text.slice(0, 80)} is no value of an event.`);
  return BigInt(`${sign}${whole}${fraction.padEnd(PLACES, '0')}`);
}

/** A whole number of 10^-`places` as a number of 10^-76. */
export const scaled = (text: string, places: number): bigint => BigInt(text) * 10n ** BigInt(PLACES - places);

/** Back to a decimal, with all its digits. */
export function decimalOf(units: bigint): Decimal {
  const digits = (units < 0n ? -units : units).toString().padStart(PLACES + 1, '0');
  return decimal(`${units < 0n ? '-' : ''}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`);
}

/** The part of both together: what the aggregation of all their events is. */
export function together(aggregation: Aggregation, one: Part, other: Part): Part {
  const eventCount = one.eventCount + other.eventCount;
  if (one.value === null) return { ...other, eventCount };
  if (other.value === null) return { ...one, eventCount };
  switch (aggregation) {
    case 'SUM':
    case 'AVG':
    case 'COUNT':
      return { eventCount, value: one.value + other.value };
    case 'MIN':
      return { eventCount, value: one.value < other.value ? one.value : other.value };
    case 'MAX':
      return { eventCount, value: one.value > other.value ? one.value : other.value };
    case 'LATEST':
      return { ...(isLater(one, other) ? one : other), eventCount };
    case 'UNIQUE_COUNT':
      throw new RangeError('Counts of different values do not add up.');
  }
}

/** The latest timestamp, and of equal ones the event that was accepted last. */
function isLater(one: Part, other: Part): boolean {
  if (one.latest === undefined || other.latest === undefined) throw new RangeError('A part of LATEST has no time.');
  return one.latest.at === other.latest.at ? one.latest.seq > other.latest.seq : one.latest.at > other.latest.at;
}

/** The figure of a cell: 0 where nothing counts, an average to 50 significant digits, half away from zero, else all digits. */
export function figureOf(aggregation: Aggregation, { value, eventCount }: Part): Decimal {
  if (value === null) return ZERO;
  const total = decimalOf(value);
  if (aggregation !== 'AVG') return total;
  return total.div(decimal(eventCount)).toSignificantDigits(AVERAGE_DIGITS);
}

/** A decimal as units, for what PostgreSQL answers. */
export const unitsOfDecimal = (value: Decimal): bigint => unitsOf(plain(value));
