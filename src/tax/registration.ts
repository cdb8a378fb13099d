import { countryCode, isEuCountry } from '../kernel/country.ts';
import type { FieldError } from '../kernel/result.ts';
import { hasStandardRate } from './standard-rates.ts';
import { registrationIdProblem } from './tax-id.ts';

/** A registration of a merchant for tax: in one country, or by one return for all member states (`oss`). */
export interface TaxRegistration {
  /** Alpha-2. Of `oss` the member state that takes the return. */
  readonly country: string;
  readonly taxId: string;
  readonly scheme: 'standard' | 'oss';
  /** The first day, `YYYY-MM-DD`. */
  readonly from: string;
  /** The first day on which it holds no longer; null: it holds. */
  readonly to: string | null;
}

/** Does a registration hold on a day? */
export const holdsOn = ({ from, to }: Pick<TaxRegistration, 'from' | 'to'>, day: string): boolean =>
  from <= day && (to === null || day < to);

const overlap = (a: TaxRegistration, b: TaxRegistration): boolean =>
  (a.to === null || b.from < a.to) && (b.to === null || a.from < b.to);

const isDay = (text: string): boolean => {
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
};

/** The faults of some registrations, by field; `path` is the list's own name in the request. */
export async function registrationProblems(
  registrations: readonly TaxRegistration[],
  path: string,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const [index, registration] of registrations.entries()) {
    const say = (field: keyof TaxRegistration, message: string) =>
      errors.push({ field: `${path}.${index}.${field}`, message });
    const { country, taxId, scheme, from, to } = registration;
    if (countryCode(country) !== country || !hasStandardRate(country))
      say(
        'country',
        'must be a country with a known standard rate; set the rates of other countries by taxRates or on prices',
      );
    else if (scheme === 'oss' && !isEuCountry(country))
      say('country', 'must be a member state of the European Union, for the return of the one-stop shop');
    else {
      const problem = await registrationIdProblem(taxId, country, scheme);
      if (problem !== null) say('taxId', problem);
    }
    if (!isDay(from)) say('from', 'must be a date such as 2026-01-31');
    if (to !== null && !isDay(to)) say('to', 'must be a date such as 2026-01-31');
    else if (to !== null && isDay(from) && to <= from) say('to', 'must be after from');
    const twin = registrations.findIndex(
      (other, place) =>
        place < index &&
        other.scheme === scheme &&
        (scheme === 'oss' || other.country === country) &&
        overlap(other, registration),
    );
    if (twin !== -1)
      say(
        'country',
        scheme === 'oss'
          ? `must not be in the one-stop shop while ${path}.${twin} is`
          : `must not be there twice at the same time; see ${path}.${twin}`,
      );
  }
  return errors;
}
