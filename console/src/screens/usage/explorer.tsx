import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useRead } from '../../api/queries.ts';
import type { BillableMetric, UsageResponse } from '../../api/types.ts';
import { To } from '../../frame/to.tsx';
import { Day, Moment, Quantity, quantityText } from '../../look/figures.tsx';
import { wordsOf } from '../../look/words.ts';
import { Chart } from '../../shape/chart.tsx';
import { Curl } from '../../shape/curl.tsx';
import { Page, Sheet } from '../../shape/page.tsx';
import { MetricPicker } from '../../shape/picker.tsx';
import { Part } from '../../shape/states.tsx';
import { TableSheet } from '../../shape/table-sheet.tsx';
import { Choices } from './choices.tsx';
import { type Found, type Place, useMeterQuery, useUsage } from './meter.ts';
import { DaysField, useSearchChange } from './range.tsx';

/** The usage that a metric counts, by time, and by a dimension where it has one. */
export function Explorer() {
  const { metric: metricId } = useSearch({ strict: false }) as Place;
  const change = useSearchChange();
  const metrics = useRead('GET /v0/billableMetrics', { query: { limit: 100 } });
  const first = metrics.data?.data[0]?.id;
  const id = metricId ?? first;
  const metric = useRead('GET /v0/billableMetrics/{id}', { path: { id: id ?? '' } }, { enabled: id !== undefined });
  return (
    <Page title="Metric explorer">
      <Part of={metrics}>
        {() =>
          id === undefined ? (
            <div className="sheet empty">
              <span>A metric counts events: how many, or the sum of a value in them. Make the first one.</span>
              <Curl
                method="POST"
                path="/v0/billableMetrics"
                body={{
                  name: 'Tokens',
                  unit: 'token',
                  aggregation: 'SUM',
                  eventType: 'tokens.used',
                  valueProperty: '$.tokens',
                }}
              />
            </div>
          ) : (
            <>
              <div className="sheet flush">
                <search className="filters">
                  <MetricPicker
                    label="Metric"
                    required
                    value={id}
                    onChange={(value) => change({ metric: value ?? undefined, group: undefined, where: undefined })}
                  />
                  <DaysField />
                </search>
                <Part of={metric}>{(found) => <Choices metric={found} />}</Part>
              </div>
              <Part of={metric}>{(found) => <Usage metric={found} />}</Part>
            </>
          )
        }
      </Part>
    </Page>
  );
}

function Usage({ metric }: { readonly metric: BillableMetric }) {
  const asked = useUsage(metric);
  return <Part of={asked}>{(found) => <Shown metric={metric} found={found} />}</Part>;
}

const STEPS = { HOUR: 3_600_000, DAY: 86_400_000 };

/** Chart and table of what was found: the same figures. */
function Shown({ metric, found }: { readonly metric: BillableMetric; readonly found: Found }) {
  const { customer } = useSearch({ strict: false }) as Place;
  const { window, query } = useMeterQuery(metric);
  const { names, usages, left } = found;
  const isSum = metric.aggregation === 'SUM' || metric.aggregation === 'COUNT';
  const total = usages.at(-1) as UsageResponse;
  const { from, to } = query;
  const series = useMemo(() => {
    const zeros: [number, number][] = [];
    if (isSum && window !== 'MONTH')
      for (let at = Date.parse(from); at < Date.parse(to); at += STEPS[window]) zeros.push([at, 0]);
    return usages.slice(0, Math.max(1, usages.length - 1)).map((usage, index) => ({
      name: names[index] as string,
      points: [
        ...zeros,
        ...(usage.windowedValues ?? []).map((each) => [Date.parse(each.windowStart), Number(each.value)] as const),
      ],
    }));
  }, [names, usages, window, from, to, isSum]);
  const rows = total.windowedValues ?? [];
  const byStart = usages.map(
    ({ windowedValues = [] }) => new Map(windowedValues.map(({ windowStart, value }) => [windowStart, String(value)])),
  );
  const eventsOf = (start: string, end: string) =>
    `/usage/events?${new URLSearchParams({
      type: metric.eventType ?? '',
      status: 'matched',
      ...{ from: start, to: end },
      ...(customer && { subject: customer }),
    })}`;
  return (
    <>
      <Sheet
        title={metric.name}
        actions={
          <span>
            {wordsOf(metric.aggregation.toLowerCase())}: <Quantity value={total.totalValue} /> {metric.unit}
          </span>
        }
      >
        {rows.length === 0 ? (
          <p className="soft">No event counted in these days.</p>
        ) : (
          <Chart
            label={`${metric.name} by ${window.toLowerCase()}; the same figures stand in the table below.`}
            series={series}
            xKind={window === 'HOUR' ? 'time' : 'day'}
            kind={isSum ? 'bars' : 'line'}
          />
        )}
        {left > 0 && (
          <p className="soft fine">{quantityText(left)} more values have little usage: they are in the total alone.</p>
        )}
      </Sheet>
      <TableSheet
        title={`Usage by ${window.toLowerCase()}`}
        file={`${metric.name}-${from.slice(0, 10)}`}
        rows={rows}
        rowKey={({ windowStart }) => windowStart}
        empty="No event counted in these days."
        columns={[
          {
            name: 'From',
            cell: ({ windowStart, windowEnd }) => (
              <To path={eventsOf(windowStart, windowEnd)}>
                {window === 'HOUR' ? <Moment at={windowStart} /> : <Day at={windowStart} />}
              </To>
            ),
            value: ({ windowStart }) => windowStart,
            foot: 'All',
          },
          { name: 'To', cell: () => null, value: ({ windowEnd }) => windowEnd, isInFileAlone: true, foot: '' },
          ...names.map((name, index) => ({
            name: names.length === 1 ? `${name}${metric.unit ? ` (${metric.unit})` : ''}` : name,
            cell: ({ windowStart }: { readonly windowStart: string }) => (
              <Quantity value={byStart[index]?.get(windowStart)} />
            ),
            value: ({ windowStart }: { readonly windowStart: string }) => byStart[index]?.get(windowStart),
            foot: String(usages[index]?.totalValue),
            isFigure: true,
          })),
        ]}
      />
    </>
  );
}
