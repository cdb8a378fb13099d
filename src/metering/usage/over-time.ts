import { Decimal, decimal } from '../../kernel/decimal.ts';
import { microsecondsBetween } from '../../kernel/time.ts';
import type { Meter } from '../meter/meter.ts';
import type { UsageRow, UsageScope } from '../meter/usage-request.ts';

const MICROSECONDS = { hour: 3_600_000_000n, day: 86_400_000_000n } as const;

/** The digits behind the point with which a figure over time is shown and stored. */
const SHOWN_DIGITS = 12;

/** A figure over time as it is shown: half away from zero. */
export const shownOverTime = (figure: Decimal): Decimal => figure.toDecimalPlaces(SHOWN_DIGITS);

/** The microseconds of the unit of a figure over time; null: the unit is a period. */
export const unitOfTime = ({ timeUnit }: Pick<Meter, 'timeUnit'>): bigint | null =>
  timeUnit === 'hour' || timeUnit === 'day' ? MICROSECONDS[timeUnit] : null;

/**
 * The figure of an integral in units × microseconds: shown with 12 digits, half away from zero, and as the quotient
 * that is rated. A period without another one is the time that is asked about, or the window.
 */
export function overTime(
  meter: Pick<Meter, 'timeUnit'>,
  integral: Decimal,
  { from, to, wholePeriod }: Pick<UsageScope, 'from' | 'to' | 'wholePeriod'>,
): Pick<UsageRow, 'value' | 'exact'> {
  const whole = wholePeriod ?? { start: from, end: to };
  const unit = unitOfTime(meter) ?? microsecondsBetween(whole.start, whole.end);
  const exact = unit === 0n ? new Decimal(0) : integral.div(decimal(unit));
  return { value: shownOverTime(exact), exact };
}
