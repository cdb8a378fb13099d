import type { Meter } from './meter.ts';

/** The part of a meter that decides its roll-ups: all but its name, its start and the names of its dimensions. */
export interface SeriesSpec {
  readonly eventType: string;
  readonly kind: 'count' | 'number' | 'latest' | 'set';
  /** Path of the value, without `$.`; null where every event counts. */
  readonly path: string | null;
  /** Paths of the dimensions, each once and sorted. */
  readonly dimensions: readonly string[];
}

/** The roll-up of a meter. Null: nothing, it is always counted from the events. */
export function seriesOf(
  meter: Omit<Meter, 'aggregation' | 'eventFrom'> & { aggregation: Meter['aggregation'] | null },
): SeriesSpec | null {
  const { eventType, aggregation, valueProperty, groupBy } = meter;
  if (eventType === null || aggregation === null || (valueProperty === null && aggregation !== 'COUNT')) return null;
  const kinds = {
    COUNT: 'count',
    UNIQUE_COUNT: 'set',
    LATEST: 'latest',
    SUM: 'number',
    AVG: 'number',
    MIN: 'number',
    MAX: 'number',
  } as const;
  return {
    eventType,
    kind: kinds[aggregation],
    path: valueProperty === null ? null : withoutRoot(valueProperty),
    dimensions: [...new Set(Object.values(groupBy ?? {}).map(withoutRoot))].toSorted(),
  };
}

/** The same text for the same series. */
export const seriesText = ({ eventType, kind, path, dimensions }: SeriesSpec): string =>
  JSON.stringify([eventType, kind, path, dimensions]);

/** Those that none of these meters reads. */
export function unreadSeries<Series extends SeriesSpec>(
  series: readonly Series[],
  meters: readonly Parameters<typeof seriesOf>[0][],
): Series[] {
  const read = new Set(meters.map(seriesOf).map((spec) => spec && seriesText(spec)));
  return series.filter((each) => !read.has(seriesText(each)));
}

/** `$.request.model` is `request.model`. */
export const withoutRoot = (path: string): string => path.slice(2);
