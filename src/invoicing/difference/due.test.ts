import { describe, expect, it } from 'vitest';
import {
  bill,
  chargesDue,
  dueCharges,
  feeItem,
  invoiceAt,
  issue,
  itemsIn,
  openBooks,
  upfrontAt,
} from '../../../test/support/owed.ts';
import { decimal, plain } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { BilledPrice, BilledVersion } from '../terms/billing-terms.ts';
import type { HistoricTerms } from '../timeline/segments.ts';
import { type ClosedPart, type ClosedPeriod, type DueCharge, dueOn, lateDue, type UncalculatedInvoice } from './due.ts';

const at = (day: string): Instant => Temporal.Instant.from(`2026-${day}T00:00:00Z`);
const fee = (id: string, unitPrice: string, ahead: boolean, billingCadence: string | null = null): BilledPrice => ({
  ...{
    id,
    invoiceDisplayName: id,
    billingCadence,
    metric: null,
    taxRate: null,
    groupFilters: null,
    quantity: decimal('1'),
  },
  ...{ minimumAmount: null, maximumAmount: null, pricing: { model: 'standard', properties: { unitPrice } } },
  paymentTerm: ahead ? 'in_advance' : 'in_arrears',
  fee: { id, name: id, description: '', itemId: null },
});
const use = (id: string, unitPrice: string, includedUnits = '0'): BilledPrice => ({
  ...fee(id, unitPrice, false),
  pricing: { model: 'standard', properties: { unitPrice, includedUnits } },
  metric: { id, name: id, meter: { aggregation: 'SUM' } } as BilledPrice['metric'],
  fee: null,
});
const BASE = fee('base', '100', true);
const ADD_ON = fee('add-on', '20', true);
const SETUP = fee('setup', '50', true, 'P0D');
const CALLS = use('calls', '1', '300');

const termsOf = (
  versions: readonly [string, readonly BilledPrice[]][],
  endsAt: string | null = null,
): HistoricTerms => {
  const history = versions.map(
    ([from, prices]): BilledVersion => ({
      ...{
        planId: 'plan',
        planTaxRate: null,
        planCadence: 'P1M',
        minimumAmount: null,
        anchors: {},
        proration: 'second',
      },
      ...{ from: at(from), prices },
    }),
  );
  const startedAt = (history[0] as BilledVersion).from;
  const bounds = { anchor: startedAt, startedAt, endsAt: endsAt === null ? null : at(endsAt) };
  return { planCadence: 'P1M', prices: history.at(-1)?.prices ?? [], bounds, versions: history };
};
const used = (units: string): BilledUsage[] => [
  { priceId: 'calls', groupValues: {}, quantity: decimal(units), eventCount: 1, granted: decimal('0') },
];
const cut = (invoice: UncalculatedInvoice, start: string, end: string): UncalculatedInvoice => ({
  ...{ ...invoice, id: `${start} ${end}` },
  ...{ periodStart: at(start), periodEnd: at(end) },
});
const short = (instant: Instant) => instant.toString().slice(5, 10);
const shown = (charges: readonly DueCharge['charge'][]) =>
  charges.map(({ price: { id }, period: { start, end } }) => `${id} ${short(start)}/${short(end)}`);

describe('a change at the very start of a period', () => {
  it('makes due what it adds, and not again what was billed', () => {
    const before = termsOf([['01-01', [BASE]]]);
    const after = termsOf([
      ['01-01', [BASE]],
      ['02-01', [BASE, ADD_ON]],
    ]);
    const books = openBooks();
    bill(books, before, upfrontAt(before));
    bill(books, before, invoiceAt(before, 'P1M', at('01-01')));
    const february = bill(books, after, invoiceAt(after, 'P1M', at('02-01')));
    expect(february.lines.map(({ priceId: id, totalPrice: net }) => `${id} ${plain(net)}`)).toEqual([
      'base 100', // of March
      'add-on 20', // of March
      'add-on 20', // of February
    ]);
  });
});

describe('what is billed once', () => {
  it('is due with the version that brings it, also at the instant of the start', () => {
    const terms = termsOf([
      ['01-01', [BASE]],
      ['01-11', [BASE, SETUP]],
    ]);
    const january = invoiceAt(terms, 'P1M', at('01-01'));
    const billed = [feeItem('base', { start: at('01-01'), end: at('02-01') }, { net: '100' })];
    expect(shown(chargesDue(terms, january, billed))).toEqual(['setup 01-11/01-11', 'base 02-01/03-01']);
    const atStart = termsOf([
      ['01-01', [BASE]],
      ['01-01', [BASE, SETUP]],
    ]);
    expect(shown(chargesDue(atStart, upfrontAt(atStart), billed))).toEqual(['setup 01-01/01-01']);
  });

  it('is due once', () => {
    const terms = termsOf([['01-01', [BASE, SETUP]]]);
    const billed = [feeItem('setup', { start: at('01-01'), end: at('01-01') }, { net: '50' })];
    expect(shown(chargesDue(terms, upfrontAt(terms), billed))).toEqual(['base 01-01/02-01']);
  });
});

describe('a period that is cut', () => {
  it('bills its parts at the terms of the whole: units that are included are free in any part', () => {
    const terms = termsOf([['01-01', [CALLS]]]);
    const whole = invoiceAt(terms, 'P1M', at('01-01'));
    const books = openBooks();
    const first = bill(books, terms, cut(whole, '01-01', '01-11'), { usage: used('300') });
    const second = bill(books, terms, cut(whole, '01-11', '02-01'), { usage: used('310') });
    expect([first, second].map(({ grandTotal }) => plain(grandTotal))).toEqual(['0', '10']);
  });

  it('leaves what is in advance to its last part', () => {
    const terms = termsOf([['01-01', [BASE, CALLS]]]);
    const whole = invoiceAt(terms, 'P1M', at('01-01'));
    expect(shown(chargesDue(terms, cut(whole, '01-01', '01-11')))).toEqual(['calls 01-01/01-11']);
    expect(shown(chargesDue(terms, cut(whole, '01-11', '02-01')))).toEqual(['calls 01-11/02-01', 'base 02-01/03-01']);
  });
});

describe('invoices that are not calculated yet', () => {
  it('keep what is theirs: a change at the boundary is billed by the period that ended there', () => {
    const terms = termsOf([
      ['01-01', [BASE]],
      ['02-01', [BASE, ADD_ON]],
    ]);
    const [january, february] = ['01-01', '02-01'].map((day) => invoiceAt(terms, 'P1M', at(day))) as [
      UncalculatedInvoice,
      UncalculatedInvoice,
    ];
    const state = { terms: { ...terms, taxBehavior: 'exclusive', currency: 'USD' }, items: [] } as const;
    const due = (invoice: UncalculatedInvoice, others: UncalculatedInvoice[]) =>
      shown(dueOn({ ...state, invoice, others }).map(({ charge }) => charge));
    expect(due(january, [february])).toEqual(['base 02-01/03-01', 'add-on 02-01/03-01']);
    expect(due(february, [january])).toEqual(['base 03-01/04-01', 'add-on 03-01/04-01']);
  });
});

describe('a closed period', () => {
  const terms = termsOf([['01-01', [use('calls', '2')]]]);
  const january = invoiceAt(terms, 'P1M', at('01-01'));
  const late = (units: string, discounts: string[] = []) => {
    const adjustments = discounts.map((percentageDiscount) => ({ id: 'half', percentageDiscount, description: '' }));
    const books = openBooks();
    bill(books, terms, january, { usage: used('100'), adjustments, taxRates: new Map([['calls', decimal('10')]]) });
    const state = { terms: { ...terms, taxBehavior: 'exclusive', currency: 'USD' }, items: itemsIn(books) } as const;
    return { due: lateDue(state, closedAs({ invoice: january, usage: used(units), adjustments })), books };
  };

  it.each([
    { units: '100', discounts: [], lines: [] },
    { units: '120', discounts: [], lines: ['late_usage 40 at 20'] },
    { units: '120', discounts: ['0.5'], lines: ['late_usage 40 at 20', 'adjustment -20 at 20'] },
  ])('with $units units, of which 100 are billed, discounted by $discounts: $lines', ({ units, discounts, lines }) => {
    const { due, books } = late(units, discounts);
    const taxRates = new Map([['calls', decimal('20')]]);
    const found = bill(books, terms, { ...january, kind: 'ad_hoc' }, { taxRates });
    expect(found.lines).toEqual([]);
    const calculation = issueLate(due, taxRates);
    expect(
      calculation.lines.map(({ type, totalPrice: net, taxRate: rate }) => `${type} ${plain(net)} at ${plain(rate)}`),
    ).toEqual(lines);
  });

  it('credits at the discount and the tax rate of the bill', () => {
    const { due } = late('50', ['0.5']);
    const taxRates = new Map([['calls', decimal('20')]]);
    const other = {
      charge: { ...(dueCharges(terms, january)[0] as DueCharge).charge, price: fee('other', '1000', false) },
    };
    const { lines } = issueLate([other, ...due], taxRates);
    const sums = lines.slice(1).map(({ totalPrice: net, totalTax: tax }) => `${plain(net)} + ${plain(tax)}`);
    expect(sums).toEqual(['-100 + -10', '50 + 5']);
  });
});

/** A period that nothing cut. */
const closedAs = (part: ClosedPart): ClosedPeriod[] => [{ invoice: part.invoice, parts: [part] }];

const issueLate = (due: readonly DueCharge[], taxRates: Map<string, ReturnType<typeof decimal>>) =>
  issue(openBooks(), 'late', due, { taxRates });
