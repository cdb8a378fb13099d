import type { TSchema } from 'typebox';

type Named = TSchema & { $id: string };

/**
 * The schemas that have a name (`$id`), collected from the routes: wherever one stands inside another it becomes a
 * reference, so that the OpenAPI document has each once, under its name.
 */
export class NamedSchemas {
  readonly #known = new Map<string, Named>();

  /** A copy of the schema in which every named one is a reference. */
  refer(schema: TSchema): TSchema {
    return this.#walk(schema, true) as TSchema;
  }

  /** All named schemas, themselves with references inside. */
  get all(): readonly Named[] {
    return [...this.#known.values()];
  }

  #walk(part: unknown, mayBeNamed: boolean): unknown {
    if (Array.isArray(part)) return part.map((each) => this.#walk(each, true));
    if (typeof part !== 'object' || part === null) return part;
    const id = '$id' in part && typeof part.$id === 'string' && mayBeNamed ? part.$id : undefined;
    if (id === undefined)
      return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, this.#walk(value, true)]));
    if (!this.#known.has(id)) {
      this.#known.set(id, part as Named); // before the walk, for schemas that hold themselves
      this.#known.set(id, this.#walk(part, false) as Named);
    }
    return { $ref: `${id}#` };
  }
}
