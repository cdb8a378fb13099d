import type { Meter } from './meter.ts';
import { isOfHours } from './samples.ts';

/** The part of a meter that decides its roll-ups: all but its name, its start and the names of its dimensions. */
export interface RollupDefinition {
  readonly eventType: string;
  readonly kind: 'count' | 'number' | 'latest' | 'set';
  /** Path of the value, without `$.`; null where every event counts. */
  readonly path: string | null;
  /** Paths of the dimensions, each once and sorted. */
  readonly dimensions: readonly string[];
}

/** The roll-up of a meter. Null: nothing, it is always counted from the events. */
export function rollupDefinitionOf(
  meter: Omit<Meter, 'aggregation' | 'eventFrom'> & { aggregation: Meter['aggregation'] | null },
): RollupDefinition | null {
  const { eventType, valueProperty, groupBy, sampleWindow } = meter;
  const isSampled = meter.aggregation === 'PERCENTILE';
  if (isSampled && sampleWindow && !isOfHours(sampleWindow)) return null; // it has an hour as a whole
  const aggregation = isSampled ? (meter.sampleAggregation ?? 'SUM') : meter.aggregation;
  if (eventType === null || aggregation === null || (valueProperty === null && aggregation !== 'COUNT')) return null;
  const kinds = {
    COUNT: 'count',
    UNIQUE_COUNT: 'set',
    LATEST: 'latest',
    TIME_WEIGHTED: 'latest',
    SUM: 'number',
    AVG: 'number',
    MIN: 'number',
    MAX: 'number',
  } as const satisfies Record<Exclude<Meter['aggregation'], 'PERCENTILE'>, RollupDefinition['kind']>;
  return {
    eventType,
    kind: kinds[aggregation as keyof typeof kinds],
    path: valueProperty === null ? null : withoutRoot(valueProperty),
    dimensions: [...new Set(Object.values(groupBy ?? {}).map(withoutRoot))].toSorted(),
  };
}

/** The same text for the same definition. */
export const definitionText = ({ eventType, kind, path, dimensions }: RollupDefinition): string =>
  JSON.stringify([eventType, kind, path, dimensions]);

/** Those that none of these meters reads. */
export function unreadDefinitions<Definition extends RollupDefinition>(
  definitions: readonly Definition[],
  meters: readonly Parameters<typeof rollupDefinitionOf>[0][],
): Definition[] {
  const read = new Set(meters.map(rollupDefinitionOf).map((definition) => definition && definitionText(definition)));
  return definitions.filter((each) => !read.has(definitionText(each)));
}

/** `$.request.model` is `request.model`. */
export const withoutRoot = (path: string): string => path.slice(2);
