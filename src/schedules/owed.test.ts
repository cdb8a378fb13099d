import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal, sum } from '../kernel/decimal.ts';
import { formatMoney } from '../kernel/money.ts';
import { type Instant, isBefore } from '../kernel/time.ts';
import { type Contract, owedOf } from './owed.ts';
import {
  ALIGNMENTS,
  BILLING_MODES,
  type ChargeTerms,
  type ContractLine,
  PERIOD_PRESETS,
  PRORATIONS,
  type ScheduleTerms,
} from './schedule.ts';
import { windowsOf } from './windows.ts';

const at = (date: string): Instant => Temporal.Instant.from(`${date}T00:00:00Z`);
const day = (instant: Instant): string => instant.toString().slice(0, 10);

const schedule = (fields: Partial<ScheduleTerms> = {}): ScheduleTerms => ({
  startDate: at('2026-01-01'),
  endDate: at('2027-01-01'),
  billingAnchor: at('2026-01-01'),
  alignmentPolicy: 'anchor',
  prorationPolicy: 'daily',
  periodPreset: 'P1M',
  customPeriodWindows: [],
  ...fields,
});
const interval = (fields: Partial<ChargeTerms> = {}): ChargeTerms => ({
  id: 'sint_1',
  orderLineItemId: 'oli_1',
  itemId: null,
  priceId: null,
  description: 'Seats',
  unitPrice: null,
  baseQuantity: new Decimal(1),
  quantityTransitions: [],
  billingCadence: 'P1M',
  billingMode: 'advance',
  billDate: null,
  startDate: at('2026-01-01'),
  endDate: null,
  ...fields,
});
const line = (totalPrice: string, fields: Partial<ContractLine> = {}): ContractLine => ({
  id: 'oli_1',
  itemId: null,
  description: null,
  unitPrice: new Decimal(totalPrice),
  totalPrice: new Decimal(totalPrice),
  ...fields,
});
const contract = (fields: Partial<Contract> = {}): Contract => ({
  schedule: schedule(),
  currency: 'USD',
  intervals: [interval()],
  lines: [line('1200')],
  others: [],
  cancelledAt: null,
  itemNames: new Map(),
  ...fields,
});
const priced = (unitPrice: string, fields: Partial<ChargeTerms> = {}): ChargeTerms =>
  interval({ orderLineItemId: null, unitPrice: new Decimal(unitPrice), ...fields });
const told = (of: Contract) =>
  owedOf(of).map(({ billAt, subtotal }) => `${day(billAt)} ${formatMoney(subtotal, of.currency)}`);
const totalOf = (of: Contract): Decimal => sum(owedOf(of).map(({ subtotal }) => subtotal));

describe('windows', () => {
  const starts = (fields: Partial<ScheduleTerms>) =>
    windowsOf(schedule({ startDate: at('2026-01-20'), endDate: at('2026-05-10'), ...fields })).map(
      ({ period }) => `${day(period.start)}/${day(period.end)}`,
    );
  it.each([
    {
      policy: { alignmentPolicy: 'anchor', billingAnchor: at('2026-01-31') },
      windows: [
        '2026-01-20/2026-01-31',
        '2026-01-31/2026-02-28',
        '2026-02-28/2026-03-31',
        '2026-03-31/2026-04-30',
        '2026-04-30/2026-05-10',
      ],
    },
    {
      policy: { alignmentPolicy: 'calendar' },
      windows: [
        '2026-01-20/2026-02-01',
        '2026-02-01/2026-03-01',
        '2026-03-01/2026-04-01',
        '2026-04-01/2026-05-01',
        '2026-05-01/2026-05-10',
      ],
    },
    {
      policy: { alignmentPolicy: 'calendar', periodPreset: 'P3M' },
      windows: ['2026-01-20/2026-04-01', '2026-04-01/2026-05-10'],
    },
    {
      policy: { alignmentPolicy: 'coterm' },
      windows: ['2026-01-20/2026-02-10', '2026-02-10/2026-03-10', '2026-03-10/2026-04-10', '2026-04-10/2026-05-10'],
    },
    { policy: { periodPreset: 'single' }, windows: ['2026-01-20/2026-05-10'] },
    {
      policy: { periodPreset: 'custom', customPeriodWindows: [{ start: at('2026-02-01'), end: at('2026-02-15') }] },
      windows: ['2026-02-01/2026-02-15'],
    },
  ] as const)('of $policy', ({ policy, windows }) => expect(starts(policy)).toEqual(windows));

  it('leave no instant out and count none twice, whatever the policies', () => {
    fc.assert(
      fc.property(schedules(), (terms) => {
        const windows = windowsOf(terms);
        expect(windows[0]?.period.start).toEqual(terms.startDate);
        expect(windows.at(-1)?.period.end).toEqual(terms.endDate);
        for (const [index, { period, whole }] of windows.entries()) {
          expect(isBefore(period.start, period.end)).toBe(true);
          expect(isBefore(period.start, whole.start) || isBefore(whole.end, period.end)).toBe(false);
          if (index > 0) expect(windows[index - 1]?.period.end).toEqual(period.start);
        }
      }),
    );
  });
});

describe('what is owed', () => {
  const quarter = { schedule: schedule({ endDate: at('2026-04-01') }) };
  it.each([
    { currency: 'USD', total: '1000', owed: ['2026-01-01 333.33', '2026-02-01 333.33', '2026-03-01 333.34'] },
    { currency: 'JPY', total: '1000', owed: ['2026-01-01 333', '2026-02-01 333', '2026-03-01 334'] },
    { currency: 'KWD', total: '10', owed: ['2026-01-01 3.333', '2026-02-01 3.333', '2026-03-01 3.334'] },
    { currency: 'JPY', total: '1', owed: ['2026-01-01 0', '2026-02-01 0', '2026-03-01 1'] },
    { currency: 'JPY', total: '2', owed: ['2026-01-01 1', '2026-02-01 1', '2026-03-01 0'] },
  ])('shares $total $currency out over three months, the last takes the difference', ({ currency, total, owed }) =>
    expect(told(contract({ ...quarter, currency, lines: [line(total)] }))).toEqual(owed),
  );

  it.each([
    {
      what: 'a price for each period',
      intervals: [priced('10.5', { baseQuantity: new Decimal(2) })],
      owed: ['2026-01-01 21.00', '2026-02-01 21.00', '2026-03-01 21.00'],
    },
    {
      what: 'in arrears',
      intervals: [priced('10', { billingMode: 'arrears' as const })],
      owed: ['2026-02-01 10.00', '2026-03-01 10.00', '2026-04-01 10.00'],
    },
    {
      what: 'a partial period by days',
      intervals: [priced('31', { startDate: at('2026-01-11'), endDate: at('2026-02-15') })],
      owed: ['2026-01-11 21.00', '2026-02-01 15.50'],
    },
    {
      what: 'a quantity that changes inside a period',
      intervals: [
        priced('31', {
          endDate: at('2026-02-01'),
          quantityTransitions: [{ effectiveDate: at('2026-01-11'), quantity: new Decimal(3) }],
        }),
      ],
      owed: ['2026-01-01 10.00', '2026-01-01 63.00'],
    },
    {
      what: 'a longer cadence than the windows',
      intervals: [priced('90', { billingCadence: 'P3M' })],
      owed: ['2026-01-01 90.00'],
    },
    { what: 'one-off', intervals: [priced('500', { billingCadence: 'one_off' })], owed: ['2026-01-01 500.00'] },
    {
      what: 'one-off at its date',
      intervals: [priced('500', { billingCadence: 'one_off', billDate: at('2025-12-01') })],
      owed: ['2025-12-01 500.00'],
    },
    {
      what: 'a line and a price beside it',
      intervals: [interval({ unitPrice: new Decimal(600), billingCadence: 'one_off' }), interval()],
      owed: ['2026-01-01 600.00', '2026-01-01 200.00', '2026-02-01 200.00', '2026-03-01 200.00'].toSorted(),
    },
    {
      what: "the line's own price, named",
      intervals: [interval({ unitPrice: new Decimal(1200) })],
      owed: ['2026-01-01 400.00', '2026-02-01 400.00', '2026-03-01 400.00'],
    },
    { what: 'nothing for no quantity', intervals: [interval({ baseQuantity: new Decimal(0) })], owed: [] },
  ])('is $what', ({ intervals, owed }) =>
    expect(told(contract({ ...quarter, intervals })).toSorted()).toEqual(owed.toSorted()),
  );

  it('is invoiced by the windows where the cadence is shorter', () => {
    const of = contract({
      schedule: schedule({ endDate: at('2026-07-01'), periodPreset: 'P3M' }),
      intervals: [priced('10')],
    });
    expect(told(of)).toEqual([...Array(3).fill('2026-01-01 10.00'), ...Array(3).fill('2026-04-01 10.00')]);
  });

  it('is the whole price of a partial period without proration', () => {
    const of = contract({
      schedule: schedule({ startDate: at('2026-01-16'), endDate: at('2026-02-11'), prorationPolicy: 'none' }),
      intervals: [priced('31', { startDate: at('2026-01-16') })],
    });
    expect(told(of)).toEqual(['2026-01-16 31.00', '2026-02-01 31.00']);
  });

  it.each([
    { cancelledAt: '2026-02-15', owed: ['2026-01-01 31.00', '2026-02-01 15.50'] },
    { cancelledAt: '2026-02-01', owed: ['2026-01-01 31.00'] },
    { cancelledAt: '2025-12-01', owed: [] },
    { cancelledAt: '2027-12-01', owed: ['2026-01-01 31.00', '2026-02-01 31.00', '2026-03-01 31.00'] },
  ])('ends by days at $cancelledAt, whatever the proration policy', ({ cancelledAt, owed }) => {
    const none = { ...quarter.schedule, prorationPolicy: 'none' as const };
    expect(told(contract({ schedule: none, intervals: [priced('31')], cancelledAt: at(cancelledAt) }))).toEqual(owed);
  });

  it('is of a line what rounding of its price leaves', () => {
    const of = contract({
      ...quarter,
      intervals: [interval({ unitPrice: new Decimal('333.33') })],
      lines: [line('1000')],
    });
    expect(told(of)).toEqual(['2026-01-01 333.33', '2026-02-01 333.33', '2026-03-01 333.34']);
  });
});

describe('whatever the contract is', () => {
  it('the windows of a line sum to its total, none below 0', () => {
    fc.assert(
      fc.property(contracts(), (of) => {
        const owed = owedOf(of);
        fc.pre(owed.length > 0);
        expect(sum(owed.map(({ subtotal }) => subtotal)).toFixed()).toBe(
          (of.lines[0] as ContractLine).totalPrice.toFixed(),
        );
        expect(owed.every(({ subtotal }) => subtotal.gte(0))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('a later cancellation owes no less, and one at the end owes all', () => {
    fc.assert(
      fc.property(contracts(), fc.nat(1500), fc.nat(1500), (of, first, second) => {
        const [early, late] = [Math.min(first, second), Math.max(first, second)].map((days) =>
          of.schedule.startDate.add({ hours: 24 * days }),
        ) as [Instant, Instant];
        expect(totalOf({ ...of, cancelledAt: early }).lte(totalOf({ ...of, cancelledAt: late }))).toBe(true);
        const end = of.schedule.endDate.add({ hours: 24 });
        expect(totalOf({ ...of, cancelledAt: end }).eq(totalOf(of))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

const days = fc.integer({ min: 0, max: 800 }).map((n) => at('2026-01-01').add({ hours: 24 * n }));

function schedules(): fc.Arbitrary<ScheduleTerms> {
  return fc
    .record({
      startDate: days,
      length: fc.integer({ min: 1, max: 1200 }),
      billingAnchor: days,
      alignmentPolicy: fc.constantFrom(...ALIGNMENTS),
      prorationPolicy: fc.constantFrom(...PRORATIONS),
      periodPreset: fc.constantFrom(...PERIOD_PRESETS.filter((preset) => preset !== 'custom')),
    })
    .map(({ length, ...terms }) => schedule({ ...terms, endDate: terms.startDate.add({ hours: 24 * length }) }));
}

function contracts(): fc.Arbitrary<Contract> {
  return fc
    .record({
      terms: schedules(),
      currency: fc.constantFrom('USD', 'JPY', 'KWD'),
      minorUnits: fc.nat(10_000_000),
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 2 }),
      quantities: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 4, maxLength: 4 }),
      cadence: fc.constantFrom('P1M', 'P3M', 'P1Y', 'P7D', 'one_off'),
      mode: fc.constantFrom(...BILLING_MODES),
    })
    .map(({ terms, currency, minorUnits, cuts, quantities, cadence, mode }) => {
      const total = new Decimal(minorUnits).div({ USD: 100, JPY: 1, KWD: 1000 }[currency] as number);
      const length = terms.endDate.epochMilliseconds - terms.startDate.epochMilliseconds;
      const places = cuts
        .map((part) => terms.startDate.add({ milliseconds: Math.floor(length * part) }))
        .toSorted(Temporal.Instant.compare);
      const bounds = [terms.startDate, ...places, terms.endDate];
      const intervals = bounds.slice(1).flatMap((endDate, index) => {
        const startDate = bounds[index] as Instant;
        if (!isBefore(startDate, endDate)) return [];
        const middle = startDate.add({
          milliseconds: Math.floor((endDate.epochMilliseconds - startDate.epochMilliseconds) / 2),
        });
        const ramp = isBefore(startDate, middle)
          ? [{ effectiveDate: middle, quantity: new Decimal(quantities[3] as number) }]
          : [];
        const baseQuantity = new Decimal(quantities[index] as number);
        return [
          interval({
            id: `sint_${index}`,
            startDate,
            endDate,
            baseQuantity,
            billingCadence: cadence,
            billingMode: mode,
            quantityTransitions: ramp,
          }),
        ];
      });
      return contract({ schedule: terms, currency, intervals, lines: [line(total.toFixed())] });
    });
}
