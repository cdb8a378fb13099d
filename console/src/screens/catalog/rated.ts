import {
  checkProperties,
  eventRuleOf,
  type PriceModelName,
  type Pricing,
} from '../../../../src/invoicing/rating/models.ts';
import { ratePrice } from '../../../../src/invoicing/rating/rate-price.ts';
import { Decimal, decimal, plain, ZERO } from '../../../../src/kernel/decimal.ts';
import { WHOLE } from '../../../../src/kernel/fraction.ts';

/** A price as the server's rules of rating take it, in the currency of its plan. */
export interface Terms {
  readonly model: PriceModelName;
  readonly properties: unknown;
  readonly currency: string;
  readonly isFee: boolean;
  readonly minimumAmount?: string | null | undefined;
  readonly maximumAmount?: string | null | undefined;
}

/** How a quantity came about, for the models that ask. */
export interface Origin {
  /** Units in one event, of a percentage with an amount for each event. */
  readonly unitsPerEvent?: string;
  /** The values of the group that all the usage is in, of a matrix. */
  readonly match?: Readonly<Record<string, string>>;
}

const pricingOf = ({ model, properties }: Terms): Pricing => ({ model, properties }) as Pricing;

/** The amount of a whole period with this quantity, by the rules that bill it; null where the price is not whole. */
export function amountOf(terms: Terms, quantity: string, { unitsPerEvent, match = {} }: Origin = {}): string | null {
  try {
    const pricing = pricingOf(terms);
    if (checkProperties(pricing).length > 0) return null;
    const units = decimal(quantity);
    const events = unitsPerEvent ? units.div(decimal(unitsPerEvent)).ceil() : ZERO;
    const group = Object.fromEntries(dimensionsOf(terms).map((name) => [name, match[name] ?? null]));
    const { total } = ratePrice({
      pricing,
      currency: terms.currency,
      minimumAmount: terms.minimumAmount ? decimal(terms.minimumAmount) : null,
      maximumAmount: terms.maximumAmount ? decimal(terms.maximumAmount) : null,
      rated: terms.isFee
        ? { kind: 'fee', quantity: units }
        : {
            kind: 'usage',
            aggregation: 'SUM',
            groups: [
              { group, quantity: units, eventCount: BigInt(plain(events)), ...ofEach(pricing, unitsPerEvent, events) },
            ],
          },
    });
    return plain(total);
  } catch {
    return null; // a figure is missing or no figure yet
  }
}

/** What so many equal events come to, of a price on each of them. */
function ofEach(pricing: Pricing, unitsPerEvent: string | undefined, events: Decimal): { readonly ofEach?: Decimal } {
  const rule = eventRuleOf(pricing, WHOLE);
  if (rule === null || unitsPerEvent === undefined) return {};
  const { part, fixed, least, most, free } = rule;
  const asked = Decimal.max(decimal(unitsPerEvent).times(part).plus(fixed), least ?? ZERO);
  const paid = Decimal.max(ZERO, events.minus(decimal(free)));
  return { ofEach: paid.times(most ? Decimal.min(asked, most) : asked) };
}

const dimensionsOf = ({ model, properties }: Terms): readonly string[] =>
  model === 'matrix' ? (properties as { dimensions: readonly string[] }).dimensions : [];

const USUAL_MOST = '1000';
const USUAL_MOST_OF_FEES = '20';

/** A thousand, or so many units that they cost at least ten. */
function mostWithoutBounds(unitPrice: string | undefined): string {
  const price = decimal(unitPrice ?? '1').abs();
  let most = decimal(USUAL_MOST);
  while (price.gt(0) && most.times(price).lt(10)) most = most.times(10);
  return plain(most);
}

/** A quantity up to which a curve shows all that the price has: half more than its last bound. */
export function mostOf({ properties, isFee }: Pick<Terms, 'properties' | 'isFee'>): string {
  const {
    tiers,
    size,
    includedUnits,
    unitPrice,
    default: rest,
    percentage,
  } = properties as {
    tiers?: readonly { upTo: string | null }[];
    size?: string;
    includedUnits?: string;
    unitPrice?: string;
    default?: string;
    percentage?: string;
  };
  try {
    const bounds = (tiers ?? []).flatMap(({ upTo }) => (upTo ? [decimal(upTo).times('1.5')] : []));
    const others = [size && decimal(size).times(5), includedUnits && decimal(includedUnits).times(3)];
    const most = Decimal.max(0, ...bounds, ...others.filter((each) => each instanceof Decimal));
    if (!most.isZero()) return plain(most.ceil());
    return isFee ? USUAL_MOST_OF_FEES : mostWithoutBounds(unitPrice ?? rest ?? percentage);
  } catch {
    return USUAL_MOST;
  }
}

const STEPS = 200;

/** The quantities of a curve: even steps, and both sides of each bound where a price jumps. */
export function quantitiesOf({ properties }: Pick<Terms, 'properties'>, most: string): readonly string[] {
  const { tiers = [], size } = properties as { tiers?: readonly { upTo: string | null }[]; size?: string };
  try {
    const end = decimal(most);
    const step = end.div(STEPS);
    const even = Array.from({ length: STEPS + 1 }, (_, index) => step.times(index));
    const packages = size ? Math.min(STEPS, Number(plain(end.div(decimal(size)).floor()))) : 0;
    const bounds = [
      ...tiers.flatMap(({ upTo }) => (upTo ? [decimal(upTo)] : [])),
      ...Array.from({ length: packages }, (_, index) => decimal(size as string).times(index + 1)),
    ].filter((bound) => bound.lt(end));
    const all = [...even, ...bounds.flatMap((bound) => [bound, bound.plus(step.div(STEPS))])];
    return [...new Set(all.toSorted((a, b) => a.cmp(b)).map((each) => plain(each)))];
  } catch {
    return [];
  }
}

/** Five quantities for the table beside a curve: each bound of the price, else parts of the whole. */
export function examplesOf({ properties }: Pick<Terms, 'properties'>, most: string): readonly string[] {
  const { tiers = [] } = properties as { tiers?: readonly { upTo: string | null }[] };
  try {
    const end = decimal(most);
    const bounds = tiers.flatMap(({ upTo }) => (upTo && decimal(upTo).lt(end) ? [decimal(upTo)] : [])).slice(0, 3);
    const parts = ['0.01', '0.1', '0.25', '0.5'].map((part) => end.times(part).ceil());
    const chosen = [...bounds, end, ...parts].map((each) => plain(each));
    return [...new Set(chosen)].slice(0, 5).toSorted((a, b) => decimal(a).cmp(decimal(b)));
  } catch {
    return [];
  }
}
