import { useState } from 'react';
import { useRead, useTagged } from '../../api/queries.ts';
import type { Customer, ListedEventList } from '../../api/types.ts';
import { quantityText } from '../../look/figures.tsx';
import { Deed } from '../../shape/deed.tsx';
import { CustomerPicker } from '../../shape/picker.tsx';

const NO_FIELDS: readonly string[] = [];
/** Before any event: a list by `status` without a time has those of the last seven days alone. */
const EVER = '2000-01-01T00:00:00Z';

/** Gives a customer the id that events name, so that they count. */
export function LinkToCustomer({ externalId }: { readonly externalId: string }) {
  const [customerId, setCustomer] = useState<string | null>(null);
  const enabled = customerId !== null;
  const customer = useTagged('GET /v0/customers/{id}', { path: { id: customerId ?? '' } }, { enabled });
  const query = { externalSubject: externalId, status: 'unmatched', from: EVER, limit: 100 } as const;
  const events = useRead('GET /v0/events', { query }, { enabled });
  const metrics = useRead('GET /v0/billableMetrics', { query: { limit: 100 } }, { enabled });
  const isChosen = Boolean(customer.data && events.data && metrics.data);
  return (
    <Deed
      label="Link to a customer"
      verb="Link"
      operation="PATCH /v0/customers/{id}"
      path={{ id: customerId ?? '' }}
      etag={customer.data?.etag}
      fields={NO_FIELDS}
      fixed={{ externalId }}
      facts={[['Id in the events', <code key="id">{externalId}</code>]]}
      choose={<CustomerPicker label="Customer" required value={customerId} onChange={setCustomer} />}
      isChosen={isChosen}
      effects={[
        ...(events.data ? counting(events.data, new Set(metrics.data?.data.map(({ eventType }) => eventType))) : []),
        ...(customer.data ? changing(customer.data.value, externalId) : []),
      ]}
      undo="The customer can get another id later. The events that are linked now stay with it."
      done={() => setCustomer(null)}
    />
  );
}

const events = (count: number): string => (count === 1 ? '1 event' : `${quantityText(count)} events`);

/** How many events will count, from the types that metrics count. */
function counting({ data, pagination }: ListedEventList, types: ReadonlySet<string | null>): readonly string[] {
  const billed = 'An event is billed if its period is still open.';
  if (pagination.total > data.length)
    return [
      `${events(pagination.total)} wait for this id. Those of a type that a metric counts will count at once.`,
      billed,
    ];
  const waiting = data.filter(({ reason }) => reason === 'UNKNOWN_SUBJECT');
  const others = waiting.filter(({ type }) => !types.has(type));
  const names = [...new Set(others.map(({ type }) => type))].join(', ');
  return [
    `${events(waiting.length - others.length)} will count at once. ${billed}`,
    ...(others.length > 0 ? [`${events(others.length)} will not count: no metric counts the type ${names}.`] : []),
  ];
}

/** What becomes of the id that the customer has already. */
function changing({ externalId, organization }: Customer, next: string): readonly string[] {
  if (!externalId) return [`${organization.name} gets the id ${next}. New events with it count for this customer.`];
  return [
    `${organization.name} has the id ${externalId} now, and loses it. Its events until now stay with it.`,
    `New events with the id ${externalId} wait until a customer has that id. Change the system that sends them first.`,
  ];
}
