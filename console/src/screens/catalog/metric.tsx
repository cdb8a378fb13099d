import { useParams } from '@tanstack/react-router';
import { useRead, useTagged } from '../../api/queries.ts';
import type { BillableMetric, Price } from '../../api/types.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Moment, quantityText } from '../../look/figures.tsx';
import { wordsOf } from '../../look/words.ts';
import { Curl } from '../../shape/curl.tsx';
import { Deed } from '../../shape/deed.tsx';
import { Table } from '../../shape/list.tsx';
import { Facts, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { METRIC_FIELDS, METRIC_LABELS, METRIC_MORE, metricWords } from './metrics.tsx';
import { MODELS } from './price-fields.tsx';

/** One metric: what it counts, an event that it would count, and its prices. */
export function MetricPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const asked = useTagged('GET /v0/billableMetrics/{id}', { path: { id } });
  return (
    <Part of={asked}>
      {({ value: metric, etag }) => (
        <Page
          up={{ path: '/catalog/metrics', name: 'Metrics' }}
          title={metric.name}
          about={
            <>
              {metric.description} <code>{id}</code>
            </>
          }
          actions={
            <>
              <To path={`/usage/metrics?metric=${id}`}>Explore its usage</To>
              <Deed
                label="Edit"
                verb="Save"
                operation="PATCH /v0/billableMetrics/{id}"
                path={{ id }}
                before={metric}
                etag={etag}
                fields={METRIC_FIELDS}
                more={METRIC_MORE}
                labels={METRIC_LABELS}
                effects={['As soon as a price uses the metric, what it counts stays as it is.']}
              />
            </>
          }
        >
          <div className="columns">
            <div className="stack">
              <Sheet title="What it counts">
                <div className="stack tight">
                  <p>{metricWords(metric)}.</p>
                  <Facts
                    of={[
                      ['Type of the events', metric.eventType && <code>{metric.eventType}</code>],
                      ['Aggregation', wordsOf(metric.aggregation)],
                      ['Value', metric.valueProperty && <code>{metric.valueProperty}</code>],
                      ...Object.entries(metric.groupBy ?? {}).map(
                        ([name, path]) => [`Dimension ${name}`, <code key={name}>{path}</code>] as const,
                      ),
                      ['Only events after', metric.eventFrom && <Moment at={metric.eventFrom} />],
                    ]}
                  />
                </div>
              </Sheet>
              {metric.eventType !== null && <ExampleEvent metric={metric} />}
              <Prices metricId={id} />
            </div>
            <div className="stack">
              <Sheet title="Details">
                <Facts
                  of={[
                    ['Product', <Ref key="product" id={metric.productId} />],
                    ['Item', metric.itemId],
                    ['Unit', metric.unit],
                    [
                      'Shown as',
                      metric.displayUnit && `${metric.displayUnit.name} (${quantityText(metric.displayUnit.per)})`,
                    ],
                    ['Tax rate', metric.taxRate === null ? null : `${metric.taxRate}%`],
                    ['Since', <Moment key="since" at={metric.createdAt} />],
                  ]}
                />
              </Sheet>
            </div>
          </div>
        </Page>
      )}
    </Part>
  );
}

/** An event that the metric counts, for the first customer. */
function ExampleEvent({ metric }: { readonly metric: BillableMetric }) {
  const { data } = useRead('GET /v0/customers', { query: { limit: 1 } });
  return (
    <Sheet title="An event that counts">
      <div className="stack tight" style={{ justifyItems: 'start' }}>
        <Curl
          method="POST"
          path="/v0/events"
          body={{
            type: metric.eventType,
            source: 'my-service',
            externalSubject: data?.data[0]?.externalId ?? 'your-id-of-the-customer',
            data: exampleData(metric),
          }}
        />
      </div>
    </Sheet>
  );
}

/** The `data` of an event with a value at each path. */
function exampleData({ valueProperty, groupBy, aggregation }: BillableMetric): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  const put = (path: string, value: unknown) => {
    const names = path.replace(/^\$\./, '').split('.');
    let part = data;
    for (const name of names.slice(0, -1)) {
      part[name] ??= {};
      part = part[name] as Record<string, unknown>;
    }
    part[names.at(-1) as string] = value;
  };
  for (const [name, path] of Object.entries(groupBy ?? {})) put(path, `a-${name}`);
  if (valueProperty) put(valueProperty, aggregation === 'UNIQUE_COUNT' ? 'u-1' : 1);
  return data;
}

const MODEL_NAMES = new Map(MODELS.map(([model, name]) => [model, name] as const));
const MOST_PRICES = 100;

/** The prices that bill the metric. */
function Prices({ metricId }: { readonly metricId: string }) {
  const asked = useRead('GET /v0/prices', { query: { billableMetricId: metricId, limit: MOST_PRICES } });
  const plans = useRead('GET /v0/plans', { query: { limit: 100 } });
  const plansOf = (price: Price) =>
    (plans.data?.data ?? []).filter(({ prices }) => prices.some(({ id }) => id === price.id));
  return (
    <Sheet title="Prices that use it" flush>
      <Part of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="empty soft">No price yet. Open a plan to add one.</p>
          ) : (
            <Table
              rows={data}
              rowKey={({ id }) => id}
              columns={[
                { name: 'Name on the invoice', cell: ({ invoiceDisplayName }) => invoiceDisplayName },
                { name: 'Model', cell: ({ model }) => MODEL_NAMES.get(model) },
                {
                  name: 'Now in the plan',
                  cell: (price) =>
                    plansOf(price).length === 0
                      ? '—'
                      : plansOf(price).map(({ id, name }) => (
                          <span className="block" key={id}>
                            <Ref id={id} name={name} />
                          </span>
                        )),
                },
                {
                  name: 'Actions',
                  cell: (price) =>
                    plansOf(price).length === 0 && (
                      <Deed
                        label="Delete"
                        verb="Delete the price"
                        operation="DELETE /v0/prices/{id}"
                        path={{ id: price.id }}
                        facts={[['Price', price.invoiceDisplayName]]}
                        effects={['A price that a version of a plan has stays, unless the version is archived.']}
                        undo="This cannot be undone."
                        isDangerous
                      />
                    ),
                },
              ]}
            />
          )
        }
      </Part>
    </Sheet>
  );
}
