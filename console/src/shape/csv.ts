type Cell = string | number | boolean | null | undefined;

/** A program that opens the file must not take a text for a formula (OWASP, CSV injection). Figures stay figures. */
const harmless = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;

const quoted = (cell: Cell): string => {
  const text = cell === null || cell === undefined ? '' : harmless(String(cell));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The text of a CSV file (RFC 4180), exact values. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');

/** Saves rows as a CSV file. */
export const saveCsv = (name: string, rows: readonly (readonly Cell[])[]): void =>
  saveFile(`${name}.csv`, new Blob(['\ufeff', csvOf(rows)], { type: 'text/csv;charset=utf-8' }));

/** Saves a file under a name. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
