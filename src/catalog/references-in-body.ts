import { sql, type Tx } from '../db/index.ts';
import { forbidden, notFound, ok, type Result } from '../kernel/result.ts';

/** An id in a body and the path of the field that holds it. */
export interface NamedId {
  readonly id: string;
  readonly field: string;
}

/** As `checkReference`, for many ids in one statement: the first unknown one is a 404, the first foreign one a 403. */
export async function checkReferences(tx: Tx, what: string, ids: readonly NamedId[]): Promise<Result<undefined>> {
  if (ids.length === 0) return ok(undefined);
  const owners = new Map(
    (
      await tx.rows<{ id: string; owner: string | null }>(sql`
        select id, owner_of(id) as owner from unnest(${ids.map(({ id }) => id)}::text[]) as named (id)`)
    ).map(({ id, owner }) => [id, owner]),
  );
  for (const { id, field } of ids) {
    const owner = owners.get(id) ?? null;
    if (owner === null) return notFound(what, field);
    if (owner !== tx.merchantId) return forbidden(`The ${what} in ${field} is not this merchant's.`);
  }
  return ok(undefined);
}
