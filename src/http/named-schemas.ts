import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import { takesNull } from './nulls.ts';
import type { DecimalRules } from './schema.ts';

type Schema = Record<string, unknown>;

/** What of a schema is no schema itself. */
const VALUES = new Set(['enum', 'const', 'default', 'required', 'description', 'x-decimal', 'x-type']);
const DECIMAL_PATTERN = '^-?\\d{1,38}(\\.\\d{1,38})?$';

/**
 * The schemas of the routes as the OpenAPI document shows them. One that has a name (`$id`) stands in the document once,
 * wherever it is used. Null is a value of each optional field of a body; a named schema that replies use too has
 * therefore a second name in bodies: `AddressBody`.
 */
export class NamedSchemas {
  readonly #known = new Map<string, Schema>();

  /** The schema of a reply, or of a query. All replies come before the first body. */
  ofReply(schema: TSchema): Schema {
    return this.#child(schema, false) as Schema;
  }

  /** The schema of a body. */
  ofBody(schema: TSchema): Schema {
    return this.#child(schema, true) as Schema;
  }

  /** All named schemas, themselves with references inside. */
  get all(): readonly Schema[] {
    return [...this.#known.values()];
  }

  #child(part: unknown, isBody: boolean): unknown {
    if (Array.isArray(part)) return part.map((each) => this.#child(each, isBody));
    if (typeof part !== 'object' || part === null) return part;
    const schema = part as Schema;
    const shown = this.#shown(schema, isBody);
    if (typeof schema.$id !== 'string') return shown;
    const known = this.#known.get(schema.$id);
    const isSecond = isBody && known !== undefined && !isDeepStrictEqual(known, shown);
    const id = isSecond ? `${schema.$id}Body` : schema.$id;
    if (!this.#known.has(id)) this.#known.set(id, { ...shown, $id: id });
    return { $ref: `${id}#` };
  }

  #shown(schema: Schema, isBody: boolean): Schema {
    const { properties, ...rest } = inPublic(schema);
    const shown: Schema = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, VALUES.has(key) ? value : this.#child(value, isBody)]),
    );
    if (typeof properties !== 'object') return shown;
    const required = (schema.required ?? []) as readonly string[];
    const fields = Object.entries(properties as Record<string, Schema>).map(([name, field]) => {
      const child = this.#child(field, isBody) as Schema;
      return [name, isBody && !required.includes(name) && !takesNull(field) ? orNull(child) : child];
    });
    return { ...shown, properties: Object.fromEntries(fields) };
  }
}

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
