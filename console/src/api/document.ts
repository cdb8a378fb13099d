import { useQuery } from '@tanstack/react-query';
import type { Operation } from './client.ts';

/** A JSON schema of the OpenAPI document. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId?: string;
            readonly summary?: string;
            readonly description?: string;
            readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
          }
        >
      >
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The server's own OpenAPI document: forms take their fields, words and choices from it, when the first one opens. */
const useDocument = () =>
  useQuery({
    queryKey: ['document'],
    queryFn: async () => (await (await fetch('/openapi.json')).json()) as Document,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The names of the operations that change something, for the audit log. */
export function useChangeNames(): readonly string[] {
  const { data } = useDocument();
  return Object.values(data?.paths ?? {})
    .flatMap((path) => Object.entries(path))
    .flatMap(([method, { operationId }]) => (method === 'get' || !operationId ? [] : [operationId]))
    .toSorted();
}

/** A field of a form. */
export interface Field {
  /** Dotted: `consumer.email`. */
  readonly path: string;
  readonly about: string;
  readonly kind:
    | 'text'
    | 'long'
    | 'choice'
    | 'choices'
    | 'flag'
    | 'number'
    | 'decimal'
    | 'moment'
    | 'day'
    | 'duration'
    | 'texts'
    | 'numbers'
    | 'rows'
    | 'json'
    | 'id';
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly choices: readonly string[];
  readonly idPrefix: string | null;
  /** The fields of each row; their paths begin in the row. */
  readonly rows: readonly Field[];
  readonly fallback: unknown;
}

export interface BodyForm {
  readonly summary: string;
  /** What the operation does, in the words of the API. */
  readonly description: string;
  readonly fields: readonly Field[];
}

/** The form of an operation's body. Undefined while the document is on its way. */
export function useBodyForm(operation: Operation): BodyForm | undefined {
  const { data } = useDocument();
  if (!data) return undefined;
  const [method = '', path = ''] = operation.split(' ');
  const found = data.paths[path]?.[method.toLowerCase()];
  const body = found?.requestBody?.content?.['application/json']?.schema;
  const schema = body?.anyOf?.find(({ $ref }) => $ref !== undefined) ?? body; // one of them where several may be sent
  return {
    summary: found?.summary ?? '',
    description: found?.description ?? '',
    fields: schema ? fieldsOf(schema, data.components.schemas, '') : [],
  };
}

/** A schema without its references and without null. */
function plain(schema: Schema, _all: Document['components']['schemas']): { schema: Schema; isNullable: boolean } {
  if (schema.$ref !== undefined) {
    const { $ref, ...rest } = schema;
    const named = plain(_all[$ref.split('/').at(-1) as string] ?? {}, _all);
    return { ...named, schema: { ...named.schema, ...rest } };
  }
  if (Array.isArray(schema.type) && schema.type.includes('null')) {
    const types = (schema.type as readonly string[]).filter((type) => type !== 'null');
    return { schema: { ...schema, type: types.length === 1 ? (types[0] as string) : types }, isNullable: true };
  }
  const either = schema.anyOf ?? schema.oneOf;
  const kept = either?.filter(({ type }) => type !== 'null');
  if (either && kept?.length === 1 && kept.length < either.length) {
    const { anyOf: _any, oneOf: _one, ...words } = schema;
    const inner = plain(kept[0] as Schema, _all);
    return { schema: { ...inner.schema, ...words }, isNullable: true };
  }
  return { schema, isNullable: either?.some(({ type }) => type === 'null') ?? false };
}

/** Sentences about a request; a form shows by itself what it needs. */
const FOR_PROGRAMS = /\s*(?:Required (?:unless|without|with)|The request) [^.]*\.|\s*\(docs\/[^)]*\)/g;

/** The fields of a body, those of inner objects beside the others. Deprecated ones are left out. */
function fieldsOf(body: Schema, all: Document['components']['schemas'], prefix: string, isInside = true): Field[] {
  const { schema } = plain(body, all);
  return Object.entries(schema.properties ?? {}).flatMap(([name, raw]) => {
    const { schema: field, isNullable } = plain(raw, all);
    if (field.deprecated || raw.deprecated) return [];
    const path = `${prefix}${name}`;
    const isRequired = isInside && (schema.required?.includes(name) ?? false);
    if (field.properties) return fieldsOf(field, all, `${path}.`, isRequired);
    return [
      {
        path,
        about: (raw.description ?? field.description ?? '').replaceAll(FOR_PROGRAMS, ''),
        ...kindOf(field, all),
        isRequired,
        isNullable,
        fallback: field.default,
      },
    ];
  });
}

type Kind = Pick<Field, 'kind' | 'choices' | 'idPrefix' | 'rows'>;

const kind = (kind: Field['kind'], of: Partial<Kind> = {}): Kind => ({
  ...{ kind, choices: [], idPrefix: null, rows: [] },
  ...of,
});

function kindOf(schema: Schema, all: Document['components']['schemas']): Kind {
  if (schema.enum) return kind('choice', { choices: schema.enum });
  if (schema.type === 'boolean') return kind('flag');
  if (schema.format === 'decimal') return kind(schema.type === 'number' ? 'number' : 'decimal');
  if (schema.type === 'integer' || schema.type === 'number') return kind('number');
  if (schema.format === 'date-time') return kind('moment');
  if (schema.format === 'date') return kind('day');
  if (schema.type === 'array') {
    const items = schema.items ? plain(schema.items, all).schema : {};
    if (items.enum) return kind('choices', { choices: items.enum });
    if (items.type === 'integer') return kind('numbers');
    if (items.type === 'string') return kind('texts', { idPrefix: prefixOf(items) });
    const rows = fieldsOf(items, all, '');
    const isFlat = rows.length > 0 && rows.every((each) => each.kind !== 'rows');
    return isFlat ? kind('rows', { rows }) : kind('json');
  }
  if (schema.type === 'string') return kindOfText(schema);
  const either = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type === 'array');
  return either ? kindOf(either, all) : kind('json'); // a list, or a word where there is none
}

function kindOfText(schema: Schema): Kind {
  const idPrefix = prefixOf(schema);
  if (idPrefix) return kind('id', { idPrefix });
  if (schema.description?.includes('ISO 8601 duration')) return kind('duration');
  return kind((schema.maxLength ?? 0) >= 1_000 ? 'long' : 'text');
}

/** What the ids begin with; null: it is no id. */
const prefixOf = ({ pattern = '' }: Schema): string | null => /^\^([a-z]+_)/.exec(pattern)?.[1] ?? null;
