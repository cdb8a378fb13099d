import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bicProblem, ibanProblem } from './bank-account.ts';

const GOOD = [
  'DE89 3704 0044 0532 0130 00',
  'gb29nwbk60161331926819',
  'NO93 8601 1117 947',
  'MT84MALT011000012345MTLCAST001S',
];

describe('an IBAN', () => {
  it.each(GOOD)('%s is one', (iban) => expect(ibanProblem(iban)).toBeNull());

  it.each([
    { iban: '', why: 'must be an IBAN' },
    { iban: 'DE', why: 'must be an IBAN' },
    { iban: 'DE89-3704-0044-0532-0130-00', why: 'must be an IBAN' },
    { iban: 'US64SVBKUS6S3300958879', why: 'must be of a country that has IBANs' },
    { iban: 'DE8937040044053201300', why: 'must have 22 characters in DE, and has 21' },
    { iban: 'DE88370400440532013000', why: 'must have the right check digits' },
    { iban: 'DE89370400440532013001', why: 'must have the right check digits' },
  ])('$iban is none: $why', ({ iban, why }) => expect(ibanProblem(iban)).toContain(why));

  it('with one digit mistyped is none', () =>
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 21 }), fc.integer({ min: 1, max: 9 }), (place, more) => {
        const iban = 'DE89370400440532013000';
        const digit = (Number(iban[place]) + more) % 10;
        expect(ibanProblem(`${iban.slice(0, place)}${digit}${iban.slice(place + 1)}`)).not.toBeNull();
      }),
    ));
});

describe('a BIC', () => {
  it.each(['COBADEFFXXX', 'deutdeff', 'COBA DE FF'])('%s is one', (bic) => expect(bicProblem(bic)).toBeNull());
  it.each(['', 'COBADEF', 'COBADEFFX', 'COBA1EFF'])('%s is none', (bic) => expect(bicProblem(bic)).not.toBeNull());
});
