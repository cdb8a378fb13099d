import { Select } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { BillableMetric } from '../../api/types.ts';
import { wordsOf } from '../../look/words.ts';
import { CustomerPicker } from '../../shape/picker.tsx';
import { type Place, useMeterQuery, valueWords, type Where, type Window } from './meter.ts';
import { useSearchChange } from './range.tsx';

const WINDOWS: readonly (readonly [Window, string])[] = [
  ['HOUR', 'Hour'],
  ['DAY', 'Day'],
  ['MONTH', 'Month'],
];

/** What of the usage is shown: windows, one customer, dimensions. */
export function Choices({ metric }: { readonly metric: BillableMetric }) {
  const { customer } = useSearch({ strict: false }) as Place;
  const { window, group, where } = useMeterQuery(metric);
  const change = useSearchChange();
  const dimensions = Object.keys(metric.groupBy ?? {});
  return (
    <search className="filters" aria-label="Windows, dimensions and customer">
      <Select
        label="Window"
        data={WINDOWS.map(([value, label]) => ({ value, label }))}
        value={window}
        allowDeselect={false}
        onChange={(value) => change({ window: value ?? undefined })}
      />
      <CustomerPicker
        label="Customer"
        placeholder="All"
        value={customer ?? null}
        onChange={(value) => change({ customer: value ?? undefined })}
      />
      {dimensions.length > 0 && (
        <Select
          label="Group by"
          placeholder="Nothing"
          clearable
          data={dimensions.map((value) => ({ value, label: wordsOf(value) }))}
          value={group ?? null}
          onChange={(value) => change({ group: value ?? undefined })}
        />
      )}
      {dimensions.map((dimension) => (
        <ValueField key={dimension} metric={metric} dimension={dimension} where={where} />
      ))}
    </search>
  );
}

/** A value that is absent in an event: null for the API. */
const ABSENT = '\u0000';
function ValueField({
  metric,
  dimension,
  where,
}: {
  readonly metric: BillableMetric;
  readonly dimension: string;
  readonly where: Where;
}) {
  const { query } = useMeterQuery(metric);
  const change = useSearchChange();
  const { data } = useRead(
    'GET /v0/billableMetrics/{id}/meter',
    { path: { id: metric.id }, query: { ...query, groupBy: dimension } },
    { keeps: true },
  );
  const values = data?.groupedValues?.map(({ groupBy }) => groupBy[dimension] ?? null) ?? [];
  const chosen = where[dimension];
  const all = new Set([...values, ...(chosen ?? [])]);
  const choose = (value: string | null) => {
    const { [dimension]: _before, ...rest } = where;
    const next = value === null ? rest : { ...rest, [dimension]: [value === ABSENT ? null : value] };
    change({ where: Object.keys(next).length > 0 ? JSON.stringify(next) : undefined });
  };
  return (
    <Select
      label={`Only ${wordsOf(dimension).toLowerCase()}`}
      placeholder="All"
      clearable
      searchable
      data={[...all].map((each) => ({ value: each ?? ABSENT, label: valueWords(each) }))}
      value={chosen ? (chosen[0] ?? ABSENT) : null}
      onChange={choose}
    />
  );
}
