import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leftOfItem } from '../../src/invoicing/difference/billed.ts';
import { wrongsOf } from '../../src/invoicing/difference/check.ts';
import { compareTime, creditsOf } from '../../src/invoicing/difference/time.ts';
import type { Aggregation, Pricing } from '../../src/invoicing/rating/index.ts';
import type { BilledPrice, Proration } from '../../src/invoicing/terms/billing-terms.ts';
import { type HistoricTerms, type Segment, segmentsOf } from '../../src/invoicing/timeline/segments.ts';
import { minorDigits } from '../../src/kernel/currency.ts';
import { type Decimal, decimal, plain, sum, ZERO } from '../../src/kernel/decimal.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { cases } from '../support/cases.ts';
import { bill as billOf, giveBack, issue, itemsIn, openBooks, standingIn, upfrontAt } from '../support/owed.ts';
import { Life, type LifeOf, owedBy } from '../support/pure-life.ts';

/**
 * An invoice bills the owed amount less the billed amount (domain.md §3): the laws of this rule, for the pure functions
 * alone.
 */
const RUNS = cases(30, 300);

const at = (text: string): Instant => Temporal.Instant.from(text);

interface Given {
  readonly pricing: Pricing;
  readonly ahead?: boolean;
  readonly cadence?: string;
  readonly metric?: string;
  readonly aggregation?: Aggregation;
  readonly quantity?: string;
  readonly limits?: { readonly minimum?: string; readonly maximum?: string };
}
const priceOf = (id: string, given: Given): BilledPrice => ({
  ...{ id, invoiceDisplayName: id, pricing: given.pricing, taxRate: null, groupFilters: null },
  billingCadence: given.cadence ?? null,
  paymentTerm: given.ahead === true ? 'in_advance' : 'in_arrears',
  metric:
    given.metric === undefined
      ? null
      : ({
          id: given.metric,
          name: given.metric,
          meter: { aggregation: given.aggregation ?? 'SUM' },
        } as BilledPrice['metric']),
  fee: given.metric === undefined ? { id, name: id, description: '', itemId: null } : null,
  quantity: decimal(given.quantity ?? '1'),
  minimumAmount: given.limits?.minimum === undefined ? null : decimal(given.limits.minimum),
  maximumAmount: given.limits?.maximum === undefined ? null : decimal(given.limits.maximum),
});

const amount = fc.oneof(
  fc.constantFrom('0.01', '0.05', '9.99', '10', '99.99', '100', '1001'),
  fc.integer({ min: 0, max: 200_000 }).map((units) => (units / 1000).toFixed(3)),
);
const flat = fc.constantFrom('0', '0', '5', '12.5');
const tiers = fc.tuple(amount, flat, amount, flat).map(([first, flatPrice, second, flatOfSecond]) => ({
  tiers: [
    { upTo: '3', unitPrice: first, flatPrice },
    { upTo: null, unitPrice: second, flatPrice: flatOfSecond },
  ],
}));
const standard = amount.map((unitPrice): Pricing => ({ model: 'standard', properties: { unitPrice } }));
const ofFees: fc.Arbitrary<Pricing> = fc.oneof(
  standard,
  standard,
  tiers.map((properties): Pricing => ({ model: 'graduated', properties })),
  tiers.map((properties): Pricing => ({ model: 'volume', properties })),
  amount.map((price): Pricing => ({ model: 'package', properties: { size: '2', price } })),
);
const ofUsage: fc.Arbitrary<Pricing> = fc.oneof(
  ofFees,
  amount.map((unitPrice): Pricing => ({ model: 'standard', properties: { unitPrice, includedUnits: '7' } })),
  tiers.map((properties): Pricing => ({ model: 'graduated', properties: { ...properties, includedUnits: '2.5' } })),
  amount.map((fixed): Pricing => ({ model: 'percentage', properties: { percentage: '0.25', fixed, minCharge: '3' } })),
  amount.map((multiplier): Pricing => ({ model: 'dynamic', properties: { multiplier } })),
);
const limits = fc.constantFrom({}, {}, {}, { minimum: '50' }, { maximum: '60' }, { minimum: '20', maximum: '45.5' });
const quantity = fc.constantFrom('1', '1', '2', '5', '8');
const cadence = fc.constantFrom(undefined, undefined, undefined, 'P1W');

const fee = fc.tuple(ofFees, fc.boolean(), cadence, quantity, limits).map(
  ([pricing, ahead, every, units, bounds]): Given => ({
    ...{ pricing, ahead, quantity: units, limits: bounds },
    ...(every !== undefined && { cadence: every }),
  }),
);
const use = fc
  .tuple(
    ofUsage,
    fc.constantFrom<Aggregation>('SUM', 'SUM', 'SUM', 'MAX', 'UNIQUE_COUNT'),
    fc.constantFrom('calls', 'units'),
    limits,
  )
  .filter(([{ model }, aggregation]) => model !== 'dynamic' || aggregation === 'SUM')
  .map(([pricing, aggregation, metric, bounds]): Given => ({ pricing, aggregation, metric, limits: bounds }));

/** Prices, each with the seats that another quantity may change. */
const pool = fc.array(fc.oneof(fee, fee, use), { minLength: 1, maxLength: 5 });
const MONTHS = ['2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z', '2024-01-31T10:30:00Z', '2026-02-01T00:00:00Z'];

const LAST_HOUR = 24 * 75;
const hour = fc.oneof(
  fc.integer({ min: 0, max: LAST_HOUR }),
  fc.constantFrom(0, 240, 240, 360, 372, 744, 24 * 31, 24 * 28, 24 * 30, 24 * 45, 24 * 59),
);
const proration = fc.constantFrom<Proration>('second', 'second', 'day', 'none');
const change = fc.record({ kind: fc.constant('change' as const), hour, to: fc.nat({ max: 2 }), proration });
const cut = fc.record({ kind: fc.constant('cut' as const), hour });
const used = fc.record({
  kind: fc.constant('use' as const),
  hour: fc.integer({ min: 0, max: LAST_HOUR - 1 }),
  metric: fc.constantFrom('calls', 'units'),
  units: fc.integer({ min: 1, max: 12 }),
  late: fc.constantFrom(0, 0, 0, 24, 24 * 40),
});

interface World extends LifeOf {
  readonly pool: readonly Given[];
}
const world = fc
  .record({
    pool,
    /** The prices of a version, as bits, and whether its number of seats differs. */
    holds: fc.array(fc.tuple(fc.nat({ max: 31 }), fc.constantFrom('1', '1', '3')), { minLength: 3, maxLength: 3 }),
    happenings: fc.array(fc.oneof(change, cut, used, used), { maxLength: 12 }),
    startedAt: fc.constantFrom(...MONTHS),
    lastHour: fc.oneof(fc.constant(LAST_HOUR), fc.integer({ min: 1, max: LAST_HOUR })),
    graceHours: fc.constantFrom(0, 0, 1, 72),
    currency: fc.constantFrom('USD', 'USD', 'JPY', 'KWD'),
    taxBehavior: fc.constantFrom('exclusive' as const, 'inclusive' as const),
    rates: fc.array(fc.constantFrom('0', '8.875', '19', '20'), { minLength: 5, maxLength: 5 }),
  })
  .map(({ pool: given, holds, startedAt, currency, taxBehavior, rates, ...of }): World => {
    const hasWeeks = given.some((each) => each.cadence === 'P1W');
    // A series continues from version to version, so each version has a price of it.
    const always = hasWeeks
      ? [
          priceOf('week', {
            pricing: { model: 'standard', properties: { unitPrice: '7' } },
            cadence: 'P1W',
            ahead: true,
          }),
        ]
      : [];
    const versions = holds.map(([bits, seats]) => [
      ...always,
      ...given.flatMap((each, place) =>
        (bits >> place) % 2 === 1 || place === 0
          ? [
              priceOf(
                `price ${place}`,
                each.metric === undefined && seats !== '1' ? { ...each, quantity: seats } : each,
              ),
            ]
          : [],
      ),
    ]);
    return {
      ...of,
      ...{ pool: given, versions, startedAt: at(startedAt), quoting: { currency, taxBehavior } },
      taxRates: new Map(given.map((_, place) => [`price ${place}`, decimal(rates[place] as string)])),
    };
  });

/**
 * The billed amounts of each price, as the price quotes them, with the amounts that are credited outside of invoices.
 */
function billedByPrice({ books }: Life, { quoting }: LifeOf) {
  const totals = new Map<string, { amount: Decimal; roundings: number }>();
  for (const [id, items] of Map.groupBy(itemsIn(books), ({ priceId }) => priceId as string)) {
    const lines = items.flatMap((item) => item.lines);
    const credits = items.flatMap((item) => item.credits);
    const quoted = (of: readonly { net: Decimal; tax: Decimal }[]) =>
      sum(of.map(({ net, tax }) => (quoting.taxBehavior === 'inclusive' ? net.plus(tax) : net)));
    const cuts = sum(lines.map(({ workings }) => decimal(workings?.cut ?? '0')));
    totals.set(id, {
      amount: quoted(lines).minus(quoted(credits)).plus(cuts),
      roundings: lines.length + 2 * credits.length,
    });
  }
  return totals;
}

function owedByPrice(of: LifeOf, life: Life) {
  const totals = new Map<string, { amount: Decimal; roundings: number }>();
  for (const line of owedBy(of, life.terms).lines) {
    const id = (line.priceId as string).replace(/#.*/, '');
    const { amount: known = ZERO, roundings = 0 } = totals.get(id) ?? {};
    const quoted = of.quoting.taxBehavior === 'inclusive' ? line.totalAmount : line.totalPrice;
    totals.set(id, { amount: known.plus(quoted), roundings: roundings + 1 });
  }
  return totals;
}

const isUsage = (of: World, id: string): boolean => of.pool[Number(id.at(-1))]?.metric !== undefined;

function expectOwed(of: World, life: Life): void {
  const [billed, owed] = [billedByPrice(life, of), owedByPrice(of, life)];
  const NONE = { amount: ZERO, roundings: 0 };
  for (const id of new Set([...billed.keys(), ...owed.keys()])) {
    const [is, should] = [billed.get(id) ?? NONE, owed.get(id) ?? NONE];
    const hasCredits = life.books.credits.some((credit) => credit.priceId === id);
    const isAhead = of.pool[Number(id.at(-1))]?.ahead === true; // a credit may be too small for a minor unit
    const isExact = isUsage(of, id) || !(hasCredits || isAhead);
    const most = isExact
      ? ZERO
      : decimal(is.roundings + should.roundings).div(2 * 10 ** minorDigits(of.quoting.currency));
    const text = `${id}: ${plain(is.amount)} billed of ${plain(should.amount)} ± ${plain(most)}`;
    expect(is.amount.minus(should.amount).abs().lte(most), text).toBe(true);
  }
}

describe('a life of a subscription', () => {
  it('is billed what it owes, whatever happens in it and in whichever order', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(world, (of) => {
        const life = new Life(of).live();
        expectOwed(of, life);
        expect(wrongsOf(itemsIn(life.books))).toEqual([]);
        for (const { periodStart, periodEnd } of life.books.lines)
          expect(Temporal.Instant.compare(periodStart, periodEnd)).toBeLessThanOrEqual(0);
        for (const { grandTotal } of life.calculations) expect(grandTotal.gte(0)).toBe(true);
      }),
      RUNS,
    );
  });
});

describe('a bill', () => {
  it('has nothing more to bill once it is billed, and nothing to give back', () => {
    fc.assert(
      fc.property(world, (of) => {
        const life = new Life(of).live();
        const due = life.dueAgain().filter(({ charge: { price } }) => price.metric === null);
        expect(issue(openBooks(), 'again', due, {}, of.quoting).lines).toEqual([]);
        expect(giveBack(life.books, life.terms, of.quoting)).toEqual([]);
      }),
      RUNS,
    );
  });

  it('does not depend on changes that were replaced at their own instant', () => {
    fc.assert(
      fc.property(world, fc.nat({ max: 2 }), proration, fc.nat(), (of, to, by, pick) => {
        const { happenings } = of;
        const changes = happenings.filter(({ kind }) => kind === 'change');
        const replaced = changes[pick % Math.max(1, changes.length)];
        if (!replaced) return;
        const before = { kind: 'change' as const, hour: replaced.hour, to, proration: by };
        const place = happenings.indexOf(replaced);
        const longer = { ...of, happenings: [...happenings.slice(0, place), before, ...happenings.slice(place)] };
        expect(segmentsOf(new Life(longer).live().terms).map(timesOf)).toEqual(
          segmentsOf(new Life(of).live().terms).map(timesOf),
        );
      }),
      RUNS,
    );
  });
});

const timesOf = ({ start, end, prices }: Segment): string =>
  `${start.toString()} ${end.toString()} ${prices.map(({ id, quantity: units }) => `${id} ${plain(units)}`).join()}`;

describe('a credit', () => {
  const bought = fc.record({
    fees: fc.array(amount, { minLength: 1, maxLength: 12 }),
    rate: fc.constantFrom('0', '8', '8.875', '19', '20'),
    discounts: fc.subarray(['0.1', '0.35', '0.333333']),
    currency: fc.constantFrom('USD', 'JPY', 'KWD'),
    taxBehavior: fc.constantFrom('exclusive' as const, 'inclusive' as const),
  });
  const bill = ({
    fees,
    rate,
    discounts,
    currency,
    taxBehavior,
  }: typeof bought extends fc.Arbitrary<infer V> ? V : never) => {
    const prices = fees.map((unitPrice, place) =>
      priceOf(`fee ${place}`, { pricing: { model: 'standard', properties: { unitPrice } }, ahead: true }),
    );
    const startedAt = at('2026-04-01T00:00:00Z');
    const bounds = { anchor: startedAt, startedAt, endsAt: null };
    const terms: HistoricTerms = { planCadence: 'P1M', prices, bounds, minimumAmount: null };
    const quoting = { currency, taxBehavior };
    const books = openBooks();
    const adjustments = discounts.map((percentageDiscount) => ({
      id: percentageDiscount,
      percentageDiscount,
      description: '',
    }));
    const taxRates = new Map(prices.map(({ id }) => [id, decimal(rate)]));
    const calculation = billOf(books, terms, upfrontAt(terms), { adjustments, taxRates }, quoting);
    return { terms, quoting, books, calculation, startedAt };
  };

  it('of all of an invoice is its mirror: net, tax and discounts, in every currency, with tax on top or inside', () => {
    fc.assert(
      fc.property(bought, (of) => {
        const { quoting, books, calculation } = bill(of);
        const items = itemsIn(books);
        const credits = compareTime([], items, quoting).unused.flatMap((each) => creditsOf(each, quoting, () => true));
        expect(plain(sum(credits.map(({ net }) => net)))).toBe(plain(calculation.subtotal));
        expect(plain(sum(credits.map(({ tax }) => tax)))).toBe(plain(calculation.totalTax));
      }),
      RUNS,
    );
  });

  it('in any number of steps is never above its line, and at last all of it', () => {
    const hours = fc.array(fc.integer({ min: 0, max: 719 }), { maxLength: 5 });
    fc.assert(
      fc.property(bought, hours, (of, steps) => {
        const { terms, quoting, books, startedAt } = bill(of);
        for (const hour of [...steps.toSorted((a, b) => b - a), 0]) {
          const end = startedAt.add({ hours: hour });
          giveBack(books, { ...terms, bounds: { ...terms.bounds, endsAt: end } }, quoting);
          for (const { net, tax } of itemsIn(books).map(leftOfItem))
            expect([net.gte(0), tax.gte(0)]).toEqual([true, true]);
          expect(wrongsOf(itemsIn(books))).toEqual([]);
        }
        expect(Object.values(standingIn(books)).map(plain)).toEqual(['0', '0']);
      }),
      RUNS,
    );
  });
});

describe('there and back at one instant', () => {
  it('is nothing, to the last minor unit', () => {
    const fees = fc.array(fc.tuple(amount, fc.boolean()), { minLength: 1, maxLength: 4 });
    const place = fc.oneof(fc.constantFrom(0, 240, 360, 372, 720), fc.integer({ min: 0, max: 1400 }));
    const currency = fc.constantFrom('USD', 'JPY', 'KWD');
    fc.assert(
      fc.property(fees, place, currency, proration, (list, hour, money, by) => {
        const own = list.map(([unitPrice, ahead], index) =>
          priceOf(`fee ${index}`, { pricing: { model: 'standard', properties: { unitPrice } }, ahead }),
        );
        const other = [
          priceOf('other', { pricing: { model: 'standard', properties: { unitPrice: '77' } }, ahead: true }),
        ];
        const of: LifeOf = {
          ...{ quoting: { currency: money, taxBehavior: 'exclusive' }, startedAt: at('2026-04-01T00:00:00Z') },
          ...{ lastHour: LAST_HOUR, graceHours: 0, versions: [own, other], happenings: [] },
        };
        const change = { kind: 'change' as const, hour, proration: by };
        const moved = new Life({
          ...of,
          happenings: [
            { ...change, to: 1 },
            { ...change, to: 0 },
          ],
        }).live();
        expect(plain(standingIn(moved.books).net)).toBe(plain(standingIn(new Life(of).live().books).net));
      }),
      RUNS,
    );
  });
});
