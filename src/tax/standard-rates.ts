import { type Decimal, decimal } from '../kernel/decimal.ts';

/** A standard rate of a country in percent, from a day on (`YYYY-MM-DD`). */
export interface StandardRate {
  readonly from: string;
  readonly rate: string;
}

/** The standard rates of a country for services without a rate of their own, and their law. */
export interface CountryRates {
  /** The oldest first; each holds until the next one begins. */
  readonly rates: readonly StandardRate[];
  readonly source: string;
}

/** `DATE RATE, DATE RATE` as rates. */
const rates = (text: string, source: string): CountryRates => ({
  rates: text.split(', ').map((entry) => {
    const [from, rate] = entry.split(' ') as [string, string];
    return { from, rate };
  }),
  source,
});

/**
 * Standard rates of VAT, GST and consumption tax by country. Reduced rates are not here: electronic services bear the
 * standard rate (Article 98(2) of Directive 2006/112/EC). Nor are rates of regions, such as those of the Azores.
 */
export const STANDARD_RATES: Readonly<Record<string, CountryRates>> = {
  AT: rates('1984-01-01 20', 'Umsatzsteuergesetz 1994, section 10(1).'),
  BE: rates('1996-01-01 21', 'Royal Decree no. 20 of 20 July 1970, article 1.'),
  BG: rates('1999-01-01 20', 'Value Added Tax Act, article 66(1).'),
  CY: rates('2012-03-01 17, 2013-01-14 18, 2014-01-13 19', 'Value Added Tax Law 95(I)/2000, section 17.'),
  CZ: rates('2010-01-01 20, 2013-01-01 21', 'Act no. 235/2004 Coll., section 47.'),
  DE: rates(
    '2007-01-01 19, 2020-07-01 16, 2021-01-01 19',
    'Umsatzsteuergesetz, sections 12(1) and 28(1): 16 % in the second half of 2020.',
  ),
  DK: rates('1992-01-01 25', 'Momsloven, section 33.'),
  EE: rates('2009-07-01 20, 2024-01-01 22, 2025-07-01 24', 'Value-Added Tax Act, section 15(1).'),
  ES: rates('2010-07-01 18, 2012-09-01 21', 'Ley 37/1992, article 90.'),
  FI: rates('2010-07-01 23, 2013-01-01 24, 2024-09-01 25.5', 'Value Added Tax Act 1501/1993, section 84.'),
  FR: rates('2000-04-01 19.6, 2014-01-01 20', 'Code général des impôts, article 278.'),
  GR: rates('2010-07-01 23, 2016-06-01 24', 'Value Added Tax Code, article 21 of Law 2859/2000.'),
  HR: rates('2012-03-01 25', 'Value Added Tax Act, article 38(1).'),
  HU: rates('2009-07-01 25, 2012-01-01 27', 'Act CXXVII of 2007, section 82(1).'),
  IE: rates(
    '2012-01-01 23, 2020-09-01 21, 2021-03-01 23',
    'Value-Added Tax Consolidation Act 2010, section 46(1): 21 % for six months from September 2020.',
  ),
  IT: rates('2011-09-17 21, 2013-10-01 22', 'DPR 633/1972, article 16.'),
  LT: rates('2009-09-01 21', 'Law on Value Added Tax IX-751, article 19(1).'),
  LU: rates('2015-01-01 17, 2023-01-01 16, 2024-01-01 17', 'Law of 12 February 1979, article 39: 16 % during 2023.'),
  LV: rates('2011-01-01 22, 2012-07-01 21', 'Value Added Tax Law, section 41.'),
  MT: rates('2004-01-01 18', 'Value Added Tax Act, chapter 406, article 19.'),
  NL: rates('2001-01-01 19, 2012-10-01 21', 'Wet op de omzetbelasting 1968, article 9(1).'),
  PL: rates('2011-01-01 23', 'Act of 11 March 2004 on tax on goods and services, articles 41(1) and 146aa.'),
  PT: rates('2011-01-01 23', 'Código do IVA, article 18(1)(c), on the mainland.'),
  RO: rates('2016-01-01 20, 2017-01-01 19, 2025-08-01 21', 'Law 227/2015, article 291(1); Law 141/2025.'),
  SE: rates('1990-07-01 25', 'Mervärdesskattelag 2023:200, chapter 9, section 2.'),
  SI: rates('2002-01-01 20, 2013-07-01 22', 'Value Added Tax Act ZDDV-1, article 41(1).'),
  SK: rates('2011-01-01 20, 2025-01-01 23', 'Act no. 222/2004 Coll., section 27(1).'),

  AE: rates('2018-01-01 5', 'Federal Decree-Law no. 8 of 2017, article 3.'),
  AU: rates('2000-07-01 10', 'A New Tax System (Goods and Services Tax) Act 1999, section 9-70.'),
  CH: rates('2011-01-01 8, 2018-01-01 7.7, 2024-01-01 8.1', 'Mehrwertsteuergesetz (SR 641.20), article 25(1).'),
  GB: rates('2010-01-01 17.5, 2011-01-04 20', 'Value Added Tax Act 1994, section 2(1).'),
  IS: rates('2010-01-01 25.5, 2015-01-01 24', 'Act no. 50/1988 on Value Added Tax, article 14(1).'),
  JP: rates('2014-04-01 8, 2019-10-01 10', 'Consumption Tax Act, article 29, together with the local consumption tax.'),
  KR: rates('1977-07-01 10', 'Value-Added Tax Act, article 30.'),
  LI: rates('2011-01-01 8, 2018-01-01 7.7, 2024-01-01 8.1', 'Mehrwertsteuergesetz (LR 641.20), article 25(1).'),
  NO: rates('2005-01-01 25', 'Stortinget, annual decision on value added tax, section 2.'),
  NZ: rates('2010-10-01 15', 'Goods and Services Tax Act 1985, section 8(1).'),
  SA: rates('2018-01-01 5, 2020-07-01 15', 'Royal Order A/638 of 2020.'),
  SG: rates('2007-07-01 7, 2023-01-01 8, 2024-01-01 9', 'Goods and Services Tax Act 1993, section 16.'),
  TR: rates('2001-05-15 18, 2023-07-10 20', 'Presidential Decree no. 7346 of 2023.'),
  ZA: rates('1993-04-07 14, 2018-04-01 15', 'Value-Added Tax Act 89 of 1991, section 7(1).'),
};

/** Do we know the standard rate of this country? */
export const hasStandardRate = (country: string): boolean => Object.hasOwn(STANDARD_RATES, country);

/**
 * The standard rate of a country on a day, in percent.
 * @returns null for a country that is not in the table, and for days before its oldest rate
 */
export function standardRate(country: string, day: string): Decimal | null {
  const known = hasStandardRate(country) ? STANDARD_RATES[country] : undefined;
  const found = known?.rates.findLast(({ from }) => from <= day);
  return found ? decimal(found.rate) : null;
}
