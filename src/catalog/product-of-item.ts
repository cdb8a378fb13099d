import { checkReference, type Tx } from '../db/index.ts';
import { invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { lockItemShared } from './items/items.sql.ts';

/** The place of a metric or a fee in the catalog. */
export interface Placement {
  readonly productId?: string | undefined;
  readonly itemId?: string | null | undefined;
}

/**
 * §4 metric rules 1 and 2, for fees too: the product is the item's; one that was named must agree, and one must be
 * named where there is no item, or the item stands in no catalog.
 */
export function decideProduct(productId: string | undefined, catalogId: string | null): Result<string> {
  if (productId === undefined) {
    return catalogId === null
      ? invalidField('productId', 'is required, unless itemId names an item that has a catalogId')
      : ok(catalogId);
  }
  return catalogId === null || catalogId === productId
    ? ok(productId)
    : invalidField('productId', "is not the product of the item's catalog");
}

/** The product of a metric or fee to be, its item held until the end of the transaction. */
export async function resolveProduct(tx: Tx, placement: Placement): Promise<Result<string>> {
  let catalogId: string | null = null;
  if (placement.itemId) {
    const known = await checkReference(tx, 'item', placement.itemId, 'itemId');
    if (!known.ok) return known;
    const item = await lockItemShared(tx, placement.itemId);
    if (!item) return notFound('item', 'itemId');
    catalogId = item.catalogId;
  }
  if (placement.productId !== undefined) {
    const known = await checkReference(tx, 'product', placement.productId, 'productId');
    if (!known.ok) return known;
  }
  return decideProduct(placement.productId, catalogId);
}
