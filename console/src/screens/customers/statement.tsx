import { TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { pdfOf, type Query, type Reply } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { Ref } from '../../frame/to.tsx';
import { Day, Money } from '../../look/figures.tsx';
import { wordsOf } from '../../look/words.ts';
import { saveCsv, saveFile } from '../../shape/csv.ts';
import { type Column, ExportButton, Table } from '../../shape/list.tsx';
import { Part } from '../../shape/states.tsx';
import { csvRows } from '../../shape/table-sheet.tsx';
import { DaysField, instantsOf, useDays, useSearchChange } from '../usage/range.tsx';

const OPERATION = 'GET /v0/customers/{id}/statement';
type Answer = Reply<typeof OPERATION>;

/** The account of a customer over days: what moved it, between an opening and a closing balance. */
export function Statement({ id }: { readonly id: string }) {
  const days = useDays();
  const { currency = '' } = useSearch({ strict: false }) as { currency?: string };
  const change = useSearchChange();
  const call = {
    path: { id },
    query: { ...instantsOf(days), ...(/^[A-Z]{3}$/.test(currency) && { currency }) } as Query<typeof OPERATION>,
  };
  const asked = useRead(OPERATION, call);
  const rows = asked.data && rowsOf(asked.data);
  const file = `statement ${days.from} ${days.to}`;
  return (
    <div className="sheet flush">
      <search className="filters">
        <DaysField />
        <TextInput
          label="Currency"
          placeholder={asked.data?.currency ?? ''}
          value={currency}
          onChange={({ target }) => change({ currency: target.value.toUpperCase() || undefined })}
        />
        {rows && (
          <span className="end row">
            <ExportButton label="PDF" save={async () => saveFile(`${file}.pdf`, await pdfOf(OPERATION, call))} />
            <ExportButton save={async () => saveCsv(file, csvRows(COLUMNS, rows))} />
          </span>
        )}
      </search>
      <Part of={{ ...asked, data: rows }} lines={8}>
        {(found) => <Table caption="Statement" rows={found} rowKey={({ key }) => key} columns={COLUMNS} />}
      </Part>
    </div>
  );
}

interface Row extends Omit<Answer['entries'][number], 'type' | 'amount'> {
  readonly key: string;
  readonly isInvoice: boolean;
  readonly amount: string | null;
  readonly currency: string;
}

/** The entries between the two balances. */
function rowsOf({ from, to, openingBalance, closingBalance, entries, currency }: Answer): readonly Row[] {
  const balance = (id: string, date: string, description: string, its: string): Row => ({
    ...{ key: id, id, date, description, balance: its, currency },
    ...{ isInvoice: false, number: null, amount: null },
  });
  return [
    balance('opening', from, 'Opening balance', openingBalance),
    ...entries.map(({ type, ...entry }) => ({
      ...entry,
      key: `${type} ${entry.id} ${entry.date}`,
      isInvoice: type === 'invoice',
      currency,
    })),
    balance('closing', to, 'Closing balance', closingBalance),
  ];
}

const COLUMNS: readonly Column<Row>[] = [
  { name: 'Date', cell: ({ date }) => <Day at={date} />, value: ({ date }) => date },
  { name: 'Entry', cell: ({ description }) => description, value: ({ description }) => description },
  {
    name: 'Number',
    cell: ({ id, number, isInvoice }) => (isInvoice ? <Ref id={id} name={number} /> : (number ?? '—')),
    value: ({ number }) => number,
  },
  ...(['amount', 'balance'] as const).map((figure) => ({
    name: wordsOf(figure),
    cell: (row: Row) => <Money value={row[figure]} currency={row.currency} />,
    value: (row: Row) => row[figure],
    isFigure: true,
  })),
];
