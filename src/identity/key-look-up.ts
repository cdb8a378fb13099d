import type { Database } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { type FoundKey, selectKeys } from './api-keys.sql.ts';

/** The most simultaneous statements: invalid keys occupy no more of the pool than this. */
const MOST_STATEMENTS = 2;
const MOST_IN_A_STATEMENT = 1_000;

interface Asked {
  readonly hash: Buffer;
  readonly answer: Promise<FoundKey | undefined>;
  readonly resolve: (found: FoundKey | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks API keys up, those that come at the same time in one statement, which is one round trip. Who comes with a key
 * that is being looked up waits for that.
 */
export class KeyLookUp {
  readonly #database: Database;
  readonly #now: () => Instant;
  readonly #waiting = new Map<string, Asked>();
  readonly #underWay = new Map<string, Asked>();
  #statements = 0;

  constructor(database: Database, now: () => Instant) {
    this.#database = database;
    this.#now = now;
  }

  /** The key with this hash, unless it is unknown or revoked. @param id the hash as text */
  find(id: string, hash: Buffer): Promise<FoundKey | undefined> {
    const asked = this.#underWay.get(id) ?? this.#waiting.get(id);
    if (asked) return asked.answer;
    const { promise: answer, resolve, reject } = Promise.withResolvers<FoundKey | undefined>();
    this.#waiting.set(id, { hash, answer, resolve, reject });
    if (this.#statements < MOST_STATEMENTS) void this.#ask();
    return answer;
  }

  async #ask(): Promise<void> {
    this.#statements += 1;
    await Promise.resolve(); // those who come in this turn of the event loop come along
    while (this.#waiting.size > 0) await this.#askTogether([...this.#waiting].slice(0, MOST_IN_A_STATEMENT));
    this.#statements -= 1;
  }

  async #askTogether(batch: readonly (readonly [string, Asked])[]): Promise<void> {
    for (const [id, asked] of batch) {
      this.#waiting.delete(id);
      this.#underWay.set(id, asked);
    }
    try {
      const hashes = batch.map(([, { hash }]) => hash);
      const found = await selectKeys(this.#database, hashes, this.#now());
      const byHash = new Map(found.map((key) => [key.hash.toString('base64'), key]));
      for (const [, { hash, resolve }] of batch) resolve(byHash.get(hash.toString('base64')));
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    } finally {
      for (const [id] of batch) this.#underWay.delete(id);
    }
  }
}
