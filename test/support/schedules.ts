import { approve, decideApproval } from './approvals.ts';
import type { TestEnvironment } from './environment.ts';
import { type Resource, type Shop, shopOf } from './shop.ts';

type Fields = Record<string, unknown>;

/** The body of a schedule over the year 2026, by months from its start, by default. */
export const scheduleBody = (fields: Fields): Fields => ({
  startDate: '2026-01-01T00:00:00Z',
  endDate: '2027-01-01T00:00:00Z',
  billingAnchor: '2026-01-01T00:00:00Z',
  periodPreset: 'P1M',
  ...fields,
});

/** One unit from the start of 2026 on, each month in advance, by default. */
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

/** Gets an order approved: one user of the merchant requests (an edit may have), another approves. */
export async function approveOrder(env: TestEnvironment, order: Resource): Promise<void> {
  const [maker, checker] = await Promise.all([
    env.userOf({ id: order.merchantId }, 'member'),
    env.userOf({ id: order.merchantId }, 'member'),
  ]);
  const path = `/v0/approvals?resourceId=${order.id}&decision=pending`;
  const [pending] = (await shopOf(maker).read(path)).data as Resource[];
  if (pending) await decideApproval(shopOf(checker), pending, 'approved');
  else await approve(shopOf(maker), shopOf(checker), order);
}
