import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTagged } from '../../api/queries.ts';
import type { WebhookEndpoint, WebhookTest } from '../../api/types.ts';
import { usePlace } from '../../frame/places.ts';
import { To } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { Once } from '../../shape/copy.tsx';
import { Deed } from '../../shape/deed.tsx';
import { Facts, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { ENDPOINT_FIELDS, ENDPOINT_INPUTS, ENDPOINT_LABELS, EndpointStatus, SECRET_WORDS } from './endpoints.tsx';

const WHY = {
  request: 'A person or a program has paused it.',
  gone: 'It answered 410: that it is gone for good.',
  failing: 'Every attempt of five days failed.',
} as const;

/** One endpoint: what it gets, how it does, and a test of it. */
export function EndpointPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const asked = useTagged('GET /v0/webhookEndpoints/{id}', { path: { id } });
  const [test, setTest] = useState<WebhookTest | null>(null);
  return (
    <Part of={asked}>
      {({ value: endpoint, etag }) => (
        <Page
          up={{ path: '/developers/webhooks', name: 'Webhooks' }}
          title={endpoint.url}
          state={<EndpointStatus of={endpoint} />}
          about={<code>{id}</code>}
          actions={<Actions endpoint={endpoint} etag={etag} tested={setTest} />}
        >
          {test && <TestResult test={test} />}
          {endpoint.disabledReason !== null && (
            <p className="note warn">
              Nothing is sent. {WHY[endpoint.disabledReason]} Enable it, then send the missed events again.
            </p>
          )}
          {endpoint.failingSince !== null && (
            <p className="note bad">
              Every attempt has failed since <Moment at={endpoint.failingSince} />.
            </p>
          )}
          <div className="columns">
            <Sheet title="Events that it gets">
              {endpoint.eventTypes.includes('*') ? (
                <p>All events, and those that come in later versions.</p>
              ) : (
                <ul className="checklist">
                  {endpoint.eventTypes.map((each) => (
                    <li key={each}>
                      <To path={`/developers/webhook-events?type=${each}`}>
                        <code>{each}</code>
                      </To>
                    </li>
                  ))}
                </ul>
              )}
            </Sheet>
            <Sheet title="Details">
              <Facts
                of={[
                  ['Description', endpoint.description],
                  [
                    'Old secret signs until',
                    endpoint.previousSecretUntil && <Moment at={endpoint.previousSecretUntil} />,
                  ],
                  ['Made', <Moment key="made" at={endpoint.createdAt} />],
                  ['Changed', <Moment key="changed" at={endpoint.updatedAt} />],
                ]}
              />
            </Sheet>
          </div>
        </Page>
      )}
    </Part>
  );
}

const TestResult = ({ test: { delivered, statusCode, reply, error } }: { readonly test: WebhookTest }) => (
  <div className={delivered ? 'note good stack tight' : 'note bad stack tight'} role="status">
    <strong>{delivered ? 'The endpoint took the test' : 'The endpoint did not take the test'}</strong>
    <span>{statusCode === null ? (error ?? 'No answer came.') : `It answered ${statusCode}.`}</span>
    {reply && <pre className="curl code">{reply}</pre>}
  </div>
);

function Actions({
  endpoint,
  etag,
  tested,
}: {
  readonly endpoint: WebhookEndpoint;
  readonly etag: string | undefined;
  readonly tested: (test: WebhookTest) => void;
}) {
  const { id, url, status } = endpoint;
  const navigate = useNavigate();
  const place = usePlace();
  const [secret, setSecret] = useState<string | null>(null);
  const facts = [['Address', url]] as const;
  const path = { id };
  const isOn = status === 'enabled';
  return (
    <>
      <Deed
        label="Send a test"
        operation="POST /v0/webhookEndpoints/{id}/test"
        path={path}
        facts={facts}
        effects={[]}
        needs="admin"
        isPrimary
        done={tested}
      />
      <Deed
        label="Edit"
        verb="Save"
        operation="PATCH /v0/webhookEndpoints/{id}"
        path={path}
        before={endpoint}
        etag={etag}
        fields={ENDPOINT_FIELDS}
        labels={ENDPOINT_LABELS}
        inputs={ENDPOINT_INPUTS}
        needs="admin"
      />
      <Deed
        key={status}
        label={isOn ? 'Pause' : 'Enable'}
        operation="PATCH /v0/webhookEndpoints/{id}"
        path={path}
        fields={[]}
        fixed={{ status: isOn ? 'disabled' : 'enabled' }}
        etag={etag}
        facts={facts}
        effects={isOn ? [] : ['Events from now on are sent to it. Those that it has missed are not, until you ask.']}
        needs="admin"
      />
      <Deed
        label="Rotate the secret"
        operation="POST /v0/webhookEndpoints/{id}/rotateSecret"
        path={path}
        facts={facts}
        effects={['You get a new secret. The old one signs too for 24 hours: exchange it in your receiver until then.']}
        needs="admin"
        done={(changed) => setSecret(changed.secret ?? null)}
      />
      <Deed
        label="Delete"
        verb="Delete the endpoint"
        operation="DELETE /v0/webhookEndpoints/{id}"
        path={path}
        facts={facts}
        effects={['Nothing is sent to it any more. The events stay.']}
        undo="This cannot be undone."
        needs="admin"
        isDangerous
        done={() => void navigate({ to: place('/developers/webhooks') })}
      />
      <Once title="The new secret" text={secret} close={() => setSecret(null)}>
        {SECRET_WORDS}
      </Once>
    </>
  );
}
