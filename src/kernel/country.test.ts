import { describe, expect, it } from 'vitest';
import { countryCode, countryCodes, countryProblem } from './country.ts';
import { COUNTRY_TABLE } from './country-table.ts';

describe('ISO 3166-1 as of 2026-01-01', () => {
  it('has 249 countries and Kosovo, each code once', () => {
    expect(countryCodes).toHaveLength(250);
    expect(new Set(countryCodes).size).toBe(250);
    expect(countryCodes.toSorted()).toEqual(countryCodes);
    const alpha3 = COUNTRY_TABLE.trim()
      .split('\n')
      .map((line) => line.slice(3, 6));
    expect(new Set(alpha3).size).toBe(250);
    expect(alpha3.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
  });

  it('gives each country by its codes and by each of its names, and no name to two', () => {
    for (const line of COUNTRY_TABLE.trim().split('\n')) {
      const code = line.slice(0, 2);
      for (const word of [code, line.slice(3, 6), ...line.slice(7).split('|')])
        expect(`${word}: ${countryCode(word)}`).toBe(`${word}: ${code}`);
    }
  });

  it('knows the names that this machine has for the codes', () => {
    const names = new Intl.DisplayNames('en', { type: 'region' });
    for (const code of countryCodes) {
      const name = names.of(code) as string;
      expect(`${name}: ${countryCode(name)}`).toBe(`${name}: ${code}`);
    }
  });

  it.each([
    ['DE', 'DE'],
    ['de', 'DE'],
    [' DEU ', 'DE'],
    ['Germany', 'DE'],
    ['GERMANY', 'DE'],
    ['UK', 'GB'],
    ['United Kingdom', 'GB'],
    ['USA', 'US'],
    ['U.S.A.', 'US'],
    ['United States of America', 'US'],
    ['Czechia', 'CZ'],
    ['Czech Republic', 'CZ'],
    ['The Netherlands', 'NL'],
    ['Côte d’Ivoire', 'CI'],
    ["Cote d'Ivoire", 'CI'],
    ['Ivory Coast', 'CI'],
    ['Turkey', 'TR'],
    ['Türkiye', 'TR'],
    ['Saint Lucia', 'LC'],
    ['St. Lucia', 'LC'],
    ['Bosnia & Herzegovina', 'BA'],
    ['Bosnia and Herzegovina', 'BA'],
    ['South Korea', 'KR'],
    ['Åland Islands', 'AX'],
    ['Kosovo', 'XK'],
    ['Germny', null],
    ['', null],
    ['.', null],
    ['ZZ', null],
    ['Middle-earth', null],
    ['Yugoslavia', null],
    ['toString', null],
  ])('%j is %s', (text, code) => expect(countryCode(text)).toBe(code));
});

describe('what is wrong with a country', () => {
  const rule = 'must be a country: an ISO 3166 code such as "DE" or "DEU", or its English name';
  it.each([
    ['Germny', `${rule}; did you mean Germany (DE)?`],
    ['Untied Kingdom', `${rule}; did you mean United Kingdom (GB)?`],
    ['Swizerland', `${rule}; did you mean Switzerland (CH)?`],
    ['Middle-earth', rule],
    ['Q', rule],
    ['ZZ', rule],
    ['', rule],
  ])('%j: %s', (text, message) => expect(countryProblem(text)).toBe(message));
});
