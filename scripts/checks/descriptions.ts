/** As much of an OpenAPI document as shows which of its words are described. */
type Node = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly (
    | { readonly in: string; readonly name: string; readonly description?: string }
    | { readonly $ref: string } // one of the shared ones, which have words
  )[];
  readonly requestBody?: { readonly content?: Contents };
  readonly responses: Readonly<Record<string, { readonly content?: Contents }>>;
}

type Contents = Readonly<Record<string, { readonly schema?: Node; readonly example?: unknown }>>;

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas?: Readonly<Record<string, Node>> };
}

export interface Measures {
  readonly properties: number;
  /** The properties without a description, below the name of their schema. */
  readonly undescribed: ReadonlyMap<string, readonly string[]>;
  readonly operations: number;
  /** The operations without a description: `<operationId> description`. */
  readonly plainOperations: readonly string[];
  readonly bodies: number;
  /** The operations whose body has no example: `<operationId> example`. */
  readonly bareBodies: readonly string[];
  readonly replies: number;
  readonly repliesWithExample: number;
}

/** Counts the words of the document that have a description or an example. Each named schema counts once. */
export function documentMeasures(document: ApiDocument): Measures {
  const named = document.components.schemas ?? {};
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const bodies = operations.flatMap(({ operationId, requestBody }) => {
    const content = requestBody?.content?.['application/json'];
    return content === undefined ? [] : [{ operationId, name: `${operationId} body`, content }];
  });
  const replies = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) => {
      const json = content?.['application/json'];
      return status.startsWith('2') && json ? [{ name: `${operationId} ${status}`, content: json }] : [];
    }),
  );
  const schemas: (readonly [string, Node])[] = [
    ...Object.entries(named),
    ...[...bodies, ...replies].map(({ name, content }) => [name, content.schema ?? {}] as const),
  ];
  const found = [
    ...schemas.flatMap(([name, schema]) => propertiesOf(schema, named, '').map((property) => ({ name, ...property }))),
    ...operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.flatMap((parameter) =>
        '$ref' in parameter
          ? []
          : [
              {
                name: `${operationId} ${parameter.in}`,
                path: parameter.name,
                isDescribed: isText(parameter.description),
              },
            ],
      ),
    ),
  ];
  return {
    properties: found.length,
    undescribed: grouped(found.filter(({ isDescribed }) => !isDescribed)),
    operations: operations.length,
    plainOperations: operations
      .filter(({ description }) => !isText(description))
      .map(({ operationId }) => `${operationId} description`),
    bodies: bodies.length,
    bareBodies: bodies
      .filter(({ content }) => content.example === undefined)
      .map(({ operationId }) => `${operationId} example`),
    replies: replies.length,
    repliesWithExample: replies.filter(({ content }) => content.example !== undefined).length,
  };
}

/**
 * The gaps of the document: the names of schemas with properties that are not described, and `<operationId>
 * description` and `<operationId> example` where an operation lacks one.
 */
export const gapsOf = ({ undescribed, plainOperations, bareBodies }: Measures): readonly string[] =>
  [...undescribed.keys(), ...plainOperations, ...bareBodies].toSorted();

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function grouped(found: readonly { name: string; path: string }[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { name, path } of found) groups.set(name, [...(groups.get(name) ?? []), path]);
  return groups;
}

/** The properties of a schema at any depth, without those of the named schemas that it refers to. */
function propertiesOf(part: unknown, named: Readonly<Record<string, Node>>, at: string): Property[] {
  if (typeof part !== 'object' || part === null) return [];
  if (Array.isArray(part)) return part.flatMap((each) => propertiesOf(each, named, at));
  const { properties = {}, items, anyOf, oneOf, allOf, additionalProperties, then } = part as Node;
  const inner = [items, anyOf, oneOf, allOf, additionalProperties, then].flatMap((each) =>
    propertiesOf(each, named, at),
  );
  const own = Object.entries(properties as Record<string, Node>).flatMap(([name, property]) => [
    { path: `${at}${name}`, isDescribed: isDescribed(property, named) },
    ...propertiesOf(property, named, `${at}${name}.`),
  ]);
  return [...own, ...inner];
}

interface Property {
  readonly path: string;
  readonly isDescribed: boolean;
}

/** A property is described by itself, by the schema that it refers to, or by a branch of its union. */
function isDescribed(property: Node, named: Readonly<Record<string, Node>>): boolean {
  if (isText(property.description)) return true;
  const target = typeof property.$ref === 'string' ? named[property.$ref.split('/').at(-1) as string] : undefined;
  if (target !== undefined) return isDescribed(target, named);
  const branches = [property.anyOf, property.oneOf].flatMap((each) => (each ?? []) as readonly Node[]);
  return branches.some((branch) => isDescribed(branch, named));
}
