import type { Address } from '../../http/index.ts';
import { countryCodes } from '../../kernel/country.ts';
import type { DetailField } from '../words/page-words.ts';

/** The billing details as typed. */
export type TypedDetails = Readonly<Record<DetailField, string>>;

/** The same, as they are kept. */
export interface BillingDetails {
  readonly name: string;
  readonly billingEmails: string[];
  readonly phone: string | null;
  readonly address: Address | null;
  readonly taxId: string | null;
}

/** The fault of a field: it is empty, no address, or too long. */
export type DetailFault = 'required' | 'badEmails' | { readonly most: number };

const MOST: Readonly<Record<Exclude<DetailField, 'emails' | 'country'>, number>> = {
  name: 255,
  phone: 50,
  line1: 255,
  line2: 255,
  zipCode: 40,
  city: 255,
  state: 255,
  taxId: 100,
};
const MOST_EMAILS = 20;
const MOST_OF_AN_EMAIL = 254;
const EMAIL = /^[^\s@<>"',;:\\()[\]]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/** How many characters a field takes. */
export const mostOf = (field: DetailField): number => (field === 'emails' || field === 'country' ? 1000 : MOST[field]);

const emailsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,;\s]+/)
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  ),
];

/** The faults of the fields; empty if there are none. */
export function faultsOf(typed: TypedDetails): Map<DetailField, DetailFault> {
  const faults = new Map<DetailField, DetailFault>();
  for (const [field, most] of Object.entries(MOST) as [keyof typeof MOST, number][])
    if (typed[field].trim().length > most) faults.set(field, { most });
  if (typed.name.trim() === '') faults.set('name', 'required');
  const emails = emailsIn(typed.emails);
  const areGood = emails.every((each) => each.length <= MOST_OF_AN_EMAIL && EMAIL.test(each) && !each.includes('..'));
  if (emails.length === 0 || emails.length > MOST_EMAILS || !areGood) faults.set('emails', 'badEmails');
  if (typed.country !== '' && !countryCodes.includes(typed.country)) faults.set('country', 'required');
  return faults;
}

/** Details without a fault, in stored form: an empty field is absent. */
export function detailsOf(typed: TypedDetails): BillingDetails {
  const given = (text: string): string | null => (text.trim() === '' ? null : text.trim());
  const parts = (['line1', 'line2', 'city', 'state', 'zipCode', 'country'] as const).flatMap((part) => {
    const value = given(typed[part]);
    return value === null ? [] : [[part, value] as const];
  });
  return {
    name: typed.name.trim(),
    billingEmails: emailsIn(typed.emails),
    phone: given(typed.phone),
    address: parts.length === 0 ? null : Object.fromEntries(parts),
    taxId: given(typed.taxId),
  };
}
