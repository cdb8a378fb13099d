import type { Tx } from '../../db/index.ts';
import { checkFigures, eachInTurns, inTurns, type Static, sortedInTurns } from '../../http/index.ts';
import { jsonNumber, sum } from '../../kernel/decimal.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { EARLIEST, formatInstant, type Instant } from '../../kernel/time.ts';
import { byTime, dimensionsOf, isLevel, MOST_ROWS, type UsageQuery, type WindowSize } from '../../metering/index.ts';
import { type Cost, selectCostsSince } from '../costs/costs.sql.ts';
import { costText } from './cost-money.ts';
import { type CostRow, measureCost, meterOf } from './cost-usage.ts';
import { changesOf, heldOver, type WindowPart } from './levels-in-report.ts';
import { byValue, sourcesOf } from './metric-usage.ts';
import { checkWindows, type Question, readQuestion } from './question.ts';
import type { CostSummaryQuery, CostSummaryReply } from './schemas.ts';

/**
 * GET /v0/costs/{id}/summary: the amounts of a cost's usage, of a deleted one up to its end. Without a meter the totals
 * are null.
 */
export async function costSummary(
  tx: Tx,
  usage: UsageQuery<Tx>,
  id: string,
  query: CostSummaryQuery,
): Promise<Result<Static<typeof CostSummaryReply>>> {
  const [cost] = await selectCostsSince(tx, EARLIEST, id);
  if (!cost) return notFound('cost');
  const meter = meterOf(cost);
  const read = readQuestion(query, meter ? dimensionsOf(meter) : []);
  if (!read.ok) return read;
  const { from, to, groups, groupFilters } = read.value;
  const checked = checkWindows('window', query.window, read.value);
  if (!checked.ok) return checked;
  const sources = await sourcesOf(tx, query.subject, read.value);
  const scope = { merchantId: tx.merchantId, sources, from, to, groupFilters, mostRows: MOST_ROWS };
  const [totals = [], windows = [], grouped = []] =
    meter === null
      ? []
      : await measureCost(tx, usage, { ...cost, meter }, scope, [
          {},
          query.window === undefined ? {} : { window: query.window },
          { groups },
        ]);
  const counted = checkFigures('groupBy', groups.join(), { windows: 1, groups: grouped.length });
  if (!counted.ok) return counted;
  const figures = ({ value, cost: amount }: Pick<CostRow, 'value' | 'cost'>) => ({
    quantity: jsonNumber(value),
    cost: costText(amount, cost.currency),
  });
  const toGroup = (row: CostRow) => ({ dimensions: row.group, ...figures(row) });
  const toWindow = ({ windowStart, windowEnd, quantity, ...part }: WindowPart) => ({
    windowStart: formatInstant(windowStart),
    windowEnd: formatInstant(windowEnd),
    ...figures({ value: quantity, cost: part.cost }),
  });
  return ok({
    object: 'cost',
    id,
    name: cost.name,
    type: 'metered',
    currency: cost.currency,
    ...(cost.eventType !== null && { eventType: cost.eventType }),
    totalCost: meter && costText(sum(totals.map((row) => row.cost)), cost.currency),
    totalQuantity: meter && jsonNumber(sum(totals.map(({ value }) => value))),
    ...(groups.length > 0 && { groups: await eachInTurns(await sortedInTurns(grouped, byValue), toGroup) }),
    ...(query.window !== undefined && {
      timeSeries: await eachInTurns(await seriesOf(cost, windows, query.window, read.value), toWindow),
    }),
  });
}

/** The windows of a cost in the order of time; a level has a figure in every one. */
async function seriesOf(cost: Cost, rows: readonly CostRow[], size: WindowSize, question: Question) {
  const isOfLevel = cost.aggregation !== null && isLevel({ aggregation: cost.aggregation });
  const changed = isOfLevel ? await inTurns(changesOf(rows)) : rows;
  const parts = await eachInTurns(changed, ({ value, ...row }) => ({
    ...{ key: cost.id, label: cost.name, unit: cost.unit, quantity: value, cost: row.cost },
    windowStart: row.windowStart as Instant,
    windowEnd: row.windowEnd as Instant,
  }));
  return sortedInTurns(isOfLevel ? await inTurns(heldOver(cost, parts, size, question)) : parts, byTime);
}
