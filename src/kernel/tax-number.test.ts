import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countryCodes } from './country.ts';
import { taxNumber } from './tax-number.ts';

describe('a tax id', () => {
  it.each([
    // A VAT number tells its country, wherever its holder is.
    ['GB980780684', 'IE', 'VA GB GB980780684'],
    ['CHE-116.281.710', 'DE', 'VA CH CHE116281710'],
    ['CHE-116.281.710 MWST', 'DE', 'VA CH CHE116281710MWST'],
    ['FR40303265045', 'DE', 'VA FR FR40303265045'],
    ['DE136695976', 'FR', 'VA DE DE136695976'],
    ['de 136.695-976', 'US', 'VA DE DE136695976'],
    ['EL094259216', 'DE', 'VA GR EL094259216'],
    ['XI980780684', 'IE', 'VA GB XI980780684'],
    ['980780684MVA', 'SE', 'VA NO NO980780684MVA'],
    ['NO 980 780 684 MVA', null, 'VA NO NO980780684MVA'],
    ['NL004495445B01', null, 'VA NL NL004495445B01'],
    ['ESX1234567L', 'FR', 'VA ES ESX1234567L'],
    ['IE6433435F', 'GB', 'VA IE IE6433435F'],
    // At home, its beginning is enough.
    ['DE 123 456 789', 'Germany', 'VA DE DE123456789'],
    ['AE100123456700003', 'AE', 'VA AE AE100123456700003'],
    // Numbers of tax offices, companies and other taxes.
    ['12/345/67890', 'DE', 'FC - 12/345/67890'],
    ['136695976', 'DE', 'FC - 136695976'],
    ['12-3456789', 'US', 'FC - 12-3456789'],
    ['980780684', 'GB', 'FC - 980780684'],
    ['EU372000041', 'IE', 'FC - EU372000041'],
    ['Department 7', 'DE', 'FC - Department 7'],
    ['Deloitte', 'FR', 'FC - Deloitte'],
    // A Mexican number that begins as a Romanian one would, an Italian one as an Austrian, a French one as none.
    ['ROA800101AB1', 'MX', 'FC - ROA800101AB1'],
    ['CHE850101AB1', 'MX', 'FC - CHE850101AB1'],
    ['ATZMRA80A01H501U', 'IT', 'FC - ATZMRA80A01H501U'],
    ['SIRET 30326504500012', 'FR', 'FC - SIRET 30326504500012'],
  ])('%s of a party in %s is %s', (taxId, country, is) => {
    const { scheme, country: own, text } = taxNumber(taxId, country);
    expect(`${scheme} ${own ?? '-'} ${text}`).toBe(is);
  });

  it('has a country if it is a VAT number, and a prefix that it begins with', () =>
    fc.assert(
      fc.property(fc.string(), fc.option(fc.constantFrom(...countryCodes), { nil: null }), (taxId, country) => {
        const { scheme, prefix, country: own, text } = taxNumber(taxId, country);
        expect(own === null).toBe(scheme === 'FC');
        expect(prefix === null ? text === taxId : text.startsWith(prefix)).toBe(true);
      }),
    ));
});
