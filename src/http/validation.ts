import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import type { TSchema } from 'typebox';
import { countryCode, countryProblem } from '../kernel/country.ts';
import { isCurrency } from '../kernel/currency.ts';
import { type Decimal, decimal, isRawNumber } from '../kernel/decimal.ts';
import type { FieldError } from '../kernel/result.ts';
import { rewriteInstant } from '../kernel/time.ts';
import type { DecimalRules } from './schema.ts';

const MOST_ERRORS = 1000;
const DECIMAL_TEXT = /^-?\d{1,38}(?:\.\d{1,38})?$/;
const NUMBER_TEXT = /^-?\d{1,60}(?:\.\d{1,60})?(?:[eE][+-]?\d{1,3})?$/;

/** Bodies are taken as sent; query and path values arrive as text and are read as the numbers and booleans they stand for. */
export type Part = 'body' | 'query' | 'reply';

function createAjv(coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    removeAdditional: false,
    useDefaults: true,
    coerceTypes,
    strict: true,
    strictNumbers: !coerceTypes, // 1e400 of a query becomes Infinity after this check would run; its bounds must refuse it
    strictTypes: false,
    strictTuples: false,
    verbose: true,
  });
  ajv.addFormat('date-time', (text: string) => rewriteInstant(text) !== null);
  ajv.addFormat('currency', (text: string) => isCurrency(text));
  ajv.addFormat('email', (text: string) => text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text));
  ajv.addKeyword({
    keyword: 'x-text',
    type: 'string',
    schemaType: 'boolean',
    validate: (_: boolean, text: string) => isStorable(text),
  });
  ajv.addKeyword({
    keyword: 'x-free',
    type: 'object',
    schemaType: 'boolean',
    validate: (_: boolean, value: object) => unstorable(value, '') === null,
  });
  ajv.addKeyword({
    keyword: 'x-type',
    validate: (types: string | string[], value: unknown) =>
      [types]
        .flat()
        .some((type) => (type === 'number' ? typeof value === 'number' || isRawNumber(value) : typeof value === type)),
  });
  ajv.addKeyword({
    keyword: 'x-object',
    schemaType: 'boolean',
    validate: (_: boolean, value: unknown) => !isRawNumber(value),
  });
  ajv.addKeyword({
    keyword: 'x-country',
    type: 'string',
    schemaType: 'boolean',
    modifying: true, // every address of a request is stored with its alpha-2 code, whichever room it is for
    validate: (_: boolean, text: string, _schema?: unknown, place?: DataValidationCxt): boolean => {
      const code = countryCode(text);
      if (code !== null && place) place.parentData[place.parentDataProperty] = code;
      return code !== null;
    },
  });
  ajv.addKeyword({
    keyword: 'x-decimal',
    schemaType: 'object',
    validate: (rules: DecimalRules, value: unknown) => decimalProblem(rules, value) === null,
  });
  return ajv;
}

const ajvs: Record<Part, Ajv2020> = { body: createAjv(false), query: createAjv(true), reply: createAjv(false) };

/** Can PostgreSQL hold the text? It has no NUL and no lone surrogates. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** What is said of a text that cannot be stored. */
export const UNSTORABLE_TEXT = 'must not hold NUL characters or lone surrogates';

/** The first value of any JSON that the database cannot hold as it is, by its path; null where there is none. */
function unstorable(value: unknown, field: string): FieldError | null {
  if (typeof value === 'string') return isStorable(value) ? null : { field, message: UNSTORABLE_TEXT };
  if (typeof value === 'number' || isRawNumber(value))
    return readDecimal(value) === null ? { field, message: 'must be a number of at most 38 digits' } : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    const found = isStorable(key)
      ? unstorable(part, `${field}.${key}`)
      : { field, message: 'has a key with NUL characters or lone surrogates' };
    if (found !== null) return found;
  }
  return null;
}

/** Reads a decimal of a request within the limits of api.md (38 digits, exponent ±38). @returns null where it is none. */
export function readDecimal(value: unknown): Decimal | null {
  if (typeof value === 'string') return DECIMAL_TEXT.test(value) ? decimal(value) : null;
  const text = isRawNumber(value) ? value.rawJSON : String(typeof value === 'number' ? value : '');
  if (!NUMBER_TEXT.test(text)) return null;
  const number = decimal(text);
  return number.isZero() || (Math.abs(number.e) <= 38 && number.precision() <= 38) ? number : null;
}

/** What is wrong with a decimal, as a sentence; null when nothing is. */
export function decimalProblem(rules: DecimalRules, value: unknown): string | null {
  const accept = rules.accept ?? 'string';
  const isText = typeof value === 'string';
  if (accept !== 'both' && isText !== (accept === 'string'))
    return `must be a ${accept === 'string' ? 'decimal string' : 'number'}`;
  const number = readDecimal(value);
  if (!number) return 'must be a decimal of at most 38 digits';
  if (rules.minimum !== undefined && number.lt(rules.minimum)) return `must be at least ${rules.minimum}`;
  if (rules.exclusiveMinimum !== undefined && number.lte(rules.exclusiveMinimum))
    return `must be greater than ${rules.exclusiveMinimum}`;
  if (rules.maximum !== undefined && number.gt(rules.maximum)) return `must be at most ${rules.maximum}`;
  if (rules.fractionDigits !== undefined && number.decimalPlaces() > rules.fractionDigits)
    return `must have at most ${rules.fractionDigits} digits after the point`;
  return null;
}

/**
 * The schema as it is compiled: without the names of its parts, which are for the document (here one name may stand in many
 * schemas), and with what holds for every text and every object, so that no schema can forget it.
 */
function prepared(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(prepared);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).filter(([key, value]) => key !== '$id' || typeof value !== 'string');
  const copy = Object.fromEntries(parts.map(([key, value]) => [key, prepared(value)]));
  if (copy.type === 'string') return { ...copy, 'x-text': true };
  return copy.type === 'object' ? { ...copy, ...ofEveryObject(copy) } : copy;
}

/**
 * An object is no number that is kept as text, which JavaScript calls one too. The keys of a map are texts like others, and a
 * map whose keys have a form takes no key of another form.
 */
function ofEveryObject({ propertyNames, patternProperties, additionalProperties }: Record<string, unknown>): object {
  const isMap = patternProperties !== undefined || typeof additionalProperties === 'object';
  return {
    'x-object': true,
    ...(isMap && { propertyNames: { ...(propertyNames as object), 'x-text': true } }),
    ...(patternProperties !== undefined && { additionalProperties: additionalProperties ?? false }),
  };
}

const compiled = new WeakMap<object, Map<Part, ValidateFunction>>();

/** Checks a value against a schema, filling in defaults. @returns every failing field; none when it is valid. */
export function validate(part: Part, schema: TSchema, value: unknown): FieldError[] {
  const byPart = compiled.get(schema) ?? new Map<Part, ValidateFunction>();
  compiled.set(schema, byPart);
  const check = byPart.get(part) ?? ajvs[part].compile(prepared(schema) as TSchema);
  byPart.set(part, check);
  const blank = part === 'query' ? blankParameters(value) : []; // before coercion makes something else of them
  if (check(value) && blank.length === 0) return [];
  const errors = fieldErrors(check.errors ?? []).filter(({ field }) => !blank.includes(field));
  return [...errors, ...blank.map((field) => ({ field, message: 'must not be empty' }))];
}

/** A parameter that is there without a value is a mistake of the caller: an empty variable must not mean everything. */
const blankParameters = (query: unknown): string[] =>
  Object.entries(query ?? {})
    .filter(([, value]) => [value].flat().includes(''))
    .map(([name]) => name);

/** One entry for each failing field; where a union failed, what its closest branch said. */
function fieldErrors(errors: ErrorObject[]): FieldError[] {
  const byField = new Map<string, FieldError>();
  for (const error of errors) {
    if (error.keyword === 'if' || error.propertyName !== undefined) continue; // the keyword above it says which name
    const { field, message } = describe(error);
    const known = byField.get(field);
    if (!known) byField.set(field, { field, message });
    else if (error.keyword === 'anyOf' || error.keyword === 'oneOf') continue;
    else if (!known.message.includes(message)) known.message += ` or ${message}`;
    if (byField.size > MOST_ERRORS) break;
  }
  const fields = [...byField.values()];
  // A union reports itself and the branches that nobody meant; where another branch named a deeper field, they add nothing.
  const unions = new Set(errors.filter(({ keyword }) => keyword === 'anyOf').map((error) => describe(error).field));
  return fields.filter(
    ({ field }) => !(unions.has(field) && fields.some((other) => other.field.startsWith(`${field}.`))),
  );
}

function describe(error: ErrorObject): FieldError {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const at = (child?: string) => [...path, ...(child === undefined ? [] : [child])].join('.');
  switch (error.keyword) {
    case 'required':
      return { field: at(String(error.params.missingProperty)), message: 'is required' };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return {
        field: at(String(error.params.additionalProperty ?? error.params.unevaluatedProperty)),
        message: 'is not a known field',
      };
    case 'propertyNames':
      return { field: at(String(error.params.propertyName)), message: 'is not an allowed key' };
    case 'enum':
      return { field: at(), message: `must be one of ${(error.params.allowedValues as unknown[]).join(', ')}` };
    case 'const':
      return { field: at(), message: `must be ${JSON.stringify(error.params.allowedValue)}` };
    case 'format':
      return {
        field: at(),
        message: FORMAT_MESSAGES[error.params.format as string] ?? `must be a ${error.params.format}`,
      };
    case 'x-text':
      return { field: at(), message: UNSTORABLE_TEXT };
    case 'x-free': {
      const found = unstorable(error.data, '');
      return { field: at() + (found?.field ?? ''), message: found?.message ?? UNSTORABLE_TEXT };
    }
    case 'x-country':
      return { field: at(), message: countryProblem(String(error.data)) };
    case 'x-object':
      return { field: at(), message: 'must be object' };
    case 'x-type':
      return { field: at(), message: `must be a ${[error.schema as string | string[]].flat().join(' or a ')}` };
    case 'x-decimal':
      return { field: at(), message: decimalProblem(error.schema as DecimalRules, error.data) ?? 'must be a decimal' };
    case 'pattern':
      return { field: at(), message: `must match ${error.params.pattern}` };
    case 'anyOf':
    case 'oneOf':
      return { field: at(), message: 'must match one of its forms' };
    default:
      return { field: at(), message: error.message ?? 'is invalid' };
  }
}

const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  'date-time': 'must be an RFC 3339 date-time with an offset, from 2000 to 2199',
  currency: 'must be an ISO 4217 currency code',
  email: 'must be an e-mail address',
};
