import { Gathering } from './gathering.ts';

const MOST_IN_A_STATEMENT = 1_000;

/**
 * Looks things up by their ids, those that are wanted at the same time in one statement, which is one round trip. Who
 * wants what is being looked up waits for that.
 */
export class LookUp<Found> {
  readonly #asked = new Map<string, Promise<Found | undefined>>();
  readonly #gathering: Gathering<string, Found | undefined>;

  constructor(select: (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>>) {
    this.#gathering = new Gathering(async (ids) => {
      const found = await select(ids);
      return ids.map((id) => found.get(id));
    }, MOST_IN_A_STATEMENT);
  }

  /** @returns undefined where there is none */
  find(id: string): Promise<Found | undefined> {
    const known = this.#asked.get(id);
    if (known) return known;
    const answer = this.#gathering.ask(id).finally(() => this.#asked.delete(id));
    this.#asked.set(id, answer);
    return answer;
  }
}
