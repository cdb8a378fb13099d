import type { Pricing } from '../../src/invoicing/rating/index.ts';
import {
  ceiling,
  type Exact,
  exact,
  isAbove,
  least,
  minus,
  most,
  NOTHING,
  nearest,
  plus,
  read,
  times,
} from './exact.ts';

/**
 * The amount of an invoice by domain.md §2 and §4 alone: a second calculation in fractions of big integers, without a
 * line of the program's own arithmetic. Amounts are whole minor units.
 */

/** The usage of a price, by group values; a fee has one row with its quantity. */
export interface Used {
  readonly group: Readonly<Record<string, string | null>>;
  readonly quantity: string;
  readonly events: number;
  /** The value of each event, in order of time, then of acceptance; for a price on each event by itself. */
  readonly values?: readonly string[];
}

/** A price for a part of a period. */
export interface AskedCharge {
  readonly pricing: Pricing;
  /**
   * Is it scaled by time as a whole: fees, and figures that do not add up? Else its included units and flat prices are.
   */
  readonly isForTime: boolean;
  readonly used: readonly Used[];
  /** By grants. */
  readonly covered: string;
  readonly share: Exact;
  readonly minimum: string | null;
  readonly maximum: string | null;
}

/** The turn in which a negative amount is reduced if the total would be below 0. */
export type Turn = 'credit' | 'rebate' | 'other';

/** A part of an invoice: the amounts of one price or line in one turn. */
export interface Item {
  readonly key: string;
  readonly turn: Turn;
  readonly amount: bigint;
  /** Percent; null: no tax at all. */
  readonly taxRate: string | null;
  /** Of a credit: its share of the billed tax. */
  readonly tax?: bigint;
  /** Of a correction with discounts: it is reduced by what both come to at most. */
  readonly most?: bigint;
}

const ONE = exact(1n);

/** The model's price of a quantity. */
function rate({ model, properties }: Pricing, quantity: Exact, used: readonly Used[], flatShare: Exact): Exact {
  switch (model) {
    case 'standard':
      return times(quantity, read(properties.unitPrice as string));
    case 'dynamic':
      return times(quantity, read((properties.multiplier as string | undefined) ?? '1'));
    case 'package':
      return times(
        exact(ceiling(times(quantity, inverse(read(properties.size as string))))),
        read(properties.price as string),
      );
    case 'percentage': {
      const events = exact(used.reduce((total, row) => total + BigInt(row.events), 0n));
      const isOfEach = 'perEvent' in properties || 'freeEvents' in properties;
      const asked = isOfEach
        ? ofEach(properties as EachTerms, used, flatShare)
        : plus(
            times(quantity, read(properties.percentage as string)),
            times(events, read((properties.fixed as string | undefined) ?? '0')),
          );
      const atLeast = most(asked, read((properties.minCharge as string | undefined) ?? '0'));
      return properties.maxCharge === undefined ? atLeast : least(atLeast, read(properties.maxCharge as string));
    }
    case 'matrix':
      return used.reduce((total, row) => {
        const own = most(NOTHING, read(row.quantity));
        return plus(total, times(own, read(cellPrice(properties as MatrixTerms, row.group))));
      }, NOTHING);
    default:
      return tiered(model, properties.tiers as readonly TierTerms[], quantity, flatShare);
  }
}

interface EachTerms {
  readonly percentage: string;
  readonly fixed?: string;
  readonly perEvent?: { readonly min?: string; readonly max?: string };
  readonly freeEvents?: number;
}

/**
 * Each event by itself (commercial.md §12): the first ones are free, so many whole ones as are begun in the share of a
 * period. One of 0 or less bears its percentage only, at least the maximum below 0.
 */
function ofEach(
  { percentage, fixed = '0', perEvent = {}, freeEvents = 0 }: EachTerms,
  used: readonly Used[],
  share: Exact,
) {
  const free = Number(ceiling(times(exact(BigInt(freeEvents)), share)));
  const [low, high] = [perEvent.min, perEvent.max].map((text) => (text === undefined ? null : read(text)));
  return used
    .flatMap(({ values = [] }) => values)
    .slice(free)
    .map((value): Exact => {
      const part = times(read(value), read(percentage));
      if (!isAbove(read(value), NOTHING)) return high ? most(part, minus(NOTHING, high)) : part;
      const asked = plus(part, read(fixed));
      const atLeast = low ? most(asked, low) : asked;
      return high ? least(atLeast, high) : atLeast;
    })
    .reduce(plus, NOTHING);
}

interface TierTerms {
  readonly upTo: string | null;
  readonly unitPrice: string;
  readonly flatPrice?: string;
}

interface MatrixTerms {
  readonly cells: readonly { readonly match: Readonly<Record<string, string>>; readonly unitPrice: string }[];
  readonly default: string;
}

const inverse = ({ over, under }: Exact): Exact => exact(under, over);

/** Graduated: the units of each tier at its own price; volume: all at the price of the last tier that is entered. */
function tiered(model: 'graduated' | 'volume', tiers: readonly TierTerms[], quantity: Exact, flatShare: Exact): Exact {
  const bounds = tiers.map(({ upTo }) => (upTo === null ? null : read(upTo)));
  const entered = tiers.filter((_, place) => place === 0 || isAbove(quantity, bounds[place - 1] as Exact));
  const priced = entered.map((tier, place) => {
    const above = place === 0 ? NOTHING : (bounds[place - 1] as Exact);
    const units = model === 'volume' ? quantity : minus(least(quantity, bounds[place] ?? quantity), above);
    return plus(times(units, read(tier.unitPrice)), times(flatShare, read(tier.flatPrice ?? '0')));
  });
  return model === 'volume' ? (priced.at(-1) as Exact) : priced.reduce(plus);
}

/** The cell that matches by most keys, of several the first. */
function cellPrice({ cells, default: otherwise }: MatrixTerms, group: Used['group']): string {
  let best = { keys: 0, unitPrice: otherwise };
  for (const { match, unitPrice } of cells) {
    const keys = Object.entries(match);
    if (keys.length > best.keys && keys.every(([name, value]) => group[name] === value))
      best = { keys: keys.length, unitPrice };
  }
  return best.unitPrice;
}

const rounded = (amount: Exact, digits: number): bigint => nearest(times(amount, exact(10n ** BigInt(digits))));

/** Does an amount lie in the middle of two minor units? */
const isHalf = (amount: Exact, digits: number): boolean => times(amount, exact(10n ** BigInt(digits))).under === 2n;

/** A price before discounts and limits. */
export function chargeOf(
  { pricing, isForTime, used, covered, share }: AskedCharge,
  digits: number,
): { amount: bigint; isRebate: boolean; isHalf: boolean } {
  const all = most(NOTHING, used.map(({ quantity }) => read(quantity)).reduce(plus, NOTHING));
  const left = minus(all, least(all, most(NOTHING, read(covered))));
  const flatShare = isForTime ? ONE : share;
  const included =
    'includedUnits' in pricing.properties ? (pricing.properties.includedUnits as string | undefined) : '0';
  const free = times(flatShare, read(included ?? '0'));
  const asked = rate(pricing, most(NOTHING, minus(left, free)), used, flatShare);
  const amount = isForTime ? times(asked, share) : asked;
  return { amount: rounded(amount, digits), isRebate: amount.over < 0n, isHalf: isHalf(amount, digits) };
}

/** The discounts on an amount, one after another; each is rounded. */
function discountsOn(amount: bigint, fractions: readonly string[]): bigint {
  let left = amount;
  for (const fraction of fractions) left -= nearest(times(exact(left), read(fraction)));
  return amount - left;
}

/** The amounts that limits add: the missing part of the minimum, or a negative excess over the maximum. */
function limitsOn(amount: bigint, { minimum, maximum, share }: AskedCharge, digits: number) {
  const [low, high] = [minimum, maximum].map((text) =>
    text === null ? null : rounded(times(read(text), share), digits),
  );
  const off = high !== null && high !== undefined && amount > high ? high - amount : 0n;
  const short = low !== null && low !== undefined && amount + off < low ? low - amount - off : 0n;
  return { off, short };
}

/** A price on an invoice: the charge, its discounts, its limits. */
export function itemsOf(
  key: string,
  charge: AskedCharge,
  taxRate: string,
  fractions: readonly string[],
  digits: number,
): Item[] {
  const { amount } = chargeOf(charge, digits);
  const discount = amount > 0n ? discountsOn(amount, fractions) : 0n;
  const { off, short } = limitsOn(amount - discount, charge, digits);
  return [
    { key, turn: 'rebate', amount, taxRate },
    { key, turn: 'other', amount: off - discount, taxRate },
    { key, turn: 'other', amount: short, taxRate },
  ];
}

/** The rules of tax, discounts and rounding of amounts. */
interface Terms {
  readonly taxRate: string;
  readonly fractions: readonly string[];
  readonly digits: number;
  readonly isInclusive: boolean;
}

/**
 * Late usage of a price: the present amount less the bill, discounted like the bill, and its limits over both. A credit
 * has its part of the billed tax.
 */
export function lateItemsOf(key: string, now: AskedCharge, billed: AskedCharge, terms: Terms): Item[] {
  const { taxRate, fractions, digits, isInclusive } = terms;
  const was = chargeOf(billed, digits).amount;
  const more = chargeOf(now, digits).amount - was;
  const before = was - discountsOn(was, fractions);
  const discounts = discountLinesOn(more, fractions);
  const discount = discounts.reduce((a, b) => a + b, 0n);
  const [first, all] = [before, before + more - discount].map((reached) => {
    const { off, short } = limitsOn(reached, now, digits);
    return { reached: reached + off + short, limits: off + short };
  }) as [Limited, Limited];
  const amounts = [more + all.limits - first.limits, ...discounts.map((each) => -each)];
  const total = amounts.reduce((a, b) => a + b, 0n);
  const item = (amount: bigint, place: number): Item => ({
    key,
    turn: place === 0 ? 'credit' : 'other',
    amount,
    taxRate,
    ...(place === 0 && discount < 0n && { most: total < 0n ? -total : 0n }),
  });
  if (total >= 0n) return amounts.map(item);
  const tax = taxesOf([{ key, turn: 'other', amount: first.reached, taxRate }], isInclusive).get(taxRate) as bigint;
  const back = nearest(times(exact(tax), exact(-total, first.reached)));
  const taxes = shared(-back, amounts, total);
  return amounts.map((amount, place) => ({ ...item(amount, place), tax: taxes[place] as bigint }));
}

interface Limited {
  readonly reached: bigint;
  readonly limits: bigint;
}

/** The amount of each of several discounts. */
function discountLinesOn(amount: bigint, fractions: readonly string[]): bigint[] {
  let left = amount;
  return fractions.map((fraction) => {
    const taken = nearest(times(exact(left), read(fraction)));
    left -= taken;
    return taken;
  });
}

/**
 * Divides an amount below 0 by weights that sum to `total`, which is below 0, too: the largest remainders get the
 * leftover units.
 */
function shared(whole: bigint, weights: readonly bigint[], total: bigint): bigint[] {
  const floors = weights.map((weight) => {
    const over = weight * whole; // above 0 where the weight is below
    const under = -total;
    const floor = over / under - (over < 0n && over % under !== 0n ? 1n : 0n);
    return { floor, remainder: over - floor * under };
  });
  let left = -whole - floors.reduce((all, { floor }) => all + floor, 0n);
  const shares = floors.map(({ floor }) => floor);
  const order = floors
    .map((_, place) => place)
    .toSorted((a, b) => Number((floors[b] as Floor).remainder - (floors[a] as Floor).remainder));
  for (const place of order) {
    if (left <= 0n) break;
    shares[place] = (shares[place] as bigint) + 1n;
    left -= 1n;
  }
  return shares.map((share) => -share);
}

interface Floor {
  readonly floor: bigint;
  readonly remainder: bigint;
}

/** The tax of each rate: the amounts of the rate summed, the tax rounded once. */
export function taxesOf(items: readonly Item[], isInclusive: boolean): Map<string, bigint> {
  const taxes = new Map<string, bigint>();
  for (const [taxRate, own] of Map.groupBy(items, (item) => item.taxRate)) {
    if (taxRate === null) continue;
    const percent = read(taxRate);
    const over = isInclusive ? plus(percent, exact(100n)) : exact(100n);
    const ofRate = own.filter(({ tax }) => tax === undefined);
    const known = own.reduce((all, { tax = 0n }) => all + tax, 0n);
    taxes.set(taxRate, known + nearest(times(exact(sumOf(ofRate)), times(percent, inverse(over)))));
  }
  return taxes;
}

export const sumOf = (items: readonly Item[]): bigint => items.reduce((total, { amount }) => total + amount, 0n);

/** The amount to pay, with tax. */
export const totalOf = (items: readonly Item[], isInclusive: boolean): bigint =>
  sumOf(items) + (isInclusive ? 0n : [...taxesOf(items, false).values()].reduce((a, b) => a + b, 0n));

const TURNS: readonly Turn[] = ['credit', 'rebate', 'other'];

/** The items after `cut` was taken from the negative ones: by turn, each from the last back. */
function without(items: readonly Item[], cut: bigint): Item[] {
  let left = cut;
  const after = [...items];
  for (const turn of TURNS)
    for (let place = items.length - 1; place >= 0; place -= 1) {
      const item = items[place] as Item;
      if (item.turn !== turn || item.amount >= 0n) continue;
      const most = item.most ?? -item.amount;
      const taken = left < most ? left : most;
      const amount = item.amount + taken;
      const tax = item.tax === undefined ? {} : { tax: nearest(times(exact(item.tax), exact(amount, item.amount))) };
      after[place] = { ...item, amount, ...tax };
      left -= taken;
    }
  return after;
}

/** The items on the invoice: reduced by the least amount that brings the total to 0 or above. */
export function cutToZero(items: readonly Item[], isInclusive: boolean): Item[] {
  let [low, high] = [-1n, items.reduce((total, { amount }) => (amount < 0n ? total - amount : total), 0n)];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (totalOf(without(items, middle), isInclusive) >= 0n) high = middle;
    else low = middle;
  }
  return without(items, high);
}
