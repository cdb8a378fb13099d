import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countryCodes } from '../kernel/country.ts';
import { describeTaxId, registrationIdProblem } from './tax-id.ts';
import { describeTaxIdToTry, tryOutAnswer } from './try-out.ts';

/** A number of each country with a reachable register, in its written form with the prefix. */
const NUMBERS: readonly (readonly [country: string, number: string])[] = [
  ['AT', 'ATU13585627'],
  ['BE', 'BE0428759497'],
  ['BG', 'BG175074752'],
  ['CY', 'CY10259033P'],
  ['CZ', 'CZ25123891'],
  ['DE', 'DE136695976'],
  ['DK', 'DK13585628'],
  ['EE', 'EE100594102'],
  ['ES', 'ESB58378431'],
  ['FI', 'FI20774740'],
  ['FR', 'FR40303265045'],
  ['GR', 'EL094259216'],
  ['HR', 'HR33392005961'],
  ['HU', 'HU12892312'],
  ['IE', 'IE6433435F'],
  ['IT', 'IT00743110157'],
  ['LT', 'LT119511515'],
  ['LU', 'LU15027442'],
  ['LV', 'LV40003521600'],
  ['MT', 'MT11679112'],
  ['NL', 'NL004495445B01'],
  ['PL', 'PL8567346215'],
  ['PT', 'PT501964843'],
  ['RO', 'RO18547290'],
  ['SE', 'SE123456789701'],
  ['SI', 'SI50223054'],
  ['SK', 'SK2022749619'],
];

/** The second digit is another one: check digits notice. */
const mistyped = (number: string): string =>
  number.replace(/^(\D*\d)(\d)/, (_, head: string, digit: string) => `${head}${(Number(digit) + 1) % 10}`);

describe('the form of a tax id', () => {
  it.each(NUMBERS)('in %s is a number of the register: %s', async (country, number) => {
    expect(await describeTaxId(number, country)).toEqual({
      kind: 'registered',
      prefix: number.slice(0, 2),
      number: number.slice(2),
      problem: null,
    });
    expect(await describeTaxId(mistyped(number), country)).toMatchObject({
      kind: 'registered', // the register is queried anyway, because it knows more than a rule
      problem: expect.stringContaining('wrong check digits'),
    });
  });

  it.each([
    { taxId: 'de 136.695-976', country: 'DE', kind: 'registered' },
    { taxId: 'GR094259216', country: 'GR', kind: 'registered', prefix: 'EL' },
    { taxId: 'XI980780684', country: 'GB', kind: 'registered', prefix: 'XI' },
    { taxId: 'DE1366959', country: 'DE', kind: 'malformed' },
    { taxId: '136695976', country: 'DE', kind: 'unregistered' }, // a number of a tax office may look so
    { taxId: 'DE136695976', country: 'AT', kind: 'registered', prefix: 'DE' }, // the address is elsewhere
    { taxId: 'DE136695976', country: null, kind: 'registered', prefix: 'DE' },
    { taxId: 'FR40303265046', country: 'DE', kind: 'registered', problem: expect.stringContaining('in FR') },
    { taxId: 'EL094259216', country: 'US', kind: 'registered', prefix: 'EL' },
    { taxId: '12/345/67890', country: 'DE', kind: 'unregistered' },
    { taxId: 'GB980780684', country: 'IE', kind: 'unregistered', reason: 'In GB no register is asked.' },
    { taxId: 'GB980780685', country: 'IE', kind: 'malformed' },
    { taxId: 'Deloitte', country: 'DE', kind: 'unregistered' },
    { taxId: 'GB980780684', country: 'GB', kind: 'unregistered' },
    { taxId: 'GB980780685', country: 'GB', kind: 'malformed' },
    { taxId: '08165245', country: 'GB', kind: 'unregistered' }, // a number of a company, and none of tax
    { taxId: 'CHE-107.787.577 MWST', country: 'CH', kind: 'unregistered' },
    { taxId: 'CHE107787577', country: 'CH', kind: 'unregistered' },
    { taxId: 'CHE-107.787.578 MWST', country: 'CH', kind: 'malformed' },
    { taxId: 'NO 995 525 828 MVA', country: 'NO', kind: 'unregistered' },
    { taxId: '995525829MVA', country: 'NO', kind: 'malformed' },
    { taxId: '12-3456789', country: 'US', kind: 'unregistered' },
  ])('$taxId in $country is $kind', async ({ country, taxId, ...expected }) => {
    expect(await describeTaxId(taxId, country)).toMatchObject(expected);
  });

  it('is told of any text in any country', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...NUMBERS.map(([, number]) => number))),
        fc.constantFrom(...countryCodes, null),
        async (taxId, country) => {
          const { kind } = await describeTaxId(taxId, country);
          expect(['registered', 'unregistered', 'malformed']).toContain(kind);
        },
      ),
    ));
});

describe('a number to try with in the sandbox', () => {
  const withDigit = (number: string, digit: string) => number.slice(0, 2) + number.slice(2).replace(/\d/g, digit);
  it.each(NUMBERS)(
    'of %s in the form of %s answers by its digit, whatever its check digits',
    async (country, number) => {
      for (const [digit, answer] of Object.entries({ 0: 'valid', 1: 'invalid', 2: 'unavailable' })) {
        const form = await describeTaxIdToTry(withDigit(number, digit), country);
        expect(form).toMatchObject({ kind: 'registered', problem: null });
        if (form.kind === 'registered') expect(tryOutAnswer(form)).toBe(answer);
      }
    },
  );

  it.each(['DE333333333', 'DE000000001', 'DE00000000', 'DE136695976'])('is not %s', async (taxId) => {
    expect(await describeTaxIdToTry(taxId, 'DE')).toEqual(await describeTaxId(taxId, 'DE'));
    expect(tryOutAnswer({ prefix: 'DE', number: taxId.slice(2) })).toBeNull();
  });

  it('is an ordinary number in production', async () => {
    expect(await describeTaxId('DE222222222', 'DE')).toMatchObject({
      problem: expect.stringContaining('check digits'),
    });
  });
});

describe('the id of a registration', () => {
  it.each([
    ...NUMBERS.map(([country, taxId]) => ({ taxId, country, scheme: 'standard' as const, problem: null })),
    { taxId: 'DE136695975', country: 'DE', scheme: 'standard' as const, problem: /check digits/ },
    { taxId: '136695976', country: 'DE', scheme: 'standard' as const, problem: /begins with DE/ },
    { taxId: '094259216', country: 'GR', scheme: 'standard' as const, problem: /begins with EL/ },
    { taxId: 'GB980780684', country: 'GB', scheme: 'standard' as const, problem: null },
    { taxId: 'GB123', country: 'GB', scheme: 'standard' as const, problem: /wrong length/ },
    { taxId: 'CHE-107.787.577 MWST', country: 'CH', scheme: 'standard' as const, problem: null },
    { taxId: '995525828MVA', country: 'NO', scheme: 'standard' as const, problem: null },
    { taxId: 'T1234567890123', country: 'JP', scheme: 'standard' as const, problem: null }, // no rule is known
    { taxId: 'EU372000041', country: 'IE', scheme: 'oss' as const, problem: null }, // of a seller from outside
    { taxId: 'EU372000041', country: 'IE', scheme: 'standard' as const, problem: /begins with IE/ },
    { taxId: 'DE136695976', country: 'FR', scheme: 'standard' as const, problem: /begins with FR/ },
    { taxId: 'DE136695976', country: 'GB', scheme: 'standard' as const, problem: /of GB$/ },
  ])('$taxId in $country ($scheme): $problem', async ({ taxId, country, scheme, problem }) => {
    const found = await registrationIdProblem(taxId, country, scheme);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatch(problem);
  });
});
