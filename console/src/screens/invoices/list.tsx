import { Ref, To } from '../../frame/to.tsx';
import { Day, Money, Period } from '../../look/figures.tsx';
import { Status, statusWords } from '../../look/status.tsx';
import { type Column, List, type RowOf } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';

type Row = RowOf<'GET /v2/invoices'>;

const STATES = [
  'ACTIVE',
  'CLOSING',
  'CLOSED',
  'CALCULATING',
  'DRAFT',
  'ISSUED',
  'PAYMENT_FAILED',
  'PAID',
  'WRITTEN_OFF',
  'CANCELLED',
  'FAILED',
];

/** The columns of invoices wherever they are listed. */
export const INVOICE_COLUMNS = {
  number: {
    name: 'Number',
    cell: ({ id, invoiceNumber }) => (
      <To path={`/invoices/${id}`}>{invoiceNumber ?? <span className="figure">No number</span>}</To>
    ),
    value: ({ invoiceNumber, id }) => invoiceNumber ?? id,
  },
  customer: {
    name: 'Customer',
    cell: ({ customerId }) => <Ref id={customerId} />,
    value: ({ customerId }) => customerId,
  },
  status: { name: 'Status', cell: ({ status }) => <Status of={status} />, value: ({ status }) => status },
  period: {
    name: 'Period',
    cell: ({ kind, periodStart, periodEnd }) =>
      kind === 'subscription' ? <Period start={periodStart} end={periodEnd} /> : <span className="soft">—</span>,
    value: ({ periodStart, periodEnd }) => `${periodStart}/${periodEnd}`,
  },
  due: { name: 'Due', cell: ({ dueAt }) => <Day at={dueAt} />, value: ({ dueAt }) => dueAt },
  total: {
    name: 'Total',
    cell: ({ grandTotal, currency }) => <Money value={grandTotal} currency={currency} />,
    value: ({ grandTotal }) => grandTotal,
    isFigure: true,
  },
  unpaid: {
    name: 'Unpaid',
    cell: ({ unpaidAmount, currency }) => <Money value={unpaidAmount} currency={currency} />,
    value: ({ unpaidAmount }) => unpaidAmount,
    isFigure: true,
  },
  currency: {
    name: 'Currency',
    cell: ({ currency }) => currency,
    value: ({ currency }) => currency,
    isInFileAlone: true,
  },
} as const satisfies Record<string, Column<Row>>;

/** Every invoice of the merchant, newest first. */
export function Invoices() {
  const { number, customer, status, period, due, total, unpaid, currency } = INVOICE_COLUMNS;
  return (
    <Page title="Invoices">
      <List
        operation="GET /v2/invoices"
        file="invoices"
        rowKey={({ id }) => id}
        filters={[
          { name: 'status', label: 'Status', choices: STATES.map((each) => [each, statusWords(each)] as const) },
          {
            name: 'overdue',
            label: 'Overdue',
            choices: [
              ['true', 'Overdue'],
              ['false', 'Not overdue'],
            ],
          },
          { name: 'invoiceNumber', label: 'Number' },
          { name: 'issuedFrom', label: 'Issued from', type: 'date' },
          { name: 'issuedTo', label: 'Issued before', type: 'date' },
          { name: 'amountFrom', label: 'Total from', type: 'number' },
        ]}
        columns={[number, customer, status, period, due, currency, total, unpaid]}
        empty={{
          text: 'An invoice is made for each period of a subscription. Make a plan, a customer and a subscription; its first invoice opens at once.',
        }}
      />
    </Page>
  );
}
