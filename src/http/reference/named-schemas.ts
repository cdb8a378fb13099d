import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import { takesNull } from '../nulls.ts';
import type { DecimalRules } from '../schema.ts';
import { BODY_WORDS, type FieldWord, type FieldWords, QUERY_WORDS, SHARED_WORDS, wordsOf } from './words.ts';

type Schema = Record<string, unknown>;

/** The keywords of a schema whose values are no schemas. */
const VALUES = new Set(['enum', 'const', 'default', 'required', 'description', 'examples', 'x-decimal', 'x-type']);
const DECIMAL_PATTERN = '^-?\\d{1,38}(\\.\\d{1,38})?$';

/**
 * The schemas of the routes as the OpenAPI document shows them. One that has a name (`$id`) stands in the document
 * once, wherever it is used. Null is a value of each optional field of a body; a named schema that replies use too has
 * therefore a second name in bodies: `AddressBody`.
 */
export class NamedSchemas {
  readonly #known = new Map<string, Schema>();

  /** The schema of a reply. All replies and queries come before the first body. */
  ofReply(schema: TSchema): Schema {
    return this.#child(schema, { isBody: false, shared: SHARED_WORDS }) as Schema;
  }

  /** The schema of a query. */
  ofQuery(schema: TSchema): Schema {
    return this.#child(schema, { isBody: false, shared: { ...SHARED_WORDS, ...QUERY_WORDS } }) as Schema;
  }

  /** The schema of a body. */
  ofBody(schema: TSchema): Schema {
    return this.#child(schema, { isBody: true, shared: { ...SHARED_WORDS, ...BODY_WORDS } }) as Schema;
  }

  /** All named schemas, themselves with references inside. */
  get all(): readonly Schema[] {
    return [...this.#known.values()];
  }

  #child(part: unknown, place: Place): unknown {
    if (Array.isArray(part)) return part.map((each) => this.#child(each, place));
    if (typeof part !== 'object' || part === null) return part;
    const schema = part as Schema;
    if (typeof schema.$id !== 'string') return this.#shown(schema, place);
    const shown = this.#shown(schema, { ...place, own: {} });
    const known = this.#known.get(schema.$id);
    const isSecond = place.isBody && known !== undefined && !isDeepStrictEqual(known, shown);
    const id = isSecond ? `${schema.$id}Body` : schema.$id;
    if (!this.#known.has(id)) this.#known.set(id, { ...shown, $id: id });
    return { $ref: `${id}#` };
  }

  #shown(schema: Schema, outer: Place): Schema {
    const { properties, ...rest } = inPublic(schema);
    const place: Place = { ...outer, own: { ...outer.own, ...(schema['x-fields'] as FieldWords | undefined) } };
    const shown: Schema = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, VALUES.has(key) ? value : this.#child(value, place)]),
    );
    if (typeof properties !== 'object') return shown;
    const required = (schema.required ?? []) as readonly string[];
    const fields = Object.entries(properties as Record<string, Schema>).map(([name, field]) => {
      const child = this.#child(field, place) as Schema;
      const isOpen = place.isBody && !required.includes(name) && !takesNull(field);
      const word = place.own?.[name] ?? (saysMeaning(field) ? undefined : place.shared[name]);
      return [name, withWords(isOpen ? orNull(child) : child, word)];
    });
    return { ...shown, properties: Object.fromEntries(fields) };
  }
}

/** The place of a schema, and the meaning of fields there. */
interface Place {
  readonly isBody: boolean;
  /** The meaning of fields everywhere. */
  readonly shared: FieldWords;
  /** The meaning of the schema's own fields. */
  readonly own?: FieldWords;
}

/** Does a field describe itself? The description of a named schema is about the schema. */
const saysMeaning = ({ $id, description, anyOf }: Schema): boolean =>
  $id === undefined && (description !== undefined || (Array.isArray(anyOf) && anyOf.some(saysMeaning)));

const withWords = (schema: Schema, word: FieldWord | undefined): Schema => ({
  ...schema,
  ...(word !== undefined && { description: wordsOf(word) }),
  ...(typeof word === 'object' && { examples: [word[1]] }),
});

const orNull = (schema: Schema): Schema =>
  typeof schema.type === 'string' && !('enum' in schema) && !('const' in schema)
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };

/** A schema without our own keywords: in the words of JSON Schema, as far as it has them. */
function inPublic(schema: Schema): Schema {
  const { 'x-type': type, 'x-decimal': decimal, allOf, ...rest } = schema;
  const shown: Schema = Object.fromEntries(Object.entries(rest).filter(([key]) => !key.startsWith('x-')));
  if (type !== undefined) shown.type = type;
  if (decimal !== undefined) Object.assign(shown, decimalInPublic(decimal as DecimalRules));
  if (allOf === undefined) return shown;
  const cases = (allOf as readonly Schema[]).map(({ if: condition, then }) => (condition === undefined ? null : then));
  if (cases.includes(null)) return { ...shown, allOf };
  const { type: _, required: __, properties: ___, ...annotations } = shown; // each case says it again
  return { ...annotations, anyOf: cases };
}

const decimalInPublic = ({ accept = 'string', minimum, exclusiveMinimum, maximum }: DecimalRules): Schema => ({
  ...(accept !== 'number' && { pattern: DECIMAL_PATTERN }),
  ...(accept !== 'string' && {
    ...(minimum !== undefined && { minimum: Number(minimum) }),
    ...(exclusiveMinimum !== undefined && { exclusiveMinimum: Number(exclusiveMinimum) }),
    ...(maximum !== undefined && { maximum: Number(maximum) }),
  }),
});
