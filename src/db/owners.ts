import { recentlyUsed } from '../kernel/recently-used.ts';
import { type Sql, sql } from './sql.ts';

const OWNERS_KEPT = 50_000;

type Call = <Row>(name: string, query: Sql) => Promise<Row[]>;

/**
 * The merchants that own resources, for any caller and before any row is visible. An id never changes its owner, so it
 * is remembered, also after its resource is deleted: the look for the resource itself finds nothing then.
 */
export class Owners {
  readonly #call: Call;
  readonly #known = recentlyUsed<string, string>(OWNERS_KEPT);

  /** @param call asks a statement outside a transaction of a merchant */
  constructor(call: Call) {
    this.#call = call;
  }

  /** The merchant that owns a resource, if it is remembered. */
  known(id: string): string | undefined {
    return this.#known.get(id);
  }

  /** The merchant that owns a resource; null without such a resource. */
  async find(id: string): Promise<string | null> {
    return this.known(id) ?? (await this.findAll([id])).get(id) ?? null;
  }

  /** The same of some ids in one question; an id without a resource is not in the answer. */
  async findAll(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#call<{ id: string; owner: string | null }>(
      'owners_of',
      sql`select id, owner_of(id) as owner from unnest(${ids}::text[]) as asked (id)`,
    );
    const owners = new Map(rows.flatMap(({ id, owner }) => (owner === null ? [] : [[id, owner]])));
    for (const [id, owner] of owners) this.#known.set(id, owner);
    return owners;
  }
}
