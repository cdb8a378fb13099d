import pg from 'pg';

/** When the first of them was made. */
export const START = '2024-01-01T00:00:00Z';

/** Fills tables without their indexes, which are made afterwards. */
async function withoutIndexes(client: pg.Client, tables: readonly string[], work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select c.relname as name, pg_get_indexdef(c.oid) as definition
       from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = any ($1::regclass[])
        and not exists (select from pg_constraint k where k.conindid = c.oid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await work();
  for (const { definition } of rows) await client.query(definition);
}

/** Invoices of 20,000 customers over two years, nine of ten paid. Their effects (bookings, sums) are left out. */
export async function fillLists(
  url: string,
  { merchantId, ...many }: { merchantId: string; invoices: number; customers: number },
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`set session_replication_role = replica; set maintenance_work_mem = '256MB';
                        set synchronous_commit = off`);
    const tables = ['invoice', 'organization', 'customer'];
    await withoutIndexes(client, tables, async () => {
      await client.query(
        `insert into invoice (merchant_id, id, kind, status, customer_id, currency, billing_cadence, billing_anchor,
                              period_number, period_start, period_end, grace_period_end, sequence_number, auto_approve,
                              payment_term_days, subtotal, grand_total, paid_amount, invoice_number, issued_at, due_at,
                              created_at, updated_at)
         select $1, 'inv_' || n, 'ad_hoc', case when n % 10 = 0 then 'ISSUED' else 'PAID' end, 'cus_' || n % 20000, 'USD',
                'P0D', at, 0, at, at, at, 0, true, 30, n % 997, n % 997, case when n % 10 = 0 then 0 else n % 997 end,
                'INV-' || n, at, at + interval '30 days', at, at
           from generate_series(1, $3::int) n,
                lateral (select $2::timestamptz + n * (interval '700 days' / $3::int) as at) t`,
        [merchantId, START, many.invoices],
      );
      await client.query(
        `insert into organization (merchant_id, id, type, name, email, created_at, updated_at)
         select $1, 'con_' || n, 'consumer', 'Customer ' || n, n || '@example.com', now(), now()
           from generate_series(1, $2::int) n`,
        [merchantId, many.customers],
      );
      await client.query(
        `insert into customer (merchant_id, id, consumer_id, consumer_name, consumer_emails, created_at, updated_at)
         select $1, 'cus_' || n, 'con_' || n, 'customer ' || n, n || '@example.com', now(), now()
           from generate_series(1, $2::int) n`,
        [merchantId, many.customers],
      );
    });
    for (const list of tables) await client.query('call count_list_again($1)', [list]);
    await client.query(`vacuum analyze ${tables.join()}`);
  } finally {
    await client.end();
  }
}
