import { isRawNumber } from '../../kernel/decimal.ts';
import { type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import type { Meter } from '../meter/meter.ts';
import type { UsageCut, UsageScope } from '../meter/usage-request.ts';

/** An event as the naive count of usage sees it: in the order of acceptance, addressed to one subject. */
export interface NaiveEvent {
  readonly type: string;
  readonly subject: string;
  readonly at: Instant;
  readonly data: unknown;
}

const PLACES = 80;
const SCALE = 10n ** BigInt(PLACES);

/** A decimal as an integer number of 10^-80: without rounding, and without code of the program. */
function toInteger(text: string): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const shift = PLACES - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === '-' ? -scaled : scaled;
}

/** The shortest plain text of a number. */
function toText(scaled: bigint): string {
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/0+$/, '');
  const text = digits.slice(0, -PLACES) + (fraction === '' ? '' : `.${fraction}`);
  return scaled < 0n ? `-${text}` : text;
}

function walk(data: unknown, path: string): unknown {
  let value = data;
  for (const segment of path.slice(2).split('.')) {
    if (typeof value !== 'object' || value === null || isRawNumber(value) || !Object.hasOwn(value, segment)) return;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

function numberAt(data: unknown, path: string): bigint | null {
  const value = walk(data, path);
  if (typeof value === 'number') return toInteger(String(value));
  if (isRawNumber(value)) return toInteger(value.rawJSON);
  return typeof value === 'string' && /^-?\d{1,38}(\.\d{1,38})?$/.test(value) ? toInteger(value) : null;
}

function textAt(data: unknown, path: string): string | null {
  const value = walk(data, path);
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  return typeof value === 'number' || isRawNumber(value) ? toText(numberAt(data, path) as bigint) : null;
}

function windowStart(at: Instant, size: NonNullable<UsageCut['window']>): Instant {
  const units = { MINUTE: 'minute', HOUR: 'hour', DAY: 'day' } as const;
  const utc = at.toZonedDateTimeISO('UTC');
  if (size === 'MONTH') return utc.with({ day: 1 }).startOfDay().toInstant();
  return utc.round({ smallestUnit: units[size], roundingMode: 'floor' }).toInstant();
}

function windowEnd(start: Instant, size: NonNullable<UsageCut['window']>): Instant {
  const unit = ({ MINUTE: 'minutes', HOUR: 'hours', DAY: 'days', MONTH: 'months' } as const)[size];
  return start
    .toZonedDateTimeISO('UTC')
    .add({ [unit]: 1 })
    .toInstant();
}

/** 50 significant digits, half away from zero, by long division. */
function quotient(total: bigint, count: bigint): string {
  const negative = total < 0n;
  const dividend = (negative ? -total : total) * SCALE * SCALE;
  const whole = dividend / count;
  const drop = whole.toString().length - 50;
  const unit = drop > 0 ? 10n ** BigInt(drop) : 1n;
  const rounded = drop > 0 ? ((dividend * 2n + unit * count) / (2n * unit * count)) * unit : whole;
  const digits = rounded.toString().padStart(PLACES * 3 + 1, '0');
  const fraction = digits.slice(-PLACES * 3).replace(/0+$/, '');
  const text = digits.slice(0, -PLACES * 3) + (fraction === '' ? '' : `.${fraction}`);
  return negative && rounded !== 0n ? `-${text}` : text;
}

function aggregate(meter: Meter, events: readonly NaiveEvent[]): string {
  const path = meter.valueProperty;
  if (path === null) return String(events.length);
  if (meter.aggregation === 'COUNT') return String(events.length);
  if (meter.aggregation === 'UNIQUE_COUNT') return String(new Set(events.map(({ data }) => textAt(data, path))).size);
  const values = events.map(({ data }) => numberAt(data, path) as bigint);
  if (values.length === 0) return '0';
  const total = values.reduce((a, b) => a + b, 0n);
  switch (meter.aggregation) {
    case 'SUM':
      return toText(total);
    case 'AVG':
      return quotient(total, BigInt(values.length));
    case 'MIN':
      return toText(values.reduce((a, b) => (b < a ? b : a)));
    case 'MAX':
      return toText(values.reduce((a, b) => (b > a ? b : a)));
    case 'LATEST':
      return toText(numberAt(lastOf(events).data, path) as bigint);
    case 'TIME_WEIGHTED':
      throw new RangeError('A figure over time has an oracle of its own (test/stories/levels-over-time.test.ts).');
    case 'PERCENTILE':
      throw new RangeError('A percentile is of windows of a time.');
  }
}

const SECONDS: Readonly<Record<string, number>> = { PT1M: 60, PT5M: 300, PT15M: 900, PT1H: 3600, P1D: 86_400 };

/** Each window one by one, from the first that the time touches on; of their figures the one at the rank. */
function percentileOf(meter: Meter, events: readonly NaiveEvent[], { from, to }: { from: Instant; to: Instant }) {
  const length = BigInt(SECONDS[meter.sampleWindow as string] as number) * 1_000_000_000n;
  const windowOf = (ns: bigint): bigint => (ns - (((ns % length) + length) % length)) / length;
  const used = Map.groupBy(events, ({ at }) => windowOf(at.epochNanoseconds));
  const figures: string[] = [];
  for (let window = windowOf(from.epochNanoseconds); window * length < to.epochNanoseconds; window += 1n)
    figures.push(
      aggregate({ ...meter, aggregation: meter.sampleAggregation as Meter['aggregation'] }, used.get(window) ?? []),
    );
  figures.sort((a, b) => (toInteger(a) < toInteger(b) ? -1 : 1));
  const millionths = BigInt(Math.round(Number(meter.percentile) * 1_000_000));
  return figures[Number((millionths * BigInt(figures.length) + 99_999_999n) / 100_000_000n) - 1] as string;
}

/** By time; of one time, the event that was accepted last. */
const lastOf = (events: readonly NaiveEvent[]): NaiveEvent => events.reduce((a, b) => (isBefore(b.at, a.at) ? a : b));

/**
 * A level is the last event before an end, at any distance. A source counts from its beginning to its own end. The
 * oracle reads all events at each end of a window with a possible change.
 */
function naiveLevels(
  events: readonly NaiveEvent[],
  { meter, from, to, sources }: UsageScope,
  cut: UsageCut,
  keyOf: (event: NaiveEvent, start?: Instant) => string,
): string[] {
  const clip = (part: { from: Instant; to: Instant }) => ({
    from: isBefore(part.from, from) ? from : part.from,
    to: isBefore(to, part.to) ? to : part.to,
  });
  const parts = (sources ?? [{ subject: null, from, to }])
    .map((part) => ({ subject: part.subject, ...clip(part) }))
    .filter((part) => isBefore(part.from, part.to));
  const isOf = (event: NaiveEvent, part: (typeof parts)[number]) =>
    part.subject === null || part.subject === event.subject;
  const isAsked = (event: NaiveEvent) =>
    parts.some((part) => isOf(event, part) && !isBefore(event.at, part.from) && isBefore(event.at, part.to));
  const size = cut.window;
  const moments = [...parts.map((part) => part.from), ...events.filter(isAsked).map(({ at }) => at)];
  const starts = size === undefined ? [undefined] : moments.map((at) => windowStart(at, size));
  const windows = [...new Map(starts.map((start) => [start?.toString(), start])).values()].toSorted((a, b) =>
    a && b ? Temporal.Instant.compare(a, b) : 0,
  );
  const groups = Map.groupBy(events, (event) => keyOf(event));
  if (cut.window === undefined && (cut.groups ?? []).length === 0 && groups.size === 0)
    return [`${keyOf({ type: '', subject: '', at: from, data: {} })} 0 of 0`];
  return [...groups.values()].flatMap((ofGroup) => {
    let before: NaiveEvent | undefined;
    return windows.flatMap((start) => {
      const next = start && size && windowEnd(start, size);
      const end = next && isBefore(next, to) ? next : to;
      const known = ofGroup.filter((event) =>
        parts.some(
          (part) =>
            isOf(event, part) && isBefore(part.from, end) && isBefore(event.at, end) && isBefore(event.at, part.to),
        ),
      );
      if (known.length === 0) {
        const isWhole = start === undefined && (cut.groups ?? []).length === 0;
        return isWhole ? [`${keyOf(ofGroup[0] as NaiveEvent)} 0 of 0`] : [];
      }
      const last = lastOf(known);
      if (last === before) return [];
      before = last;
      const within = known.filter((event) => isAsked(event) && (start === undefined || !isBefore(event.at, start)));
      return [`${keyOf(last, start)} ${aggregate(meter, [last])} of ${within.length}`];
    });
  });
}

/** The count of a patient person: each event once, no index, no database. Rows as texts, in any order. */
export function naiveUsage(events: readonly NaiveEvent[], scope: UsageScope, cut: UsageCut): string[] {
  const { meter, from, to, sources, groupFilters = {} } = scope;
  const inside = (at: Instant, a: Instant, b: Instant) => !isBefore(at, a) && isBefore(at, b);
  const isPercentile = meter.aggregation === 'PERCENTILE';
  const isText = ['COUNT', 'UNIQUE_COUNT'].includes((isPercentile && meter.sampleAggregation) || meter.aggregation);
  const isLevel = meter.aggregation === 'LATEST';
  const isAsked = (event: NaiveEvent) =>
    inside(event.at, from, to) &&
    (sources === null ||
      sources.some((source) => source.subject === event.subject && inside(event.at, source.from, source.to)));
  const counted = events.filter(
    (event) =>
      event.type === meter.eventType &&
      (isLevel || isAsked(event)) &&
      (meter.eventFrom === null || isAfter(event.at, meter.eventFrom)) &&
      Object.entries(groupFilters).every(([name, values]) =>
        values.includes(textAt(event.data, meter.groupBy?.[name] as string)),
      ) &&
      (meter.valueProperty === null || (isText ? textAt : numberAt)(event.data, meter.valueProperty) !== null),
  );
  const keyOf = ({ at, data }: NaiveEvent, start?: Instant) =>
    JSON.stringify({
      group: Object.fromEntries(
        (cut.groups ?? []).map((name) => [name, textAt(data, meter.groupBy?.[name] as string)]),
      ),
      window: start?.toString() ?? (isLevel ? undefined : cut.window && windowStart(at, cut.window).toString()),
    });
  if (isLevel) return naiveLevels(counted, scope, cut, keyOf).toSorted();
  const cells = Map.groupBy(counted, (event) => keyOf(event));
  if (cut.window === undefined && (cut.groups ?? []).length === 0 && counted.length === 0)
    cells.set(JSON.stringify({ group: {}, window: undefined }), []);
  const timeOf = (cell: readonly NaiveEvent[]): { from: Instant; to: Instant } => {
    const start = cut.window && cell[0] && windowStart(cell[0].at, cut.window);
    const end = start && cut.window && windowEnd(start, cut.window);
    return { from: start && isBefore(from, start) ? start : from, to: end && isBefore(end, to) ? end : to };
  };
  const figure = (cell: readonly NaiveEvent[]) =>
    isPercentile ? percentileOf(meter, cell, timeOf(cell)) : aggregate(meter, cell);
  return [...cells].map(([key, cell]) => `${key} ${figure(cell)} of ${cell.length}`).toSorted();
}
