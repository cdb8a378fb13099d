import { useRead } from '../../api/queries.ts';
import type { Subscription } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { Day, Money, moneyText, Period, quantityText } from '../../look/figures.tsx';
import { statusWords } from '../../look/status.tsx';
import { Deed } from '../../shape/deed.tsx';
import { Table } from '../../shape/list.tsx';
import { Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';

/** The coupons that a subscription has redeemed: less for service that begins in a window. */
export function Coupons({ subscription: { id, status } }: { readonly subscription: Subscription }) {
  const asked = useRead('GET /v0/subscriptions/{id}/coupons', { path: { id } });
  return (
    <Sheet
      title="Coupons"
      flush
      actions={
        status !== 'terminated' && (
          <Deed
            label="Redeem a coupon"
            verb="Redeem"
            operation="POST /v0/subscriptions/{id}/coupons"
            path={{ id }}
            fields={['code', 'couponId', 'from']}
            effects={[]}
            undo="It can be ended; what it gave stays."
          />
        )
      }
    >
      <Part of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="empty soft">None.</p>
          ) : (
            <Table
              rows={data}
              rowKey={(row) => row.id}
              columns={[
                { name: 'Coupon', cell: ({ couponId }) => <Ref id={couponId} /> },
                { name: 'From', cell: ({ from }) => <Day at={from} /> },
                { name: 'Until', cell: ({ until }) => <Day at={until} /> },
                {
                  name: 'Given',
                  cell: ({ totalDiscount, currency }) => <Money value={totalDiscount} currency={currency} />,
                  isFigure: true,
                },
                {
                  name: '',
                  cell: (row) => (
                    <Deed
                      label="End"
                      verb="End the coupon"
                      operation="DELETE /v0/subscriptions/{id}/coupons/{redemptionId}"
                      path={{ id, redemptionId: row.id }}
                      facts={[['Given', moneyText(row.totalDiscount, row.currency)]]}
                      effects={['It gives nothing for service that begins from now on.']}
                      isDangerous
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Part>
    </Sheet>
  );
}

/** What the customer promised to spend over a term: a row for each segment. None is shown where there is none. */
export function Commitments({ subscription: { id } }: { readonly subscription: Subscription }) {
  const asked = useRead('GET /v0/commitments', { query: { subscriptionId: id, limit: 50 } });
  if (asked.error)
    return (
      <Sheet title="Commitments" flush>
        <Part of={asked}>{() => null}</Part>
      </Sheet>
    );
  return asked.data?.data.map((commitment) => (
    <Sheet
      key={commitment.id}
      title={`${commitment.name}: ${statusWords(commitment.status)}`}
      flush
      actions={
        commitment.status !== 'ended' && (
          <Deed
            label="End"
            verb="End the commitment"
            operation="POST /v0/commitments/{id}/end"
            path={{ id: commitment.id }}
            effects={[]}
            undo="This cannot be undone."
            isDangerous
          />
        )
      }
    >
      <Table
        rows={commitment.segments}
        rowKey={({ startDate }) => startDate}
        columns={[
          { name: 'Term', cell: ({ startDate, endDate }) => <Period start={startDate} end={endDate} /> },
          ...(['amount', 'spent', 'shortfall'] as const).map((figure) => ({
            name: FIGURES[figure],
            cell: (row: Record<typeof figure, string>) => <Money value={row[figure]} currency={commitment.currency} />,
            isFigure: true,
          })),
          { name: 'Pace', cell: ({ pace }) => (pace === null ? '—' : quantityText(pace)), isFigure: true },
          { name: 'Invoice', cell: ({ invoiceId }) => <Ref id={invoiceId} /> },
        ]}
      />
    </Sheet>
  ));
}

const FIGURES = { amount: 'Promised', spent: 'Spent', shortfall: 'Missing' } as const;
