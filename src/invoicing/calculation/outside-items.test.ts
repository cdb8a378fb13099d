import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, plain, sum } from '../../kernel/decimal.ts';
import { totalsOf } from './calculate.ts';
import { type OutsideLine, outsideItems, outsideTaxes } from './outside-items.ts';

const CODES = { taxCodes: { price_b: 'txcd_2', price_c: 'txcd_2' }, taxCode: 'txcd_1' };

const line = (amount: string, fields: Partial<OutsideLine> = {}): OutsideLine => ({
  amount: decimal(amount),
  taxRate: decimal(0),
  priceId: 'price_a',
  type: 'charge',
  ...fields,
});
const shown = (lines: readonly OutsideLine[]) =>
  outsideItems(lines, CODES, 'EUR').map(({ reference, amount, taxCode }) => [reference, plain(amount), taxCode]);

describe('the items that a provider is asked for', () => {
  it('are the lines of a price together, less its discounts', () => {
    const lines = [line('10'), line('-3.50', { type: 'adjustment' }), line('4', { priceId: 'price_b' })];
    expect(shown(lines)).toEqual([
      ['price_a', '6.5', 'txcd_1'],
      ['price_b', '4', 'txcd_2'],
    ]);
  });

  it('are lines by hand one by one', () => {
    const byHand = { priceId: null, type: 'manual' };
    expect(shown([line('1', byHand), line('2', byHand)])).toEqual([
      ['manual:0', '1', 'txcd_1'],
      ['manual:1', '2', 'txcd_1'],
    ]);
  });

  it('are by tax code where a price comes to less than 0, and at last all together', () => {
    const b = { priceId: 'price_b' };
    const c = { priceId: 'price_c' };
    expect(shown([line('10'), line('5', b), line('-2', c)])).toEqual([
      ['code:txcd_1', '10', 'txcd_1'],
      ['code:txcd_2', '3', 'txcd_2'],
    ]);
    expect(shown([line('10'), line('5', b), line('-7', c)])).toEqual([['all', '8', 'txcd_1']]);
  });

  it('are by tax code where there are more than a hundred', () => {
    const many = Array.from({ length: 101 }, (_, place) => line('1', { priceId: `price_${place}` }));
    expect(shown(many)).toEqual([['code:txcd_1', '101', 'txcd_1']]);
  });

  it('exclude lines without tax and credits of billed tax', () => {
    const credit = line('-4', { priceId: null, type: 'credit', tax: decimal('-0.76') });
    expect(shown([line('10'), credit, line('5', { taxRate: null })])).toEqual([['price_a', '10', 'txcd_1']]);
  });

  it('are 0 at least, because what is left of a rebate is lost', () => {
    const rebate = line('-25', { priceId: 'price_b', cutTurn: 'rebate' });
    expect(shown([line('10'), rebate])).toEqual([['all', '0', 'txcd_1']]);
  });
});

const amounts = fc.integer({ min: -5_000, max: 5_000 }).map((cents) => decimal(cents).div(100));
const lines = fc.array(
  fc.record({
    amount: amounts,
    priceId: fc.constantFrom('price_a', 'price_b', 'price_c', null),
    kind: fc.constantFrom('own', 'credit', 'untaxed'),
  }),
  { minLength: 1, maxLength: 12 },
);

it('whatever the lines are, the taxes of an item are shared out to the cent, and the lines sum to the totals', () => {
  fc.assert(
    fc.property(lines, fc.constantFrom('exclusive', 'inclusive'), (given, taxBehavior) => {
      const all = given.map(({ amount, priceId, kind }): OutsideLine => {
        const fields = { priceId, type: kind };
        if (kind === 'untaxed') return line(amount.abs().toFixed(2), { ...fields, taxRate: null });
        if (kind === 'own') return line(amount.toFixed(2), { ...fields, cutTurn: 'rebate' });
        const back = amount.abs().negated();
        return line(back.toFixed(2), { ...fields, cutTurn: 'credit', tax: back.times('0.19').toDecimalPlaces(2) });
      });
      const items = outsideItems(all, CODES, 'EUR');
      const taxed = items
        .filter(({ amount }) => amount.gt(0))
        .map(({ reference, amount }) => {
          const tax = amount.times('0.17').toDecimalPlaces(2);
          return [reference, { tax: tax.toFixed(2), rate: '17' }] as const;
        });
      const answer = { reference: 'x', items: Object.fromEntries(taxed) };
      const shares = outsideTaxes(all, CODES, answer, 'EUR');
      for (const { reference, places } of items) {
        const shared = sum(places.map((place) => shares[place]?.tax ?? decimal(0)));
        expect(plain(shared)).toBe(plain(decimal(answer.items[reference]?.tax ?? 0)));
      }
      const outside = {
        ...CODES,
        provider: 'stripe_tax' as const,
        at: '',
        customer: {
          address: { line1: null, line2: null, city: null, state: null, zipCode: null, country: 'DE' },
          taxId: null,
        },
        answer,
      };
      const { totals } = totalsOf(all, { outside, taxBehavior, currency: 'EUR' });
      expect(plain(sum(totals.lines.map(({ net }) => net)))).toBe(plain(totals.subtotal));
      expect(plain(sum(totals.lines.map(({ tax }) => tax)))).toBe(plain(totals.totalTax));
      expect(plain(totals.subtotal.plus(totals.totalTax))).toBe(plain(totals.grandTotal));
      expect(totals.grandTotal.gte(0)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
