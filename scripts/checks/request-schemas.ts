import { type Route, type TSchema, validate } from '../../src/http/index.ts';

type RouteDeclaration = Pick<Route['declaration'], 'method' | 'path' | 'query' | 'body'>;
type Part = 'query' | 'body';
type Node = Readonly<Record<string, unknown>>;

const STRANGER = 'no such field';
const UNSTORABLE = ['\0', 'a\0b', '\ud800', '\udc00x'];

/**
 * Request schemas that let through what the database cannot hold (NUL, lone surrogates, in texts and in keys), or an
 * object with fields that it does not name. Each schema is tried, so it does not matter how it refuses.
 * @param apart `POST /v0/prices body.properties`: what the handler holds against a schema of its own
 */
export function requestSchemaFaults(
  declarations: readonly RouteDeclaration[],
  apart: readonly string[] = [],
): string[] {
  return declarations.flatMap(({ method, path, query, body }) =>
    (['query', 'body'] as const).flatMap((part) => {
      const schema = part === 'query' ? query : body;
      return schema ? faultsBelow(part, schema, `${method} ${path} ${part}`, apart) : [];
    }),
  );
}

/** What no message may hold: a regular expression, Ajv's own words, a section of the specification. */
export const UNREADABLE = /[\\^§]|must NOT|\$\(|\[[A-Za-z0-9]-/;

const ODD_VALUES = [1, 1.5, 'x y', '', 'x'.repeat(9_000), null, true, [], ['a', 'a'], {}, { 'x y': 1 }, 'sub_1'];

/** Messages of request schemas that a person cannot read, each with where it comes from. */
export function messageFaults(declarations: readonly RouteDeclaration[]): string[] {
  const found = declarations.flatMap(({ method, path, query, body }) =>
    (['query', 'body'] as const).flatMap((part) => {
      const schema = part === 'query' ? query : body;
      return schema ? unreadable(part, schema, `${method} ${path} ${part}`) : [];
    }),
  );
  return [...new Set(found)];
}

function unreadable(part: Part, schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const node = schema as Node;
  const isFormed = node.pattern !== undefined || node['x-words'] !== undefined || 'x-decimal' in node;
  const alone = withoutDefault(node) as TSchema; // one object, which is compiled once
  const values = isFormed || at.endsWith(part) ? ODD_VALUES : [];
  const messages = values.flatMap((value) => validate(part, alone, value)).map(({ message }) => message);
  return [
    ...messages.filter((message) => UNREADABLE.test(message)).map((message) => `${at}: ${message}`),
    ...partsOf(node).flatMap(([name, inner]) => unreadable(part, inner, name === '' ? at : `${at}.${name}`)),
  ];
}

/** The same of one schema that stands in no route. */
export const schemaFaults = (name: string, schema: TSchema): string[] => faultsBelow('body', schema, name, []);

function faultsBelow(part: Part, schema: unknown, at: string, apart: readonly string[]): string[] {
  if (typeof schema !== 'object' || schema === null || apart.includes(at)) return [];
  const node = schema as Node;
  return [
    ...faultsOf(part, withoutDefault(node)).map((fault) => `${at} ${fault}`),
    ...partsOf(node).flatMap(([name, inner]) => faultsBelow(part, inner, name === '' ? at : `${at}.${name}`, apart)),
  ];
}

/** A default says nothing where a schema stands alone, and Ajv refuses that. */
const withoutDefault = ({ default: _, ...node }: Node): Node => node;

/** The schemas inside of a schema, with the name of the field that each is for. */
function partsOf(node: Node): (readonly [string, unknown])[] {
  const listed = (key: string) => ((node[key] as unknown[] | undefined) ?? []).map((inner) => ['', inner] as const);
  const named = (key: string) => Object.entries((node[key] as object | undefined) ?? {});
  return [
    ...named('properties'),
    ...named('patternProperties').map(([, inner]) => ['*', inner] as const),
    ...(['anyOf', 'oneOf', 'allOf'] as const).flatMap(listed),
    ...(['then', 'else'] as const).map((key) => ['', node[key]] as const),
    ['*', node.items],
    ['*', node.additionalProperties],
  ];
}

function faultsOf(part: Part, node: Node): string[] {
  const refuses = (schema: Node, value: unknown) => validate(part, schema as TSchema, value).length > 0;
  if (node.type === 'string')
    return UNSTORABLE.every((text) => refuses(node, text)) ? [] : ['takes texts that cannot be stored'];
  if (node.type !== 'object') return saysWhat(node) ? [] : ['says no type'];
  if (node['x-free'] === true) return [];
  const isMap = typeof node.additionalProperties === 'object' || node.patternProperties !== undefined;
  if (isMap) {
    const keysAlone = { type: 'object', propertyNames: node.propertyNames ?? {}, additionalProperties: {} };
    return UNSTORABLE.every((key) => refuses(keysAlone, { [key]: 1 })) ? [] : ['takes keys that cannot be stored'];
  }
  const isClosed = validate(part, node as TSchema, { [STRANGER]: 1 }).some(({ field }) => field === STRANGER);
  return isClosed || 'allOf' in node ? [] : ['takes fields that it does not name'];
}

/** A union or a condition says it in its parts; a type of ours, a constant and a list of words say it themselves. */
const saysWhat = (node: Node): boolean =>
  ['type', 'const', 'enum', 'anyOf', 'oneOf', 'allOf', 'if', 'x-decimal', 'x-type'].some((key) => key in node);
