import type { ErrorObject } from 'ajv/dist/2020.js';
import { countryProblem } from '../kernel/country.ts';
import { idWords, wrongIdWords } from '../kernel/ids.ts';
import { digitsProblem } from '../kernel/money.ts';
import { nearestWord } from '../kernel/nearest-word.ts';
import type { FieldError } from '../kernel/result.ts';
import type { DecimalRules } from './schema.ts';
import { decimalProblem, overlong, UNSTORABLE_TEXT, unstorable } from './values.ts';

const MOST_ERRORS = 1000;

/**
 * Bodies are taken as sent; query and path values arrive as text and are read as the numbers and booleans they stand
 * for. A `change` is the body of a PATCH, in which null clears what is nullable.
 */
export type Place = 'body' | 'change' | 'query' | 'reply';

/** One entry for each failing field, in words; where a union failed, what its closest branch said. */
export function problemsOf(part: Place, errors: readonly ErrorObject[]): FieldError[] {
  const byField = new Map<string, string[]>();
  for (const error of errors) {
    if (error.keyword === 'if' || error.propertyName !== undefined) continue; // the keyword above it says which name
    const { field, message } = describe(part, error);
    const known = byField.get(field) ?? [];
    byField.set(field, known);
    const isUnion = error.keyword === 'anyOf' || error.keyword === 'oneOf';
    if (!(isUnion && known.length > 0) && !known.includes(message)) known.push(message);
    if (byField.size > MOST_ERRORS) break;
  }
  const fields = [...byField].map(([field, messages]) => ({ field, message: joined(messages) }));
  // A union reports itself and the branches that nobody meant; where another branch named a deeper field, they add
  // nothing.
  const unions = new Set(
    errors.filter(({ keyword }) => keyword === 'anyOf').map((error) => describe(part, error).field),
  );
  return fields.filter(
    ({ field }) => !(unions.has(field) && fields.some((other) => other.field.startsWith(`${field}.`))),
  );
}

/** `must be a string or null`; where a form is said with an example, that says it all. */
function joined(messages: readonly string[]): string {
  const formed = messages.filter((message) => /such as |; write /.test(message));
  const [first = '', ...others] = formed.length > 0 ? formed : messages;
  return [first, ...others.map((message) => message.replace(/^must be /, ''))].join(' or ');
}

function describe(part: Place, error: ErrorObject): FieldError {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const at = (...more: string[]) => [...path, ...more].join('.') || 'body';
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return { field: at(String(params.missingProperty)), message: 'is required' };
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params.additionalProperty ?? params.unevaluatedProperty);
      return { field: at(name), message: unknownField(part, name, error.parentSchema ?? {}) };
    }
    case 'propertyNames': {
      const { propertyName } = params;
      const form = (error.schema ?? {}) as Record<string, unknown>;
      return { field: at(String(propertyName)), message: formOf(form, propertyName) ?? 'is not an allowed key' };
    }
    case 'x-some-of': {
      const [first, ...others] = error.schema as [string, ...string[]];
      return { field: at(first), message: `is required, or ${others.join(' or ')}: exactly one of them` };
    }
    case 'x-minor-units': {
      const values = error.data as Record<string, unknown>;
      const field = overlong(error.schema as string[], values) ?? '';
      return { field: at(field), message: digitsProblem(String(values.currency)) };
    }
    case 'x-free': {
      const found = unstorable(error.data, '');
      return { field: at() + (found?.field ?? ''), message: found?.message ?? UNSTORABLE_TEXT };
    }
    default:
      return { field: at(), message: valueProblem(error, params) };
  }
}

/** The fault of a value of a known field. */
function valueProblem(
  { keyword, schema, data, message, parentSchema = {} }: ErrorObject,
  params: Record<string, unknown>,
) {
  const limit = (Number(params.limit) || 0).toLocaleString('en');
  const words: unknown = parentSchema['x-words'];
  switch (keyword) {
    case 'type':
    case 'x-type':
    case 'x-object':
      if (typeof words === 'string') return words;
      return `must be ${typesInWords(keyword === 'x-object' ? 'object' : (schema as string | string[]))}`;
    case 'pattern':
      return formOf(parentSchema, data) ?? 'has a form that is not allowed';
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'format':
      return FORMAT_MESSAGES[params.format as string] ?? `must be a ${params.format}`;
    case 'x-text':
      return UNSTORABLE_TEXT;
    case 'x-country':
      return countryProblem(String(data));
    case 'x-decimal':
      return decimalProblem(schema as DecimalRules, data) ?? 'must be a decimal';
    case 'anyOf':
    case 'oneOf':
      return typeof words === 'string' ? words : 'must match one of its forms';
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : `must hold at least ${limit}`;
    case 'maxItems':
      return `must hold at most ${limit}`;
    case 'maxProperties':
      return `must have at most ${limit} keys`;
    case 'uniqueItems':
      return 'must not hold the same value twice';
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${params.limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${params.limit}`;
    default:
      return message ?? 'is invalid';
  }
}

/** The form of a text in words, with an example: of an id, or as the schema says it. Never the pattern itself. */
function formOf({ pattern, 'x-words': words }: Record<string, unknown>, value: unknown): string | null {
  if (typeof words === 'string') return words;
  if (typeof pattern !== 'string') return null;
  const id = idWords(pattern);
  if (id === null) return null;
  return (typeof value === 'string' ? wrongIdWords(pattern, value) : null) ?? `must be ${id}`;
}

/** An unknown field, with the known one that was probably meant; of a query, with all that there are. */
function unknownField(part: Place, name: string, parent: Record<string, unknown>): string {
  const known = Object.keys((parent.properties as object | undefined) ?? {});
  const hint = (parent['x-hints'] as Record<string, string> | undefined)?.[name];
  if (hint !== undefined) return hint;
  const near = nearestWord(name.replaceAll(/[-_]/g, ''), known) ?? known.find((each) => isPartOf(name, each)) ?? null;
  const meant = near === null ? '' : `; did you mean ${near}?`;
  if (part !== 'query') return `is not a known field${meant}`;
  const all = known.length === 0 ? 'there are none' : `known are ${known.join(', ')}`;
  return `is not a known query parameter${meant === '' ? `; ${all}` : `${meant} (${all})`}`;
}

/** `customer` of `customerId`. */
const isPartOf = (name: string, known: string): boolean =>
  name.length >= 4 && known.toLowerCase().startsWith(name.toLowerCase());

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const typesInWords = (types: string | readonly string[]): string =>
  [types]
    .flat()
    .map((type) => TYPES[type] ?? type)
    .join(' or ');

const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  'date-time': 'must be an RFC 3339 date-time with an offset, such as 2026-01-31T00:00:00Z, from 2000 to 2199',
  currency: 'must be an ISO 4217 currency code, such as EUR',
  email: 'must be an e-mail address',
};
