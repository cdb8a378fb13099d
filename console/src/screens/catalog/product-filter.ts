import { useRead } from '../../api/queries.ts';
import type { Filter } from '../../shape/list.tsx';

/** The filter of a list by product, with the names of the products. */
export function useProductFilter(): Filter {
  const { data } = useRead('GET /v0/products', { query: { limit: 100 } });
  return {
    name: 'productId',
    label: 'Product',
    choices: (data?.data ?? []).map(({ id, name }) => [id, name] as const),
  };
}
