import { isEuCountry } from '../../kernel/country.ts';
import type { DescribeTaxId } from '../../tax/index.ts';

/** The verdict on a typed tax id, without a request to a register. */
export type TaxIdCheck =
  | { readonly kind: 'none' }
  /** A VAT number with the right form and check digits. A register can be asked whether it was given out. */
  | { readonly kind: 'good'; readonly text: string; readonly prefix: string; readonly number: string }
  /** The numbers of this country are not known here. */
  | { readonly kind: 'unchecked'; readonly text: string }
  | { readonly kind: 'bad' };

const MOST = 100;

/**
 * Checks the form and the check digits of a tax id. In the European Union it is a VAT number, whose prefix may be left
 * out if it is the one of the address.
 */
export async function checkTaxId(
  describeTaxId: DescribeTaxId,
  country: string | null,
  typed: string,
): Promise<TaxIdCheck> {
  const text = typed.trim();
  if (text === '') return { kind: 'none' };
  const asTyped = await describeTaxId(text, country);
  const isBare = asTyped.kind === 'unregistered' && country !== null && isEuCountry(country);
  const form = isBare ? await describeTaxId(`${country}${text}`, country) : asTyped;
  if (form.kind === 'registered' && form.problem === null)
    return { kind: 'good', text: `${form.prefix}${form.number}`, prefix: form.prefix, number: form.number };
  return form.kind === 'unregistered' && !isBare ? { kind: 'unchecked', text: text.slice(0, MOST) } : { kind: 'bad' };
}
