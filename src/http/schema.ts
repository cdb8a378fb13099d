import { type Static, type TObject, type TSchema, type TUnsafe, Type } from 'typebox';
import { AFTER_FORM, type PageRequest } from '../db/index.ts';
import type { CheckedDecimal } from '../kernel/decimal.ts';
import { type IdKind, idPattern } from '../kernel/ids.ts';
import type { InstantText } from '../kernel/time.ts';
import type { FieldWord, FieldWords } from './reference/words.ts';

/** Building blocks of the schemas that validate, type and document (one object for all three). */
export { type Static, type TSchema, Type };

/** A string of the pattern of §1 for this kind of resource. */
export const Id = (kind: IdKind) => Type.String({ pattern: idPattern(kind) });

/** A `Timestamp` with a description of its own. */
export function TimestampWith(options: { readonly description?: string }): TUnsafe<InstantText> {
  return Type.Unsafe<InstantText>(Type.String({ format: 'date-time', ...options }));
}

/** An RFC 3339 date-time with an offset, in the years 2000 to 2199; `instantOf` reads it. */
export const Timestamp = TimestampWith({});

/** Text of at most 8,192 characters without NUL, which PostgreSQL cannot hold, and without lone surrogates. */
export const Text = (options: { minLength?: number; maxLength?: number; description?: string } = {}) =>
  Type.String({ maxLength: 8192, 'x-text': true, ...options });

/** Text in a form, which `words` describe with an example: the pattern is never shown. */
export const Formed = (
  pattern: string,
  words: string,
  options: { maxLength?: number; description?: string; format?: 'date' } = {},
) => Type.String({ pattern, 'x-words': words, ...options });

/** A name: one to 255 characters, not blank. */
export const Name = Text({ minLength: 1, maxLength: 255 });

/** This, or null: where a field is always there and null says that it has no value. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** One of some words. */
export const OneOf = <const Words extends readonly string[]>(words: Words, options: { description?: string } = {}) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });

export interface DecimalRules {
  minimum?: string;
  exclusiveMinimum?: string;
  maximum?: string;
  /** Digits after the point, at most. */
  fractionDigits?: number;
  /** The message for a value of another form, with an example. */
  words?: string;
  /** `both` also takes a JSON number, which is then read from its text. Default: `string`. */
  accept?: 'string' | 'number' | 'both';
}

/**
 * A decimal string (money, price, quantity): at most 38 digits, no exponent. With `accept` also, or only, a JSON
 * number. `decimalOf` reads it.
 */
export function DecimalText<const Rules extends DecimalRules>(
  rules: Rules = {} as Rules,
): TUnsafe<
  CheckedDecimal<Rules['accept'] extends 'number' ? number : Rules['accept'] extends 'both' ? string | number : string>
> {
  const accept = rules.accept ?? 'string';
  const type = accept === 'both' ? ['string', 'number'] : accept;
  return Type.Unsafe({ 'x-decimal': rules, ...(accept === 'string' ? { type } : { 'x-type': type }) });
}

/** A JSON number read as an exact decimal. */
export const DecimalNumber = (rules: Omit<DecimalRules, 'accept'> = {}) => DecimalText({ ...rules, accept: 'number' });

/** A number in an answer, written with all its digits. */
export const NumberOut = Type.Number({ 'x-shown': 'DecimalNumber' });

/** An amount, a price or a quantity in an answer: a decimal string with all its digits. */
export const DecimalOut = Type.String({ format: 'decimal', 'x-shown': 'Decimal' });

/** Any JSON value in an answer. */
export const JsonOut = Type.Unknown({ 'x-shown': 'JsonValue' });

/** §1, api.md PATCH: at most 50 keys of at most 40 characters, string values of at most 500. */
export const Metadata = Type.Unsafe<Record<string, string | number | boolean>>({
  $id: 'Metadata',
  type: 'object',
  description: 'Your own data: at most 50 keys with strings, numbers or booleans. Reckoner only stores it.',
  examples: [{ team: 'north' }],
  maxProperties: 50,
  propertyNames: { maxLength: 40, 'x-text': true },
  additionalProperties: {
    anyOf: [
      { type: 'string', maxLength: 500, 'x-text': true },
      { 'x-type': 'number', 'x-decimal': { accept: 'number' } },
      { type: 'boolean' },
    ],
  },
});

/** Metadata in an answer. */
export const MetadataOut = Type.Unsafe<Record<string, unknown>>(Metadata);

/** A JSON object of any content, as in answers. */
export const MapOut = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-shown': 'JsonObject' });

/** Texts by names of the caller's own, as in answers: dimensions with values, or headers. */
export const TextsOut = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
});

/** Dimensions with the values of a group, as in answers. Null: the events have no value. */
export const GroupOut = Type.Unsafe<Record<string, string | null>>({
  type: 'object',
  additionalProperties: { type: ['string', 'null'] },
});

/**
 * A JSON object of any content in a request, which is stored as it is: its texts, keys and numbers are ones that can
 * be.
 */
export const FreeMap = (options: { description?: string } = {}) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free': true, 'x-shown': 'JsonObject', ...options });

/** A map: each key in the form of `key`, each value of `value`; another key is refused. */
export const MapOf = <K extends TSchema, V extends TSchema>(key: K, value: V, options: { description?: string } = {}) =>
  Type.Unsafe<Record<string, Static<V>>>({
    type: 'object',
    propertyNames: key,
    additionalProperties: value,
    ...options,
  });

/**
 * The kinds of an object by a constant field, for the document: one named schema for each kind. The handler checks the
 * content of a request, because it knows the kind and names the field that is wrong.
 */
export interface Cases {
  /** The field that says the kind. */
  readonly by: string;
  /** By the word of the kind. */
  readonly of: Readonly<Record<string, Case>>;
}

/** One kind of an object. */
export interface Case {
  /** The words in the field `by`. Default: the word of the kind alone. */
  readonly words?: readonly string[];
  /** Fields that are others than of the object. */
  readonly fields?: Readonly<Record<string, TSchema>>;
  /** Fields of the object that this kind has not. */
  readonly without?: readonly string[];
}

/**
 * The forms of fields below `/compact`, where the clients of that dialect need another one than the plain one without
 * null. `null`: null stays. `text`: an empty text where there is no value. `number`: a decimal string is a JSON number,
 * and null stays. `absent`: the field is left out.
 */
export type CompactForms = Readonly<Record<string, 'null' | 'text' | 'number' | 'absent'>>;

/** Is null a value of a field in this form? */
export const keepsNull = (form: CompactForms[string] | undefined): boolean => form === 'null' || form === 'number';

/** The rules of an object beyond its fields. */
export interface StrictOptions {
  $id?: string;
  description?: string;
  /** Requests that work when they are sent. */
  examples?: readonly unknown[];
  /** The meaning of the fields, for the reference. */
  'x-fields'?: FieldWords;
  /** The messages for fields that callers try and that do not exist. */
  'x-hints'?: Readonly<Record<string, string>>;
  /** The kinds of the object, for the document. */
  'x-cases'?: Cases;
  /** At least one of these fields must be sent; the operation says where more than one is too many. */
  'x-some-of'?: readonly string[];
  /** Amounts that have no more digits than the `currency` beside them. */
  'x-minor-units'?: readonly string[];
}

/** A strict object: unknown fields are refused. */
export const Strict = <T extends Record<string, TSchema>>(properties: T, options: StrictOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

interface PageLimits {
  limit?: number;
  mostLimit?: number;
  mostOffset?: number;
  fields?: FieldWords;
}

/** The query of a list (api.md, Lists): `limit` with `offset` or `after`, beside the filters. */
export const ListQuery = <T extends Record<string, TSchema>>(filters: T, page: PageLimits = {}) =>
  GroupsQuery({ after: Type.Optional(After), ...filters }, page);

const After = Formed(AFTER_FORM, 'must be the id of a resource of this list, or the nextAfter of a page', {
  description:
    'The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or ' +
    'change meanwhile do not move it. Not with `offset`.',
});

/** The filter of a list that a copy is kept of (api.md, Lists). */
export const UpdatedFrom = TimestampWith({
  description:
    'Only resources that changed at this time or later, by the time of the world, whatever test clock they are on. ' +
    'Figures that are calculated for the answer, such as live totals, are no change.',
});

/** The query of a report that pages its groups: `limit` and `offset` beside the filters. */
export const GroupsQuery = <T extends Record<string, TSchema>>(filters: T, page: PageLimits = {}) =>
  Strict(
    {
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: page.mostLimit ?? 100,
          default: page.limit ?? 10,
          description: 'How many resources the page has at most.',
        }),
      ),
      offset: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: page.mostOffset ?? 2_147_483_647,
          default: 0,
          description: 'How many resources come before the page.',
        }),
      ),
      ...filters,
    },
    { 'x-fields': page.fields ?? {} },
  );

/** The page of a list in an answer. */
export const Pagination = Type.Object(
  {
    limit: Type.Integer({ description: 'How many resources the page has at most.', examples: [10] }),
    offset: Type.Integer({ description: 'How many resources come before the page.', examples: [0] }),
    total: Type.Integer({ description: 'How many resources there are on all pages.', examples: [1] }),
    nextAfter: Nullable(
      Type.String({
        description: 'The `after` of the next page, also if its resource is deleted meanwhile. Null: the last page.',
      }),
    ),
  },
  { $id: 'Pagination', description: 'The place of the page in the whole list.' },
);

/** The envelope of §1 around a list of resources. The document names it after the resource: `PriceList`. */
export const ListOf = <T extends TSchema & { readonly $id?: string }>(resource: T) =>
  Type.Object(
    {
      object: Type.Literal('list', { description: 'The name of the type: a list.' }),
      data: Type.Array(resource, { description: 'The resources of this page.' }),
      pagination: Pagination,
    },
    { $id: `${String(resource.$id)}List`, description: `A page of a list of \`${String(resource.$id)}\`.` },
  );

/** A page of resources with the number of all. */
export interface Page<T> {
  data: T[];
  total: number;
}

export type { PageRequest };

/** The page that a list query asks for, with its defaults filled in by validation. */
export const pageOf = (query: { limit?: number; offset?: number; after?: string }): PageRequest => ({
  limit: query.limit ?? 10,
  offset: query.offset ?? 0,
  after: query.after,
});

/** The list envelope of §1, of a page that has been read. */
export const listReply = <T>(page: Page<T>, { limit, offset, nextAfter = null }: PageRequest) => ({
  object: 'list' as const,
  data: page.data,
  pagination: { limit, offset, total: page.total, nextAfter },
});

const ERROR_FIELDS: FieldWords = {
  error: 'The category of the error. Each status has one.',
  message: 'A sentence for a person. It may change, so do not parse it.',
  code: 'The reason in capital letters, for programs. `docs/errors.md` lists all codes.',
  details: 'More about the error, such as the field or the blockers. The code decides which fields there are.',
  errors: 'Every field that is wrong.',
  field: 'The path of the field, such as `consumer.email`.',
};

/** §7 Error. */
export const ErrorBody = Type.Object(
  {
    error: Type.String(),
    message: Type.String(),
    code: Type.Optional(Type.String({ 'x-shown': 'ErrorCode' })),
    details: Type.Optional(MapOut),
  },
  {
    $id: 'Error',
    description: 'A refusal: the category of the status, a sentence for a person, and where a program can act a code.',
    'x-fields': ERROR_FIELDS,
  },
);

/** §7 ValidationError. */
export const ValidationErrorBody = Type.Object(
  {
    error: Type.Literal('validation_error'),
    message: Type.String(),
    errors: Type.Array(
      Type.Object({ field: Type.String(), message: Type.String(), code: Type.Optional(Type.String()) }),
    ),
    details: Type.Optional(MapOut),
  },
  {
    $id: 'ValidationError',
    description: 'A refusal of a request with wrong fields: it lists each of them.',
    'x-fields': ERROR_FIELDS,
  },
);

/** A country by its ISO 3166 code or its English name. A valid one is stored and answered as its alpha-2 code. */
export const Country = Type.String({
  maxLength: 100,
  'x-country': true,
  description: 'The country: an ISO 3166 code or the English name. `DEU` and `Germany` are stored as `DE`.',
  examples: ['DE'],
});

export const Address = Type.Object(
  {
    line1: Type.Optional(Text({ maxLength: 255 })),
    line2: Type.Optional(Text({ maxLength: 255 })),
    city: Type.Optional(Text({ maxLength: 255 })),
    state: Type.Optional(Text({ maxLength: 255 })),
    zipCode: Type.Optional(Text({ maxLength: 40 })),
    country: Type.Optional(Country),
  },
  {
    additionalProperties: false,
    $id: 'Address',
    description: 'A postal address.',
    'x-fields': {
      line1: ['Street and number.', 'Unter den Linden 1'],
      line2: ['The second line of the address, such as a floor.', 'Floor 2'],
      city: ['The city.', 'Berlin'],
      state: ['The state, province or region.', 'Berlin'],
      zipCode: ['The postal code. Taxes in the United States and Canada need it.', '10115'],
    } satisfies FieldWords,
  },
);
export type Address = Static<typeof Address>;

export type { FieldWord, FieldWords, TObject };
