import { describe, expect, it } from 'vitest';
import { type Exceptions, type Finding, projectFiles, report } from '../../scripts/checks/project.ts';
import {
  foreignTables,
  readsWithoutArchive,
  statementsInRules,
  statementsOutOfSight,
  tablesWithOwners,
} from '../../scripts/checks/statements.ts';

const files = projectFiles();

const OUT_OF_SIGHT: Exceptions = {
  'src/catalog/references-in-body.ts': 'asks owner_of() for many ids at once, as src/db/ownership.ts does for one',
  'src/http/health.ts': 'asks the database whether it answers',
  'src/http/idempotency.ts': 'the claim and the stored answer; the edge has no other statement',
  'src/identity/audit.ts': 'the condition of one filter',
  'src/identity/platform.ts': 'makes the first operator, once for a database',
  'src/metering/intake/partitions.ts': 'calls the function that makes partitions',
};

const ACROSS: Exceptions = {
  'src/subscriptions/subscription/subscriptions.sql.ts':
    'a list by consumer needs the customers of the page in the same statement',
};

/** Folders with files that work through another handle than `tx`. No rule takes the types of rows from a `*.sql.ts`. */
const OTHER_HANDLES: Exceptions = {
  'src/console/': 'a session is looked up, and better-auth stores one, by a handle that is not called tx',
  'src/checkout/': 'a chore works through a function of the database for all merchants',
  'src/identity/': 'a key is looked up by a handle that is not called tx',
  'src/metering/': 'ClickHouse is no transaction, and a flush asks for subjects in its own way',
  'src/webhooks/': 'a sender and chores work through functions of the database for all merchants',
};

/** A finding as one of its folder, where the folder is excused. */
const ofFolder = (finding: Finding): Finding => {
  const folder = Object.keys(OTHER_HANDLES).find((each) => finding.path.startsWith(each));
  return folder === undefined ? finding : { ...finding, path: folder };
};

describe('the program', () => {
  it('has its statements in *.sql.ts', () => {
    expect(report(statementsOutOfSight(files), OUT_OF_SIGHT)).toEqual([]);
  });

  it('has no rule that imports a *.sql.ts', () => {
    expect(report(statementsInRules(files).map(ofFolder), OTHER_HANDLES)).toEqual([]);
  });

  it('reaches the tables of another domain through its index.ts alone', () => {
    expect(report(foreignTables(files), ACROSS)).toEqual([]);
  });

  it('asks for archived events wherever it reads raw ones', () => {
    expect(report(readsWithoutArchive(files))).toEqual([]);
    const found = (more: string) =>
      readsWithoutArchive([{ path: 'src/metering/a.sql.ts', text: `const a = sql\`select from event e${more}\`;` }]);
    expect(found('')).toMatchObject([{ line: 1 }]);
    expect(found(' where $'.concat('{eventsAtHand({ merchantId })}'))).toEqual([]);
  });

  it('has an owner for each table', () => {
    const rooms = new Set(files.map(({ path }) => path.split('/')[1]));
    const homeless = [...tablesWithOwners(files)].filter(([, owner]) => !rooms.has(owner));
    expect(homeless).toEqual([]);
  });
});

describe('these checks see', () => {
  const migrations = [
    { path: 'migrations/0010_tax.sql', text: '-- why\ncreate table tax_rate (\n' },
    { path: 'migrations/0011_tax_records.sql', text: 'create table tax_record (\n' },
    { path: 'migrations/0020_catalog.sql', text: 'create table price (\n' },
    { path: 'migrations/0030_webhooks.sql', text: 'create table outbox (\n' },
  ];
  const inTax = (statement: string) => [
    ...migrations,
    { path: 'src/tax/rates.sql.ts', text: `const a = sql\`${statement}\`;` },
  ];

  it('a statement in a file that says nothing of SQL', () => {
    const text = 'const read = (tx) => tx.rows(sql`select 1`);';
    expect(report(statementsOutOfSight([{ path: 'src/tax/rates.ts', text }]))).toHaveLength(1);
    expect(report(statementsOutOfSight([{ path: 'src/tax/rates.sql.ts', text }]))).toEqual([]);
  });

  it('an insert by the helper in a file that says nothing of SQL', () => {
    const text = `const write = (tx, rate) => tx.run(insertion('tax_rate', rate));`;
    expect(report(statementsOutOfSight([{ path: 'src/tax/rates.ts', text }]))).toHaveLength(1);
    expect(report(statementsOutOfSight([{ path: 'src/tax/rates.sql.ts', text }]))).toEqual([]);
  });

  it.each([
    { what: 'a table of another domain', call: `insertion('price', price)`, found: 1 },
    { what: 'a table that is not named', call: 'insertion(table, price)', found: 1 },
    { what: 'a table whose name is put together', call: `insertion(kind + '_rate', price)`, found: 1 },
    { what: 'its own table', call: `insertion('tax_rate', rate, sql\`id\`)`, found: 0 },
  ])('an insert by the helper into $what', ({ call, found }) => {
    const file = { path: 'src/tax/rates.sql.ts', text: `const write = (tx, rate) => tx.run(${call});` };
    expect(report(foreignTables([...migrations, file]))).toHaveLength(found);
  });

  it.each([
    { what: 'a rule that takes the type of a row', text: 'export const a = (row: Row) => row.rate;', found: 1 },
    { what: 'no operation that is handed a transaction', text: 'export const a = (tx: Tx) => row(tx);', found: 0 },
    { what: 'no route that is handed one', text: 'export const a = { handle: ({ tx }) => row(tx) };', found: 0 },
  ])('$what', ({ text, found }) => {
    const file = { path: 'src/tax/rates.ts', text: `import type { Row } from './rates.sql.ts';\n${text}` };
    expect(statementsInRules([file])).toHaveLength(found);
    expect(statementsInRules([{ ...file, path: 'src/tax/index.ts' }])).toEqual([]);
    expect(statementsInRules([{ ...file, path: 'src/tax/other.sql.ts' }])).toEqual([]);
  });

  it.each([
    'select * from price',
    'select * from tax_rate t join price p using (id)',
    'insert into price (id) values (1)',
    'update price set id = 1',
    'delete from price',
    'with a as (insert into outbox (id) values (1)) select * from a',
  ])('a table of another domain in: %s', (statement) => {
    expect(report(foreignTables(inTax(statement)))).toHaveLength(1);
  });

  it.each([
    'select * from tax_rate',
    'select * from tax_record',
    'with price as (select * from tax_rate) select * from price',
    'select extract(day from price_date)',
  ])('its own tables in: %s', (statement) => expect(report(foreignTables(inTax(statement)))).toEqual([]));
});
