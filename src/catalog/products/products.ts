import type { Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import { newId } from '../../kernel/ids.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { insertProduct, type Product, selectProduct, selectProducts, updateProduct } from './products.sql.ts';
import type { ProductCreateBody, ProductUpdateBody } from './schema.ts';

/** A product as it is answered (§2). */
export const toProductReply = (product: Product) => ({
  id: product.id,
  object: 'product' as const,
  name: product.name,
  description: product.description,
  merchantId: product.merchantId,
  metadata: product.metadata,
  createdAt: formatInstant(product.createdAt),
  updatedAt: formatInstant(product.updatedAt),
});

/** Makes a product. */
export async function createProduct(
  tx: Tx,
  body: ProductCreateBody,
  now: Instant,
): Promise<Result<ReturnType<typeof toProductReply>>> {
  const product = await insertProduct(tx, {
    id: newId('product'),
    merchantId: tx.merchantId,
    name: body.name,
    description: body.description ?? '',
    metadata: body.metadata ?? {},
    createdAt: now,
    updatedAt: now,
  });
  return ok(toProductReply(product));
}

/** The products of one merchant, or (null, for operators) of all, newest first. */
export async function listProducts(tx: Tx, merchantId: string | null, page: PageRequest) {
  const { rows, total } = await selectProducts(tx, merchantId, page);
  return { data: rows.map(toProductReply), total };
}

/** One product; 404. */
export async function getProduct(tx: Tx, id: string) {
  const product = await selectProduct(tx, id);
  return product ? ok(toProductReply(product)) : notFound('product');
}

/** Changes the fields of the body; metadata is replaced whole. */
export async function changeProduct(tx: Tx, id: string, body: ProductUpdateBody, now: Instant) {
  const product = await updateProduct(tx, id, body, now);
  return product ? ok(toProductReply(product)) : notFound('product');
}
