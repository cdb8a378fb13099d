import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';
import { openTables, type Tables } from '../support/tables.ts';

/** Invoice numbers have no gap and no duplicate, at any failure after a number was drawn (reliability I-29). */
let env: TestEnvironment;
let tables: Tables;
beforeAll(async () => {
  env = await openTestEnvironment();
  tables = await openTables(env.url);
});
afterAll(async () => {
  await tables.close();
  await env.close();
});

const COUNT = 50;

/** The given number of drafts of a merchant, each of a subscription of its own. */
async function drafts(shop: Shop): Promise<Resource[]> {
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice()], { autoApprove: false });
  const customer = await shop.customer();
  await Promise.all(Array.from({ length: COUNT }, () => shop.subscribe(plan, { clock, customer })));
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  return (await shop.read('/v2/invoices?status=DRAFT&limit=100')).data;
}

const numbers = async (merchant: Merchant, table: 'invoice' | 'credit_note') => {
  const column = table === 'invoice' ? 'invoice_number' : 'number';
  const rows = await tables.query<{ number: string }>(
    `select ${column} as number from ${table} where merchant_id = $1 and ${column} is not null order by 1`,
    [merchant.id],
  );
  return rows.map(({ number }) => number);
};
const gapless = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(6, '0')}`);

/** Every third row that is added to a table after this fails its transaction; sequences are not rolled back. */
const failEveryThird = (table: string) =>
  tables.query(`
    create sequence ${table}_attempts;
    grant usage on ${table}_attempts to reckoner_app;
    create function fail_every_third_${table}() returns trigger language plpgsql as $$
    begin
      if nextval('${table}_attempts') % 3 = 0 then raise exception 'a failure that the test asked for'; end if;
      return new;
    end $$;
    create trigger fail_every_third after insert on ${table} for each row execute function fail_every_third_${table}();`);
const heal = (table: string) => tables.query(`drop trigger fail_every_third on ${table}`);

/**
 * Sends all requests at once, and repeats failed ones until each has its answer. @returns the number of failed calls
 */
async function insist(calls: (() => Promise<number>)[], wanted: number): Promise<number> {
  let failures = 0;
  for (let left = calls; left.length > 0; ) {
    const answers = await Promise.all(left.map((call) => call()));
    const again = left.filter((_, index) => answers[index] !== wanted);
    expect(answers.filter((status) => ![wanted, 500, 503].includes(status))).toEqual([]);
    failures += again.length;
    left = again;
  }
  return failures;
}

it('fifty at once, of which every third is rolled back after its number was drawn', { timeout: 90_000 }, async () => {
  const merchant = await env.merchant();
  const invoices = await drafts(shopOf(merchant));
  expect(invoices).toHaveLength(COUNT);
  await failEveryThird('document_job'); // written in the transaction of the issue, after the number
  const approve =
    ({ id }: Resource) =>
    async () =>
      (await merchant.post(`/v2/invoices/${id}/approve`)).status;
  const failures = await insist(invoices.map(approve), 200);
  await heal('document_job');
  expect(failures).toBeGreaterThan(COUNT / 4);
  expect(await numbers(merchant, 'invoice')).toEqual(gapless('INV', COUNT));

  await failEveryThird('outbox'); // of a cancellation: after its credit note
  const cancel =
    ({ id }: Resource) =>
    async () =>
      (await merchant.post(`/v2/invoices/${id}/cancel`)).status;
  expect(await insist(invoices.slice(0, 20).map(cancel), 200)).toBeGreaterThan(0);
  await heal('outbox');
  expect(await numbers(merchant, 'credit_note')).toEqual(gapless('CN', 20));
  expect(await numbers(merchant, 'invoice')).toEqual(gapless('INV', COUNT)); // cancelled ones keep theirs
});

it('fifty at once, while connections are cut in the middle', { timeout: 90_000 }, async () => {
  const merchant = await env.merchant();
  const invoices = await drafts(shopOf(merchant));
  let isOver = false;
  const cutting = (async () => {
    while (!isOver) {
      await tables.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'reckoner' and xact_start is not null
         order by random() limit 1`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  })();
  const issue = async ({ id }: Resource) => {
    for (let tries = 0; tries < 100; tries += 1) {
      const answer = await merchant.post(`/v2/invoices/${id}/approve`);
      if (answer.status === 200) return;
      if (answer.status === 409) return; // the answer to an earlier try was lost after its commit
      expect([500, 503]).toContain(answer.status);
    }
  };
  const slice = invoices.slice(0, 30);
  await Promise.all(slice.map(issue));
  isOver = true;
  await cutting;
  await Promise.all(invoices.map(issue));
  expect(await numbers(merchant, 'invoice')).toEqual(gapless('INV', COUNT));
  const states = await tables.query<{ status: string; count: number }>(
    `select status, count(*)::int as count from invoice where merchant_id = $1 and invoice_number is not null group by status`,
    [merchant.id],
  );
  expect(states).toEqual([{ status: 'ISSUED', count: COUNT }]);
});

it('of two merchants do not meet', async () => {
  const merchants = [await env.merchant(), await env.merchant()];
  const shops = merchants.map(shopOf);
  const sold = await Promise.all(shops.map(async (shop) => (await shop.issued()).invoice.invoiceNumber));
  expect(sold).toEqual(['INV-000001', 'INV-000001']);
});
