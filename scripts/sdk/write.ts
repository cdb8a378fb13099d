import { compile } from 'json-schema-to-typescript';
import { type ApiDocument, type Described, describe, type Schema } from './describe.ts';

const HEAD = '// Made of the OpenAPI document by `npm run sdk:generate`. A test makes it again and compares.\n\n';

/** Keywords that do not change the type of a value. */
const NOTES = new Set(['examples', 'default', 'discriminator', 'title', 'pattern', 'format', 'x-some-of', 'x-fields']);

/** The files of `sdk/src/generated`, by name. */
export async function filesOfSdk(document: ApiDocument, version: string): Promise<Readonly<Record<string, string>>> {
  const { operations, schemas } = describe(document);
  return {
    'types.ts': HEAD + (await typesOf(schemas, answered(operations, schemas))),
    'resources.ts': HEAD + resourcesOf(operations),
    'operations.ts': HEAD + tableOf(operations, version),
  };
}

/** Every schema as a type of its own, with what it means above it. */
async function typesOf(schemas: Readonly<Record<string, Schema>>, answers: ReadonlySet<string>): Promise<string> {
  const kept = Object.fromEntries(
    Object.entries({ ...schemas, DecimalNumber: EXACT }).map(([name, schema]) => [
      name,
      inDefinitions(answers.has(name) ? schema : asSent(schema)),
    ]),
  );
  const root = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.keys(kept).map((name) => [name, { $ref: `#/$defs/${name}` }])),
    $defs: kept,
  };
  const text = await compile(root as never, 'AllTypes', {
    additionalProperties: false, // an object with declared fields has no others
    bannerComment: '',
    format: false,
    ignoreMinAndMaxItems: true, // else each length would be a tuple of its own
    unknownAny: true,
  });
  return text
    .replace(/export interface AllTypes \{[\s\S]*?\n\}\n/, '')
    .replaceAll(/\/\*\*\n \* (.*)\n \*\//g, '/** $1 */')
    .trimStart();
}

/** A number of an answer keeps all digits: what a `double` cannot hold arrives as text. */
const EXACT: Schema = {
  description: 'A decimal number. It is a string where a `double` would lose digits.',
  type: ['number', 'string'],
};

/** The names of the schemas that answers and webhooks have, with all that these name. */
function answered(operations: readonly Described[], schemas: Readonly<Record<string, Schema>>): ReadonlySet<string> {
  const found = new Set<string>();
  const take = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, inner] of JSON.stringify(schemas[name] ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      take(inner as string);
  };
  for (const { reply } of operations) if (reply !== null) take(reply);
  take('WebhookDelivery');
  return found;
}

/** In a body a number is a number: the API refuses text. */
const asSent = (schema: Schema): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('{"$ref":"#/components/schemas/DecimalNumber"}', '{"type":"number"}'));

function inDefinitions(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(inDefinitions);
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, properties, ...rest } = part as Schema;
  if (typeof $ref === 'string') return { $ref: $ref.replace('#/components/schemas/', '#/$defs/') };
  const kept = Object.entries(rest).filter(([key]) => !NOTES.has(key));
  return {
    ...Object.fromEntries(kept.map(([key, value]) => [key, inDefinitions(value)])),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, inDefinitions(field)])),
    }),
  };
}

const commentOf = (lines: readonly string[], indent: string): string =>
  lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;

const safely = (text: string): string => text.replaceAll('*/', '*\\/');

function signatureOf(
  { method, parameters, body, query, reply, isList }: Described,
  names: (name: string) => string,
): string {
  const takes = [
    ...parameters.map((name) => `${name}: string`),
    ...(body ? [`body${body.isRequired ? '' : '?'}: ${names(body.type)}`] : []),
    ...(query ? [`query?: ${names(query)}`] : []),
    'options?: CallOptions',
  ];
  const gives =
    reply === null
      ? 'Promise<void>'
      : reply === 'bytes'
        ? 'Promise<Uint8Array>'
        : isList
          ? `List<${names(reply)}>`
          : `Promise<${names(reply)}>`;
  return `${method}(${takes.join(', ')}): ${gives};`;
}

/** The methods of each resource, with the sentences of the reference. */
function resourcesOf(operations: readonly Described[]): string {
  const used = new Set<string>();
  const names = (name: string): string => {
    if (name !== 'Blob') used.add(name);
    return name;
  };
  const blocks = [...Map.groupBy(operations, ({ resource }) => resource)].map(([resource, methods]) => {
    const members = methods.map((each) => {
      const about = [
        `${each.summary}.`,
        ...(each.description ? ['', each.description] : []),
        '',
        `\`${each.verb} ${each.path}\``,
      ];
      return `${commentOf(about.map(safely), '  ')}  ${signatureOf(each, names)}\n`;
    });
    return [resource, members.join('\n')] as const;
  });
  const interfaces = blocks.map(
    ([resource, members]) => `export interface ${resource === null ? 'Alone' : typeName(resource)} {\n${members}}\n`,
  );
  const all = blocks.flatMap(([resource]) =>
    resource === null ? [] : [`  readonly ${resource}: ${typeName(resource)};`],
  );
  const byRoute = operations.map(
    ({ verb, path, query, body, reply }) =>
      `  '${verb} ${path}': { query: ${query === null ? 'Record<string, never>' : names(query)}; body: ${body?.type ?? 'undefined'}; reply: ${reply === 'bytes' ? 'Uint8Array' : reply === null ? 'null' : names(reply)} };`,
  );
  return (
    `import type { CallOptions } from '../call.ts';\nimport type { List } from '../list.ts';\n` +
    `import type {\n${[...used]
      .toSorted()
      .map((name) => `  ${name},\n`)
      .join('')}} from './types.ts';\n\n` +
    `${interfaces.join('\n')}\n/** Every resource of the API. */\nexport interface Resources extends Alone {\n${all.join('\n')}\n}\n\n` +
    `/** Every operation by its method and path. */\nexport interface Operations {\n${byRoute.join('\n')}\n}\n`
  );
}

const typeName = (resource: string): string => `${resource.charAt(0).toUpperCase()}${resource.slice(1)}Resource`;

/**
 * What runs: of each method its address, and a letter for each thing that it takes or gives: b a body, q a query, l a
 * list, f a file.
 */
function tableOf(operations: readonly Described[], version: string): string {
  const groups = [...Map.groupBy(operations, ({ resource }) => resource ?? '')].map(([resource, methods]) => {
    const rows = methods.map(({ method, verb, path, body, query, isList, reply }) => {
      const flags = `${body ? 'b' : ''}${query ? 'q' : ''}${isList ? 'l' : ''}${reply === 'bytes' ? 'f' : ''}`;
      return `    ${method}: '${`${verb} ${path} ${flags}`.trimEnd()}',`;
    });
    return `  ${resource === '' ? "''" : resource}: {\n${rows.join('\n')}\n  },`;
  });
  return (
    `/** The version of the server and of the SDK, which is one. */\nexport const VERSION = '${version}';\n\n` +
    `/** The address of each method. '' has those of the client itself. */\nexport const OPERATIONS = {\n${groups.join('\n')}\n} as const;\n`
  );
}
