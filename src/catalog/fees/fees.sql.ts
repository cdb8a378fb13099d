import { allOf, assignments, insertion, pageOfRows, type Sql, sql, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { equals, FOR_KEY_SHARE, FOR_UPDATE, ofMerchant, UNLOCKED } from '../scope.sql.ts';

/** A charge without usage: a seat, a set-up, a base charge. */
export interface Fee {
  readonly id: string;
  readonly merchantId: string;
  readonly productId: string;
  readonly itemId: string | null;
  readonly name: string;
  readonly description: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const COLUMNS = sql`id, merchant_id, product_id, item_id, name, description,
  created_at, updated_at`;

export const insertFee = (tx: Tx, fee: Fee) => tx.one<Fee>(sql`${insertion('fee', fee, COLUMNS)} returning ${COLUMNS}`);

const selectOne = (tx: Tx, id: string, lock: Sql) =>
  tx.maybe<Fee>(sql`
    select ${COLUMNS} from fee where merchant_id = ${tx.merchantId} and id = ${id} and deleted_at is null ${lock}`);

export const selectFee = (tx: Tx, id: string) => selectOne(tx, id, UNLOCKED);
export const lockFee = (tx: Tx, id: string) => selectOne(tx, id, FOR_UPDATE);
export const lockFeeShared = (tx: Tx, id: string) => selectOne(tx, id, FOR_KEY_SHARE);

/** Deleted ones too: a price of an archived version still has its name from here. */
export const selectFeesById = async (tx: Tx, merchantIds: readonly string[], ids: readonly string[]) =>
  ids.length === 0
    ? []
    : tx.rows<Fee>(sql`
        select ${COLUMNS} from fee where merchant_id = any(${[...merchantIds]}) and id = any(${[...ids]})`);

export const selectFees = (
  tx: Tx,
  merchantId: string | null,
  filter: { productId?: string | undefined; itemId?: string | undefined },
  page: PageRequest,
) =>
  pageOfRows<Fee>(
    tx,
    {
      kind: 'fee',
      select: COLUMNS,
      from: sql`fee`,
      exists: sql`deleted_at is null`,
      where: allOf([ofMerchant(merchantId), equals('product_id', filter.productId), equals('item_id', filter.itemId)]),
    },
    page,
  );

/** The fields that a change may set; absent fields stay unchanged. */
export type FeeChange = Partial<Pick<Fee, 'productId' | 'itemId' | 'name' | 'description'>>;

export const updateFee = (tx: Tx, id: string, change: FeeChange, now: Instant) =>
  tx.one<Fee>(sql`
    update fee set ${assignments({
      productId: change.productId,
      itemId: change.itemId,
      name: change.name,
      description: change.description,
      updatedAt: now,
    })}
     where merchant_id = ${tx.merchantId} and id = ${id}
    returning ${COLUMNS}`);

export const markFeeDeleted = (tx: Tx, id: string, now: Instant) =>
  tx.run(sql`update fee set deleted_at = ${now} where merchant_id = ${tx.merchantId} and id = ${id}`);

/** The prices of a fee that are not deleted: some of them by name, all of them counted. */
export const selectPricesOfFee = (tx: Tx, feeId: string, most: number) =>
  tx.rows<{ id: string; invoiceDisplayName: string; count: number }>(sql`
    select id, invoice_display_name, count(*) over ()::int as count from price
     where merchant_id = ${tx.merchantId} and fee_id = ${feeId} and deleted_at is null
     order by seq limit ${most}`);
