import { expect, it } from 'vitest';
import { cardBrandName } from './card-brand.ts';

it.each([
  { brand: 'visa', name: 'Visa' },
  { brand: 'amex', name: 'American Express' },
  { brand: 'a new one', name: undefined },
  { brand: 'constructor', name: undefined },
])('the brand $brand is called $name', ({ brand, name }) => expect(cardBrandName(brand)).toBe(name));
