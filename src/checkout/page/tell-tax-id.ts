import { askAndKeep } from '../../customers/index.ts';
import type { Database } from '../../db/index.ts';
import type { Locale } from '../../kernel/locale.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CheckoutDependencies } from '../link/dependencies.ts';
import type { RegisterAnswer } from '../sign-up/input.ts';
import { checkTaxId } from '../sign-up/tax-id.ts';
import { CHECKOUT_WORDS } from './words.ts';

/** The most simultaneous questions to the register by strangers; beyond them, only the form of a number is checked. */
const MOST_QUESTIONS = 4;

/**
 * Asks the register about a typed tax id of the right form, outside any transaction. The customer that is made from the
 * form has the answer at once (docs/decisions/0235). @returns null for other ids
 */
export function createTaxIdAsker({
  register,
  customerHooks: { describeTaxId },
}: Pick<CheckoutDependencies, 'register' | 'customerHooks'>) {
  let underWay = 0;
  return async (
    database: Database,
    merchantId: string,
    { country, taxId }: TypedTaxId,
    now: Instant,
  ): Promise<RegisterAnswer | null> => {
    const checked = await checkTaxId(describeTaxId, country === '' ? null : country, taxId);
    if (checked.kind !== 'good') return null;
    if (register === null || underWay >= MOST_QUESTIONS) return 'unavailable';
    underWay += 1;
    return askAndKeep(database, register, merchantId, checked, now).finally(() => {
      underWay -= 1;
    });
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
