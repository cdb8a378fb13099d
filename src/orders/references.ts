import type { Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { selectLinesOfItem } from './lines.sql.ts';
import { selectUnendedOrders } from './orders.sql.ts';

/**
 * The holders of an item in orders, which prevent its deletion: some of the lines that sell it, each with its count.
 */
export const linesOfItem = (tx: Tx, merchantId: string, itemId: string, most: number) =>
  selectLinesOfItem(tx, merchantId, itemId, most);

/** Orders of a customer or on a clock that are not cancelled and whose term is not over, oldest first. */
export const unendedOrders = (
  tx: Tx,
  merchantId: string,
  of: { readonly customerId: string } | { readonly clockId: string },
  now: Instant,
): Promise<{ id: string }[]> => selectUnendedOrders(tx, merchantId, of, now);
