import { decimal, ONE, plain, sum } from '../../kernel/decimal.ts';
import { averagePrice } from '../../kernel/money.ts';
import type { DueCharge } from '../difference/due.ts';
import type { DiscountLine } from '../owed/discounts.ts';
import type { RatedLine } from '../rating/index.ts';
import type { Line, RatedDue } from './calculation.ts';
import { isDiscount } from './line-content.ts';
import type { AtOnePrice } from './one-price.ts';

/**
 * A correction is one line for the whole difference of its charge, and its discounts; of a fee it is a minimum.
 * @param told the units at one price to which the lines come; null: there is no such price
 */
export function asLate(
  { charge }: DueCharge,
  { soFar }: RatedDue,
  lines: readonly Line[],
  told: AtOnePrice | null,
): readonly Line[] {
  if (charge.price.metric === null)
    return lines.map((line) => ({
      ...line,
      workings: { ...line.workings, late: { maximum: '0', minimum: plain(line.totalPrice) } },
    }));
  const discounts = lines.filter(isDiscount);
  const others = lines.filter((line): line is RatedLine => !isDiscount(line));
  const [first] = others;
  const totalPrice = sum(others.map((line) => line.totalPrice));
  const quantity = sum(others.filter(({ kind }) => kind === 'charge').map((line) => line.quantity));
  if (first === undefined || (totalPrice.isZero() && quantity.isZero())) return [];
  const limit = (kind: 'maximum' | 'minimum') =>
    plain(sum(others.filter((line) => line.kind === kind).map((line) => line.totalPrice)));
  // Fewer flat prices, and not fewer units: no units tell the amount.
  const isAmount = !told && quantity.isZero() && totalPrice.lt(0);
  const takenBack = isAmount ? ({ units: '0', noted: '0', isAmount: true } as const) : first.workings?.takenBack;
  const line: RatedLine = {
    ...first,
    kind: 'charge',
    eventType: 'usage',
    quantity,
    unitPrice: quantity.isZero() ? totalPrice : averagePrice(totalPrice, quantity),
    ...(told && { quantity: told.units, unitPrice: told.unitPrice }),
    ...(isAmount && { quantity: ONE, unitPrice: totalPrice }),
    totalPrice,
    exactPrice: totalPrice,
    tiers: null,
    group: null,
    workings: {
      soFar: { total: plain(soFar.total), before: plain(soFar.before) },
      late: { maximum: limit('maximum'), minimum: limit('minimum') },
      ...(takenBack && { takenBack }),
    },
  };
  const ofAdjustments = [...Map.groupBy(discounts, ({ by }) => by.id).values()];
  return [line, ...ofAdjustments.map(asOneDiscount).filter(({ exactPrice }) => !exactPrice.isZero())];
}

/** The part of one adjustment in the groups of a correction, as one line: the discount is one line, too. */
function asOneDiscount(ofGroups: readonly DiscountLine[]): DiscountLine {
  const [first] = ofGroups as [DiscountLine];
  const off = sum(ofGroups.map(({ totalPrice }) => totalPrice));
  const of = sum(ofGroups.map(({ workings }) => decimal(workings.discount.of)));
  return {
    ...first,
    ...{ chargeAt: 0, group: null },
    ...{ unitPrice: off, totalPrice: off, exactPrice: sum(ofGroups.map(({ exactPrice }) => exactPrice)) },
    workings: { ...first.workings, discount: { ...first.workings.discount, of: plain(of) } },
  };
}
