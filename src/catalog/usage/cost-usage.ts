import type { Tx } from '../../db/index.ts';
import { eachInTurns, inTurns } from '../../http/index.ts';
import { Decimal, ZERO } from '../../kernel/decimal.ts';
import {
  isLevel,
  isOverTime,
  type Meter,
  type UsageCut,
  type UsageQuery,
  type UsageRow,
  type UsageScope,
  windowAt,
} from '../../metering/index.ts';
import type { Cost } from '../costs/costs.sql.ts';
import { unitCostAt, unitCostsIn } from '../costs/unit-cost.ts';

/** A cost that measures something. */
export interface MeteredCost extends Cost {
  readonly meter: Meter;
}

/** The meter of a cost; null for one that measures nothing. */
export const meterOf = ({ aggregation, eventType, valueProperty, groupBy, timeUnit }: Cost): Meter | null =>
  aggregation === null || eventType === null
    ? null
    : { aggregation, eventType, valueProperty, groupBy, ...(timeUnit && { timeUnit }), eventFrom: null };

/** Usage, and its cost. */
export interface CostRow extends UsageRow {
  readonly cost: Decimal;
}

/** The figures of neighbouring stretches of time add up to that of all. */
const addsUp = (meter: Meter): boolean => ['SUM', 'COUNT'].includes(meter.aggregation) || isOverTime(meter);

/**
 * What usage costs (docs/decisions/0182). SUM and COUNT cost the unit costs at their times. Other figures cost the one
 * at the end of the time or window, and are each customer's own: that of several customers is their sum. A cut of a
 * level by windows has rows for each customer, of the windows in which it was set.
 */
export async function measureCost(
  tx: Tx,
  usage: UsageQuery<Tx>,
  cost: MeteredCost,
  scope: Omit<UsageScope, 'meter'>,
  cuts: readonly UsageCut[],
): Promise<CostRow[][]> {
  const { meter } = cost;
  const spans = unitCostsIn(cost, scope.from, scope.to);
  if (addsUp(meter)) {
    const wholePeriod = { start: scope.from, end: scope.to };
    const found: CostRow[][][] = [];
    for (const { from, to, unitCost } of spans) {
      const costed: CostRow[][] = [];
      for (const rows of await usage.measure(tx, { ...scope, meter, from, to, wholePeriod }, cuts))
        costed.push(await eachInTurns(rows, (row) => ({ ...row, cost: row.value.times(unitCost) })));
      found.push(costed);
    }
    const added: CostRow[][] = [];
    for (const [index, cut] of cuts.entries()) {
      const rows = found.flatMap((each) => each[index] ?? []);
      added.push(await inTurns(addingRows(rows, cut, scope)));
    }
    return added;
  }
  const to = spans.at(-1)?.to;
  if (to === undefined) return cuts.map(() => []);
  const byCustomer = cuts.map((cut) => ({ ...cut, byCustomer: true }));
  const measured = await usage.measure(tx, { ...scope, meter, to }, byCustomer);
  const costOf = (row: UsageRow): CostRow => ({
    ...row,
    cost: row.value.times(unitCostAt(cost, (row.windowEnd ?? to).subtract({ nanoseconds: 1 }))),
  });
  const costed: CostRow[][] = [];
  for (const [index, cut] of cuts.entries()) {
    const rows = await eachInTurns(measured[index] ?? [], costOf);
    costed.push(isLevel(meter) && cut.window !== undefined ? rows : await inTurns(addingRows(rows, cut, scope)));
  }
  return costed;
}

/** The rows of a cut, of whatever customers and stretches of time, added up to one for each group and window. */
function* addingRows(
  rows: readonly CostRow[],
  { byCustomer, window }: UsageCut,
  { from, to }: Omit<UsageScope, 'meter'>,
): Generator<void, CostRow[]> {
  const added = new Map<string, CostRow>();
  for (const { customerId = null, ...row } of rows) {
    const at = window && row.windowStart ? windowAt(row.windowStart, window, from, to) : null;
    const key = JSON.stringify([row.group, byCustomer ? customerId : null, at?.windowStart.epochMilliseconds]);
    const known = added.get(key);
    added.set(key, {
      ...row,
      ...at,
      ...(byCustomer && { customerId }),
      value: Decimal.sum(known?.value ?? ZERO, row.value),
      cost: Decimal.sum(known?.cost ?? ZERO, row.cost),
      eventCount: (known?.eventCount ?? 0) + row.eventCount,
    });
    yield;
  }
  return [...added.values()];
}
