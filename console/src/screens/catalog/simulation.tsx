import { Button, TextInput } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { decimal, plain } from '../../../../src/kernel/decimal.ts';
import { call } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import type { Plan } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { Money } from '../../look/figures.tsx';
import { Table } from '../../shape/list.tsx';
import { Sheet } from '../../shape/page.tsx';
import { CustomerPicker } from '../../shape/picker.tsx';
import { Failed } from '../../shape/states.tsx';
import type { VersionChanges } from './version-changes.ts';

const CUSTOMERS = 3;

/** The last month that has ended, by its UTC days. */
function lastMonth(): { readonly from: string; readonly to: string } {
  const now = new Date();
  const first = (back: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 10);
  return { from: first(1), to: first(0) };
}

interface SimulationProps {
  readonly plan: Plan;
  readonly changes: VersionChanges;
}

/** What customers would have paid for their usage of a past time, with the prices today and with the new ones. */
export function Simulation({ plan, changes }: SimulationProps) {
  const [span, setSpan] = useState(lastMonth);
  const [picked, setPicked] = useState<readonly (string | null)[]>([]);
  const [isAsked, setAsked] = useState(false);
  const subscribers = useRead('GET /v0/subscriptions', { query: { planId: plan.id, limit: 20 } });
  const first = [...new Set((subscribers.data?.data ?? []).map(({ customerId }) => customerId))];
  const chosen = Array.from({ length: CUSTOMERS }, (_, index) =>
    index in picked ? (picked[index] ?? null) : (first[index] ?? null),
  );
  const choose = (at: number, id: string | null) => setPicked(chosen.map((each, index) => (index === at ? id : each)));
  const isPartly = changes.add.length + changes.remove.length > 0;
  return (
    <Sheet title="What customers would have paid">
      <div className="stack">
        {changes.replace.length === 0 ? (
          <p className="soft">
            {isPartly
              ? 'A simulation tries changed prices. New and removed prices show their effect once the version is published.'
              : 'Change a price: then this shows what three customers would have paid with it.'}
          </p>
        ) : (
          <>
            <div className="pair">
              {chosen.map((id, index) => (
                <CustomerPicker
                  // biome-ignore lint/suspicious/noArrayIndexKey: a place for a customer
                  key={index}
                  label={`Customer ${index + 1}`}
                  value={id}
                  onChange={(value) => choose(index, value)}
                />
              ))}
              <TextInput
                label="From (UTC day)"
                type="date"
                value={span.from}
                onChange={({ target }) => setSpan({ ...span, from: target.value })}
              />
              <TextInput
                label="Before (UTC day)"
                type="date"
                value={span.to}
                onChange={({ target }) => setSpan({ ...span, to: target.value })}
              />
            </div>
            {isAsked ? (
              <Results
                plan={plan}
                changes={changes}
                span={span}
                customers={[...new Set(chosen.filter((id) => id !== null))]}
              />
            ) : (
              <span>
                <Button onClick={() => setAsked(true)}>Calculate</Button>
              </span>
            )}
            {isPartly && <p className="soft fine">New and removed prices are not in these figures.</p>}
          </>
        )}
      </div>
    </Sheet>
  );
}

interface ResultsProps extends SimulationProps {
  readonly span: { readonly from: string; readonly to: string };
  readonly customers: readonly string[];
}

function Results({ plan, changes, span, customers }: ResultsProps) {
  const asked = useQueries({
    queries: customers.flatMap((customerId) =>
      [[], changes.replace].map((replacePrices) => ({
        queryKey: ['simulation', plan.id, customerId, span, replacePrices],
        queryFn: () =>
          call('POST /v0/plans/{id}/simulate', {
            path: { id: plan.id },
            body: {
              customerId,
              from: `${span.from}T00:00:00Z`,
              to: `${span.to}T00:00:00Z`,
              ...(replacePrices.length > 0 && { replacePrices: [...replacePrices] }),
            },
          }),
      })),
    ),
  });
  const failed = asked.find(({ error }) => error !== null);
  if (failed) return <Failed error={failed.error} reset={() => void failed.refetch()} />;
  const rows = customers.map((customerId, index) => {
    const today = asked[2 * index]?.data?.subtotal;
    const then = asked[2 * index + 1]?.data?.subtotal;
    const difference = today && then ? decimal(then).minus(decimal(today)) : null;
    return { customerId, today, then, difference };
  });
  const money = (value: string | undefined) => <Money value={value} currency={plan.currency} />;
  return (
    <Table
      caption="What each customer would have paid, before tax"
      rows={rows}
      rowKey={({ customerId }) => customerId}
      columns={[
        { name: 'Customer', cell: ({ customerId }) => <Ref id={customerId} /> },
        { name: 'With the prices today', cell: ({ today }) => money(today), isFigure: true },
        { name: 'With the new prices', cell: ({ then }) => money(then), isFigure: true },
        {
          name: 'Difference (before tax)',
          cell: ({ difference }) =>
            difference === null ? (
              '—'
            ) : (
              <>
                {difference.gt(0) ? '+' : ''}
                {money(plain(difference))}
              </>
            ),
          isFigure: true,
        },
      ]}
    />
  );
}
