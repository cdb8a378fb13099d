import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Meter, UsageCut, UsageQuery, UsageRow, WindowSize } from '../../metering/index.ts';
import { type Cost, selectAllCosts } from '../costs/costs.sql.ts';
import { meterOf } from './cost-summary.ts';

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

/** The costs of a merchant that measure something, with their meters. */
export interface MeteredCost extends Cost {
  readonly meter: Meter;
}

/** Every cost of the merchant that is not deleted; `meter` is null where it measures nothing. */
export async function costsWithMeters(tx: Tx, merchantId: string): Promise<(Cost & { meter: Meter | null })[]> {
  return (await selectAllCosts(tx, merchantId)).map((cost) => ({ ...cost, meter: meterOf(cost) }));
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
      const scope = { merchantId, meter: cost.meter, sources: null, from, to };
      const [rows = []] = await usage.measure(tx, scope, [{ byCustomer: true, ...cut }]);
      return rows.filter(isUsed).map((row) => ({
        costId: cost.id,
        customerId: row.customerId ?? null,
        from: row.windowStart ?? from,
        cost: row.value.times(cost.unitCost),
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
