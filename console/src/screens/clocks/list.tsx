import { useNavigate } from '@tanstack/react-router';
import { usePlace } from '../../frame/places.ts';
import { Ref } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { Deed } from '../../shape/deed.tsx';
import { List } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';
import { ClockState } from './advance.tsx';

const FIELDS = ['name', 'currentTime', 'description'];
const LABELS = { currentTime: 'It stands at' };

/** Makes a clock, and opens its page. */
function NewClock() {
  const navigate = useNavigate();
  const place = usePlace();
  return (
    <Deed
      label="New test clock"
      operation="POST /v0/testClocks"
      fields={FIELDS}
      labels={LABELS}
      isPrimary
      done={({ id }) => void navigate({ to: place(`/clocks/${id}`) })}
    />
  );
}

/** Every test clock of the sandbox, newest first. */
export function Clocks() {
  return (
    <Page title="Test clocks" actions={<NewClock />}>
      <List
        operation="GET /v0/testClocks"
        file="test-clocks"
        rowKey={({ id }) => id}
        columns={[
          {
            name: 'Name',
            cell: ({ id, name }) => <Ref id={id} name={name ?? id} />,
            value: ({ name, id }) => name ?? id,
          },
          {
            name: 'Stands at',
            cell: ({ currentTime }) => <Moment at={currentTime} />,
            value: ({ currentTime }) => currentTime,
          },
          {
            name: 'State',
            cell: (clock) => <ClockState clock={clock} />,
            value: ({ advancingTo }) => advancingTo,
          },
          {
            name: 'Description',
            cell: ({ description }) => description ?? '—',
            value: ({ description }) => description,
          },
          { name: 'Made', cell: ({ createdAt }) => <Moment at={createdAt} />, value: ({ createdAt }) => createdAt },
        ]}
        empty={{
          text: 'A test clock has its own time. Subscriptions on it live through a year in a minute: make a clock, make a subscription on it, and advance the clock.',
          example: {
            method: 'POST',
            path: '/v0/testClocks',
            body: { name: 'A year', currentTime: '2026-01-01T00:00:00Z' },
          },
        }}
      />
    </Page>
  );
}
