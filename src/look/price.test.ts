import { expect, it } from 'vitest';
import { priceFor, scaleOf } from './price.ts';

it.each([
  { prices: ['0.00000015'], currency: 'USD', scale: 1_000_000, shown: ['0.15'] },
  {
    prices: ['0.000003', '0.00001', '0.000000025', '0.000000125'],
    currency: 'EUR',
    scale: 1_000_000,
    shown: ['3', '10', '0.025', '0.125'],
  },
  { prices: ['0.0025', '4'], currency: 'USD', scale: 1, shown: ['0.0025', '4'] },
  { prices: ['0.000002', '900'], currency: 'USD', scale: 1, shown: ['0.000002', '900'] },
  { prices: ['0.00002'], currency: 'JPY', scale: 1_000_000, shown: ['20'] },
  { prices: ['0.333333333333'], currency: 'USD', scale: 1, shown: ['0.333333333333'] },
  { prices: ['0', '-0.000003'], currency: 'EUR', scale: 1_000_000, shown: ['0', '-3'] },
  { prices: [], currency: 'EUR', scale: 1, shown: [] },
])('the prices $prices in $currency are shown for $scale', ({ prices, currency, scale, shown }) => {
  expect(scaleOf(prices, currency)).toBe(scale);
  expect(prices.map((price) => priceFor(price, scale))).toEqual(shown);
});
