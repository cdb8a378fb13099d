import { Select } from '@mantine/core';
import { useMemo } from 'react';
import { useRead } from '../../api/queries.ts';
import type { Customer } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { isPositive, Moment, Money, moneyText } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import type { OwnInputProps } from '../../shape/form.tsx';
import { List } from '../../shape/list.tsx';

/** Money that came from a customer before it was known what it pays, and what became of it. */
export function Receipts({ customer: { id, currency } }: { readonly customer: Customer }) {
  const inputs = useMemo(() => ({ invoiceId: unpaidInvoiceOf(id) }), [id]);
  return (
    <div className="stack">
      <div className="row">
        <Deed
          label="Record a receipt"
          operation="POST /v0/customers/{id}/receipts"
          path={{ id }}
          fields={['amount', 'currency', 'method', 'reference', 'receivedAt']}
          initial={{ currency: currency ?? '', method: 'bank_transfer' }}
          fixed={{ idempotencyKey: crypto.randomUUID() }}
          effects={[]}
        />
      </div>
      <List
        operation="GET /v0/customers/{id}/receipts"
        path={{ id }}
        file={`receipts-${id}`}
        rowKey={(row) => row.id}
        columns={[
          { name: 'Received', cell: ({ receivedAt }) => <Moment at={receivedAt} />, value: (row) => row.receivedAt },
          {
            name: 'Method',
            cell: ({ method, reference }) => `${wordsOf(method)}${reference ? ` · ${reference}` : ''}`,
            value: ({ method }) => method,
          },
          { name: 'Reference', cell: () => null, value: ({ reference }) => reference, isInFileAlone: true },
          { name: 'Status', cell: ({ status }) => <Status of={status} />, value: ({ status }) => status },
          {
            name: 'Pays',
            cell: ({ applications, currency: its }) =>
              applications.length === 0
                ? '—'
                : applications.map(({ invoiceId, amount, appliedAt }) => (
                    <span className="block" key={`${invoiceId ?? ''} ${appliedAt}`}>
                      {invoiceId === null ? 'Wallet' : <Ref id={invoiceId} />}: <Money value={amount} currency={its} />
                    </span>
                  )),
          },
          ...(['amount', 'unappliedAmount', 'returnedAmount'] as const).map((figure) => ({
            name: FIGURES[figure],
            cell: (row: Record<typeof figure | 'currency', string>) => (
              <Money value={row[figure]} currency={row.currency} />
            ),
            value: (row: Record<typeof figure, string>) => row[figure],
            isFigure: true,
          })),
          {
            name: '',
            cell: (row) => {
              const shared = {
                path: { id, receiptId: row.id },
                facts: [['Waits', moneyText(row.unappliedAmount, row.currency)]] as const,
                effects: [],
              };
              return isPositive(row.unappliedAmount) ? (
                <span className="row">
                  <Deed
                    label="Apply"
                    operation="POST /v0/customers/{id}/receipts/{receiptId}/apply"
                    labels={{ invoiceId: 'Invoice', wallet: 'Into the wallet' }}
                    inputs={inputs}
                    {...shared}
                  />
                  <Deed
                    label="Return"
                    verb="It was sent back"
                    operation="POST /v0/customers/{id}/receipts/{receiptId}/return"
                    isDangerous
                    {...shared}
                  />
                </span>
              ) : null;
            },
          },
        ]}
        empty={{ text: 'A receipt is money whose purpose is not known yet. It waits until it pays invoices.' }}
        isPart
      />
    </div>
  );
}

const FIGURES = { amount: 'Amount', unappliedAmount: 'Waits', returnedAmount: 'Sent back' } as const;

/** Chooses an unpaid invoice of a customer, or of those for whom it pays. */
function unpaidInvoiceOf(id: string) {
  return function UnpaidInvoice({ label, value, change, error }: OwnInputProps) {
    const unpaid = { unpaid: true, limit: 100 };
    const own = useRead('GET /v2/invoices', { query: { customerId: id, ...unpaid } });
    const others = useRead('GET /v2/invoices', { query: { payerId: id, ...unpaid } });
    const found = [...(own.data?.data ?? []), ...(others.data?.data ?? [])];
    return (
      <Select
        label={label}
        data={found.map((each) => ({
          value: each.id,
          label: `${each.invoiceNumber ?? each.id} · ${moneyText(each.unpaidAmount, each.currency)} unpaid`,
        }))}
        value={(value as string | undefined) ?? null}
        onChange={(each) => change(each ?? undefined)}
        error={error}
        searchable
        clearable
      />
    );
  };
}
