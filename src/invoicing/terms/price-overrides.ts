import { createHash } from 'node:crypto';
import { canonicalJson } from '../../http/index.ts';
import { type Decimal, decimal } from '../../kernel/decimal.ts';
import { earliest, formatInstant, type Instant, isAfter, isBefore, latest } from '../../kernel/time.ts';
import { type Pricing, scaledPricing } from '../rating/index.ts';
import type { BilledPrice, BilledVersion, PriceOverride } from './billing-terms.ts';
import { type Commitment, endOfTerm } from './commitment.ts';
import { listPriceId, VARIANT } from './list-price.ts';

/** The bound that an override takes away. */
export const NO_BOUND = 'none';

const instantOf = (text: string | null): Instant | null => (text === null ? null : Temporal.Instant.from(text));

/** Does an override hold at an instant? */
export function holdsAt({ from, to }: PriceOverride, at: Instant): boolean {
  const [start, end] = [instantOf(from), instantOf(to)];
  return !(start && isBefore(at, start)) && (end === null || isBefore(at, end));
}

/** Do two overrides say the same, whenever? */
export const saySame = (one: PriceOverride, other: PriceOverride): boolean =>
  one.priceId === other.priceId && contentOf(one) === contentOf(other);

/** The same before it is stored and after: the database puts the fields of `properties` in an order of its own. */
const contentOf = ({ multiplier, properties, minimumAmount, maximumAmount }: PriceOverride): string =>
  canonicalJson([multiplier, properties, minimumAmount, maximumAmount]);

/** The prices of a version at an instant, as a subscription with some overrides is billed for them. */
export const withOverrides = <Price extends BilledPrice>(
  prices: readonly Price[],
  overrides: readonly PriceOverride[],
  at: Instant,
): readonly Price[] =>
  overrides.length === 0
    ? prices
    : prices.map((price) => {
        const held = overrides.find((override) => override.priceId === price.id && holdsAt(override, at));
        return held ? agreedPrice(price, held) : price;
      });

/** A price as it was agreed: another variant of it, which knows the list price. */
function agreedPrice<Price extends BilledPrice>(price: Price, override: PriceOverride): Price {
  const factor = override.multiplier === null ? null : decimal(override.multiplier);
  const limit = (said: string | null, listed: Decimal | null): Decimal | null => {
    if (said === null) return factor && listed ? listed.times(factor) : listed;
    return said === NO_BOUND ? null : decimal(said);
  };
  const variant = createHash('sha256')
    .update(`${override.from} ${contentOf(override)}`)
    .digest('hex')
    .slice(0, 8);
  return {
    ...price,
    id: `${price.id}${VARIANT}${variant}`,
    pricing: pricingOf(price.pricing, override, factor),
    minimumAmount: limit(override.minimumAmount, price.minimumAmount),
    maximumAmount: limit(override.maximumAmount, price.maximumAmount),
    agreed: { list: price, override },
  };
}

type Agreeing = Pick<Commitment, 'overrides' | 'segments' | 'createdAt' | 'endedAt'>;

/**
 * The agreed prices of a commitment as far as it holds (commercial.md §4): from its start, but of no time before it was
 * made, until its end.
 */
export function overridesOf(commitment: Agreeing): PriceOverride[] {
  const { overrides, segments, createdAt, endedAt } = commitment;
  const start = latest(Temporal.Instant.from(segments[0]?.startDate ?? ''), createdAt);
  const end = endedAt === null ? endOfTerm(commitment) : earliest(endedAt, endOfTerm(commitment));
  return overrides.flatMap((override) => {
    const [from, to] = [instantOf(override.from), instantOf(override.to)];
    const window = { from: from ? latest(from, start) : start, to: to ? earliest(to, end) : end };
    if (!isBefore(window.from, window.to)) return [];
    return [{ ...override, from: formatInstant(window.from), to: formatInstant(window.to) }];
  });
}

/** Overrides, and others where there are none of the same price. */
export const mergeOverrides = (
  own: readonly PriceOverride[],
  others: readonly PriceOverride[],
): readonly PriceOverride[] => others.reduce(besideOthers, own);

/** Overrides with another one, in the times of its window in which none of its price holds. */
function besideOthers(held: readonly PriceOverride[], override: PriceOverride): readonly PriceOverride[] {
  const open = held
    .filter(({ priceId }) => priceId === override.priceId)
    .reduce((left: readonly PriceOverride[], each) => left.flatMap((part) => without(part, each)), [override]);
  return [...held, ...open];
}

/** The parts of the window of an override outside that of another one. */
function without(part: PriceOverride, { from, to }: PriceOverride): PriceOverride[] {
  const [start, end] = [instantOf(part.from), instantOf(part.to)];
  const [first, last] = [instantOf(from), instantOf(to)];
  const isBeside =
    (first !== null && end !== null && !isBefore(first, end)) ||
    (last !== null && start !== null && !isBefore(start, last));
  if (isBeside) return [part];
  const hasBefore = first !== null && (start === null || isBefore(start, first));
  const hasAfter = last !== null && (end === null || isBefore(last, end));
  return [...(hasBefore ? [{ ...part, to: from }] : []), ...(hasAfter ? [{ ...part, from: to }] : [])];
}

function pricingOf(listed: Pricing, { properties }: PriceOverride, factor: Decimal | null): Pricing {
  if (properties !== null) return { model: listed.model, properties } as Pricing;
  return factor === null ? listed : scaledPricing(listed, factor);
}

/** Versions in the parts that their overrides make of them: one for each time in which none begins or ends. */
export function cutByOverrides(given: readonly BilledVersion[]): readonly BilledVersion[] {
  const versions = given.map(withCommitted);
  if (versions.every(({ overrides = [] }) => overrides.length === 0)) return given;
  const parts = versions.flatMap((version, place) => partsOf(version, versions[place + 1]?.from ?? null));
  return withCutPrices(withSameVariants(parts));
}

/** Versions in which an agreed price that goes on without a gap is one variant, whichever window or version says it. */
function withSameVariants(versions: readonly BilledVersion[]): BilledVersion[] {
  let before = new Map<string, BilledPrice>();
  return versions.map((version) => {
    const prices = version.prices.map((price) => {
      const earlier = before.get(listPriceId(price.id));
      if (!(price.agreed && earlier?.agreed && saySame(price.agreed.override, earlier.agreed.override))) return price;
      return { ...price, id: earlier.id };
    });
    before = new Map(prices.map((price) => [listPriceId(price.id), price]));
    return { ...version, prices };
  });
}

/**
 * A version whose overrides are its own, and those of commitments for prices that it has. Windows that say the same,
 * one after the other, are one: a variant is the same wherever the first version begins, with a trial or without it.
 */
function withCommitted(version: BilledVersion): BilledVersion {
  const { committed = [], overrides = [] } = version;
  const prices = new Set(version.prices.map(({ id }) => id));
  const all = mergeOverrides(
    overrides,
    committed.filter(({ priceId }) => prices.has(priceId)),
  );
  return { ...version, overrides: all.reduce(joined, []) };
}

/** Windows with another one, which may go on where one of them ends, or end where one begins. */
function joined(windows: readonly PriceOverride[], window: PriceOverride): PriceOverride[] {
  const alike = (other: PriceOverride): boolean => saySame(other, window);
  const before = windows.find((other) => alike(other) && other.to !== null && other.to === window.from);
  const after = windows.find((other) => alike(other) && other.from !== null && other.from === window.to);
  const others = windows.filter((other) => other !== before && other !== after);
  return [...others, { ...window, from: before ? before.from : window.from, to: after ? after.to : window.to }];
}

/** @param until the end of its time; null: none */
function partsOf(version: BilledVersion, until: Instant | null): BilledVersion[] {
  const { overrides = [] } = version;
  const bounds = overrides
    .flatMap(({ from, to }) => [instantOf(from), instantOf(to)])
    .filter((bound) => bound !== null)
    .filter((bound) => isAfter(bound, version.from) && (until === null || isBefore(bound, until)))
    .toSorted((one, other) => Temporal.Instant.compare(one, other));
  const starts = [version.from, ...bounds.filter((bound, place) => !bounds[place - 1]?.equals(bound))];
  return starts.map((from, place) => ({
    ...version,
    from,
    prices: withOverrides(version.prices, overrides, from),
    ...(place > 0 && { proration: 'second' as const, takesUpAnew: false }),
  }));
}

/**
 * Versions that know of which prices the agreed terms change with them: whatever the proration of a change, those are
 * cut by the second (commercial.md §1).
 */
const withCutPrices = (versions: readonly BilledVersion[]): BilledVersion[] =>
  versions.map((version, place) => {
    const before = new Map(versions[place - 1]?.prices.map(({ id }) => [listPriceId(id), id]));
    const changed = version.prices
      .map(({ id }) => id)
      .filter((id) => before.has(listPriceId(id)) && before.get(listPriceId(id)) !== id);
    return changed.length === 0 ? version : { ...version, agreedAnew: new Set(changed.map(listPriceId)) };
  });
