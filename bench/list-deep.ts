import pg from 'pg';
import { type CustomerFilter, pageOfCustomers } from '../src/customers/customers.sql.ts';
import { Database, type Tx } from '../src/db/index.ts';
import type { InvoiceListQuery } from '../src/invoicing/invoice/schemas.ts';
import { readInvoiceFilters } from '../src/invoicing/reading/invoice-filters.ts';
import { selectInvoicePage } from '../src/invoicing/reading/invoice-list.sql.ts';
import { orThrow } from '../src/kernel/result.ts';
import { median, numbersOf } from './support/arguments.ts';
import { withStack } from './support/stack.ts';

/** What the lists of a merchant's invoices and customers take at their beginning and far into them. See README.md. */
const { invoices, customers, rounds } = numbersOf({ invoices: 1_000_000, customers: 200_000, rounds: 21 });
const LIMIT_RATIO = 10;
const FAR = 10_000;
const PAGE = 10;

const merchantId = 'org_0123456789abcdefghijkl';
const START = '2024-01-01T00:00:00Z';
const now = Temporal.Instant.from('2026-01-01T00:00:00Z');

/** Invoices of 20,000 customers over two years, nine of ten paid. Their effects (bookings, sums) are left out. */
async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into invoice (merchant_id, id, kind, status, customer_id, currency, billing_cadence, billing_anchor,
                            period_number, period_start, period_end, grace_period_end, sequence_number, auto_approve,
                            payment_term_days, subtotal, grand_total, paid_amount, invoice_number, issued_at, due_at,
                            created_at, updated_at)
       select $1, 'inv_' || n, 'ad_hoc', case when n % 10 = 0 then 'ISSUED' else 'PAID' end, 'cus_' || n % 20000, 'USD',
              'P0D', at, 0, at, at, at, 0, true, 30, n % 1000, n % 1000, case when n % 10 = 0 then 0 else n % 1000 end,
              'INV-' || n, at, at + interval '30 days', at, at
         from generate_series(1, $3::int) n, lateral (select $2::timestamptz + n * interval '1 minute' as at) t`,
      [merchantId, START, invoices],
    );
    await client.query(
      `insert into organization (merchant_id, id, type, name, email, created_at, updated_at)
       select $1, 'con_' || n, 'consumer', 'Customer ' || n, n || '@example.com', now(), now()
         from generate_series(1, $2::int) n`,
      [merchantId, customers],
    );
    await client.query(
      `insert into customer (merchant_id, id, consumer_id, created_at, updated_at)
       select $1, 'cus_' || n, 'con_' || n, now(), now() from generate_series(1, $2::int) n`,
      [merchantId, customers],
    );
    for (const list of ['invoice', 'organization', 'customer']) await client.query('call count_list_again($1)', [list]);
    await client.query('vacuum analyze invoice, organization, customer');
  } finally {
    await client.end();
  }
}

type Page = { readonly limit: number; readonly offset: number };

/** Reads the first page and a far one in turns. */
async function measure(
  name: string,
  read: (page: Page) => Promise<{ rows: readonly unknown[]; total: number }>,
): Promise<void> {
  const timed = async (page: Page) => {
    const begun = performance.now();
    const { rows, total } = await read(page);
    return { milliseconds: performance.now() - begun, rows: rows.length, total };
  };
  const took: { first: number; far: number }[] = [];
  let found = 0;
  for (let round = 0; round < rounds; round += 1) {
    const [first, far] = [await timed({ limit: PAGE, offset: 0 }), await timed({ limit: PAGE, offset: FAR })];
    if (first.total !== far.total || first.rows !== PAGE) throw new Error('Two pages of one list disagree.');
    found = first.total;
    took.push({ first: first.milliseconds, far: far.milliseconds });
  }
  const ratio = median(took.map(({ first, far }) => far / first));
  console.log(
    `${name}: ${found.toLocaleString('en')} found, ${median(took.map(({ first }) => first)).toFixed(1)} ms;`,
    `offset ${FAR.toLocaleString('en')} ÷ first page ${ratio.toFixed(2)} (limit ${LIMIT_RATIO})`,
  );
}

await withStack(async (stack) => {
  const url = await stack.database();
  const database = new Database({ url, statementTimeout: 600_000 });
  try {
    await fill(url);
    const inMerchant = <T>(work: (tx: Tx) => Promise<T>) => database.transaction({ merchants: [merchantId] }, work);
    console.log(`${invoices.toLocaleString('en')} invoices; a page of ${PAGE} with its total`);
    const half = Temporal.Instant.from(START).add({ minutes: Math.floor(invoices / 2) });
    const queries: InvoiceListQuery[] = [
      {},
      { status: 'ISSUED' },
      { issuedFrom: half.toString() },
      { issuedTo: half.toString() },
      { issuedFrom: half.toString(), status: 'ISSUED' },
      { amountFrom: '500', amountTo: '501' },
      { amountFrom: '500', amountTo: '510' },
      { amountFrom: '500', issuedFrom: half.toString() },
      { amountFrom: '500', status: 'ISSUED' },
      { amountFrom: '500' },
    ];
    for (const query of queries) {
      const filters = orThrow(readInvoiceFilters(query, now));
      await measure(JSON.stringify(query), (page) =>
        inMerchant((tx) => selectInvoicePage(tx, merchantId, filters, page)),
      );
    }
    console.log(`${customers.toLocaleString('en')} customers`);
    const filters: Omit<CustomerFilter, 'merchantId'>[] = [{}, { name: 'customer 1' }, { email: '77@' }];
    for (const filter of filters)
      await measure(JSON.stringify(filter), (page) =>
        inMerchant(async (tx) => {
          const { data, total } = await pageOfCustomers(tx, { ...filter, merchantId }, page);
          return { rows: data, total };
        }),
      );
  } finally {
    await database.close();
  }
});
