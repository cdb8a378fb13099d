import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { decimal } from '../kernel/decimal.ts';
import { ask, askInPieces } from './ask.ts';
import { DatabaseFull, isAway, saysDiskFull } from './away.ts';
import { Circuit } from './circuit.ts';
import { Hosts, losesSession, NO_POOLER, type Pooler, poolClient, STRICT_POOLER } from './connection/index.ts';
import { Constants } from './constants.ts';
import { parseExactJson } from './json.ts';
import { Owners } from './owners.ts';
import { isStalePlan, PlanNames } from './plan-names.ts';
import { compile, type Prepared, type Sql } from './sql.ts';
import { sqlState } from './sql-state.ts';
import { tryAgain } from './try-again.ts';
import type { Tx } from './tx.ts';

/**
 * The rows that a transaction may see: those of these merchants (the usual one: a request has one, a batch has its
 * own), of every merchant for reading (a platform operator's list), or of nobody (authentication and ownership look-ups
 * use functions of the database). The database enforces it by row-level security, the second lock behind the code's own
 * check.
 */
export type Scope = { readonly merchants: readonly string[] } | 'every merchant, reading' | 'nobody';

/** Rows that are read together have the same few times; so many are remembered. */
const instants = new LRUCache<string, Temporal.Instant>({ max: 4096 });

function parseInstant(text: string): Temporal.Instant {
  const known = instants.get(text);
  if (known) return known;
  const instant = Temporal.Instant.from(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  instants.set(text, instant);
  return instant;
}

const types = new pg.TypeOverrides();
types.setTypeParser(1184, parseInstant);
types.setTypeParser(1700, (text: string) => decimal(text));
types.setTypeParser(20, (text: string) => BigInt(text));
types.setTypeParser(3802, parseExactJson);

/**
 * An operation finds a few rows for each thing that it is about, by keys, and its plans are kept. A plan may date from
 * a time when a table was almost empty, and would read the whole table for ever.
 */
const BY_KEYS = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' };

/**
 * How much longer than one statement the program may compute between two: workers, whose statements may take long,
 * compute long lists.
 */
const IDLE_MILLISECONDS = 5_000;

const LOCK_MILLISECONDS = 3_000;

const READ_ONLY_SETTING = { transaction_read_only: 'on' };

/** How values are written as text. Where a pooler drops the settings of a connection, each transaction makes them. */
const TEXT_SETTINGS = { TimeZone: 'UTC', DateStyle: 'ISO' };

const MERCHANT_LIST = /^[A-Za-z0-9_]+$/;
const RETRYABLE = new Set(['40001', '40P01']); // serialization failure, deadlock
const CHECK_VIOLATION = '23514';
/** After its own limit a statement is given up here: then the database does not answer at all. */
const GRACE_MILLISECONDS = 1_000;
/** A page of work may lack something for each of its rows. */
const MOST_MENDS = 1_000;
/** After a disk was found full it counts as full for so long: only the next write shows that there is space again. */
const FULL_MILLISECONDS = 10_000;

/** An idle connection is closed after so long. Another one would have to plan all its statements anew. */
const IDLE_CONNECTION_MILLISECONDS = 300_000;
/** A connection is opened anew after so long: what it keeps of plans does not grow for ever. */
const CONNECTION_SECONDS = 1_800;

export interface TransactionOptions {
  /** Once it is aborted no statement is started, and the transaction is rolled back. */
  readonly signal?: AbortSignal;
  /**
   * No statement reads a whole table, and connections keep their plans (decision 0213): the work finds a few rows for
   * the one thing that it is about, or for each of a list. Absent: each statement is planned when it is sent.
   */
  readonly byKeys?: 'one thing' | 'a list';
  /** The work is a report: the database refuses every write of it. */
  readonly isReadOnly?: true;
}

/** A transaction that has ended, with all its tries. */
export interface TransactionReport {
  /** `transaction`, or `call` and what its plan is kept under. */
  readonly name: string;
  readonly outcome: 'committed' | 'rolled back';
  readonly seconds: number;
}

export interface DatabaseOptions {
  readonly url: string;
  /**
   * Is it for reads alone, of a standby if there is one? Work that the standby ends is not tried again there. It may be
   * away at the start, so a pooler in front of it is expected to keep nothing.
   */
  readonly isStandby?: true;
  /** What stands between the program and PostgreSQL; absent: nothing. */
  readonly pooler?: Pooler;
  /** Told when a pooler turns up that keeps less than was known: from then on, statements have no names. */
  readonly onPooler?: (error: Error) => void;
  /** Connections kept at most. */
  readonly connections?: number;
  /** Milliseconds that one statement may take. 10 s for requests; workers ask for more. */
  readonly statementTimeout?: number;
  /** Is the disk of the database full? Asked during an outage; absent: unknown on this machine. */
  readonly isDiskFull?: () => boolean;
  /** Told of each transaction when it has ended; absent: none is measured. */
  readonly observe?: ((report: TransactionReport) => void) | undefined;
  /**
   * Told of an error after the rollback: it may get what the work did not find. @returns whether it did; then the same
   * work runs again. Absent: nobody can. @throws another error in place of this one
   */
  readonly mend?: (error: unknown) => Promise<boolean>;
  /** Told when an idle connection breaks; without a listener that would end the process. */
  readonly onConnectionError?: (error: Error) => void;
}

/**
 * Can the same work succeed when it runs again? A row for the default partition violates a partition constraint, which
 * has no name, if its own partition is attached at the same time; the next run finds the new partition.
 */
const isRetryable = (error: unknown): boolean =>
  RETRYABLE.has(sqlState(error)) ||
  isStalePlan(error) ||
  losesSession(error) ||
  (sqlState(error) === CHECK_VIOLATION && (error as { constraint?: string }).constraint === undefined);

/** Milliseconds before the next try: those who locked each other out do not meet again. */
const jitter = (tries: number): Promise<void> => sleep(Math.random() * 20 * 2 ** tries);

const RETRIES = { isWorthwhile: isRetryable, pause: jitter };

/** A read never locks out another one: a standby reports so that replaying the log ended it, and would again. */
const RETRIES_OF_READS = {
  isWorthwhile: (error: unknown) => isRetryable(error) && !RETRYABLE.has(sqlState(error)),
  pause: jitter,
};

/** The pool and the one way into it: a transaction under a role that is neither owner nor superuser. */
export class Database {
  /** Finds out whose a resource is, before a transaction of its merchant begins. */
  readonly owners: Owners = new Owners((name, query) => this.call(name, query));
  readonly #pool: pg.Pool;
  readonly #statementTimeout: number;
  readonly #circuit = new Circuit(() => performance.now());
  readonly #constants = new Constants();
  #planNames = new PlanNames();
  #pooler: Pooler;
  readonly #onPooler: (error: Error) => void;
  readonly #isDiskFull: () => boolean;
  readonly #observe: DatabaseOptions['observe'];
  readonly #retries: typeof RETRIES;
  readonly #mend: (error: unknown) => Promise<boolean>;
  #fullUntil = 0;

  constructor(options: DatabaseOptions) {
    this.#statementTimeout = options.statementTimeout ?? 10_000;
    this.#isDiskFull = options.isDiskFull ?? (() => false);
    this.#observe = options.observe;
    this.#mend = options.mend ?? (async () => false);
    this.#pooler = options.pooler ?? (options.isStandby ? STRICT_POOLER : NO_POOLER);
    this.#onPooler = options.onPooler ?? (() => undefined);
    const settings = `-c statement_timeout=${this.#statementTimeout} ${optionsOf(TEXT_SETTINGS)}`;
    this.#retries = options.isStandby ? RETRIES_OF_READS : RETRIES;
    const hosts = new Hosts(options.url, options.isStandby ? 'reads' : 'writes');
    this.#pool = new pg.Pool({
      Client: poolClient(hosts, () => (this.#pooler.keepsSettings ? { options: settings } : {})),
      connectionString: hosts.first,
      max: options.connections ?? 20,
      types,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: IDLE_CONNECTION_MILLISECONDS,
      maxLifetimeSeconds: CONNECTION_SECONDS,
      query_timeout: this.#statementTimeout + GRACE_MILLISECONDS,
      application_name: 'reckoner',
    });
    this.#pool.on('error', (error) => options.onConnectionError?.(error));
  }

  /**
   * Runs `work` in one transaction: commits when it returns, rolls back when it throws. Deadlocks and serialization
   * failures are tried again (at most five times, with jitter), so `work` must not have effects outside the database.
   * @throws the reason of the signal
   */
  transaction<T>(
    scope: Scope,
    work: (tx: Tx) => Promise<T>,
    { signal, byKeys, isReadOnly }: TransactionOptions = {},
  ): Promise<T> {
    const attempt = async () => {
      const pooler = this.#pooler;
      const planNames = byKeys === undefined ? null : this.#planNames;
      try {
        return await this.#attempt(
          this.#beginStatement(
            { ...settingsOf(scope), ...(byKeys !== undefined && BY_KEYS), ...(isReadOnly && READ_ONLY_SETTING) },
            roleOf(scope),
          ),
          async (client) => {
            const { keepsNames } = pooler;
            const tx = new ConnectionTx(
              { client, signal, keepsNames, planNames, constants: this.#constants, afterCommit: [] },
              merchantOf(scope),
            );
            return { value: await (isReadOnly ? reading(work(tx)) : work(tx)), tx };
          },
          signal,
        );
      } catch (error) {
        if (isStalePlan(error)) this.#renewPlans(planNames, error as Error);
        throw error;
      }
    };
    return this.#observed('transaction', () => this.#mended(() => tryAgain(attempt, this.#retries)));
  }

  /** Runs work again each time that what it lacked was got. */
  async #mended<T>(work: () => Promise<T>): Promise<T> {
    for (let left = MOST_MENDS; ; left -= 1) {
      try {
        return await work();
      } catch (error) {
        if (left === 0 || !(await this.#mend(error))) throw error;
      }
    }
  }

  /** Tells the observer, if there is one, how long some work took. */
  async #observed<T>(name: string, work: () => Promise<T>): Promise<T> {
    const observe = this.#observe;
    if (!observe) return work();
    const started = performance.now();
    let outcome: TransactionReport['outcome'] = 'rolled back';
    try {
      const value = await work();
      outcome = 'committed';
      return value;
    } finally {
      observe({ name, outcome, seconds: (performance.now() - started) / 1000 });
    }
  }

  /** One round trip: the role, whom it may see, and the limits, all local to the transaction. */
  #beginStatement(settings: Record<string, string | number>, role: string | null): string {
    const all = {
      statement_timeout: this.#statementTimeout,
      idle_in_transaction_session_timeout: this.#statementTimeout + IDLE_MILLISECONDS,
      ...(!this.#pooler.keepsSettings && TEXT_SETTINGS),
      ...settings,
    };
    const set = Object.entries(all).map(([name, value]) => `set_config('${name}', '${value}', true)`);
    return `begin; ${role === null ? '' : `set local role ${role}; `}select ${set.join()}`;
  }

  /**
   * A pooler that keeps names knows statements by their texts: it would find the stale plan under each new name, so
   * statements have no names any more.
   */
  #renewPlans(used: PlanNames | null, error: Error): void {
    if (this.#pooler.isByTransaction) this.#lowerTo({ ...this.#pooler, keepsNames: false }, error);
    else if (used === this.#planNames) this.#planNames = used.renewed();
  }

  #lowerTo(pooler: Pooler, error: Error): void {
    const { keepsNames, keepsSettings } = this.#pooler;
    if (keepsNames === pooler.keepsNames && keepsSettings === pooler.keepsSettings) return;
    this.#pooler = pooler;
    this.#onPooler(error);
  }

  async #attempt<T>(
    begin: string,
    work: (client: pg.PoolClient) => Promise<{ value: T; tx: { committed(): void } }>,
    signal?: AbortSignal,
  ): Promise<T> {
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    const client = await this.#begin(begin, onError, signal);
    try {
      const { value, tx } = await work(client);
      signal?.throwIfAborted();
      await client.query('commit');
      tx.committed();
      return value;
    } catch (error) {
      const undoing = hangs(error) ? Promise.reject(error) : client.query('rollback');
      await undoing.catch((failure: unknown) => {
        broken ??= failure instanceof Error ? failure : new Error(String(failure));
      });
      if (isOfStandby(error)) broken ??= error;
      throw this.#explained(error);
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  /** A connection on which a transaction has begun. @param onError told where it breaks */
  async #begin(
    statement: string,
    onError: (error: Error) => void,
    signal: AbortSignal | undefined,
  ): Promise<pg.PoolClient> {
    return this.#asking(async () => {
      signal?.throwIfAborted();
      const client = await this.#pool.connect();
      if (signal?.aborted) {
        client.release(); // given up while it waited for a connection
        throw signal.reason;
      }
      client.on('error', onError);
      try {
        await client.query(statement);
        return client;
      } catch (error) {
        client.off('error', onError);
        client.release(error as Error);
        throw error;
      }
    });
  }

  /** Asks the database for something, unless it was away a moment ago, and remembers whether it was reached. */
  async #asking<T>(ask: () => Promise<T>): Promise<T> {
    this.#circuit.enter();
    try {
      const answer = await ask();
      this.#circuit.reached();
      return answer;
    } catch (error) {
      const isAnswer = SQLSTATE.test(sqlState(error)) && !isAway(error);
      if (isAnswer) this.#circuit.reached();
      else if (isAway(error) || this.#circuit.isOpen) this.#circuit.failed();
      throw this.#explained(error);
    }
  }

  /**
   * Runs one statement that is a transaction of its own, in one round trip: committed when it returns. What
   * `transaction` tries again is tried again here too. It must be the call of a function that takes its role and its
   * merchants itself before it touches a table, as `transaction` does for others. Behind a pooler that drops settings
   * it takes a transaction of three round trips.
   * @param name what its plan is kept under on each connection
   */
  async call<Row>(name: string, query: Sql): Promise<Row[]> {
    return this.callPrepared<Row>({ ...compile(query), name });
  }

  /** The same for a statement that is written out already. */
  async callPrepared<Row>({ name, text, values }: Prepared): Promise<Row[]> {
    const statement = { text, values: values as unknown[] };
    const attempt = async () => {
      const { keepsNames, keepsSettings } = this.#pooler;
      const asked = keepsNames ? { name, ...statement } : statement;
      if (keepsSettings) return this.#asking(() => ask(this.#pool, asked));
      const nothing = { committed: () => undefined };
      return this.#attempt(this.#beginStatement({}, null), async (client) => ({
        value: await ask(client, asked),
        tx: nothing,
      }));
    };
    const { rows } = await this.#observed(`call ${name}`, () => this.#mended(() => tryAgain(attempt, RETRIES)));
    return rows as Row[];
  }

  /** The same as `Tx.constant`. */
  constant<T>(key: string, load: () => Promise<T>): Promise<T> {
    return this.#constants.of(key, load);
  }

  /** Does the database answer? For readiness. */
  async ping(): Promise<void> {
    await this.#asking(() => this.#pool.query('select 1'));
  }

  /** Was its disk found full a moment ago? Reads may work all the same. */
  get isFull(): boolean {
    return performance.now() < this.#fullUntil;
  }

  /**
   * The error to throw: a full disk is reported as such, also if it has ended the server. Every error of the database
   * comes here, so here a pooler is noticed that was not there before, and a machine that stopped to answer.
   */
  #explained(error: unknown): unknown {
    if (losesSession(error)) this.#lowerTo(STRICT_POOLER, error as Error);
    if (hangs(error)) this.#dropIdle();
    if (error instanceof DatabaseFull || !(saysDiskFull(error) || (isAway(error) && this.#isDiskFull()))) return error;
    this.#fullUntil = performance.now() + FULL_MILLISECONDS;
    return new DatabaseFull(error);
  }

  /** Idle connections lead to the same machine as the one that hangs, and each would let one caller wait. */
  #dropIdle(): void {
    for (let left = this.#pool.idleCount; left > 0; left -= 1)
      this.#pool.connect().then(
        (client) => client.release(true),
        () => undefined,
      );
  }

  /** Could it not be reached when it was asked last? */
  get isAway(): boolean {
    return this.#circuit.isOpen;
  }

  /** Connections in use, idle, and callers waiting for one. */
  get load(): { total: number; idle: number; waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** The merchant of a transaction that has exactly one. */
const merchantOf = (scope: Scope): string | null =>
  typeof scope === 'object' && scope.merchants.length === 1 ? (scope.merchants[0] as string) : null;

const roleOf = (scope: Scope): string => (scope === 'every merchant, reading' ? 'reckoner_operator' : 'reckoner_app');

/** The settings of a transaction that decide whom it sees, and how long it waits. */
function settingsOf(scope: Scope): Record<string, string | number> {
  const merchants = typeof scope === 'object' ? scope.merchants : [];
  for (const id of merchants) if (!MERCHANT_LIST.test(id)) throw new TypeError('A merchant id is letters and digits.');
  return { 'reckoner.merchants': merchants.join(','), lock_timeout: LOCK_MILLISECONDS };
}

const optionsOf = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/** A transaction under way. */
interface Running {
  readonly client: pg.PoolClient;
  readonly signal: AbortSignal | undefined;
  /** Do connections keep the plans of statements under names? */
  readonly keepsNames: boolean;
  /** Absent: each statement is planned when it is sent. */
  readonly planNames: PlanNames | null;
  readonly constants: Constants;
  readonly afterCommit: (() => void)[];
}

const firstOf = <Value>(row: Readonly<Record<string, Value>>): Value => Object.values(row)[0] as Value;

class ConnectionTx implements Tx {
  readonly #running: Running;
  readonly #merchantId: string | null;
  #parts = 0;

  constructor(running: Running, merchantId: string | null) {
    this.#running = running;
    this.#merchantId = merchantId;
  }

  get merchantId(): string {
    if (this.#merchantId === null) throw new Error('This transaction has no merchant of its own.');
    return this.#merchantId;
  }

  of(merchantId: string): Tx {
    return new ConnectionTx(this.#running, merchantId);
  }

  async rows<Row>(query: Sql, plan?: string): Promise<Row[]> {
    this.#running.signal?.throwIfAborted();
    return (await ask(this.#running.client, this.#statement(query, plan))).rows as Row[];
  }

  #statement(query: Sql, plan?: string): { readonly text: string; readonly values: unknown[]; readonly name?: string } {
    const { text, values } = compile(query);
    if (!this.#running.keepsNames) return { text, values };
    const name = plan ?? this.#running.planNames?.of(text);
    return name === undefined ? { text, values } : { text, values, name };
  }

  async manyRows<Row>(query: Sql): Promise<Row[]> {
    this.#running.signal?.throwIfAborted();
    return (await askInPieces(this.#running.client, compile(query))) as Row[];
  }

  async maybe<Row>(query: Sql, plan?: string): Promise<Row | undefined> {
    return (await this.rows<Row>(query, plan))[0];
  }

  async one<Row>(query: Sql): Promise<Row> {
    const row = await this.maybe<Row>(query);
    if (row === undefined) throw new Error('A statement that must answer a row answered none.');
    return row;
  }

  async value<Value>(query: Sql): Promise<Value> {
    return firstOf(await this.one<Record<string, Value>>(query));
  }

  async values<Value>(query: Sql): Promise<Value[]> {
    return (await this.rows<Record<string, Value>>(query)).map(firstOf);
  }

  async run(query: Sql): Promise<number> {
    this.#running.signal?.throwIfAborted();
    const { rowCount } = await this.#running.client.query(this.#statement(query));
    return rowCount ?? 0;
  }

  async savepoint<T>(work: () => Promise<T>, keep: (value: T) => boolean): Promise<T> {
    this.#parts += 1;
    const name = `part_${this.#parts}`;
    await this.#running.client.query(`savepoint ${name}`);
    try {
      const value = await work();
      await this.#running.client.query(keep(value) ? `release savepoint ${name}` : `rollback to savepoint ${name}`);
      return value;
    } catch (error) {
      await this.#running.client.query(`rollback to savepoint ${name}`);
      throw error;
    }
  }

  constant<T>(key: string, load: () => Promise<T>): Promise<T> {
    return this.#running.constants.of(key, load);
  }

  afterCommit(work: () => void): void {
    this.#running.afterCommit.push(work);
  }

  committed(): void {
    for (const work of this.#running.afterCommit) work();
  }
}

const READ_ONLY = '25006';

/** Was a write refused by a standby? Its connection is given up, because the next one may lead to the primary. */
const isOfStandby = (error: unknown): error is Error => sqlState(error) === READ_ONLY;

/** A report that writes is a fault of the report: its error would say that the connection leads to a standby. */
const reading = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw isOfStandby(error) ? new Error('A report must not write.', { cause: error }) : error;
  });

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** An aborted statement still occupies its connection: the next one would wait behind it. */
const hangs = (error: unknown): error is Error => error instanceof Error && error.message === 'Query read timeout';
