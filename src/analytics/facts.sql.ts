import { allOf, type Sql, sql, type Tx } from '../db/index.ts';
import { eachInTurns } from '../http/index.ts';
import type { BucketWidth, Range } from './buckets.ts';
import type { Cover } from './cover.ts';
import type { Figure } from './figures.ts';

/** The selected facts; absent: all of the merchant. */
export interface FactFilter {
  readonly customerIds?: readonly string[] | undefined;
  readonly subscriptionIds?: readonly string[] | undefined;
  readonly currency?: string | undefined;
}

/** How figures are cut, beside currency, kind and status. */
export interface FigureCut {
  /** Absent: one bucket, which begins with the range. */
  readonly width?: BucketWidth | undefined;
  readonly by?: 'plan' | 'customer' | undefined;
}

interface FigureRow extends Omit<Figure, 'count'> {
  readonly count: bigint;
}

const figuresOf = async (tx: Tx, range: Range, { width, by }: FigureCut, from: Sql): Promise<Figure[]> => {
  const bucket =
    width === undefined
      ? sql`${range.from}::timestamptz`
      : sql`greatest(date_trunc(${width}, at, 'UTC'), ${range.from}::timestamptz)`;
  const rows = await tx.manyRows<FigureRow>(sql`
    select currency, ${bucket} as bucket, ${by === undefined ? sql`''` : sql`member`} as member, kind, status,
           sum(count)::bigint as count, sum(amount) as amount, sum(open_amount) as open_amount
      from (${from}) figure
     group by 1, 2, 3, 4, 5
    having sum(count) <> 0 or sum(amount) <> 0 or sum(open_amount) <> 0`);
  return eachInTurns(rows, (row) => ({ ...row, count: Number(row.count) }));
};

const inRange = (column: string, { from, to }: Range): Sql =>
  sql`${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${to}`;

const factsIn = (merchantId: string, range: Range, filter: FactFilter, by: FigureCut['by']): Sql => sql`
  select currency, counted_at as at, ${memberOf(by)} as member, kind, status, 1 as count, amount, open_amount
    from revenue_fact
   where ${allOf([
     sql`merchant_id = ${merchantId}`,
     inRange('counted_at', range),
     filter.customerIds && sql`customer_id = any (${filter.customerIds})`,
     filter.subscriptionIds && sql`subscription_id = any (${filter.subscriptionIds})`,
     filter.currency !== undefined && sql`currency = ${filter.currency}`,
   ])}`;

const memberOf = (by: FigureCut['by']): Sql =>
  sql`coalesce(${sql.ref(by === 'customer' ? 'customer_id' : 'plan_id')}, '')`;

/** Figures from facts alone: of some customers, whose facts an index finds. */
export const selectFigures = (tx: Tx, range: Range, filter: FactFilter, cut: FigureCut) =>
  figuresOf(tx, range, cut, factsIn(tx.merchantId, range, filter, cut.by));

/**
 * The same of a whole merchant, from sums, from the changes that they do not hold yet, and from facts at the edges: one
 * statement, so that no change is read twice. Sums of months are by customer, all others by plan.
 */
export function selectKeptFigures(
  tx: Tx,
  range: Range,
  cover: Cover,
  cut: FigureCut & { readonly currency?: string | undefined },
): Promise<Figure[]> {
  const { currency } = cut;
  const ofCurrency = currency !== undefined && sql`currency = ${currency}`;
  const own = sql`merchant_id = ${tx.merchantId}`;
  const member = sql.ref(cut.by === 'customer' ? 'customer_id' : 'plan_id');
  const parts = [
    ...cover.sums.map(
      (each) => sql`
        select currency, starts_at as at, member, kind, status, count, amount, open_amount from revenue_sum
         where ${allOf([own, sql`grain = ${each.grain}`, inRange('starts_at', each), ofCurrency])}`,
    ),
    ...(cover.summed === null
      ? []
      : [
          sql`
        select currency, hour as at, ${member} as member, kind, status, count, amount, open_amount from revenue_change
         where ${allOf([own, inRange('hour', cover.summed), ofCurrency])}`,
        ]),
    ...cover.facts.map((each) => factsIn(tx.merchantId, each, { currency }, cut.by)),
  ];
  return figuresOf(tx, range, cut, sql.join(parts, sql` union all `));
}
