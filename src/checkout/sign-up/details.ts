import { COUNTRIES_TAXED_BY_ZIP_CODE, ConsumerBody } from '../../customers/index.ts';
import { Address, type Static, Strict, Text, Type, validate } from '../../http/index.ts';
import { countryCode } from '../../kernel/country.ts';
import type { Locale } from '../../kernel/locale.ts';
import type { DescribeTaxId } from '../../tax/index.ts';
import type { KnownBuyer } from '../link/known-buyer.ts';
import { checkTaxId } from './tax-id.ts';

/** The subscriber's details from a page. */
export interface Details {
  readonly name: string;
  readonly email: string;
  readonly address: Static<typeof Address>;
  readonly taxId: string | null;
  /** The language of the page. */
  readonly locale: Locale;
}

/** The fields of the form, in their order. */
export const FIELDS = ['name', 'email', 'line1', 'line2', 'zipCode', 'city', 'state', 'country', 'taxId'] as const;
export type Field = (typeof FIELDS)[number];

/** The content of the fields, as typed. */
export type Typed = Readonly<Record<Field, string>>;

/** The problem of a field: empty, or an impossible value. */
export type FieldProblem = 'missing' | 'wrong';

const MOST_TYPED = 1_000;

/** The sent form; the page shows its faults. */
export const DetailsBody = Strict({
  form: Text({ maxLength: 100 }),
  version: Text({ maxLength: 100 }),
  check: Type.Optional(Text({ maxLength: 10 })),
  again: Type.Optional(Text({ maxLength: 10 })),
  code: Type.Optional(Text({ maxLength: 255 })),
  ...Object.fromEntries(FIELDS.map((field) => [field, Type.Optional(Text({ maxLength: MOST_TYPED }))])),
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The content of the fields of a sent form. */
export const typedIn = (body: Readonly<Record<string, unknown>>): Typed =>
  Object.fromEntries(FIELDS.map((field) => [field, textOf(body[field])])) as Typed;

/** The content of the fields before any input. */
export const typedFrom = (known: KnownBuyer | null): Typed => ({
  name: known?.name ?? '',
  email: known?.email ?? '',
  line1: known?.address?.line1 ?? '',
  line2: known?.address?.line2 ?? '',
  zipCode: known?.address?.zipCode ?? '',
  city: known?.address?.city ?? '',
  state: known?.address?.state ?? '',
  country: countryCode(known?.address?.country) ?? '',
  taxId: known?.taxId ?? '',
});

/** The content of the fields for details that were right. */
export const typedOf = ({ name, email, address, taxId }: Details): Typed =>
  typedFrom({ name, email, address, taxId: taxId ?? '' });

const REQUIRED: readonly Field[] = ['name', 'email', 'line1', 'city', 'country'];

/** The allowed content of the fields, by the same schemas as the API. */
const Buyer = Strict({
  name: ConsumerBody.properties.name,
  email: ConsumerBody.properties.email,
  ...Address.properties,
});

type ReadDetails =
  | { readonly ok: true; readonly details: Details }
  | { readonly ok: false; readonly problems: ReadonlyMap<Field, FieldProblem> };

/** @returns the faults by field, in the order of the form; or the details */
export async function readDetails(describeTaxId: DescribeTaxId, typed: Typed, locale: Locale): Promise<ReadDetails> {
  const { name, email, taxId, ...rest } = typed;
  const address = Object.fromEntries(Object.entries(rest).filter(([, text]) => text !== ''));
  const needed: readonly Field[] = COUNTRIES_TAXED_BY_ZIP_CODE.has(typed.country) ? [...REQUIRED, 'zipCode'] : REQUIRED;
  const wrong = new Set(validate('body', Buyer, { name, email, ...address }).map(({ field }) => field));
  const checked = await checkTaxId(describeTaxId, typed.country === '' ? null : typed.country, taxId);
  if (checked.kind === 'bad') wrong.add('taxId');
  const problems = new Map<Field, FieldProblem>();
  for (const field of FIELDS) {
    if (typed[field] === '' && needed.includes(field)) problems.set(field, 'missing');
    else if (wrong.has(field)) problems.set(field, 'wrong');
  }
  if (problems.size > 0) return { ok: false, problems };
  const taxText = checked.kind === 'good' || checked.kind === 'unchecked' ? checked.text : null;
  return { ok: true, details: { name, email, address, taxId: taxText, locale } };
}

/** As much of the details as is right, for a price that changes with them; null where nothing is. */
export async function detailsSoFar(
  describeTaxId: DescribeTaxId,
  typed: Typed,
  locale: Locale,
): Promise<Details | null> {
  const read = await readDetails(
    describeTaxId,
    { ...typed, name: typed.name || '–', email: 'nobody@example.invalid' },
    locale,
  );
  if (read.ok) return read.details;
  const country = countryCode(typed.country);
  if (country === null) return null;
  const address = { country, ...(typed.zipCode !== '' && typed.zipCode.length <= 40 && { zipCode: typed.zipCode }) };
  return { name: '–', email: 'nobody@example.invalid', address, taxId: null, locale };
}
