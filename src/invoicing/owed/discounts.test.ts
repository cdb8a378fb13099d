import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, plain, sum } from '../../kernel/decimal.ts';
import { WHOLE } from '../../kernel/fraction.ts';
import type { Instant } from '../../kernel/time.ts';
import { calculate } from '../calculation/calculate.ts';
import type { FrozenAdjustment } from '../invoice/frozen-terms.ts';
import type { RatedLine } from '../rating/index.ts';
import type { Adjustment, BilledPrice } from '../terms/billing-terms.ts';
import { adjustmentsAt, discountLines, stillThere } from './discounts.ts';

const at = (text: string): Instant => Temporal.Instant.from(text);
const off = (...percentages: string[]): FrozenAdjustment[] =>
  percentages.map((percentageDiscount, index) => ({
    id: `subadj_${index}`,
    percentageDiscount,
    description: `#${index}`,
  }));
const charge = (totalPrice: string): RatedLine => ({
  kind: 'charge',
  eventType: 'usage',
  lineItemType: 'charge',
  quantity: decimal(1),
  includedUnits: decimal(0),
  unitPrice: decimal(totalPrice),
  totalPrice: decimal(totalPrice),
  exactPrice: decimal(totalPrice),
  tiers: null,
  group: null,
});

describe('discount lines', () => {
  it.each<{ what: string; charges: string[]; adjustments: string[]; currency?: string; lines: string[] }>([
    { what: 'one', charges: ['100.00'], adjustments: ['0.35'], lines: ['#0 of 0: -35'] },
    // 100 × 0.35 = 35; (100 − 35) × 0.35 = 22.75; together 57.75 percent.
    {
      what: 'two compound',
      charges: ['100.00'],
      adjustments: ['0.35', '0.35'],
      lines: ['#0 of 0: -35', '#1 of 0: -22.75'],
    },
    { what: 'all of it', charges: ['12.34'], adjustments: ['1'], lines: ['#0 of 0: -12.34'] },
    {
      what: 'after all of it nothing is left',
      charges: ['12.34'],
      adjustments: ['1', '0.5'],
      lines: ['#0 of 0: -12.34'],
    },
    { what: 'nothing is charged', charges: ['0.00'], adjustments: ['0.5'], lines: [] },
    // 0.01 × 0.35 = 0.0035, which is 0.00: a charge of which something is left has its line all the same.
    { what: 'too little to take a cent off', charges: ['0.01'], adjustments: ['0.35'], lines: ['#0 of 0: 0'] },
    { what: 'half a cent goes away from zero', charges: ['0.01'], adjustments: ['0.5'], lines: ['#0 of 0: -0.01'] },
    // Three cells of 0.03 by 0.35: 0.0105 each, 0.0315 together, 0.03 rounded once.
    {
      what: 'rounded once for a price, and shared',
      charges: ['0.03', '0.03', '0.03'],
      adjustments: ['0.35'],
      lines: ['#0 of 0: -0.01', '#0 of 1: -0.01', '#0 of 2: -0.01'],
    },
    // 0.09 × 0.5 = 0.045, which is 0.05: 1.5 cents each, and the first ones get the remaining cent.
    {
      what: 'the rest goes to the earlier',
      charges: ['0.03', '0.03', '0.03'],
      adjustments: ['0.5'],
      lines: ['#0 of 0: -0.02', '#0 of 1: -0.02', '#0 of 2: -0.01'],
    },
    // 105 × 0.333333 = 34.999965.
    { what: 'no decimals', charges: ['105'], adjustments: ['0.333333'], currency: 'JPY', lines: ['#0 of 0: -35'] },
    // 1.235 × 0.1 = 0.1235; half is rounded away from zero; (1.235 − 0.124) × 0.1 = 0.1111.
    {
      what: 'three decimals',
      charges: ['1.235'],
      adjustments: ['0.1', '0.1'],
      currency: 'KWD',
      lines: ['#0 of 0: -0.124', '#1 of 0: -0.111'],
    },
    {
      what: 'a correction gives back what was paid',
      charges: ['-10.00'],
      adjustments: ['0.35'],
      lines: ['#0 of 0: 3.5'],
    },
  ])('$what', ({ charges, adjustments, currency, lines }) => {
    const found = discountLines(charges.map(charge), off(...adjustments), currency ?? 'USD');
    expect(
      found.map(({ by, chargeAt, totalPrice }) => `${by.description} of ${chargeAt}: ${plain(totalPrice)}`),
    ).toEqual(lines);
  });

  it('never take off more than there is, and come to the same in whichever way a price is split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 4 }),
        (cents, millionths) => {
          const charges = cents.map((amount) => charge(plain(decimal(amount).div(100))));
          const adjustments = off(...millionths.map((part) => plain(decimal(part).div(1_000_000))));
          const lines = discountLines(charges, adjustments, 'USD');
          for (const [index, { totalPrice }] of charges.entries()) {
            const taken = sum(lines.filter(({ chargeAt }) => chargeAt === index).map((line) => line.totalPrice));
            expect(taken.lte(0) && totalPrice.plus(taken).gte(0)).toBe(true);
          }
          const whole = discountLines([charge(plain(sum(charges.map((each) => each.totalPrice))))], adjustments, 'USD');
          const total = (of: readonly RatedLine[]) => plain(sum(of.map((line) => line.totalPrice)));
          expect(total(lines)).toBe(total(whole));
        },
      ),
    );
  });
});

describe('the adjustments of an invoice', () => {
  const INSTANT = '2026-02-01T00:00:00Z';
  const made = (effectiveFrom: string, effectiveTo: string | null, createdAt = '2026-01-01T00:00:00Z'): Adjustment => ({
    id: 'subadj_0',
    percentageDiscount: decimal('0.350'),
    effectiveFrom: at(effectiveFrom),
    effectiveTo: effectiveTo === null ? null : at(effectiveTo),
    description: 'Launch',
    createdAt: at(createdAt),
  });
  it.each([
    { what: 'opened before, never ends', adjustment: made('2026-01-01T00:00:00Z', null), holds: true },
    { what: 'opens at the instant: inclusive', adjustment: made(INSTANT, null), holds: true },
    { what: 'opens a microsecond later', adjustment: made('2026-02-01T00:00:00.000001Z', null), holds: false },
    {
      what: 'ends a microsecond later',
      adjustment: made('2026-01-01T00:00:00Z', '2026-02-01T00:00:00.000001Z'),
      holds: true,
    },
    { what: 'ends at the instant: exclusive', adjustment: made('2026-01-01T00:00:00Z', INSTANT), holds: false },
    { what: 'made at the instant', adjustment: made('2026-01-01T00:00:00Z', null, INSTANT), holds: true },
    {
      what: 'made after it, while no worker had come yet',
      adjustment: made('2026-01-01T00:00:00Z', null, '2026-02-01T00:00:00.000001Z'),
      holds: false,
    },
  ])('$what: $holds', ({ adjustment, holds }) => {
    const taken = adjustmentsAt([adjustment], at(INSTANT));
    expect(taken).toEqual(holds ? [{ id: 'subadj_0', percentageDiscount: '0.35', description: 'Launch' }] : []);
  });

  it('are those of the first calculation at every later one, but for those that were deleted', () => {
    const again = stillThere(off('0.1', '0.2', '0.3'), [
      { ...made(INSTANT, null), id: 'subadj_2' },
      { ...made(INSTANT, null), id: 'subadj_0' },
      { ...made(INSTANT, null), id: 'subadj_9' },
    ]);
    expect(again.map(({ id }) => id)).toEqual(['subadj_0', 'subadj_2']);
  });
});

/** A fee of `unitPrice`, once a period. */
const fee = (id: string, unitPrice: string, limits: { minimum?: string; maximum?: string } = {}): BilledPrice => ({
  id,
  invoiceDisplayName: id,
  paymentTerm: 'in_arrears',
  pricing: { model: 'standard', properties: { unitPrice } },
  billingCadence: null,
  metric: null,
  fee: { id, name: id, description: '', itemId: null },
  quantity: decimal(1),
  minimumAmount: limits.minimum === undefined ? null : decimal(limits.minimum),
  maximumAmount: limits.maximum === undefined ? null : decimal(limits.maximum),
  taxRate: null,
  groupFilters: null,
});
const period = { start: at('2026-01-01T00:00:00Z'), end: at('2026-02-01T00:00:00Z') };

describe('an invoice with adjustments', () => {
  const rebate = fee('rebate', '-8');
  it.each<{ what: string; prices: BilledPrice[]; adjustments: string[]; lines: string[]; totals: string }>([
    // Tax of 20 % on the remainder of 100: 65 × 0.2 = 13.
    {
      what: 'tax is on the reduced amount',
      prices: [fee('seat', '100')],
      adjustments: ['0.35'],
      lines: ['charge 100', 'adjustment -35 off 0'],
      totals: '65 + 13 = 78',
    },
    {
      what: 'a line for each charge',
      prices: [fee('seat', '100'), fee('support', '10')],
      adjustments: ['0.35', '0.35'],
      lines: [
        ...['charge 100', 'adjustment -35 off 0', 'adjustment -22.75 off 0'],
        ...['charge 10', 'adjustment -3.5 off 3', 'adjustment -2.28 off 3'], // 6.50 × 0.35 = 2.275
      ],
      totals: '46.47 + 9.29 = 55.76', // 42.25 + 4.22; × 0.2 = 9.294
    },
    {
      what: 'the minimum is asked of what is left, and is not discounted',
      prices: [fee('seat', '100', { minimum: '80' })],
      adjustments: ['0.35'],
      lines: ['charge 100', 'adjustment -35 off 0', 'minimum 15'],
      totals: '80 + 16 = 96',
    },
    {
      what: 'the maximum is held against what is left',
      prices: [fee('seat', '100', { maximum: '60' })],
      adjustments: ['0.35'],
      lines: ['charge 100', 'adjustment -35 off 0', 'maximum -5'],
      totals: '60 + 12 = 72',
    },
    {
      what: 'nothing is taken off a rebate, which gives way where it would take the invoice below zero',
      prices: [fee('seat', '10'), rebate],
      adjustments: ['0.5'],
      lines: ['charge 10', 'adjustment -5 off 0', 'charge -5'],
      totals: '0 + 0 = 0',
    },
    {
      what: 'all of the charge is taken off, and nothing of the rebate is left',
      prices: [fee('seat', '10'), rebate],
      adjustments: ['1'],
      lines: ['charge 10', 'adjustment -10 off 0', 'charge 0'],
      totals: '0 + 0 = 0',
    },
  ])('$what', ({ prices, adjustments, lines, totals }) => {
    const calculated = calculate({
      currency: 'USD',
      charges: prices.map((price) => ({ charge: { price, period, fraction: WHOLE, spans: [period] } })),
      usage: [],
      taxBehavior: 'exclusive',
      taxRates: new Map(prices.map(({ id }) => [id, decimal(20)])),
      adjustments: off(...adjustments),
    });
    expect(
      calculated.lines.map((line, index) => {
        const place = calculated.appliesTo?.[index] ?? null;
        return `${line.type} ${plain(line.totalPrice)}${place === null ? '' : ` off ${place}`}`;
      }),
    ).toEqual(lines);
    expect(
      [calculated.subtotal, calculated.totalTax]
        .map(plain)
        .join(' + ')
        .concat(` = ${plain(calculated.grandTotal)}`),
    ).toBe(totals);
  });
});
