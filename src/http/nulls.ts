import { isRawNumber } from '../kernel/decimal.ts';

/** As much of a JSON schema as tells which fields an object can have. */
export interface Form {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Form>>;
  readonly required?: readonly string[];
  readonly items?: Form;
  readonly additionalProperties?: boolean | Form;
  readonly anyOf?: readonly Form[];
  readonly allOf?: readonly Form[];
  readonly if?: Form;
  readonly then?: Form;
  readonly 'x-type'?: unknown;
}

/** The nulls of a request that mean an absent field: of all optional fields, or of those that are not nullable. */
export type AbsentNulls = 'optional' | 'not nullable';

/**
 * Deletes the fields of a request whose `null` means absent (api.md, Null), at any depth, before the request is
 * validated and defaults are filled in. A `null` stays where the field is required, where the schema has no such
 * field, and in a map, whose keys are data.
 */
export function dropNulls(schema: object, value: unknown, absent: AbsentNulls): void {
  if (holdsNull(value)) drop([schema], value, absent);
}

/** Is there a null at any depth? Most requests have none, and looking costs less than following their schemas. */
function holdsNull(value: unknown): boolean {
  if (typeof value !== 'object') return false;
  if (value === null) return true;
  return Array.isArray(value) ? value.some(holdsNull) : Object.values(value).some(holdsNull);
}

function drop(schemas: readonly Form[], value: unknown, absent: AbsentNulls): void {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return;
  if (Array.isArray(value)) {
    const items = schemas.flatMap((schema) => formsOf(schema, value)).flatMap((form) => form.items ?? []);
    if (items.length > 0) for (const each of value) drop(items, each, absent);
    return;
  }
  const forms = schemas.flatMap((schema) => formsOf(schema, value)).filter(hasFields);
  if (forms.length === 0) return;
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (field === null) {
      if (isAbsent(forms, name, absent)) delete fields[name];
    } else if (typeof field === 'object') {
      drop(
        forms.flatMap((form) => schemaOf(form, name) ?? []),
        field,
        absent,
      );
    }
  }
}

/**
 * Is a field whose value is null absent? Where several forms could be meant, it must be optional in all that know it.
 */
function isAbsent(forms: readonly Form[], name: string, absent: AbsentNulls): boolean {
  const knowing = forms.filter(({ properties }) => properties !== undefined && Object.hasOwn(properties, name));
  if (knowing.length === 0 || knowing.some(({ required }) => required?.includes(name))) return false;
  return absent === 'optional' || !knowing.some(({ properties }) => takesNull(properties?.[name] as Form));
}

const hasFields = ({ properties, additionalProperties }: Form): boolean =>
  properties !== undefined || typeof additionalProperties === 'object';

/** The schema of a field of this form: the declared one, or that of the values of a map. */
export function schemaOf({ properties, additionalProperties }: Form, name: string): Form | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** The schema and those that are combined in it, without the branches that are meant for another kind of object. */
export function formsOf(schema: Form, value: object): readonly Form[] {
  const { anyOf, allOf, if: condition, then } = schema;
  if (!anyOf && !allOf && !then) return [schema];
  const branches = (anyOf ?? []).filter((form) => isMeant(form, value));
  const parts = [...branches, ...(allOf ?? []), ...(then && (!condition || isMeant(condition, value)) ? [then] : [])];
  return [schema, ...parts.flatMap((part) => formsOf(part, value))];
}

/** Can the object be of this form, as far as its constants tell? */
const isMeant = ({ properties = {} }: Form, value: object): boolean =>
  Object.entries(properties).every(
    ([name, { const: only }]) => only === undefined || (value as Record<string, unknown>)[name] === only,
  );

/** Does the schema take null? One that says nothing of the type takes anything. */
export function takesNull(schema: object): boolean {
  const { type, const: only, enum: words, anyOf, allOf, 'x-type': ownType } = schema as Form;
  if (anyOf) return anyOf.some(takesNull);
  if (allOf && type === undefined) return allOf.every(takesNull);
  if (only !== undefined) return only === null;
  if (type !== undefined) return [type].flat().includes('null');
  return words ? words.includes(null) : ownType === undefined && !('$ref' in schema);
}
