import { describe, expect, it } from 'vitest';
import { hasVatNumber, legalTitle, taxIdText, taxNames } from './tax-words.ts';

const inCountry = (country: string, taxId: string) => ({ taxId, address: { country } });

describe('the number of a party', () => {
  it.each([
    { taxId: 'DE123456789', country: 'DE', en: 'VAT ID DE123456789', de: 'USt-IdNr. DE123456789' },
    { taxId: '12/345/67890', country: 'DE', en: 'Tax ID 12/345/67890', de: 'Steuernummer 12/345/67890' },
    { taxId: '987654321', country: 'GB', en: 'VAT ID 987654321', de: 'USt-IdNr. 987654321' },
    { taxId: 'ATU12345678', country: 'AT', en: 'VAT ID ATU12345678', de: 'UID-Nr. ATU12345678' },
    { taxId: '12 345/6789', country: 'AT', en: 'Tax ID 12 345/6789', de: 'Steuernummer 12 345/6789' },
    {
      taxId: 'CHE-116.281.710 MWST',
      country: 'CH',
      en: 'VAT ID CHE-116.281.710 MWST',
      de: 'MWST-Nr. CHE-116.281.710 MWST',
    },
    { taxId: '100123456700003', country: 'AE', en: 'TRN 100123456700003', de: 'TRN 100123456700003' },
    { taxId: '51 824 753 556', country: 'AU', en: 'ABN 51 824 753 556', de: 'ABN 51 824 753 556' },
    { taxId: 'M90312345A', country: 'SG', en: 'GST Reg. No. M90312345A', de: 'GST Reg. No. M90312345A' },
    {
      taxId: 'T1234567890123',
      country: 'JP',
      en: 'Registration number T1234567890123',
      de: 'Registrierungsnr. T1234567890123',
    },
    { taxId: 'ESB58378431', country: 'ES', en: 'VAT ID ESB58378431', de: 'USt-IdNr. ESB58378431' },
    { taxId: 'B58378431', country: 'ES', en: 'NIF B58378431', de: 'NIF B58378431' },
    { taxId: '12-3456789', country: 'US', en: 'Tax ID 12-3456789', de: 'Steuernummer 12-3456789' },
  ])('$taxId of $country is $en', ({ taxId, country, en, de }) => {
    const party = inCountry(country, taxId);
    expect([taxIdText('en', party, {}), taxIdText('de', party, {})]).toEqual([en, de]);
  });

  it('is a NIF between two parties in Spain', () =>
    expect(taxIdText('es', inCountry('ES', 'ESB58378431'), inCountry('ES', ''))).toBe('NIF B58378431'));

  it('is that of its registration, where one says its country', () => {
    const seller = { ...inCountry('IE', 'GB980780684'), taxIdCountry: 'GB' };
    expect([taxIdText('en', seller, {}), hasVatNumber(seller)]).toEqual(['VAT ID GB980780684', true]);
  });

  it.each([null, '', ' '])('is nothing where it is %j', (taxId) =>
    expect(taxIdText('en', { taxId, address: { country: 'DE' } }, {})).toBeNull(),
  );
});

it.each([
  { country: 'DE', de: 'Umsatzsteuer', fr: 'TVA' },
  { country: 'CH', de: 'MWST', fr: 'TVA' },
  { country: 'AU', de: 'GST', fr: 'GST' },
  { country: 'US', de: 'Steuer', fr: 'Taxe' },
  { country: 'JP', de: 'Verbrauchsteuer', fr: 'Taxe sur la consommation' },
])('the tax of $country is $de', ({ country, de, fr }) =>
  expect([taxNames('de', inCountry(country, '')).sum, taxNames('fr', inCountry(country, '')).sum]).toEqual([de, fr]),
);

it('only a registered seller issues a tax invoice', () => {
  expect(legalTitle('invoice', inCountry('AE', '100123456700003'))).toBe('Tax Invoice');
  expect(legalTitle('invoice', inCountry('AE', ' '))).toBeNull();
  expect(legalTitle('creditNote', inCountry('SG', 'M90312345A'))).toBeNull();
});
