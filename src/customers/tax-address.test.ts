import { expect, it } from 'vitest';
import { validTaxAddress } from './tax-address.ts';

const noCountry = 'The address has no country.';

it.each([
  { address: null, message: noCountry },
  { address: {}, message: noCountry },
  { address: { city: 'Berlin' }, message: noCountry },
  { address: { country: 'DE' }, message: '' },
  { address: { country: 'US' }, message: 'The address has no zipCode, which decides the tax rate in US.' },
  { address: { country: 'US', zipCode: '10001' }, message: '' },
  {
    address: { country: 'CA', state: 'ON' },
    message: 'The address has no zipCode, which decides the tax rate in CA.',
  },
])('$address: $message', ({ address, message }) => {
  expect(validTaxAddress(address)).toEqual({ valid: message === '', message });
});
