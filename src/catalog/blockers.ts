import { type Failure, fail } from '../kernel/result.ts';
import type { catalogErrors } from './errors.ts';

/** A holder that prevents the deletion of a resource (§7, blocked fee deletion; api.md uses the same body for all). */
export interface Blocker {
  readonly type: string;
  /** All of them; `items` names at most the first hundred. */
  readonly count: number;
  readonly items: readonly { readonly id: string }[];
}

/** At most so many holders are named; the count says how many there are. */
export const MOST_NAMED_BLOCKERS = 100;

/** A blocker from rows that name some of the holders and say, each of them, how many there are in all. */
export const named = (type: string, rows: readonly { id: string; count: number }[]): Blocker => ({
  type,
  count: rows[0]?.count ?? 0,
  items: rows.map(({ count: _, ...item }) => item),
});

/** The refusal with the blockers, or null if there are none. */
export function blockedBy(code: keyof typeof catalogErrors, blockers: readonly Blocker[]): Failure | null {
  const holding = blockers.filter(({ count }) => count > 0);
  return holding.length === 0 ? null : fail(code, { blockers: holding });
}
