import { recentlyUsed } from '../kernel/recently-used.ts';
import { LookUp } from './look-up.ts';
import { type Sql, sql } from './sql.ts';

const OWNERS_KEPT = 50_000;

type Call = <Row>(name: string, query: Sql) => Promise<Row[]>;

/**
 * The merchants that own resources, for any caller and before any row is visible. An id never changes its owner, so it
 * is remembered, also after its resource is deleted: the look for the resource itself finds nothing then.
 */
export class Owners {
  readonly #known = recentlyUsed<string, string>(OWNERS_KEPT);
  readonly #lookUp: LookUp<string>;

  /** @param call asks a statement outside a transaction of a merchant */
  constructor(call: Call) {
    this.#lookUp = new LookUp(async (ids) => {
      const rows = await call<{ id: string; owner: string | null }>(
        'owners_of',
        sql`select id, owner_of(id) as owner from unnest(${ids}::text[]) as asked (id)`,
      );
      return new Map(rows.flatMap(({ id, owner }) => (owner === null ? [] : [[id, owner]])));
    });
  }

  /** The merchant that owns a resource; null without such a resource. */
  async find(id: string): Promise<string | null> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const owner = await this.#lookUp.find(id);
    if (owner !== undefined) this.#known.set(id, owner);
    return owner ?? null;
  }
}
