import { type Sql, sql } from './sql.ts';
import type { Tx } from './tx.ts';

/**
 * One page of a statement's rows and the number of all of them. `order` is what "newest first" means here, e.g. sql`seq
 * desc`.
 * @param count asked for the number where the page does not tell it; by default all rows are counted
 */
export async function pageOfRows<Row>(
  tx: Tx,
  query: { select: Sql; from: Sql; where: Sql; order: Sql },
  page: { limit: number; offset: number },
  count = async (): Promise<number> => {
    const { from, where } = query;
    return (await tx.one<{ total: number }>(sql`select count(*)::int as total from ${from} where ${where}`)).total;
  },
): Promise<{ rows: Row[]; total: number }> {
  const { select, from, where, order } = query;
  const rows = await tx.rows<Row>(
    sql`select ${select} from ${from} where ${where} order by ${order} limit ${page.limit} offset ${page.offset}`,
  );
  const isWhole = page.offset === 0 && rows.length < page.limit;
  if (isWhole) return { rows, total: rows.length };
  return { rows, total: await count() };
}
