import pg from 'pg';
import { Database } from '../src/db/index.ts';
import type { InvoiceListQuery } from '../src/invoicing/invoice/schemas.ts';
import { type InvoiceFilters, readInvoiceFilters } from '../src/invoicing/reading/invoice-filters.ts';
import { selectInvoicePage } from '../src/invoicing/reading/invoice-list.sql.ts';
import { orThrow } from '../src/kernel/result.ts';
import { median, numbersOf } from './support/arguments.ts';
import { withStack } from './support/stack.ts';

/** What the list of a merchant's invoices takes at its beginning and far into it. See README.md. */
const { invoices, rounds } = numbersOf({ invoices: 1_000_000, rounds: 21 });
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
    await client.query(`call count_list_again('invoice')`);
    await client.query('vacuum analyze invoice');
  } finally {
    await client.end();
  }
}

await withStack(async (stack) => {
  const url = await stack.database();
  const database = new Database({ url, statementTimeout: 600_000 });
  try {
    await fill(url);
    const read = async (filters: InvoiceFilters, offset: number) => {
      const begun = performance.now();
      const { rows, total } = await database.transaction({ merchants: [merchantId] }, (tx) =>
        selectInvoicePage(tx, merchantId, filters, { limit: PAGE, offset }),
      );
      return { milliseconds: performance.now() - begun, rows: rows.length, found: total };
    };
    console.log(`${invoices.toLocaleString('en')} invoices; a page of ${PAGE} with its total`);
    const half = Temporal.Instant.from(START).add({ minutes: Math.floor(invoices / 2) });
    const queries: InvoiceListQuery[] = [
      {},
      { status: 'ISSUED' },
      { issuedFrom: half.toString() },
      { amountFrom: '500' },
    ];
    for (const query of queries) {
      const filters = orThrow(readInvoiceFilters(query, now));
      const took: { first: number; far: number }[] = [];
      let found = 0;
      for (let round = 0; round < rounds; round += 1) {
        const [first, far] = [await read(filters, 0), await read(filters, FAR)];
        if (first.found !== far.found || first.rows !== PAGE) throw new Error('Two pages of one list disagree.');
        found = first.found;
        took.push({ first: first.milliseconds, far: far.milliseconds });
      }
      const ratio = median(took.map(({ first, far }) => far / first));
      console.log(
        `${JSON.stringify(query)}: ${found.toLocaleString('en')} found, ${median(took.map(({ first }) => first)).toFixed(1)} ms;`,
        `offset ${FAR.toLocaleString('en')} ÷ first page ${ratio.toFixed(2)} (limit ${LIMIT_RATIO})`,
      );
    }
  } finally {
    await database.close();
  }
});
