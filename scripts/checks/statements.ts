import { importsOf, roomOf } from './imports.ts';
import { type Finding, isProgram, lineAt, type SourceFile } from './project.ts';
import { dotted, type Node, nameOf, nodesOf } from './syntax.ts';

/** A text of SQL, or a part of one. */
export const isStatement = (node: Node): boolean =>
  node.type === 'TaggedTemplateExpression' && /^sql(?:\.|$)/.test(dotted(node.tag));

/** `insertion('fee', fee)`: the helper that writes the text of an insert. */
const isInsertion = (node: Node): boolean => node.type === 'CallExpression' && dotted(node.callee) === 'insertion';

/** Statements that stand in another file than a `*.sql.ts`. The database's own room has them everywhere. */
export function statementsOutOfSight(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => isProgram(file) && !file.path.endsWith('.sql.ts') && roomOf(file.path) !== 'db')
    .flatMap((file) =>
      nodesOf(file)
        .filter((node) => isStatement(node) || isInsertion(node))
        .map(({ start }) => ({ path: file.path, line: lineAt(file.text, start), what: 'has SQL, but is no *.sql.ts' })),
    );
}

const READS_EVENTS = /\b(?:from|join) event\b(?! *\()/;
/** Asks for the events first, or knows the archive itself. */
const ASKS = /\b(?:eventsAtHand|inRange)\(|\bevent_archive\b/;

/** Statements that need no archived event, each by a part of its text, with the reason. */
const WITHOUT_OLD_EVENTS: readonly (readonly [part: RegExp, reason: string])[] = [
  [/from event where seq > /, 'events by their place in the order of acceptance: shipper.ts asks for them before'],
  [
    /seq > \$\{mark\}|from event e \$\{addresses/,
    'a projection answers only while no event after its mark is archived',
  ],
  [/e\.seq > \$\{seq\}/, 'what is not counted yet is not archived'],
  [/f\.accepted_at >=/, 'the first of the events that the list itself reads'],
  [/e\.seq = \$\{event\.seq\}/, 'one event that was found in the same transaction'],
  [/where \$\{wanted\}/, 'its condition is made with inRange'],
  [/order by e\.seq`/, 'the events of a part that is being written'],
];

/** Statements that read raw events and would miss archived ones; see src/metering/events/at-hand.sql.ts. */
export function readsWithoutArchive(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => isProgram(file) && file.path.endsWith('.sql.ts') && roomOf(file.path) !== 'auditor')
    .flatMap((file) =>
      nodesOf(file)
        .filter(isStatement)
        .map(({ start, end }) => ({ start, text: file.text.slice(start, end) }))
        .filter(({ text }) => READS_EVENTS.test(text) && !ASKS.test(text))
        .filter(({ text }) => !WITHOUT_OLD_EVENTS.some(([part]) => part.test(text)))
        .map(({ start }) => ({
          path: file.path,
          line: lineAt(file.text, start),
          what: 'reads raw events without eventsAtHand: those in the archive would be missing',
        })),
    );
}

/**
 * Imports of a `*.sql.ts` by a file that has no transaction: rules know neither statements nor columns, types included.
 * The type of a row that a rule takes stands in a file of its own. An `index.ts` hands on what others use.
 */
export function statementsInRules(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => isProgram(file) && !/\.sql\.ts$|\/index\.ts$/.test(file.path))
    .filter((file) => importsOf(file).some(({ to }) => to.endsWith('.sql.ts')) && !hasTransaction(file))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ to }) => to.endsWith('.sql.ts'))
        .map(({ line, to }) => ({ path: file.path, line, what: `has no tx, but imports ${to}` })),
    );
}

const hasTransaction = (file: SourceFile): boolean =>
  nodesOf(file).some(({ type, name }) => type === 'Identifier' && (name === 'tx' || name === 'Tx'));

/**
 * The tables that the migrations create, each with the room that owns it: the first word in the name of the file
 * (decision 0173). A large domain has several files: `0051_metering_keys.sql` is one of metering.
 */
export function tablesWithOwners(files: readonly SourceFile[]): Map<string, string> {
  const tables = files.flatMap(({ path, text }) => {
    const owner = /^migrations\/\d+_([a-z]+)\w*\.sql$/.exec(path)?.[1];
    if (owner === undefined) return [];
    return [...text.matchAll(/^create table (\w+)/gm)].map((match) => [match[1] as string, owner] as const);
  });
  return new Map(tables);
}

/** Asks whether the tables of all rooms agree. */
const AUDITOR = 'auditor';

/** The tables that a statement names; null where the name is not written in it. */
function tablesIn(node: Node): (string | null)[] {
  if (isInsertion(node)) return [nameOfTable((node.arguments as Node[])[0])];
  const { quasis } = node.quasi as { quasis: { value: { raw: string } }[] };
  const text = quasis.map(({ value }) => value.raw).join(' ? ');
  const own = new Set([...text.matchAll(/\b(\w+)\s+as\s+(?:materialized\s+)?\(/g)].map((match) => match[1]));
  const named = [...text.matchAll(/\b(?:from|join|into|update)\s+(?:only\s+)?(\w+)/g)].map(
    (match) => match[1] as string,
  );
  return [...new Set(named)].filter((table) => !own.has(table));
}

const nameOfTable = (argument: Node | undefined): string | null =>
  argument?.type === 'Literal' ? nameOf(argument) : null;

/**
 * Statements that name a table of another room: that room's index.ts is the way to it. The helper that writes an insert
 * must be given its table's name, or this could not be seen.
 */
export function foreignTables(files: readonly SourceFile[]): Finding[] {
  const owners = tablesWithOwners(files);
  return files
    .filter((file) => isProgram(file) && roomOf(file.path) !== AUDITOR)
    .flatMap((file) => {
      const room = roomOf(file.path);
      return nodesOf(file)
        .filter((node) => isStatement(node) || isInsertion(node))
        .flatMap((node) => tablesIn(node).map((table) => ({ table, line: lineAt(file.text, node.start) })))
        .flatMap(({ table, line }) => {
          if (table === null) return [{ path: file.path, line, what: 'inserts without the name of the table' }];
          const owner = owners.get(table);
          if (owner === undefined || owner === room || (room === 'rating' && owner === 'invoicing')) return [];
          return [{ path: file.path, line, what: `names ${table}, a table of ${owner}` }];
        });
    });
}
