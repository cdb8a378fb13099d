import { type Decimal, decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { averagePrice } from '../../kernel/money.ts';
import { groupKey } from '../invoice/billed-usage.ts';
import type { TierRecord } from '../invoice/invoice-line.ts';
import type { RatedLine } from '../rating/index.ts';
import type { BilledSoFar } from './billed.ts';

type Tier = NonNullable<RatedLine['tiers']>[number];

/** The quantity and amount of one group of usage, or of the units that grants covered. */
interface Figures {
  readonly quantity: Decimal;
  readonly amount: Decimal;
  readonly tiers: readonly Tier[] | null;
}

const NOTHING: Figures = { quantity: ZERO, amount: ZERO, tiers: [] };

/**
 * The increase of a usage charge over its bill, group by group. The invoices of a period thus add up to the amount of a
 * single one, to the minor unit. The difference may be negative: for a `volume` price that gets cheaper, or for
 * returned usage. Figures that do not add up stay unchanged. The first line stays without an increase, so that the
 * invoice names the charge.
 */
export function differenceOf(is: readonly RatedLine[], before: BilledSoFar, isAddedUp = true): readonly RatedLine[] {
  const billed = new Map(before.charges.map((each) => [groupKey(each.group), figuresOf(each)]));
  const known = new Set(is.map(keyOf));
  const first = is.find(({ kind }) => kind === 'charge');
  const gone = [...billed]
    .filter(([key]) => !known.has(`charge ${key}`))
    .flatMap(([key]): RatedLine[] => {
      const group = before.charges.find((each) => groupKey(each.group) === key)?.group ?? {};
      return first ? [{ ...first, ...NO_UNITS, group: Object.keys(group).length === 0 ? null : group }] : [];
    });
  const lines = [...is, ...gone].map((line) =>
    line.kind === 'grants'
      ? minus(line, { ...NOTHING, quantity: before.granted }, true)
      : minus(line, billed.get(groupKey(line.group ?? {})) ?? NOTHING, isAddedUp),
  );
  const charges = lines.filter(({ kind }) => kind === 'charge');
  const used = charges.filter((line) => !(isAddedUp ? isNothing(line) : line.totalPrice.isZero()));
  const grants = lines.filter((line) => line.kind === 'grants' && !isNothing(line));
  return [...(used.length > 0 ? used : charges.slice(0, 1)), ...grants];
}

const NO_UNITS = { quantity: ZERO, includedUnits: ZERO, totalPrice: ZERO, exactPrice: ZERO, tiers: null } as const;

const keyOf = ({ kind, group }: RatedLine): string => `${kind} ${groupKey(group ?? {})}`;

const figuresOf = ({ quantity, amount, tiers }: BilledSoFar['charges'][number]): Figures => ({
  quantity,
  amount,
  tiers: tiers?.map(readTier) ?? null,
});

const readTier = (tier: TierRecord): Tier => ({
  above: decimal(tier.above),
  upTo: tier.upTo === null ? null : decimal(tier.upTo),
  quantity: decimal(tier.quantity),
  unitPrice: decimal(tier.unitPrice),
  flatPrice: decimal(tier.flatPrice),
  amount: decimal(tier.amount),
});

function minus(line: RatedLine, was: Figures, isAddedUp: boolean): RatedLine {
  if (was.quantity.isZero() && was.amount.isZero()) return line;
  const quantity = isAddedUp ? line.quantity.minus(was.quantity) : line.quantity;
  const totalPrice = line.totalPrice.minus(was.amount);
  return {
    ...line,
    quantity,
    unitPrice: unitPriceOf(line, quantity, totalPrice),
    totalPrice,
    exactPrice: line.exactPrice.minus(was.amount),
    tiers: line.tiers === null || was.tiers === null ? null : tiersBetween(line.tiers, was.tiers),
    ...(!was.amount.isZero() && { workings: { soFar: { total: plain(line.totalPrice), before: plain(was.amount) } } }),
  };
}

/** The price of a unit where it tells the amount; else an average. */
function unitPriceOf({ kind, unitPrice }: RatedLine, quantity: Decimal, totalPrice: Decimal): Decimal {
  if (kind === 'grants' || quantity.isZero()) return unitPrice;
  const told = quantity.times(unitPrice).toDecimalPlaces(totalPrice.decimalPlaces());
  return told.eq(totalPrice) ? unitPrice : averagePrice(totalPrice, quantity);
}

/** The increase of each tier; a tier that was left (`volume`) has its old quantity, negative. */
function tiersBetween(is: readonly Tier[], was: readonly Tier[]): Tier[] {
  const sums = new Map<string, Tier>();
  const add = (tier: Tier, sign: 1 | -1): void => {
    const key = plain(tier.above);
    const known = sums.get(key) ?? { ...tier, quantity: ZERO, flatPrice: ZERO, amount: ZERO };
    sums.set(key, {
      ...known,
      quantity: known.quantity.plus(tier.quantity.times(sign)),
      flatPrice: known.flatPrice.plus(tier.flatPrice.times(sign)),
      amount: known.amount.plus(tier.amount.times(sign)),
    });
  };
  for (const tier of was) add(tier, -1);
  for (const tier of is) add(tier, 1);
  return [...sums.values()]
    .filter(({ quantity, flatPrice }) => !quantity.isZero() || !flatPrice.isZero())
    .toSorted((a, b) => a.above.cmp(b.above));
}

const isNothing = (line: RatedLine): boolean => line.totalPrice.isZero() && line.quantity.isZero();
