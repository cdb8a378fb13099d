import { quantityIn } from '../../../../src/look/price.ts';
import type { Invoice } from '../../api/types.ts';
import { Day, Money, Period, Quantity } from '../../look/figures.tsx';
import { Table } from '../../shape/list.tsx';

/** The lines and the sums of an invoice that is not issued yet. */
export function InvoiceLines({ invoice }: { readonly invoice: Invoice }) {
  const { currency } = invoice;
  const lines = invoice.lineItems?.lineItems ?? [];
  const sums = [
    ['Subtotal', invoice.subtotal],
    ['Tax', invoice.totalTax],
    ['Total', invoice.grandTotal],
  ] as const;
  return (
    <>
      {invoice.status === 'ACTIVE' && (
        <p className="foot soft fine">
          For <Period start={invoice.periodStart} end={invoice.periodEnd} />; it is calculated on{' '}
          <Day at={invoice.gracePeriodEnd} />.
        </p>
      )}
      {lines.length === 0 ? (
        <p className="foot soft">No line yet.</p>
      ) : (
        <Table
          caption="Lines"
          rows={lines}
          rowKey={({ id }) => id}
          columns={[
            {
              name: 'Line',
              cell: ({ invoiceDisplayName, periodStart, periodEnd }) => (
                <span>
                  {invoiceDisplayName}
                  <span className="block soft fine">
                    <Period start={periodStart} end={periodEnd} />
                  </span>
                </span>
              ),
            },
            {
              name: 'Quantity',
              cell: ({ quantity, displayUnit }) =>
                displayUnit ? (
                  <span>
                    <Quantity value={quantityIn(String(quantity), displayUnit)} /> × {displayUnit.name}
                  </span>
                ) : (
                  <Quantity value={quantity} />
                ),
              isFigure: true,
            },
            {
              name: 'Amount',
              cell: ({ totalPrice }) => <Money value={totalPrice} currency={currency} />,
              isFigure: true,
            },
          ]}
        />
      )}
      <dl className="totals">
        {sums.map(([name, value]) => (
          <div key={name} className={name === 'Total' ? 'last' : undefined}>
            <dt>{name}</dt>
            <dd>
              <Money value={value} currency={currency} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
