import { countryCode } from './country.ts';

/** A tax id with its scheme: `VA` a VAT number, `FC` a number of the seller's tax office. */
export interface TaxNumber {
  readonly scheme: 'VA' | 'FC';
  readonly text: string;
  /** The prefix of a VAT number: `DE`, `EL`; null for other numbers. */
  readonly prefix: string | null;
  /** The country of a VAT number, alpha-2: of `EL` GR, of `XI` GB; null for other numbers. */
  readonly country: string | null;
}

const BRITISH = '(?:\\d{9}|\\d{12}|GD\\d{3}|HA\\d{3})';

/** The VAT numbers that tell their country: prefix, country, and the form of the rest. */
const FORMS: readonly (readonly [prefix: string, country: string, form: RegExp])[] = [
  ...Object.entries({
    AT: 'U\\d{8}',
    BE: '\\d{9,10}',
    BG: '\\d{9,10}',
    CH: 'E\\d{9}(?:MWST|TVA|IVA|TPV)?',
    CY: '\\d{8}[A-Z]',
    CZ: '\\d{8,10}',
    DE: '\\d{9}',
    DK: '\\d{8}',
    EE: '\\d{9}',
    EL: '\\d{9}',
    ES: '(?:[A-Z]\\d{7}[0-9A-Z]|\\d{8}[A-Z])',
    FI: '\\d{8}',
    FR: '[0-9A-HJ-NP-Z]{2}\\d{9}',
    GB: BRITISH,
    GR: '\\d{9}',
    HR: '\\d{11}',
    HU: '\\d{8}',
    IE: '(?:\\d{7}[A-W][A-I]?|\\d[A-Z+*]\\d{5}[A-W])',
    IT: '\\d{11}',
    LT: '(?:\\d{9}|\\d{12})',
    LU: '\\d{8}',
    LV: '\\d{11}',
    MT: '\\d{8}',
    NL: '\\d{9}B\\d{2}',
    NO: '\\d{9}MVA',
    PL: '\\d{10}',
    PT: '\\d{9}',
    RO: '\\d{2,10}',
    SE: '\\d{12}',
    SI: '\\d{8}',
    SK: '\\d{10}',
    XI: BRITISH,
  }).map(
    ([prefix, form]) => [prefix, { EL: 'GR', XI: 'GB' }[prefix] ?? prefix, new RegExp(`^${prefix}${form}$`)] as const,
  ),
];

/** A Norwegian number that leaves out its country still tells it. */
const NORWEGIAN = /^\d{9}MVA$/;

/** Countries whose VAT prefix is not, or not only, the country's code. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = { GR: ['EL', 'GR'], GB: ['GB', 'XI'] };

/** `U12345678`, `X1234567L`, `123456789B01`: digits soon, or it is a word that begins as the country does. */
const AFTER_PREFIX = /^[A-Z+*]{0,2}[0-9][0-9A-Z+*]+$/;

/**
 * Is a tax id a VAT number, and of which country? Its own prefix tells (BR-CO-09), wherever its holder is:
 * `DE 123 456 789` is a German one, also of a party in France. An American `12-3456789` is none, and goes as it was
 * written.
 * @param country of its registration, or else of the holder's address: a number that begins with it is one, too
 */
export function taxNumber(taxId: string, country: string | null | undefined): TaxNumber {
  const bare = taxId.replace(/[^0-9A-Za-z+*]/g, '').toUpperCase();
  const text = NORWEGIAN.test(bare) ? `NO${bare}` : bare;
  const code = countryCode(country);
  const own = code === null ? [] : (PREFIXES[code] ?? [code]);
  const atHome = own.find((prefix) => text.startsWith(prefix) && AFTER_PREFIX.test(text.slice(prefix.length)));
  if (atHome !== undefined) return { scheme: 'VA', text, prefix: atHome, country: code };
  const known = FORMS.find(([, , form]) => form.test(text));
  if (known) return { scheme: 'VA', text, prefix: known[0], country: known[1] };
  return { scheme: 'FC', text: taxId, prefix: null, country: null };
}

/** The digits of a VAT number with the form of its country, check digits aside; null where the form is another one. */
export function digitsOfVatNumber(prefix: string, number: string): string | null {
  const text = `${prefix}${number}`;
  const isOne = FORMS.some(([own, , form]) => own === prefix && form.test(text));
  return isOne ? number.replace(/\D/g, '') : null;
}
