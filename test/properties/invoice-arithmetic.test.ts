import fc from 'fast-check';
import { expect, it } from 'vitest';
import { calculate } from '../../src/invoicing/calculation/calculate.ts';
import type { Calculation, CalculationInput, OtherLine } from '../../src/invoicing/calculation/calculation.ts';
import { type DueCharge, lateDue } from '../../src/invoicing/difference/due.ts';
import type { Quoting } from '../../src/invoicing/difference/time.ts';
import type { BilledUsage } from '../../src/invoicing/invoice/billed-usage.ts';
import { cellOf, chargesInAdvance, type OwedCharge } from '../../src/invoicing/owed/charges.ts';
import { adjustmentsAt } from '../../src/invoicing/owed/discounts.ts';
import { type Aggregation, type Pricing, ratePrice } from '../../src/invoicing/rating/index.ts';
import type { Adjustment, BilledPrice, BilledVersion } from '../../src/invoicing/terms/billing-terms.ts';
import { allotBurnt, type BurntIn, stretchesOf } from '../../src/invoicing/usage/burnt-units.ts';
import { currencyCodes, minorDigits } from '../../src/kernel/currency.ts';
import { type Decimal, decimal, plain, sum } from '../../src/kernel/decimal.ts';
import type { Period } from '../../src/kernel/time.ts';
import { cases } from '../support/cases.ts';
import { exact } from '../support/exact.ts';
import {
  type AskedCharge,
  chargeOf,
  cutToZero,
  type Item,
  itemsOf,
  lateItemsOf,
  sumOf,
  taxesOf,
  totalOf,
  type Used,
} from '../support/invoice-oracle.ts';
import { dueCharges, feeItem, issue, itemsIn, openBooks } from '../support/owed.ts';

/**
 * Whole invoices of random catalogs, usage and histories in every currency. The program's path (charges, covered units,
 * rating, discounts, limits, credits, tax, totals) is compared with the same calculation in fractions (domain.md §2 to
 * §4; I-22, I-23).
 */
const RUNS = cases(400, 6000);

const DIGITS = 1000;
const decimalOf = (most: number, digits: number) =>
  fc.integer({ min: 0, max: most * 10 ** digits }).map((units) => (units / 10 ** digits).toFixed(digits));
const unitPrice = fc.oneof(
  fc.constantFrom('0', '0.005', '0.3', '0.003', '0.000003', '0.000000001', '29.9', '1000'),
  decimalOf(5, 4),
);
const units = fc.oneof(
  fc.constantFrom('0', '0.000000001', '1000000000000000', '-5', '75', '100', '1000', '1000.000000001'),
  decimalOf(2000, 3),
);
const bound = fc.integer({ min: 1, max: DIGITS }).map(String);
const included = fc.constantFrom({}, {}, { includedUnits: '100' }, { includedUnits: '7.5' });
const tiers = fc
  .tuple(bound, bound, fc.array(unitPrice, { minLength: 3, maxLength: 3 }), fc.array(unitPrice, { maxLength: 3 }))
  .map(([a, b, prices, flats]) => {
    const bounds = [...new Set([a, b])].toSorted((x, y) => Number(x) - Number(y));
    return [...bounds, null].map((upTo, place) => ({
      upTo,
      unitPrice: prices[place] as string,
      ...(flats[place] !== undefined && { flatPrice: flats[place] }),
    }));
  });
const region = fc.constantFrom('eu', 'us', null);
const size = fc.constantFrom('big', 'small', null);
const optional = (name: string) =>
  fc.oneof(
    fc.constant({}),
    unitPrice.map((text) => ({ [name]: text })),
  );
const cells = fc.subarray([{ region: 'eu' }, { size: 'big' }, { region: 'us', size: 'big' }] as Record<
  string,
  string
>[]);

const models: Record<Pricing['model'], fc.Arbitrary<object>> = {
  standard: fc
    .tuple(
      fc.oneof(
        unitPrice,
        unitPrice,
        unitPrice,
        decimalOf(9, 2).map((text) => `-${text}`),
      ),
      included,
    )
    .map(([price, free]) => ({ unitPrice: price, ...free })),
  graduated: fc.tuple(tiers, included).map(([list, free]) => ({ tiers: list, ...free })),
  volume: fc.tuple(tiers, included).map(([list, free]) => ({ tiers: list, ...free })),
  package: fc
    .tuple(fc.constantFrom('100', '3', '0.1', '1'), unitPrice, included)
    .map(([of, price, free]) => ({ size: of, price, ...free })),
  percentage: fc
    .tuple(fc.constantFrom('0.029', '0.1', '0', '1.5'), optional('fixed'), optional('minCharge'), included)
    .chain(([percentage, ...rest]) =>
      fc.constantFrom({}, { maxCharge: '1000' }).map((top) => Object.assign({ percentage }, ...rest, top)),
    ),
  dynamic: optional('multiplier'),
  matrix: fc.tuple(cells, fc.array(unitPrice, { minLength: 4, maxLength: 4 })).map(([matches, prices]) => ({
    dimensions: ['region', 'size'],
    cells: matches.map((match, place) => ({ match, unitPrice: prices[place] })),
    default: prices[3],
  })),
};
const pricing = fc.oneof(
  ...Object.entries(models).map(([model, properties]) =>
    properties.map((of) => ({ model, properties: of }) as Pricing),
  ),
);

const limit = fc.option(fc.oneof(fc.constantFrom('0', '10', '99.995'), decimalOf(500, 2)), { nil: null, freq: 3 });
const limits = fc.tuple(limit, limit).map(([a, b]) => {
  const isCrossed = a !== null && b !== null && Number(a) > Number(b);
  return isCrossed ? { minimum: b, maximum: a } : { minimum: a, maximum: b };
});
const taxRate = fc.constantFrom('0', '7', '8.875', '19', '20', '25.5', '100');
const row = fc.record({ region, size, quantity: units, events: fc.integer({ min: 0, max: 9 }) });
/** Metering answers each combination of group values once. */
const rowsOfUsage = (maxLength: number) =>
  fc.uniqueArray(row, { maxLength, selector: ({ region: r, size: s }) => `${r} ${s}` });
const price = fc.record({
  pricing,
  limits,
  taxRate,
  term: fc.constantFrom('usage', 'usage', 'usage', 'fee', 'ahead' as const),
  aggregation: fc.constantFrom<Aggregation>('SUM', 'SUM', 'COUNT', 'MAX', 'UNIQUE_COUNT'),
  rows: rowsOfUsage(4),
  later: rowsOfUsage(2),
  isCoveredByGrants: fc.boolean(),
});
type Price = typeof price extends fc.Arbitrary<infer Value> ? Value : never;

/** A part of a period, as a fraction; some of them do not end in decimals. */
const part = fc
  .tuple(fc.integer({ min: 0, max: 30 }), fc.constantFrom(2, 3, 28, 30, 31, 7))
  .map(([over, under]) => [Math.min(over, under), under] as const);

const manual = fc.record({
  amount: fc.integer({ min: -20_000, max: 20_000 }),
  taxRate: fc.option(taxRate, { nil: null }),
  isCredit: fc.boolean(),
});
const WINDOW_DAYS = 5;
const adjustment = fc.record({
  fraction: fc.oneof(
    fc.constantFrom('0.35', '0.5', '1', '0.333333'),
    fc.integer({ min: 1, max: 999_999 }).map((n) => (n / 1e6).toFixed(6)),
  ),
  from: fc.integer({ min: -WINDOW_DAYS, max: 2 }),
  to: fc.option(fc.integer({ min: -1, max: WINDOW_DAYS }), { nil: null }),
  created: fc.integer({ min: -WINDOW_DAYS, max: 1 }),
});

const world = fc.record({
  currency: fc.constantFrom(...currencyCodes),
  isInclusive: fc.boolean(),
  anchor: fc.constantFrom('2026-01-31T10:30:00Z', '2024-02-29T23:59:59Z', '2026-03-01T00:00:00Z'),
  cadence: fc.constantFrom('P1M', 'P1M', 'P1Y', 'P1W', 'P10D'),
  number: fc.integer({ min: 0, max: 3 }),
  startsAt: fc.oneof(fc.constant([0, 1] as const), part),
  endsAt: fc.oneof(fc.constant(null), part),
  prices: fc.array(price, { minLength: 1, maxLength: 5 }),
  changes: fc.array(fc.tuple(part, fc.integer({ min: 0, max: 31 })), { maxLength: 2 }),
  burnt: fc.array(fc.tuple(fc.integer({ min: 0, max: 31 }), decimalOf(300, 2)), { maxLength: 3 }),
  adjustments: fc.array(adjustment, { maxLength: 4 }),
  others: fc.array(manual, { maxLength: 3 }),
});
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

/** The start of a period, in milliseconds: months keep the day of the anchor, or use the last day of the month. */
function boundary(anchor: string, cadence: string, n: number): number {
  const at = new Date(anchor);
  const [, count = '', unit = ''] = /^P(\d+)([DWMY])$/.exec(cadence) ?? [];
  const many = n * Number(count);
  if (unit === 'D' || unit === 'W') return at.getTime() + many * (unit === 'W' ? 7 : 1) * 86_400_000;
  const month = at.getUTCMonth() + many * (unit === 'Y' ? 12 : 1);
  const lastDay = new Date(Date.UTC(at.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const time = at.getTime() % 86_400_000;
  return Date.UTC(at.getUTCFullYear(), month, Math.min(at.getUTCDate(), lastDay)) + time;
}

interface Times {
  /** Two periods from boundary to boundary: that of the invoice, and the next. */
  readonly bounds: readonly [number, number, number];
  readonly startsAt: number;
  readonly endsAt: number | null;
  /** The start of each version, and its prices as bits. */
  readonly versions: readonly { readonly from: number; readonly holds: number }[];
}

/** @returns null where the invoice's period has no length. */
function timesOf({ anchor, cadence, number, startsAt, endsAt, changes }: World): Times | null {
  const [from, to, next] = [0, 1, 2].map((n) => boundary(anchor, cadence, number + n)) as [number, number, number];
  const place = ([over, under]: readonly [number, number]) => from + Math.floor(((to - from) * over) / under);
  const starts = place(startsAt);
  // some in the period after it
  const ends = endsAt === null ? null : place(endsAt) + (endsAt[1] === 2 ? next - to : 0);
  if (starts >= to || (ends !== null && ends <= starts)) return null;
  const cuts = changes
    .map(([at, holds]) => ({ from: place(at), holds }))
    .filter((cut) => cut.from > starts && (ends === null || cut.from < ends))
    .toSorted((a, b) => a.from - b.from);
  return { bounds: [from, to, next], startsAt: starts, endsAt: ends, versions: [{ from: starts, holds: 31 }, ...cuts] };
}

const holds = (bits: number, place: number): boolean => (bits >> place) % 2 === 1;

/** The time of a price in a period, in milliseconds: each span, without a gap. */
function heldTimes(
  { startsAt, endsAt, versions }: Times,
  place: number,
  [from, to]: readonly [number, number],
): number[] {
  const times: [number, number][] = [];
  for (const [index, version] of versions.entries()) {
    const start = Math.max(from, startsAt, version.from);
    const end = Math.min(to, endsAt ?? to, versions[index + 1]?.from ?? to);
    if (!holds(version.holds, place) || end <= start) continue;
    const before = times.at(-1);
    if (before?.[1] === start) before[1] = end;
    else times.push([start, end]);
  }
  return times.map(([start, end]) => end - start);
}

const instant = (milliseconds: number) => Temporal.Instant.fromEpochMilliseconds(milliseconds);
const isMetered = ({ term }: Price): boolean => term === 'usage';
const isAdditive = ({ aggregation }: Price): boolean => aggregation === 'SUM' || aggregation === 'COUNT';
const isByGroups = ({ pricing: { model } }: Price): boolean => model === 'matrix';
/**
 * Combinations that the catalog refuses are left out: a fee with groups or of events, and groups of a figure that does
 * not add up.
 */
const isAllowed = (of: Price): boolean => {
  const { model } = of.pricing;
  if (!isMetered(of)) return model === 'standard' || model === 'graduated' || model === 'volume' || model === 'package';
  return model === 'matrix' || model === 'dynamic' ? isAdditive(of) : true;
};

/** The rows that metering would give: one, or for a matrix one for each combination. */
function rowsOf(of: Price, rows: Price['rows']): Used[] {
  if (!isMetered(of)) return [{ group: {}, quantity: of.rows[0]?.quantity ?? '1', events: 0 }];
  if (isByGroups(of))
    return rows.map(({ region: r, size: s, ...used }) => ({ group: { region: r, size: s }, ...used }));
  const [first] = rows;
  return first ? [{ group: {}, quantity: first.quantity, events: first.events }] : [];
}

const idOf = (place: number): string => `price ${place}`;

const billedPrice = (of: Price, place: number): BilledPrice => ({
  id: idOf(place),
  invoiceDisplayName: idOf(place),
  paymentTerm: of.term === 'ahead' ? 'in_advance' : 'in_arrears',
  pricing: of.pricing,
  billingCadence: null,
  metric: isMetered(of)
    ? ({ id: `metric ${place % 2}`, name: 'm', meter: { aggregation: of.aggregation } } as BilledPrice['metric'])
    : null,
  fee: isMetered(of) ? null : { id: idOf(place), name: idOf(place), description: '', itemId: null },
  quantity: decimal(isMetered(of) ? '1' : (rowsOf(of, [])[0] as Used).quantity),
  minimumAmount: of.limits.minimum === null ? null : decimal(of.limits.minimum),
  maximumAmount: of.limits.maximum === null ? null : decimal(of.limits.maximum),
  taxRate: null,
  groupFilters: null,
});

const billedUsage = (priceId: string, rows: readonly Used[], granted: string): BilledUsage[] =>
  rows.map(({ group, quantity, events }) => ({
    priceId,
    groupValues: { ...group },
    quantity: decimal(quantity),
    eventCount: events,
    granted: decimal(granted),
  }));

const takesGrants = (of: Price): boolean =>
  of.isCoveredByGrants &&
  isMetered(of) &&
  isAdditive(of) &&
  of.pricing.model !== 'matrix' &&
  of.pricing.model !== 'dynamic';

/**
 * The number of covered units of each price. It also checks that no unit is covered twice, and that every possible unit
 * is covered.
 */
function covered(of: World, charges: readonly OwedCharge[]): Map<string, Decimal> {
  const claims = charges
    .filter(({ price: { id } }) => takesGrants(of.prices[Number(id.at(-1))] as Price))
    .map(({ price: { id, metric }, spans }) => {
      const [used] = rowsOf(of.prices[Number(id.at(-1))] as Price, (of.prices[Number(id.at(-1))] as Price).rows);
      return { id, metricId: metric?.id as string, spans, used: decimal(used?.quantity ?? '0') };
    });
  const stretches: Period[] = stretchesOf(claims);
  const burnt = stretches.flatMap((stretch, place) =>
    of.burnt.map(
      ([bits, amount]): BurntIn => ({
        entitlementId: 'entitlement',
        metricIds: ['metric 0', 'metric 1'].filter((_, metric) => holds(bits, metric + (place % 2))),
        units: decimal(amount),
        stretch,
      }),
    ),
  );
  const taken = allotBurnt(burnt, claims).map((allotment) => allotment.units);
  const measured = burnt.filter(({ metricIds }) => claims.some(({ metricId }) => metricIds.includes(metricId)));
  expect(sum(taken).lte(sum(measured.map((pool) => pool.units)))).toBe(true);
  for (const [place, { used }] of claims.entries()) {
    const own = taken[place] as Decimal;
    expect(own.gte(0) && own.lte(used.lt(0) ? 0 : used)).toBe(true);
  }
  return new Map(claims.map(({ id }, place) => [id, taken[place] as Decimal]));
}

/** The adjustments of a subscription, oldest first, and the fractions of those with the instant in their window. */
function discountsAt(of: World, at: number): { all: Adjustment[]; fractions: string[] } {
  const day = (count: number) => instant(at + count * 86_400_000);
  const ordered = of.adjustments.toSorted((a, b) => a.created - b.created);
  const all = ordered.map(({ fraction, from, to, created }, place) => ({
    id: `adjustment ${place}`,
    percentageDiscount: decimal(fraction),
    effectiveFrom: day(from),
    effectiveTo: to === null ? null : day(to),
    description: '',
    createdAt: day(created),
  }));
  const fractions = ordered
    .filter(({ from, to, created }) => created <= 0 && from <= 0 && (to === null || to > 0))
    .map(({ fraction }) => fraction);
  return { all, fractions };
}

const asked = (of: Price, rows: readonly Used[], granted: string, over: number, under: number): AskedCharge => ({
  pricing: of.pricing,
  isForTime: !(isMetered(of) && isAdditive(of)),
  used: rows,
  covered: granted,
  share: exact(BigInt(over), BigInt(under)),
  ...of.limits,
});

interface Case {
  readonly input: CalculationInput;
  readonly items: Item[];
  readonly digits: number;
}

/** The input of an invoice for the program, and the resulting lines. */
function caseOf(of: World, times: Times): Case {
  const { bounds, startsAt, endsAt, versions } = times;
  const digits = minorDigits(of.currency);
  const prices = of.prices.map(billedPrice);
  const history = versions.map(
    (version): BilledVersion => ({
      from: instant(version.from),
      planId: 'plan',
      planTaxRate: null,
      minimumAmount: null,
      planCadence: of.cadence,
      prices: prices.filter((_, place) => holds(version.holds, place)),
      anchors: {},
      proration: 'second',
    }),
  );
  const periodEnd = Math.min(bounds[1], endsAt ?? bounds[1]);
  const quoting: Quoting = { currency: of.currency, taxBehavior: of.isInclusive ? 'inclusive' : 'exclusive' };
  const anchor = Temporal.Instant.from(of.anchor);
  const terms = {
    planCadence: of.cadence,
    prices,
    bounds: { anchor, startedAt: instant(startsAt), endsAt: endsAt === null ? null : instant(endsAt) },
    versions: history,
  };
  const invoice = {
    ...{ billingCadence: of.cadence, periodNumber: of.number },
    ...{ periodStart: instant(startsAt), periodEnd: instant(periodEnd) },
  };
  // Advance charges of the invoice's own period were billed before it.
  const ahead = chargesInAdvance(terms, cellOf(terms, invoice)).map(({ price: { id, quantity }, period }) =>
    feeItem(id, period, { net: '0', quantity: plain(quantity) }),
  );
  const due = dueCharges(terms, invoice, ahead, quoting);
  const charges = due.map(({ charge }) => charge);
  const granted = covered(of, charges);
  const { all, fractions } = discountsAt(of, periodEnd);
  const items = charges.flatMap(({ price: { id } }, index) => {
    const place = Number(id.at(-1));
    const price = of.prices[place] as Price;
    const span = price.term === 'ahead' ? ([bounds[1], bounds[2]] as const) : ([bounds[0], bounds[1]] as const);
    const spans = heldTimes(times, place, span);
    const earlier = charges.slice(0, index).filter((charge) => charge.price.id === id).length;
    const over = isMetered(price) ? spans.reduce((a, b) => a + b, 0) : (spans[earlier] as number);
    const rows = rowsOf(price, price.rows);
    const charge = asked(price, rows, plain(granted.get(id) ?? decimal(0)), over, span[1] - span[0]);
    return itemsOf(id, charge, price.taxRate, fractions, digits);
  });
  // Late usage of the first price, where that is one of usage, as of a whole period that was closed before.
  const [first] = of.prices as [Price];
  const isLate = isMetered(first) && first.later.length > 0 && !isRebate(first);
  const whole = { start: instant(bounds[0]), end: instant(bounds[1]) };
  const lateId = 'late';
  const lateRows = [rowsOf(first, first.rows), rowsOf(first, first.later)] as const;
  const lateItems = isLate
    ? lateItemsOf(lateId, asked(first, lateRows[1], '0', 1, 1), asked(first, lateRows[0], '0', 1, 1), {
        taxRate: first.taxRate,
        fractions,
        digits,
        isInclusive: of.isInclusive,
      })
    : [];
  const taxRates = new Map([
    ...of.prices.map((price, place): [string, Decimal] => [idOf(place), decimal(price.taxRate)]),
    [lateId, decimal(first.taxRate)],
  ]);
  const adjustments = adjustmentsAt(all, instant(periodEnd));
  const late = (): DueCharge[] => {
    const price = { ...billedPrice(first, 0), id: lateId };
    const closed = {
      id: 'closed',
      ...{ billingCadence: of.cadence, periodNumber: of.number },
      ...{ periodStart: whole.start, periodEnd: whole.end },
    };
    const terms = {
      ...{ planCadence: of.cadence, prices: [price], bounds: { anchor, startedAt: whole.start, endsAt: null } },
      ...quoting,
    };
    const books = openBooks();
    const usage = billedUsage(lateId, lateRows[0], '0');
    issue(books, 'before', dueCharges(terms, closed, [], quoting), { usage, taxRates, adjustments }, quoting);
    const now = billedUsage(lateId, lateRows[1], '0');
    return lateDue({ terms, items: itemsIn(books) }, [
      { invoice: closed, parts: [{ invoice: closed, usage: now, adjustments }] },
    ]);
  };
  const others = of.others.map(otherLine(digits));
  return {
    digits,
    items: [
      ...items,
      ...lateItems,
      ...of.others.map(
        ({ amount, taxRate: rate, isCredit }, place): Item => ({
          key: `other ${place}`,
          turn: isCredit ? 'credit' : 'other',
          amount: BigInt(amount),
          taxRate: rate,
        }),
      ),
    ],
    input: {
      ...quoting,
      charges: [...due, ...(isLate ? late() : [])],
      others,
      usage: of.prices.flatMap((price, place) =>
        isMetered(price)
          ? billedUsage(idOf(place), rowsOf(price, price.rows), plain(granted.get(idOf(place)) ?? decimal(0)))
          : [],
      ),
      taxRates,
      adjustments,
    },
  };
}

/** The possible amount of a rebate depends on the whole invoice. */
const isRebate = ({ pricing: { properties } }: Price): boolean =>
  'unitPrice' in properties && decimal(properties.unitPrice).lt(0);

/** A manual line, or a credit. */
const otherLine =
  (digits: number) =>
  ({ amount, taxRate: rate, isCredit }: World['others'][number], place: number): OtherLine => ({
    amount: decimal(amount).div(10 ** digits),
    taxRate: rate === null ? null : decimal(rate),
    ...(isCredit && { cutTurn: 'credit' }),
    content: { type: 'manual', priceId: `other ${place}` } as OtherLine['content'],
  });

const inUnits = (amount: Decimal, digits: number): bigint => BigInt(amount.times(10 ** digits).toFixed());

/** The amounts of the invoice under each name, in minor units. */
function byKey({ lines }: Calculation, isInclusive: boolean, digits: number): Map<string, bigint> {
  const found = new Map<string, bigint>();
  for (const { priceId: key, totalPrice: net, totalAmount: gross } of lines)
    found.set(key as string, (found.get(key as string) ?? 0n) + inUnits(isInclusive ? gross : net, digits));
  return found;
}

const nonZero = (amounts: Iterable<readonly [string, bigint]>) =>
  Object.fromEntries([...amounts].filter(([, amount]) => amount !== 0n).map(([key, amount]) => [key, String(amount)]));

/**
 * Included units and flat prices without a last digit: where the exact amount is half a minor unit now and then, which
 * must be seen to be it.
 */
const awkward = fc.record({
  currency: fc.constantFrom('JPY', 'USD', 'KWD'),
  model: fc.constantFrom('standard', 'standard', 'graduated', 'volume', 'package' as const),
  unitPrice: fc.constantFrom('0.0003', '0.003', '0.03', '0.3', '1.5'),
  flatPrice: fc.constantFrom('0', '0.005', '0.05', '0.5', '1'),
  includedUnits: fc.constantFrom('0', '1', '5', '10', '50', '100'),
  quantity: fc.integer({ min: 0, max: 200 }).map(String),
  share: fc.constantFrom([1, 3], [2, 3], [5, 6], [10, 21]),
});

it('of usage in a part of a period comes to what it comes to in fractions, also at half a minor unit', () => {
  let halves = 0;
  fc.assert(
    fc.property(awkward, ({ currency, model, unitPrice: each, flatPrice, includedUnits, quantity, share }) => {
      const tiersOf = ['20', '60', null].map((upTo) => ({ upTo, unitPrice: each, flatPrice }));
      const properties = {
        ...{ standard: { unitPrice: each }, package: { size: '7', price: each } }[model as 'standard'],
        ...((model === 'graduated' || model === 'volume') && { tiers: tiersOf }),
        includedUnits,
      };
      const of = { model, properties } as Pricing;
      const digits = minorDigits(currency);
      const [over, under] = share as [number, number];
      const charge: AskedCharge = {
        pricing: of,
        isForTime: false,
        used: [{ group: {}, quantity, events: 1 }],
        covered: '0',
        share: exact(BigInt(over), BigInt(under)),
        minimum: null,
        maximum: null,
      };
      const { total } = ratePrice({
        pricing: of,
        currency,
        rated: {
          kind: 'usage',
          aggregation: 'SUM',
          groups: [{ group: {}, quantity: decimal(quantity), eventCount: 1n }],
        },
        fraction: { numerator: BigInt(over), denominator: BigInt(under) },
      });
      const { amount, isHalf } = chargeOf(charge, digits);
      expect(inUnits(total, digits)).toBe(amount);
      if (isHalf) halves += 1;
    }),
    RUNS,
  );
  expect(halves).toBeGreaterThan(RUNS.numRuns / 500);
});

/** Found by chance once, and now a fixed case: the tax of a correction that credits the discounts of two groups. */
const KEPT: World = {
  ...{ currency: 'ISK', isInclusive: true, anchor: '2026-01-31T10:30:00Z', cadence: 'P1M', number: 0 },
  ...{ startsAt: [0, 1], endsAt: [0, 2], changes: [], burnt: [] },
  prices: [
    {
      pricing: {
        model: 'matrix',
        properties: {
          dimensions: ['region', 'size'],
          cells: [{ match: { region: 'us', size: 'big' }, unitPrice: '0.6845' }],
          default: '0.005',
        },
      } as Pricing,
      limits: { minimum: null, maximum: '99.995' },
      ...{ taxRate: '19', term: 'usage', aggregation: 'SUM', isCoveredByGrants: false },
      rows: ['big' as const, null].map((of) => ({ region: 'us', size: of, quantity: '1000', events: 0 })),
      later: [{ region: 'us', size: null, quantity: '1500.000', events: 0 }],
    },
  ],
  adjustments: [{ fraction: '0.264493', from: 0, to: null, created: 0 }],
  others: [{ amount: -121, taxRate: null, isCredit: false }],
};

it('of random plans come to what they come to in fractions, and every line sums up', { timeout: 3_600_000 }, () => {
  const seen = { invoices: 0, cut: 0, inclusive: 0, parts: 0, discounted: 0, late: 0, currencies: new Set<string>() };
  const usable = world.filter((of) => of.prices.every(isAllowed) && timesOf(of) !== null);
  fc.assert(
    fc.property(usable, (of) => {
      const { input, items, digits } = caseOf(of, timesOf(of) as Times);
      const invoice = calculate(input);
      const { lines, subtotal, totalTax, grandTotal } = invoice;

      const left = cutToZero(items, of.isInclusive);
      const amounts = [...Map.groupBy(left, ({ key }) => key)].map(([key, own]) => [key, sumOf(own)] as const);
      expect(nonZero(byKey(invoice, of.isInclusive, digits))).toEqual(nonZero(amounts));
      const taxes = invoice.taxes.map(({ rate, amount }): [string, bigint] => [rate, inUnits(decimal(amount), digits)]);
      expect(nonZero(taxes)).toEqual(nonZero(taxesOf(left, of.isInclusive)));
      expect(inUnits(grandTotal, digits)).toBe(totalOf(left, of.isInclusive));

      expect(grandTotal.gte(0)).toBe(true);
      expect(sum(lines.map((line) => line.totalPrice)).eq(subtotal)).toBe(true);
      expect(sum(lines.map((line) => line.totalTax)).eq(totalTax)).toBe(true);
      expect(subtotal.plus(totalTax).eq(grandTotal)).toBe(true);
      for (const [place, line] of lines.entries()) {
        expect(line.totalPrice.plus(line.totalTax).eq(line.totalAmount)).toBe(true);
        expect(Math.max(line.totalPrice.decimalPlaces(), line.totalTax.decimalPlaces())).toBeLessThanOrEqual(digits);
        const charge = lines[invoice.appliesTo?.[place] ?? place];
        expect(charge?.priceId).toBe(line.priceId);
        expect(charge?.type !== line.type).toBe(line.type === 'adjustment');
      }
      seen.invoices += 1;
      seen.currencies.add(of.currency);
      if (sumOf(left) !== sumOf(items)) seen.cut += 1;
      if (of.isInclusive) seen.inclusive += 1;
      if (of.endsAt !== null || of.changes.length > 0) seen.parts += 1;
      if (lines.some(({ type }) => type === 'adjustment')) seen.discounted += 1;
      if (lines.some(({ type }) => type === 'late_usage')) seen.late += 1;
    }),
    { ...RUNS, examples: [[KEPT]] },
  );
  const { currencies, ...counts } = seen;
  for (const [what, count] of Object.entries(counts)) expect(count, what).toBeGreaterThan(RUNS.numRuns / 50 - 1);
  if (RUNS.numRuns >= 3000) expect(currencies.size).toBe(currencyCodes.length);
});
