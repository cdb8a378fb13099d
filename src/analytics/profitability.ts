import {
  type CustomerCost,
  costsWithMeters,
  costText,
  type MeteredCost,
  measureCustomerCosts,
} from '../catalog/index.ts';
import { customerParties } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { eachInTurns } from '../http/index.ts';
import { findOrganization } from '../identity/index.ts';
import { type CheckedDecimal, type Decimal, jsonNumber, sum, ZERO } from '../kernel/decimal.ts';
import { formatMoney } from '../kernel/money.ts';
import { ok, type Result } from '../kernel/result.ts';
import { formatInstant, isAfter } from '../kernel/time.ts';
import type { UsageQuery } from '../metering/index.ts';
import { type BucketWidth, bucketsOf, type Range } from './buckets.ts';
import { coverOf } from './cover.ts';
import { selectFigures, selectKeptFigures } from './facts.sql.ts';
import { type Figure, isRevenue, reportCurrency, summarize } from './figures.ts';
import {
  byCustomer,
  type CustomerProfit,
  changeOf,
  customerProfits,
  inOrder,
  marginOf,
  type Profit,
  profitOf,
  totalProfit,
} from './profit.ts';
import { readRange } from './read-range.ts';
import type { ProfitabilityQuery, ProfitabilityReply } from './schemas.ts';

const DEFAULT_ROWS = 10;

/** The question of a profit report. */
interface Asked {
  readonly merchantId: string;
  readonly currency: string;
  readonly range: Range;
  readonly costs: readonly MeteredCost[];
}

/** GET /v0/profitability: what customers brought, less what their usage cost (docs/decisions/0078). */
export async function profitability(
  tx: Tx,
  usage: UsageQuery<Tx>,
  query: ProfitabilityQuery,
): Promise<Result<ProfitabilityReply>> {
  const most = query.topN ?? DEFAULT_ROWS;
  const read = readRange(query, query.bucketWidth, { to: 'to', groups: most });
  if (!read.ok) return read;
  const range = read.value;
  const all = await selectKeptFigures(tx, range, coverOf(range, ['month']), { by: 'customer' });
  const figures = all.filter(isRevenue);
  const everKnown = await costsWithMeters(tx, stretchBefore(range).from);
  const known = everKnown.filter(({ deletedAt }) => deletedAt === null || isAfter(deletedAt, range.from));
  const merchant = await findOrganization(tx, tx.merchantId);
  const currency = reportCurrency(query.currency, merchant?.defaultCurrency ?? null, [
    ...figures,
    ...known.map((cost) => ({ currency: cost.currency, kind: 'refund' as const, count: 1 })),
  ]);
  const chosen = known.filter((cost) => cost.currency === currency);
  const costs = everKnown.filter((cost): cost is MeteredCost => cost.currency === currency && cost.meter !== null);
  const asked: Asked = { merchantId: tx.merchantId, currency, range, costs };
  const spent = await measureCustomerCosts(tx, usage, costs, range);
  const revenue = await revenueOf(figures.filter((figure) => figure.currency === currency));
  const profits = await customerProfits(revenue, await costsOf(spent));
  const order = { by: query.sort ?? 'profit', descending: query.sortDir !== 'asc' } as const;
  const rows = (await inOrder(profits, order)).slice(0, most);
  const names = await customerParties(
    tx,
    rows.map(({ customerId }) => customerId),
  );
  const trends = query.bucketWidth && (await trendsOf(tx, usage, asked, query.bucketWidth, rows));
  return ok({
    object: 'profitability_summary',
    merchantId: tx.merchantId,
    currency,
    from: formatInstant(range.from),
    to: formatInstant(range.to),
    customerCount: profits.length,
    totals: toProfit(await totalProfit(profits), currency),
    rows: rows.map((row) => ({
      customerId: row.customerId,
      customerName: names.get(row.customerId)?.name as string,
      ...toProfit(row, currency),
      trend: trends?.get(row.customerId) ?? null,
    })),
    warnings: [
      ...otherCurrencies('Revenue in other currencies is', figures, currency),
      ...otherCurrencies('Costs in other currencies are', known, currency),
      ...withoutCustomer(spent, currency),
      ...named(
        'These costs measure nothing',
        chosen.filter(({ meter }) => meter === null),
      ),
      ...named(
        'These costs have no usage',
        chosen.filter(({ id, meter }) => meter !== null && !spent.some(({ costId }) => costId === id)),
      ),
    ],
  });
}

const toProfit = (profit: Profit, currency: string) => ({
  netRevenue: formatMoney(profit.netRevenue, currency),
  totalCost: costText(profit.totalCost, currency),
  profit: costText(profitOf(profit), currency),
  marginPct: marginOf(profit)?.toFixed(2) ?? null,
});

/** The net revenue of each customer; figures of one currency. */
const revenueOf = async (figures: readonly Figure[]): Promise<Map<string, Decimal>> =>
  new Map(
    await eachInTurns(
      Map.groupBy(figures, ({ member }) => member),
      ([id, own]) => [id, summarize(own).netRevenue],
    ),
  );

const costsOf = (spent: readonly CustomerCost[]): Promise<Map<string, Decimal>> =>
  byCustomer(spent.flatMap(({ customerId, cost }) => (customerId === null ? [] : [{ customerId, amount: cost }])));

/** The profit of some customers in each bucket, and by how much it changed from the time of the same length before. */
async function trendsOf(
  tx: Tx,
  usage: UsageQuery<Tx>,
  { currency, range, costs }: Asked,
  width: BucketWidth,
  rows: readonly CustomerProfit[],
) {
  const filter = { customerIds: rows.map(({ customerId }) => customerId), currency };
  const before = stretchBefore(range);
  const cut = { by: 'customer' } as const;
  const revenue = (await selectFigures(tx, range, filter, { ...cut, width })).filter(isRevenue);
  const earlier = (await selectFigures(tx, before, filter, cut)).filter(isRevenue);
  const buckets = [...bucketsOf(width, range)];
  const windows = { stretches: buckets, size: width === 'week' ? null : WINDOWS[width] };
  const { customerIds } = filter;
  const spent = await measureCustomerCosts(tx, usage, costs, range, { customerIds, windows });
  const spentBefore = await costsOf(await measureCustomerCosts(tx, usage, costs, before, { customerIds }));
  const revenueBefore = await revenueOf(earlier);
  const ofCustomer = <Each>(list: readonly Each[], idOf: (each: Each) => string | null) => Map.groupBy(list, idOf);
  const figuresBy = ofCustomer(revenue, ({ member }) => member);
  const costsBy = ofCustomer(spent, ({ customerId }) => customerId);
  const trends = new Map<string, { values: string[]; periodChange: CheckedDecimal<number> | null }>();
  for (const row of rows) {
    const { customerId } = row;
    const figures = Map.groupBy(figuresBy.get(customerId) ?? [], ({ bucket }) => bucket.epochMilliseconds);
    const costsIn = Map.groupBy(costsBy.get(customerId) ?? [], ({ from }) => from.epochMilliseconds);
    const values = await eachInTurns(buckets, ({ from }) => {
      const { netRevenue } = summarize(figures.get(from.epochMilliseconds) ?? []);
      const totalCost = sum((costsIn.get(from.epochMilliseconds) ?? []).map(({ cost }) => cost));
      return costText(profitOf({ netRevenue, totalCost }), currency);
    });
    const was = profitOf({
      netRevenue: revenueBefore.get(customerId) ?? ZERO,
      totalCost: spentBefore.get(customerId) ?? ZERO,
    });
    const change = changeOf(profitOf(row), was);
    trends.set(customerId, { values, periodChange: change && jsonNumber(change) });
  }
  return trends;
}

/** The time of the same length before. */
const stretchBefore = ({ from, to }: Range): Range => ({ from: from.subtract(from.until(to)), to: from });

const WINDOWS = { hour: 'HOUR', day: 'DAY', month: 'MONTH' } as const;

function otherCurrencies(what: string, found: readonly { readonly currency: string }[], currency: string): string[] {
  const others = [...new Set(found.map((each) => each.currency))].filter((each) => each !== currency).toSorted();
  return others.length === 0 ? [] : [`${what} left out: ${others.join(', ')}.`];
}

function withoutCustomer(spent: readonly CustomerCost[], currency: string): string[] {
  const amount = sum(spent.filter(({ customerId }) => customerId === null).map(({ cost }) => cost));
  return amount.isZero()
    ? []
    : [`Costs of usage without a customer are left out: ${costText(amount, currency)} ${currency}.`];
}

const named = (what: string, costs: readonly { readonly name: string }[]): string[] =>
  costs.length === 0 ? [] : [`${what}: ${costs.map(({ name }) => name).join(', ')}.`];
