import type { Route } from './route.ts';

type Declaration = Route['declaration'];

/** 429: the rate of the organization, or its requests at the same time. 503: the database, or the time limit. */
const OF_EVERY_CALL = [400, 401, 403, 404, 429, 500, 503] as const;
const OF_A_PUBLIC_WRITE = [500, 503] as const;
const OF_A_BODY = [413, 415] as const;

/** Does the operation claim the Idempotency-Key of its header? */
export const takesIdempotencyKey = ({ access, method, idempotent }: Declaration): boolean =>
  method === 'POST' && idempotent !== false && !('public' in access);

/**
 * The error statuses that the document lists for an operation: its domain's own, and those that the edge answers for
 * it: 409 where a POST takes an Idempotency-Key, 412 where a change takes If-Match, 413 and 415 where there is a body.
 */
export function errorStatuses(declaration: Declaration, takesIfMatch: boolean): number[] {
  const { access, method, body, errors = [] } = declaration;
  const edge =
    'public' in access
      ? method === 'GET'
        ? []
        : OF_A_PUBLIC_WRITE
      : [
          ...OF_EVERY_CALL,
          ...(takesIdempotencyKey(declaration) ? [409] : []),
          ...(takesIfMatch ? [412] : []),
          ...(body ? OF_A_BODY : []),
        ];
  return [...new Set([...edge, ...errors])].toSorted((a, b) => a - b);
}
