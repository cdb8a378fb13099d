import { type Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import type { Fraction } from '../../kernel/fraction.ts';
import { type BilledUsage, groupKey } from '../invoice/billed-usage.ts';
import type { OwedCharge } from '../owed/charges.ts';
import { type Rated, type RatedLine, type RatedPrice, ratePrice } from '../rating/index.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import type { CalculationInput } from './calculation.ts';

/** The frozen tax rate of a price, in percent; 0 where none was frozen. */
export const rateOf = ({ taxRates }: CalculationInput, price: BilledPrice): Decimal => taxRates.get(price.id) ?? ZERO;

/** A charge before its discounts and limits. */
export const rated = (input: CalculationInput, charge: OwedCharge, usage: readonly BilledUsage[]): RatedPrice =>
  ratePrice({
    ...priceInPeriod(input, charge),
    fraction: ownFraction(charge, usage),
    rated: ratedThing(usage, charge.price),
    minimumAmount: null,
    maximumAmount: null,
  });

/** The prices of a unit that the catalog asks of a charge with an agreed price, by the group of its lines. */
export function listPrices(
  input: CalculationInput,
  charge: OwedCharge,
  usage: readonly BilledUsage[],
): ReadonlyMap<string, Decimal> {
  const { price } = charge;
  if (!price.agreed) return new Map();
  const atList = usage.map(({ ofEach: _, ofEachAtList: ofEach, ...row }) => ({ ...row, ...(ofEach && { ofEach }) }));
  const listed = rated(input, { ...charge, price: { ...price, pricing: price.agreed.list.pricing } }, atList);
  const charges = listed.lines.filter(({ kind }) => kind === 'charge');
  return new Map(charges.map(({ group, unitPrice }) => [groupKey(group ?? {}), unitPrice]));
}

/** The minimum of a price is asked as its period is over. */
export const priceInPeriod = (
  { currency }: Pick<CalculationInput, 'currency'>,
  { price, fraction, limits = fraction, least = limits, isOpen = false }: OwedCharge,
) => ({
  pricing: price.pricing,
  currency,
  fraction,
  limits: { maximum: limits, minimum: least },
  minimumAmount: isOpen ? null : price.minimumAmount,
  maximumAmount: price.maximumAmount,
});

/** A figure that is for a time counts for the part of it in which the usage was the subscription's own. */
function ownFraction({ fraction, price }: OwedCharge, usage: readonly BilledUsage[]): Fraction {
  const share = usage.find(({ priceId: id }) => id === price.id)?.share;
  return share
    ? { numerator: fraction.numerator * share.numerator, denominator: fraction.denominator * share.denominator }
    : fraction;
}

/** A rebate is no charge: nothing is taken off it, which would make the customer pay more. */
export const withoutRebate = (line: RatedLine): RatedLine =>
  line.totalPrice.lt(0) ? { ...line, totalPrice: ZERO } : line;

/** A fee counts its price's quantity; a metric its usage, already filtered by the price's groups. */
function ratedThing(usage: readonly BilledUsage[], price: BilledPrice): Rated {
  if (price.metric === null) return { kind: 'fee', quantity: price.quantity };
  const rows = usage.filter((row) => row.priceId === price.id);
  return {
    kind: 'usage',
    aggregation: price.metric.meter.aggregation,
    groups: rows.map((row) => ({
      group: row.groupValues,
      quantity: row.quantity,
      eventCount: BigInt(row.eventCount),
      ...(row.ofEach && { ofEach: row.ofEach }),
    })),
    grants: sum(rows.map(({ granted }) => granted)),
  };
}

/** The rates of frozen terms as decimals. */
export const taxRatesOf = (rates: Readonly<Record<string, string>>): Map<string, Decimal> =>
  new Map(Object.entries(rates).map(([priceId, rate]) => [priceId, decimal(rate)]));
