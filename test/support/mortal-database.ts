import { Database, type DatabaseOptions, type Scope, type Sql, sql, type Tx } from '../../src/db/index.ts';

/**
 * The place of a process' end: right before a statement or the commit of a merchant's transaction, or right after the
 * commit.
 */
export type Place = 'statement' | 'commit' | 'committed';

/** Says whether the process is killed there; `nth` counts the statements that its transaction has made. */
export type Fate = (place: Place, nth: number) => boolean;

export const immortal: Fate = () => false;

/** The later work of a killed process. */
export class Death extends Error {
  constructor() {
    super('The process was killed.');
  }
}

/**
 * The life of a process, which its databases share. After a kill nothing of it reaches any database any more, not even
 * a note of a failure.
 */
export class Life {
  /** The number of kills. */
  deaths = 0;
  /** The backend that a kill has left behind: its locks are there until it has noticed. */
  leftBehind: number | null = null;
  #fate: Fate;
  #isOver = false;

  constructor(fate: Fate = immortal) {
    this.#fate = fate;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Another process, with another fate. */
  begin(fate: Fate): void {
    this.#fate = fate;
    this.#isOver = false;
  }

  /** Is the process killed here? */
  strikes(place: Place, nth: number): boolean {
    if (this.#isOver || !this.#fate(place, nth)) return false;
    this.#isOver = true;
    this.deaths += 1;
    return true;
  }

  /** @throws where it is over. */
  goOn(): void {
    if (this.#isOver) throw new Death();
  }
}

/**
 * A database. Its process is killed where its fate says so: the transaction is undone, and no later work reaches the
 * database.
 */
export class MortalDatabase extends Database {
  readonly #life: Life;

  constructor(options: DatabaseOptions, life: Life) {
    super(options);
    this.#life = life;
  }

  override async transaction<T>(
    scope: Scope,
    work: (tx: Tx) => Promise<T>,
    options?: Parameters<Database['transaction']>[2],
  ): Promise<T> {
    const life = this.#life;
    life.goOn();
    if (typeof scope !== 'object') return super.transaction(scope, work, options); // they only look
    let statements = 0;
    const value = await super.transaction(
      scope,
      async (tx) => {
        statements = 0;
        const before = async () => {
          life.goOn();
          if (life.strikes('statement', statements)) await die(tx, life);
          statements += 1;
        };
        const done = await work(mortal(tx, before));
        life.goOn();
        if (life.strikes('commit', statements)) await die(tx, life);
        return done;
      },
      options,
    );
    if (life.strikes('committed', statements)) throw new Death();
    return value;
  }

  override async call<Row>(name: string, query: Sql): Promise<Row[]> {
    this.#life.goOn();
    return super.call<Row>(name, query);
  }
}

/** The same handle; `before` each statement. */
const mortal = (tx: Tx, before: () => Promise<void>): Tx => ({
  get merchantId() {
    return tx.merchantId;
  },
  of: (merchantId) => mortal(tx.of(merchantId), before),
  rows: async <Row>(query: Sql, plan?: string) => {
    await before();
    return tx.rows<Row>(query, plan);
  },
  manyRows: async <Row>(query: Sql) => {
    await before();
    return tx.manyRows<Row>(query);
  },
  maybe: async <Row>(query: Sql, plan?: string) => {
    await before();
    return tx.maybe<Row>(query, plan);
  },
  one: async <Row>(query: Sql) => {
    await before();
    return tx.one<Row>(query);
  },
  value: async <Value>(query: Sql) => {
    await before();
    return tx.value<Value>(query);
  },
  values: async <Value>(query: Sql) => {
    await before();
    return tx.values<Value>(query);
  },
  run: async (query) => {
    await before();
    return tx.run(query);
  },
  savepoint: (work, keep) => tx.savepoint(work, keep),
  constant: (key, load) => tx.constant(key, load),
  afterCommit: (work) => tx.afterCommit(work),
});

/** Every so many deaths end the backend too. */
const DEATHS_PER_ENDED_BACKEND = 10;

/**
 * Leaves the transaction. PostgreSQL undoes it in the same way where the connection breaks and where it is rolled
 * back, so most deaths leave the connection for the next life. A new connection reads the catalog again, which took
 * two fifths of the processor time of the failpoints (docs/decisions/0156).
 */
async function die(tx: Tx, life: Life): Promise<never> {
  if (life.deaths % DEATHS_PER_ENDED_BACKEND === 1) await endBackend(tx, life);
  throw new Death();
}

/** Ends the connection from the other side, in the middle of the transaction, so no rollback is possible on it. */
async function endBackend(tx: Tx, life: Life): Promise<void> {
  await tx.run(sql`reset role`); // the program's own role may end no process
  life.leftBehind = (await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)).pid;
  const ended = tx.run(sql`select pg_terminate_backend(pg_backend_pid()), pg_sleep(10)`);
  const survived = await ended.then(
    () => true,
    () => false,
  );
  if (survived) throw new Error('A connection that was killed lives on.');
}
