export { DatabaseFull, isAway } from './away.ts';
export { parseExactJson } from './json.ts';
export {
  addListChanges,
  type CountedList,
  type CountedRange,
  countListsAgain,
  keptRange,
  keptTotal,
  type RangedList,
  type RangeTotal,
  selectAllMerchants,
  selectMerchantsToCount,
} from './list-counts.ts';
export { type Migrated, migrate, migrationNames } from './migrate.ts';
export { checkReference, ownerOf } from './ownership.ts';
export { pageOfRows } from './page.ts';
export { allOf, assignments, jsonb, type Prepared, prepare, recordset, type Sql, sql } from './sql.ts';
export { sqlState, uniqueViolation } from './sql-state.ts';
export { Database, type DatabaseOptions, type Scope } from './transaction.ts';
export type { Tx } from './tx.ts';
