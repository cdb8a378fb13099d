import { useQueries } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import type { BillableMetric, UsageResponse } from '../../api/types.ts';
import { instantsOf, useDays } from './range.tsx';

export type Window = 'HOUR' | 'DAY' | 'MONTH';
export type Where = Readonly<Record<string, readonly (string | null)[]>>;

export interface Place {
  readonly metric?: string;
  readonly window?: Window;
  /** The dimension whose values are apart. */
  readonly group?: string;
  /** JSON: the values of dimensions that are kept, as `filterGroupBy` takes them. */
  readonly where?: string;
  readonly customer?: string;
}

const whereOf = (text: string | undefined): Where => {
  try {
    return (JSON.parse(text ?? '{}') ?? {}) as Where;
  } catch {
    return {};
  }
};

/** What the meter is asked for, without windows and groups. */
export function useMeterQuery(metric: BillableMetric) {
  const { window = 'DAY', group, where, customer } = useSearch({ strict: false }) as Place;
  const days = useDays();
  const isOwn = (dimension: string): boolean => metric.groupBy?.[dimension] !== undefined;
  return {
    window,
    group: group !== undefined && isOwn(group) ? group : undefined,
    where: Object.fromEntries(Object.entries(whereOf(where)).filter(([dimension]) => isOwn(dimension))),
    query: { ...instantsOf(days), ...(customer && { subject: customer }) },
  };
}

const filtered = (where: Where) => (Object.keys(where).length > 0 ? { filterGroupBy: JSON.stringify(where) } : {});

/** A value of a dimension; null: the event has none. */
export const valueWords = (value: string | null): string => value ?? 'none';

const MOST_APART = 8;
const MOST_GROUPS = 500;
/** The address of a call must not be too long. */
const MOST_OTHERS = 100;

interface Line {
  readonly name: string;
  readonly where: Where;
}

/** The lines of the chart: the values with the most usage, and all others together; or one line of everything. */
function linesOf(group: string | undefined, where: Where, grouped: UsageResponse | undefined): readonly Line[] {
  if (group === undefined) return [{ name: 'Usage', where }];
  const values = grouped?.groupedValues?.map(({ groupBy }) => groupBy[group] ?? null) ?? [];
  const rest = values.slice(MOST_APART, MOST_APART + MOST_OTHERS);
  return [
    ...values.slice(0, MOST_APART).map((value) => ({ name: valueWords(value), where: { ...where, [group]: [value] } })),
    ...(rest.length > 0 ? [{ name: `${rest.length} others`, where: { ...where, [group]: rest } }] : []),
  ];
}

/** Asks the meter: once for the groups, once for all, and once for each line. */
export function useUsage(metric: BillableMetric) {
  const { window, group, where, query } = useMeterQuery(metric);
  const path = { id: metric.id };
  const grouped = useRead(
    'GET /v0/billableMetrics/{id}/meter',
    { path, query: { ...query, ...filtered(where), groupBy: group ?? '', groupLimit: MOST_GROUPS } },
    { enabled: group !== undefined, keeps: true },
  );
  const lines = linesOf(group, where, grouped.data);
  const asked = [...lines, ...(lines.length === 1 ? [] : [{ name: 'Total', where }])];
  const answers = useQueries({
    queries: asked.map((line) => {
      const full = { ...query, ...filtered(line.where), windowSize: window };
      return {
        queryKey: ['GET /v0/billableMetrics/{id}/meter', path, full],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          call('GET /v0/billableMetrics/{id}/meter', { path, query: full, signal }),
      };
    }),
    combine: (results) => ({
      usages: results.map(({ data }) => data),
      error: results.find((each) => each.error)?.error ?? null,
      refetch: () => Promise.all(results.map((each) => each.refetch())),
    }),
  });
  const isReady =
    (group === undefined || grouped.data !== undefined) && answers.usages.every((each) => each !== undefined);
  const left = (grouped.data?.groupCount ?? 0) - MOST_APART - MOST_OTHERS;
  return {
    data: isReady
      ? { names: asked.map(({ name }) => name), usages: answers.usages as readonly UsageResponse[], left }
      : undefined,
    error: grouped.error ?? answers.error,
    refetch: answers.refetch,
  };
}

export interface Found {
  /** Of the lines; the total is the last one. */
  readonly names: readonly string[];
  readonly usages: readonly UsageResponse[];
  /** Values that are in the total alone. */
  readonly left: number;
}
