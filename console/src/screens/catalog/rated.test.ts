import { describe, expect, it } from 'vitest';
import { amountOf, examplesOf, mostOf, quantitiesOf, type Terms } from './rated.ts';

const terms = (model: Terms['model'], properties: object, more: Partial<Terms> = {}): Terms => ({
  ...{ model, properties, currency: 'USD', isFee: false },
  ...more,
});
const TIERS = {
  tiers: [
    { upTo: '1000', unitPrice: '0.01' },
    { upTo: null, unitPrice: '0.005', flatPrice: '2' },
  ],
};

describe('the amount of a quantity in the editor', () => {
  it.each([
    // the examples of docs/prices-and-plans.md
    { price: terms('standard', { unitPrice: '0.02' }), amount: '30' },
    { price: terms('graduated', TIERS), amount: '14.5' },
    { price: terms('volume', TIERS), amount: '9.5' },
    { price: terms('package', { size: '1000', price: '4.50' }), amount: '9' },
    { price: terms('percentage', { percentage: '0.029', maxCharge: '40' }), amount: '40' },
    { price: terms('dynamic', { multiplier: '1.2' }), amount: '1800' },
    { price: terms('standard', { unitPrice: '0.02', includedUnits: '500' }), amount: '20' },
    { price: terms('standard', { unitPrice: '0.02' }, { minimumAmount: '50' }), amount: '50' },
    { price: terms('standard', { unitPrice: '0.02' }, { maximumAmount: '25' }), amount: '25' },
    { price: terms('standard', { unitPrice: '2' }, { isFee: true }), amount: '3000' },
  ])('$price.model $price.properties', ({ price, amount }) => {
    expect(amountOf(price, '1500')).toBe(amount);
  });
  it('of a matrix is that of the group which was chosen', () => {
    const price = terms('matrix', {
      dimensions: ['model'],
      cells: [{ match: { model: 'large' }, unitPrice: '0.03' }],
      default: '0.02',
    });
    expect(amountOf(price, '100', { match: { model: 'large' } })).toBe('3');
    expect(amountOf(price, '100')).toBe('2');
  });
  it('of a percentage counts the events that the value is made of', () => {
    const price = terms('percentage', { percentage: '0.029', fixed: '0.30' });
    expect(amountOf(price, '250', { unitsPerEvent: '100' })).toBe('8.15');
  });
  it.each([
    { price: terms('standard', {}) },
    { price: terms('standard', { unitPrice: '0,02' }) },
    { price: terms('volume', { tiers: [{ upTo: '10', unitPrice: '1' }] }) },
  ])('is null while $price.properties is not whole', ({ price }) => {
    expect(amountOf(price, '10')).toBeNull();
  });
});

describe('the quantities of a curve', () => {
  it.each([
    { price: terms('graduated', TIERS), most: '1500' },
    { price: terms('package', { size: '100', price: '1' }), most: '500' },
    { price: terms('standard', { unitPrice: '1' }), most: '1000' },
    { price: terms('standard', { unitPrice: '0.00008' }), most: '1000000' },
    { price: terms('standard', { unitPrice: '29' }, { isFee: true }), most: '20' },
    { price: terms('standard', { unitPrice: 'x' }), most: '1000' },
  ])('go up to $most for $price.properties', ({ price, most }) => {
    expect(mostOf(price)).toBe(most);
  });
  it('have both sides of the bound of a tier', () => {
    const all = quantitiesOf(terms('volume', TIERS), '1500');
    expect(all[all.indexOf('1000') + 1]).toBe('1000.0375');
  });
  it('are five in the table', () => {
    expect(examplesOf(terms('volume', TIERS), '1500')).toEqual(['15', '150', '375', '1000', '1500']);
    expect(examplesOf(terms('volume', TIERS), 'x')).toEqual([]);
  });
});
