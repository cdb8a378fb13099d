import pg from 'pg';
import { fieldOf, rowOf } from './names.ts';

/** So many rows of a long answer are read in one turn of the event loop: some milliseconds. */
const PIECE = 500;

/**
 * Asks a statement.
 * @param statement `rows`: how many rows the driver fetches at a time; absent: all
 * @returns its rows, with fields for columns, and how many it touched
 */
export async function ask(
  client: pg.Pool | pg.PoolClient,
  statement: { readonly text: string; readonly values: unknown[]; readonly name?: string; readonly rows?: number },
): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }> {
  const { rows, fields, rowCount } = await client.query<unknown[]>({ ...statement, rowMode: 'array' });
  const names = fields.map(({ name }) => fieldOf(name));
  return { rows: rows.map((values) => rowOf(names, values)), rowCount };
}

/**
 * Asks a statement that may have very many rows, and fetches them in pieces, each with a round trip of its own. The
 * driver does not end such a statement after an error, and PostgreSQL would wait for that for ever.
 */
export async function askInPieces(
  client: pg.PoolClient,
  statement: { readonly text: string; readonly values: unknown[] },
): Promise<Record<string, unknown>[]> {
  try {
    return (await ask(client, { ...statement, rows: PIECE })).rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError) (client as unknown as { connection: { sync(): void } }).connection.sync();
    throw error;
  }
}
