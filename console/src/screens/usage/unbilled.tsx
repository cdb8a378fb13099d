import { useQuery } from '@tanstack/react-query';
import { call, type Query } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import type { ListedEvent } from '../../api/types.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Moment, Quantity, quantityText } from '../../look/figures.tsx';
import { groupText } from '../../look/words.ts';
import { Page } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { TableSheet } from '../../shape/table-sheet.tsx';
import { LinkToCustomer } from './link.tsx';
import { DaysField, instantsOf, useDays } from './range.tsx';
import { reasonTodo, reasonWords } from './reasons.ts';

/** Usage that no invoice has: ids that nobody has, and every other reason with what to do about it. */
export function Unbilled() {
  return (
    <Page
      title="Unbilled usage"
      about="Usage in open periods counts as billed here, so you see today what the next invoices will leave out."
    >
      <div className="sheet flush">
        <div className="filters">
          <DaysField />
        </div>
      </div>
      <UnknownIds />
      <Reasons />
    </Page>
  );
}

const MOST_READ = 1_000;

interface UnknownId {
  readonly id: string;
  /** An id of your own, which a customer can get; else the event names an id of ours that does not exist. */
  readonly isOwn: boolean;
  readonly events: readonly ListedEvent[];
}

/** The newest events of nobody, by the id that they name; most events first. */
function useUnknownIds() {
  const range = instantsOf(useDays());
  return useQuery({
    queryKey: ['events of nobody', range],
    queryFn: async ({ signal }) => {
      const found = new Map<string, ListedEvent[]>();
      let [read, total, after]: [number, number, string | undefined] = [0, 0, undefined];
      do {
        const query: Query<'GET /v0/events'> = { ...range, status: 'unmatched', limit: 100, ...(after && { after }) };
        const { data, pagination } = await call('GET /v0/events', { query, signal });
        [read, total, after] = [read + data.length, pagination.total, pagination.nextAfter ?? undefined];
        for (const event of data) {
          const id = event.externalSubject ?? event.sentSubject;
          if (event.reason === 'UNKNOWN_SUBJECT' && id) found.set(id, [...(found.get(id) ?? []), event]);
        }
      } while (after && read < Math.min(total, MOST_READ));
      const ids = [...found].map(
        ([id, events]): UnknownId => ({ id, isOwn: Boolean(events[0]?.externalSubject), events }),
      );
      return { ids: ids.toSorted((a, b) => b.events.length - a.events.length), isAll: read >= total };
    },
  });
}

const typesOf = ({ events }: UnknownId): string => [...new Set(events.map(({ type }) => type))].join(', ');
const timesOf = ({ events }: UnknownId): readonly string[] => events.map(({ timestamp }) => timestamp).toSorted();

function UnknownIds() {
  const asked = useUnknownIds();
  return (
    <Part of={asked}>
      {({ ids, isAll }) => (
        <TableSheet
          title="Ids that no customer has"
          file="unknown-ids"
          rows={ids}
          rowKey={({ id }) => id}
          empty="Every event of these days names a customer or a subscription that exists."
          columns={[
            {
              name: 'Id in the events',
              cell: ({ id, isOwn }) => (
                <To
                  path={`/usage/events?status=unmatched&${isOwn ? 'externalSubject' : 'subject'}=${encodeURIComponent(id)}`}
                >
                  {id}
                </To>
              ),
              value: ({ id }) => id,
            },
            {
              name: 'Events',
              cell: ({ events }) => <Quantity value={events.length} />,
              value: ({ events }) => events.length,
              isFigure: true,
            },
            { name: 'Types', cell: (row) => <code>{typesOf(row)}</code>, value: typesOf },
            { name: 'First', cell: (row) => <Moment at={timesOf(row)[0]} />, value: (row) => timesOf(row)[0] },
            { name: 'Last', cell: (row) => <Moment at={timesOf(row).at(-1)} />, value: (row) => timesOf(row).at(-1) },
            {
              name: 'What to do',
              cell: ({ id, isOwn }) =>
                isOwn ? (
                  <LinkToCustomer externalId={id} />
                ) : (
                  'No customer or subscription has this id. Send the events again with the right one.'
                ),
            },
          ]}
        >
          {!isAll && (
            <p className="foot soft fine">
              From the newest {quantityText(MOST_READ)} unmatched events of these days. Choose fewer days to see earlier
              ones.
            </p>
          )}
        </TableSheet>
      )}
    </Part>
  );
}

const MOST_GROUPS = 100;
/** Reasons that a list of unmatched events has. */
const UNMATCHED = new Set(['UNKNOWN_SUBJECT', 'UNKNOWN_TYPE', 'BEFORE_EVENT_FROM', 'NO_VALUE']);

function Reasons() {
  const range = instantsOf(useDays());
  const asked = useRead('GET /v0/usage/unbilled', { query: { ...range, limit: MOST_GROUPS } }, { keeps: true });
  return (
    <Part of={asked}>
      {({ groups, pagination }) => (
        <TableSheet
          title="By reason"
          file="unbilled-usage"
          rows={groups}
          rowKey={({ reason, billableMetricId, eventType, group }) =>
            [reason, billableMetricId, eventType, groupText(group)].join(' ')
          }
          empty="All usage of these days is on an invoice, or will be."
          columns={[
            {
              name: 'Reason',
              cell: ({ reason }) =>
                reason && (
                  <div>
                    {reasonWords(reason)}
                    <span className="soft fine block">{reasonTodo(reason)}</span>
                  </div>
                ),
              value: ({ reason }) => reason,
            },
            {
              name: 'Metric',
              cell: ({ billableMetricId, metricName, eventType, group }) => (
                <div>
                  {billableMetricId ? (
                    <Ref id={billableMetricId} name={metricName} />
                  ) : (
                    <code className="figure">{eventType}</code>
                  )}
                  {group && <span className="soft fine block">{groupText(group)}</span>}
                </div>
              ),
              value: ({ metricName }) => metricName,
            },
            {
              name: 'Events',
              cell: ({ reason, eventType, eventCount }) => (
                <To
                  path={`/usage/events?${new URLSearchParams({
                    ...range,
                    ...(eventType && { type: eventType }),
                    status: reason && UNMATCHED.has(reason) ? 'unmatched' : 'matched',
                  })}`}
                >
                  <Quantity value={eventCount} />
                </To>
              ),
              value: ({ eventCount }) => eventCount,
              isFigure: true,
            },
            {
              name: 'Quantity',
              cell: ({ quantity }) => <Quantity value={quantity} />,
              value: ({ quantity }) => quantity,
              isFigure: true,
            },
            { name: 'First', cell: ({ firstAt }) => <Moment at={firstAt} />, value: ({ firstAt }) => firstAt },
            { name: 'Last', cell: ({ lastAt }) => <Moment at={lastAt} />, value: ({ lastAt }) => lastAt },
            {
              name: 'Why',
              cell: ({ examples }) => (
                <span className="figure">{examples[0] && <Ref id={examples[0]} name="Example" />}</span>
              ),
              value: ({ examples }) => examples.join(' '),
            },
          ]}
        >
          {pagination.total > groups.length && (
            <p className="foot soft fine">
              The {quantityText(groups.length)} groups with the most events, of {quantityText(pagination.total)}.
            </p>
          )}
        </TableSheet>
      )}
    </Part>
  );
}
