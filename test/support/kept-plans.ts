import { createHash } from 'node:crypto';
import pg from 'pg';

/** A statement with parameters and without a name. What has methods of its own, like a cursor, is none. */
const isPlain = (statement: unknown): statement is { text: string } =>
  typeof statement === 'object' &&
  statement !== null &&
  Object.getPrototypeOf(statement) === Object.prototype &&
  'values' in statement &&
  !('name' in statement);

const names = new Map<string, string>();
function nameOf(text: string): string {
  const name = names.get(text) ?? createHash('sha256').update(text).digest('base64url');
  names.set(text, name);
  return name;
}

/**
 * Gives every statement of this process a name, so that each connection plans it once. A story asks the same statements
 * again and again, and a fifth of its processor time went into their plans. The program plans each time, because no
 * plan is right for every merchant (decision 0156), and so does the deep run (decision 0177).
 */
export function keepPlans(): void {
  const { query } = pg.Client.prototype;
  if (query.name === 'queryOfKeptPlan') return; // an earlier file of this process has done it
  pg.Client.prototype.query = function queryOfKeptPlan(this: pg.Client, statement: unknown, ...others: unknown[]) {
    const named = isPlain(statement) ? { ...statement, name: nameOf(statement.text) } : statement;
    return (query as (...all: unknown[]) => unknown).call(this, named, ...others);
  } as typeof query;
}
