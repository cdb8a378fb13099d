import { createHash } from 'node:crypto';
import { recentlyUsed } from '../kernel/recently-used.ts';
import { sqlState } from './sql-state.ts';

/** Texts that are remembered; a connection keeps some 50 KiB for each that it has planned. */
const MOST_TEXTS = 2_000;
/** A text gets a name when it is sent so often: those that are made up for one question never come again. */
const USES_BEFORE_NAME = 3;

const FEATURE_NOT_SUPPORTED = '0A000';
const STALE = 'cached plan must not change result type';

/** Was a statement refused because a migration has changed the columns that it answers? */
export const isStalePlan = (error: unknown): boolean =>
  sqlState(error) === FEATURE_NOT_SUPPORTED && error instanceof Error && error.message === STALE;

/** The names under which connections keep the plans of statements (decision 0213). */
export class PlanNames {
  readonly #texts = recentlyUsed<string, { uses: number; readonly hash: string }>(MOST_TEXTS);
  #generation = 0;

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

  /** No plan is used any more that a connection has made so far. */
  renew(): void {
    this.#generation += 1;
  }
}
