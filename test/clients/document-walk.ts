import type { OpenApiDocument, Schema } from './client.ts';

/** A schema inside the document, and its place: `Price.features[].id` or `createPrice 201.id`. */
export interface Place {
  readonly at: string;
  readonly schema: Schema;
  /** Does a body have it? Otherwise an answer, or a schema that both may name. */
  readonly isSent: boolean;
}

/** Every schema of the bodies, the answers and the named schemas. A reference is a place, and is not followed. */
export function placesOf({ paths, components }: OpenApiDocument): readonly Place[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const named = Object.entries(components.schemas).flatMap(([name, schema]) =>
    below({ at: name, schema, isSent: false }),
  );
  const own = operations.flatMap(({ operationId, requestBody, responses }) => [
    ...contentOf(requestBody).flatMap((schema) => below({ at: `${operationId} body`, schema, isSent: true })),
    ...Object.entries(responses).flatMap(([status, reply]) =>
      contentOf(reply).flatMap((schema) => below({ at: `${operationId} ${status}`, schema, isSent: false })),
    ),
  ]);
  return [...named, ...own];
}

const contentOf = (part: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> } | undefined) => {
  const schema = part?.content?.['application/json']?.schema;
  return schema === undefined ? [] : [schema];
};

function below(place: Place): Place[] {
  const { at, schema, isSent } = place;
  const inner = (more: string, each: unknown) => below({ at: `${at}${more}`, schema: each as Schema, isSent });
  const { properties = {}, items, additionalProperties: others } = schema;
  return [
    place,
    ...branchesOf(schema).flatMap((branch) => inner('', branch)),
    ...Object.entries(properties as Schema).flatMap(([name, field]) => inner(`.${name}`, field)),
    ...(items === undefined ? [] : inner('[]', items)),
    ...(typeof others === 'object' && others !== null ? inner('{}', others) : []),
  ];
}

/** The branches of a union. */
export const branchesOf = ({ anyOf, oneOf, allOf }: Schema): readonly Schema[] =>
  [anyOf, oneOf, allOf].flatMap((each) => (each ?? []) as readonly Schema[]);

/** The name of the schema to which a reference leads. */
export const referenceOf = ({ $ref }: Schema): string | undefined =>
  typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;

/** Does the schema take any value, or any object? A generator gives it the type `unknown`. */
export function isFree(schema: Schema): boolean {
  if (referenceOf(schema) !== undefined || branchesOf(schema).length > 0) return false;
  if ('const' in schema || Array.isArray(schema.enum)) return false;
  const types = [schema.type].flat();
  if (schema.type === undefined || schema.additionalProperties === true) return true;
  if (types.includes('array') && (schema.items === undefined || isFree(schema.items as Schema))) return true;
  return types.includes('object') && schema.properties === undefined && schema.additionalProperties === undefined;
}

/** The type of a field without null. */
export const withoutNull = (schema: Schema): readonly Schema[] => {
  const branches = branchesOf(schema);
  return branches.length === 0 ? [schema] : branches.filter(({ type }) => type !== 'null').flatMap(withoutNull);
};
