import type { Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { publish } from '../webhooks/index.ts';
import type { OrderRow } from './order.ts';

/** Writes a webhook event about an order (domain.md §9). */
export const publishOrderEvent = (
  tx: Tx,
  { merchantId, id, customerId }: OrderRow,
  type: 'order.approved.v0' | 'order.cancelled.v0',
  now: Instant,
): Promise<string> => publish(tx, { merchantId, type, data: { orderId: id, customerId } }, now);
