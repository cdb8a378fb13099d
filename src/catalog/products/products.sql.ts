import { allOf, assignments, insertion, jsonb, pageOfRows, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { ofMerchant } from '../scope.sql.ts';

/** §2 Product. */
export interface Product {
  readonly id: string;
  readonly merchantId: string;
  readonly name: string;
  readonly description: string;
  readonly metadata: Record<string, unknown>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const COLUMNS = sql`id, merchant_id, name, description, metadata, created_at,
  updated_at`;

export const insertProduct = (tx: Tx, product: Product): Promise<Product> =>
  tx.one<Product>(sql`${insertion('product', withJsonb(product, 'metadata'), COLUMNS)} returning ${COLUMNS}`);

export const selectProduct = (tx: Tx, id: string): Promise<Product | undefined> =>
  tx.maybe<Product>(sql`select ${COLUMNS} from product where merchant_id = ${tx.merchantId} and id = ${id}`);

export const selectProducts = (tx: Tx, merchantId: string | null, page: PageRequest) =>
  pageOfRows<Product>(
    tx,
    { kind: 'product', select: COLUMNS, from: sql`product`, where: allOf([ofMerchant(merchantId)]) },
    page,
  );

/** One statement, so that of two simultaneous changes neither overwrites the fields of the other. */
export const updateProduct = (
  tx: Tx,
  id: string,
  change: { name?: string | undefined; description?: string | undefined; metadata?: unknown },
  now: Instant,
): Promise<Product | undefined> =>
  tx.maybe<Product>(sql`
    update product set ${assignments({
      name: change.name,
      description: change.description,
      metadata: change.metadata === undefined ? undefined : jsonb(change.metadata),
      updatedAt: now,
    })}
     where merchant_id = ${tx.merchantId} and id = ${id}
    returning ${COLUMNS}`);
