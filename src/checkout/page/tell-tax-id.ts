import { confirmTaxId, type TaxIdRegister } from '../../customers/index.ts';
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
 * Asks the register about a typed tax id of the right form, outside any transaction. A confirmed number is valid for
 * the customer that is made from the form (docs/decisions/0235). @returns null for other ids
 */
export function createTaxIdAsker({
  register,
  customerHooks: { describeTaxId },
}: Pick<CheckoutDependencies, 'register' | 'customerHooks'>) {
  let underWay = 0;
  const limited: TaxIdRegister = {
    check: async (number) => {
      if (register === null || underWay >= MOST_QUESTIONS)
        return { outcome: 'unavailable', reason: 'The register is not asked now.' };
      underWay += 1;
      return register.check(number).finally(() => {
        underWay -= 1;
      });
    },
  };
  return async (
    database: Database,
    merchantId: string,
    { country, taxId }: TypedTaxId,
    now: Instant,
  ): Promise<RegisterAnswer | null> => {
    const checked = await checkTaxId(describeTaxId, country === '' ? null : country, taxId);
    return checked.kind === 'good' ? confirmTaxId(database, limited, merchantId, checked, now) : null;
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
