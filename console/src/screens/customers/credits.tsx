import type { Customer } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { Day, Money, moneyText } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { List } from '../../shape/list.tsx';

/** Money before tax that pays lines of the customer's invoices: what is left of each credit, and how long it holds. */
export function BillingCredits({ customer: { id, currency } }: { readonly customer: Customer }) {
  const path = { id };
  return (
    <div className="stack">
      <div className="row">
        <Deed
          label="Give a billing credit"
          operation="POST /v0/customers/{id}/billingCredits"
          path={path}
          fields={['name', 'amount', 'currency', 'category', 'effectiveAt', 'expiresAt', 'priority', 'subscriptionId']}
          initial={{ currency: currency ?? '' }}
          fixed={{ idempotencyKey: crypto.randomUUID() }}
          effects={['Invoices that are calculated from now on use it, before tax.']}
          undo="What is left of it can be voided."
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
            cell: ({ name, category, subscriptionId }) => (
              <span>
                {name}
                <span className="soft fine block">
                  {wordsOf(category)}
                  {subscriptionId && (
                    <>
                      , for <Ref id={subscriptionId} />
                    </>
                  )}
                </span>
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
    </div>
  );
}

const FIGURES = { amount: 'Amount', usedAmount: 'Used', pendingAmount: 'Pending', remaining: 'Left' } as const;
