import type { Tx } from '../../db/index.ts';
import { eachInTurns, inTurns, type Static } from '../../http/index.ts';
import { jsonNumber, sum } from '../../kernel/decimal.ts';
import { invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { EARLIEST, formatInstant, type Instant, instantOf } from '../../kernel/time.ts';
import {
  dimensionsOf,
  isLevel,
  type Meter,
  MOST_ROWS,
  type UsageCut,
  type UsageQuery,
  type WindowSize,
  windowCount,
} from '../../metering/index.ts';
import { type Cost, selectCostsSince } from '../costs/costs.sql.ts';
import { costText } from './cost-money.ts';
import { type CostRow, type MeteredCost, measureCost, meterOf } from './cost-usage.ts';
import { changesOf, heldOver, type WindowPart } from './levels-in-report.ts';
import { sourcesOf } from './metric-usage.ts';
import { checkWindows, type GroupFilters, type Question, readQuestion } from './question.ts';
import { addUp, type CostPart, NO_VALUE_KEY, OTHER_KEY, pageOfGroups, percentOf } from './report-groups.ts';
import type { CostReportQuery, CostReportReply } from './schemas.ts';

/**
 * GET /v0/costs/report: what usage costs a merchant, in one currency: the one asked for, else the one that most costs
 * have. By cost, by customer, or by a dimension; costs that do not have the dimension count with its missing value. The
 * total is the sum of its groups.
 */
export async function costReport(
  tx: Tx,
  usage: UsageQuery<Tx>,
  query: CostReportQuery,
): Promise<Result<Static<typeof CostReportReply>>> {
  const asOf = { from: instantOf(query.from), to: instantOf(query.to) };
  const since = query.comparePriorPeriod === true ? periodBefore(asOf).from : asOf.from;
  const chosen = await selectCostsSince(tx, query.costId === undefined ? since : EARLIEST, query.costId);
  if (query.costId !== undefined && chosen.length === 0) return notFound('cost', 'costId');
  const currency = query.currency ?? mostFrequent(chosen.map((cost) => cost.currency)) ?? 'USD';
  const metered = chosen.flatMap((cost): MeteredCost[] => {
    const meter = cost.currency === currency ? meterOf(cost) : null;
    return meter ? [{ ...cost, meter }] : [];
  });
  const dimensions = [...new Set(metered.flatMap(({ meter }) => dimensionsOf(meter)))].toSorted();
  if (!['cost', 'customer', ...dimensions].includes(query.groupBy))
    return invalidField('groupBy', `must be ${['cost', 'customer', ...dimensions].join(', ')}`);
  const { groupBy: _groupBy, ...rest } = query;
  const read = readQuestion(rest, dimensions);
  if (!read.ok) return read;

  const question = read.value;
  const counted = metered.flatMap((each) => narrowed(each, question.groupFilters));
  const size = query.windowSize ?? defaultSize(question);
  const asked = { merchantId: tx.merchantId, query, size };
  const checked = checkWindows('windowSize', size, question);
  if (!checked.ok) return checked;
  const measured = await measureAll(tx, usage, counted, asked, question);
  const prior =
    query.comparePriorPeriod === true ? await measureAll(tx, usage, counted, asked, periodBefore(question)) : null;
  const groups = await addUp(measured.flatMap(({ parts }) => parts));
  const {
    shown,
    alone: listed,
    pagination,
  } = await pageOfGroups(
    groups,
    { by: query.sort === 'totalQuantity' ? 'quantity' : 'cost', descending: query.sortDir !== 'asc' },
    query,
  );
  const alone = new Set(shown.filter(({ isOther }) => !isOther).map(({ key }) => key));
  const figures = checkWindows('windowSize', size, question, Math.min(groups.length, alone.size + 1));
  if (!figures.ok) return figures;
  const gathered = new Set(groups.map(({ key }) => key).filter((key) => !listed.has(key)));
  const before = prior && (await addUp(prior.flatMap(({ parts }) => parts)));
  const total = sum(groups.map(({ cost }) => cost));
  return ok({
    object: 'cost_report',
    currency,
    period: { from: formatInstant(question.from), to: formatInstant(question.to) },
    groupBy: query.groupBy,
    totalCost: costText(total, currency),
    totalQuantity: jsonNumber(sum(groups.map(({ quantity }) => quantity))),
    groups: shown.map((group) => {
      const isMine = (key: string) => (group.isOther ? gathered.has(key) : key === group.key);
      const was = before && sum(before.filter(({ key }) => isMine(key)).map(({ cost }) => cost));
      return {
        key: group.key,
        label: group.label,
        totalCost: costText(group.cost, currency),
        totalQuantity: jsonNumber(group.quantity),
        unit: group.unit,
        percentOfTotal: jsonNumber(percentOf(group.cost, total)),
        priorPeriod: was && {
          cost: costText(was, currency),
          changePercent: was.isZero() ? null : jsonNumber(percentOf(group.cost.minus(was), was)),
        },
        isOther: group.isOther,
      };
    }),
    timeSeries: await timeSeriesOf(await partsInWindows(measured, alone, size, question), currency),
    availableDimensions: dimensions,
    warnings: warnings(chosen, metered, counted, currency, query.groupBy),
    pagination,
  });
}

/** Days of a series, of which longer ones are by month: ten groups have as many figures as are allowed. */
const MOST_DAYS = 1_000;

const defaultSize = ({ from, to }: Question): WindowSize =>
  windowCount('DAY', from, to) > MOST_DAYS ? 'MONTH' : 'DAY';

/** The word that is there most often; of several the first in the alphabet. */
const mostFrequent = (words: readonly string[]): string | undefined =>
  [...Map.groupBy(words, (word) => word)].toSorted(
    ([a, these], [b, those]) => those.length - these.length || (a < b ? -1 : 1),
  )[0]?.[0];

const periodBefore = ({ from, to }: Pick<Question, 'from' | 'to'>) => ({
  from: from.subtract(from.until(to)),
  to: from,
});

/** A cost without a dimension that is filtered by has only its missing value: it stays whole or is left out. */
function narrowed(each: MeteredCost, filters: GroupFilters): (MeteredCost & { filters: GroupFilters })[] {
  const known = dimensionsOf(each.meter);
  const entries = Object.entries(filters);
  if (entries.some(([dimension, values]) => !(known.includes(dimension) || values.includes(null)))) return [];
  return [{ ...each, filters: Object.fromEntries(entries.filter(([dimension]) => known.includes(dimension))) }];
}

interface MeasuredCost {
  readonly cost: MeteredCost;
  readonly parts: readonly CostPart[];
  /** For a level: its change in each window; for others: the usage in it. */
  readonly windows: readonly WindowPart[];
}

interface Asked {
  readonly merchantId: string;
  readonly query: CostReportQuery;
  readonly size: WindowSize;
}

/** The groups of each cost, and its groups by window. */
async function measureAll(
  tx: Tx,
  usage: UsageQuery<Tx>,
  costs: readonly (MeteredCost & { filters: GroupFilters })[],
  { merchantId, query, size }: Asked,
  range: { readonly from: Instant; readonly to: Instant },
): Promise<MeasuredCost[]> {
  const sources = await sourcesOf(tx, query.subject, range);
  const measured: MeasuredCost[] = [];
  for (const cost of costs) {
    const cut = cutOf(cost.meter, query.groupBy);
    const scope = { merchantId, sources, ...range, groupFilters: cost.filters, mostRows: MOST_ROWS };
    const byWindow = { ...cut, window: size };
    const [groups = [], windows = []] = await measureCost(tx, usage, cost, scope, [cut, byWindow]);
    const part = (row: CostRow) => partOf(row, cost, query.groupBy);
    const used = groups.filter(({ eventCount, value }) => eventCount > 0 || !value.isZero());
    const changed = isLevel(cost.meter) ? await inTurns(changesOf(windows)) : windows;
    measured.push({
      cost,
      parts: await eachInTurns(used, part),
      windows: await eachInTurns(changed, (row) => ({
        ...part(row),
        windowStart: row.windowStart as Instant,
        windowEnd: row.windowEnd as Instant,
      })),
    });
  }
  return measured;
}

function cutOf(meter: Meter, groupBy: string): UsageCut {
  if (groupBy === 'cost') return {};
  if (groupBy === 'customer') return { byCustomer: true };
  return dimensionsOf(meter).includes(groupBy) ? { groups: [groupBy] } : {};
}

function partOf(row: CostRow, cost: Cost, groupBy: string): CostPart {
  const figures = { quantity: row.value, cost: row.cost, unit: cost.unit };
  if (groupBy === 'cost') return { key: cost.id, label: cost.name, ...figures };
  const key = groupBy === 'customer' ? (row.customerId ?? null) : (row.group[groupBy] ?? null);
  return { key, label: key ?? 'None', ...figures };
}

/** The parts of all costs in each window. Those of the groups that do not stand alone are under one key. */
async function partsInWindows(
  measured: readonly MeasuredCost[],
  alone: ReadonlySet<string>,
  size: WindowSize,
  question: Question,
): Promise<WindowPart[]> {
  const inWindows: WindowPart[][] = [];
  for (const { cost, windows } of measured) {
    const parts = await eachInTurns(windows, (part) =>
      alone.has(part.key ?? NO_VALUE_KEY) ? part : { ...part, key: OTHER_KEY },
    );
    inWindows.push(isLevel(cost.meter) ? await inTurns(heldOver(cost, parts, size, question)) : parts);
  }
  return inWindows.flat();
}

/** The cost of each separate group in each window, and of the others together. */
async function timeSeriesOf(parts: readonly WindowPart[], currency: string) {
  const windows = Map.groupBy(parts, ({ windowStart }) => windowStart.epochMilliseconds);
  const series: Static<typeof CostReportReply>['timeSeries'] = [];
  for (const [, inWindow] of [...windows].toSorted(([a], [b]) => a - b)) {
    const { windowStart, windowEnd } = inWindow[0] as WindowPart;
    const groups = await addUp(inWindow);
    series.push({
      windowStart: formatInstant(windowStart),
      windowEnd: formatInstant(windowEnd),
      groups: Object.fromEntries(groups.map(({ key, cost }) => [key, costText(cost, currency)])),
    });
  }
  return series;
}

/** Warnings for unexpected figures. */
function warnings(
  chosen: readonly Cost[],
  metered: readonly MeteredCost[],
  counted: readonly MeteredCost[],
  currency: string,
  groupBy: string,
): string[] {
  const others = [...new Set(chosen.map((cost) => cost.currency))].filter((each) => each !== currency).toSorted();
  const units = [...new Set(counted.map(({ unit }) => unit ?? 'none'))].toSorted();
  const isDimension = groupBy !== 'cost' && groupBy !== 'customer';
  const without = counted.filter(({ meter }) => isDimension && !dimensionsOf(meter).includes(groupBy));
  const isNotCounted = ({ id }: MeteredCost) => !counted.some((each) => each.id === id);
  const names = (costs: readonly MeteredCost[]) => costs.map(({ name }) => name).join(', ');
  return [
    ...(others.length > 0 ? [`Costs in other currencies are left out: ${others.join(', ')}.`] : []),
    ...(units.length > 1 ? [`Quantities of different units are added: ${units.join(', ')}.`] : []),
    ...(without.length > 0 ? [`These costs have no dimension ${groupBy}: ${names(without)}.`] : []),
    ...(counted.length < metered.length
      ? [`The filter leaves these costs out: ${names(metered.filter(isNotCounted))}.`]
      : []),
  ];
}
