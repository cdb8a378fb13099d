import type { Tx } from '../../db/index.ts';
import { eachInTurns } from '../../http/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import {
  type Meter,
  MOST_ROWS,
  subjectsOfEach,
  type UsageCut,
  type UsageQuery,
  type UsageRow,
  type WindowSize,
} from '../../metering/index.ts';
import { type Cost, selectCostsSince } from '../costs/costs.sql.ts';
import { type CostRow, type MeteredCost, measureCost, meterOf } from './cost-usage.ts';

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
export async function costsWithMeters(tx: Tx, since: Instant): Promise<(Cost & { meter: Meter | null })[]> {
  return (await selectCostsSince(tx, since)).map((cost) => ({ ...cost, meter: meterOf(cost) }));
}

/**
 * The amounts of some costs by customer: over the whole range, or in each of some consecutive stretches.
 * @param only `customerIds`: those of some customers; `windows`: `size` where the stretches are windows of metering
 */
export async function measureCustomerCosts(
  tx: Tx,
  usage: UsageQuery<Tx>,
  costs: readonly MeteredCost[],
  range: Range,
  only: {
    readonly customerIds?: readonly string[];
    readonly windows?: { readonly stretches: readonly Range[]; readonly size: WindowSize | null };
  } = {},
): Promise<CustomerCost[]> {
  const { customerIds, windows } = only;
  const subjects = customerIds && [...(await subjectsOfEach(tx, customerIds)).values()].flat();
  const found: CustomerCost[][] = [];
  for (const cost of costs) {
    const measure = async ({ from, to }: Range, cut: UsageCut): Promise<void> => {
      const sources = subjects?.map((subject) => ({ subject, from, to })) ?? null;
      const scope = { merchantId: tx.merchantId, sources, from, to, mostRows: MOST_ROWS };
      const [rows = []] = await measureCost(tx, usage, cost, scope, [{ byCustomer: true, ...cut }]);
      const toCost = (row: CostRow): CustomerCost => ({
        costId: cost.id,
        customerId: row.customerId ?? null,
        from: row.windowStart ?? from,
        cost: row.cost,
      });
      found.push(await eachInTurns(rows.filter(isUsed), toCost));
    };
    if (windows === undefined) await measure(range, {});
    else if (windows.size !== null && cost.meter.aggregation !== 'LATEST')
      await measure(range, { window: windows.size });
    else for (const stretch of windows.stretches) await measure(stretch, {});
  }
  return found.flat();
}

const isUsed = ({ eventCount, value }: UsageRow): boolean => eventCount > 0 || !value.isZero();
