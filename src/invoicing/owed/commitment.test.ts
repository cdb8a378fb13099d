import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minorDigits } from '../../kernel/currency.ts';
import { decimal, plain, sum } from '../../kernel/decimal.ts';
import { type Fraction, isWhole, scale, WHOLE } from '../../kernel/fraction.ts';
import type { Instant } from '../../kernel/time.ts';
import type { BilledPrice, BilledVersion, Proration } from '../terms/billing-terms.ts';
import type { HistoricTerms } from '../timeline/segments.ts';
import { type Cell, cellAt } from './charges.ts';
import { commitmentOf, rateCommitment, shareOfBill } from './commitment.ts';

const part = (numerator: bigint, denominator: bigint): Fraction => ({ numerator, denominator });

describe('what a period falls short of its commitment', () => {
  it.each<{
    what: string;
    minimum: string | null;
    fraction?: Fraction;
    charged: string[];
    currency?: string;
    missing: string;
  }>([
    { what: 'no commitment', minimum: null, charged: ['5'], missing: '0' },
    { what: 'a commitment of 0', minimum: '0', charged: [], missing: '0' },
    { what: 'nothing charged', minimum: '500', charged: [], missing: '500' },
    { what: 'charges below it', minimum: '500', charged: ['100', '49.99'], missing: '350.01' },
    { what: 'charges that just reach it', minimum: '500', charged: ['499.99', '0.01'], missing: '0' },
    { what: 'charges above it', minimum: '500', charged: ['500.01'], missing: '0' },
    { what: 'a rebate, which leaves more to be missing', minimum: '500', charged: ['100', '-20'], missing: '420' },
    { what: 'half a period', minimum: '500', fraction: part(1n, 2n), charged: ['100'], missing: '150' },
    // 33.3…
    { what: 'a third, rounded once', minimum: '100', fraction: part(1n, 3n), charged: ['10'], missing: '23.33' },
    { what: 'half a cent, away from 0', minimum: '0.01', fraction: part(1n, 2n), charged: [], missing: '0.01' },
    { what: 'less than half a cent', minimum: '0.01', fraction: part(1n, 3n), charged: [], missing: '0' },
    // 645.16
    { what: 'yen', minimum: '1000', fraction: part(20n, 31n), charged: ['45'], currency: 'JPY', missing: '600' },
    { what: 'fils', minimum: '10', fraction: part(1n, 3n), charged: ['0.5'], currency: 'KWD', missing: '2.833' },
  ])('$what', ({ minimum, fraction = WHOLE, charged, currency = 'USD', missing }) => {
    const minimumAmount = minimum === null ? null : decimal(minimum);
    const found = rateCommitment({ minimumAmount, fraction, charged: charged.map((each) => decimal(each)), currency });
    expect(plain(found)).toBe(missing);
  });

  const cents = (most: number) => fc.integer({ min: -most, max: most }).map((each) => decimal(each).div(100));
  const periods = fc.record({
    minimumAmount: fc.nat(1_000_000).map((each) => decimal(each).div(100)),
    fraction: fc
      .tuple(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 31, max: 366 }))
      .map(([a, b]) => part(BigInt(a), BigInt(b))),
    charged: fc.array(cents(100_000), { maxLength: 8 }),
    currency: fc.constantFrom('USD', 'KWD'),
  });

  it('what is missing is never below 0, of whole minor units, and takes the period to its commitment', () => {
    fc.assert(
      fc.property(periods, (period) => {
        const missing = rateCommitment(period);
        expect(missing.gte(0)).toBe(true);
        expect(missing.decimalPlaces()).toBeLessThanOrEqual(minorDigits(period.currency));
        const off = sum(period.charged).plus(missing).minus(scale(period.minimumAmount, period.fraction));
        const half = decimal('0.5').div(10 ** minorDigits(period.currency));
        expect(off.gte(half.negated())).toBe(true);
        if (missing.gt(0)) expect(off.lte(half)).toBe(true);
      }),
    );
  });

  it('billing what is missing leaves nothing missing', () => {
    fc.assert(
      fc.property(periods, (period) => {
        const charged = [...period.charged, rateCommitment(period)];
        expect(rateCommitment({ ...period, charged }).isZero()).toBe(true);
      }),
    );
  });
});

const at = (text: string): Instant => Temporal.Instant.from(text.includes('T') ? text : `${text}T00:00:00Z`);
const priceOf = (id: string, billingCadence: string | null, paymentTerm: BilledPrice['paymentTerm'] = 'in_arrears') =>
  ({ id, billingCadence, paymentTerm }) as BilledPrice;

/** The commitment from a time on. */
type Held = readonly [from: string, minimum: string | null, proration?: Proration, planCadence?: string];

const termsOf = (
  held: readonly Held[],
  ends: string | null = null,
  prices: readonly BilledPrice[] = [],
): HistoricTerms => {
  const versions = held.map(
    ([from, minimum, proration = 'second', planCadence = 'P1M']): BilledVersion => ({
      ...{ planId: 'plan', planTaxRate: null, planCadence, prices, anchors: {}, proration },
      from: at(from),
      minimumAmount: minimum === null ? null : decimal(minimum),
    }),
  );
  const startedAt = (versions[0] as BilledVersion).from;
  return {
    planCadence: 'P1M',
    prices,
    versions,
    bounds: { anchor: at('2026-01-01'), startedAt, endsAt: ends === null ? null : at(ends) },
  };
};
const january = (terms: HistoricTerms): Cell =>
  cellAt(terms, 'P1M', at('2026-01-30')) ?? (cellAt(terms, 'P1M', at('2026-01-02')) as Cell);

describe('what a period is committed to', () => {
  it.each<{ what: string; held: Held[]; ends?: string; committed: string | null }>([
    { what: 'none', held: [['2026-01-01', null]], committed: null },
    { what: 'a whole month', held: [['2026-01-01', '310']], committed: '310' },
    { what: 'from the 11th', held: [['2026-01-11', '310']], committed: '210' },
    { what: 'until the 11th', held: [['2026-01-01', '310']], ends: '2026-01-11', committed: '100' },
    {
      what: 'more from the 11th',
      held: [
        ['2026-01-01', '310'],
        ['2026-01-11', '620'],
      ],
      committed: '520',
    }, // 100 + 420
    {
      what: 'one from the 11th',
      held: [
        ['2026-01-01', null],
        ['2026-01-11', '310'],
      ],
      committed: '210',
    },
    {
      what: 'none from the 11th',
      held: [
        ['2026-01-01', '310'],
        ['2026-01-11', null],
      ],
      committed: '100',
    },
    {
      what: 'by days',
      held: [
        ['2026-01-01', '310'],
        ['2026-01-11T18:00:00Z', '620', 'day'],
      ],
      committed: '520',
    },
    {
      what: 'not prorated',
      held: [
        ['2026-01-01', '310'],
        ['2026-01-11', '620', 'none'],
      ],
      committed: '310',
    },
    {
      what: 'more from February',
      held: [
        ['2026-01-01', '310'],
        ['2026-02-01', '620'],
      ],
      committed: '310',
    },
    {
      what: 'more at the very start',
      held: [
        ['2026-01-01', '310'],
        ['2026-01-01', '620'],
      ],
      committed: '620',
    },
  ])('$what', ({ held, ends = null, committed }) => {
    const found = commitmentOf(termsOf(held, ends), january(termsOf(held, ends)));
    expect(found && plain(found.toDecimalPlaces(20))).toBe(committed);
  });

  it('versions with one commitment come to it together, wherever they change', () => {
    const moments = fc
      .integer({ min: 1, max: 31 * 24 * 3600 - 1 })
      .map((seconds) => at('2026-01-01').add({ seconds }).toString());
    fc.assert(
      fc.property(
        fc.array(moments, { maxLength: 5 }),
        fc.constantFrom<Proration>('second', 'day', 'none'),
        (times, proration) => {
          const changes = times.toSorted().map((from): Held => [from, '100.01', proration]);
          const terms = termsOf([['2026-01-01', '100.01'], ...changes]);
          const committed = commitmentOf(terms, january(terms));
          expect(
            rateCommitment({ minimumAmount: committed, fraction: WHOLE, charged: [], currency: 'KWD' }).toFixed(),
          ).toBe('100.01');
        },
      ),
    );
  });
});

describe('the share of a bill that counts for each month of the plan', () => {
  const prices = [
    priceOf('monthly', null),
    priceOf('monthly in advance', 'P1M', 'in_advance'),
    priceOf('yearly in advance', 'P1Y', 'in_advance'),
    priceOf('weekly', 'P1W'),
    priceOf('yearly', 'P1Y'),
    priceOf('weekly in advance', 'P1W', 'in_advance'),
    priceOf('set-up', 'P0D', 'in_advance'),
  ];
  const MONTHS = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-12-01'];

  it.each<{
    id: string;
    start: string;
    end: string;
    invoiceEnd?: string;
    left?: string;
    ends?: string;
    counts: string;
  }>([
    { id: 'monthly', start: '2026-01-01', end: '2026-02-01', counts: '1 0 0 0' },
    { id: 'monthly', start: '2026-02-11', end: '2026-03-01', counts: '0 1 0 0' },
    { id: 'monthly in advance', start: '2026-02-01', end: '2026-03-01', counts: '0 1 0 0' },
    { id: 'set-up', start: '2026-02-01', end: '2026-02-01', counts: '0 1 0 0' },
    { id: 'yearly in advance', start: '2026-02-01', end: '2027-02-01', counts: '0 28/365 31/365 31/365' },
    { id: 'yearly in advance', start: '2026-02-01', end: '2027-02-01', left: '2026-02-15', counts: '0 1 0 0' },
    { id: 'weekly in advance', start: '2026-01-29', end: '2026-02-05', counts: '3/7 4/7 0 0' },
    { id: 'weekly', start: '2026-01-22', end: '2026-01-29', counts: '1 0 0 0' },
    { id: 'weekly', start: '2026-01-29', end: '2026-02-05', counts: '0 4/7 0 0' }, // billed after January was asked
    { id: 'weekly', start: '2026-01-29', end: '2026-02-01', invoiceEnd: '2026-02-01', counts: '1 0 0 0' }, // a cut
    { id: 'weekly', start: '2026-02-01', end: '2026-02-05', counts: '0 1 0 0' },
    // An end in the past: the week is over with it. Of a fee the rest was credited, usage stays.
    { id: 'weekly', start: '2026-01-29', end: '2026-02-05', left: '2026-01-30', ends: '2026-01-30', counts: '1 - - -' },
    { id: 'weekly', start: '2026-01-29', end: '2026-02-05', ends: '2026-01-30', counts: '1/7 - - -' },
    { id: 'yearly', start: '2026-01-01', end: '2027-01-01', counts: '0 0 0 31/365' },
    { id: 'yearly', start: '2026-01-01', end: '2026-02-11', invoiceEnd: '2026-02-11', counts: '0 0 0 0' }, // a cut
    { id: 'yearly', start: '2026-01-01', end: '2026-12-11', invoiceEnd: '2026-12-11', counts: '0 0 0 0' },
    { id: 'yearly', start: '2026-02-11', end: '2027-01-01', counts: '0 0 0 31/324' },
    // A change took the price away before; the year's invoice billed it.
    { id: 'yearly', start: '2026-01-01', end: '2026-02-11', invoiceEnd: '2027-01-01', counts: '0 0 0 0' },
    { id: 'yearly', start: '2026-01-01', end: '2026-02-11', ends: '2026-02-11', counts: '0 10/41 - -' },
  ])('$id, $start to $end, left $left, ends $ends: $counts', ({ id, start, end, left = end, ends = null, ...of }) => {
    const [billedTo, then] = [of.invoiceEnd ?? end, termsOf([['2026-01-01', '500']], null, prices)];
    const now = termsOf([['2026-01-01', '500']], ends, prices);
    const shares = MONTHS.map((month) => {
      const [was, is] = [then, now].map((terms) => cellAt(terms, 'P1M', at(month)));
      if (!(was && is)) return '-';
      const period = { start: at(start), end: at(end) };
      const spans = [{ start: at(start), end: at(left) }];
      const share = shareOfBill(now, was, is.end, { priceId: id, period, spans, invoiceEnd: at(billedTo) });
      const days = (microseconds: bigint) => microseconds / 86_400_000_000n;
      if (share.numerator === 0n) return '0';
      return isWhole(share) ? '1' : `${days(share.numerator)}/${days(share.denominator)}`;
    });
    expect(shares.join(' ')).toBe(of.counts);
  });
});
