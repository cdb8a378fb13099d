import { orThrow } from '../../src/kernel/result.ts';
import { parseInstant } from '../../src/kernel/time.ts';
import { lockOrder, markApproved, markSubmitted, type OrderParts } from '../../src/orders/index.ts';
import { partsForOrders, scheduleListener } from '../../src/schedules/index.ts';
import type { TestEnvironment } from './environment.ts';
import type { Resource, Shop } from './shop.ts';

type Fields = Record<string, unknown>;

/** The body of a schedule over the year 2026, by months from its start, unless told otherwise. */
export const scheduleBody = (fields: Fields): Fields => ({
  startDate: '2026-01-01T00:00:00Z',
  endDate: '2027-01-01T00:00:00Z',
  billingAnchor: '2026-01-01T00:00:00Z',
  periodPreset: 'P1M',
  ...fields,
});

/** One unit from the start of 2026 on, each month in advance, unless told otherwise. */
export const intervalBody = (fields: Fields = {}): Fields => ({
  baseQuantity: '1',
  billingCadence: 'P1M',
  billingMode: 'advance',
  startDate: '2026-01-01T00:00:00Z',
  ...fields,
});

/** A schedule of an order. */
export const newSchedule = (shop: Shop, order: Resource, fields: Fields = {}): Promise<Resource> =>
  shop.create('/v0/billingSchedules', scheduleBody({ orderId: order.id, ...fields }));

/** Replaces the intervals of a schedule. */
export const putIntervals = async (shop: Shop, schedule: Resource, intervals: Fields[]): Promise<Resource[]> =>
  (await shop.replace(`/v0/billingSchedules/${schedule.id}/intervals`, { intervals })).data;

const parts: OrderParts = {
  environment: 'sandbox',
  ...partsForOrders,
  cancelApprovals: async () => undefined,
  approvedKinds: async () => new Set(),
  listeners: [scheduleListener],
};

/** Has an order approved, as its approvals do. */
export const approveOrder = (env: TestEnvironment, order: Resource, at: string): Promise<void> =>
  env.database.transaction({ merchants: [order.merchantId] }, async (tx) => {
    const key = { merchantId: order.merchantId, id: order.id };
    const wall = parseInstant(at);
    if (!wall) throw new Error(`${at} is no instant.`);
    const { order: draft, now } = orThrow(await lockOrder(tx, key, wall));
    const pending = draft.approvalStatus === 'draft' ? orThrow(await markSubmitted(parts, tx, draft, now)) : draft;
    if (pending.approvalStatus === 'pending') orThrow(await markApproved(parts, tx, pending, now));
  });
