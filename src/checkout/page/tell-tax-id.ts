import type { Locale } from '../../kernel/locale.ts';
import type { CheckoutDependencies } from '../link/dependencies.ts';
import type { RegisterAnswer } from '../sign-up/input.ts';
import { checkTaxId } from '../sign-up/tax-id.ts';
import { CHECKOUT_WORDS } from './words.ts';

/** The most simultaneous questions to the register by strangers; beyond them, only the form of a number is checked. */
const MOST_QUESTIONS = 4;

/** Asks the register about a typed tax id of the right form, outside any transaction. @returns null for other ids */
export function createTaxIdAsker({
  register,
  customerHooks: { describeTaxId },
}: Pick<CheckoutDependencies, 'register' | 'customerHooks'>) {
  let underWay = 0;
  const ask = async (number: { prefix: string; number: string }): Promise<RegisterAnswer> => {
    if (register === null || underWay >= MOST_QUESTIONS) return 'unavailable';
    underWay += 1;
    const { outcome } = await register.check(number).finally(() => {
      underWay -= 1;
    });
    return outcome;
  };
  return async ({ country, taxId }: TypedTaxId): Promise<RegisterAnswer | null> => {
    const checked = await checkTaxId(describeTaxId, country === '' ? null : country, taxId);
    return checked.kind === 'good' ? ask(checked) : null;
  };
}

interface TypedTaxId {
  readonly country: string;
  readonly taxId: string;
}

/** The verdict on a typed tax id in words; nothing for an empty one. */
export async function taxIdInWords(
  describe: CheckoutDependencies['customerHooks']['describeTaxId'],
  locale: Locale,
  { country, taxId }: TypedTaxId,
  answer: RegisterAnswer | null,
): Promise<string> {
  const words = CHECKOUT_WORDS[locale];
  const checked = await checkTaxId(describe, country === '' ? null : country, taxId);
  if (checked.kind === 'none') return '';
  if (checked.kind === 'unchecked') return words.taxIdUnchecked;
  if (checked.kind === 'bad') return words.taxIdBad;
  const texts = {
    valid: words.taxIdRegistered,
    invalid: words.taxIdUnknown,
    unavailable: () => words.taxIdUnconfirmed,
  };
  return texts[answer ?? 'unavailable'](checked.text);
}
