import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Meter, UsageCut, UsageQuery, UsageRow, WindowSize } from '../../metering/index.ts';
import { type Cost, selectCostsSince } from '../costs/costs.sql.ts';
import { type MeteredCost, measureCost, meterOf } from './cost-usage.ts';

/** A stretch of time, half-open. */
interface Range {
  readonly from: Instant;
  readonly to: Instant;
}

/** The amount of one cost for one customer in one stretch of time. */
export interface CustomerCost {
  readonly costId: string;
  /** Null: usage that belongs to no customer yet. */
  readonly customerId: string | null;
  readonly from: Instant;
  readonly cost: Decimal;
}

/** The costs of the merchant that were there after an instant; `meter` is null where one measures nothing. */
export async function costsWithMeters(
  tx: Tx,
  merchantId: string,
  since: Instant,
): Promise<(Cost & { meter: Meter | null })[]> {
  return (await selectCostsSince(tx, merchantId, since)).map((cost) => ({ ...cost, meter: meterOf(cost) }));
}

/**
 * The amounts of some costs by customer: over the whole range, or in each of some consecutive stretches.
 * @param windows `size` where the stretches are windows of metering
 */
export async function measureCustomerCosts(
  tx: Tx,
  usage: UsageQuery<Tx>,
  merchantId: string,
  costs: readonly MeteredCost[],
  range: Range,
  windows?: { readonly stretches: readonly Range[]; readonly size: WindowSize | null },
): Promise<CustomerCost[]> {
  const found: CustomerCost[] = [];
  for (const cost of costs) {
    const measure = async ({ from, to }: Range, cut: UsageCut): Promise<CustomerCost[]> => {
      const scope = { merchantId, sources: null, from, to };
      const [rows = []] = await measureCost(tx, usage, cost, scope, [{ byCustomer: true, ...cut }]);
      return rows.filter(isUsed).map((row) => ({
        costId: cost.id,
        customerId: row.customerId ?? null,
        from: row.windowStart ?? from,
        cost: row.cost,
      }));
    };
    if (windows === undefined) found.push(...(await measure(range, {})));
    else if (windows.size !== null && cost.meter.aggregation !== 'LATEST')
      found.push(...(await measure(range, { window: windows.size })));
    else for (const stretch of windows.stretches) found.push(...(await measure(stretch, {})));
  }
  return found;
}

const isUsed = ({ eventCount, value }: UsageRow): boolean => eventCount > 0 || !value.isZero();
