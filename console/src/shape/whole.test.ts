import { describe, expect, it } from 'vitest';
import { wholeOf } from './whole.ts';

const before = {
  name: 'Acme',
  address: { city: 'Berlin', country: 'DE' },
  settings: {
    invoicePrefix: 'INV',
    branding: { color: '#112233', footer: 'Thanks' },
    bankTransfer: null,
    portal: { quantities: true },
  },
};

const isWhole = (path: string) => path === 'address' || path.startsWith('settings.');

describe('wholeOf', () => {
  it.each([
    ['a plain field alone', { name: 'New' }, { name: 'New' }],
    ['an address with its other fields', { address: { city: 'Bonn' } }, { address: { city: 'Bonn', country: 'DE' } }],
    ['a plain setting without the others', { settings: { invoicePrefix: 'A' } }, { settings: { invoicePrefix: 'A' } }],
    [
      'a field of a setting with its other fields',
      { settings: { branding: { color: null } } },
      { settings: { branding: { color: null, footer: 'Thanks' } } },
    ],
    [
      'a setting that was null',
      { settings: { bankTransfer: { iban: 'DE1' } } },
      { settings: { bankTransfer: { iban: 'DE1' } } },
    ],
    [
      'an object in a setting with all around it',
      { settings: { portal: { planChange: { plans: ['p'] } } } },
      { settings: { portal: { quantities: true, planChange: { plans: ['p'] } } } },
    ],
    ['an object that is no such one as it is', { metadata: { a: 1 } }, { metadata: { a: 1 } }],
    [
      'an emptied setting as null',
      { settings: { branding: { color: null, footer: null } } },
      { settings: { branding: null } },
    ],
  ])('sends %s', (_name, change, expected) => {
    expect(wholeOf(before, change, isWhole)).toEqual(expected);
  });
});
