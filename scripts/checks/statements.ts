import { importsOf, roomOf } from './imports.ts';
import { type Finding, isProgram, lineAt, type SourceFile } from './project.ts';
import { dotted, type Node, nodesOf } from './syntax.ts';

const isStatement = (node: Node): boolean =>
  node.type === 'TaggedTemplateExpression' && /^sql(?:\.|$)/.test(dotted(node.tag));

/** Statements that stand in another file than a `*.sql.ts`. The database's own room has them everywhere. */
export function statementsOutOfSight(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => isProgram(file) && !file.path.endsWith('.sql.ts') && roomOf(file.path) !== 'db')
    .flatMap((file) =>
      nodesOf(file)
        .filter(isStatement)
        .map(({ start }) => ({ path: file.path, line: lineAt(file.text, start), what: 'has SQL, but is no *.sql.ts' })),
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

/** Which room owns what a migration makes: the word in its name, unless its tables are of several rooms. */
const OWNERS: Readonly<Record<string, string>> = {
  catalog_change: 'catalog',
  outbox: 'webhooks',
  master_key: 'secrets',
  webhook_receipt: 'webhooks',
  outbox_sequence: 'webhooks',
  idempotency_key: 'http',
  resource: 'db',
  list_counts: 'db',
  due_failure: 'jobs',
  payment_charge: 'payments',
  payment_link: 'payments',
  remote_payments: 'payments',
  outside_tax: 'invoicing',
  tax_address_checks: 'invoicing',
  payment_dispute: 'payments',
  outside_refund: 'payments',
  invoice_overdue: 'invoicing',
  dunning_end: 'invoicing',
  subscription_adjustment: 'subscriptions',
  subscription_version: 'subscriptions',
  subscription_change: 'subscriptions',
  plan_migration: 'subscriptions',
  unused_credit: 'invoicing',
  adjustments: 'invoicing',
  money_leftovers: 'invoicing',
  receipt_job: 'invoicing',
  organization_logo: 'identity',
  documents_of_credit_notes: 'invoicing',
  due_kind: 'jobs',
  due_work: 'jobs',
  key_generations: 'metering',
  parts_of_periods: 'invoicing',
  rollups: 'metering',
  usage_reading: 'metering',
  tax_id_check: 'customers',
  settled_usage: 'metering',
  shipping: 'metering',
};

/** The tables that the migrations create, each with the room that owns it. */
export function tablesWithOwners(files: readonly SourceFile[]): Map<string, string> {
  const tables = files.flatMap(({ path, text }) => {
    const word = /^migrations\/\d+_(\w+)\.sql$/.exec(path)?.[1];
    if (word === undefined) return [];
    const names = [...text.matchAll(/^create table (\w+)/gm)].map((match) => match[1] as string);
    return names.map((name) => [name, OWNERS[name] ?? OWNERS[word] ?? word] as const);
  });
  return new Map(tables);
}

/** Asks whether the tables of all rooms agree. */
const AUDITOR = 'auditor';

/** Statements that name a table of another room: that room's index.ts is the way to it. */
export function foreignTables(files: readonly SourceFile[]): Finding[] {
  const owners = tablesWithOwners(files);
  return files
    .filter((file) => isProgram(file) && roomOf(file.path) !== AUDITOR)
    .flatMap((file) =>
      nodesOf(file)
        .filter(isStatement)
        .flatMap((node) => {
          const { quasis } = node.quasi as { quasis: { value: { raw: string } }[] };
          const text = quasis.map(({ value }) => value.raw).join(' ? ');
          const own = new Set([...text.matchAll(/\b(\w+)\s+as\s+(?:materialized\s+)?\(/g)].map((match) => match[1]));
          const named = [...text.matchAll(/\b(?:from|join|into|update)\s+(?:only\s+)?(\w+)/g)].map(
            (match) => match[1] as string,
          );
          const room = roomOf(file.path);
          return [...new Set(named)].flatMap((table) => {
            const owner = owners.get(table);
            if (owner === undefined || own.has(table) || owner === room || (room === 'rating' && owner === 'invoicing'))
              return [];
            return [
              { path: file.path, line: lineAt(file.text, node.start), what: `names ${table}, a table of ${owner}` },
            ];
          });
        }),
    );
}
