import { compile } from 'json-schema-to-typescript';
import { type OpenApiDocument, type Schema, withoutParts } from './client.ts';

/** Keywords that do not change the type of a value. */
const NOTES = new Set(['description', 'examples', 'default', 'deprecated', 'discriminator', 'title', 'pattern']);

const objectOf = (properties: Schema): Schema => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});

/**
 * The types of a client, as a generator makes them of the document: `Operations` has each operation by its id, with its
 * body and its answers, and each named schema is a type of its own.
 */
export async function generateTypes(document: OpenApiDocument): Promise<string> {
  const { paths, components } = withoutParts(document);
  const operations = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId, requestBody, responses }) => {
      const { schema: body } = requestBody?.content?.['application/json'] ?? {};
      const answers = Object.entries(responses).flatMap(([status, { content }]) => {
        const { schema } = content?.['application/json'] ?? {};
        return schema === undefined ? [] : [[status, jsonOf(schema)] as const];
      });
      const requestBodyOf = body === undefined ? {} : { requestBody: jsonOf(body) };
      return [operationId, objectOf({ ...requestBodyOf, responses: objectOf(Object.fromEntries(answers)) })] as const;
    });
  const root = { ...objectOf(Object.fromEntries(operations)), $defs: components.schemas };
  return compile(inDefinitions(root) as never, 'Operations', {
    additionalProperties: false, // an object with declared fields has no others
    bannerComment: '',
    format: false,
    unknownAny: true,
  });
}

const jsonOf = (schema: Schema): Schema => objectOf({ content: objectOf({ 'application/json': schema }) });

/** A schema without notes, with its references where the generator looks for them. */
function inDefinitions(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(inDefinitions);
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, properties, ...rest } = part as Schema;
  if (typeof $ref === 'string') return { $ref: $ref.replace('#/components/schemas/', '#/$defs/') };
  const kept = Object.entries(rest).filter(([key]) => !NOTES.has(key));
  return {
    ...Object.fromEntries(kept.map(([key, value]) => [key, inDefinitions(value)])),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Schema).map(([name, field]) => [name, inDefinitions(field)]),
      ),
    }),
  };
}
