import type { Tx } from '../db/index.ts';

/** A row that breaks a check, as all statements of the auditor answer them. */
export interface BrokenRow {
  readonly merchantId: string;
  readonly id: string;
  readonly detail: string;
}

/** Something that always holds, and is looked at in slices: each is a transaction of its own, so that none is long. */
export interface Check<Cursor> {
  readonly name: string;
  readonly meaning: string;
  /** Checks the next slice. @returns the violating rows, and the place to continue; null after the last slice */
  next(tx: Tx, after: Cursor | null): Promise<{ broken: readonly BrokenRow[]; after: Cursor | null }>;
}
