import type { TSchema } from 'typebox';
import type { Route } from '../../src/http/index.ts';
import type { DueRunner } from '../../src/jobs/index.ts';
import { wireDomains } from '../../src/wiring.ts';

/** The declaration of a route, for tests that are generated from the list of routes. */
export type RouteDeclaration = Route['declaration'];

/** Runs nothing: for callers that only list the routes. */
export const idle: DueRunner = {
  start: () => undefined,
  stop: async () => undefined,
  runOnce: async () => 0,
  runClock: async () => 0,
  wake: () => undefined,
};

/** Every route of the sandbox, as the application mounts them, but for the probes. */
export async function allDeclarations(): Promise<RouteDeclaration[]> {
  const domains = wireDomains('sandbox', 'http://localhost');
  const declarations = domains.routes(idle).map(({ declaration }) => declaration);
  await domains.close();
  return declarations;
}

/**
 * Is it a page that people walk through with a session or a form of its own? Stories do that, and try each with the ids
 * of others: `portal-foreign-ids` and `sign-up`.
 */
export const isWalkedThrough = ({ path }: RouteDeclaration): boolean => /^\/(?:portal|pay\/signup)(?:\/|$)/.test(path);

/** The properties of an object schema; of a union those of its first part. */
export function propertiesOf(schema: TSchema | undefined): Record<string, TSchema> {
  if (!schema) return {};
  if ('anyOf' in schema) return propertiesOf((schema.anyOf as TSchema[])[0]);
  return ('properties' in schema ? schema.properties : {}) as Record<string, TSchema>;
}

export const requiredOf = (schema: TSchema | undefined): readonly string[] => {
  if (!schema) return [];
  if ('anyOf' in schema) return requiredOf((schema.anyOf as TSchema[])[0]);
  return ('required' in schema ? schema.required : []) as string[];
};
