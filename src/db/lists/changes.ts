import type { Instant } from '../../kernel/time.ts';
import { allOf, type Sql, sql } from '../sql.ts';

/** A merchant's rows (null: of every merchant) that changed at a time or later. */
export interface Changed {
  readonly merchantId: string | null;
  readonly from: Instant;
}

const conditionOf = ({ merchantId, from }: Changed): Sql =>
  allOf([merchantId !== null && sql`merchant_id = ${merchantId}`, sql`changed_at >= ${from}`]);

/** A sub-query of one column of the rows of a table that changed (migrations/0172_db_list_changes.sql). */
export const changedRows = (table: string, column: string, changed: Changed): Sql =>
  sql`select ${sql.ref(column)} from ${sql.ref(table)} where ${conditionOf(changed)}`;

/** Rows of a list that show rows of another table: those whose column is in a sub-query. */
export interface Showing {
  readonly column: string;
  readonly changed: Sql;
}

/**
 * The condition that a row of a list changed, or shows one that did. Rows are found from the indexes of the time of the
 * last change, so a list costs what changed, however long it is.
 * @param alias of the table in the list's statement
 */
export function isChanged(table: string, changed: Changed, showing: readonly Showing[] = [], alias = table): Sql {
  const ofMerchant = changed.merchantId !== null && sql`merchant_id = ${changed.merchantId}`;
  const shown = showing.map(
    (each) =>
      sql`select seq from ${sql.ref(table)} where ${allOf([ofMerchant, sql`${sql.ref(each.column)} in (${each.changed})`])}`,
  );
  return sql`${sql.ref(`${alias}.seq`)} in (${sql.join([changedRows(table, 'seq', changed), ...shown], sql` union all `)})`;
}
