import { Button } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import type { Overview } from '../../api/types.ts';
import { To } from '../../frame/to.tsx';
import { Moment, Money, Quantity, quantityText } from '../../look/figures.tsx';
import { Shape } from '../../look/status.tsx';
import { wordsOf } from '../../look/words.ts';
import { Chart } from '../../shape/chart.tsx';
import { Curl } from '../../shape/curl.tsx';
import { Table } from '../../shape/list.tsx';
import { Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';

const REFRESH_MILLISECONDS = 30_000;

/** What a merchant has and what needs a person; each figure opens the list with the same records. */
export function Home() {
  const asked = useRead('GET /v0/overview', {}, { every: REFRESH_MILLISECONDS });
  return (
    <Page title="Home">
      <Part of={asked}>
        {(overview) => (
          <>
            {overview.checklist.some(({ done }) => !done) && <Checklist steps={overview.checklist} />}
            <div className="tiles halves">
              <Sums label="Unpaid" path="/invoices?unpaid=true" of={overview.unpaid} />
              <Sums label="Overdue" path="/invoices?overdue=true" of={overview.overdue} />
              <Sums label="Payment failed" path="/invoices?status=PAYMENT_FAILED" of={overview.failedPayments} />
              <Tile label="Active subscriptions" path="/subscriptions?status=active">
                <Quantity value={overview.subscriptions.active} />
              </Tile>
            </div>
            <NeedsYou overview={overview} />
            <div className="columns even">
              <Revenue of={overview.revenue} />
              <Events of={overview.events} />
            </div>
          </>
        )}
      </Part>
    </Page>
  );
}

interface TileProps {
  readonly label: string;
  readonly path: string;
  readonly children: ReactNode;
}

const Tile = ({ label, path, children }: TileProps) => (
  <To path={path} className="tile">
    <div className="label">{label}</div>
    <div className="value">{children}</div>
  </To>
);

function Sums({ label, path, of }: { readonly label: string; readonly path: string; readonly of: Overview['unpaid'] }) {
  const count = of.reduce((sum, each) => sum + each.count, 0);
  return (
    <Tile label={`${label} (${quantityText(count)})`} path={path}>
      {of.length === 0
        ? '0'
        : of.map(({ currency, amount }) => (
            <span key={currency} className="block">
              <Money value={amount} currency={currency} />
            </span>
          ))}
    </Tile>
  );
}

/** What waits for a person; where nothing does, it says so. */
function NeedsYou({ overview }: { readonly overview: Overview }) {
  const { invoices, webhookEndpoints, mails, subscriptions, parkedJobs } = overview;
  const parked = parkedJobs.reduce((sum, { count }) => sum + count, 0);
  const waiting = (
    [
      [invoices.draft, 'invoices wait for approval', '/invoices?status=DRAFT'],
      [invoices.failed, 'invoices whose calculation failed', '/invoices?status=FAILED'],
      [
        subscriptions.pendingPayment,
        'subscriptions wait for their first payment',
        '/subscriptions?status=pending_payment',
      ],
      [subscriptions.ending, 'subscriptions will end', '/subscriptions?ending=true'],
      [webhookEndpoints.failing, 'webhook endpoints are failing', '/developers/webhooks'],
      [webhookEndpoints.disabled, 'webhook endpoints were disabled', '/developers/webhooks?status=disabled'],
      [mails.failed, 'mails could not be sent', '/developers/mails?status=failed'],
    ] as const
  ).filter(([count]) => count > 0);
  return (
    <Sheet title="Needs you">
      {waiting.length === 0 && parked === 0 ? (
        <p className="soft">Nothing waits for a person.</p>
      ) : (
        <ul className="checklist">
          {waiting.map(([count, words, path]) => (
            <li key={path}>
              <To path={path}>
                {quantityText(count)} {words}
              </To>
            </li>
          ))}
          {parked > 0 && (
            <li className="bad">
              {quantityText(parked)} background jobs gave up: {parkedJobs.map(({ kind }) => wordsOf(kind)).join(', ')}.
              The log of the program says why.
            </li>
          )}
        </ul>
      )}
    </Sheet>
  );
}

function Revenue({ of }: { readonly of: Overview['revenue'] }) {
  const [chosen, choose] = useState<string | null>(null);
  const shown = of.find(({ currency }) => currency === chosen) ?? of[0];
  return (
    <Sheet
      title="Net revenue by month"
      actions={
        of.length > 1 &&
        of.map(({ currency }) => (
          <Button
            key={currency}
            variant={currency === shown?.currency ? 'filled' : 'default'}
            aria-pressed={currency === shown?.currency}
            onClick={() => choose(currency)}
          >
            {currency}
          </Button>
        ))
      }
    >
      {shown === undefined ? (
        <p className="soft">No revenue yet: it counts when an invoice is issued.</p>
      ) : (
        <Bars
          label={`Net revenue by month, ${shown.currency}`}
          name={shown.currency}
          rows={shown.months.map(({ month, netRevenue }) => ({ at: month, value: netRevenue }))}
          words={({ at }) => at.slice(0, 7)}
          figure={({ value }) => <Money value={value} currency={shown.currency} />}
        />
      )}
    </Sheet>
  );
}

function Events({ of }: { readonly of: Overview['events'] }) {
  return (
    <Sheet title="Usage events by day">
      {of.every(({ count }) => count === 0) ? (
        <p className="soft">No event in the last 30 days.</p>
      ) : (
        <Bars
          label="Usage events by day"
          name="Events"
          rows={of.map(({ day, count }) => ({ at: day, value: String(count) }))}
          words={({ at }) => <To path={`/usage/events?from=${at}T00:00:00.000Z`}>{at}</To>}
          figure={({ value }) => <Quantity value={value} />}
        />
      )}
    </Sheet>
  );
}

interface Bar {
  readonly at: string;
  readonly value: string;
}

interface BarsProps {
  readonly label: string;
  readonly name: string;
  readonly rows: readonly Bar[];
  readonly words: (row: Bar) => ReactNode;
  readonly figure: (row: Bar) => ReactNode;
}

/** A figure over time, as a chart and as a table. */
function Bars({ label, name, rows, words, figure }: BarsProps) {
  const series = useMemo(
    () => [{ name, points: rows.map(({ at, value }) => [Date.parse(at), Number(value)] as const) }],
    [name, rows],
  );
  return (
    <>
      <Chart label={label} kind="bars" xKind="day" series={series} />
      <details>
        <summary>As a table</summary>
        <Table
          caption={label}
          rows={rows}
          rowKey={({ at }) => at}
          columns={[
            { name: 'From', cell: words },
            { name, cell: figure, isFigure: true },
          ]}
        />
      </details>
    </>
  );
}

/** What each step is, where it is done, and how by a call. */
const STEPS: Readonly<Record<Overview['checklist'][number]['step'], readonly [words: string, path: string]>> = {
  eventReceived: ['Send a usage event', '/usage/events'],
  eventPriced: ['See it priced on an invoice', '/invoices'],
  clockAdvanced: ['Advance a test clock by a month', '/clocks'],
  invoicePaid: ['Have an invoice paid', '/invoices?unpaid=true'],
  webhookDelivered: ['Receive a webhook', '/developers/webhooks'],
};

const FIRST_EVENT = {
  method: 'POST',
  path: '/v0/events',
  body: { type: 'api.called', source: 'my-app', externalSubject: 'workspace-1', data: { calls: 1 } },
};

/** The first steps of a new merchant; real activity ticks them. */
function Checklist({ steps }: { readonly steps: Overview['checklist'] }) {
  const done = steps.filter((each) => each.done).length;
  return (
    <Sheet title={`First steps: ${done} of ${steps.length}`}>
      <ol className="checklist">
        {steps.map(({ step, done: isDone, at }) => (
          <li key={step} className="row">
            <Shape tone={isDone ? 'good' : 'calm'} />
            <span className="visually-hidden">{isDone ? 'Done:' : 'To do:'}</span>
            <To path={STEPS[step][1]}>{STEPS[step][0]}</To>
            {at && (
              <span className="soft fine">
                <Moment at={at} />
              </span>
            )}
          </li>
        ))}
      </ol>
      {steps.some(({ step, done: isDone }) => step === 'eventReceived' && !isDone) && (
        <div className="empty">
          <span>The first step as a call; make an API key under API keys.</span>
          <Curl {...FIRST_EVENT} />
        </div>
      )}
    </Sheet>
  );
}
