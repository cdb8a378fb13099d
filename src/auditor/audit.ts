import type { Database } from '../db/index.ts';
import { MOST_EXAMPLES, selectBroken } from './broken.sql.ts';
import type { BrokenRow, Check } from './check.ts';
import { invariants } from './invariants.sql.ts';
import { rollUps } from './rollups.ts';

/** Something that does not hold. */
export interface Violation {
  readonly name: string;
  /** The invariant in words. */
  readonly meaning: string;
  readonly count: number;
  /** Some of the rows: their merchants, ids and faults. */
  readonly examples: readonly { readonly merchantId: string; readonly id: string; readonly detail: string }[];
}

/**
 * Holds all data of an environment against everything that SQL can state about it (reliability: method A), and against
 * what other rooms can check: each statement and each slice in a transaction of its own that only reads.
 * @param more checks of other rooms
 * @returns what does not hold; nothing where all does
 */
export async function audit(database: Database, more: readonly Check<unknown>[] = []): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const { name, meaning, broken } of invariants) {
    const rows = await database.transaction('every merchant, reading', (tx) => selectBroken(tx, broken));
    const [first] = rows;
    if (first) violations.push({ name, meaning, count: Number(first.count), examples: rows.map(toExample) });
  }
  const checks: readonly Check<unknown>[] = [rollUps, ...more];
  for (const check of checks) {
    const violation = await runCheck(database, check);
    if (violation) violations.push(violation);
  }
  return violations;
}

/** How many things are looked at, beside the checks of other rooms. */
export const invariantCount = invariants.length + 1;

async function runCheck(database: Database, check: Check<unknown>): Promise<Violation | null> {
  const { name, meaning } = check;
  const examples: Violation['examples'][number][] = [];
  let count = 0;
  let after: unknown = null;
  do {
    const from = after;
    const slice = await database.transaction('every merchant, reading', (tx) => check.next(tx, from));
    count += slice.broken.length;
    examples.push(...slice.broken.slice(0, MOST_EXAMPLES - examples.length).map(toExample));
    after = slice.after;
  } while (after !== null);
  return count === 0 ? null : { name, meaning, count, examples };
}

const toExample = ({ merchantId, id, detail }: BrokenRow) => ({ merchantId, id, detail });
