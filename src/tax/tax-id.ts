import type { Validator } from 'stdnum/lib/cjs/types.js';
import { isEuCountry } from '../kernel/country.ts';
import { taxNumber } from '../kernel/tax-number.ts';

/** The verdict on a customer's tax id without a request to a register. */
export type TaxIdForm =
  /** A VAT number that the register of the European Union can confirm. `problem`: its check digits are wrong. */
  | { readonly kind: 'registered'; readonly prefix: string; readonly number: string; readonly problem: string | null }
  /** It has no fault, and there is no register. */
  | { readonly kind: 'unregistered'; readonly reason: string }
  | { readonly kind: 'malformed'; readonly reason: string };

type Loader = () => Promise<Pick<Validator, 'validate'>>;

/** The rules of each country's VAT number. A country's is loaded when a number of it is first looked at. */
const VALIDATORS: Readonly<Record<string, Loader>> = {
  AT: () => import('stdnum/lib/cjs/at/uid.js'),
  BE: () => import('stdnum/lib/cjs/be/vat.js'),
  BG: () => import('stdnum/lib/cjs/bg/vat.js'),
  CH: () => import('stdnum/lib/cjs/ch/uid.js'),
  CY: () => import('stdnum/lib/cjs/cy/vat.js'),
  CZ: () => import('stdnum/lib/cjs/cz/dic.js'),
  DE: () => import('stdnum/lib/cjs/de/vat.js'),
  DK: () => import('stdnum/lib/cjs/dk/cvr.js'),
  EE: () => import('stdnum/lib/cjs/ee/kmkr.js'),
  ES: () => import('stdnum/lib/cjs/es/nif.js'),
  FI: () => import('stdnum/lib/cjs/fi/alv.js'),
  FR: () => import('stdnum/lib/cjs/fr/tva.js'),
  GB: () => import('stdnum/lib/cjs/gb/vat.js'),
  GR: () => import('stdnum/lib/cjs/gr/vat.js'),
  HR: () => import('stdnum/lib/cjs/hr/oib.js'),
  HU: () => import('stdnum/lib/cjs/hu/anum.js'),
  IE: () => import('stdnum/lib/cjs/ie/vat.js'),
  IT: () => import('stdnum/lib/cjs/it/iva.js'),
  LT: () => import('stdnum/lib/cjs/lt/pvm.js'),
  LU: () => import('stdnum/lib/cjs/lu/tva.js'),
  LV: () => import('stdnum/lib/cjs/lv/pvn.js'),
  MT: () => import('stdnum/lib/cjs/mt/vat.js'),
  NL: () => import('stdnum/lib/cjs/nl/btw.js'),
  NO: () => import('stdnum/lib/cjs/no/mva.js'),
  PL: () => import('stdnum/lib/cjs/pl/nip.js'),
  PT: () => import('stdnum/lib/cjs/pt/nif.js'),
  RO: () => import('stdnum/lib/cjs/ro/cui.js'),
  SE: () => import('stdnum/lib/cjs/se/vat.js'),
  SI: () => import('stdnum/lib/cjs/si/ddv.js'),
  SK: () => import('stdnum/lib/cjs/sk/dph.js'),
};

const validatorOf = (country: string): Loader | undefined =>
  Object.hasOwn(VALIDATORS, country) ? VALIDATORS[country] : undefined;

/** A Swiss number has a word in one of three languages; the number before the word has the check digit. */
const withoutWord = (country: string, number: string): string =>
  country === 'CH' ? number.replace(/\s*(?:MWST|TVA|IVA|TPV)\s*$/i, '') : number;

/**
 * Why a number is no VAT number of the country: its length, its form or its check digits; null where nothing is wrong.
 */
async function problemOf(country: string, number: string): Promise<'length' | 'digits' | null> {
  const load = validatorOf(country);
  if (!load) return null;
  const { isValid, error } = (await load()).validate(withoutWord(country, number));
  if (isValid) return null;
  return error?.name === 'InvalidLength' ? 'length' : 'digits';
}

const PROBLEMS = {
  length: 'The number has the wrong length for a VAT number',
  digits: 'The number has the wrong form or wrong check digits for a VAT number',
} as const;

/** Numbers of countries outside the European Union that are meant as VAT numbers. */
const MEANT_AS_VAT: Readonly<Record<string, RegExp>> = { GB: /^GB/i, CH: /^CHE/i, NO: /MVA$/i };

/** Describes a tax id of a party whose address is in a country; null: of none. */
export type DescribeTaxId = (taxId: string, country: string | null) => Promise<TaxIdForm>;

/**
 * The kind of a customer's tax id, by its form alone. A VAT number counts for its own country, which it begins with,
 * and not for that of the address. Numbers of tax offices are none, and no register is asked about them. If only the
 * check digits are wrong, the register is still asked, because it knows better than a rule.
 */
export const describeTaxId: DescribeTaxId = async (taxId, country) => {
  const { prefix, text, country: own } = taxNumber(taxId, country);
  if (own !== null && prefix !== null && (prefix === 'XI' || isEuCountry(own))) {
    const number = text.slice(prefix.length);
    const problem = await problemOf(own, number);
    const reason = problem && `${PROBLEMS[problem]} in ${own}.`;
    if (problem === 'length') return { kind: 'malformed', reason: reason as string };
    return { kind: 'registered', prefix: prefix === 'GR' ? 'EL' : prefix, number, problem: reason };
  }
  const code = own ?? country ?? '';
  if (isEuCountry(code))
    return { kind: 'unregistered', reason: `It does not begin as a VAT number of ${code}, so no register is asked.` };
  const isMeant = Object.hasOwn(MEANT_AS_VAT, code) && MEANT_AS_VAT[code]?.test(taxId.trim());
  const problem = isMeant ? await problemOf(code, taxId) : null;
  if (problem !== null) return { kind: 'malformed', reason: `${PROBLEMS[problem]} in ${code}.` };
  const where = code === '' ? 'Without a country' : `In ${code}`;
  return { kind: 'unregistered', reason: `${where} no register is asked.` };
};

/** A number of the scheme for sellers from outside the European Union. */
const NON_UNION = /^EU[0-9]{9}$/;

/** The fault of the tax id of a merchant's registration in a country; null if there is none. */
export async function registrationIdProblem(
  taxId: string,
  country: string,
  scheme: 'standard' | 'oss',
): Promise<string | null> {
  const bare = taxId.replace(/[\s.-]/g, '').toUpperCase();
  if (scheme === 'oss' && NON_UNION.test(bare)) return null;
  const { text, country: own } = taxNumber(taxId, country);
  if (own === null ? isEuCountry(country) : own !== country)
    return `must be a VAT number of ${country}${isEuCountry(country) ? `, which begins with ${country === 'GR' ? 'EL' : country}` : ''}`;
  const problem = await problemOf(country, isEuCountry(country) ? text.slice(2) : taxId);
  return problem && `must be a VAT number of ${country}. ${PROBLEMS[problem]}.`;
}
