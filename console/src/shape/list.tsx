import { Button, Select, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { call, type Operation, type Query } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Quantity, quantityText } from '../look/figures.tsx';
import { saveCsv } from './csv.ts';
import { Curl, type Example } from './curl.tsx';
import { PICKERS } from './picker.tsx';
import { Part } from './states.tsx';
import { localMinute } from './values.ts';

interface Envelope<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly total: number; readonly limit: number; readonly nextAfter?: string | null };
}

/** An operation that answers a list, and the rows of it. */
export type ListOperation = {
  [O in Operation]: O extends `GET ${string}` ? (OperationReply<O> extends Envelope<unknown> ? O : never) : never;
}[Operation];
type OperationReply<O extends Operation> = import('../api/types.ts').Operations[O]['reply'];
export type RowOf<O extends ListOperation> = OperationReply<O> extends Envelope<infer Row> ? Row : never;

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** The exact value in the CSV file; absent where there is none. */
  readonly value?: (row: Row) => string | number | boolean | null | undefined;
  readonly isFigure?: boolean;
  /** A third of the table: for bars. */
  readonly isWide?: boolean;
  /** Below all rows: the total, exact. */
  readonly foot?: string;
  /** In the CSV file alone: what another column shows already, taken apart. */
  readonly isInFileAlone?: boolean;
}

export interface Filter {
  /** The parameter of the operation, and of the address bar. */
  readonly name: string;
  readonly label: string;
  /** What may be chosen: values with their words. Absent: free text. */
  readonly choices?: readonly (readonly [value: string, words: string])[];
  readonly type?: 'text' | 'date' | 'number' | 'moment';
  /** Chooses a thing by its name: the prefix of its ids, such as `cus_`. */
  readonly pick?: string;
}

export interface ListProps<O extends ListOperation> {
  readonly operation: O;
  readonly path?: Readonly<Record<string, string>>;
  /** Parameters that always hold here. */
  readonly fixed?: Partial<Query<O>>;
  readonly columns: readonly Column<RowOf<O>>[];
  readonly filters?: readonly Filter[];
  /** Where there is nothing at all: what such a thing is, and how to make one. */
  readonly empty: { readonly text: string; readonly example?: Example; readonly action?: ReactNode };
  /** The name of the CSV file, without its ending. */
  readonly file: string;
  readonly rowKey: (row: RowOf<O>) => string;
  /** Asks again after so many milliseconds. */
  readonly every?: number | false;
  readonly limit?: number;
  /** Marks rows that come while the list stands there. */
  readonly marksNew?: boolean;
  /** A list that is a part of a page keeps its place out of the address bar. */
  readonly isPart?: boolean;
}

type Search = Readonly<Record<string, string | undefined>>;

/** Filters and place of a list: in the address bar, or with the part of the page. */
function usePlaceInList(isPart: boolean): readonly [Search, (change: Search) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const [own, setOwn] = useState<Search>({});
  if (isPart) return [own, (change) => setOwn({ ...own, ...change })];
  return [
    search,
    (change) =>
      void navigate({
        to: '.',
        search: { ...search, ...change } as never,
        replace: !('after' in change && change.after),
      }),
  ];
}

const LIMIT = 50;
const MOST_EXPORTED = 50_000;

/** A list of things: filters in the address bar, newest first, page by page, and a CSV file of exactly what it shows. */
export function List<O extends ListOperation>(props: ListProps<O>) {
  const {
    operation,
    path,
    fixed,
    columns,
    filters = [],
    empty,
    file,
    rowKey,
    every,
    limit = LIMIT,
    marksNew = false,
    isPart = false,
  } = props;
  const [search, change] = usePlaceInList(isPart);
  const chosen: Record<string, string | undefined> = Object.fromEntries(
    filters.map(({ name }) => [name, search[name]] as const).filter(([, value]) => value),
  );
  const isFiltered = Object.keys(chosen).length > 0;
  const query = {
    ...fixed,
    ...asQuery(filters, chosen),
    limit,
    ...(search.after && { after: search.after }),
  } as Query<O>;
  const asked = useRead(operation, { ...(path && { path }), query } as never, {
    keeps: true,
    ...(every !== undefined && { every }),
  });
  const first = Number(search.row ?? 1);
  const shown = asked.isPlaceholderData ? undefined : (asked.data as Envelope<RowOf<O>> | undefined)?.data;
  const fresh = useArrivals(marksNew ? JSON.stringify(query) : null, shown?.map(rowKey));
  const isBare = isPart && filters.length === 0;
  const save = (
    <ExportButton
      save={(progress) => exported(operation, path, { ...fixed, ...asQuery(filters, chosen) }, columns, file, progress)}
    />
  );
  return (
    <div className="sheet flush">
      {!isBare && (
        <Filters
          filters={filters}
          chosen={chosen}
          change={(each) => change({ ...each, after: undefined, row: undefined })}
        >
          <span className="row">
            {marksNew && (
              <span role="status" className="fine soft">
                {fresh.size > 0 && `${quantityText(fresh.size)} new`}
              </span>
            )}
            {save}
          </span>
        </Filters>
      )}
      <Part of={asked as { data: unknown; error: Error | null; refetch: () => unknown }} lines={8}>
        {(value) => {
          const { data, pagination } = value as Envelope<RowOf<O>>;
          if (data.length === 0 && !search.after)
            return isFiltered ? (
              <div className="empty">
                <span>Nothing matches these filters.</span>
                <Button
                  variant="default"
                  onClick={() => change(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
                >
                  Clear the filters
                </Button>
              </div>
            ) : (
              <div className="empty">
                <span>{empty.text}</span>
                {empty.action}
                {empty.example && <Curl {...empty.example} />}
              </div>
            );
          const next = pagination.nextAfter;
          const last = first + data.length - 1;
          return (
            <>
              <Table columns={columns} rows={data} rowKey={rowKey} marked={fresh} />
              <div className="pager">
                <span className="soft fine figure">
                  {quantityText(first)}–{quantityText(last)} of {quantityText(pagination.total)}
                </span>
                <span className="row">
                  {isBare && save}
                  {search.after && (
                    <Button variant="default" onClick={() => change({ after: undefined, row: undefined })}>
                      First page
                    </Button>
                  )}
                  {search.after && !isPart && (
                    <Button variant="default" onClick={() => window.history.back()}>
                      Back
                    </Button>
                  )}
                  {next && last < pagination.total && (
                    <Button variant="default" onClick={() => change({ after: next, row: String(last + 1) })}>
                      Next
                    </Button>
                  )}
                </span>
              </div>
            </>
          );
        }}
      </Part>
    </div>
  );
}

/** The keys of the rows that came after the first answer in this place; null: nobody wants to know. */
function useArrivals(place: string | null, keys: readonly string[] | undefined): ReadonlySet<string> {
  const [start, setStart] = useState<{ readonly place: string; readonly keys: ReadonlySet<string> }>();
  if (place !== null && keys && start?.place !== place) setStart({ place, keys: new Set(keys) });
  return new Set(start?.place === place ? keys?.filter((key) => !start?.keys.has(key)) : []);
}

/** A day in a filter is its first instant in UTC. */
const asQuery = (
  filters: readonly Filter[],
  chosen: Record<string, string | undefined>,
): Record<string, string | undefined> =>
  Object.fromEntries(
    filters.map(({ name, type }) => {
      const value = chosen[name];
      return [name, value && type === 'date' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value];
    }),
  );

interface TableProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly caption?: string;
  /** Rows that stand out: the new ones. */
  readonly marked?: ReadonlySet<string>;
}

/** Rows and columns; on a phone each row stands by itself with the names of its columns. */
export function Table<Row>({ columns: all, rows, rowKey, caption, marked }: TableProps<Row>) {
  const columns = all.filter(({ isInFileAlone }) => !isInFileAlone);
  return (
    <div className="table-box" tabIndex={-1}>
      <table className="table stacked">
        {caption !== undefined && <caption className="visually-hidden">{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ name, isFigure, isWide }) => (
              <th key={name} scope="col" className={isFigure ? 'right' : isWide ? 'wide' : undefined}>
                {name.trim() === '' ? <span className="visually-hidden">{name === '' ? 'Actions' : 'Bar'}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} {...(marked?.has(rowKey(row)) && { className: 'fresh' })}>
              {columns.map(({ name, cell, isFigure }) => (
                <td key={name} data-label={name} className={isFigure ? 'right figure' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {columns.some(({ foot }) => foot !== undefined) && (
          <tfoot>
            <tr>
              {columns.map(({ name, foot, isFigure }) => (
                <td key={name} data-label={name} className={isFigure ? 'right figure' : undefined}>
                  {isFigure && foot !== undefined ? <Quantity value={foot} /> : foot}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

/** From so many choices on, one can type to find one. */
const MANY_CHOICES = 12;

interface FiltersProps {
  readonly filters: readonly Filter[];
  readonly chosen: Record<string, string | undefined>;
  readonly change: (each: Search) => void;
  readonly children: ReactNode;
}

function Filters({ filters, chosen, change, children }: FiltersProps) {
  return (
    <search className="filters">
      {filters.map(({ name, label, choices, type, pick }) => {
        const Picker = pick === undefined ? undefined : PICKERS[pick];
        const set = (value: string | null) => change({ [name]: value || undefined });
        if (Picker) return <Picker key={name} label={label} value={chosen[name] ?? null} onChange={set} />;
        return choices ? (
          <Select
            key={name}
            label={label}
            placeholder="All"
            clearable
            searchable={choices.length > MANY_CHOICES}
            value={chosen[name] ?? null}
            onChange={set}
            data={choices.map(([value, words]) => ({ value, label: words }))}
          />
        ) : (
          <TextFilter
            key={name}
            label={label}
            type={type === 'moment' ? 'datetime-local' : (type ?? 'text')}
            value={typedOf(type, chosen[name] ?? '')}
            change={(value) => set(sentOf(type, value))}
          />
        );
      })}
      <span className="end">{children}</span>
    </search>
  );
}

/** A moment stands in the zone of the browser in its field, and in UTC in the address bar. */
const typedOf = (type: Filter['type'], value: string): string =>
  type === 'moment' && value !== '' && !Number.isNaN(Date.parse(value)) ? localMinute(value) : value;
const sentOf = (type: Filter['type'], value: string): string =>
  type === 'moment' && value !== '' ? new Date(value).toISOString() : value;

const TYPING_MILLISECONDS = 300;

/** A filter of free text: it holds when nobody has typed for a moment. */
function TextFilter({
  label,
  type,
  value,
  change,
}: {
  readonly label: string;
  readonly type: string;
  readonly value: string;
  readonly change: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => change(text.trim()), TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text, value, change]);
  return <TextInput label={label} type={type} value={text} onChange={({ target }) => setText(target.value)} />;
}

interface ExportProps {
  readonly label?: string;
  readonly save: (progress: (done: number) => void) => Promise<void>;
}

/** Saves a file that is made when it is asked for; says why where that fails. */
export function ExportButton({ label = 'Export CSV', save }: ExportProps) {
  const [done, setDone] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const start = async () => {
    setDone(0);
    setProblem(null);
    try {
      await save(setDone);
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setDone(null);
    }
  };
  return (
    <span className="row">
      {problem !== null && (
        <span className="bad fine" role="alert">
          {problem}
        </span>
      )}
      <Button variant="default" onClick={() => void start()} disabled={done !== null}>
        {done ? `${quantityText(done)} rows…` : label}
      </Button>
    </span>
  );
}

async function exported<O extends ListOperation>(
  operation: O,
  path: Readonly<Record<string, string>> | undefined,
  query: object,
  columns: readonly Column<RowOf<O>>[],
  file: string,
  progress: (done: number) => void,
): Promise<void> {
  const rows: RowOf<O>[] = [];
  let after: string | null | undefined;
  do {
    const page = (await call(operation, {
      ...(path && { path }),
      query: { ...query, limit: 100, ...(after && { after }) },
    } as never)) as unknown as Envelope<RowOf<O>>;
    rows.push(...page.data);
    progress(rows.length);
    after = page.data.length > 0 && rows.length < page.pagination.total ? page.pagination.nextAfter : null;
    if (rows.length >= MOST_EXPORTED && after) throw new Error(`More than ${MOST_EXPORTED} rows: narrow the filters.`);
  } while (after);
  saveCsv(file, [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ value }) => value?.(row)))]);
}
