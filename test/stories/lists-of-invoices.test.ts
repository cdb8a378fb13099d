import { afterAll, beforeAll, expect, it } from 'vitest';
import { CountedDatabase } from '../support/counted-database.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { START, shopOf } from '../support/shop.ts';

/** The statements of a list of invoices do not grow with the list. */

let env: TestEnvironment;
const databases: CountedDatabase[] = [];
beforeAll(async () => {
  env = await openTestEnvironment({
    openDatabase: (options) => {
      const database = new CountedDatabase(options);
      databases.push(database);
      return database;
    },
  });
});
afterAll(() => env.close());

/** A merchant with so many subscriptions with usage in a month. */
async function open(customers: number): Promise<string> {
  env.setNow(START);
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const product = await shop.product();
  const { id: billableMetricId } = await shop.metric({ productId: product.id });
  const plan = await shop.plan([await shop.feePrice(), await shop.usagePrice({ billableMetricId })], {
    productId: product.id,
  });
  for (let place = 0; place < customers; place += 1) {
    const { id } = await shop.subscribe(plan, { startedAt: START });
    await shop.use(id, '2026-01-07T00:00:00Z', 10 + place);
  }
  return merchant.id;
}

it('of 8 invoices asks as many statements as one of 2', async () => {
  const [few, many] = [await open(2), await open(8)];
  for (const month of ['02', '03']) {
    for (const { lists } of databases) lists.length = 0;
    env.setNow(`2026-${month}-01T00:00:00Z`);
    await env.runDueWork();
    if (month === '02') continue; // the first list asks what the process knows from then on
    const countsOf = (id: string) =>
      databases
        .flatMap(({ lists }) => lists)
        .filter(({ merchantId }) => merchantId === id)
        .map(({ statements }) => statements);
    const counts = countsOf(few);
    expect(counts.length).toBeGreaterThan(0);
    expect(countsOf(many)).toEqual(counts);
  }
});
