import type { Sql } from './sql.ts';

/** The only handle to the database, so nothing can write outside its transaction. */
export interface Tx {
  /**
   * The merchant whose rows it reads and writes.
   * @throws where it has not exactly one: a list for an operator, a look-up of an owner
   */
  readonly merchantId: string;
  /** The same transaction for one merchant, where it has several or none. The database checks whom it may see. */
  of(merchantId: string): Tx;
  /**
   * All rows of a statement.
   * @param plan what its plan is kept under on each connection, in every transaction; for a statement that is asked
   *   very often and whose text is always the same
   */
  rows<Row>(query: Sql, plan?: string): Promise<Row[]>;
  /**
   * The same of a statement that may have very many rows: they are read in pieces, and others have a turn between two.
   * Each piece takes a round trip, and PostgreSQL has no parallel workers for it.
   */
  manyRows<Row>(query: Sql): Promise<Row[]>;
  /** The first row, or undefined. */
  maybe<Row>(query: Sql, plan?: string): Promise<Row | undefined>;
  /** The first row; a statement that has none is a fault. */
  one<Row>(query: Sql): Promise<Row>;
  /** The one value of a statement with one column and one row. */
  value<Value>(query: Sql): Promise<Value>;
  /** The values of a statement with one column. */
  values<Value>(query: Sql): Promise<Value[]>;
  /** Runs a statement for its effect. @returns how many rows it touched. */
  run(query: Sql): Promise<number>;
  /**
   * Runs work in a savepoint, which can be undone alone: where `keep` answers false or `work` throws, its writes are
   * rolled back.
   */
  savepoint<T>(work: () => Promise<T>, keep: (value: T) => boolean): Promise<T>;
  /**
   * A value that never changes in this database: loaded once for the process. `load` reads only what was committed
   * before this transaction.
   * @param key names it among all such values
   */
  constant<T>(key: string, load: () => Promise<T>): Promise<T>;
  /**
   * Called once after the commit, never after a rollback; for waking a worker, never for an effect that must happen.
   */
  afterCommit(work: () => void): void;
}
