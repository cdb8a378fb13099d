import { createHash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import type { TSchema } from 'typebox';
import { countryCode } from '../kernel/country.ts';
import { isCurrency } from '../kernel/currency.ts';
import { isRawNumber } from '../kernel/decimal.ts';
import type { FieldError } from '../kernel/result.ts';
import { rewriteInstant } from '../kernel/time.ts';
import { dropNulls } from './nulls.ts';
import { type Place, problemsOf } from './problems.ts';
import type { DecimalRules } from './schema.ts';
import { decimalProblem, isStorable, overlong, unstorable } from './values.ts';

function createAjv(coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    removeAdditional: false,
    useDefaults: true,
    coerceTypes,
    strict: true,
    // 1e400 of a query becomes Infinity after this check would run; its bounds must refuse it
    strictNumbers: !coerceTypes,
    strictTypes: false,
    strictTuples: false,
    verbose: true,
    code: { optimize: false }, // ajv's pass takes as long as the compilation, and checks are as fast without it
  });
  ajv.addKeyword({ keyword: 'x-words', schemaType: 'string' }); // what problems.ts says where a value has another form
  // what it says of fields that callers try and there are not
  ajv.addKeyword({ keyword: 'x-hints', schemaType: 'object' });
  ajv.addKeyword({ keyword: 'x-fields', schemaType: 'object' }); // what the document says of fields
  ajv.addFormat('date-time', (text: string) => rewriteInstant(text) !== null);
  ajv.addFormat('date', true); // for the document; a pattern or a rule checks the day
  ajv.addFormat('decimal', /^-?\d+(?:\.\d+)?$/);
  ajv.addFormat('currency', (text: string) => isCurrency(text));
  ajv.addFormat('email', (text: string) => text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text));
  ajv.addKeyword({
    keyword: 'x-some-of',
    type: 'object',
    schemaType: 'array',
    validate: (fields: string[], value: Record<string, unknown>) =>
      fields.some((field) => value[field] !== undefined && value[field] !== null),
  });
  ajv.addKeyword({
    keyword: 'x-minor-units',
    type: 'object',
    schemaType: 'array',
    validate: (fields: string[], value: Record<string, unknown>) => overlong(fields, value) === undefined,
  });
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

const asSent = createAjv(false);
const ajvs: Record<Place, Ajv2020> = { body: asSent, change: asSent, query: createAjv(true), reply: asSent };

/** What no check reads: it is for the document, and for answers below `/compact`. */
const UNCHECKED = new Set(['x-cases', 'x-compact', 'x-document', 'x-shown']);

/**
 * The schema as it is compiled: without the names of its parts, which are for the document (here one name may stand in
 * many schemas), and with what holds for every text and every object, so that no schema can forget it.
 */
function prepared(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(prepared);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).filter(
    ([key, value]) => !UNCHECKED.has(key) && (key !== '$id' || typeof value !== 'string'),
  );
  const copy = Object.fromEntries(parts.map(([key, value]) => [key, prepared(value)]));
  if (copy.type === 'string') return { ...copy, 'x-text': true };
  return copy.type === 'object' ? { ...copy, ...ofEveryObject(copy) } : copy;
}

/**
 * An object is no number that is kept as text, which JavaScript calls one too. The keys of a map are texts like others,
 * and a map whose keys have a form takes no key of another form.
 */
function ofEveryObject({ propertyNames, patternProperties, additionalProperties }: Record<string, unknown>): object {
  const isMap = patternProperties !== undefined || typeof additionalProperties === 'object';
  return {
    'x-object': true,
    ...(isMap && { propertyNames: { ...(propertyNames as object), 'x-text': true } }),
    ...(patternProperties !== undefined && { additionalProperties: additionalProperties ?? false }),
  };
}

/** Which of the two instances compiled a function: bodies, changes and replies share one. */
const instanceOf = (part: Place): string => (part === 'query' ? 'query' : 'sent');

const compiledFor = new WeakMap<object, Map<Place, ValidateFunction>>();
/** The same by content: equal schemas of several operations, and of both environments, are compiled once. */
const compiledAs = new Map<string, ValidateFunction>();

/** The function that checks a part of a request or a reply. It is compiled when it is first needed. */
function compiled(part: Place, schema: TSchema): ValidateFunction {
  const byPart = compiledFor.get(schema) ?? new Map<Place, ValidateFunction>();
  compiledFor.set(schema, byPart);
  const known = byPart.get(part);
  if (known) return known;
  const whole = prepared(schema) as TSchema;
  const key = instanceOf(part) + createHash('sha256').update(JSON.stringify(whole)).digest('base64');
  const check = compiledAs.get(key) ?? ajvs[part].compile(whole);
  compiledAs.set(key, check);
  byPart.set(part, check);
  return check;
}

/**
 * Checks a value against a schema, filling in defaults. Of a body it first deletes the fields whose null means absent.
 * @returns every failing field; none when it is valid.
 */
export function validate(part: Place, schema: TSchema, value: unknown): FieldError[] {
  if (part === 'body') dropNulls(schema, value, 'optional');
  if (part === 'change') dropNulls(schema, value, 'not nullable');
  const check = compiled(part, schema);
  const blank = part === 'query' ? blankParameters(value) : []; // before coercion makes something else of them
  if (check(value) && blank.length === 0) return [];
  const errors = problemsOf(part, check.errors ?? []).filter(({ field }) => !blank.includes(field));
  return [...errors, ...blank.map((field) => ({ field, message: 'must not be empty' }))];
}

/** A parameter that is there without a value is a mistake of the caller: an empty variable must not mean everything. */
const blankParameters = (query: unknown): string[] =>
  Object.entries(query ?? {})
    .filter(([, value]) => [value].flat().includes(''))
    .map(([name]) => name);
