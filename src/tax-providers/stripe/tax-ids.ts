/** How tax ids of a country look, and what Stripe calls them. A tax id that fits none is not sent. */
const KINDS: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  AU: [[/^\d{11}$/, 'au_abn']],
  CA: [[/^\d{9}RT\d{4}$/, 'ca_gst_hst']],
  CH: [[/^CHE\d{9}(?:MWST|TVA|IVA)?$/, 'ch_vat']],
  GB: [[/^(?:GB|XI)(?:\d{9}|\d{12}|(?:GD|HA)\d{3})$/, 'gb_vat']],
  IN: [[/^\d{2}[A-Z]{5}\d{4}[A-Z][A-Z\d]Z[A-Z\d]$/, 'in_gst']],
  JP: [[/^T\d{13}$/, 'jp_trn']],
  KR: [[/^\d{10}$/, 'kr_brn']],
  MX: [[/^[A-Z&Ñ]{3,4}\d{6}[A-Z\d]{3}$/, 'mx_rfc']],
  NO: [[/^\d{9}MVA$/, 'no_vat']],
  NZ: [[/^\d{8,9}$/, 'nz_gst']],
  SG: [[/^(?:\d{8,9}[A-Z]|T\d{2}[A-Z]{2}\d{4}[A-Z])$/, 'sg_uen']],
  US: [[/^\d{9}$/, 'us_ein']],
  ZA: [[/^4\d{9}$/, 'za_vat']],
};

/** Prefixes of VAT ids of the European Union, and of Northern Ireland; Greece writes EL. */
const EU_PREFIXES: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI'.split(' '),
);
const EU_VAT = /^[A-Z]{2}[A-Z\d+*]{2,12}$/;

/** A tax id as Stripe takes it; null where its form is not known. */
export function stripeTaxId(text: string | null, country: string): { type: string; value: string } | null {
  if (text === null) return null;
  const value = text.toUpperCase().replaceAll(/[\s./-]/g, '');
  const own = (KINDS[country] ?? []).find(([form]) => form.test(value));
  if (own) return { type: own[1], value };
  return EU_VAT.test(value) && EU_PREFIXES.has(value.slice(0, 2)) ? { type: 'eu_vat', value } : null;
}
