import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import type { Invoice, Subscription, TestClock } from '../../api/types.ts';
import { usePlace } from '../../frame/places.ts';
import { Ref } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { Deed } from '../../shape/deed.tsx';
import { Table } from '../../shape/list.tsx';
import { Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { NewSubscription, SUBSCRIPTION_COLUMNS } from '../subscriptions/list.tsx';
import { Advance, ClockState } from './advance.tsx';
import { type Happening, nextOf, pastOf } from './happenings.ts';

/** How many things are shown of what was and of what comes. */
const SHOWN = 50;
/** While it moves, and while it stands: somebody else may move it. */
const EVERY = { moving: 1_000, standing: 5_000 };

/** One test clock: its time, what happened on it, what falls due next, and advancing it. */
export function ClockPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const goal = useRead('GET /v0/testClocks/{id}', { path: { id } }).data?.advancingTo;
  const every = goal ? EVERY.moving : EVERY.standing;
  const asked = useRead('GET /v0/testClocks/{id}', { path: { id } }, { every });
  return <Part of={asked}>{(clock) => <Clock clock={clock} />}</Part>;
}

function Clock({ clock }: { readonly clock: TestClock }) {
  const { id, currentTime, name, description } = clock;
  const asked = useBilled(clock);
  const { subscriptions, invoices } = asked.data ?? NOTHING;
  const next = nextOf(subscriptions, invoices, currentTime);
  return (
    <Page
      up={{ path: '/clocks', name: 'Test clocks' }}
      title={name ?? 'Test clock'}
      state={<ClockState clock={clock} />}
      about={
        <>
          {description && `${description} · `}
          <code>{id}</code>
        </>
      }
      actions={<Actions clock={clock} />}
    >
      <Advance clock={clock} next={next[0]} />
      <div className="columns even">
        <Happenings title="Due next" rows={next} empty="Nothing falls due on this clock." />
        <Happenings title="What happened" rows={pastOf(subscriptions, invoices, currentTime)} empty="Nothing yet." />
      </div>
      <Sheet
        title="Subscriptions on this clock"
        flush
        actions={<NewSubscription known={{ testClockId: id, startedAt: currentTime }} />}
      >
        <Part of={asked}>
          {() =>
            subscriptions.length === 0 ? (
              <p className="empty soft">None yet. A subscription is put on the clock when it is made.</p>
            ) : (
              <Table
                rows={subscriptions}
                rowKey={(row) => row.id}
                columns={[
                  SUBSCRIPTION_COLUMNS.name,
                  SUBSCRIPTION_COLUMNS.customer,
                  SUBSCRIPTION_COLUMNS.plan,
                  SUBSCRIPTION_COLUMNS.status,
                  SUBSCRIPTION_COLUMNS.since,
                ]}
              />
            )
          }
        </Part>
      </Sheet>
    </Page>
  );
}

const NOTHING: { readonly subscriptions: readonly Subscription[]; readonly invoices: readonly Invoice[] } = {
  subscriptions: [],
  invoices: [],
};

/**
 * The subscriptions on the clock and their invoices. They are read anew with each step of the clock and when it
 * stands: its time is there before the last things of that time are done.
 */
const useBilled = ({ id, currentTime, advancingTo, progress }: TestClock) =>
  useQuery({
    queryKey: ['billed on a clock', id, currentTime, advancingTo, progress?.steps],
    queryFn: async () => {
      const { data: subscriptions } = await call('GET /v0/subscriptions', { query: { testClockId: id, limit: 100 } });
      const lists = await Promise.all(
        subscriptions.map((each) => call('GET /v2/invoices', { query: { subscriptionId: each.id, limit: 100 } })),
      );
      return { subscriptions, invoices: lists.flatMap(({ data }) => data) };
    },
    placeholderData: (before) => before,
  });

function Happenings({
  title,
  rows,
  empty,
}: {
  readonly title: string;
  readonly rows: readonly Happening[];
  readonly empty: string;
}) {
  return (
    <Sheet title={title} flush>
      {rows.length === 0 ? (
        <p className="empty soft">{empty}</p>
      ) : (
        <div className="tall">
          <Table
            caption={title}
            rows={rows.slice(0, SHOWN)}
            rowKey={({ at, what, id }) => `${at} ${what} ${id}`}
            columns={[
              { name: 'When', cell: ({ at }) => <Moment at={at} /> },
              { name: 'What', cell: ({ what }) => what },
              { name: 'Of', cell: (row) => <Ref id={row.id} name={row.name} /> },
            ]}
          />
        </div>
      )}
    </Sheet>
  );
}

function Actions({ clock }: { readonly clock: TestClock }) {
  const { id } = clock;
  const navigate = useNavigate();
  const place = usePlace();
  return (
    <>
      <Deed
        label="Edit"
        verb="Save"
        operation="PATCH /v0/testClocks/{id}"
        path={{ id }}
        before={clock}
        fields={EDITED}
      />
      <Deed
        label="Delete"
        verb="Delete the clock"
        operation="DELETE /v0/testClocks/{id}"
        path={{ id }}
        effects={['While a subscription or an order on it has not ended, it stays, and the answer says which.']}
        undo="This cannot be undone."
        isDangerous
        done={() => void navigate({ to: place('/clocks') })}
      />
    </>
  );
}

const EDITED = ['name', 'description'];
