import { parseArgs } from 'node:util';
import { createTables, dropTables, engineMode } from '../src/metering/clickhouse/tables.sql.ts';

/**
 * Prints the statements with which Reckoner makes and drops its tables in ClickHouse, for whoever looks after that:
 * `npm run clickhouse:ddl`, with `-- --cluster NAME` for the replicated tables of a cluster. Nothing is run: Reckoner
 * does that itself, with a name of its own for each copy in the place of NAME (`--name`).
 */
const { values } = parseArgs({ options: { cluster: { type: 'string' }, name: { type: 'string', default: 'NAME' } } });
const mode = engineMode(values.cluster ?? null);
if (!/^\w+$/.test(values.name)) throw new RangeError(`${values.name} is no part of a table's name.`);

const section = (title: string, statements: readonly string[]): string =>
  [`-- ${title}`, ...statements.map((text) => `${text.trim().replaceAll(/\n\s*/g, '\n  ')};`)].join('\n\n');

console.log(
  [
    section('A copy of the events is made.', createTables(mode, values.name)),
    section('It is dropped, two minutes after another one has taken over.', dropTables(mode, values.name)),
  ].join('\n\n'),
);
