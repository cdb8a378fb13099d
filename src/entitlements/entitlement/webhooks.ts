import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { type EventType, type OutboxEvent, publish } from '../../webhooks/index.ts';
import type { EntitlementRow } from './entitlement.ts';
import type { GrantRow } from './grants.sql.ts';

const about = ({ id, customerId, subscriptionId }: EntitlementRow) => ({
  entitlementId: id,
  customerId: customerId,
  subscriptionId: subscriptionId,
});

/** A webhook about an entitlement. @param more its data beside the ids */
export const entitlementEvent = (
  entitlement: EntitlementRow,
  type: EventType & `entitlement.${string}`,
  more: OutboxEvent['data'] = {},
): OutboxEvent => ({ merchantId: entitlement.merchantId, type, data: { ...about(entitlement), ...more } });

/** Writes a webhook about a grant into the outbox. */
export const publishGrantEvent = (
  tx: Tx,
  entitlement: EntitlementRow,
  grant: Pick<GrantRow, 'id'>,
  type: 'grant.created.v0' | 'grant.voided.v0',
  now: Instant,
): Promise<string> =>
  publish(tx, { merchantId: entitlement.merchantId, type, data: { grantId: grant.id, ...about(entitlement) } }, now);
