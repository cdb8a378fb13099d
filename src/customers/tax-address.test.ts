import { expect, it } from 'vitest';
import { validTaxAddress } from './tax-address.ts';

const noCountry = 'The address has no country in two capital letters (ISO 3166).';

it.each([
  { address: null, provider: 'internal', message: null },
  { address: { country: 'Atlantis' }, provider: 'internal', message: null },
  { address: null, provider: 'stripe_tax', message: noCountry },
  { address: {}, provider: 'stripe_tax', message: noCountry },
  { address: { country: 'Germany' }, provider: 'stripe_tax', message: noCountry },
  { address: { country: 'DE' }, provider: 'stripe_tax', message: null },
  { address: { country: 'US' }, provider: 'stripe_tax', message: 'An address in US needs a zipCode.' },
  { address: { country: 'US', zipCode: '10001' }, provider: 'stripe_tax', message: null },
  { address: { country: 'CA', state: 'ON' }, provider: 'stripe_tax', message: 'An address in CA needs a zipCode.' },
] as const)('$address by $provider: $message', ({ address, provider, message }) => {
  expect(validTaxAddress(address, provider)).toEqual({ valid: message === null, message });
});
