import { expect, it } from 'vitest';
import { decideProduct } from './product-of-item.ts';

it.each([
  { productId: 'prod_a', catalogId: null, product: 'prod_a' },
  { productId: undefined, catalogId: 'prod_a', product: 'prod_a' },
  { productId: 'prod_a', catalogId: 'prod_a', product: 'prod_a' },
  { productId: 'prod_b', catalogId: 'prod_a', product: null }, // §4 metric rule 2
  { productId: undefined, catalogId: null, product: null }, // rule 1
])('productId $productId and an item in $catalogId: $product', ({ productId, catalogId, product }) => {
  const decided = decideProduct(productId, catalogId);
  expect(decided.ok ? decided.value : null).toBe(product);
  if (!decided.ok) expect(decided.refusal).toMatchObject({ kind: 'validation', errors: [{ field: 'productId' }] });
});
