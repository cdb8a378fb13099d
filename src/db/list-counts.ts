import { allOf, sql } from './sql.ts';
import type { Tx } from './tx.ts';

/** Lists whose rows are counted as they change; see `counted_list` (migrations/0132), where each has its facets. */
export type CountedList =
  | 'invoice'
  | 'customer'
  | 'organization'
  | 'subscription'
  | 'payment_session'
  | 'payment_link'
  | 'mail'
  | 'audit_entry'
  | 'external_reference'
  | 'sales_order'
  | 'billing_schedule'
  | 'approval'
  | 'source_event';

/**
 * How many rows a list has, without counting them: the kept counts and the changes that wait, in one statement.
 * @param merchantId null for an operator's list over all merchants
 * @param facets only rows of these, e.g. of a status; absent: all rows
 */
export async function keptCount(
  tx: Tx,
  list: CountedList,
  merchantId: string | null,
  facets?: readonly string[],
): Promise<number> {
  const where = allOf([
    sql`list = ${list}`,
    merchantId !== null && sql`merchant_id = ${merchantId}`,
    facets !== undefined && sql`facet = any (${[...facets]}::text[])`,
  ]);
  const { total } = await tx.one<{ total: number }>(sql`
    select coalesce(sum(many), 0)::int as total
      from (select count as many from list_count where ${where}
            union all
            select change from list_count_change where ${where}) counted`);
  return total;
}

/** What queries of lists have beside filters. */
const NO_FILTERS: ReadonlySet<string> = new Set(['merchantId', 'limit', 'offset']);

/**
 * How a list's total is found from the kept counts, for `pageOfRows`; undefined where the list has a filter that they do
 * not know, so that its rows are counted.
 * @param filters all filters of the list, absent ones undefined
 * @param facet the filter that divides the counts, e.g. `status`: one value or several
 */
export function keptTotal<Filters extends object>(
  tx: Tx,
  list: CountedList,
  merchantId: string | null,
  filters: Filters,
  facet?: keyof Filters,
): (() => Promise<number>) | undefined {
  const given = Object.entries(filters).filter(([name, value]) => !NO_FILTERS.has(name) && value !== undefined);
  if (given.some(([name]) => name !== facet)) return undefined;
  const facets = given.flatMap(([, value]) => value as string | readonly string[]);
  return () => keptCount(tx, list, merchantId, given.length === 0 ? undefined : facets);
}

/** Merchants with changes that the counts do not hold yet. */
export const selectMerchantsToCount = async (tx: Tx): Promise<string[]> =>
  (
    await tx.rows<{ merchantId: string }>(sql`
      select distinct merchant_id as "merchantId" from list_count_change order by 1`)
  ).map(({ merchantId }) => merchantId);

/**
 * Adds the oldest changes of a merchant to its counts. Changes that another worker is adding are left to it; nobody else
 * writes counts.
 * @returns how many changes were added
 */
export const addListChanges = (tx: Tx, merchantId: string, most: number): Promise<number> =>
  tx
    .one<{ added: number }>(sql`
      with oldest as materialized (
        select seq from list_count_change where merchant_id = ${merchantId} order by seq limit ${most} for update skip locked
      ), taken as (
        delete from list_count_change c using oldest
         where c.merchant_id = ${merchantId} and c.seq = oldest.seq
        returning c.list, c.facet, c.change
      ), added as (
        insert into list_count as kept (merchant_id, list, facet, count)
        select ${merchantId}, list, facet, sum(change) from taken group by list, facet order by list, facet
        on conflict (merchant_id, list, facet) do update set count = kept.count + excluded.count
      )
      select count(*)::int as added from taken`)
    .then(({ added }) => added);

/**
 * Counts all lists of a merchant anew, while the program runs; only who adds changes to counts waits.
 * @returns how many counts were something else
 */
export async function countListsAgain(tx: Tx, merchantId: string): Promise<number> {
  const { mended } = await tx.one<{ mended: number }>(sql`select count_lists_again(${merchantId}) as mended`);
  return mended;
}

/** All merchants, and the platform, whose lists are counted too. */
export const selectAllMerchants = async (tx: Tx): Promise<string[]> =>
  (await tx.rows<{ id: string }>(sql`select id from merchants_with_lists() id order by 1`)).map(({ id }) => id);
