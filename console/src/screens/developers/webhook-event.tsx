import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Moment, Quantity } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { Deed } from '../../shape/deed.tsx';
import { List, Table } from '../../shape/list.tsx';
import { Facts, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { useEndpointNames } from './webhook-events.tsx';

const SECOND = 1_000;

/** One event: its payload, its deliveries, and each attempt with the answer. */
export function WebhookEventPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const asked = useRead('GET /v0/webhookEvents/{id}', { path: { id } }, { every: 3 * SECOND });
  const names = useEndpointNames();
  return (
    <Part of={asked}>
      {({ type, resourceId, data, deliveries, createdAt }) => (
        <Page
          up={{ path: '/developers/webhook-events', name: 'Webhook events' }}
          title={type}
          about={
            <>
              <Moment at={createdAt} seconds /> · <code>{id}</code>
            </>
          }
          actions={
            <Deed
              label="Send again"
              operation="POST /v0/webhookEvents/{id}/redeliver"
              path={{ id }}
              labels={{ endpointId: 'Endpoint' }}
              facts={[['Event', type]]}
              effects={['The event is sent again. Your receiver knows it by the same webhook-id.']}
            />
          }
        >
          <div className="columns">
            <div className="stack">
              <Sheet title="Deliveries" flush>
                {deliveries.length === 0 ? (
                  <p className="empty soft">No endpoint gets events of this type.</p>
                ) : (
                  <Table
                    rows={deliveries}
                    rowKey={({ endpointId }) => endpointId}
                    columns={[
                      {
                        name: 'Endpoint',
                        cell: ({ endpointId }) => <Ref id={endpointId} name={names.get(endpointId)} />,
                      },
                      { name: 'Status', cell: ({ status }) => <Status of={status} /> },
                      { name: 'Next attempt', cell: ({ nextAttemptAt }) => <Moment at={nextAttemptAt} seconds /> },
                      { name: 'Attempts', cell: ({ attempts }) => <Quantity value={attempts} />, isFigure: true },
                    ]}
                  />
                )}
              </Sheet>
              <Attempts id={id} names={names} />
            </div>
            <div className="stack">
              <Sheet title="Details">
                <Facts
                  of={[
                    ['Resource', <Ref key="resource" id={resourceId} />],
                    [
                      'Others of this type',
                      <To key="type" path={`/developers/webhook-events?type=${type}`}>
                        {type}
                      </To>,
                    ],
                    [
                      'Others of this resource',
                      <To key="others" path={`/developers/webhook-events?resourceId=${resourceId}`}>
                        List
                      </To>,
                    ],
                  ]}
                />
              </Sheet>
              <Sheet title="Payload">
                <pre className="curl code">{JSON.stringify({ type, timestamp: createdAt, data }, null, 2)}</pre>
              </Sheet>
            </div>
          </div>
        </Page>
      )}
    </Part>
  );
}

function Attempts({ id, names }: { readonly id: string; readonly names: ReadonlyMap<string, string> }) {
  return (
    <section className="stack tight" aria-labelledby="attempts">
      <h2 id="attempts">Attempts</h2>
      <List
        operation="GET /v0/webhookEvents/{id}/attempts"
        path={{ id }}
        file={`attempts-${id}`}
        rowKey={(row) => row.id}
        every={3 * SECOND}
        isPart
        columns={[
          {
            name: 'When',
            cell: ({ createdAt }) => <Moment at={createdAt} seconds />,
            value: ({ createdAt }) => createdAt,
          },
          {
            name: 'Endpoint',
            cell: ({ endpointId, number }) => (
              <div>
                <Ref id={endpointId} name={names.get(endpointId)} />
                <span className="soft fine block">Attempt {number}</span>
              </div>
            ),
            value: ({ endpointId }) => endpointId,
          },
          { name: 'Status', cell: ({ status }) => <Status of={status} />, value: ({ status }) => status },
          {
            name: 'Answer',
            cell: ({ statusCode, error, reply }) => (
              <div>
                {statusCode ?? error ?? 'No answer'}
                {reply && (
                  <details>
                    <summary>Text</summary>
                    <pre className="curl code">{reply}</pre>
                  </details>
                )}
              </div>
            ),
            value: ({ statusCode, error }) => statusCode ?? error,
          },
          {
            name: 'Took',
            cell: ({ durationMilliseconds: took }) => (took === null ? '—' : `${took} ms`),
            value: ({ durationMilliseconds }) => durationMilliseconds,
            isFigure: true,
          },
        ]}
        empty={{ text: 'No attempt yet.' }}
      />
    </section>
  );
}
