import pg from 'pg';

/** Looks into the tables as the owner of the database: past row-level security, and past the program. */
export interface Tables {
  /** Every table with rows of merchants, partitions apart. */
  names: readonly string[];
  /**
   * The condition of a merchant's rows in a table: by its id or its number, as one equality of a column and a literal.
   */
  rowsOf(name: string, merchantId: string): Promise<string>;
  /**
   * A fingerprint of a merchant's rows in each table: equal where no row was inserted, updated or deleted. PostgreSQL
   * gives each version of a row a place and a writer (`ctid`, `xmin`), so the rows themselves need not be read out. An
   * update that writes the same values counts too.
   */
  snapshot(merchantId: string): Promise<Record<string, string>>;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const TENANT_TABLES = `
  select c.relname as name, a.attname as column from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname in ('merchant_id', 'merchant_number')
   where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
   order by 1`;

/** The version of a row `t`, in any partition. */
const VERSION = `concat_ws(' ', t.tableoid, t.ctid, t.xmin)`;
/** A used key records the time, which is no change of its merchant's data. */
const VERSIONS: Readonly<Record<string, string>> = { api_key: `(to_jsonb(t) - 'last_used_at')::text` };

export async function openTables(url: string): Promise<Tables> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await client.query<Row>(text, values)).rows;
  const tables = await query<{ name: string; column: string }>(TENANT_TABLES);
  const columns = new Map(tables.map(({ name, column }) => [name, column]));
  const isNumbered = (column: string | undefined): boolean => column === 'merchant_number';
  const statement = tables
    .map(({ name, column }) => {
      const merchant = isNumbered(column) ? '(select number from merchant_number where merchant_id = $1)' : '$1';
      const hashes = `sum(hashtext(${VERSIONS[name] ?? VERSION}))`;
      return `select '${name}' as name, concat_ws(' ', count(*), ${hashes}) as fingerprint
                from ${name} t where ${column} = ${merchant}`;
    })
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
      const asked = { name: 'snapshot', text: statement, values: [merchantId] };
      const { rows } = await client.query<{ name: string; fingerprint: string }>(asked);
      return Object.fromEntries(rows.map(({ name, fingerprint }) => [name, fingerprint]));
    },
    query,
    close: () => client.end(),
  };
}
