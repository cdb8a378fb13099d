import { Button } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Ref, To } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { Shape, Status } from '../../look/status.tsx';
import { List, type RowOf } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';
import { reasonWords } from './reasons.ts';
import { TestEvent } from './test-event.tsx';

type Row = RowOf<'GET /v0/events'>;

const SECOND = 1_000;

/** Whom an event is of: a customer or a subscription, or an id that nobody has yet. */
export function Who({ event }: { readonly event: Pick<Row, 'subject' | 'externalSubject' | 'sentSubject'> }) {
  const sent = event.externalSubject ?? event.sentSubject;
  if (event.subject)
    return (
      <div>
        <Ref id={event.subject} />
        {event.externalSubject && <span className="soft fine block">{event.externalSubject}</span>}
      </div>
    );
  return (
    <div>
      <code>{sent}</code>
      <span className="soft fine block">
        {event.externalSubject ? 'no customer has this id yet' : 'no customer or subscription of this id'}
      </span>
    </div>
  );
}

/** Does anything count the event; if not, why? */
export function Counted({ event }: { readonly event: Pick<Row, 'status' | 'reason'> }) {
  return (
    <div>
      <Status of={event.status === 'matched' ? 'counted' : 'unmatched'} />
      {event.reason && <span className="soft fine block">{reasonWords(event.reason)}</span>}
    </div>
  );
}

/** The events of the merchant as they come in, newest first. */
export function Events() {
  const { after } = useSearch({ strict: false }) as { after?: string };
  const [isLive, setLive] = useState(true);
  const isFollowing = isLive && after === undefined;
  return (
    <Page
      title="Events"
      about={
        <span className={isFollowing ? 'status good' : 'status calm'}>
          <Shape tone={isFollowing ? 'good' : 'calm'} />
          <span>
            {isFollowing
              ? 'Live: new events stand at the top within two seconds.'
              : isLive
                ? 'Earlier events. The first page follows new ones.'
                : 'Paused.'}
          </span>
        </span>
      }
      actions={
        <>
          <Button variant="default" onClick={() => setLive(!isLive)}>
            {isLive ? 'Pause' : 'Go live'}
          </Button>
          <TestEvent />
        </>
      }
    >
      <List
        operation="GET /v0/events"
        file="events"
        rowKey={({ id }) => id}
        every={isFollowing ? SECOND : false}
        marksNew
        filters={[
          { name: 'type', label: 'Type' },
          { name: 'subject', label: 'Customer id' },
          { name: 'externalSubject', label: 'Your own id' },
          {
            name: 'status',
            label: 'Status',
            choices: [
              ['matched', 'Counted'],
              ['unmatched', 'Unmatched'],
            ],
          },
          { name: 'from', label: 'From', type: 'moment' },
          { name: 'to', label: 'Before', type: 'moment' },
        ]}
        columns={[
          {
            name: 'Time',
            cell: ({ id, timestamp }) => (
              <To path={`/usage/events/${id}`}>
                <Moment at={timestamp} seconds />
              </To>
            ),
            value: ({ timestamp }) => timestamp,
          },
          { name: 'Type', cell: ({ type }) => <code className="figure">{type}</code>, value: ({ type }) => type },
          { name: 'Who', cell: (event) => <Who event={event} />, value: ({ subject }) => subject },
          { name: 'Status', cell: (event) => <Counted event={event} />, value: ({ status }) => status },
          { name: 'Source', cell: ({ source }) => source, value: ({ source }) => source },
          ...FILE_ALONE.map((name) => ({
            name,
            cell: () => null,
            value: (row: Row) => row[name],
            isInFileAlone: true,
          })),
        ]}
        empty={{
          text: 'An event says that a customer used something. It counts for every metric of its type, and may come before its customer.',
          example: {
            method: 'POST',
            path: '/v0/events',
            body: {
              type: 'tokens.used',
              source: 'billing-worker',
              externalSubject: 'workspace-1',
              data: { tokens: 1200, model: 'large' },
            },
          },
        }}
      />
    </Page>
  );
}

const FILE_ALONE = ['id', 'externalSubject', 'reason', 'idempotencyKey', 'externalId'] as const;
