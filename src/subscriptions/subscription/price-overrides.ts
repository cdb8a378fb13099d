import { checkByEvent, checkPropertiesOf } from '../../catalog/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import {
  type BilledPrice,
  checkLimits,
  dimensionsOf,
  holdsAt,
  NO_BOUND,
  normaliseProperties,
  type PriceOverride,
  type PriceOverridesBody,
  saySame,
  withOverrides,
} from '../../invoicing/index.ts';
import { decimal, decimalOf, plain } from '../../kernel/decimal.ts';
import { type FieldError, invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOrNull as instantOfText, isBefore } from '../../kernel/time.ts';

/** Who asks for overrides: the prices of the version, and from when they may hold. */
interface OverridesFor {
  readonly prices: readonly BilledPrice[];
  /** The instant of a change. Null: at a creation, they may hold from any time on. */
  readonly from: Instant | null;
  /** Those before the change: one that says the same goes on. */
  readonly had?: readonly PriceOverride[];
  /** The name of their list. */
  readonly field?: string;
}

/**
 * Overrides as they are stored (commercial.md §1): one that names no beginning begins with the change.
 * @returns 403 or 404 for a price; 400 with every fault, and both windows of two that overlap
 */
export async function decideOverrides(
  tx: Tx,
  given: PriceOverridesBody,
  { prices, from, had = [], field: list = 'priceOverrides' }: OverridesFor,
): Promise<Result<readonly PriceOverride[]>> {
  for (const [index, { priceId }] of given.entries()) {
    const field = `${list}.${index}.priceId`;
    const known = await checkReference(tx, 'price', priceId, field);
    if (!known.ok) return known.refusal.kind === 'not_found' ? notFound('price', field) : known;
  }
  const asGiven = given.map(
    (each): PriceOverride => ({
      priceId: each.priceId,
      multiplier: plainOrNull(each.multiplier),
      properties: each.properties == null ? null : normaliseProperties(each.properties),
      minimumAmount: boundOf(each.minimumAmount),
      maximumAmount: boundOf(each.maximumAmount),
      from: timeOrNull(each.from) ?? (from && formatInstant(from)),
      to: timeOrNull(each.to),
    }),
  );
  const overrides = asGiven.map((override) => ({ ...override, from: goingOn(override, from, had) }));
  const errors = [
    ...asGiven.flatMap((override, index) => faultsOf(override, `${list}.${index}`, prices, from)),
    ...overlapping(asGiven, list),
  ];
  return errors.length === 0 ? ok(overrides) : invalid(errors);
}

type Given = PriceOverridesBody[number];

const plainOrNull = (given: Given['multiplier']): string | null => (given == null ? null : plain(decimalOf(given)));

const boundOf = (given: Given['minimumAmount']): string | null =>
  given == null || given === NO_BOUND ? (given ?? null) : plain(decimal(given));

const timeOrNull = (given: Given['from']): string | null => {
  const at = instantOfText(given);
  return at && formatInstant(at);
};

const instantOrNull = (text: string | null): Instant | null => (text === null ? null : Temporal.Instant.from(text));

/** An override that begins with a change, and says what held until then, is the one before it: nothing begins anew. */
function goingOn(override: PriceOverride, at: Instant | null, had: readonly PriceOverride[]): string | null {
  if (at === null || override.from !== formatInstant(at)) return override.from;
  const before = had.find((each) => saySame(each, override) && holdsAt(each, at.subtract({ nanoseconds: 1000 })));
  return before ? before.from : override.from;
}

function faultsOf(
  override: PriceOverride,
  place: string,
  prices: readonly BilledPrice[],
  earliest: Instant | null,
): FieldError[] {
  const { priceId, multiplier, properties, minimumAmount, maximumAmount, from, to } = override;
  const at = (field: string, message: string): FieldError => ({ field: `${place}.${field}`, message });
  const price = prices.find(({ id }) => id === priceId);
  if (!price) return [at('priceId', 'is no price of the plan version')];
  const errors: FieldError[] = [];
  if (multiplier !== null && properties !== null)
    errors.push(at('multiplier', 'cannot be given with properties: one of the two'));
  if (multiplier === null && properties === null && minimumAmount === null && maximumAmount === null)
    errors.push(at('multiplier', 'is required, or properties, minimumAmount or maximumAmount'));
  if (properties !== null) errors.push(...propertyFaults(price, properties, at));
  const [start, end] = [instantOrNull(from), instantOrNull(to)];
  if (start && earliest && isBefore(start, earliest)) errors.push(at('from', 'must not be before the change'));
  if (end && start && !isBefore(start, end)) errors.push(at('to', 'must be after from'));
  if (errors.length > 0) return errors;
  const [agreed] = withOverrides([price], [{ ...override, from: null, to: null }], EPOCH);
  return checkLimits(agreed?.minimumAmount ?? null, agreed?.maximumAmount ?? null).map(({ field, message }) =>
    at(field, message),
  );
}

const EPOCH: Instant = Temporal.Instant.fromEpochNanoseconds(0n);

function propertyFaults(
  { pricing: { model }, metric, grantDiscountEnabled = false }: BilledPrice,
  properties: object,
  at: (field: string, message: string) => FieldError,
): FieldError[] {
  const errors = checkPropertiesOf({ model, properties }).map(({ field, message }) => at(field, message));
  if (errors.length > 0) return errors;
  const onEach = checkByEvent({ model, properties, grantDiscountEnabled }, metric?.meter.aggregation ?? null);
  if (onEach.length > 0)
    return onEach.map(({ field, message }) => at(field.replace(/^grant.*/, 'properties'), message));
  const known = metric?.meter.groupBy ?? {};
  return (dimensionsOf({ model, properties }) ?? [])
    .map((dimension, place) => ({ dimension, field: `properties.dimensions.${place}` }))
    .filter(({ dimension }) => !Object.hasOwn(known, dimension))
    .map(({ field }) => at(field, "is not among the metric's groupBy"));
}

/** Windows of one price must not overlap: both are told. */
function overlapping(overrides: readonly PriceOverride[], list: string): FieldError[] {
  const isBeforeEnd = (start: string | null, end: string | null): boolean =>
    end === null || start === null || isBefore(instantOrNull(start) as Instant, instantOrNull(end) as Instant);
  return overrides.flatMap((one, index) => {
    const place = overrides.findIndex(
      (other, at) =>
        at !== index &&
        other.priceId === one.priceId &&
        isBeforeEnd(one.from, other.to) &&
        isBeforeEnd(other.from, one.to),
    );
    const message = `overlaps the window of ${list}.${place}: ${windowOf(overrides[place])}`;
    return place === -1 ? [] : [{ field: `${list}.${index}`, message }];
  });
}

const windowOf = (override: PriceOverride | undefined): string =>
  `from ${override?.from ?? 'the start'} to ${override?.to ?? 'the end'}`;

/** A version of a history, as far as it decides which overrides hold. */
interface OverridingVersion {
  readonly holdsFrom: Instant;
  /** Null: those of the version before. */
  readonly priceOverrides: readonly PriceOverride[] | null;
}

/**
 * The overrides that hold with each version of a history. Those of a price that a version does not hold end with it,
 * unless the version is replaced at its own instant.
 * @param pricesOf the ids of the prices of a version
 */
export function overridesOver<Version extends OverridingVersion>(
  history: readonly Version[],
  pricesOf: (version: Version) => ReadonlySet<string>,
): (readonly PriceOverride[])[] {
  let held: readonly PriceOverride[] = [];
  let said: readonly PriceOverride[] = [];
  return history.map((version, place) => {
    if (!history[place - 1]?.holdsFrom.equals(version.holdsFrom)) said = held;
    said = version.priceOverrides ?? said;
    const prices = pricesOf(version);
    held = said.filter(({ priceId }) => prices.has(priceId));
    return held;
  });
}
