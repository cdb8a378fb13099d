import type { Tx } from '../../db/index.ts';
import type { Static } from '../../http/index.ts';
import { jsonNumber } from '../../kernel/decimal.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant } from '../../kernel/time.ts';
import { byTime, dimensionsOf, everyWindow, type Meter, type UsageQuery, type UsageRow } from '../../metering/index.ts';
import { type Cost, selectCost } from '../costs/costs.sql.ts';
import { costText } from './cost-money.ts';
import { byValue, sourcesOf } from './metric-usage.ts';
import { checkWindows, readQuestion } from './question.ts';
import type { CostSummaryQuery, CostSummaryReply } from './schemas.ts';

/** The meter of a cost; null for one that measures nothing. */
export const meterOf = ({ aggregation, eventType, valueProperty, groupBy }: Cost): Meter | null =>
  aggregation === null || eventType === null
    ? null
    : { aggregation, eventType, valueProperty, groupBy, eventFrom: null };

/** GET /v0/costs/{id}/summary: the amounts of a cost's usage. Without a meter the totals are null. */
export async function costSummary(
  tx: Tx,
  usage: UsageQuery<Tx>,
  merchantId: string,
  id: string,
  query: CostSummaryQuery,
): Promise<Result<Static<typeof CostSummaryReply>>> {
  const cost = await selectCost(tx, merchantId, id);
  if (!cost) return notFound('cost');
  const meter = meterOf(cost);
  const read = readQuestion(query, meter ? dimensionsOf(meter) : []);
  if (!read.ok) return read;
  const { from, to, groups, groupFilters } = read.value;
  const checked = checkWindows(meter ? [meter] : [], 'window', query.window, read.value);
  if (!checked.ok) return checked;
  const money = (row: UsageRow) => costText(row.value.times(cost.unitCost), cost.currency);
  const [[total] = [], windows = [], grouped = []] =
    meter === null
      ? []
      : await usage.measure(
          tx,
          {
            merchantId,
            meter,
            sources: await sourcesOf(tx, merchantId, query.subject, read.value),
            from,
            to,
            groupFilters,
          },
          [{}, query.window === undefined ? {} : { window: query.window }, { groups }],
        );
  return ok({
    object: 'cost',
    id,
    name: cost.name,
    type: 'metered',
    currency: cost.currency,
    ...(cost.eventType !== null && { eventType: cost.eventType }),
    totalCost: total ? money(total) : null,
    totalQuantity: total ? jsonNumber(total.value) : null,
    ...(groups.length > 0 && {
      groups: grouped
        .toSorted(byValue)
        .map((row) => ({ dimensions: row.group, quantity: jsonNumber(row.value), cost: money(row) })),
    }),
    ...(query.window !== undefined && {
      timeSeries: (meter ? everyWindow(meter, windows, query.window, read.value) : []).toSorted(byTime).map((row) => ({
        windowStart: formatInstant(row.windowStart as Temporal.Instant),
        windowEnd: formatInstant(row.windowEnd as Temporal.Instant),
        quantity: jsonNumber(row.value),
        cost: money(row),
      })),
    }),
  });
}
