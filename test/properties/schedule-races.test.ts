import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { createRunner, type DueKind } from '../../src/jobs/index.ts';
import { type Domains, wireDomains } from '../../src/wiring.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { newOrder, orderLine } from '../support/orders.ts';
import { approveOrder, intervalBody, newSchedule, putIntervals, scheduleBody } from '../support/schedules.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';
import { openTables, type Tables } from '../support/tables.ts';

/** Background jobs that invoice schedules, beside requests that change their contracts (reliability I-18). */
let env: TestEnvironment;
let tables: Tables;
let domains: Domains;
let pushing: DueKind;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment();
  tables = await openTables(env.url);
  domains = wireDomains('sandbox', 'http://localhost');
  pushing = domains.dueKinds.find(({ kind }) => kind === 'billing_schedule') as DueKind;
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(async () => {
  await domains.close();
  await tables.close();
  await env.close();
});

const LATER = '2026-08-01T00:00:00Z';

/** An approved order of 1,200.00 over the year 2026, by months, of the wall clock. */
async function sell() {
  env.setNow(START);
  const figures = { quantity: '1', listUnitPrice: '1200', unitPrice: '1200', totalPrice: '1200' };
  const order = await newOrder(shop, await shop.customer(), { lineItems: [orderLine(figures)] });
  const schedule = await newSchedule(shop, order);
  await putIntervals(shop, schedule, [intervalBody({ orderLineItemId: order.lineItems[0].id })]);
  await approveOrder(env, order);
  return { order, schedule };
}

const within = <T>(work: Parameters<typeof env.database.transaction<T>>[1]): Promise<T> =>
  env.database.transaction({ merchants: [merchant.id] }, work);

const ORDER = { table: 'sales_order', sell };
const SUBSCRIPTION = {
  table: 'subscription',
  sell: async () => {
    env.setNow(START);
    const order = await shop.subscribe(await shop.plan([await shop.feePrice()]), { startedAt: START });
    return { order, schedule: await shop.create('/v0/billingSchedules', scheduleBody({ subscriptionId: order.id })) };
  },
};
it.each([ORDER, SUBSCRIPTION])('due work waits for a $table without its schedule', async ({ table, sell }) => {
  const { order, schedule } = await sell();
  const record = { merchantId: merchant.id, id: schedule.id };
  const asked = () => within(async (tx) => [...((await pushing.lockParents?.(tx, [record])) ?? [])]);
  await within(async (tx) => {
    await tx.run(
      sql`select from ${sql.table(table)} where merchant_id = ${merchant.id} and id = ${order.id} for update`,
    );
    expect(await asked()).toEqual([]);
  });
  expect(await asked()).toEqual([schedule.id]);
});

const worker = () =>
  createRunner({
    database: env.database,
    kinds: domains.dueKinds,
    now: () => Temporal.Instant.from(LATER),
    logger: pino({ level: 'silent' }),
    batch: 5,
    concurrency: 2,
  });
const cents = (amount: string): number => Math.round(Number(amount) * 100);

it('edits, cancellations and invoices at one time never wait in a circle, and bill what is owed', {
  timeout: 120_000,
}, async () => {
  const sold: { order: Resource; schedule: Resource }[] = [];
  for (let n = 0; n < 6; n += 1) sold.push(await sell());
  await env.runDueWork(); // January is invoiced, so each edit waits for another approval
  env.setNow(LATER);
  const workers = [worker(), worker(), worker()];
  const edited = sold.map(async ({ order, schedule }, index) => {
    const line = `/v0/orders/${order.id}/lineItems/${order.lineItems[0].id}`;
    for (const price of ['2400', '600', '3600'])
      await merchant.patch(line, { listUnitPrice: price, unitPrice: price, totalPrice: price });
    await merchant.patch(`/v0/billingSchedules/${schedule.id}`, { paymentTermDays: index });
    await approveOrder(env, order);
    if (index % 2 === 0) await shop.change(`/v0/orders/${order.id}`, { cancelledAt: '2026-04-01T00:00:00Z' });
  });
  await Promise.all([...edited, ...workers.map((each) => each.runOnce())]);
  await env.runDueWork();
  await Promise.all(workers.map((each) => each.stop()));
  for (const [index, { schedule }] of sold.entries()) {
    const rows: Resource[] = (await shop.read(`/v0/billingSchedules/${schedule.id}/invoices`)).data;
    const sum = rows.filter(({ status }) => status !== 'cancelled').reduce((all, { amount }) => all + cents(amount), 0);
    expect(sum).toBe(index % 2 === 0 ? 90_000 : 360_000);
    const due = rows.filter(({ status, billAt }) => status === 'staged' && billAt <= LATER);
    expect(due).toEqual([]);
  }
  const [circles] = await tables.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  expect(circles?.deadlocks).toBe(0);
});
