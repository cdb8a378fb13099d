import { Decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { intersect, lengthOf } from '../../kernel/spans.ts';
import { type BilledItem, billsTime, leftOfItem, timeOfItem } from './billed.ts';

/**
 * The net under the difference: what must hold of the lines of a subscription that are in force, an invoice's own among
 * them, before it is issued (docs/decisions/0064).
 * @returns a sentence for each thing that is wrong; none where nothing is
 */
export function wrongsOf(items: readonly BilledItem[]): string[] {
  const standing = items.filter(({ isStanding }) => isStanding);
  return [...twiceBilled(standing), ...standing.flatMap(overCredited)];
}

/** No instant of a fee is billed twice. */
function twiceBilled(items: readonly BilledItem[]): string[] {
  const fees = items.filter((item) => item.isFee && item.net.gt(0) && billsTime(item));
  return [...Map.groupBy(fees, ({ priceId, quantity }) => `${priceId} ${plain(quantity)}`).values()].flatMap((those) =>
    those.flatMap((item, index) =>
      those.slice(index + 1).flatMap((other): string[] => {
        const both = intersect(timeOfItem(item), timeOfItem(other));
        return lengthOf(both) === 0n
          ? []
          : [`${item.displayName} is billed twice from ${both[0]?.start.toString()} to ${both.at(-1)?.end.toString()}`];
      }),
    ),
  );
}

/**
 * No credit exceeds its lines. One of a coupon's line gives more than the line. Rounding can leave a tax of a cent
 * below 0 where a coupon took lines of inclusive prices whole.
 */
function overCredited(item: BilledItem): string[] {
  if (item.redemptionId !== undefined) return [];
  const { net, tax } = leftOfItem(item);
  const isOver = item.net.gte(0) && (net.lt(0) || tax.lt(Decimal.min(ZERO, item.tax)));
  return isOver ? [`${item.displayName} of invoice ${item.invoiceId} is credited with more than was billed`] : [];
}
