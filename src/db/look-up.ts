/** The most simultaneous statements: unknown ids occupy no more of the pool than this. */
const MOST_STATEMENTS = 2;
const MOST_IN_A_STATEMENT = 1_000;

interface Asked<Found> {
  readonly answer: Promise<Found | undefined>;
  readonly resolve: (found: Found | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks things up by their ids, those that are wanted at the same time in one statement, which is one round trip. Who
 * wants what is being looked up waits for that.
 */
export class LookUp<Found> {
  readonly #select: (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>>;
  readonly #waiting = new Map<string, Asked<Found>>();
  readonly #underWay = new Map<string, Asked<Found>>();
  #statements = 0;

  constructor(select: (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>>) {
    this.#select = select;
  }

  /** @returns undefined where there is none */
  find(id: string): Promise<Found | undefined> {
    const asked = this.#underWay.get(id) ?? this.#waiting.get(id);
    if (asked) return asked.answer;
    const { promise: answer, resolve, reject } = Promise.withResolvers<Found | undefined>();
    this.#waiting.set(id, { answer, resolve, reject });
    if (this.#statements < MOST_STATEMENTS) void this.#ask();
    return answer;
  }

  async #ask(): Promise<void> {
    this.#statements += 1;
    await Promise.resolve(); // those who come in this turn of the event loop come along
    while (this.#waiting.size > 0) await this.#askTogether([...this.#waiting].slice(0, MOST_IN_A_STATEMENT));
    this.#statements -= 1;
  }

  async #askTogether(batch: readonly (readonly [string, Asked<Found>])[]): Promise<void> {
    for (const [id, asked] of batch) {
      this.#waiting.delete(id);
      this.#underWay.set(id, asked);
    }
    try {
      const found = await this.#select(batch.map(([id]) => id));
      for (const [id, { resolve }] of batch) resolve(found.get(id));
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    } finally {
      for (const [id] of batch) this.#underWay.delete(id);
    }
  }
}
