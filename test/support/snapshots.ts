import pg from 'pg';

/** Looks into the tables as the owner of the database: past row-level security, and past the program. */
export interface Tables {
  /** Every table with rows of merchants, partitions apart. */
  names: readonly string[];
  /**
   * The condition of a merchant's rows in a table: by its id or its number, as one equality of a column and a literal.
   */
  rowsOf(name: string, merchantId: string): Promise<string>;
  /** A hash of a merchant's rows in each table; equal where nothing was written, changed or deleted. */
  snapshot(merchantId: string): Promise<Record<string, string>>;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const TENANT_TABLES = `
  select c.relname as name, a.attname as column from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname in ('merchant_id', 'merchant_number')
   where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
   order by 1`;

export async function openTables(url: string): Promise<Tables> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await client.query<Row>(text, values)).rows;
  const tables = await query<{ name: string; column: string }>(TENANT_TABLES);
  const columns = new Map(tables.map(({ name, column }) => [name, column]));
  const isNumbered = (column: string | undefined): boolean => column === 'merchant_number';
  const statement = tables
    .map(
      ({
        name,
        column,
      }) => `select '${name}' as name, md5(coalesce(string_agg(row, E'\\n' order by row collate "C"), '')) as hash
        from (select (to_jsonb(t) - 'last_used_at')::text as row from ${name} t
               where ${column} = ${isNumbered(column) ? '(select number from merchant_number where merchant_id = $1)' : '$1'}) rows`, // an API key's own clock
    )
    .join(' union all ');
  return {
    names: [...columns.keys()],
    rowsOf: async (name, merchantId) => {
      if (!isNumbered(columns.get(name))) return `merchant_id = '${merchantId}'`;
      const text = 'select number from merchant_number where merchant_id = $1';
      const [row] = await query<{ number: number }>(text, [merchantId]);
      if (!row) throw new Error(`${merchantId} has no number, so it has no event.`);
      return `merchant_number = ${row.number}`;
    },
    snapshot: async (merchantId) => {
      const rows = await query<{ name: string; hash: string }>(statement, [merchantId]);
      return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
    },
    query,
    close: () => client.end(),
  };
}
