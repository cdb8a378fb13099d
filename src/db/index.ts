export { DatabaseFull, isAway } from './away.ts';
export { BinaryArray, type ElementType } from './binary-array.ts';
export { connectTo, findPooler, type Pooler } from './connection/index.ts';
export { answerSet, Gathering, type Waiting } from './gathering.ts';
export { insertion, withJsonb } from './insertion.ts';
export { parseExactJson } from './json.ts';
export { acceptClockAt, beginNextLife, currentLife, isInDoubt, type Life, livesOf, noteClock } from './life.ts';
export { type Changed, changedRows, isChanged } from './lists/changes.ts';
export {
  addListChanges,
  type CountedList,
  type CountedRange,
  countListsAgain,
  keptByStatus,
  keptRange,
  keptTotal,
  type RangedList,
  type RangeTotal,
  selectAllMerchants,
  selectMerchantsToCount,
} from './lists/list-counts.ts';
export {
  isOfOrder,
  newestFirst,
  type Order,
  type PageRequest,
  type Placed,
  pageOfRows,
  partsOfPage,
} from './lists/page.ts';
export { AFTER_FORM } from './lists/places.ts';
export { lockKey } from './lock-key.ts';
export { LookUp } from './look-up.ts';
export { checkVersion, type Migrated, migrate, migrationFiles, NeedsDirectUrl } from './migrate.ts';
export { checkReference, lockResources, ownerOf } from './ownership.ts';
export { isStalePlan } from './plan-names.ts';
export { Presence } from './presence.ts';
export { rowsAs } from './rows.ts';
export {
  allOf,
  arrayElements,
  assignments,
  column,
  columns,
  filled,
  jsonb,
  recordset,
  type Sql,
  sql,
  type Template,
  template,
} from './sql.ts';
export { CLOCK_BEHIND, LOCK_NOT_AVAILABLE, sqlState, UNDEFINED_FUNCTION, uniqueViolation } from './sql-state.ts';
export { Reports, type ReportsOptions } from './standby/reports.ts';
export { secondsBehind } from './standby/seconds-behind.ts';
export {
  Database,
  type DatabaseOptions,
  type Scope,
  type TransactionOptions,
  type TransactionReport,
} from './transaction.ts';
export { tryAgain } from './try-again.ts';
export type { Tx } from './tx.ts';
export { type AppliedMigration, compareMigrations, type MigrationFile, OtherVersion } from './versions.ts';
