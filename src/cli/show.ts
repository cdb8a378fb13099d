import { styleText } from 'node:util';
import { cleanLine } from '../look/index.ts';

/** What a command prints on, and how. */
export interface Screen {
  readonly isTerminal: boolean;
  readonly isJson: boolean;
  readonly colours: boolean;
  /** The width of the terminal; null: it has none, so nothing is cut off. */
  readonly columns: number | null;
  write(text: string): void;
  /** Progress and questions, which are no part of the answer. */
  aside(text: string): void;
}

type Row = Readonly<Record<string, unknown>>;

/** Text in a colour or a weight, where the screen has them. */
export const paint = (screen: Screen, style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string): string =>
  screen.colours ? styleText(style, text, { validateStream: false }) : text;

/** One resource: JSON, or its fields below each other. */
export function showOne(screen: Screen, value: unknown): void {
  if (screen.isJson || typeof value !== 'object' || value === null) {
    screen.write(`${JSON.stringify(value, null, 2)}\n`);
    return;
  }
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  for (const [name, each] of fields) screen.write(`${paint(screen, 'dim', name.padEnd(width))}  ${inLine(each)}\n`);
}

/** Columns that say most about a resource, in this order; a path leads to a field within another. */
const COLUMNS = [
  ...['id', 'timestamp', 'type', 'name', 'organization.name', 'invoiceNumber', 'status', 'operation', 'key'],
  ...['currency', 'grandTotal', 'amount', 'unpaidAmount', 'currentTime', 'customerId', 'subject', 'externalId', 'url'],
  'createdAt',
];
const MOST_COLUMNS = 7;
const WIDEST = 44;
const GAP = '  ';
const MOST_CHARACTERS = 10_000;

/** Many resources: JSON a line each, or a table of what they all have. */
export function showMany(screen: Screen, rows: readonly Row[]): void {
  if (screen.isJson) {
    for (const row of rows) screen.write(`${JSON.stringify(row)}\n`);
    return;
  }
  if (rows.length === 0) screen.aside('None.\n');
  const columns = COLUMNS.filter((path) => rows.some((row) => isPlain(at(row, path)))).slice(0, MOST_COLUMNS);
  const cells = rows.map((row) =>
    columns.map((name) => cut(inLine(at(row, name)), screen.isTerminal ? WIDEST : Number.POSITIVE_INFINITY)),
  );
  const widths = columns.map((name, index) => Math.max(name.length, ...cells.map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]) => {
    const text = row
      .map((each, index) => each.padEnd(widths[index] ?? 0))
      .join(GAP)
      .trimEnd();
    return screen.columns === null ? text : cut(text, screen.columns);
  };
  if (rows.length > 0) screen.write(`${paint(screen, 'dim', line(columns))}\n`);
  for (const row of cells) screen.write(`${line(row)}\n`);
}

const at = (row: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((found, name) => (found as Row | undefined)?.[name], row);

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** A value in one line, without characters that would move the cursor or change colours: others chose the text. */
export function inLine(value: unknown): string {
  if (value === undefined || value === null) return '—';
  return cleanLine(typeof value === 'string' ? value : JSON.stringify(value), MOST_CHARACTERS);
}
