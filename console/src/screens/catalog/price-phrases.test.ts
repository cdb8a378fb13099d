import { describe, expect, it } from 'vitest';
import { phrasesOf, type SpokenPrice } from './price-phrases.ts';

const price = (fields: object): SpokenPrice =>
  ({ model: 'standard', paymentTerm: 'in_arrears', billingCadence: null, quantity: 1, ...fields }) as SpokenPrice;
const EURO = { currency: 'EUR', unit: 'call', cadence: 'P1M' };
const FEE = { feeId: 'fee_1', billingCadence: 'P1M' };

describe('a price in words', () => {
  it.each([
    [price({ properties: { unitPrice: '0.002', includedUnits: '1000' } }), '€0.002 per call, first 1,000 calls free'],
    [price({ properties: { unitPrice: '0.00000015' } }), '€0.15 per 1,000,000 calls'],
    [price({ properties: { unitPrice: '0' } }), 'free'],
    [price({ ...FEE, properties: { unitPrice: '29' } }), '€29.00 monthly'],
    [price({ ...FEE, quantity: 3, properties: { unitPrice: '29' } }), '3 × €29.00 monthly'],
    [
      price({ model: 'package', properties: { size: '100', price: '2.50' } }),
      '€2.50 per package of 100 calls, a begun package in full',
    ],
    [
      price({ model: 'percentage', properties: { percentage: '0.029', fixed: '0.30', maxCharge: '40' } }),
      '2.9% of the value, plus €0.30 for each event, at most €40.00',
    ],
    [price({ model: 'dynamic', properties: { multiplier: '1.2' } }), 'the price that each event carries, times 1.2'],
  ])('%#: %s', (each, sentence) => {
    expect(phrasesOf(each, EURO).sentence).toBe(sentence);
  });
  it('has its tiers as a table on one scale', () => {
    const tiers = [
      { upTo: '1000', unitPrice: '0.01' },
      { upTo: null, unitPrice: '0.005', flatPrice: '2' },
    ];
    expect(phrasesOf(price({ model: 'graduated', properties: { tiers } }), EURO)).toMatchObject({
      sentence: 'each unit at the price of its own tier',
      table: {
        heads: ['Quantity', 'per call', 'For the tier'],
        rows: [
          ['up to 1,000', '€0.01', '—'],
          ['above 1,000', '€0.005', '€2.00'],
        ],
      },
    });
  });
  it('has the cells of a matrix, and the price of all others', () => {
    const cells = [{ match: { model: 'large' }, unitPrice: '0.03' }];
    const properties = { dimensions: ['model', 'region'], cells, default: '0.02' };
    expect(phrasesOf(price({ model: 'matrix', properties }), EURO).table?.rows).toEqual([
      ['large, any region', '€0.03'],
      ['all others', '€0.02'],
    ]);
  });
  it('says its bounds, and the usage that counts', () => {
    const bounds = { minimumAmount: '5', maximumAmount: '100', groupFilters: { region: ['eu', 'us'] }, taxRate: 20 };
    expect(phrasesOf(price({ ...bounds, properties: { unitPrice: '1' } }), EURO).notes).toEqual([
      'at least €5.00 monthly',
      'at most €100.00 monthly',
      'only where region is eu or us',
      'tax 20%',
    ]);
  });
});
