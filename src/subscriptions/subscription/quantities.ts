import type { CatalogPrice } from '../../catalog/index.ts';
import type { BilledPrice } from '../../invoicing/index.ts';
import { type Decimal, decimal, jsonNumber } from '../../kernel/decimal.ts';
import type { FieldError } from '../../kernel/result.ts';
import { isOnce } from '../../kernel/time.ts';

/**
 * How many of its fee prices a subscription has, by the price's id: only what differs from the price's own quantity. A
 * price that a version holds never changes its own, so that what is left out is known.
 */
export type Quantities = Readonly<Record<string, number>>;

/** The part of a price that decides on its quantity. */
export type CountedPrice = Pick<BilledPrice, 'id' | 'quantity' | 'billingCadence'> & {
  readonly fee: unknown;
};

/** Prices of a version, and how many of them a subscription has. */
export interface Held {
  readonly prices: readonly CountedPrice[];
  readonly quantities: Quantities;
}

const quantityOf = ({ id, quantity }: Pick<BilledPrice, 'id' | 'quantity'>, quantities: Quantities): Decimal => {
  const asked = quantities[id];
  return asked === undefined ? quantity : decimal(asked);
};

/** The faults of requested quantities of a version, by field. @param held the subscription's quantities until then */
export function quantityErrors(prices: readonly CountedPrice[], asked: Quantities, held?: Held): FieldError[] {
  const messageOf = (id: string): string | null => {
    const price = prices.find((each) => each.id === id);
    if (!price) return 'is no price of the plan version';
    if (price.fee === null) return 'is the price of a metric: its quantity is the usage';
    const before = held?.prices.find((each) => each.id === id);
    const isCharged = before !== undefined && price.billingCadence !== null && isOnce(price.billingCadence);
    return isCharged && !quantityOf(price, asked).eq(quantityOf(before, held?.quantities ?? {}))
      ? 'is charged once: its quantity cannot be changed'
      : null;
  };
  return Object.keys(asked).flatMap((id) => {
    const message = messageOf(id);
    return message === null ? [] : [{ field: `quantities.${id}`, message }];
  });
}

/**
 * The quantities of a version: the requested ones, else the subscription's present ones, else the price's own.
 * @returns only those that differ from the price's own
 */
export function decideQuantities(prices: readonly CountedPrice[], asked: Quantities, held?: Held): Quantities {
  const kept = (id: string): number | undefined =>
    held?.prices.some((price) => price.id === id) ? held.quantities[id] : undefined;
  const differing = prices.flatMap(({ id, quantity, fee }) => {
    const decided = asked[id] ?? kept(id);
    return fee === null || decided === undefined || quantity.eq(decided) ? [] : [[id, decided] as const];
  });
  return Object.fromEntries(differing);
}

/** A price that takes the place of another one, and its quantity. */
export interface PriceReplacement {
  readonly replacesPriceId: string;
  readonly withPriceId: string;
}

/** The quantities that a subscription has of prices that are replaced, by the ids of those that take their place. */
export const quantitiesTakenOver = (
  { prices, quantities }: Held,
  replacements: readonly PriceReplacement[],
): Quantities =>
  Object.fromEntries(
    replacements.flatMap(({ replacesPriceId, withPriceId }) => {
      const price = prices.find(({ id }) => id === replacesPriceId);
      return price ? [[withPriceId, quantityOf(price, quantities).toNumber()]] : [];
    }),
  );

/** The faults of replacements of prices of one version by prices of another one, by field. */
export function replacementErrors(
  replacements: readonly PriceReplacement[],
  from: readonly CountedPrice[],
  to: readonly CountedPrice[],
): FieldError[] {
  const isFeeOf = (prices: readonly CountedPrice[], priceId: string) =>
    prices.some(({ id, fee }) => id === priceId && fee !== null);
  return replacements.flatMap(({ replacesPriceId, withPriceId }, index) => {
    const field = `replacePrices.${index}`;
    const isSecond = replacements.slice(0, index).some((other) => other.withPriceId === withPriceId);
    const errors: FieldError[] = [];
    if (!isFeeOf(from, replacesPriceId))
      errors.push({ field: `${field}.replacesPriceId`, message: 'is no fee price of fromVersion' });
    if (!isFeeOf(to, withPriceId))
      errors.push({ field: `${field}.withPriceId`, message: 'is no fee price of toVersion' });
    else if (isSecond) errors.push({ field: `${field}.withPriceId`, message: 'already replaces another price' });
    return errors;
  });
}

/** Are two quantities of one version the same? */
export const sameQuantities = (a: Quantities, b: Quantities): boolean => {
  const ids = Object.keys(a);
  return ids.length === Object.keys(b).length && ids.every((id) => a[id] === b[id]);
};

/** The prices of a version as a subscription is billed for them. */
export const withQuantities = <Price extends Pick<BilledPrice, 'id' | 'quantity'>>(
  prices: readonly Price[],
  quantities: Quantities,
): readonly Price[] =>
  Object.keys(quantities).length === 0
    ? prices
    : prices.map((price) => ({ ...price, quantity: quantityOf(price, quantities) }));

/** How many of each fee price there are, as it is answered, in the order of the version. */
export const toQuantitiesReply = (prices: readonly Pick<BilledPrice, 'id' | 'quantity'>[], quantities: Quantities) =>
  Object.fromEntries(prices.map((price) => [price.id, jsonNumber(quantityOf(price, quantities))]));

/** The same of a version with all its prices. */
export const feeQuantitiesOf = (
  { prices }: { readonly prices: readonly Pick<CatalogPrice, 'id' | 'feeId' | 'quantity'>[] },
  quantities: Quantities,
) =>
  toQuantitiesReply(
    prices.filter(({ feeId }) => feeId !== null),
    quantities,
  );
