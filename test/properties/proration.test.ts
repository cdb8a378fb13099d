import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculate } from '../../src/invoicing/calculation/calculate.ts';
import type { DueCharge } from '../../src/invoicing/difference/due.ts';
import type { BilledUsage } from '../../src/invoicing/invoice/billed-usage.ts';
import type { Aggregation, Pricing } from '../../src/invoicing/rating/index.ts';
import type { BilledPrice, BilledVersion, Proration } from '../../src/invoicing/terms/billing-terms.ts';
import type { HistoricTerms } from '../../src/invoicing/timeline/segments.ts';
import { minorDigits } from '../../src/kernel/currency.ts';
import { type Decimal, decimal, plain, sum, ZERO } from '../../src/kernel/decimal.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { cases } from '../support/cases.ts';
import { bill, dueCharges, giveBack, invoiceAt, itemsIn, openBooks, standingIn, upfrontAt } from '../support/owed.ts';

/**
 * Parts that a change of plan makes sum to the whole, up to rounding. A change and its reversal bill the same as no
 * change (domain.md §3, Plan change and credits; I-24).
 */
const RUNS = cases(100, 1000);

const amount = fc.integer({ min: 0, max: 10_000_000 }).map((units) => (units / 10_000).toFixed(4));
const tiers = fc.tuple(amount, amount, amount).map(([first, flatPrice, second]) => ({
  tiers: [
    { upTo: '3', unitPrice: first, flatPrice },
    { upTo: null, unitPrice: second },
  ],
}));
const pricing: fc.Arbitrary<Pricing> = fc.oneof(
  amount.map((unitPrice): Pricing => ({ model: 'standard', properties: { unitPrice } })),
  amount.map((unitPrice): Pricing => ({ model: 'standard', properties: { unitPrice, includedUnits: '2' } })),
  tiers.map((properties): Pricing => ({ model: 'graduated', properties })),
  tiers.map((properties): Pricing => ({ model: 'volume', properties })),
  amount.map((price): Pricing => ({ model: 'package', properties: { size: '3', price } })),
);
const currency = fc.constantFrom('JPY', 'USD', 'KWD', 'CLF');
const proration = fc.constantFrom<Proration>('second', 'day', 'none');

/** A month, from the anchor on: with 31, 28 and 29 days, and some that begin on a 31st. */
const MONTHS = [
  ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
  ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'],
  ['2024-02-01T13:30:00Z', '2024-03-01T13:30:00Z'],
  ['2026-01-31T10:30:00Z', '2026-02-28T10:30:00Z'],
] as const;
const month = fc.constantFrom(...MONTHS);
/** A part of a month, in millionths; the last one is a second before its end. */
const place = fc.oneof(fc.integer({ min: 1, max: 999_999 }), fc.constant('last second' as const));

const at = (text: string): Instant => Temporal.Instant.from(text);
function instantIn([start, end]: (typeof MONTHS)[number], where: number | 'last second'): Instant {
  if (where === 'last second') return at(end).subtract({ seconds: 1 });
  const microseconds = (at(end).epochNanoseconds - at(start).epochNanoseconds) / 1000n;
  return at(start).add({ microseconds: Number((microseconds * BigInt(where)) / 1_000_000n) });
}

interface Priced {
  readonly pricing: Pricing;
  readonly quantity?: string;
  readonly aggregation?: Aggregation;
  readonly minimum?: string;
  readonly ahead?: boolean;
}
const priceOf = (id: string, { pricing: of, quantity = '1', aggregation, minimum, ahead }: Priced): BilledPrice => ({
  id,
  invoiceDisplayName: id,
  paymentTerm: ahead === true ? 'in_advance' : 'in_arrears',
  pricing: of,
  billingCadence: null,
  metric:
    aggregation === undefined ? null : ({ id: 'metric', name: 'm', meter: { aggregation } } as BilledPrice['metric']),
  fee: aggregation === undefined ? { id, name: id, description: '', itemId: null } : null,
  quantity: decimal(quantity),
  minimumAmount: minimum === undefined ? null : decimal(minimum),
  maximumAmount: null,
  taxRate: null,
  groupFilters: null,
});

interface Held {
  readonly from: Instant;
  readonly prices: readonly BilledPrice[];
  readonly proration?: Proration;
}
function termsOf(startedAt: string, versions: readonly Held[]): HistoricTerms {
  const history = versions.map(
    ({ from, prices, proration: by = 'second' }): BilledVersion => ({
      ...{
        from,
        prices,
        proration: by,
        planId: 'plan',
        planTaxRate: null,
        minimumAmount: null,
        planCadence: 'P1M',
        anchors: {},
      },
    }),
  );
  return {
    planCadence: 'P1M',
    prices: history.at(-1)?.prices ?? [],
    bounds: { anchor: at(startedAt), startedAt: at(startedAt), endsAt: null },
    versions: history,
  };
}

/** The due charges on the invoice of the period that holds an instant. */
const chargesIn = (terms: HistoricTerms, instant: Instant): readonly DueCharge[] =>
  dueCharges(terms, invoiceAt(terms, 'P1M', instant));

const usageOf = (priceId: string, quantity: string): BilledUsage => ({
  ...{ priceId, groupValues: {}, quantity: decimal(quantity), eventCount: 1, granted: ZERO },
});

/** The amounts of some charges, by price. */
function billed(charges: readonly DueCharge[], usage: readonly BilledUsage[], of: string): Map<string, Decimal> {
  const { lines } = calculate({ currency: of, charges, usage, taxBehavior: 'exclusive', taxRates: new Map() });
  const totals = new Map<string, Decimal>();
  for (const { priceId: id, totalPrice: net } of lines)
    totals.set(id as string, (totals.get(id as string) ?? ZERO).plus(net));
  return totals;
}
const totalOf = (totals: ReadonlyMap<string, Decimal>): Decimal => sum(totals.values());

/** Is one amount the other, but for half a minor unit for each of `roundings`? */
function expectNear(found: Decimal, exactly: Decimal, roundings: number, of: string): void {
  const most = decimal(roundings).div(2 * 10 ** minorDigits(of));
  expect(found.minus(exactly).abs().lte(most), `${plain(found)} for ${plain(exactly)} ± ${plain(most)}`).toBe(true);
}

describe('the pieces of a period', () => {
  const cuts = fc.array(fc.tuple(place, proration), { maxLength: 6 });
  const quantity = fc.constantFrom('0', '1', '2.5', '3', '12');

  it('of a fee, of a level and of a minimum sum to the whole, wherever and however often it is cut', () => {
    const kind = fc.constantFrom<Omit<Priced, 'pricing'>>(
      ...[{}, { ahead: false }, { aggregation: 'MAX' as const }, { aggregation: 'UNIQUE_COUNT' as const }],
      ...[{ minimum: '500' }, { aggregation: 'AVG' as const, minimum: '777.77' }],
    );
    fc.assert(
      fc.property(pricing, kind, quantity, currency, month, cuts, (of, what, units, money, period, where) => {
        const fields = { ...what, pricing: of, quantity: units };
        const starts = where
          .map(([each, by]) => ({ from: instantIn(period, each), by }))
          .toSorted((a, b) => Temporal.Instant.compare(a.from, b.from));
        const versions = starts.map(
          ({ from, by }, index): Held => ({ from, prices: [priceOf(`piece ${index}`, fields)], proration: by }),
        );
        const first = { from: at(period[0]), prices: [priceOf('first', fields)] };
        const terms = termsOf(period[0], [first, ...versions]);
        const used = [first, ...versions].map(({ prices }) => usageOf((prices[0] as BilledPrice).id, units));
        const pieces = billed(chargesIn(terms, at(period[0])), used, money);
        const whole = billed(chargesIn(termsOf(period[0], [first]), at(period[0])), used, money);
        // The charge of each piece is rounded and so is its minimum; a part of the charge may lie below a part of the
        // minimum.
        expectNear(totalOf(pieces), totalOf(whole), 2 * pieces.size + 2, money);
      }),
      RUNS,
    );
  });

  it('of a charge in advance: what is used of it, and what is given back, sum to it', () => {
    const ahead = (unitPrice: string) =>
      priceOf('seats', { pricing: { model: 'standard', properties: { unitPrice } }, ahead: true });
    fc.assert(
      fc.property(amount, currency, month, place, (unitPrice, money, period, where) => {
        const terms = termsOf(period[0], [{ from: at(period[0]), prices: [ahead(unitPrice)] }]);
        const ended = { ...terms, bounds: { ...terms.bounds, endsAt: instantIn(period, where) } };
        const quoting = { taxBehavior: 'exclusive', currency: money } as const;
        const [whole, used] = [openBooks(), openBooks()];
        bill(whole, terms, upfrontAt(terms), {}, quoting);
        bill(used, ended, upfrontAt(ended), {}, quoting);
        const paid = standingIn(whole).net;
        const back = giveBack(whole, ended, quoting);
        expectNear(standingIn(used).net.plus(sum(back.map(({ net }) => net))), paid, 3, money);
      }),
      RUNS,
    );
  });
});

describe('a change and the change back', () => {
  const standard = (unitPrice: string): Pricing => ({ model: 'standard', properties: { unitPrice } });
  const twoPlaces = fc.oneof(
    fc.tuple(place, place),
    place.map((one): [typeof one, typeof one] => [one, one]),
  );
  const ordered = (period: (typeof MONTHS)[number], [a, b]: [number | 'last second', number | 'last second']) =>
    [instantIn(period, a), instantIn(period, b)].toSorted(Temporal.Instant.compare) as [Instant, Instant];

  it('bill of prices that both versions hold what no change would, to the last minor unit', () => {
    const kind = fc.constantFrom<Omit<Priced, 'pricing'>>({}, { aggregation: 'SUM' }, { aggregation: 'MAX' });
    fc.assert(
      fc.property(
        ...([fc.array(fc.tuple(pricing, kind), { minLength: 1, maxLength: 4 }), amount] as const),
        ...([currency, month, twoPlaces, proration] as const),
        (list, other, money, period, places, by) => {
          const kept = list.map(([of, what], index) => priceOf(`kept ${index}`, { ...what, pricing: of }));
          const [there, back] = ordered(period, places);
          const used = kept.map(({ id }) => usageOf(id, '17.5'));
          const more = priceOf('more', { pricing: standard(other) });
          const first = { from: at(period[0]), prices: kept };
          const changed = termsOf(period[0], [
            first,
            { from: there, prices: [...kept, more], proration: by },
            { from: back, prices: kept, proration: by },
          ]);
          const found = billed(chargesIn(changed, at(period[0])), used, money);
          found.delete('more');
          const never = billed(chargesIn(termsOf(period[0], [first]), at(period[0])), used, money);
          const texts = (totals: ReadonlyMap<string, Decimal>) => [...totals].map(([id, net]) => `${id} ${plain(net)}`);
          expect(texts(found)).toEqual(texts(never));
        },
      ),
      RUNS,
    );
  });

  it('bill of fees in arrears the time in which each held: with another fee of the same price between, what no change would', () => {
    fc.assert(
      fc.property(pricing, currency, month, twoPlaces, proration, (of, money, period, places, by) => {
        const [there, back] = ordered(period, places);
        const own = { from: at(period[0]), prices: [priceOf('own', { pricing: of, quantity: '7' })] };
        const other = { from: there, prices: [priceOf('other', { pricing: of, quantity: '7' })], proration: by };
        const changed = termsOf(period[0], [own, other, { ...own, from: back, proration: by }]);
        const found = billed(chargesIn(changed, at(period[0])), [], money);
        const never = billed(chargesIn(termsOf(period[0], [own]), at(period[0])), [], money);
        expectNear(totalOf(found), totalOf(never), 3, money);
        if (there.equals(back)) expect([...found.keys()]).toEqual(['own']);
      }),
      RUNS,
    );
  });

  it('bill of fees in advance, less what is given back, the time in which they held', () => {
    fc.assert(
      fc.property(amount, currency, month, twoPlaces, (unitPrice, money, period, places) => {
        const [there, back] = ordered(period, places);
        const seats = priceOf('seats', { pricing: standard(unitPrice), ahead: true });
        const other = priceOf('other', { pricing: standard(unitPrice), ahead: true });
        const first = { from: at(period[0]), prices: [seats] };
        const gone = [first, { from: there, prices: [other] }];
        const [before, between] = [termsOf(period[0], [first]), termsOf(period[0], gone)];
        const after = termsOf(period[0], [...gone, { from: back, prices: [seats] }]);
        const quoting = { taxBehavior: 'exclusive', currency: money } as const;
        const books = openBooks();
        bill(books, before, upfrontAt(before), {}, quoting);
        const paid = standingIn(books).net;
        for (const [place, terms] of [between, after].entries()) {
          bill(books, terms, { ...upfrontAt(terms, [there, back][place]), id: `change ${place}` }, {}, quoting);
          giveBack(books, terms, quoting);
        }
        expectNear(standingIn(books).net, paid, 5, money);
        if (there.equals(back)) expect(plain(standingIn(books).net)).toBe(plain(paid));
        const billed = itemsIn(books).length;
        bill(books, after, { ...upfrontAt(after, back), id: 'again' }, {}, quoting);
        expect([itemsIn(books).length, giveBack(books, after, quoting)]).toEqual([billed, []]);
      }),
      RUNS,
    );
  });
});
