import pg from 'pg';

/** Statements as they were sent, each its text with its values. */
export interface Sent {
  readonly all: readonly string[];
  /** Those that were sent before in the same transaction, to the letter. */
  readonly repeated: readonly string[];
}

/** Savepoints have the same names again and again, and commits are alike. */
const IS_OF_TRANSACTION = /^(begin|savepoint|release|rollback|commit|set local)\b/;

/** Writes down the statements of this process while some work is done, also those of work beside it. */
export async function sentDuring<Answer>(work: () => Promise<Answer>): Promise<{ answer: Answer; sent: Sent }> {
  const [all, repeated]: [string[], string[]] = [[], []];
  const ofConnections = new WeakMap<pg.Client, Set<string>>();
  const { prototype } = pg.Client;
  const query = prototype.query as (...values: unknown[]) => unknown;
  prototype.query = function heard(this: pg.Client, asked: string | pg.QueryConfig, ...others: unknown[]) {
    const { text, values = [] } = typeof asked === 'string' ? { text: asked } : asked;
    const statement = `${text.replace(/\s+/g, ' ').trim()} ${JSON.stringify(values)}`;
    if (statement.startsWith('begin')) ofConnections.set(this, new Set());
    const known = ofConnections.get(this);
    if (known?.has(statement) && !IS_OF_TRANSACTION.test(statement)) repeated.push(statement);
    known?.add(statement);
    all.push(statement);
    return query.call(this, asked, ...others);
  } as typeof prototype.query;
  try {
    return { answer: await work(), sent: { all, repeated } };
  } finally {
    prototype.query = query as typeof prototype.query;
  }
}
