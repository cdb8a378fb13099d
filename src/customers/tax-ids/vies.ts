import { isJsonObject } from '../../kernel/json.ts';
import type { RegisterAnswer, TaxIdRegister, VatNumber } from './register.ts';

/** How long an answer is waited for, and how much of it is read. */
export interface ViesLimits {
  readonly timeoutMilliseconds: number;
  readonly mostBytes: number;
}

const LIMITS: ViesLimits = { timeoutMilliseconds: 10_000, mostBytes: 64 * 1024 };
const MOST_TEXT = 500;
/** The text of VIES if a member state discloses nothing. */
const UNDISCLOSED = '---';

/**
 * VIES, the register of VAT numbers of the European Union, by its REST interface. It asks the register of the member
 * state, which is often away: then VIES answers with an error code, at times beside `valid: false`. Only an answer
 * without an error is believed.
 * @param baseUrl without a slash at the end
 */
export const viesRegister = (baseUrl: string, limits: ViesLimits = LIMITS): TaxIdRegister => ({
  check: async (number) => {
    try {
      const response = await fetch(`${baseUrl}/check-vat-number`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ countryCode: number.prefix, vatNumber: number.number }),
        redirect: 'error',
        signal: AbortSignal.timeout(limits.timeoutMilliseconds),
      });
      return readAnswer(number, response.status, await textOf(response, limits.mostBytes));
    } catch (error) {
      return unavailable(`The call failed: ${(error as Error).message}`);
    }
  },
});

const unavailable = (reason: string): RegisterAnswer => ({
  outcome: 'unavailable',
  reason: reason.slice(0, MOST_TEXT),
});

/** @throws for more than was allowed, before all of it is read */
async function textOf(response: Response, mostBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  if (body === null) return '';
  for await (const part of body) {
    length += part.length;
    if (length > mostBytes) throw new Error('the answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The meaning of an answer of VIES. An answer that is neither of the two verdicts is no verdict. */
export function readAnswer(asked: VatNumber, status: number, text: string): RegisterAnswer {
  const answer = objectIn(text);
  const fault = answer && faultIn(answer);
  if (fault) return unavailable(`The register answered ${fault}.`);
  if (status !== 200) return unavailable(`The register answered with status ${status}.`);
  if (answer === null || typeof answer.valid !== 'boolean')
    return unavailable('The answer of the register is not readable.');
  if (!isAbout(asked, answer)) return unavailable('The register answered about another number.');
  return answer.valid
    ? { outcome: 'valid', name: disclosed(answer.name), address: disclosed(answer.address) }
    : { outcome: 'invalid' };
}

type Fields = Readonly<Record<string, unknown>>;

function objectIn(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * The error code that an answer holds: in `errorWrappers`, or in `userError`, which is no error where it is a verdict.
 */
function faultIn({ errorWrappers, userError, actionSucceed }: Fields): string | null {
  if (Array.isArray(errorWrappers) && errorWrappers.length > 0) {
    const [first] = errorWrappers as readonly unknown[];
    return isJsonObject(first) && typeof first.error === 'string' ? first.error : 'an error without a code';
  }
  if (actionSucceed === false) return 'an error without a code';
  return typeof userError === 'string' && userError !== 'VALID' && userError !== 'INVALID' ? userError : null;
}

/** An answer that repeats the number repeats the one that was asked for. */
const isAbout = ({ prefix, number }: VatNumber, { countryCode, vatNumber }: Fields): boolean =>
  (typeof countryCode !== 'string' || countryCode === prefix) &&
  (typeof vatNumber !== 'string' || vatNumber.toUpperCase() === number);

function disclosed(value: unknown): string | null {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' || text === UNDISCLOSED ? null : text.slice(0, MOST_TEXT);
}
