import { type Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { allocate } from '../../kernel/money.ts';
import type { FrozenOutsideTax, OutsideTaxAnswer } from '../invoice/frozen-terms.ts';
import { invoiceTotals, type TotalledLine } from './totals.ts';

/** A line as it is taxed by a provider outside our database. */
export interface OutsideLine extends TotalledLine {
  readonly priceId: string | null;
  readonly type: string;
}

/** A subject of a tax question: some lines together, because no provider accepts a negative amount. */
export interface OutsideItem {
  readonly reference: string;
  readonly amount: Decimal;
  readonly taxCode: string | null;
  /** The places of its lines. */
  readonly places: readonly number[];
}

/** How many items a provider is asked for at most. */
const MOST_ITEMS = 100;

type Codes = Pick<FrozenOutsideTax, 'taxCodes' | 'taxCode'>;

/**
 * The items of an invoice (docs/decisions/0118): the lines of a price together, so that its discounts are taken off
 * before tax. Where lines of a price come to less than 0, or there are too many, the lines of a tax code are together;
 * at last all lines. Lines that bear the tax which was billed before, and those that bear none, are in no item.
 */
export function outsideItems(lines: readonly OutsideLine[], codes: Codes, currency: string): OutsideItem[] {
  const places = lines.flatMap((line, place) => (isTaxedOutside(line) ? [place] : []));
  const amounts = amountsAfterRebates(lines, places, currency);
  const codeOf = (place: number) => taxCodeOf(lines[place] as OutsideLine, codes);
  const levels: readonly ((place: number) => string)[] = [
    (place) => keyOf(lines, place),
    (place) => `code:${codeOf(place) ?? ''}`,
    () => 'all',
  ];
  for (const level of levels) {
    const items = [...Map.groupBy(places, level)].map(([reference, those]): OutsideItem => {
      const amount = sum(those.map((place) => amounts.get(place) as Decimal));
      const largest = those.toSorted((a, b) => (amounts.get(b) as Decimal).comparedTo(amounts.get(a) as Decimal))[0];
      return { reference, amount, taxCode: codeOf(largest as number), places: those };
    });
    const isTooMany = items.filter(({ amount }) => amount.gt(0)).length > MOST_ITEMS;
    if (!isTooMany && items.every(({ amount }) => amount.gte(0))) return items;
  }
  throw new RangeError('The lines after rebates are below 0.'); // amountsAfterRebates cuts it to 0
}

/** The tax and the rate of each line that a provider taxes; null for the others. */
export function outsideTaxes(
  lines: readonly OutsideLine[],
  codes: Codes,
  answer: Pick<OutsideTaxAnswer, 'items'> | undefined,
  currency: string,
): ({ readonly amount: Decimal; readonly tax: Decimal; readonly taxRate: Decimal } | null)[] {
  const taxed: ReturnType<typeof outsideTaxes> = lines.map(() => null);
  const amounts = amountsAfterRebates(
    lines,
    lines.flatMap((line, place) => (isTaxedOutside(line) ? [place] : [])),
    currency,
  );
  for (const { reference, amount, places } of outsideItems(lines, codes, currency)) {
    const found = amount.isZero() ? undefined : answer?.items[reference];
    const weights = places.map((place) => amounts.get(place) as Decimal);
    const shares = found ? allocate(decimal(found.tax), weights, currency) : weights.map(() => ZERO);
    for (const [index, place] of places.entries())
      taxed[place] = {
        amount: amounts.get(place) as Decimal,
        tax: shares[index] as Decimal,
        taxRate: found ? decimal(found.rate) : ZERO,
      };
  }
  return taxed;
}

/** The tax of the line is not known yet. */
const isTaxedOutside = ({ taxRate, tax }: OutsideLine): boolean => taxRate !== null && tax === undefined;

/** Rebates take the lines together to 0 at most, before any tax: the rest of them is lost (domain.md §2). */
function amountsAfterRebates(
  lines: readonly OutsideLine[],
  places: readonly number[],
  currency: string,
): ReadonlyMap<number, Decimal> {
  const untaxed = places.map((place) => ({ ...(lines[place] as OutsideLine), taxRate: null }));
  const { lines: totalled } = invoiceTotals(untaxed, 'exclusive', currency);
  return new Map(places.map((place, index) => [place, totalled[index]?.amount as Decimal]));
}

const taxCodeOf = ({ priceId }: OutsideLine, { taxCodes, taxCode }: Codes): string | null =>
  (priceId === null ? null : taxCodes[priceId]) ?? taxCode;

/** The same for a line however often an invoice is calculated: its price, or which line of its type it is. */
function keyOf(lines: readonly OutsideLine[], place: number): string {
  const { priceId, type } = lines[place] as OutsideLine;
  if (priceId !== null) return priceId;
  const before = lines.slice(0, place).filter((line) => line.priceId === null && line.type === type);
  return `${type}:${before.length}`;
}
