import { Ref } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { List } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';
import { useEndpointNames, useEventTypes } from './webhook-events.tsx';

/** Sandbox: the webhooks that the built-in receiver has got and verified. */
export function WebhookInbox() {
  const types = useEventTypes();
  const names = useEndpointNames();
  return (
    <Page
      title="Webhook inbox"
      about="A receiver without a server of your own: it verifies each webhook, and keeps the last 1,000."
    >
      <List
        operation="GET /v0/webhookInbox"
        file="webhook-inbox"
        rowKey={({ id }) => id}
        filters={[
          { name: 'type', label: 'Type', choices: types.map((each) => [each, each] as const) },
          { name: 'endpointId', label: 'Endpoint', pick: 'whe_' },
          { name: 'eventId', label: 'Id of the event' },
        ]}
        columns={[
          {
            name: 'Received',
            cell: ({ createdAt }) => <Moment at={createdAt} seconds />,
            value: ({ createdAt }) => createdAt,
          },
          { name: 'Type', cell: ({ type }) => <code>{type}</code>, value: ({ type }) => type },
          { name: 'Event', cell: ({ eventId }) => <Ref id={eventId} />, value: ({ eventId }) => eventId },
          {
            name: 'Endpoint',
            cell: ({ endpointId }) => <Ref id={endpointId} name={names.get(endpointId)} />,
            value: ({ endpointId }) => endpointId,
          },
          {
            name: 'Request',
            cell: ({ headers, type, timestamp, data }) => (
              <details>
                <summary>Show</summary>
                <pre className="curl code">
                  {Object.entries(headers)
                    .map(([name, value]) => `${name}: ${value}`)
                    .join('\n')}
                  {'\n\n'}
                  {JSON.stringify({ type, timestamp, data }, null, 2)}
                </pre>
              </details>
            ),
            value: ({ data }) => JSON.stringify(data),
          },
        ]}
        empty={{
          text: 'Make an endpoint with the address of this inbox. Each webhook that is sent to it stands here.',
          example: {
            method: 'POST',
            path: '/v0/webhookEndpoints',
            body: { url: `${window.location.origin}/v0/webhookInbox` },
          },
        }}
      />
    </Page>
  );
}
