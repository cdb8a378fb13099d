import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import type { BillableMetric } from '../../api/types.ts';
import { Deed } from '../../shape/deed.tsx';
import { CustomerPicker, MetricPicker } from '../../shape/picker.tsx';

/** Data that the metric counts: a value and its dimensions where it reads them. */
function dataFor({ aggregation, valueProperty, groupBy }: BillableMetric): object {
  const data: Record<string, unknown> = {};
  const put = (path: string, value: unknown) => {
    const names = path.replace(/^\$\.?/, '').split('.');
    const last = names.pop() as string;
    let part = data;
    for (const name of names) {
      part[name] ??= {};
      part = part[name] as Record<string, unknown>;
    }
    part[last] = value;
  };
  for (const path of Object.values(groupBy ?? {})) put(path, 'example');
  if (valueProperty) put(valueProperty, aggregation === 'UNIQUE_COUNT' ? 'example-1' : 1);
  return data;
}

const FIELDS = ['type', 'externalSubject', 'data'];
const MORE = ['subject', 'timestamp', 'externalId'];
const LABELS = {
  subject: 'Customer or subscription, by its id',
  externalSubject: 'Or a customer by your own id',
  externalId: 'Your own id of the event',
};

/** Sends an event by hand, in the sandbox. */
export function TestEvent() {
  const { data: session } = useSession();
  const [metricId, setMetric] = useState<string | null>(null);
  const [customerId, setCustomer] = useState<string | null>(null);
  const isSandbox = session?.environment === 'sandbox';
  const { data: metrics } = useRead('GET /v0/billableMetrics', { query: { limit: 100 } }, { enabled: isSandbox });
  if (!isSandbox) return null;
  const metric = metrics?.data.find(({ id }) => id === metricId) ?? metrics?.data[0];
  return (
    <Deed
      label="Send a test event"
      verb="Send"
      isPrimary
      operation="POST /v0/events"
      fields={FIELDS}
      more={MORE}
      labels={LABELS}
      fixed={{ source: 'console' }}
      initial={{
        ...(metric?.eventType && { type: metric.eventType, data: JSON.stringify(dataFor(metric), null, 2) }),
        ...(customerId !== null && { subject: customerId }),
      }}
      choose={
        <div className="columns even">
          <MetricPicker label="An event that this metric counts" value={metric?.id ?? null} onChange={setMetric} />
          <CustomerPicker label="Customer" value={customerId} onChange={setCustomer} />
        </div>
      }
    />
  );
}
