import { digitsOfVatNumber } from '../kernel/tax-number.ts';
import { type DescribeTaxId, describeTaxId, type TaxIdForm } from './tax-id.ts';

/** The answer about a number to try with: by the digit that it has everywhere. */
const ANSWERS: Readonly<Record<string, 'valid' | 'invalid' | 'unavailable'>> = {
  0: 'valid',
  1: 'invalid',
  2: 'unavailable',
};

/**
 * The answer about a VAT number to try with in the sandbox: in the form of its country, every digit is 0, 1 or 2. Null:
 * it is an ordinary number.
 */
export function tryOutAnswer({ prefix, number }: Pick<TaxIdForm & { kind: 'registered' }, 'prefix' | 'number'>) {
  const digits = digitsOfVatNumber(prefix, number) ?? '';
  const [first = ''] = digits;
  return digits === first.repeat(digits.length) ? (ANSWERS[first] ?? null) : null;
}

/** Describes tax ids in the sandbox: numbers to try with need no right check digits. */
export const describeTaxIdToTry: DescribeTaxId = async (taxId, country) => {
  const form = await describeTaxId(taxId, country);
  return form.kind === 'registered' && tryOutAnswer(form) !== null ? { ...form, problem: null } : form;
};
