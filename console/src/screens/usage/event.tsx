import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { EventWithData, ExplainedEventMetric, ExplainedEventPrice } from '../../api/types.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Moment, Quantity } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { groupText } from '../../look/words.ts';
import { Table } from '../../shape/list.tsx';
import { Facts, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { Counted, Who } from './events.tsx';
import { LinkToCustomer } from './link.tsx';
import { reasonTodo, reasonWords } from './reasons.ts';

/** One event: its data, what counted it, and which line of which invoice bills it; or why none does. */
export function EventPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const asked = useRead('GET /v0/events/{id}', { path: { id } });
  return (
    <Part of={asked}>
      {(event) => (
        <Page
          up={{ path: '/usage/events', name: 'Events' }}
          title={event.type}
          state={<Counted event={event} />}
          about={
            <>
              <Moment at={event.timestamp} seconds /> · <code>{event.id}</code>
            </>
          }
        >
          <div className="columns">
            <div className="stack">
              <Outcome event={event} />
              <Sheet title="Data">
                <pre className="curl code">{JSON.stringify(event.data, null, 2)}</pre>
              </Sheet>
            </div>
            <Sheet title="Details">
              <Facts
                of={[
                  ['Who', <Who key="who" event={event} />],
                  [
                    'Type',
                    <To key="type" path={`/usage/events?type=${encodeURIComponent(event.type)}`}>
                      {event.type}
                    </To>,
                  ],
                  ['Source', event.source],
                  ['Time', <Moment key="time" at={event.timestamp} seconds />],
                  ['Your own id', event.externalId],
                  ['Sent once by', <code key="key">{event.idempotencyKey}</code>],
                ]}
              />
            </Sheet>
          </div>
        </Page>
      )}
    </Part>
  );
}

function Outcome({ event }: { readonly event: EventWithData }) {
  const asked = useRead('GET /v0/events/{id}/explain', { path: { id: event.id } });
  return (
    <Part of={asked}>
      {({ isCounted, message, reason, metrics, costs }) => (
        <>
          <div className={isCounted ? 'note good stack tight' : 'note warn stack tight'}>
            <strong>{reason === null ? 'An invoice bills it' : reasonWords(reason)}</strong>
            <span>{message}</span>
            {reason === 'UNKNOWN_SUBJECT' && event.externalSubject && (
              <span>
                <LinkToCustomer externalId={event.externalSubject} />
              </span>
            )}
          </div>
          {metrics.map((metric) => (
            <MetricSheet key={metric.billableMetricId} metric={metric} event={event} />
          ))}
          {costs.length > 0 && (
            <Sheet title="Costs" flush>
              <Table
                rows={costs}
                rowKey={({ costId }) => costId}
                columns={[
                  { name: 'Cost', cell: ({ name }) => name },
                  { name: 'Counted', cell: (cost) => <Read of={cost} /> },
                  { name: 'Value', cell: ({ value }) => <Quantity value={value} />, isFigure: true },
                ]}
              />
            </Sheet>
          )}
        </>
      )}
    </Part>
  );
}

const Read = ({ of: { isMatched, reason } }: { readonly of: Pick<ExplainedEventMetric, 'isMatched' | 'reason'> }) => (
  <div>
    <Status of={isMatched ? 'counted' : 'unmatched'} />
    {!isMatched && reason !== null && <span className="soft fine block">{reasonWords(reason)}</span>}
  </div>
);

/** What a metric makes of the event, and the prices that could bill it. */
function MetricSheet({ metric, event }: { readonly metric: ExplainedEventMetric; readonly event: EventWithData }) {
  const day = event.timestamp.slice(0, 10);
  const { billableMetricId, reason, prices } = metric;
  return (
    <Sheet
      title={`Metric ${metric.name}`}
      flush
      actions={
        <To
          path={`/usage/metrics?metric=${billableMetricId}&window=HOUR&from=${day}&to=${day}&customer=${event.subject ?? ''}`}
        >
          Usage of that day
        </To>
      }
    >
      <div className="foot stack">
        <Facts
          of={[
            ['Metric', <Ref key="metric" id={billableMetricId} name={metric.name} />],
            ['Counted', <Read key="read" of={metric} />],
            ['Value', metric.value !== null && <Quantity key="value" value={metric.value} />],
            ['Dimensions', groupText(metric.group)],
            ['Not billed', reason !== null && metric.isMatched && `${reasonWords(reason)}. ${reasonTodo(reason)}`],
          ]}
        />
      </div>
      {prices.length > 0 && (
        <Table
          caption={`Prices for ${metric.name}`}
          rows={prices}
          rowKey={({ priceId, subscriptionId }) => `${subscriptionId}${priceId}`}
          columns={[
            { name: 'Price', cell: ({ name, priceId }) => <span title={priceId}>{name}</span> },
            { name: 'Plan', cell: ({ planId }) => <Ref id={planId} /> },
            { name: 'Subscription', cell: ({ subscriptionId }) => <Ref id={subscriptionId} /> },
            { name: 'Invoice', cell: (price) => <Billed price={price} /> },
            {
              name: 'Entitlement',
              cell: ({ entitlementId }) => <Ref id={entitlementId} {...(entitlementId && { name: 'Its balance' })} />,
            },
          ]}
        />
      )}
    </Sheet>
  );
}

function Billed({ price: { invoiceId, invoiceStatus, lineItemId, reason } }: { readonly price: ExplainedEventPrice }) {
  if (reason !== null) return <span className="soft">{reasonWords(reason)}</span>;
  return (
    <div>
      <To path={lineItemId === null ? `/invoices/${invoiceId}` : `/invoices/${invoiceId}?line=${lineItemId}`}>
        {lineItemId === null ? 'The invoice of its period' : 'The line that bills it'}
      </To>
      <span className="block fine">
        <Status of={invoiceStatus} />
      </span>
    </div>
  );
}
