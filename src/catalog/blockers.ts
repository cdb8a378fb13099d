import { type Failure, fail } from '../kernel/result.ts';
import type { catalogErrors } from './errors.ts';

/** What holds a resource, so that it cannot be deleted (§7, blocked fee deletion; api.md uses the same body for all). */
export interface Blocker {
  readonly type: string;
  /** All of them; `items` names at most the first hundred. */
  readonly count: number;
  readonly items: readonly { readonly id: string }[];
}

/** At most so many holders are named; the count says how many there are. */
export const MOST_NAMED_BLOCKERS = 100;

/** The refusal that names what is in the way, or null where nothing is. */
export function blockedBy(code: keyof typeof catalogErrors, blockers: readonly Blocker[]): Failure | null {
  const holding = blockers.filter(({ count }) => count > 0);
  return holding.length === 0 ? null : fail(code, { blockers: holding });
}
