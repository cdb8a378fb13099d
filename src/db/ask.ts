import type pg from 'pg';
import { fieldOf, rowOf } from './names.ts';

/** Asks a statement. @returns its rows, with fields for columns, and how many it touched */
export async function ask(
  client: pg.Pool | pg.PoolClient,
  statement: { readonly text: string; readonly values: unknown[]; readonly name?: string },
): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }> {
  const { rows, fields, rowCount } = await client.query<unknown[]>({ ...statement, rowMode: 'array' });
  const names = fields.map(({ name }) => fieldOf(name));
  return { rows: rows.map((values) => rowOf(names, values)), rowCount };
}
