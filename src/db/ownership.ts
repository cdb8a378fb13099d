import { forbidden, notFound, ok, type Result } from '../kernel/result.ts';
import { sql } from './sql.ts';
import type { Tx } from './tx.ts';

/** The merchant that owns a resource, for any caller; null without such a resource. */
export async function ownerOf(tx: Tx, id: string): Promise<string | null> {
  const { owner } = await tx.one<{ owner: string | null }>(sql`select owner_of(${id}) as owner`);
  return owner;
}

/**
 * Checks an id that a body named (api.md, Requests): an unknown one is a 404 that names the field, another merchant's a
 * 403.
 * @param what the resource as a word, e.g. `product`
 */
export async function checkReference(tx: Tx, what: string, id: string, field: string): Promise<Result<string>> {
  const owner = await ownerOf(tx, id);
  if (owner === null) return notFound(what, field);
  return owner === tx.merchantId ? ok(id) : forbidden(`The ${what} in ${field} is not this merchant's.`);
}
