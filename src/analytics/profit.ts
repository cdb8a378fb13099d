import { eachInTurns, sortedInTurns } from '../http/index.ts';
import { Decimal, decimal, ZERO } from '../kernel/decimal.ts';

/** The revenue and the cost of a customer. */
export interface Profit {
  readonly netRevenue: Decimal;
  readonly totalCost: Decimal;
}

export interface CustomerProfit extends Profit {
  readonly customerId: string;
}

/** The net revenue less the cost. */
export const profitOf = ({ netRevenue, totalCost }: Profit): Decimal => netRevenue.minus(totalCost);

/** The profit in percent of the net revenue, to two digits, half away from zero; null where that is not above 0. */
export const marginOf = (profit: Profit): Decimal | null =>
  profit.netRevenue.gt(0) ? percent(profitOf(profit), profit.netRevenue, 2) : null;

/** The change of a figure in percent, to four digits; null from 0. */
export const changeOf = (now: Decimal, before: Decimal): Decimal | null =>
  before.isZero() ? null : percent(now.minus(before), before.abs(), 4);

const percent = (part: Decimal, whole: Decimal, digits: number): Decimal =>
  part.times(decimal(100)).div(whole).toDecimalPlaces(digits, Decimal.ROUND_HALF_UP);

/** Adds up amounts by the customer that they are of. */
export async function byCustomer(
  amounts: readonly { readonly customerId: string; readonly amount: Decimal }[],
): Promise<Map<string, Decimal>> {
  const added = new Map<string, Decimal>();
  await eachInTurns(amounts, ({ customerId, amount }) =>
    added.set(customerId, (added.get(customerId) ?? ZERO).plus(amount)),
  );
  return added;
}

/** Every customer that has revenue or costs. */
export async function customerProfits(
  revenue: ReadonlyMap<string, Decimal>,
  costs: ReadonlyMap<string, Decimal>,
): Promise<CustomerProfit[]> {
  const profits = await eachInTurns(new Set([...revenue.keys(), ...costs.keys()]), (customerId) => ({
    customerId,
    netRevenue: revenue.get(customerId) ?? ZERO,
    totalCost: costs.get(customerId) ?? ZERO,
  }));
  return profits.filter(({ netRevenue, totalCost }) => !(netRevenue.isZero() && totalCost.isZero()));
}

/** All of them as one. */
export async function totalProfit(profits: readonly Profit[]): Promise<Profit> {
  let [netRevenue, totalCost] = [ZERO, ZERO];
  await eachInTurns(profits, (profit) => {
    netRevenue = netRevenue.plus(profit.netRevenue);
    totalCost = totalCost.plus(profit.totalCost);
  });
  return { netRevenue, totalCost };
}

export interface ProfitOrder {
  readonly by: 'profit' | 'netRevenue' | 'totalCost';
  readonly descending: boolean;
}

/** In the order asked for; equal ones by their customers' ids, so that a report repeats. */
export function inOrder(
  profits: readonly CustomerProfit[],
  { by, descending }: ProfitOrder,
): Promise<CustomerProfit[]> {
  const figure = (profit: CustomerProfit) => (by === 'profit' ? profitOf(profit) : profit[by]);
  const sign = descending ? -1 : 1;
  return sortedInTurns(
    profits,
    (a, b) => sign * figure(a).comparedTo(figure(b)) || (a.customerId < b.customerId ? -1 : 1),
  );
}
