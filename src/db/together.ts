import { createHash } from 'node:crypto';
import type pg from 'pg';
import { ask } from './ask.ts';
import type { Constants } from './constants.ts';
import {
  calledNames,
  collide,
  type Effect,
  type Facts,
  type Merged,
  mayMerge,
  merge,
  mergedParameter,
  sharedMerchants,
} from './merge.ts';
import { fieldOf, rowOf } from './names.ts';
import { compile, type Sql } from './sql.ts';
import { sqlState } from './sql-state.ts';
import type { Tx } from './tx.ts';

/** The merged form of a statement, by its `mergedKey`; null: it is sent once for each. */
export type MergedStatements = Map<string, Merged | null>;

interface Answer {
  readonly rows: readonly unknown[];
  readonly count: number;
}

/** Something that is done for all who wait for it. */
interface Gathered {
  readonly items: unknown[];
  readonly done: Promise<readonly unknown[]>;
  readonly begin: () => void;
}

/** A waiting statement. */
interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A savepoint would have to be rolled back, which would undo others' statements: each work needs a transaction of its
 * own.
 */
export class NotTogether extends Error {}

/** Two works touch the same rows, or a merged statement was refused: the works run one after another. */
export class NotApart extends Error {}

/**
 * Several pieces of work side by side on one connection, in one transaction. When all of them wait, what was asked in
 * the same words goes to the database as one statement; the smallest group first, so that who is ahead waits for who
 * asked something beside. All of it is committed or none.
 */
export class Together {
  readonly #client: pg.PoolClient;
  readonly #known: MergedStatements;
  readonly #constants: Constants;
  readonly #afterCommit: (() => void)[] = [];
  readonly #shared = new Map<string, Promise<unknown>>();
  readonly #gathered = new Map<string, Gathered>();
  #waiting: Asked[] = [];
  #isSending = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(client: pg.PoolClient, known: MergedStatements, constants: Constants) {
    this.#client = client;
    this.#known = known;
    this.#constants = constants;
  }

  /** Does all the work. @throws the first thing that went wrong, when all have ended */
  async run<T>(works: readonly ((tx: Tx) => Promise<T>)[]): Promise<T[]> {
    const tx = this.#tx();
    const ended = await Promise.allSettled(
      works.map(async (work) => {
        try {
          return await work(tx);
        } catch (error) {
          this.#fail(error);
          throw error;
        }
      }),
    );
    if (this.#failure) throw this.#failure.error;
    return ended.map((end) => (end as PromiseFulfilledResult<T>).value);
  }

  committed(): void {
    for (const work of this.#afterCommit) work();
  }

  #tx(): Tx {
    const rows = async <Row>(query: Sql): Promise<Row[]> => (await this.#ask(query)).rows as Row[];
    return {
      rows,
      manyRows: rows,
      maybe: async <Row>(query: Sql) => (await rows<Row>(query))[0],
      one: async <Row>(query: Sql) => {
        const [row] = await rows<Row>(query);
        if (row === undefined) throw new Error('A statement that must answer a row answered none.');
        return row;
      },
      run: async (query: Sql) => (await this.#ask(query)).count,
      savepoint: async (work, keep) => {
        try {
          const value = await work();
          if (!keep(value)) throw new NotTogether('A savepoint would have to be undone alone.');
          return value;
        } catch (error) {
          this.#fail(error); // also where its caller goes on
          throw error;
        }
      },
      once: (key, load) => {
        const found = this.#shared.get(key) ?? load();
        this.#shared.set(key, found);
        return found as ReturnType<typeof load>;
      },
      gather: async (key, item, work) => {
        const { items, done } = this.#gather(key, (all) => work(all as (typeof item)[]));
        const place = items.push(item) - 1;
        this.#sendSoon();
        return (await done)[place] as Awaited<ReturnType<typeof work>>[number];
      },
      beside: (works) => Promise.all(works.map((work) => work(this.#tx()))),
      constant: (key, load) => this.#constants.of(key, load),
      afterCommit: (work) => this.#afterCommit.push(work),
    };
  }

  #gather(key: string, work: (items: readonly unknown[]) => Promise<readonly unknown[]>): Gathered {
    const found = this.#gathered.get(key);
    if (found) return found;
    const items: unknown[] = [];
    const { promise: done, resolve } = Promise.withResolvers<readonly unknown[]>();
    const gathered = { items, done, begin: () => resolve(Promise.try(work, items)) };
    this.#gathered.set(key, gathered);
    return gathered;
  }

  #ask(query: Sql): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (this.#failure) reject(this.#failure.error);
    else this.#waiting.push({ ...compile(query), resolve, reject });
    this.#sendSoon();
    return promise;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(this.#failure.error);
  }

  /**
   * Sends when every work is waiting for the database: promises that are settled are handled before an immediate is.
   */
  #sendSoon(): void {
    if (this.#isSending || this.#waiting.length + this.#gathered.size === 0) return;
    this.#isSending = true;
    setImmediate(() => void (this.#waiting.length > 0 ? this.#send() : this.#beginGathered()));
  }

  /** All works wait for their statements, so no further one will be added. */
  #beginGathered(): void {
    const all = [...this.#gathered.values()];
    this.#gathered.clear();
    for (const { begin } of all) begin();
    this.#isSending = false;
    this.#sendSoon();
  }

  async #send(): Promise<void> {
    const groups = [...Map.groupBy(this.#waiting, ({ text }) => text).values()];
    const group = groups.reduce(
      (smallest, other) => (other.length < smallest.length ? other : smallest),
      groups[0] ?? [],
    );
    const sent = new Set(group);
    this.#waiting = this.#waiting.filter((asked) => !sent.has(asked));
    try {
      const answers = await this.#answer(group);
      for (const [index, { resolve }] of group.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      this.#fail(error);
      for (const { reject } of group) reject(error);
    }
    this.#isSending = false;
    this.#sendSoon();
  }

  async #answer(group: readonly Asked[]): Promise<Answer[]> {
    const [first] = group as [Asked];
    const inputs = group.map(({ values }) => values);
    const shared = sharedMerchants(first.text, inputs);
    const merged = group.length > 1 ? await this.#mergedOf(first, shared) : null;
    if (merged && collide(merged, inputs)) throw new NotApart(`Two works may change the same row: ${first.text}`);
    const parameter = merged && mergedParameter(merged, inputs);
    if (merged && parameter !== null) {
      const values = [parameter, ...shared.map((place) => first.values[place])];
      return this.#askMerged(merged, values, group.length, mergedKey(first.text, shared));
    }
    const answers: Answer[] = [];
    for (const { text, values } of group) {
      const { rows, rowCount } = await ask(this.#client, { text, values: [...values] });
      answers.push({ rows, count: rowCount ?? 0 });
    }
    return answers;
  }

  async #askMerged(merged: Merged, values: unknown[], inputs: number, key: string): Promise<Answer[]> {
    const { rows, fields, rowCount } = await this.#client
      .query<unknown[]>({ text: merged.text, values, name: planName(merged.text), rowMode: 'array' })
      .catch((error: unknown) => {
        throw this.#explained(error, key);
      });
    const names = fields.map(({ name }) => fieldOf(name));
    if (merged.rows === 'one each') {
      if (rowCount !== inputs) throw new NotApart(`Not every work inserted its row: ${merged.text}`);
      return Array.from({ length: inputs }, (_, index) => ({
        rows: names.length > 0 ? [rowOf(names, rows[index] as unknown[])] : [],
        count: 1,
      }));
    }
    const found = Map.groupBy(rows, ([number]) => Number(number) - 1);
    return Array.from({ length: inputs }, (_, index) => {
      const own = (found.get(index) ?? []).map(([, ...values]) => values);
      if (merged.rows === 'counted') return { rows: [], count: own.length > 0 ? Number(own[0]?.[0]) : 0 };
      if (merged.rows === 'touched') return { rows: [], count: own.length };
      return { rows: own.map((values) => rowOf(names.slice(1), values)), count: own.length };
    });
  }

  /** The meaning of a failed merged statement: if it alone can be at fault, the works run one after another. */
  #explained(error: unknown, key: string): unknown {
    const state = sqlState(error);
    if (state.startsWith(NOT_A_STATEMENT))
      this.#known.set(key, null); // it is not tried again
    else if (state !== SAME_ROW_TWICE) return error;
    return new NotApart(`A statement could not be merged: ${key}`, { cause: error });
  }

  /** Asks PostgreSQL for the facts of a statement, once for its text, and rewrites it. */
  async #mergedOf({ text }: Asked, shared: readonly number[]): Promise<Merged | null> {
    const key = mergedKey(text, shared);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const merged = mayMerge(text) ? merge(text, await this.#factsOf(text, key), shared) : null;
    this.#known.set(key, merged);
    return merged;
  }

  async #factsOf(text: string, key: string): Promise<Facts> {
    try {
      await this.#client.query(`prepare "~t" as ${text}`);
      const { rows } = await this.#client.query<{ types: string[]; effects: Record<string, Effect> }>({
        text: FACTS,
        values: [calledNames(text)],
      });
      await this.#client.query('deallocate "~t"');
      const [{ types, effects } = { types: [], effects: {} }] = rows;
      return { types, effects: new Map(Object.entries(effects)) };
    } catch (error) {
      this.#known.set(key, null); // it is not tried again
      throw error;
    }
  }
}

/** SQLSTATE 42: the statement is wrong, or names a missing object. */
const NOT_A_STATEMENT = '42';
/** `on conflict do update` met one row twice. */
const SAME_ROW_TWICE = '21000';

/** PostgreSQL's own stable functions read settings, formats and the time; stable functions of ours may read tables. */
const FACTS = `select parameter_types::text[] as types,
         (select coalesce(jsonb_object_agg(name, effect), '{}')
            from (select proname as name,
                         case when bool_or(provolatile = 'v') then 'changes'
                              when bool_or(provolatile = 's' and pronamespace <> 'pg_catalog'::regnamespace) then 'reads'
                              else 'pure' end as effect
                    from pg_proc where proname = any ($1) group by proname) called) as effects
    from pg_prepared_statements where name = '~t'`;

const mergedKey = (text: string, shared: readonly number[]): string => [...shared, text].join(' ');

const planName = (text: string): string => `m${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`;
