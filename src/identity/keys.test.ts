import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateApiKey, hashApiKey, keyDisplay } from './keys.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const valueIn = (text: string) => [...text].reduce((value, digit) => value * 62 + BASE62.indexOf(digit), 0);

describe('a new API key', () => {
  it.each([
    { environment: 'production', form: /^rk_live_[0-9A-Za-z]{40}$/ },
    { environment: 'sandbox', form: /^rk_test_[0-9A-Za-z]{40}$/ },
  ] as const)('of $environment has the form $form', ({ environment, form }) => {
    expect(generateApiKey(environment)).toMatch(form);
  });

  it('ends in the CRC-32 of its secret part, for scanners', () => {
    fc.assert(
      fc.property(fc.constantFrom('production' as const, 'sandbox' as const), (environment) => {
        const key = generateApiKey(environment);
        expect(valueIn(key.slice(42))).toBe(crc32(key.slice(8, 42)));
      }),
    );
  });

  it('is never the same twice', () => {
    expect(new Set(Array.from({ length: 1000 }, () => generateApiKey('sandbox'))).size).toBe(1000);
  });
});

it('is shown by its first eight and last four characters, and stored as 32 bytes of SHA-256', () => {
  expect(keyDisplay('rk_test_abcdefgh1234')).toEqual({ prefix: 'rk_test_', last4: '1234' });
  expect(hashApiKey('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
