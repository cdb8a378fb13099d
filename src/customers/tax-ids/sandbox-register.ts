import { tryOutAnswer } from '../../tax/index.ts';
import type { RegisterAnswer, TaxIdRegister } from './register.ts';

const ANSWERS: Readonly<Record<'valid' | 'invalid' | 'unavailable', RegisterAnswer>> = {
  valid: { outcome: 'valid', name: null, address: null },
  invalid: { outcome: 'invalid' },
  unavailable: { outcome: 'unavailable', reason: 'The number is one to try with: no register answers about it.' },
};

/**
 * The register of the sandbox: it knows the numbers to try with (docs/taxes.md) by itself, and asks about all others.
 * @param register null: nobody is asked
 */
export const sandboxRegister = (register: TaxIdRegister | null): TaxIdRegister => ({
  check: async (number) => {
    const answer = tryOutAnswer(number);
    if (answer !== null) return ANSWERS[answer];
    return register === null ? { outcome: 'unavailable', reason: 'No register is asked.' } : register.check(number);
  },
});
