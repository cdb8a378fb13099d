import { findMeteredMetrics } from '../catalog/index.ts';
import type { Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { findLateUsage, hasLateUsage } from '../metering/index.ts';
import { findBillableUsage } from '../subscriptions/index.ts';
import { addsUp, type UnbilledPart } from './unbilled.ts';

/** Later than any `lateUsageDays` after the end of any period. */
const LONGEST_PAST_DAYS = 900;

/**
 * Usage of earlier days that came too late to be billed, by metric: what was accepted after one event and up to
 * another. The days themselves were searched before it came.
 * @param came marks (`usageMark`); `after` null: nothing was searched before, so nothing is told twice
 */
export async function findArrivedTooLate(
  tx: Tx,
  before: Instant,
  { after, upTo }: { readonly after: bigint | null; readonly upTo: bigint },
): Promise<UnbilledPart[]> {
  const period = { start: before.subtract({ hours: LONGEST_PAST_DAYS * 24 }), end: before };
  const range = { merchantId: tx.merchantId, from: period.start, to: period.end };
  const since = after ?? 0n;
  if (!(await hasLateUsage(tx, range, since, upTo))) return [];
  const { priced } = await findBillableUsage(tx, period);
  const parts: UnbilledPart[] = [];
  for (const { id: metricId, meter } of await findMeteredMetrics(tx))
    for (const { late, filters } of priced.get(metricId) ?? []) {
      const asked = late.map((each) => ({ ...each, after: each.after > since ? each.after : since, upTo }));
      const { eventCount, quantity } = await findLateUsage(tx, range, meter, asked, filters);
      const own = { metricId, eventType: meter.eventType as string, group: null };
      const amount = { eventCount, quantity: addsUp(meter.aggregation) ? quantity : null };
      if (eventCount > 0) parts.push({ reason: 'PERIOD_CLOSED', ...own, ...amount });
    }
  return parts;
}
