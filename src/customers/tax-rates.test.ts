import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validate } from '../http/index.ts';
import { decimal, plain } from '../kernel/decimal.ts';
import { TaxRatesBody } from './schemas.ts';
import { idsIn, nounOf, readTaxRates, writeTaxRates } from './tax-rates.ts';

const raw = (text: string) => JSON.rawJSON(text) as unknown as number;

describe('tax rates', () => {
  it.each([
    { input: 20, rates: { default: '20' } },
    { input: 0, rates: { default: '0' } },
    { input: raw('8.8750000'), rates: { default: '8.875' } },
    { input: {}, rates: {} },
    {
      input: { default: 19, plan_a: 7, bm_b: raw('0.000000001') },
      rates: { default: '19', plan_a: '7', bm_b: '0.000000001' },
    },
  ])('are read from $input', ({ input, rates }) => {
    const read = readTaxRates(input);
    expect(Object.fromEntries(Object.entries(read).map(([key, rate]) => [key, plain(rate)]))).toEqual(rates);
  });

  it('come back from JSON with every digit', () => {
    const text = fc
      .tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 999_999_999 }))
      .map(([whole, parts]) => `${whole}.${String(parts).padStart(9, '0')}`);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('default', 'plan_a', 'bm_b'), text), (texts) => {
        const rates = Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, decimal(value)]));
        const json = JSON.stringify(writeTaxRates(rates));
        for (const [key, rate] of Object.entries(rates)) expect(json).toContain(`"${key}":${plain(rate)}`);
      }),
    );
  });

  it('name plans and metrics in their keys', () => {
    expect(idsIn(readTaxRates({ default: 1, plan_a: 2, bm_b: 3 }))).toEqual(['plan_a', 'bm_b']);
    expect([nounOf('plan_a'), nounOf('bm_b')]).toEqual(['plan', 'billable metric']);
  });
});

describe('what a request may say', () => {
  it.each([[0], [100], [8.875], [{}], [{ default: 20 }], [{ plan_a: 1, bm_b: 99.999 }]])('%j', (input) => {
    expect(validate('body', TaxRatesBody, input)).toEqual([]);
  });

  it.each([
    [-1],
    [100.01],
    ['20'],
    [null],
    [true],
    [[20]],
    [{ default: '20' }],
    [{ default: 101 }],
    [{ default: null }],
    [{ Default: 20 }],
    [{ prod_a: 20 }],
    [{ plan_: 20 }],
    [{ 'plan_a ': 20 }],
    [{ 'default\n': 20 }],
    [raw('8.1234567891')],
    [raw('1e400')],
    [Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`plan_${n}`, 1]))],
  ])('not %j', (input) => expect(validate('body', TaxRatesBody, input)).not.toEqual([]));
});
