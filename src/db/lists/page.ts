import { type IdKind, idKindWords, isId, wrongKindWords } from '../../kernel/ids.ts';
import { forbidden, invalidField, notFound, orThrow } from '../../kernel/result.ts';
import { allOf, compile, type Sql, sql } from '../sql.ts';
import type { Tx } from '../tx.ts';
import { idOfAfter, Places } from './places.ts';

/** The page of a list that is asked for. Whoever reads its rows notes in it where the next page begins. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** The row behind which the page begins: its id, or the `nextAfter` of the page before. */
  after?: string | undefined;
  /** The `after` of the next page; null: this is the last one. */
  nextAfter?: string | null;
}

/** One value by which a list is sorted, and its type in the database. */
export interface OrderKey {
  readonly by: Sql;
  readonly type: 'bigint' | 'int' | 'text' | 'timestamptz' | 'boolean' | 'xid8';
}

/** The order of a list. Its last value makes each place unique. All runs one way, so one comparison is enough. */
export interface Order {
  readonly keys: readonly OrderKey[];
  readonly direction: 'asc' | 'desc';
}

/** The rows of a list, however they are filtered. */
export interface ListRows {
  /** Of the ids that `after` takes; null: rows of several kinds. */
  readonly kind: IdKind | null;
  readonly from: Sql;
  /** The name in `from` of the table with `id`, `merchant_id` and `seq`, where it joins others. */
  readonly alias?: string;
  /** The column of a row's id. Default: `id`. */
  readonly id?: Sql;
  /** The condition that finds the row of an id. Default: that the column has it. Null: no row has such an id. */
  readonly hasId?: (id: string) => Sql | null;
  /** What holds for each row of the list, whatever its filters: its parent, and that it is not deleted. */
  readonly exists?: Sql;
  /** Default: newest first, by `seq`. */
  readonly order?: Order;
}

/** The columns that a row has beside its own while its page is read. */
export interface Placed {
  readonly listId: string;
  readonly listPlace: string[];
}

/** The parts of the statement that reads a page. */
interface PageParts {
  /** For the `select`. */
  readonly place: Sql;
  /** For the `where`; absent on a page that begins by its offset. */
  readonly behind: Sql | undefined;
  /** For the `order by`. */
  readonly order: Sql;
  /** For the `limit`: one row more than the page has, which tells that there is a next page. */
  readonly most: number;
  /** The rows of the page. Notes where the next page begins. */
  readonly rowsOf: <Row>(read: readonly (Row & Placed)[]) => Promise<Row[]>;
}

/** The order of a list, which its places are sealed with. */
const nameOf = ({ keys }: Order): string => compile(sql.join(keys.map(({ by }) => by))).text;

/** Is an `after` the `nextAfter` of a page in this order? */
export const isOfOrder = async (tx: Tx, after: string, order: Order): Promise<boolean> =>
  (await places(tx)).valuesOf(after, nameOf(order)) !== null;

/** The order of most lists. */
export const newestFirst = (seq: Sql): Order => ({ keys: [{ by: seq, type: 'bigint' }], direction: 'desc' });

/**
 * The parts of the statement for a page. A page begins behind the place that its row has now; where the row is gone, it
 * begins at the place that `nextAfter` holds.
 * @throws the refusal of an `after`: sixty lists would only pass it on
 */
export async function partsOfPage(tx: Tx, list: ListRows, page: PageRequest): Promise<PageParts> {
  const named = (name: string): Sql => sql.ref(list.alias === undefined ? name : `${list.alias}.${name}`);
  const id = list.id ?? named('id');
  const sorted = list.order ?? newestFirst(named('seq'));
  const { keys, direction } = sorted;
  const name = nameOf(sorted);
  const place = sql`${id}::text as list_id, array[${sql.join(keys.map(({ by }) => sql`(${by})::text`))}] as list_place`;
  const way = sql.raw(direction);
  return {
    place,
    behind: page.after === undefined ? undefined : await behindRow(page.after),
    order: sql.join(keys.map(({ by }) => sql`${by} ${way}`)),
    most: page.limit + 1,
    rowsOf: async <Row>(read: readonly (Row & Placed)[]) => {
      const shown = read.slice(0, page.limit);
      const last = shown.at(-1);
      page.nextAfter =
        last && read.length > page.limit
          ? (await places(tx)).textOf({ id: last.listId, values: last.listPlace }, name)
          : null;
      return shown.map(({ listId: _id, listPlace: _place, ...row }) => row as Row);
    },
  };

  async function behindRow(after: string): Promise<Sql> {
    const rowId = idOfAfter(after);
    if (list.kind !== null && !isId(list.kind, rowId))
      return orThrow<never>(
        invalidField('after', wrongKindWords(list.kind, rowId) ?? `must be ${idKindWords(list.kind)}`),
      );
    const values = (await placeNow(rowId)) ?? (await places(tx)).valuesOf(after, name);
    if (values === null) return orThrow<never>(notFound(list.kind ?? 'record', 'after'));
    const bounds = keys.map(({ type }, index) => sql`${values[index]}::${sql.raw(type)}`);
    const isBehind = direction === 'desc' ? sql`<` : sql`>`;
    return sql`(${sql.join(keys.map(({ by }) => by))}) ${isBehind} (${sql.join(bounds)})`;
  }

  /** The values of a row's order now; null if there is no such row. @throws the refusal of another merchant's */
  async function placeNow(rowId: string): Promise<readonly string[] | null> {
    const { owner, merchants } = await tx.one<{ owner: string | null; merchants: string }>(
      sql`select owner_of(${rowId}) as owner, current_setting('reckoner.merchants', true) as merchants`,
    );
    // an operator who reads all merchants' rows names none
    if (owner !== null && merchants !== '' && !merchants.split(',').includes(owner))
      return orThrow<never>(forbidden('The resource in after is not yours.'));
    const isRow = list.hasId ? list.hasId(rowId) : sql`${id} = ${rowId}`;
    if (isRow === null) return null;
    const found = await tx.maybe<Placed>(sql`
      select ${place} from ${list.from}
       where ${allOf([isRow, owner !== null && sql`${named('merchant_id')} = ${owner}`, list.exists])}`);
    return found?.listPlace ?? null;
  }
}

const places = (tx: Tx): Promise<Places> =>
  tx.constant('places in lists', async () => {
    const { key } = await tx.one<{ key: Uint8Array }>(sql`select list_place_key() as key`);
    return new Places(key);
  });

/**
 * One page of a list and the number of all its rows.
 * @param count asked for the number where the page does not tell it; by default all rows are counted
 */
export async function pageOfRows<Row>(
  tx: Tx,
  list: ListRows & { readonly select: Sql; readonly where?: Sql },
  page: PageRequest,
  count?: () => Promise<number>,
): Promise<{ rows: Row[]; total: number }> {
  const { select, from } = list;
  const where = allOf([list.exists, list.where]);
  const { place, behind, order, most, rowsOf } = await partsOfPage(tx, list, page);
  const read = await tx.rows<Row & Placed>(sql`
    select ${select}, ${place} from ${from} where ${allOf([where, behind])}
     order by ${order} limit ${most} offset ${page.offset}`);
  const rows = await rowsOf<Row>(read);
  const isWhole = page.after === undefined && page.offset === 0 && read.length <= page.limit;
  if (isWhole) return { rows, total: rows.length };
  if (count) return { rows, total: await count() };
  return {
    rows,
    total: await tx.value<number>(sql`select count(*)::int as total from ${from} where ${where}`),
  };
}
