import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { noteStatements } from '../../../test/support/shards.ts';
import { type Resource, type Shop, shopOf } from '../../../test/support/shop.ts';
import { Decimal } from '../../kernel/decimal.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
/** Every invoice, newest first. */
let all: Resource[];
/** Invoices on test clocks. */
let behind: Resource;
let dueByClock: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await fill();
  all = (await shop.read('/v2/invoices?limit=100')).data;
});
afterAll(() => env.close());

const TODAY = '2026-03-20T15:00:00Z';

/** Invoices of two customers in three currencies, in all the states that a filter separates. */
async function fill() {
  const customers = [await shop.customer(), await shop.customer()];
  let made = 0;
  const bill = (at: string, unitPrice: string, fields: object = {}): Promise<Resource> => {
    env.setNow(at);
    made += 1;
    return shop.create('/v2/invoices', {
      customerId: customers[made % 2]?.id,
      currency: 'USD',
      lines: [{ displayName: 'Work', quantity: 1, unitPrice, taxRate: 0 }],
      autoApprove: true,
      ...fields,
    });
  };
  const overdue = await bill('2026-03-01T00:00:00Z', '10');
  await bill('2026-03-01T00:00:00Z', '10.01', { currency: 'KWD' });
  await bill('2026-03-10T08:00:00Z', '100', { paymentTermDays: 30 });
  await bill('2026-03-10T09:00:00Z', '1000', { currency: 'JPY', autoApprove: false });
  const paid = await bill('2026-03-11T00:00:00Z', '20');
  const part = await bill('2026-03-12T23:59:59Z', '30', { paymentTermDays: 1 });
  const cancelled = await bill('2026-03-13T00:00:00Z', '40');
  const writtenOff = await bill('2026-03-14T00:00:00Z', '50');
  await bill('2026-03-15T00:00:00Z', '0');
  await bill('2026-03-20T00:00:00Z', '60');
  const pay = ({ id }: Resource, amount: string) =>
    shop.create(`/v2/invoices/${id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: id });
  await pay(paid, '20');
  await pay(part, '29.99');
  await shop.act(`/v2/invoices/${cancelled.id}/cancel`);
  await shop.act(`/v2/invoices/${writtenOff.id}/writeOff`);
  const plan = await shop.plan([await shop.feePrice()]);
  await shop.subscribe(plan, { startedAt: TODAY }); // an open period
  await shop.subscribe(plan, { clock: await shop.clock('2027-01-01T00:00:00Z'), startedAt: '2027-01-01T00:00:00Z' });
  behind = (await shop.issued()).invoice; // due today by its clock, long ago by wall time
  const later = await shop.issued();
  await shop.advance(later.clock, 'P1D');
  dueByClock = later.invoice;
  env.setNow(TODAY);
  expect((await shop.invoice(overdue.id)).dueAt).toBe('2026-03-01T00:00:00Z');
}

const list = (query: string) => shop.read(`/v2/invoices?${query}`);
const OPEN = ['ACTIVE', 'CLOSING'];
const time = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const isIn = (at: string | null, from: string, to: string) =>
  at !== null && time(from) <= time(at) && time(at) < time(to);
const costs = ({ status, grandTotal }: Resource, from: string, to: string) =>
  !OPEN.includes(status) && new Decimal(grandTotal).gte(from) && new Decimal(grandTotal).lte(to);

const FOR_EVER = { from: '1990-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
type Case = { query: string; of: (invoice: Resource) => boolean };
const times = (['issued', 'due'] as const).flatMap((word): Case[] => {
  const at = (invoice: Resource): string | null => invoice[`${word}At`];
  return [
    ['2026-03-01T00:00:00Z', '2026-03-10T08:00:00Z'],
    ['2026-03-10T08:00:00Z', '2026-03-10T08:00:01Z'],
    ['2026-03-13T00:00:00Z', '2026-03-14T00:00:00Z'],
    ['2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z'],
  ]
    .map(
      ([from, to]): Case => ({
        query: `${word}From=${from}&${word}To=${to}`,
        of: (invoice) => isIn(at(invoice), from as string, to as string),
      }),
    )
    .concat([
      {
        query: `${word}From=2026-03-12T00:00:00Z`,
        of: (invoice) => isIn(at(invoice), '2026-03-12T00:00:00Z', FOR_EVER.to),
      },
      {
        query: `${word}To=2026-03-12T00:00:00Z`,
        of: (invoice) => isIn(at(invoice), FOR_EVER.from, '2026-03-12T00:00:00Z'),
      },
      {
        query: `${word}From=2026-03-01T01:00:00%2B01:00`,
        of: (invoice) => isIn(at(invoice), '2026-03-01T00:00:00Z', FOR_EVER.to),
      },
    ]);
});
const amounts = [
  ['10', '10'],
  ['10.01', '50'],
  ['0', '0.00'],
  ['-5', '10000'],
].map(
  ([from, to]): Case => ({
    query: `amountFrom=${from}&amountTo=${to}`,
    of: (invoice) => costs(invoice, from as string, to as string),
  }),
);

describe('GET /v2/invoices', () => {
  it.each([
    ...times,
    ...amounts,
    { query: 'amountFrom=50', of: (invoice: Resource) => costs(invoice, '50', '1e9') },
    { query: 'amountTo=10', of: (invoice: Resource) => costs(invoice, '-1e9', '10') },
    {
      query: 'status=ISSUED&dueTo=2026-03-15T00:00:00Z&amountFrom=20',
      of: (invoice: Resource) =>
        invoice.status === 'ISSUED' &&
        isIn(invoice.dueAt, FOR_EVER.from, '2026-03-15T00:00:00Z') &&
        costs(invoice, '20', '1e9'),
    },
  ])('?$query shows those and counts them', async ({ query, of }) => {
    const ids = all.filter(of).map(({ id }) => id);
    const whole = await list(`${query}&limit=100`);
    expect(whole.data.map(({ id }: Resource) => id)).toEqual(ids);
    expect(whole.pagination.total).toBe(ids.length);
    const second = await list(`${query}&limit=1&offset=1`);
    expect(second.data.map(({ id }: Resource) => id)).toEqual(ids.slice(1, 2));
    expect(second.pagination.total).toBe(ids.length);
  });

  const overdueOf = async (query = '') => (await list(`overdue=true&limit=100${query}`)).data;

  it('?overdue=true shows what is asked for and due on a day that is over, each by its own clock', async () => {
    const found: Resource[] = await overdueOf();
    const ids = (invoices: Resource[]) => invoices.map(({ id }) => id).toSorted();
    expect(found.map(({ grandTotal, dueAt }) => [grandTotal, dueAt])).toEqual([
      [dueByClock.grandTotal, dueByClock.dueAt],
      ['30.00', '2026-03-13T23:59:59Z'],
      ['10.010', '2026-03-01T00:00:00Z'],
      ['10.00', '2026-03-01T00:00:00Z'],
    ]);
    const unpaid = new Set(['ISSUED', 'PAYMENT_FAILED']);
    expect(found.filter(({ status, unpaidAmount }) => !unpaid.has(status) || Number(unpaidAmount) <= 0)).toEqual([]);
    const others = (await list('overdue=false&limit=100')).data;
    expect(ids([...found, ...others])).toEqual(ids(all));
    expect(ids(others)).toContain(behind.id);
    expect(time(behind.dueAt)).toBeLessThan(time('2026-03-01T00:00:00Z'));
  });

  it('?overdue=true shows an invoice as soon as its UTC day is over', async () => {
    const isShown = async () => (await overdueOf()).some(({ grandTotal }: Resource) => grandTotal === '60.00');
    env.setNow('2026-03-20T23:59:59Z');
    expect(await isShown()).toBe(false);
    env.setNow('2026-03-21T00:00:00Z');
    expect(await isShown()).toBe(true);
    env.setNow(TODAY);
  });

  it('?invoiceNumber= shows the one with this number', async () => {
    const numbered = all.filter(({ invoiceNumber }) => invoiceNumber !== null);
    expect(numbered.length).toBeGreaterThan(5);
    for (const { id, invoiceNumber } of numbered.slice(0, 3))
      expect((await list(`invoiceNumber=${invoiceNumber}`)).data.map((row: Resource) => row.id)).toEqual([id]);
    expect((await list(`invoiceNumber=${numbered[0]?.invoiceNumber.slice(0, -1)}`)).data).toEqual([]);
  });

  it('shows nothing of another merchant by any filter', async () => {
    const other = await env.merchant();
    for (const query of ['overdue=true', 'overdue=false', 'amountFrom=0', 'issuedFrom=2000-01-01T00:00:00Z'])
      expect((await other.get(`/v2/invoices?${query}`)).body.pagination.total).toBe(0);
  });

  it.each([
    { query: 'issuedFrom=2026-03-02T00:00:00Z&issuedTo=2026-03-02T00:00:00Z', field: 'issuedTo' },
    { query: 'dueFrom=2026-03-02T00:00:00Z&dueTo=2026-03-01T00:00:00Z', field: 'dueTo' },
    { query: 'amountFrom=2&amountTo=1.99', field: 'amountTo' },
    { query: 'issuedFrom=yesterday', field: 'issuedFrom' },
    { query: 'dueTo=2026-02-30T00:00:00Z', field: 'dueTo' },
    { query: 'amountFrom=ten', field: 'amountFrom' },
    { query: 'amountTo=1e400', field: 'amountTo' },
    { query: 'overdue=maybe', field: 'overdue' },
    { query: 'invoiceNumber=', field: 'invoiceNumber' },
    { query: 'issuedAt=2026-03-02T00:00:00Z', field: 'issuedAt' },
  ])('?$query is a 400 about $field', async ({ query, field }) => {
    const { status, body } = await merchant.get(`/v2/invoices?${query}`);
    expect([status, body.error]).toEqual([400, 'validation_error']);
    expect(JSON.stringify(body)).toContain(`"${field}"`);
  });
});

describe('the statements of the list', () => {
  const [OWN, FOREIGN] = [2_000, 20_000];
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client({ connectionString: env.url });
    await client.connect();
    await fillTable();
  }, 60_000);
  afterAll(async () => {
    await client.query('set session_replication_role = replica');
    await client.query(`delete from invoice where invoice_number like 'COPY-%'`);
    await client.query(`call count_list_again('invoice')`);
    await client.end();
  });

  /** Copies one invoice many times, an hour apart, without its effects. Most copies belong to another merchant. */
  async function fillTable() {
    const { rows } = await client.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'invoice'::regclass and attnum > 0
          and not attisdropped and attgenerated = '' and attidentity = ''`,
    );
    const changed: Record<string, string> = {
      merchant_id: `case when n <= ${OWN} then t.merchant_id else 'org_other' end`,
      id: `'inv_' || lpad(n::text, 22, '0')`,
      invoice_number: `'COPY-' || n`,
      issued_at: `t.issued_at + n * interval '1 hour'`,
      due_at: `t.due_at + n * interval '1 hour'`,
    };
    const names = rows.map(({ name }) => name);
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into invoice (${names.join()}) select ${names.map((name) => changed[name] ?? `t.${name}`).join()}
         from (select * from invoice where status = 'PAID' and merchant_id = '${merchant.id}' limit 1) t,
              generate_series(1, ${OWN + FOREIGN}) n`,
    );
    await client.query('set session_replication_role = origin');
    await client.query(`call count_list_again('invoice')`);
    await client.query('vacuum analyze invoice');
  }

  /** The parts of the plans of all statements about invoices that a request sends. */
  async function planOf(query: string): Promise<Record<string, unknown>[]> {
    const noted = noteStatements();
    try {
      await list(query);
    } finally {
      noted.stop();
    }
    const parts: Record<string, unknown>[] = [];
    const look = (part: unknown): void => {
      if (typeof part !== 'object' || part === null) return;
      parts.push(part as Record<string, unknown>);
      for (const each of Object.values(part)) look(each);
    };
    for (const { text, values, begin } of noted.sent.values()) {
      if (!/from "?invoice\b/.test(text)) continue;
      await client.query(begin);
      try {
        look((await client.query({ text: `explain (format json) ${text}`, values: [...values] })).rows);
      } finally {
        await client.query('rollback');
      }
    }
    return parts.filter((part) => part['Relation Name'] === 'invoice');
  }

  it.each([
    { query: 'limit=10', indexes: ['invoice_order'] },
    { query: 'limit=10&offset=1000', indexes: ['invoice_order'] },
    {
      query: 'issuedFrom=2026-05-01T00:00:00Z&issuedTo=2026-05-02T00:00:00Z&limit=5',
      indexes: ['invoice_by_issued_at'],
    },
    { query: 'dueFrom=2026-05-01T00:00:00Z&dueTo=2026-05-02T00:00:00Z&limit=5', indexes: ['invoice_by_due_at'] },
    { query: 'amountFrom=58&amountTo=61&limit=1', indexes: ['invoice_by_amount'] },
    { query: 'overdue=true&limit=1', indexes: ['invoice_unpaid'] },
    { query: 'invoiceNumber=COPY-77&limit=1', indexes: ['invoice_number'] },
  ])('?$query reads $indexes, never the whole table', async ({ query, indexes }) => {
    const plan = await planOf(query);
    expect(plan.length).toBeGreaterThan(0);
    expect(plan.filter((part) => part['Node Type'] === 'Seq Scan')).toEqual([]);
    expect([...new Set(plan.flatMap((part) => part['Index Name'] ?? []))]).toEqual(expect.arrayContaining(indexes));
  });
});
