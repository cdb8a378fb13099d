import { parseExactJson } from '../db/index.ts';
import { isJsonObject } from '../kernel/json.ts';
import { type Form, formsOf, schemaOf } from './nulls.ts';
import { type Cases, type CompactForms, keepsNull } from './schema.ts';

/** The prefix of a second path for every operation, with answers without nulls. */
export const COMPACT_PATH = '/compact';

/** The path of the operation that a compact path names. What is repeated counts once. */
export const plainUrl = (url: string): string => (isOfDocument(url) ? url : url.replace(/^(?:\/compact)+(?=\/.)/, ''));

/** The document of the compact paths and its page have routes of their own. */
const isOfDocument = (url: string): boolean => /^\/compact\/(?:docs|openapi\.json)(?:[/?]|$)/.test(url);

/**
 * The text of an answer as it is below `/compact`: without the fields whose value is null, but for the forms that its
 * schema names (`x-compact`). Keys that the schema does not declare are data of the merchant, and stay. Numbers keep
 * their digits.
 */
export function compactText(schema: object, text: string): string {
  const answer = parseExactJson(text);
  compact([schema], answer);
  return JSON.stringify(answer);
}

/** As much of the schema of an answer as tells the compact form of its fields. */
interface ReplyForm extends Form {
  readonly 'x-cases'?: Cases;
  readonly 'x-compact'?: CompactForms;
  readonly 'x-shown'?: string;
}

function compact(schemas: readonly ReplyForm[], value: unknown): void {
  if (Array.isArray(value)) {
    const items = schemas.flatMap((schema) => formsOf(schema, value)).flatMap((form) => form.items ?? []);
    if (items.length > 0) for (const each of value) compact(items, each);
    return;
  }
  if (!isJsonObject(value)) return;
  const forms = schemas.flatMap((schema) => formsOf(schema, value) as readonly ReplyForm[]);
  const words: CompactForms = Object.fromEntries(forms.flatMap((form) => Object.entries(form['x-compact'] ?? {})));
  for (const [name, field] of Object.entries(value)) {
    const declared = forms.flatMap((form) => ofCase(form, name, value) ?? schemaOf(form, name) ?? []);
    if (declared.length === 0 || declared.some(isAnyJson)) continue;
    if (words[name] === 'absent' || (field === null && !keepsNull(words[name]))) delete value[name];
    else if (words[name] === 'number') value[name] = asNumbers(field);
    else compact(declared, field);
  }
  for (const [name, word] of Object.entries(words)) if (word === 'text') value[name] ??= '';
}

/** JSON of any content, null too. */
const isAnyJson = (form: ReplyForm): boolean => form['x-shown'] === 'JsonValue';

/** The schema of a field that only one kind of the object has. */
function ofCase({ 'x-cases': cases }: ReplyForm, name: string, value: Readonly<Record<string, unknown>>) {
  if (cases === undefined) return;
  const kind = Object.entries(cases.of).find(([word, { words }]) =>
    (words ?? [word]).includes(String(value[cases.by])),
  );
  return kind?.[1].fields?.[name];
}

/** A decimal string as a JSON number with the same digits; of a map each value. */
function asNumbers(value: unknown): unknown {
  if (typeof value === 'string') return JSON.rawJSON(value);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asNumbers(each)]));
}
