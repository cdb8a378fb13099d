import pg from 'pg';

/** Looks into the tables as the owner of the database: past row-level security, and past the program. */
export interface Tables {
  /** Every table with rows of merchants, partitions apart. */
  names: readonly string[];
  /** A hash of a merchant's rows in each table; equal where nothing was written, changed or deleted. */
  snapshot(merchantId: string): Promise<Record<string, string>>;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const TENANT_TABLES = `
  select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'merchant_id'
   where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
   order by 1`;

export async function openTables(url: string): Promise<Tables> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await client.query<Row>(text, values)).rows;
  const names = (await query<{ name: string }>(TENANT_TABLES)).map(({ name }) => name);
  const statement = names
    .map(
      (name) => `select '${name}' as name, md5(coalesce(string_agg(row, E'\\n' order by row collate "C"), '')) as hash
        from (select (to_jsonb(t) - 'last_used_at')::text as row from ${name} t where merchant_id = $1) rows`, // an API key's own clock
    )
    .join(' union all ');
  return {
    names,
    snapshot: async (merchantId) => {
      const rows = await query<{ name: string; hash: string }>(statement, [merchantId]);
      return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
    },
    query,
    close: () => client.end(),
  };
}
