import type { Instant } from '../../kernel/time.ts';
import type { TaxIdForm, TaxIdStanding } from '../../tax/index.ts';
import type { RegisterAnswer } from './register.ts';

/** The stored check of a customer's tax id. */
export interface TaxIdCheck {
  readonly merchantId: string;
  readonly customerId: string;
  /** The checked id, with the country of its address; null: none yet. */
  readonly taxId: string | null;
  readonly country: string | null;
  readonly status: Exclude<TaxIdStanding, 'none'>;
  readonly reason: string | null;
  readonly name: string | null;
  readonly address: string | null;
  readonly checkedAt: Instant | null;
  readonly attempts: number;
  readonly nextActionAt: Instant | null;
}

/** The subject of a check: a tax id and the country of its holder's address. */
export interface TaxIdSubject {
  readonly taxId: string;
  readonly country: string | null;
}

/** The part of a check that its outcome changes. */
export type Outcome = Pick<
  TaxIdCheck,
  'status' | 'reason' | 'name' | 'address' | 'checkedAt' | 'attempts' | 'nextActionAt'
>;

const NOBODY = { name: null, address: null, attempts: 0 };

/** The first outcome for a new tax id: its check digits are verified, and the register is asked as soon as possible. */
export function decideFirst(form: TaxIdForm, now: Instant): Outcome {
  if (form.kind === 'malformed')
    return { ...NOBODY, status: 'invalid', reason: form.reason, checkedAt: now, nextActionAt: null };
  if (form.kind === 'unregistered')
    return { ...NOBODY, status: 'unchecked', reason: form.reason, checkedAt: null, nextActionAt: null };
  return form.problem === null
    ? { ...NOBODY, status: 'unchecked', reason: null, checkedAt: null, nextActionAt: now }
    : { ...NOBODY, status: 'invalid', reason: form.problem, checkedAt: now, nextActionAt: now };
}

/** Minutes from a call that had no answer to the next one; then daily. */
const RETRY_MINUTES = [1, 5, 30, 120, 720];
const DAY_MINUTES = 24 * 60;

/** When the register is asked again if this call brings no answer. `attempts` counts this one. */
export const retryAt = (attempts: number, now: Instant): Instant =>
  now.add({ minutes: RETRY_MINUTES[attempts - 1] ?? DAY_MINUTES });

const DAYS_UNTIL_RECHECK = { valid: 90, invalid: 30 } as const;

/**
 * The changes by an answer. `unavailable` changes nothing: a number that was valid stays so until a register says
 * otherwise.
 */
export function decideOutcome(answer: RegisterAnswer, now: Instant): Outcome | null {
  if (answer.outcome === 'unavailable') return null;
  const nextActionAt = now.add({ hours: 24 * DAYS_UNTIL_RECHECK[answer.outcome] });
  const known = { checkedAt: now, attempts: 0, nextActionAt };
  return answer.outcome === 'valid'
    ? { ...known, status: 'valid', reason: null, name: answer.name, address: answer.address }
    : { ...known, status: 'invalid', reason: UNKNOWN, name: null, address: null };
}

const UNKNOWN = 'The register of the European Union does not know the number.';

/** Is a check about the tax id as it is now? Another id or another country makes it void. */
export const isAbout = (check: TaxIdCheck, { taxId, country }: TaxIdSubject): boolean =>
  check.taxId === taxId && check.country === country;
