import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../frame/places.ts';
import { Ref } from '../../frame/to.tsx';
import { Day } from '../../look/figures.tsx';
import { Shape, Status, statusWords } from '../../look/status.tsx';
import { type Column, List, type RowOf } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';

type Row = RowOf<'GET /v0/subscriptions'>;

/** The state, and beside it a pause. */
export const State = ({ of: { status, pausedAt } }: { readonly of: Pick<Row, 'status' | 'pausedAt'> }) => (
  <span className="row">
    <Status of={status} />
    {status === 'active' && pausedAt !== null && (
      <span className="status">
        <Shape tone="warn" />
        <span>
          Paused <Day at={pausedAt} />
        </span>
      </span>
    )}
  </span>
);

/** The columns of subscriptions wherever they are listed. */
export const SUBSCRIPTION_COLUMNS = {
  name: { name: 'Name', cell: ({ id, name }) => <Ref id={id} name={name} />, value: ({ name }) => name },
  id: { name: 'ID', cell: ({ id }) => id, value: ({ id }) => id, isInFileAlone: true },
  customer: {
    name: 'Customer',
    cell: ({ customerId }) => <Ref id={customerId} />,
    value: ({ customerId }) => customerId,
  },
  plan: {
    name: 'Plan',
    cell: ({ planId, planVersionNumber }) => (
      <span>
        <Ref id={planId} /> <span className="soft fine">version {planVersionNumber}</span>
      </span>
    ),
    value: ({ planId, planVersionNumber }) => `${planId} version ${planVersionNumber}`,
  },
  status: { name: 'Status', cell: (row) => <State of={row} />, value: ({ status }) => status },
  since: { name: 'Starts', cell: ({ startedAt }) => <Day at={startedAt} />, value: ({ startedAt }) => startedAt },
  end: {
    name: 'Ends',
    cell: ({ terminatedAt, endingAt }) => <Day at={terminatedAt ?? endingAt} />,
    value: ({ terminatedAt, endingAt }) => terminatedAt ?? endingAt,
  },
  clock: {
    name: 'Test clock',
    cell: ({ testClockId }) => <Ref id={testClockId} />,
    value: ({ testClockId }) => testClockId,
  },
} as const satisfies Record<string, Column<Row>>;

const STATES = ['pending_payment', 'active', 'terminated'];

/** To the page that makes a subscription, with what is known already. */
export function NewSubscription({ known = {} }: { readonly known?: Readonly<Record<string, string>> }) {
  const navigate = useNavigate();
  const place = usePlace();
  if (!useMay('member')) return null;
  return (
    <Button onClick={() => void navigate({ to: place('/subscriptions/new'), search: known as never })}>
      New subscription
    </Button>
  );
}

/** Every subscription of the merchant, newest first. */
export function Subscriptions() {
  const { name, id, customer, plan, status, since, end } = SUBSCRIPTION_COLUMNS;
  return (
    <Page title="Subscriptions" actions={<NewSubscription />}>
      <List
        operation="GET /v0/subscriptions"
        file="subscriptions"
        rowKey={(row) => row.id}
        filters={[
          { name: 'customerId', label: 'Customer', pick: 'cus_' },
          { name: 'planId', label: 'Plan', pick: 'plan_' },
          { name: 'status', label: 'Status', choices: STATES.map((each) => [each, statusWords(each)] as const) },
          { name: 'startedBefore', label: 'Started before', type: 'date' },
        ]}
        columns={[name, id, customer, plan, status, since, end]}
        empty={{
          text: 'A subscription puts a customer on a plan. Its invoices follow by themselves, period after period.',
          action: <NewSubscription />,
          example: {
            method: 'POST',
            path: '/v0/subscriptions',
            body: { name: 'Delft Design', customerId: 'cus_…', planId: 'plan_…', startedAt: '2026-12-01T00:00:00Z' },
          },
        }}
      />
    </Page>
  );
}
