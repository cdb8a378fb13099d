import { ERROR_WORDS, edgeErrors } from '../../src/http/errors.ts';
import type { ErrorTable } from '../../src/kernel/result.ts';
import { roomOf } from './imports.ts';
import { home, isProgram, type SourceFile } from './project.ts';
import { nameOf, nodesOf } from './syntax.ts';

/** The codes of one room. */
export interface RoomErrors {
  readonly room: string;
  readonly table: ErrorTable;
}

/**
 * The error tables of the program as its files have them: those of the edge first, then by the names of the domains.
 */
export async function errorTablesOf(files: readonly SourceFile[]): Promise<RoomErrors[]> {
  const paths = files
    .map(({ path }) => path)
    .filter((path) => /^src\/[^/]+\/errors\.ts$/.test(path) && roomOf(path) !== 'http');
  const tables = await Promise.all(
    paths.map(async (path) => {
      const names = Object.entries((await import(`${home}${path}`)) as Record<string, ErrorTable>);
      return names.filter(([name]) => name.endsWith('Errors')).map(([, table]) => ({ room: roomOf(path), table }));
    }),
  );
  return [{ room: 'http', table: edgeErrors }, ...tables.flat()];
}

/** A code that one field of a request is refused with, and the room that says it. */
export interface FieldCode {
  readonly code: string;
  readonly room: string;
}

const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const DOES_NOT_ANSWER = new Set(['start', 'db', 'settings', 'credentials', 'main']);

/** The codes of single fields (`errors[].code`), as the program names them. */
export function fieldCodesOf(files: readonly SourceFile[]): FieldCode[] {
  const found = answering(files).flatMap((file) =>
    nodesOf(file).flatMap((node) => {
      const room = roomOf(file.path);
      if (node.type === 'CallExpression' && nameOf(node.callee) === 'invalidField') {
        const code = nameOf((node.arguments as unknown[])[2]);
        return CODE.test(code) ? [{ code, room }] : [];
      }
      if (node.type !== 'ObjectExpression') return [];
      const properties = node.properties as readonly { key?: unknown; value?: unknown }[];
      if (!properties.some(({ key }) => nameOf(key) === 'field')) return [];
      const code = nameOf(properties.find(({ key }) => nameOf(key) === 'code')?.value);
      return CODE.test(code) ? [{ code, room }] : [];
    }),
  );
  const unique = new Map(found.map((each) => [`${each.room} ${each.code}`, each]));
  return [...unique.values()].toSorted((a, b) => (a.code < b.code ? -1 : 1));
}

const answering = (files: readonly SourceFile[]): SourceFile[] =>
  files.filter((file) => isProgram(file) && !DOES_NOT_ANSWER.has(roomOf(file.path)));

/** Listed codes that nothing in the program answers with. */
export function unusedCodes(files: readonly SourceFile[], tables: readonly RoomErrors[]): string[] {
  const named = new Set(
    answering(files)
      .filter(({ path }) => !path.endsWith('/errors.ts') || path === 'src/http/errors.ts')
      .flatMap(nodesOf)
      .filter(({ type }) => type === 'Literal')
      .map(nameOf),
  );
  return tables.flatMap(({ room, table }) =>
    Object.keys(table)
      .filter((code) => !named.has(code))
      .map((code) => `${code} of ${room}`),
  );
}

/** docs/errors.md, as the tables have it. */
export function errorsPage(tables: readonly RoomErrors[], fields: readonly FieldCode[]): string {
  const words = Object.entries(ERROR_WORDS).map(([status, word]) => [status, `\`${word}\``]);
  return `${[
    '# Errors',
    'Printed by `npm run docs:errors` from the tables in `src/*/errors.ts`; a test holds this page and the tables equal.',
    'An answer that is no success has one shape. `error` is the category of its status, `message` is for a person and may\nchange, `code` is for a program and stays, `details` says more where there is more to say:',
    '```json\n{\n  "error": "conflict",\n  "message": "Another customer of this merchant has this externalId.",\n  "code": "EXTERNAL_ID_TAKEN"\n}\n```',
    'Where fields are to blame, the answer is a 400 whose `error` is `validation_error`, and `errors` lists each of them (at\nmost 1,000; then `details.total` has their number):',
    '```json\n{\n  "error": "validation_error",\n  "message": "The request is not valid; see errors.",\n  "errors": [{ "field": "consumer.email", "message": "is required" }]\n}\n```',
    'An id in the path that nobody has is a 404, another merchant’s a 403. An id in a body that nobody has is a 404 whose\n`details.field` names the field. A deletion that something prevents is a 409 with\n`details.blockers: [{ "type", "count", "items" }]`. 401 comes with `WWW-Authenticate`, 429 and 503 with `Retry-After`.',
    '## Categories',
    markdownTable(['status', '`error`'], words),
    '## Codes',
    ...tables.flatMap(({ room, table }) => [
      `### ${room === 'http' ? 'Every operation' : `${room[0]?.toUpperCase()}${room.slice(1)}`}`,
      markdownTable(
        ['`code`', 'status', '`message`'],
        Object.entries(table).map(([code, { status, message }]) => [`\`${code}\``, String(status), message]),
      ),
    ]),
    ...(fields.length === 0
      ? []
      : [
          '### Single fields',
          'In `errors[].code`, beside the field and what is wrong with it:',
          markdownTable(
            ['`code`', 'said by'],
            fields.map(({ code, room }) => [`\`${code}\``, room]),
          ),
        ]),
  ].join('\n\n')}\n`;
}

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
