import type { Database } from '../db/index.ts';
import { selectBroken } from './broken.sql.ts';
import { invariants } from './invariants.sql.ts';

/** An invariant that does not hold. */
export interface Violation {
  readonly name: string;
  /** What should hold. */
  readonly says: string;
  readonly count: number;
  /** Some of the rows: whose they are, which, and what is wrong. */
  readonly examples: readonly { readonly merchantId: string; readonly id: string; readonly detail: string }[];
}

/**
 * Holds all data of an environment against everything that SQL can state about it (reliability: method A), each statement in a
 * transaction of its own that only reads.
 * @returns what does not hold; nothing where all does
 */
export async function audit(database: Database): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const { name, says, broken } of invariants) {
    const rows = await database.transaction('every merchant, reading', (tx) => selectBroken(tx, broken));
    const [first] = rows;
    if (!first) continue;
    const examples = rows.map(({ merchant_id: merchantId, id, detail }) => ({ merchantId, id, detail }));
    violations.push({ name, says, count: Number(first.count), examples });
  }
  return violations;
}

/** How many invariants are looked at. */
export const invariantCount = invariants.length;
