import type { Route } from '../../src/http/index.ts';

type RouteDeclaration = Route['declaration'];

/** What is missing from what routes declare, or said twice. */
export function routeFaults(declarations: readonly RouteDeclaration[]): string[] {
  const shape = ({ method, path }: RouteDeclaration) => `${method} ${path.replaceAll(/:\w+/g, ':')}`;
  return [
    ...declarations.flatMap((declaration) =>
      faultsOf(declaration).map((fault) => `${declaration.method} ${declaration.path} ${fault}`),
    ),
    ...repeated(declarations.map(({ operationId }) => operationId)).map((id) => `operationId ${id} is there twice`),
    ...repeated(declarations.map(shape)).map((path) => `${path} is there twice`),
  ];
}

function faultsOf({ access, operationId, tag, summary, path }: RouteDeclaration): string[] {
  const isPublic = access !== undefined && 'public' in access && access.public;
  const hasPolicy = access !== undefined && 'role' in access && Boolean(access.role) && Boolean(access.merchant);
  return [
    ...(isPublic || hasPolicy ? [] : ['declares no policy']),
    ...(/^[a-z][A-Za-z]+$/.test(operationId) ? [] : [`has the operationId ${operationId}, which is no camelCase name`]),
    ...(/^[A-Z][\w ]+$/.test(tag) ? [] : ['has no tag']),
    ...(summary.trim() === '' ? ['has no summary'] : []),
    ...(/^(?:\/(?:[a-z][A-Za-z0-9]*(?:-[a-z]+)?|:[a-z][A-Za-z]*))+(?:\.[a-z]+)?$/.test(path)
      ? []
      : ['has a path in another form']),
  ];
}

const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) < index)),
];

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

/**
 * Routes that the OpenAPI document lacks or has under another operationId, and operations that only it has. `apart` are
 * the paths that are mounted beside the domains' routes.
 */
export function undocumentedRoutes(
  declarations: readonly RouteDeclaration[],
  document: OpenApi,
  apart: readonly string[],
): string[] {
  const wanted = new Map(
    declarations
      .filter(({ hidden }) => hidden !== true)
      .map(({ method, path, operationId }) => [`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`, operationId]),
  );
  const present = new Map(
    Object.entries(document.paths)
      .filter(([path]) => !apart.includes(path))
      .flatMap(([path, operations]) =>
        Object.entries(operations).map(([method, { operationId }]) => [`${method.toUpperCase()} ${path}`, operationId]),
      ),
  );
  return [
    ...[...wanted.keys()].filter((key) => !present.has(key)).map((key) => `${key} is not in the document`),
    ...[...present.keys()].filter((key) => !wanted.has(key)).map((key) => `${key} is in the document alone`),
    ...[...wanted]
      .filter(([key, operationId]) => present.has(key) && present.get(key) !== operationId)
      .map(([key, operationId]) => `${key} is ${operationId} in the code and ${present.get(key)} in the document`),
  ];
}
