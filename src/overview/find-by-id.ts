import { ownerOf } from '../db/index.ts';
import { type Context, hasRole, Reply, type Route, validate } from '../http/index.ts';
import { type IdKind, kindOf } from '../kernel/ids.ts';

/** A resource as its own GET route answers it. */
export interface FoundResource {
  readonly kind: IdKind;
  readonly id: string;
  readonly merchantId: string;
  readonly resource: Readonly<Record<string, unknown>>;
}

const READER = /^[^:]*\/:([A-Za-z]+)$/;

/** The kind of the ids that a route reads one resource by; null for every other route. Events have no owners. */
function kindRead({ declaration: { method, path, access, hidden } }: Route): IdKind | null {
  if (method !== 'GET' || hidden || 'public' in access || !READER.test(path)) return null;
  if (typeof access.merchant === 'object') return access.merchant.kind;
  return 'ownerless' in access ? 'event' : null;
}

/**
 * Finds any resource by its id, as its own GET route would answer the same caller. What the caller may not read, and
 * what is not of the merchant in scope, is not found. Events have no
 * owners, so they are found in the scope of one merchant alone.
 * @param routes those of the server
 */
export function createFinder(routes: readonly Route[]) {
  const readers = new Map(routes.flatMap((route) => [[kindRead(route), route] as const]));
  return async (context: Context<unknown, unknown, unknown>, id: string): Promise<FoundResource | null> => {
    const { tx, caller, merchantId } = context;
    const kind = kindOf(id);
    const route = kind === null ? undefined : readers.get(kind);
    if (kind === null || !route?.handler || caller === null) return null;
    const { access, path, query: schema } = route.declaration;
    if ('public' in access || !hasRole(caller, access.role) || (access.operator && !caller.isOperator)) return null;
    const owner = 'ownerless' in access ? merchantId : await ownerOf(tx, id);
    if (owner === null || (merchantId !== null && owner !== merchantId)) return null;
    const query = {};
    if (schema) validate('query', schema, query); // fills in its defaults
    const params = { [READER.exec(path)?.[1] as string]: id };
    const found = await route.handler({
      ...context,
      tx: tx.of(owner),
      merchantId: owner,
      params,
      query,
      body: {},
    } as never);
    if (!found.ok) return null;
    const resource = (found.value instanceof Reply ? found.value.body : found.value) as FoundResource['resource'];
    return { kind, id, merchantId: owner, resource };
  };
}
