import type { Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { selectLinesOfItem } from './lines.sql.ts';
import { selectUnendedOrders } from './orders.sql.ts';

/**
 * The holders of an item in orders, which prevent its deletion: some of the lines that sell it, each with its count.
 */
export const linesOfItem = (tx: Tx, itemId: string, most: number) => selectLinesOfItem(tx, itemId, most);

/** Orders of a customer or on a clock that are not cancelled and whose term is not over, oldest first. */
export const unendedOrders = (
  tx: Tx,
  of: { readonly customerId: string } | { readonly clockId: string },
  now: Instant,
): Promise<{ id: string }[]> => selectUnendedOrders(tx, of, now);
