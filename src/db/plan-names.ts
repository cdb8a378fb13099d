import { createHash } from 'node:crypto';
import type { LRUCache } from 'lru-cache';
import { recentlyUsed } from '../kernel/recently-used.ts';
import { sqlState } from './sql-state.ts';

/** Texts that are remembered; a connection keeps some 50 KiB for each that it has planned. */
const MOST_TEXTS = 2_000;
/** A text gets a name when it is sent so often: those that are made up for one question never come again. */
const USES_BEFORE_NAME = 3;

const FEATURE_NOT_SUPPORTED = '0A000';

/** Was a statement refused because a migration has changed the columns that it answers? */
export const isStalePlan = (error: unknown): boolean =>
  sqlState(error) === FEATURE_NOT_SUPPORTED && (error as { routine?: string }).routine === 'RevalidateCachedQuery';

interface Sent {
  uses: number;
  readonly hash: string;
}

/** The names under which connections keep the plans of statements (decision 0213). */
export class PlanNames {
  readonly #texts: LRUCache<string, Sent>;
  readonly #generation: number;

  constructor(texts: LRUCache<string, Sent> = recentlyUsed(MOST_TEXTS), generation = 0) {
    this.#texts = texts;
    this.#generation = generation;
  }

  /** The name of a statement; undefined for one that is seldom sent, which is planned each time. */
  of(text: string): string | undefined {
    const known = this.#texts.get(text);
    if (!known) {
      this.#texts.set(text, { uses: 1, hash: createHash('sha256').update(text).digest('base64url') });
      return undefined;
    }
    known.uses += 1;
    return known.uses < USES_BEFORE_NAME ? undefined : `${this.#generation}${known.hash}`;
  }

  /** Other names: no plan is used any more that a connection has made so far. */
  renewed(): PlanNames {
    return new PlanNames(this.#texts, this.#generation + 1);
  }
}
