import type { Locale } from '../../kernel/locale.ts';
import type { CheckoutDependencies } from '../link/dependencies.ts';
import { checkTaxId } from '../sign-up/tax-id.ts';
import { CHECKOUT_WORDS } from './words.ts';

/** The most simultaneous questions to the register by strangers; beyond them, only the form of a number is checked. */
const MOST_QUESTIONS = 4;

/**
 * Describes a typed tax id in words; nothing for an empty one. A register is asked, if there is one, outside any
 * transaction.
 */
export function createTaxIdTeller({
  register,
  customerHooks: { describeTaxId },
}: Pick<CheckoutDependencies, 'register' | 'customerHooks'>) {
  let underWay = 0;
  const ask = async (number: { prefix: string; number: string }): Promise<'valid' | 'invalid' | 'unavailable'> => {
    if (register === null || underWay >= MOST_QUESTIONS) return 'unavailable';
    underWay += 1;
    const { outcome } = await register.check(number).finally(() => {
      underWay -= 1;
    });
    return outcome;
  };
  return async (
    locale: Locale,
    { country, taxId }: { readonly country: string; readonly taxId: string },
  ): Promise<string> => {
    const words = CHECKOUT_WORDS[locale];
    const checked = await checkTaxId(describeTaxId, country === '' ? null : country, taxId);
    if (checked.kind === 'none') return '';
    if (checked.kind === 'unchecked') return words.taxIdUnchecked;
    if (checked.kind === 'bad') return words.taxIdBad;
    const texts = {
      valid: words.taxIdRegistered,
      invalid: words.taxIdUnknown,
      unavailable: () => words.taxIdUnconfirmed,
    };
    return texts[await ask(checked)](checked.text);
  };
}
