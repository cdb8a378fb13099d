import type { MeteredEntitlementDetail } from '../../api/types.ts';
import { Moment, Quantity, quantityText } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { Deed } from '../../shape/deed.tsx';
import { List } from '../../shape/list.tsx';

/** Units that are held for usage whose amount is known later. */
export function Reservations({ entitlement }: { readonly entitlement: MeteredEntitlementDetail }) {
  const { id } = entitlement;
  return (
    <section className="stack tight" aria-label="Reservations">
      <h2>Reservations</h2>
      <List
        operation="GET /v1/entitlements/{id}/reservations"
        path={{ id }}
        file={`reservations-${id}`}
        rowKey={(row) => row.id}
        columns={[
          {
            name: 'Made',
            cell: ({ createdAt }) => <Moment at={createdAt} seconds />,
            value: ({ createdAt }) => createdAt,
          },
          { name: 'Status', cell: ({ status }) => <Status of={status} />, value: ({ status }) => status },
          {
            name: 'Ends',
            cell: ({ expiresAt }) => <Moment at={expiresAt} seconds />,
            value: ({ expiresAt }) => expiresAt,
          },
          {
            name: 'Reserved',
            cell: ({ amount }) => <Quantity value={amount} />,
            value: ({ amount }) => amount,
            isFigure: true,
          },
          {
            name: 'Used',
            cell: ({ settledAmount }) => <Quantity value={settledAmount} />,
            value: ({ settledAmount }) => settledAmount,
            isFigure: true,
          },
          {
            name: '',
            cell: (row) =>
              row.status === 'held' ? (
                <span className="row">
                  <Deed
                    label="Settle"
                    verb="Settle the reservation"
                    operation="POST /v1/entitlements/{id}/reservations/{reservationId}/settle"
                    path={{ id, reservationId: row.id }}
                    labels={{ amount: 'Units that were used' }}
                    initial={{ amount: String(row.amount) }}
                    effects={['The units that were used become usage; the others are free again.']}
                    undo="This cannot be undone."
                  />
                  <Deed
                    label="Release"
                    verb="Release the reservation"
                    operation="POST /v1/entitlements/{id}/reservations/{reservationId}/release"
                    path={{ id, reservationId: row.id }}
                    effects={[`${quantityText(row.amount)} units are free again, and nothing counts as used.`]}
                    undo="This cannot be undone."
                  />
                </span>
              ) : null,
          },
        ]}
        empty={{
          text: 'A program reserves units before it knows how many it will use, and settles or releases them afterwards.',
          example: {
            method: 'POST',
            path: `/v1/entitlements/${id}/reservations`,
            body: { amount: 10, expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
          },
        }}
        isPart
      />
    </section>
  );
}
