import { allOf, type Sql, sql } from '../sql.ts';
import type { Tx } from '../tx.ts';

/**
 * Lists whose rows are counted as they change; see `counted_list` (migrations/0002_db.sql), where each has its facets.
 */
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

/** Values of each dimension that divides the counts of a list, in the order of `counted_list`; absent: all values. */
export type Facets = readonly (readonly string[] | undefined)[];

const facetsAre = (facets: Facets): (Sql | false)[] =>
  facets.map(
    (values, index) => values !== undefined && sql`facet[${sql.lit(index + 1)}] = any (${[...values]}::text[])`,
  );

/**
 * How many rows a list has, without counting them: the kept counts and the changes that wait, in one statement.
 * @param merchantId null for an operator's list over all merchants
 * @param facets only rows of these, e.g. of a status
 */
export async function keptCount(
  tx: Tx,
  list: CountedList,
  merchantId: string | null,
  facets: Facets = [],
): Promise<number> {
  const where = allOf([
    sql`list = ${list}`,
    merchantId !== null && sql`merchant_id = ${merchantId}`,
    ...facetsAre(facets),
  ]);
  const { total } = await tx.one<{ total: number }>(sql`
    select coalesce(sum(many), 0)::int as total
      from (select count as many from list_count where ${where}
            union all
            select change from list_count_change where ${where}) counted`);
  return total;
}

/** A list that is counted by ranges too: its dimensions and measures as `counted_list` has them. */
export interface RangedList {
  readonly list: CountedList;
  readonly facet: Sql;
  readonly measures: readonly string[];
  /** Of its rows, those that are counted, as the schema says it; absent: all. */
  readonly condition?: Sql;
}

/** A range of a column; null is an open end. Of a number both ends are within, of a time the first alone. */
export interface CountedRange {
  readonly measure: string;
  readonly kind: 'time' | 'number';
  readonly from: Sql | null;
  readonly to: Sql | null;
}

export interface RangeTotal {
  readonly rows: number;
  /** No row of the range has a `seq` above. */
  readonly top: bigint | null;
  /** About how many rows of all facets an index of the column reads for the range. */
  readonly reach: number;
}

/**
 * How many rows of a list lie in a range of a column. Stretches of the column that lie within the range are kept
 * counts; only the rows of a stretch that the range cuts are counted.
 */
export function keptRange(
  tx: Tx,
  { list, facet, measures, condition }: RangedList,
  merchantId: string | null,
  { measure, kind, from, to }: CountedRange,
  facets: Facets = [],
): Promise<RangeTotal> {
  const [low, high] =
    kind === 'time'
      ? [from && sql`microseconds(${from}::timestamptz)`, to && sql`microseconds(${to}::timestamptz) - 1`]
      : [from && sql`${from}::numeric`, to && sql`${to}::numeric`];
  const column = sql.ref(measure);
  const key = sql.ref(`${measure}_key`);
  const [ends, isWithin] =
    kind === 'time'
      ? [
          sql`at_microseconds(greatest(least, low)) as "from", at_microseconds(least(most, high)) as "to"`,
          sql`${column} between cut."from" and cut."to"`,
        ]
      : [
          sql`greatest(least, low) as "from", least(most, high) as "to",
              range_key(greatest(least, low)) as from_key, range_key(least(most, high)) as to_key`,
          sql`${key} between cut.from_key and cut.to_key and ${column} between cut."from" and cut."to"`,
        ];
  const ofList = allOf([sql`list = ${list}`, merchantId !== null && sql`merchant_id = ${merchantId}`]);
  return tx.one<RangeTotal>(sql`
    with asked as materialized (
      select ${low ?? sql`'-Infinity'::numeric`} as low, ${high ?? sql`'Infinity'::numeric`} as high
    ), kept as materialized (
      select r.merchant_id, r.facet, r.count, r.least, r.most, r.top, low, high, least < low or most > high as is_cut,
             ${allOf(facetsAre(facets))} as is_asked
        from list_range r, asked
       where ${ofList} and measure = ${measure} and least <= high and most >= low
    ), cut as materialized (
      select merchant_id, facet, least, most, ${ends} from kept where is_cut and is_asked
    ), waiting as (
      select merchant_id, facet, sign(change) as change, top, value
        from list_count_change, unnest(measured) with ordinality as m (value, n), asked
       where ${allOf([ofList, ...facetsAre(facets)])} and (n - 1) % ${sql.lit(measures.length)} = ${sql.lit(measures.indexOf(measure))}
         and value between low and high
    )
    select ((select coalesce(sum(count), 0) from kept where is_asked and not is_cut)
            + (select coalesce(sum(counted.many), 0)
                 from cut, lateral (select count(*) as many from ${sql.ref(list)} counted
                                     where ${allOf([
                                       sql`counted.merchant_id = cut.merchant_id and ${isWithin} and ${facet} = cut.facet`,
                                       condition,
                                     ])}) counted)
            + (select coalesce(sum(change), 0) from waiting w
                where not exists (select from cut where cut.merchant_id = w.merchant_id and cut.facet = w.facet
                                     and w.value between cut.least and cut.most)))::int as rows,
           greatest((select max(top) from kept where is_asked), (select max(top) from waiting)) as top,
           (select coalesce(sum(count), 0)::int from kept) as reach`);
}

/** The query parameters of lists that are no filters. */
const NO_FILTERS: ReadonlySet<string> = new Set(['merchantId', 'limit', 'offset', 'after']);

/**
 * The total of a list from the stored counts, for `pageOfRows`; undefined if the list has a filter that they do not
 * know, so that its rows are counted.
 * @param filters all filters of the list, absent ones undefined
 * @param dimensions the filters that divide the counts, in the order of `counted_list`, e.g. `status`: one value or
 * several
 */
export function keptTotal<Filters extends object>(
  tx: Tx,
  list: CountedList,
  merchantId: string | null,
  filters: Filters,
  dimensions: readonly (keyof Filters)[] = [],
): (() => Promise<number>) | undefined {
  const isKnown = new Set<string | number | symbol>([...dimensions, ...NO_FILTERS]);
  if (Object.entries(filters).some(([name, value]) => !isKnown.has(name) && value !== undefined)) return undefined;
  const facets = dimensions.map((name) => {
    const value = filters[name] as string | readonly string[] | undefined;
    return typeof value === 'string' ? [value] : value;
  });
  return () => keptCount(tx, list, merchantId, facets);
}

/** How many rows of the merchant's lists have each value of the first dimension, which is the status. */
export const keptByStatus = (
  tx: Tx,
  lists: readonly CountedList[],
): Promise<{ list: CountedList; status: string; count: number }[]> =>
  tx.rows<{ list: CountedList; status: string; count: number }>(sql`
    select list, facet[1] as status, sum(many)::int as count
      from (select list, facet, count as many from list_count
             where merchant_id = ${tx.merchantId} and list = any (${[...lists]}::text[])
            union all
            select list, facet, change from list_count_change
             where merchant_id = ${tx.merchantId} and list = any (${[...lists]}::text[])) counted
     group by 1, 2`);

/** Merchants with changes that the counts do not hold yet. */
export const selectMerchantsToCount = (tx: Tx): Promise<string[]> =>
  tx.values<string>(sql`
    select distinct merchant_id from list_count_change order by 1`);

/**
 * Adds the oldest changes of a merchant to its counts. One worker at a time adds the changes of a merchant.
 * @returns how many changes were added
 */
export const addListChanges = (tx: Tx, most: number): Promise<number> =>
  tx
    .one<{ added: number }>(sql`select add_list_changes(${tx.merchantId}, ${most}) as added`)
    .then(({ added }) => added);

/**
 * Counts all lists of a merchant again, while the program runs; only transactions that add changes to counts wait.
 * @returns the number of wrong counts
 */
export async function countListsAgain(tx: Tx): Promise<number> {
  const { mended } = await tx.one<{ mended: number }>(sql`select count_lists_again(${tx.merchantId}) as mended`);
  return mended;
}

/** All merchants, and the platform, whose lists are counted too. */
export const selectAllMerchants = (tx: Tx): Promise<string[]> =>
  tx.values<string>(sql`select id from merchants_with_lists() id order by 1`);
