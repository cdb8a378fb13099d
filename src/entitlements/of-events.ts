import type { Tx } from '../db/index.ts';
import { orThrow } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import type { EventBalances } from '../metering/index.ts';
import { presentAll } from './access.ts';
import { measuringEvents } from './reading.sql.ts';
import { MeteredEntitlementDetail } from './schemas.ts';

/** The balances that POST /v0/events answers: of the active entitlements that measure the events, oldest first. */
export const eventBalances: EventBalances = {
  schema: MeteredEntitlementDetail,
  find: async (tx: Tx, merchantId: string, uses, wall: Instant) =>
    orThrow(await presentAll(tx, await measuringEvents(tx, merchantId, uses, wall), { at: null })),
};
