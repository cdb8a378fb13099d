import { allOf, assignments, insertion, jsonb, pageOfRows, type Sql, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { equals, FOR_KEY_SHARE, FOR_UPDATE, ofMerchant, UNLOCKED } from '../scope.sql.ts';

/** §2 Item: a product in other systems; it has no price and no meter. */
export interface Item {
  readonly id: string;
  readonly merchantId: string;
  readonly name: string;
  /** The product of its catalog. */
  readonly catalogId: string | null;
  readonly metadata: Record<string, unknown>;
  readonly archivedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const INSERTED = sql`id, merchant_id, name, catalog_id, metadata, created_at, updated_at`;
const COLUMNS = sql`${INSERTED}, archived_at`;

export const insertItem = (tx: Tx, item: Item): Promise<Item> =>
  tx.one<Item>(sql`${insertion('item', withJsonb(item, 'metadata'), INSERTED)} returning ${COLUMNS}`);

const selectOne = (tx: Tx, id: string, lock: Sql) =>
  tx.maybe<Item>(sql`select ${COLUMNS} from item where merchant_id = ${tx.merchantId} and id = ${id} ${lock}`);

export const selectItem = (tx: Tx, id: string) => selectOne(tx, id, UNLOCKED);
export const lockItem = (tx: Tx, id: string) => selectOne(tx, id, FOR_UPDATE);
export const lockItemShared = (tx: Tx, id: string) => selectOne(tx, id, FOR_KEY_SHARE);

export const selectItemsById = (tx: Tx, ids: readonly string[]) =>
  tx.rows<Item>(sql`select ${COLUMNS} from item where merchant_id = ${tx.merchantId} and id = any(${[...ids]})`);

/** Locked in the order of their ids, against deadlocks. */
export const lockItemsShared = (tx: Tx, ids: readonly string[]) =>
  tx.rows<Item>(sql`
    select ${COLUMNS} from item where merchant_id = ${tx.merchantId} and id = any(${[...ids]})
      order by id ${FOR_KEY_SHARE}`);

export const selectItems = (
  tx: Tx,
  merchantId: string | null,
  filter: { catalogId?: string | undefined; includeArchived: boolean; referenced?: Sql | undefined },
  page: PageRequest,
) =>
  pageOfRows<Item>(
    tx,
    {
      kind: 'item',
      select: COLUMNS,
      from: sql`item`,
      where: allOf([
        ofMerchant(merchantId),
        equals('catalog_id', filter.catalogId),
        !filter.includeArchived && sql`archived_at is null`,
        filter.referenced && sql`(merchant_id, id) in (${filter.referenced})`,
      ]),
    },
    page,
  );

export const updateItem = (
  tx: Tx,
  id: string,
  change: {
    name?: string | undefined;
    catalogId?: string | null | undefined;
    metadata?: unknown;
    archivedAt?: Instant | null | undefined;
  },
  now: Instant,
) =>
  tx.one<Item>(sql`
    update item set ${assignments({
      name: change.name,
      catalogId: change.catalogId,
      metadata: change.metadata === undefined ? undefined : jsonb(change.metadata),
      archivedAt: change.archivedAt,
      updatedAt: now,
    })}
     where merchant_id = ${tx.merchantId} and id = ${id}
    returning ${COLUMNS}`);

export const deleteItemRow = (tx: Tx, id: string) =>
  tx.run(sql`delete from item where merchant_id = ${tx.merchantId} and id = ${id}`);

/** The catalog entries with the item: the first hundred of each kind by name, and the count of all. */
export const selectItemHolders = (tx: Tx, id: string, most: number) =>
  tx.rows<{ type: string; count: number; id: string; name: string }>(sql`
    select * from (
      select 'billableMetric' as type, id, name, count(*) over ()::int as count from billable_metric
       where merchant_id = ${tx.merchantId} and item_id = ${id} order by seq limit ${most}) metric
    union all
    select * from (
      select 'fee' as type, id, name, count(*) over ()::int as count from fee
       where merchant_id = ${tx.merchantId} and item_id = ${id} and deleted_at is null order by seq
         limit ${most}) fee`);
