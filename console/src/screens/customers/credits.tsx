import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ApiError } from '../../api/errors.ts';
import { useRead, useTagged } from '../../api/queries.ts';
import type { CreditTopUp, Customer } from '../../api/types.ts';
import { usePlace } from '../../frame/places.ts';
import { Ref } from '../../frame/to.tsx';
import { Day, Money, moneyText } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { durationWords, wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { Input, type InputProps } from '../../shape/fields.tsx';
import { List } from '../../shape/list.tsx';
import { Facts, Figure, Sheet } from '../../shape/page.tsx';
import { pickerOf } from '../../shape/picker.tsx';
import { Part } from '../../shape/states.tsx';
import { textOf } from '../../shape/values.ts';
import { Commitments, chargesOf } from '../subscriptions/commercial.tsx';

/** Money before tax that pays lines of the customer's invoices: what is left of each credit, and how long it holds. */
export function BillingCredits({ customer }: { readonly customer: Customer }) {
  const { id, currency } = customer;
  const path = { id };
  const navigate = useNavigate();
  const place = usePlace();
  const inputs = useMemo(() => ({ subscriptionId: subscriptionOf(id) }), [id]);
  return (
    <div className="stack">
      {currency && <Balance id={id} currency={currency} />}
      <div className="row">
        <Deed
          label="Give a billing credit"
          operation="POST /v0/customers/{id}/billingCredits"
          path={path}
          fields={['name', 'amount', 'currency', 'category', 'effectiveAt', 'expiresAt']}
          more={['priority', 'subscriptionId', 'appliesTo.*', 'metadata']}
          labels={LABELS}
          inputs={inputs}
          initial={{ currency: currency ?? '', category: 'promotional' }}
          fixed={{ idempotencyKey: crypto.randomUUID() }}
          effects={['Invoices that are calculated from now on use it, before tax.']}
          undo="What is left of it can be voided."
        />
        <Deed
          label="Sell a billing credit"
          operation="POST /v0/customers/{id}/billingCredits/purchase"
          path={path}
          fields={['amount', 'price', 'currency', 'expiresAt']}
          more={['testClockId']}
          labels={LABELS}
          initial={{ currency: currency ?? '' }}
          fixed={{ idempotencyKey: crypto.randomUUID() }}
          effects={['The customer has the credit once the invoice is paid.']}
          without={/transaction/}
          done={({ invoiceId }) => void navigate({ to: place(`/invoices/${invoiceId}`) })}
        />
      </div>
      <List
        operation="GET /v0/customers/{id}/billingCredits"
        path={path}
        file={`billing-credits-${id}`}
        rowKey={(row) => row.id}
        columns={[
          {
            name: 'Name',
            cell: ({ name, category, source, invoiceId, subscriptionId, appliesTo }) => (
              <span>
                {name}
                <span className="soft fine block">
                  {wordsOf(category)}
                  {SOURCES[source]} {invoiceId && <Ref id={invoiceId} />}
                  {subscriptionId && (
                    <>
                      {' '}
                      for <Ref id={subscriptionId} />
                    </>
                  )}
                </span>
                <span className="soft fine block">{chargesOf(appliesTo)}</span>
              </span>
            ),
            value: ({ name }) => name,
          },
          { name: 'Category', cell: () => null, value: ({ category }) => category, isInFileAlone: true },
          { name: 'For', cell: () => null, value: ({ subscriptionId }) => subscriptionId, isInFileAlone: true },
          { name: 'Status', cell: ({ status }) => <Status of={status} />, value: ({ status }) => status },
          {
            name: 'From',
            cell: ({ effectiveAt }) => <Day at={effectiveAt} />,
            value: ({ effectiveAt }) => effectiveAt,
          },
          {
            name: 'Until',
            cell: ({ voidedAt, expiresAt }) => <Day at={voidedAt ?? expiresAt} />,
            value: ({ voidedAt, expiresAt }) => voidedAt ?? expiresAt,
          },
          ...(['amount', 'usedAmount', 'pendingAmount', 'remaining'] as const).map((figure) => ({
            name: FIGURES[figure],
            cell: (row: Record<typeof figure | 'currency', string>) => (
              <Money value={row[figure]} currency={row.currency} />
            ),
            value: (row: Record<typeof figure, string>) => row[figure],
            isFigure: true,
          })),
          {
            name: '',
            cell: (row) =>
              row.status === 'active' || row.status === 'scheduled' ? (
                <Deed
                  label="Void"
                  verb="Void the billing credit"
                  operation="POST /v0/billingCredits/{id}/void"
                  path={{ id: row.id }}
                  facts={[
                    ['Billing credit', row.name],
                    ['Left', moneyText(row.remaining, row.currency)],
                  ]}
                  effects={[]}
                  undo="This cannot be undone."
                  isDangerous
                />
              ) : null,
          },
        ]}
        empty={{ text: 'A billing credit pays lines of invoices before tax: of a campaign, or for a mistake of ours.' }}
        isPart
      />
      <TopUp customer={customer} />
      <Commitments customerId={id} currency={currency} />
    </div>
  );
}

const LABELS = {
  effectiveAt: 'From',
  subscriptionId: 'Subscription',
  expiresAt: 'Until',
  expiresAfter: 'Each lasts',
  maximumPerMonth: 'At most in a month',
};
const SOURCES = { manual: '', purchase: ', bought', commitment: ', of a commitment', top_up: ', bought by the top-up' };

/** Chooses one of the customer's subscriptions. */
function subscriptionOf(customerId: string) {
  const Picker = pickerOf('GET /v0/subscriptions', undefined, { customerId });
  return (props: InputProps) => <Input {...props} picker={Picker} />;
}

/** What all credits of a customer come to. */
function Balance({ id, currency }: { readonly id: string; readonly currency: string }) {
  const asked = useRead('GET /v0/customers/{id}/billingCredits/balance', { path: { id }, query: { currency } });
  return (
    <Part of={asked} lines={2}>
      {(balance) => (
        <div className="tiles">
          {(['available', 'granted', 'used', 'pending', 'expired'] as const).map((figure) => (
            <Figure key={figure} label={wordsOf(figure)}>
              <Money value={balance[figure]} currency={currency} />
            </Figure>
          ))}
        </div>
      )}
    </Part>
  );
}

/** Buys credits by the stored card when few are left. */
function TopUp({ customer: { id, currency } }: { readonly customer: Customer }) {
  const asked = useTagged('GET /v0/customers/{id}/creditTopUp', { path: { id } });
  const isAbsent = asked.error instanceof ApiError && asked.error.status === 404;
  const topUp = isAbsent ? null : asked.data?.value;
  return (
    <Sheet
      title="Automatic top-up"
      actions={
        topUp !== undefined && (
          <>
            <SetTopUp id={id} topUp={topUp} etag={isAbsent ? undefined : asked.data?.etag} currency={currency} />
            {topUp && (
              <Deed
                label="End"
                verb="End the top-up"
                operation="DELETE /v0/customers/{id}/creditTopUp"
                path={{ id }}
                effects={[]}
                isDangerous
              />
            )}
          </>
        )
      }
    >
      <Part of={{ ...asked, data: topUp }}>
        {(found) =>
          found === null ? (
            <p className="soft">None: no credit is bought by itself.</p>
          ) : (
            <div className="stack">
              {found.status === 'paused' && (
                <p className="note warn">
                  It is paused, because {found.declines} charges in a row were declined. Set it again when the card
                  works.
                </p>
              )}
              <Facts
                of={[
                  ['Status', <Status key="status" of={found.status} />],
                  ['Buys', <Money key="amount" value={found.amount} currency={found.currency} />],
                  ['Below', <Money key="threshold" value={found.threshold} currency={found.currency} />],
                  ['Each lasts', found.expiresAfter && durationWords(found.expiresAfter)],
                  ['At most in a month', found.maximumPerMonth],
                ]}
              />
            </div>
          )
        }
      </Part>
    </Sheet>
  );
}

interface SetProps {
  readonly id: string;
  readonly topUp: CreditTopUp | null;
  readonly etag: string | undefined;
  readonly currency: string | null | undefined;
}

/** Sets the top-up as a whole; the form begins with what holds now. */
function SetTopUp({ id, topUp, etag, currency }: SetProps) {
  const { threshold, amount, expiresAfter, maximumPerMonth } = topUp ?? {};
  return (
    <Deed
      label={topUp ? 'Change the top-up' : 'Set a top-up'}
      verb="Set the top-up"
      operation="PUT /v0/customers/{id}/creditTopUp"
      path={{ id }}
      etag={etag}
      fields={['threshold', 'amount', 'currency', 'expiresAfter', 'maximumPerMonth']}
      more={['testClockId']}
      labels={LABELS}
      initial={{
        ...{ threshold, amount, expiresAfter, currency: topUp?.currency ?? currency ?? '' },
        maximumPerMonth: textOf(maximumPerMonth),
      }}
      effects={[]}
    />
  );
}

const FIGURES = { amount: 'Amount', usedAmount: 'Used', pendingAmount: 'Pending', remaining: 'Left' } as const;
