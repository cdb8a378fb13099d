import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { saveCsv } from './csv.ts';
import { type Column, Table } from './list.tsx';
import { Sheet } from './page.tsx';

interface TableSheetProps<Row> {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  /** Where there is no row. */
  readonly empty: string;
  /** The name of the CSV file, without its ending. */
  readonly file: string;
  /** Below the table. */
  readonly children?: ReactNode;
}

/** A table as the rows of a CSV file: the columns with values, under their names. */
export function csvRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]) {
  const kept = columns.filter(({ value }) => value);
  const feet = kept.some(({ foot }) => foot !== undefined) ? [kept.map(({ foot }) => foot)] : [];
  return [kept.map(({ name }) => name), ...rows.map((row) => kept.map(({ value }) => value?.(row))), ...feet];
}

/** A part of a page that is a table, and a CSV file of exactly what it shows. */
export function TableSheet<Row>(props: TableSheetProps<Row>) {
  const { title, rows, columns, rowKey, empty, file, children } = props;
  const save = () => saveCsv(file, csvRows(columns, rows));
  return (
    <Sheet
      title={title}
      flush
      {...(rows.length > 0 && {
        actions: (
          <Button variant="default" onClick={save}>
            Export CSV
          </Button>
        ),
      })}
    >
      {rows.length === 0 ? (
        <p className="empty soft">{empty}</p>
      ) : (
        <div className="tall">
          <Table caption={title} rows={rows} rowKey={rowKey} columns={columns} />
        </div>
      )}
      {children}
    </Sheet>
  );
}
