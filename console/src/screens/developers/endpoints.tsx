import { Checkbox, MultiSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePlace } from '../../frame/places.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { Once } from '../../shape/copy.tsx';
import { Deed } from '../../shape/deed.tsx';
import { Input, type InputProps } from '../../shape/fields.tsx';
import { List } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';

export const ENDPOINT_FIELDS = ['url', 'description', 'eventTypes'];
export const ENDPOINT_LABELS = { url: 'Address', eventTypes: 'Events' };

/** All events, or those that are chosen. */
export function EventTypes({ field, label, value, change, error }: InputProps) {
  const chosen = (value as readonly string[] | undefined) ?? ['*'];
  const isAll = chosen.includes('*');
  return (
    <div className="stack tight long">
      <Checkbox
        label="All events, and those that come in later versions"
        checked={isAll}
        onChange={({ target }) => change(target.checked ? ['*'] : [])}
        error={isAll ? error : undefined}
      />
      {!isAll && (
        <MultiSelect
          label={label}
          description="Only these are sent."
          data={field.choices.filter((each) => each !== '*')}
          value={[...chosen]}
          onChange={change}
          error={error}
          searchable
          required
        />
      )}
    </div>
  );
}

/** On one line, however long it may be. */
const Line = (props: InputProps) => <Input {...props} field={{ ...props.field, kind: 'text' }} />;

export const ENDPOINT_INPUTS = { url: Line, description: Line, eventTypes: EventTypes };

export const SECRET_WORDS =
  'Store the secret now: your receiver verifies the signatures with it. It is shown this once, and nobody can read it later.';

/** The addresses that receive webhooks. */
export function Endpoints() {
  const navigate = useNavigate();
  const place = usePlace();
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  return (
    <Page
      title="Webhooks"
      about="Reckoner tells your systems what has happened, by signed requests to these addresses."
      actions={
        <>
          <To path="/developers/webhook-events">Events that were sent</To>
          <Deed
            label="New endpoint"
            operation="POST /v0/webhookEndpoints"
            fields={ENDPOINT_FIELDS}
            labels={ENDPOINT_LABELS}
            inputs={ENDPOINT_INPUTS}
            initial={{ eventTypes: ['*'] }}
            needs="admin"
            isPrimary
            done={({ id, secret = '' }) => setMade({ id, secret })}
          />
        </>
      }
    >
      <List
        operation="GET /v0/webhookEndpoints"
        file="webhook-endpoints"
        rowKey={({ id }) => id}
        isPart
        columns={[
          { name: 'Address', cell: ({ id, url }) => <Ref id={id} name={url} />, value: ({ url }) => url },
          { name: 'Status', cell: (row) => <EndpointStatus of={row} />, value: ({ status }) => status },
          {
            name: 'Events',
            cell: ({ eventTypes }) => (eventTypes.includes('*') ? 'All' : `${eventTypes.length} chosen`),
            value: ({ eventTypes }) => eventTypes.join(' '),
          },
          {
            name: 'Description',
            cell: ({ description }) => description ?? '—',
            value: ({ description }) => description,
          },
          { name: 'Made', cell: ({ createdAt }) => <Moment at={createdAt} />, value: ({ createdAt }) => createdAt },
        ]}
        empty={{
          text: 'An endpoint is an address of yours that gets a signed request for each event. Without a server, poll GET /v0/webhookEvents.',
          example: { method: 'POST', path: '/v0/webhookEndpoints', body: { url: 'https://acme.example/webhooks' } },
        }}
      />
      <Once
        title="The secret of the new endpoint"
        text={made?.secret ?? null}
        close={() => {
          setMade(null);
          if (made) void navigate({ to: place(`/developers/webhooks/${made.id}`) });
        }}
      >
        {SECRET_WORDS}
      </Once>
    </Page>
  );
}

/** Is it sent to; and does it answer? */
export const EndpointStatus = ({
  of: { status, failingSince },
}: {
  readonly of: { readonly status: string; readonly failingSince: string | null };
}) => <Status of={status === 'enabled' && failingSince !== null ? 'failing' : status} />;
