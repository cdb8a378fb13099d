import { readFileSync } from 'node:fs';
import pg from 'pg';
import { type CustomerFilter, selectCustomers } from '../src/customers/customers.sql.ts';
import { Database, type PageRequest, sql, type Tx } from '../src/db/index.ts';
import type { InvoiceListQuery } from '../src/invoicing/invoice/schemas.ts';
import { readInvoiceFilters } from '../src/invoicing/reading/invoice-filters.ts';
import { selectInvoicePage } from '../src/invoicing/reading/invoice-list.sql.ts';
import { addAllListChanges } from '../src/jobs/list-counts.ts';
import { decimal, plain } from '../src/kernel/decimal.ts';
import { orThrow } from '../src/kernel/result.ts';
import { formatInstant, type InstantText } from '../src/kernel/time.ts';
import type { OwnedMeter } from '../src/metering/stored/events.sql.ts';
import { listEvents } from '../src/metering/stored/events.ts';
import { exponent, numbersOf } from './support/arguments.ts';
import { fillLists, START } from './support/fill-lists.ts';
import { withStack } from './support/stack.ts';

/**
 * What a page of a long list with its total takes, at the beginning and far into it, and what the kept totals cost
 * whoever writes. All is processor time of PostgreSQL, the least of some rounds. See README.md.
 */
const { invoices, customers, events, rounds } = numbersOf({
  invoices: 1_000_000,
  customers: 200_000,
  events: 500_000,
  rounds: 5,
});
const WANTED_MILLISECONDS = 20;
const POLL_MILLISECONDS = 500;
const WANTED_EXPONENT = 0.05;
const SMALL = 10_000;
const FAR = 10_000;
const PAGE = 10;

const merchantId = 'org_0123456789abcdefghijkl';
const now = Temporal.Instant.from('2026-01-01T00:00:00Z');

/** One connection, and the processor time that its process of PostgreSQL takes. */
class Timed {
  readonly database: Database;
  #process = 0;

  constructor(url: string) {
    this.database = new Database({ url, connections: 1, statementTimeout: 600_000 });
  }

  inMerchant<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction({ merchants: [merchantId] }, work);
  }

  async milliseconds(work: () => Promise<unknown>): Promise<number> {
    this.#process ||= (await this.inMerchant((tx) => tx.one<{ id: number }>(sql`select pg_backend_pid() as id`))).id;
    const taken = () => Number(readFileSync(`/proc/${this.#process}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    const before = taken();
    await work();
    return taken() - before;
  }

  async least(work: () => Promise<unknown>): Promise<number> {
    const took: number[] = [];
    for (let round = 0; round < rounds; round += 1) took.push(await this.milliseconds(work));
    return Math.min(...took);
  }
}

type Read = (tx: Tx, page: PageRequest) => Promise<{ readonly total: number }>;

const half = Temporal.Instant.from(START).add({ hours: 350 * 24 });
const invoiceQueries: InvoiceListQuery[] = [
  {},
  { status: 'ISSUED' },
  { issuedFrom: formatInstant(half) },
  { issuedTo: formatInstant(half) },
  { issuedFrom: formatInstant(half), issuedTo: formatInstant(half.add({ hours: 24 })) },
  { dueTo: formatInstant(half), status: 'PAID' },
  { amountFrom: plain(decimal('500')) },
  { amountFrom: plain(decimal('500')), amountTo: plain(decimal('501')) },
  { amountTo: plain(decimal('900')), status: 'ISSUED' },
  { overdue: true },
  { customerId: 'cus_7' },
  { issuedFrom: formatInstant(half), amountFrom: plain(decimal('500')) },
];
const customerFilters: Omit<CustomerFilter, 'merchantId'>[] = [
  {},
  { name: 'mer 1234' },
  { email: '77@' },
  { name: 'tomer 12' },
];

const reads: Readonly<Record<string, Read>> = {
  ...Object.fromEntries(
    invoiceQueries.map((query): [string, Read] => [
      `invoices ${JSON.stringify(query)}`,
      (tx, page) => selectInvoicePage(tx, merchantId, orThrow(readInvoiceFilters(query, now)), page),
    ]),
  ),
  ...Object.fromEntries(
    customerFilters.map((filter): [string, Read] => [
      `customers ${JSON.stringify(filter)}`,
      (tx, page) => selectCustomers(tx, { ...filter, merchantId }, page),
    ]),
  ),
};

async function measure(url: string): Promise<Record<string, { first: number; far: number; total: number }>> {
  const timed = new Timed(url);
  try {
    const found: Record<string, { first: number; far: number; total: number }> = {};
    for (const [name, read] of Object.entries(reads)) {
      let total = 0;
      const page = (offset: number) =>
        timed.least(async () => {
          total = (await timed.inMerchant((tx) => read(tx, { limit: PAGE, offset }))).total;
        });
      found[name] = { first: await page(0), far: await page(FAR), total };
    }
    return found;
  } finally {
    await timed.database.close();
  }
}

/**
 * Microseconds that the triggers of the counts take of an invoice that is written and moved six times, in lists of 200.
 */
async function costOfCounts(url: string): Promise<number> {
  const timed = new Timed(url);
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    const many = 200;
    const pass = () =>
      timed.inMerchant(async (tx) => {
        for (const [from, to] of [
          ['PAID', 'X1'],
          ['X1', 'X2'],
          ['X2', 'X3'],
          ['X3', 'X4'],
          ['X4', 'X5'],
          ['X5', 'PAID'],
        ])
          await tx.run(sql`
            update invoice set status = ${to}
             where merchant_id = ${merchantId} and status is not distinct from ${from}
               and id = any (${Array.from({ length: many }, (_, i) => `inv_${i * 10 + 1}`)}::text[])`);
      });
    await owner.query('alter table invoice disable trigger user');
    const without = await timed.least(pass);
    await owner.query('alter table invoice enable trigger count_moved');
    const withCounts = await timed.least(pass);
    await owner.query('alter table invoice enable trigger user');
    const added = await timed.milliseconds(() => addAllListChanges(timed.database, merchantId));
    console.log(`  adding the changes of ${rounds} rounds to the counts, in the background: ${added.toFixed(1)} ms`);
    return ((withCounts - without) / many) * 1000;
  } finally {
    await owner.end();
    await timed.database.close();
  }
}

/** Events of one subject over the last hours, of which one in a hundred is of a type that nothing counts. */
async function fillEvents(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `insert into event_subject (merchant_id, kind, key, addressee, customer_id, created_at)
       values ($1, 'direct', 'cus_1', 'cus_1', 'cus_1', $2)`,
      [merchantId, START],
    );
    await client.query(
      `insert into event (merchant_id, at, type, source, subject_id, idempotency_key, data, accepted_at)
       select $1, at, case when n % 100 = 0 then 'other' else 'call' end, 'bench', (select min(id) from event_subject),
              'request-' || n, '{"units": 1}', at
         from generate_series(1, $3::int) n,
              lateral (select $2::timestamptz - interval '60 days' * (1 - n / $3::float) as at) t`,
      [merchantId, formatInstant(now), events],
    );
    await client.query('vacuum analyze event');
  } finally {
    await client.end();
  }
}

const meter: OwnedMeter = {
  id: 'bm_1',
  merchantId,
  meter: { eventType: 'call', aggregation: 'SUM', valueProperty: '$.units', groupBy: null, eventFrom: null } as never,
};
const eventsBy =
  (query: Parameters<typeof listEvents>[2]): Read =>
  (tx, page) =>
    listEvents(tx, merchantId, query, page, async () => [meter], now);

/** The 1,000th page beside the first, each behind a row; and what a copy asks that has all but some hundred changes. */
async function measureAfter(url: string): Promise<void> {
  const timed = new Timed(url);
  const ratio = async (name: string, read: Read): Promise<void> => {
    const start = async (offset: number) => {
      const page: PageRequest = { limit: PAGE, offset };
      const { total } = await timed.inMerchant((tx) => read(tx, page));
      return { total, after: page.nextAfter ?? '' };
    };
    const { total, after: first } = await start(0);
    const pages = Math.min(1_000, Math.floor(total / PAGE) - 1);
    const { after: last } = await start((pages - 2) * PAGE);
    const cost = (after: string) =>
      timed.least(() => timed.inMerchant((tx) => read(tx, { limit: PAGE, offset: 0, after })));
    const [early, late] = [await cost(first), await cost(last)];
    const times = late / early;
    line(
      `${name}: page ${pages} by page 2`,
      `${late.toFixed(1)} / ${early.toFixed(1)} = ${times.toFixed(2)}`,
      '1.5',
      times <= 1.5,
    );
  };
  try {
    const invoicesBy =
      (query: InvoiceListQuery): Read =>
      (tx, page) =>
        selectInvoicePage(tx, merchantId, orThrow(readInvoiceFilters(query, now)), page);
    await ratio('invoices', invoicesBy({}));
    await ratio('invoices that are issued', invoicesBy({ status: 'ISSUED' }));
    await ratio('customers', (tx, page) => selectCustomers(tx, { merchantId }, page));
    await ratio('events', eventsBy({}));
    const polled: [string, Read][] = [
      ['events that nothing counts, of seven days', eventsBy({ status: 'unmatched' })],
      ['events since an hour', eventsBy({ updatedFrom: formatInstant(now.subtract({ hours: 1 })) as InstantText })],
    ];
    const since = formatInstant(Temporal.Now.instant()) as InstantText;
    await timed.inMerchant((tx) =>
      tx.run(sql`update invoice set metadata = '{}' where id = any (
                   select 'inv_' || n * 1001 from generate_series(1, 300) n)`),
    );
    polled.push(['invoices since 300 of them changed', invoicesBy({ updatedFrom: since })]);
    for (const [name, read] of polled) {
      const took = await timed.least(() => timed.inMerchant((tx) => read(tx, { limit: PAGE, offset: 0 })));
      line(
        name,
        `${took.toFixed(1)} ms = ${(took / POLL_MILLISECONDS).toFixed(2)}`,
        `${POLL_MILLISECONDS} ms`,
        took <= POLL_MILLISECONDS,
      );
    }
  } finally {
    await timed.database.close();
  }
}

const line = (name: string, figure: string, wanted: string, holds: boolean): void =>
  console.log(`${name.padEnd(78)} ${figure.padStart(24)}   ${wanted.padEnd(10)} ${holds ? 'yes' : 'NO'}`);

await withStack(async (stack) => {
  const [small, large] = [await stack.database(), await stack.database()];
  await fillLists(small, { merchantId, invoices: SMALL, customers: SMALL });
  await fillLists(large, { merchantId, invoices, customers });
  const [few, all] = [await measure(small), await measure(large)];
  console.log(`${invoices.toLocaleString('en')} invoices, ${customers.toLocaleString('en')} customers`);
  for (const [name, { first, far, total }] of Object.entries(all)) {
    const most = Math.max(first, far);
    const label = `${name}: ${total.toLocaleString('en')} found`;
    line(
      label,
      `${first.toFixed(1)}, far ${far.toFixed(1)} ms`,
      `${WANTED_MILLISECONDS} ms`,
      most <= WANTED_MILLISECONDS,
    );
    const size = name.startsWith('invoices') ? invoices : customers;
    const growth = exponent([
      [SMALL, few[name]?.first ?? first],
      [size, first],
    ]);
    line('  growth of the first page', `N^${growth.toFixed(2)}`, `N^${WANTED_EXPONENT}`, growth <= WANTED_EXPONENT);
  }
  await fillEvents(large);
  await measureAfter(large);
  const cost = await costOfCounts(large);
  line('counts, for an invoice that moves six times, in lists of 200', `${cost.toFixed(0)} µs`, '135 µs', cost <= 135);
});
