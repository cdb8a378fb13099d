import { type Decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { type BilledUsage, groupKey } from '../invoice/billed-usage.ts';
import type { DiscountLine } from '../owed/discounts.ts';
import type { RatedLine, RatedPrice } from '../rating/index.ts';

/** How many digits a unit price has that is an average. */
const AVERAGE_PRICE_DIGITS = 9;

type Line = RatedLine | DiscountLine;
type Tier = NonNullable<RatedLine['tiers']>[number];

/** The usage of two parts of a period as that of one: what is of the same price and group is added up. */
export function together(some: readonly BilledUsage[], others: readonly BilledUsage[]): BilledUsage[] {
  const sums = new Map<string, BilledUsage>();
  for (const row of [...some, ...others]) {
    const key = `${row.price_id} ${groupKey(row.group_values)}`;
    const before = sums.get(key);
    sums.set(key, before ? added(before, row) : row);
  }
  return [...sums.values()];
}

const added = (a: BilledUsage, b: BilledUsage): BilledUsage => ({
  price_id: a.price_id,
  group_values: a.group_values,
  quantity: a.quantity.plus(b.quantity),
  event_count: a.event_count + b.event_count,
  granted: a.granted.plus(b.granted),
});

/**
 * What one part adds to a price of a period that `closeNow` cut: the lines of the period so far less those of what was before
 * (domain.md §3: `rate(period so far) − rate(billed in its earlier parts)`), each with its own, so that the parts of a period
 * come to what it would have come to as one, to the minor unit. What a part adds may be negative: of a `volume` price that gets
 * cheaper, or of a minimum that was charged and is used by now.
 */
export function differenceOf(is: RatedPrice, was: RatedPrice): readonly Line[] {
  const [after, before] = [keyed(is.lines), keyed(was.lines)];
  const all = [...new Set([...after.keys(), ...before.keys()])].map((key) => minus(after.get(key), before.get(key)));
  const groupOf = ({ group, lines }: Place) => groupKey((lines[group] as Line).group ?? {});
  const others = all.filter(({ line }) => line.kind !== 'charge' && !isNothing(line));
  const discounted = new Set(others.filter(({ line }) => line.kind === 'adjustment').map(groupOf));
  const [first, ...rest] = all.filter(({ line }) => line.kind === 'charge');
  const used = [first, ...rest].filter(
    (each): each is Difference => each !== undefined && (!isNothing(each.line) || discounted.has(groupOf(each))),
  );
  const charges = used.length > 0 || first === undefined ? used : [first];
  const groups = charges.map(groupOf);
  const ordered = others.toSorted((a, b) => ORDER.indexOf(a.line.kind) - ORDER.indexOf(b.line.kind));
  return [
    ...charges.map(({ line }) => line),
    ...ordered.map((each): Line => {
      const { line } = each;
      return line.kind === 'adjustment' ? { ...line, chargeAt: groups.indexOf(groupOf(each)) } : line;
    }),
  ];
}

const ORDER: readonly Line['kind'][] = ['charge', 'grants', 'adjustment', 'maximum', 'minimum'];

/** Where a line stands, and at which place the charge whose group it is about. */
interface Place {
  readonly lines: readonly Line[];
  readonly group: number;
}

interface Difference extends Place {
  readonly line: Line;
}

const isDiscount = (line: Line): line is DiscountLine => line.kind === 'adjustment';

/** The lines by what they are about: a price has one of each kind, save that groups are charges of their own. */
const keyed = (lines: readonly Line[]): Map<string, Difference> =>
  new Map(
    lines.map((line, index) => {
      const group = isDiscount(line) ? line.chargeAt : index;
      const about = line.kind === 'charge' || isDiscount(line) ? groupKey((lines[group] as Line).group ?? {}) : '';
      return [`${line.kind} ${isDiscount(line) ? line.adjustment.id : ''} ${about}`, { line, lines, group }];
    }),
  );

/** One of the two is there. */
function minus(after: Difference | undefined, before: Difference | undefined): Difference {
  const place = (after ?? before) as Difference;
  if (!before) return place;
  const [is, was] = [after?.line ?? nothingOf(before.line), before.line];
  const totalPrice = is.totalPrice.minus(was.totalPrice);
  const quantity = isLimit(is) ? is.quantity : is.quantity.minus(was.quantity);
  const line: Line = {
    ...is,
    quantity,
    includedUnits: is.includedUnits.minus(was.includedUnits),
    unitPrice: unitPriceOf(is, was, quantity, totalPrice),
    totalPrice,
    exactPrice: is.exactPrice.minus(was.exactPrice),
    tiers: is.tiers === null || was.tiers === null ? null : tiersBetween(is.tiers, was.tiers),
    ...(!isNothing(was) && { workings: { soFar: { total: plain(is.totalPrice), before: plain(was.totalPrice) } } }),
  };
  return { ...place, line };
}

function unitPriceOf(is: Line, was: Line, quantity: Decimal, totalPrice: Decimal): Decimal {
  if (is.kind === 'grants') return is.unitPrice;
  if (is.kind !== 'charge') return totalPrice;
  if (quantity.isZero() || is.unitPrice.eq(was.unitPrice)) return is.unitPrice;
  return totalPrice.div(quantity).toDecimalPlaces(AVERAGE_PRICE_DIGITS);
}

const isLimit = ({ kind }: Line): boolean => kind === 'maximum' || kind === 'minimum';

/** A line that is there no more, as if it were there with nothing. */
const nothingOf = (line: Line): Line => ({
  ...line,
  ...{ quantity: ZERO, includedUnits: ZERO, totalPrice: ZERO, exactPrice: ZERO, tiers: line.tiers && [] },
});

/** What each tier holds more than before; of a tier that was left (`volume`) what it held, taken off. */
function tiersBetween(is: readonly Tier[], was: readonly Tier[]): Tier[] {
  const byBound = (tiers: readonly Tier[]) => new Map(tiers.map((tier) => [plain(tier.above), tier]));
  const [after, before] = [byBound(is), byBound(was)];
  return [...new Map([...before, ...after]).entries()]
    .map(([bound, tier]): Tier => {
      const [now, then] = [after.get(bound), before.get(bound)];
      return {
        ...tier,
        quantity: (now?.quantity ?? ZERO).minus(then?.quantity ?? ZERO),
        flatPrice: (now?.flatPrice ?? ZERO).minus(then?.flatPrice ?? ZERO),
        amount: (now?.amount ?? ZERO).minus(then?.amount ?? ZERO),
      };
    })
    .filter(({ quantity, flatPrice }) => !quantity.isZero() || !flatPrice.isZero())
    .toSorted((a, b) => a.above.cmp(b.above));
}

const isNothing = (line: Line): boolean => line.totalPrice.isZero() && (isLimit(line) || line.quantity.isZero());
