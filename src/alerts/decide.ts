import { type Decimal, decimal, ZERO } from '../kernel/decimal.ts';
import { earliest, type Instant, isAfter } from '../kernel/time.ts';
import { shownOverTime } from '../metering/index.ts';
import { type AlertRule, isFalling, type WatchedPeriod } from './alert.ts';

/** The figure of an alert in one period. */
export interface Reading {
  readonly period: WatchedPeriod;
  /** The open invoice that gives the period. */
  readonly invoiceId: string | null;
  /** The balance, the total of the invoice, or the usage. */
  readonly value: Decimal;
  /** Of a balance: the usage in the period. */
  readonly used: Decimal;
  /** The figure changes with time, without an event. */
  readonly isOverTime?: boolean;
}

/** The value of a figure as it is told. */
export const toldValue = ({ value, isOverTime }: Pick<Reading, 'value' | 'isOverTime'>): Decimal =>
  isOverTime ? shownOverTime(value) : value;

const HUNDRED = decimal(100);

/** The figure that triggers an alert; null for a percentage of a balance, whose whole is read with it. */
export function targetOf({ threshold, percent, whole }: AlertRule): Decimal | null {
  if (threshold !== null) return threshold;
  return percent === null || whole === null ? null : whole.times(percent).div(HUNDRED);
}

/**
 * Has a figure reached the threshold? A balance reaches it from above: it is there at the threshold or below. A
 * percentage of a balance is what was used of all there was to use in the period.
 */
export function isReached(rule: AlertRule, { value, used }: Pick<Reading, 'value' | 'used'>): boolean {
  const target = targetOf(rule);
  if (!isFalling(rule.type)) return target !== null && value.gte(target);
  if (target !== null) return value.lte(target);
  return used.gt(ZERO) && used.times(HUNDRED).gte(value.plus(used).times(rule.percent as Decimal));
}

/** How much more has to be used until a figure reaches the threshold; null: it has, or it has none. */
export function untilReached(rule: AlertRule, reading: Pick<Reading, 'value' | 'used'>): Decimal | null {
  const { value, used } = reading;
  const target = targetOf(rule);
  if (isReached(rule, reading)) return null;
  if (!isFalling(rule.type)) return target?.minus(value) ?? null;
  return target
    ? value.minus(target)
    : value
        .plus(used)
        .times(rule.percent as Decimal)
        .div(HUNDRED)
        .minus(used);
}

/** The result of the last evaluation of an alert. */
export interface Watched {
  readonly period: WatchedPeriod | null;
  readonly isReached: boolean;
}

/** The consequences of an evaluation. */
export interface Evaluation {
  /** The readings that have reached the threshold, oldest first: each period triggers once, by a unique index. */
  readonly reached: readonly Reading[];
  /** The period that is watched from now on; null: there is none. */
  readonly present: Reading | null;
  readonly isReached: boolean;
}

/**
 * Decides an evaluation. A period that has ended since the last evaluation is read once more, as of its end, so the
 * usage just before the end is not lost.
 * @param ended the last period watched, if it has ended
 */
export function decideEvaluation(rule: AlertRule, ended: Reading | null, present: Reading | null): Evaluation {
  const readings = [ended, present].filter((reading) => reading !== null);
  return {
    reached: readings.filter((reading) => isReached(rule, reading)),
    present,
    isReached: present !== null && isReached(rule, present),
  };
}

/** The interval of evaluations without a known event. */
const ROUND = { hours: 1 };
/** The interval of evaluations while there is no figure. */
const REST = { hours: 24 };

/**
 * The time of the next evaluation without an event. Simulated time does not pass by waiting, so on a test clock only
 * the end of the period counts, and the instant at which a figure over time reaches the threshold.
 * @param reachedAt this instant; null: the figure changes by events alone, or does not get there as it stands
 */
export function nextEvaluation(
  present: Reading | null,
  isOnClock: boolean,
  now: Instant,
  reachedAt: Instant | null = null,
): Instant | null {
  if (present === null) return now.add(REST);
  const { end } = present.period;
  const times = [end, reachedAt].filter((at) => at !== null && isAfter(at, now)) as Instant[];
  const next = times.length === 0 ? null : times.reduce(earliest);
  if (isOnClock) return next;
  const round = now.add(ROUND);
  return next === null || isAfter(next, round) ? round : next;
}
