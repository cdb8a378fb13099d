/** How a VAT number of a country is written, after its prefix (VIES, "Structure of VAT numbers"). */
const EU: Readonly<Record<string, { readonly prefix?: string; readonly form: RegExp; readonly example: string }>> = {
  AT: { form: /^U\d{8}$/, example: 'ATU12345678' },
  BE: { form: /^[01]\d{9}$/, example: 'BE0123456789' },
  BG: { form: /^\d{9,10}$/, example: 'BG123456789' },
  CY: { form: /^\d{8}[A-Z]$/, example: 'CY12345678L' },
  CZ: { form: /^\d{8,10}$/, example: 'CZ12345678' },
  DE: { form: /^\d{9}$/, example: 'DE123456789' },
  DK: { form: /^\d{8}$/, example: 'DK12345678' },
  EE: { form: /^\d{9}$/, example: 'EE123456789' },
  ES: { form: /^[A-Z\d]\d{7}[A-Z\d]$/, example: 'ESX1234567X' },
  FI: { form: /^\d{8}$/, example: 'FI12345678' },
  FR: { form: /^[A-Z\d]{2}\d{9}$/, example: 'FR12345678901' },
  GR: { prefix: 'EL', form: /^\d{9}$/, example: 'EL123456789' },
  HR: { form: /^\d{11}$/, example: 'HR12345678901' },
  HU: { form: /^\d{8}$/, example: 'HU12345678' },
  IE: { form: /^(?:\d[A-Z\d+*]\d{5}[A-Z]|\d{7}[A-Z]{2})$/, example: 'IE1234567WA' },
  IT: { form: /^\d{11}$/, example: 'IT12345678901' },
  LT: { form: /^(?:\d{9}|\d{12})$/, example: 'LT123456789' },
  LU: { form: /^\d{8}$/, example: 'LU12345678' },
  LV: { form: /^\d{11}$/, example: 'LV12345678901' },
  MT: { form: /^\d{8}$/, example: 'MT12345678' },
  NL: { form: /^[A-Z\d+*]{10}\d{2}$/, example: 'NL123456789B12' },
  PL: { form: /^\d{10}$/, example: 'PL1234567890' },
  PT: { form: /^\d{9}$/, example: 'PT123456789' },
  RO: { form: /^\d{2,10}$/, example: 'RO1234567890' },
  SE: { form: /^\d{12}$/, example: 'SE123456789012' },
  SI: { form: /^\d{8}$/, example: 'SI12345678' },
  SK: { form: /^\d{10}$/, example: 'SK1234567890' },
};

/** What is said of a tax id that somebody has typed. */
export type TaxIdCheck =
  | { readonly kind: 'none' }
  /** It has the form that the country has; whether it was given out, nobody has asked. */
  | { readonly kind: 'good'; readonly text: string }
  /** The forms of this country are not known here. */
  | { readonly kind: 'unchecked'; readonly text: string }
  | { readonly kind: 'bad'; readonly example: string };

const MOST = 100;

/** Checks the form of a tax id by its country. Spaces, dots and hyphens are left out; the country's prefix is added. */
export function checkTaxId(country: string | null, typed: string): TaxIdCheck {
  const text = typed.trim();
  if (text === '') return { kind: 'none' };
  const known = country === null ? undefined : EU[country];
  if (!known) return { kind: 'unchecked', text: text.slice(0, MOST) };
  const prefix = known.prefix ?? (country as string);
  const bare = text.replace(/[\s.\-/]/g, '').toUpperCase();
  const number = bare.startsWith(prefix) ? bare.slice(prefix.length) : bare;
  return known.form.test(number)
    ? { kind: 'good', text: `${prefix}${number}` }
    : { kind: 'bad', example: known.example };
}
