import type { Route } from './route.ts';

const OF_EVERY_CALL = [400, 401, 403, 404, 500] as const;
const OF_A_BODY = [413, 415] as const;

/**
 * The error statuses that the document lists for an operation: its domain's own, and those that the edge answers for
 * it: 409 where a POST takes an Idempotency-Key, 413 and 415 where there is a body. 429 and 503 can come to any call
 * (api.md, Errors) and are listed where an operation has a reason of its own.
 */
export function errorStatuses({ access, method, body, idempotent, errors = [] }: Route['declaration']): number[] {
  if ('public' in access) return [...errors];
  const takesKey = method === 'POST' && idempotent !== false;
  const all = [...OF_EVERY_CALL, ...(takesKey ? [409] : []), ...(body ? OF_A_BODY : []), ...errors];
  return [...new Set(all)].toSorted((a, b) => a - b);
}
