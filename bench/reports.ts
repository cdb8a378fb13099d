import pg from 'pg';
import { coverOf } from '../src/analytics/cover.ts';
import { selectFigures, selectKeptFigures } from '../src/analytics/facts.sql.ts';
import { type Figure, summarize } from '../src/analytics/figures.ts';
import { addAllChanges } from '../src/analytics/sums.ts';
import { Database, type Tx } from '../src/db/index.ts';
import { median, numbersOf } from './support/arguments.ts';
import { withStack } from './support/stack.ts';

/** What a report of revenue over a year takes, beside the same from every fact. See README.md. */
const { lines, rounds } = numbersOf({ lines: 1_000_000, rounds: 5 });
const LINES_OF_AN_INVOICE = 3;
const LIMIT_MILLISECONDS = 200;
const LIMIT_RATIO = 0.5;

const merchantId = 'org_0123456789abcdefghijkl';
const range = {
  from: Temporal.Instant.from('2026-01-01T00:00:00Z'),
  to: Temporal.Instant.from('2026-12-31T00:00:00Z'),
};

/** Paid invoices of 20,000 customers on ten plans, spread over the hours of a year, and their sums. */
async function fill(url: string, database: Database): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `insert into revenue_fact (merchant_id, id, kind, status, counted_at, currency, customer_id, plan_id, amount, open_amount)
       select $1, 'inv_' || n, 'invoice', 'paid', $2::timestamptz + (n % 8736) * interval '1 hour', 'USD',
              'cus_' || n % 20000, 'plan_' || n % 10, n % 1000, 0
         from generate_series(1, $3::int) n`,
      [merchantId, range.from.toString(), Math.ceil(lines / LINES_OF_AN_INVOICE)],
    );
    await client.query(
      `insert into revenue_change (merchant_id, hour, currency, customer_id, plan_id, kind, status, count, amount, open_amount)
       select merchant_id, counted_at, currency, '', plan_id, kind, status, count(*), sum(amount), 0
         from revenue_fact group by 1, 2, 3, 5, 6, 7`,
    );
    await addAllChanges(database, merchantId);
    await client.query('vacuum analyze revenue_fact, revenue_sum, revenue_change');
  } finally {
    await client.end();
  }
}

await withStack(async (stack) => {
  const url = await stack.database();
  const database = new Database({ url, statementTimeout: 600_000 });
  try {
    await fill(url, database);
    const timed = async (read: (tx: Tx) => Promise<Figure[]>) => {
      const begun = performance.now();
      const figures = await database.transaction({ merchants: [merchantId] }, read);
      return { milliseconds: performance.now() - begun, net: summarize(figures).netRevenue.toFixed() };
    };
    const kept = (tx: Tx) => selectKeptFigures(tx, range, coverOf(range, ['day', 'hour']), { width: 'day' });
    const scanned = (tx: Tx) => selectFigures(tx, range, {}, { width: 'day' });
    const took: { kept: number; scanned: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const [fast, plain] = [await timed(kept), await timed(scanned)];
      if (fast.net !== plain.net) throw new Error(`The sums say ${fast.net}, the facts ${plain.net}.`);
      took.push({ kept: fast.milliseconds, scanned: plain.milliseconds });
    }
    const ratio = median(took.map((each) => each.kept / each.scanned));
    const milliseconds = median(took.map((each) => each.kept));
    console.log(`${lines.toLocaleString('en')} lines, a year by days: ${milliseconds.toFixed(1)} ms`);
    console.log(`of the limit of ${LIMIT_MILLISECONDS} ms: ${(milliseconds / LIMIT_MILLISECONDS).toFixed(3)}`);
    console.log(`of a scan of all facts: ${ratio.toFixed(3)} (limit ${LIMIT_RATIO})`);
  } finally {
    await database.close();
  }
});
