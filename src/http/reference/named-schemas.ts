import { isDeepStrictEqual } from 'node:util';
import { type TSchema, Type } from 'typebox';
import { takesNull } from '../nulls.ts';
import type { Cases, DecimalRules } from '../schema.ts';
import { DECIMALS, FIXED_TYPES, type FixedType } from './fixed-types.ts';
import { BODY_WORDS, type FieldWord, type FieldWords, QUERY_WORDS, SHARED_WORDS, wordsOf } from './words.ts';

type Schema = Record<string, unknown>;

/** The keywords of a schema whose values are no schemas. */
const VALUES = new Set([
  'enum',
  'const',
  'default',
  'required',
  'description',
  'examples',
  'discriminator',
  'x-compact',
]);

/** A reference to a named schema. */
export const referenceTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** The other keywords that a reference to a fixed type may have. */
const OTHER_KEYWORDS = ['description', 'examples', 'default', 'deprecated'] as const;

/**
 * The schemas of the routes as the OpenAPI document shows them. One that has a name (`$id`) stands in the document
 * once, wherever it is used. Null is a value of each optional field of a body; a named schema that replies use too has
 * therefore a second name in bodies: `AddressBody`. A decimal, and JSON of any content, have a name everywhere. A union
 * of named objects that differ in a constant says so (`discriminator`).
 */
export class NamedSchemas {
  readonly #known = new Map<string, Schema>();
  readonly #codes: readonly string[];
  /** The operations of bodies, by the names of their schemas. */
  readonly #operations = new Map<string, readonly string[]>();

  /** @param codes the values of `ErrorCode` */
  constructor(codes: readonly string[]) {
    this.#codes = codes;
  }

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

  /** Tells the operation whose body a schema is. Where the schema has no description, its operations are one. */
  tellOperation(body: Schema, operationId: string): void {
    if (typeof body.$ref !== 'string') return;
    const name = nameIn(body);
    this.#operations.set(name, [...(this.#operations.get(name) ?? []), operationId]);
  }

  /** All named schemas by their names, themselves with references inside. */
  get all(): Readonly<Record<string, Schema>> {
    return Object.fromEntries([...this.#known].map(([name, schema]) => [name, this.#described(name, schema)]));
  }

  #described(name: string, schema: Schema): Schema {
    const operations = this.#operations.get(name);
    if (schema.description !== undefined || operations === undefined) return schema;
    return { description: `The body of ${operations.map((each) => `\`${each}\``).join(', ')}.`, ...schema };
  }

  /** The schema itself, or the one to which it refers. */
  resolved(schema: Schema): Schema {
    return typeof schema.$ref === 'string' ? (this.#known.get(nameIn(schema)) as Schema) : schema;
  }

  #child(part: unknown, place: Place): unknown {
    if (Array.isArray(part)) return part.map((each) => this.#child(each, place));
    if (typeof part !== 'object' || part === null) return part;
    const schema = part as Schema;
    if ('x-document' in schema) return this.#child(schema['x-document'], place);
    if ('x-shown' in schema) return this.#fixed(schema, schema['x-shown'] as FixedType);
    if ('x-decimal' in schema) return this.#decimal(schema, place);
    if (typeof schema.$id !== 'string') return this.#shown(schema, place);
    const shown = 'x-cases' in schema ? this.#ofCases(schema, place) : this.#shown(schema, { ...place, own: {} });
    const known = this.#known.get(schema.$id);
    const isSecond = place.isBody && known !== undefined && !isDeepStrictEqual(known, shown);
    const id = isSecond ? `${schema.$id}Body` : schema.$id;
    if (!this.#known.has(id)) this.#known.set(id, shown);
    return referenceTo(id);
  }

  /** A reference to a type that is the same in every document. */
  #fixed(schema: Schema, name: FixedType, bounds: Schema = {}): Schema {
    this.#known.set(name, name === 'ErrorCode' ? { ...FIXED_TYPES[name], enum: this.#codes } : FIXED_TYPES[name]);
    const others: Schema = Object.fromEntries(
      OTHER_KEYWORDS.filter((key) => key in schema).map((key) => [key, schema[key]]),
    );
    return { ...referenceTo(name), ...others, ...bounds };
  }

  /** What may be sent as a string or as a number is a string in an answer. */
  #decimal(schema: Schema, { isBody }: Place): Schema {
    const rules = schema['x-decimal'] as DecimalRules;
    const accept = rules.accept === 'both' && !isBody ? 'string' : (rules.accept ?? 'string');
    return this.#fixed(schema, DECIMALS[accept], accept === 'string' ? {} : boundsOf(rules));
  }

  /**
   * The union of the kinds of an object, each with a name of its own: `StandardPrice`. The fields that all kinds have
   * in common are a schema that each of them refers to: `PriceBase`.
   */
  #ofCases(schema: Schema, place: Place): Schema {
    const { 'x-cases': cases, $id, description, examples, properties, required, ...rest } = schema;
    const { additionalProperties, ...common } = rest;
    const { by, of } = cases as Cases;
    const fields = properties as Record<string, TSchema>;
    const isRequired = (name: string) => ((required ?? []) as string[]).includes(name);
    const differing = new Set([
      by,
      ...Object.values(of).flatMap(({ fields = {}, without = [] }) => [...Object.keys(fields), ...without]),
    ]);
    const shared = Object.keys(fields).filter((name) => !differing.has(name));
    const base = {
      ...common,
      $id: `${String($id)}Base`,
      description: `The fields of every \`${String($id)}\`.`,
      properties: Object.fromEntries(shared.map((name) => [name, fields[name]])),
      required: shared.filter(isRequired),
    };
    const kinds = Object.entries(of).map(([word, { words = [word], fields: changed = {}, without = [] }]) => {
      const constant = words.length === 1 ? { const: words[0] } : { enum: words };
      const names = [...differing].filter((name) => !without.includes(name) && (name in fields || name in changed));
      const isOwnRequired = (name: string) =>
        name === by || (name in changed ? !Type.IsOptional(changed[name] as TSchema) : isRequired(name));
      const own = {
        type: 'object',
        'x-fields': withoutExamples(schema['x-fields'] as FieldWords | undefined, [by, ...Object.keys(changed)]),
        'x-compact': schema['x-compact'] ?? {},
        properties: {
          ...Object.fromEntries(names.map((name) => [name, changed[name] ?? fields[name]])),
          [by]: { type: 'string', ...constant },
        },
        required: names.filter(isOwnRequired),
      };
      const kind = this.#child(
        {
          $id: `${inPascalCase(word)}${String($id)}`,
          description: `The \`${String($id)}\` with the \`${by}\` ${words.map((each) => `\`${each}\``).join(', ')}.`,
          allOf: [base, own],
          ...(additionalProperties === false && { unevaluatedProperties: false }),
        },
        place,
      ) as Schema;
      return [words, kind] as const;
    });
    return {
      ...(description !== undefined && { description }),
      ...unionOf(by, kinds),
      ...(examples !== undefined && { examples }),
    };
  }

  #shown(schema: Schema, outer: Place): Schema {
    const { properties, ...rest } = inPublic(schema);
    const place: Place = { ...outer, own: { ...outer.own, ...(schema['x-fields'] as FieldWords | undefined) } };
    const shown: Schema = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, VALUES.has(key) ? value : this.#child(value, place)]),
    );
    if (Array.isArray(rest.anyOf)) return discriminated(shown, rest.anyOf as readonly Schema[]);
    if (typeof properties !== 'object') return shown;
    if (schema['x-free'] === true) shown.additionalProperties = true;
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

/**
 * A union of named objects that each have another constant in the same field, with that field as its discriminator.
 * @param branches the schemas to which its references lead
 */
function discriminated(union: Schema, branches: readonly Schema[]): Schema {
  const { anyOf, ...rest } = union as Schema & { anyOf: readonly Schema[] };
  if (!branches.every(({ $id }) => typeof $id === 'string')) return union;
  const wordsOf = (name: string) =>
    branches.map((branch) => wordsIn((branch.properties as Schemas | undefined)?.[name]));
  const field = Object.keys(branches[0]?.properties ?? {}).find((name) => {
    const words = wordsOf(name);
    return words.every(({ length }) => length > 0) && new Set(words.flat()).size === words.flat().length;
  });
  if (field === undefined) return union;
  const kinds = wordsOf(field).map((words, at) => [words, anyOf[at] as Schema] as const);
  return { ...rest, ...unionOf(field, kinds) };
}

/** A union of references by the words of a field. */
const unionOf = (field: string, kinds: readonly (readonly [words: readonly string[], reference: Schema])[]) => ({
  oneOf: kinds.map(([, reference]) => reference),
  discriminator: {
    propertyName: field,
    mapping: Object.fromEntries(kinds.flatMap(([words, { $ref }]) => words.map((word) => [word, String($ref)]))),
  },
});

/** The words of a field that takes nothing else. */
const wordsIn = ({ const: only, enum: words }: Schema = {}): readonly string[] =>
  (typeof only === 'string' ? [only] : ((words ?? []) as unknown[])).filter((word) => typeof word === 'string');

type Schemas = Readonly<Record<string, Schema>>;

/** The name of the schema to which a reference leads. */
export const nameIn = ({ $ref }: Schema): string => String($ref).split('/').at(-1) as string;

/** The meanings of fields, those of some without their examples, which are of one kind of the object. */
const withoutExamples = (words: FieldWords | undefined, names: readonly string[]): FieldWords =>
  Object.fromEntries(
    Object.entries(words ?? {}).map(([name, word]) => [name, names.includes(name) ? (wordsOf(word) as string) : word]),
  );

const inPascalCase = (word: string): string =>
  word.replaceAll(/(?:^|[_.])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A schema in the words of JSON Schema, as far as it has them. The compact document still reads `x-compact`. */
function inPublic(schema: Schema): Schema {
  const { 'x-type': type, allOf, ...rest } = schema;
  const shown: Schema = Object.fromEntries(
    Object.entries(rest).filter(([key]) => key === 'x-compact' || !(key.startsWith('x-') || key === '$id')),
  );
  if (type !== undefined) shown.type = type;
  if (allOf === undefined) return shown;
  const cases = (allOf as readonly Schema[]).map(({ if: condition, then }) => (condition === undefined ? null : then));
  if (cases.includes(null)) return { ...shown, allOf };
  const { type: _, required: __, properties: ___, ...annotations } = shown; // each case says it again
  return { ...annotations, anyOf: cases };
}

/** The bounds of a decimal that may be a JSON number. A string has none that JSON Schema could say. */
const boundsOf = ({ minimum, exclusiveMinimum, maximum }: DecimalRules): Schema => ({
  ...(minimum !== undefined && { minimum: Number(minimum) }),
  ...(exclusiveMinimum !== undefined && { exclusiveMinimum: Number(exclusiveMinimum) }),
  ...(maximum !== undefined && { maximum: Number(maximum) }),
});
