import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { CONSOLE_FOLDER } from '../src/console/files.ts';
import { numbersOf } from './support/arguments.ts';
import { openAsker } from './support/ask.ts';
import { fillLists } from './support/fill-lists.ts';
import { withStack } from './support/stack.ts';

/**
 * What the console makes a person wait for: the scripts of the first page, and the lists and the search of a merchant
 * with a million rows, beside the same rows by plain SQL. See README.md.
 */
const { invoices, customers, rounds } = numbersOf({ invoices: 1_000_000, customers: 1_000_000, rounds: 5 });
const MOST_KILOBYTES = 250;
const MOST_LIST_MILLISECONDS = 200;
const MOST_SEARCH_MILLISECONDS = 100;

const read = (name: string): string => readFileSync(`${CONSOLE_FOLDER}${name}`, 'utf8');

/** A script and all that it imports at once. */
function closure(name: string, known: Set<string> = new Set()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  for (const [, next] of read(name).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
    closure(`assets/${next}`, known);
  return known;
}

const kilobytes = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(read(name)).length, 0) / 1000;

const line = (name: string, figure: string, wanted: string, holds: boolean): void =>
  console.log(`${name.padEnd(64)} ${figure.padStart(22)}   ${wanted.padEnd(10)} ${holds ? 'yes' : 'NO'}`);

/** The scripts of the page and of the screen with the most of them, compressed. */
function measureFirstLoad(): void {
  const entry = /src="\/console\/(assets\/[\w.-]+\.js)"/.exec(read('index.html'))?.[1] as string;
  const first = closure(entry);
  const screens = [...read(entry).matchAll(/import\(`?"?\.\/([\w.-]+\.js)/g)].map(([, name]) => `assets/${name}`);
  const sizes = screens.map((screen) => [screen, kilobytes(closure(screen, new Set(first)))] as const);
  const [heaviest, most] = sizes.toSorted(([, a], [, b]) => b - a)[0] ?? ['', kilobytes(first)];
  line(
    `first load, with ${heaviest.replace('assets/', '')}`,
    `${most.toFixed(0)} kB`,
    '250 kB',
    most <= MOST_KILOBYTES,
  );
}

const LISTS = {
  '/v2/invoices?limit=50': 'select * from invoice where merchant_id = $1 order by seq desc limit 50',
  '/v2/invoices?limit=50&status=ISSUED': `select * from invoice where merchant_id = $1 and status = 'ISSUED'
    order by seq desc limit 50`,
  '/v2/invoices?limit=50&overdue=true': null,
  '/v2/invoices?limit=50&unpaid=true': null,
  '/v2/invoices?limit=50&invoiceNumber=INV-77': `select * from invoice where merchant_id = $1
    and invoice_number = 'INV-77'`,
  '/v2/invoices?limit=50&issuedFrom=2025-01-01T00:00:00Z&issuedTo=2025-01-08T00:00:00Z': null,
  '/v2/invoices?limit=50&amountFrom=500': null,
  '/v0/customers?limit=50': 'select * from customer where merchant_id = $1 order by seq desc limit 50',
  '/v0/customers?limit=50&name=mer%201234': null,
  '/v0/customers?limit=50&email=77@': null,
  '/v0/customers?limit=50&externalId=none': null,
  '/v0/subscriptions?limit=50': null,
  '/v0/events?limit=50': null,
  '/v0/mails?limit=50': null,
  '/v0/webhookEvents?limit=50': null,
  '/v0/auditLog?limit=50': null,
  '/v0/overview': null,
  '/v0/customers/cus_7/timeline?limit=50': null,
} as const satisfies Readonly<Record<string, string | null>>;

const SEARCHES = ['customer 77', 'customer', '77@example', 'INV-5000', 'mer 12345', 'cus_7', 'zz', 'nothing has this'];

measureFirstLoad();
await withStack(async (stack) => {
  const url = await stack.database();
  await stack.serving(url, async ({ port, key, merchantId }) => {
    await fillLists(url, { merchantId, invoices, customers });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const asker = openAsker();
    const least = async (path: string): Promise<number> => {
      const took: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const asked = { url: `http://127.0.0.1:${port}${path}`, headers: { authorization: `Bearer ${key}` } };
        const { status, milliseconds } = await asker.ask(asked);
        if (status !== 200 && status !== 404) throw new Error(`${path} answered ${status}.`);
        took.push(milliseconds);
      }
      return Math.min(...took);
    };
    const byHand = async (text: string): Promise<number> => {
      const began = performance.now();
      await client.query(text, [merchantId]);
      return performance.now() - began;
    };
    try {
      console.log(`${invoices.toLocaleString('en')} invoices, ${customers.toLocaleString('en')} customers`);
      for (const [path, text] of Object.entries(LISTS)) {
        const took = await least(path);
        const plain = text === null ? '' : ` (SQL ${(await byHand(text)).toFixed(1)})`;
        line(path, `${took.toFixed(1)} ms${plain}`, '200 ms', took <= MOST_LIST_MILLISECONDS);
      }
      for (const text of SEARCHES) {
        const took = await least(`/v0/search?q=${encodeURIComponent(text)}`);
        line(`search ${text}`, `${took.toFixed(1)} ms`, '100 ms', took <= MOST_SEARCH_MILLISECONDS);
      }
    } finally {
      asker.close();
      await client.end();
    }
  });
});
