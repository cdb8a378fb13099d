import { useState } from 'react';
import { useBodyForm } from '../../api/document.ts';
import { useRead } from '../../api/queries.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Moment, quantityText } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { Deed } from '../../shape/deed.tsx';
import { List } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';

/** The types of events, as the API's own document has them. */
export const useEventTypes = (): readonly string[] =>
  useBodyForm('POST /v0/webhookEndpoints')
    ?.fields.find(({ path }) => path === 'eventTypes')
    ?.choices.filter((each) => each !== '*') ?? [];

/** The addresses of the endpoints by their ids. */
export function useEndpointNames(): ReadonlyMap<string, string> {
  const { data } = useRead('GET /v0/webhookEndpoints', { query: { limit: 100 } });
  return new Map(data?.data.map(({ id, url }) => [id, url] as const));
}

const WORST = ['exhausted', 'pending', 'delivered'] as const;

/** The events of the last 30 days and how their deliveries went. */
export function WebhookEvents() {
  const types = useEventTypes();
  const [sent, setSent] = useState<number | null>(null);
  return (
    <Page
      title="Webhook events"
      about="What has happened in the last 30 days, and which endpoint was told."
      actions={
        <Deed
          label="Send again"
          operation="POST /v0/webhookEvents/redeliver"
          labels={{ from: 'Events from', to: 'Events before', endpointId: 'Endpoint', types: 'Types' }}
          effects={['Each event of this time is sent again. Your receiver knows it by the same webhook-id.']}
          done={({ deliveries }) => setSent(deliveries)}
        />
      }
    >
      {sent !== null && (
        <p className="note good" role="status">
          {quantityText(sent)} deliveries were started.
        </p>
      )}
      <List
        operation="GET /v0/webhookEvents"
        file="webhook-events"
        rowKey={({ id }) => id}
        filters={[
          { name: 'type', label: 'Type', choices: types.map((each) => [each, each] as const) },
          { name: 'resourceId', label: 'Id of the resource' },
        ]}
        columns={[
          {
            name: 'When',
            cell: ({ id, createdAt }) => (
              <To path={`/developers/webhook-events/${id}`}>
                <Moment at={createdAt} seconds />
              </To>
            ),
            value: ({ createdAt }) => createdAt,
          },
          { name: 'Type', cell: ({ type }) => <code>{type}</code>, value: ({ type }) => type },
          {
            name: 'Resource',
            cell: ({ resourceId }) => <Ref id={resourceId} />,
            value: ({ resourceId }) => resourceId,
          },
          {
            name: 'Deliveries',
            cell: ({ deliveries }) =>
              deliveries.length === 0 ? (
                <span className="soft">No endpoint</span>
              ) : (
                <Status of={WORST.find((each) => deliveries.some(({ status }) => status === each))} />
              ),
            value: ({ deliveries }) => deliveries.map(({ status }) => status).join(' '),
          },
          { name: 'Event', cell: () => null, value: ({ id }) => id, isInFileAlone: true },
        ]}
        empty={{
          text: 'Each change of an invoice, a subscription, a grant and more is an event here, with or without an endpoint. A program can poll them.',
          example: { method: 'GET', path: '/v0/webhookEvents?after=start' },
        }}
      />
    </Page>
  );
}
