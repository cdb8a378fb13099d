import { allOf, assignments, insertion, jsonb, pageOfRows, type Sql, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { equals, FOR_KEY_SHARE, FOR_UPDATE, ofMerchant, UNLOCKED } from '../scope.sql.ts';
import type { Feature } from './feature.ts';

const COLUMNS = sql`id, merchant_id, product_id, key, name, type, metadata,
  created_at, updated_at`;

/**
 * @returns undefined if the key is taken; two simultaneous inserts wait for each other on the index, and the second one
 * gets undefined
 */
export const insertFeature = (tx: Tx, feature: Feature): Promise<Feature | undefined> =>
  tx.maybe<Feature>(sql`
    ${insertion('feature', withJsonb(feature, 'metadata'), COLUMNS)}
    on conflict (merchant_id, product_id, key) where deleted_at is null do nothing
    returning ${COLUMNS}`);

const selectOne = (tx: Tx, id: string, lock: Sql) =>
  tx.maybe<Feature>(sql`
    select ${COLUMNS} from feature where merchant_id = ${tx.merchantId} and id = ${id} and deleted_at is null ${lock}`);

export const selectFeature = (tx: Tx, id: string) => selectOne(tx, id, UNLOCKED);
export const lockFeature = (tx: Tx, id: string) => selectOne(tx, id, FOR_UPDATE);
export const lockFeatureShared = (tx: Tx, id: string) => selectOne(tx, id, FOR_KEY_SHARE);

/** Features by id, deleted ones too: what ended with a feature is still called by its key. */
export const selectFeaturesById = async (tx: Tx, merchantIds: readonly string[], ids: readonly string[]) =>
  ids.length === 0
    ? []
    : tx.rows<Feature>(sql`
        select ${COLUMNS} from feature where merchant_id = any(${[...merchantIds]}) and id = any(${[...ids]})`);

/**
 * The features of a key, deleted ones too, of one merchant or (null, for operators) of all: one in each product at most
 * lives.
 */
export const selectFeaturesByKey = (tx: Tx, merchantId: string | null, key: string) =>
  tx.rows<Feature>(sql`select ${COLUMNS} from feature where ${ofMerchant(merchantId)} and key = ${key} order by seq`);

export const selectFeatures = (
  tx: Tx,
  merchantId: string | null,
  filter: { productId?: string | undefined; key?: string | undefined; type?: string | undefined },
  page: PageRequest,
) =>
  pageOfRows<Feature>(
    tx,
    {
      kind: 'feature',
      select: COLUMNS,
      from: sql`feature`,
      exists: sql`deleted_at is null`,
      where: allOf([
        ofMerchant(merchantId),
        equals('product_id', filter.productId),
        equals('key', filter.key),
        equals('type', filter.type),
      ]),
    },
    page,
  );

export const updateFeature = (
  tx: Tx,
  id: string,
  change: {
    key?: string | undefined;
    name?: string | undefined;
    productId?: string | undefined;
    metadata?: unknown;
  },
  now: Instant,
) =>
  tx.one<Feature>(sql`
    update feature set ${assignments({
      key: change.key,
      name: change.name,
      productId: change.productId,
      metadata: change.metadata === undefined ? undefined : jsonb(change.metadata),
      updatedAt: now,
    })}
     where merchant_id = ${tx.merchantId} and id = ${id}
    returning ${COLUMNS}`);

export const markFeatureDeleted = (tx: Tx, id: string, now: Instant) =>
  tx.run(sql`update feature set deleted_at = ${now} where merchant_id = ${tx.merchantId} and id = ${id}`);

/** The prices that carry a feature and are not deleted: some of them by name, all of them counted. */
export const selectPricesOfFeature = (tx: Tx, featureId: string, most: number) =>
  tx.rows<{ id: string; invoiceDisplayName: string; count: number }>(sql`
    select p.id, p.invoice_display_name, count(*) over ()::int as count
      from price_feature pf join price p on p.merchant_id = pf.merchant_id and p.id = pf.price_id
     where pf.merchant_id = ${tx.merchantId} and pf.feature_id = ${featureId} and p.deleted_at is null
     order by p.seq limit ${most}`);
