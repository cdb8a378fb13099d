import { type Html, html } from './html.ts';

/** A column of figures, behind the column that names its rows. */
export interface Column {
  readonly head: string;
  /** Of text: it begins where its head does, and may break. */
  readonly isText?: boolean;
}

export interface TableRow {
  readonly name: Html;
  /** One for each column; null is an empty one. */
  readonly cells: readonly (Html | string | null)[];
  /** Below the row, over its whole width. */
  readonly below?: Html | null;
}

interface Table {
  readonly caption: string;
  /** The head of the column that names the rows. */
  readonly named: string;
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
  /** On a large screen, it may be wider than its place: then it scrolls, also by keys. */
  readonly isWide?: boolean;
}

/**
 * A table whose rows are stacked on a phone, each figure behind the head of its column. The roles are those of the
 * elements: browsers forget them where a style sheet changes how a table is laid out.
 */
export function stackedTable({ caption, named, columns, rows, isWide = false }: Table): Html {
  const look = (column: Column | undefined): Html | null => (column?.isText === true ? html` class="start"` : null);
  const cell = (content: Html | string | null, index: number): Html =>
    content === null
      ? html`<td role="cell"></td>`
      : html`<td role="cell" data-head="${columns[index]?.head ?? ''}"${look(columns[index])}><span>${content}</span></td>`;
  const below = (content: Html): Html =>
    html`<tr role="row" class="below"><td role="cell" colspan="${String(columns.length + 1)}">${content}</td></tr>\n`;
  return html`<div class="wide"${isWide ? html` role="region" aria-label="${caption}" tabindex="0"` : null}><table role="table" class="stack"><caption class="unseen">${caption}</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">${named}</th>${columns.map((column) => html`<th role="columnheader" scope="col"${look(column)}>${column.head}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    ({ name, cells, below: under = null }) =>
      html`<tr role="row"><th role="rowheader" scope="row">${name}</th>${cells.map(cell)}</tr>\n${under === null ? null : below(under)}`,
  )}</tbody></table></div>`;
}
