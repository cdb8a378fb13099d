import { countryCode } from './country.ts';

/** A tax id with its scheme: `VA` a VAT number, `FC` a number of the seller's tax office. */
export interface TaxNumber {
  readonly scheme: 'VA' | 'FC';
  readonly text: string;
  /** The prefix of a VAT number: `DE`, `EL`; null for other numbers. */
  readonly prefix: string | null;
}

/** Countries whose VAT prefix is not, or not only, the country's code. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = { GR: ['EL', 'GR'], GB: ['GB', 'XI'] };

/** `U12345678`, `X1234567L`, `123456789B01`: digits soon, or it is a word that begins as the country does. */
const AFTER_PREFIX = /^[A-Z+*]{0,2}[0-9][0-9A-Z+*]+$/;

/**
 * Is a tax id a VAT number? Those begin with their country (BR-CO-09): `DE 123 456 789` of a party in Germany is one,
 * an American `12-3456789` is none, and goes as it was written.
 */
export function taxNumber(taxId: string, country: string | null | undefined): TaxNumber {
  const code = countryCode(country);
  const bare = taxId.replace(/[^0-9A-Za-z+*]/g, '').toUpperCase();
  const prefixes = code === null ? [] : (PREFIXES[code] ?? [code]);
  const prefix = prefixes.find((each) => bare.startsWith(each) && AFTER_PREFIX.test(bare.slice(each.length))) ?? null;
  return prefix === null ? { scheme: 'FC', text: taxId, prefix } : { scheme: 'VA', text: bare, prefix };
}
