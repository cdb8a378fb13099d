import pino from 'pino';
import { expect, it } from 'vitest';
import { clockBook } from '../../src/clocks/index.ts';
import { Database } from '../../src/db/index.ts';
import { createRunner } from '../../src/jobs/index.ts';
import { wireDomains } from '../../src/wiring.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { expectTotals } from '../support/identities.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import { openTables } from '../support/tables.ts';

/** Whatever was missed is made up for, once, by any number of workers (reliability I-18, I-21). */
const START = '2026-01-31T00:00:00Z';
const BACK = '2026-06-15T12:00:00Z';

/** Contracts on the wall clock, with usage in every month. */
async function sell(env: TestEnvironment): Promise<{ shop: Shop; merchantId: string; subscriptions: Resource[] }> {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const metric = await shop.metric();
  const usage = () => shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '0.35' } });
  const plans = [
    await shop.plan([await usage(), await shop.feePrice()], { defaultTaxRate: 20 }),
    await shop.plan([await usage()], { billingCadence: 'P3M', gracePeriod: 'PT72H' }),
    await shop.plan([await shop.feePrice({ billingCadence: 'P2W' })], { trialPeriod: 'P20D', autoApprove: false }),
    await shop.plan([await shop.feePrice()], { billingAnchor: '2026-01-10T00:00:00Z' }),
  ];
  const endings = [undefined, undefined, undefined, '2026-04-20T06:00:00Z'];
  const subscriptions = [];
  for (const [index, plan] of plans.entries())
    subscriptions.push(
      await shop.subscribe(plan, { startedAt: START, ...(endings[index] && { endingAt: endings[index] }) }),
    );
  for (const { customerId } of subscriptions)
    for (const month of ['02', '03', '04', '05', '06']) await shop.use(customerId, `2026-${month}-11T00:00:00Z`, 3);
  return { shop, merchantId: merchant.id, subscriptions };
}

/** The bills without their moments, which are late after an outage. */
async function billed(shop: Shop, subscriptions: readonly Resource[]): Promise<readonly unknown[]> {
  const found = [];
  for (const subscription of subscriptions) {
    const { status, terminatedAt } = await shop.read(`/v0/subscriptions/${subscription.id}`);
    for (const invoice of (await shop.invoices(subscription)).toSorted(bySeries)) {
      expectTotals(invoice);
      found.push({
        subscription: [subscriptions.indexOf(subscription), status, terminatedAt],
        invoice: [
          invoice.status,
          invoice.billingCadence,
          invoice.sequenceNumber,
          invoice.periodStart,
          invoice.periodEnd,
          invoice.gracePeriodEnd,
        ],
        totals: [invoice.subtotal, invoice.totalTax, invoice.grandTotal],
        lines: invoice.lines.map((line: Resource) => [
          line.invoiceDisplayName,
          line.quantity,
          line.totalPrice,
          line.periodStart,
          line.periodEnd,
        ]),
      });
    }
  }
  return found;
}

/** Of two series that are due at one moment, either may come first. */
const bySeries = (a: Resource, b: Resource): number =>
  a.billingCadence.localeCompare(b.billingCadence) || a.sequenceNumber - b.sequenceNumber;

it('an outage of months, then catching up, bills what no outage would have', { timeout: 90_000 }, async () => {
  const [steady, dark] = [await openTestEnvironment(), await openTestEnvironment()];
  try {
    for (const env of [steady, dark]) env.setNow(START);
    const [ofSteady, ofDark] = [await sell(steady), await sell(dark)];
    for (let day = 1; day <= 135; day += 2) {
      steady.setNow(
        Temporal.Instant.from(START)
          .add({ hours: 24 * day })
          .toString(),
      );
      await steady.runDueWork();
    }
    for (const env of [steady, dark]) env.setNow(BACK);
    await steady.runDueWork();
    await dark.runDueWork();
    const expected = await billed(ofSteady.shop, ofSteady.subscriptions);
    expect(expected.length).toBeGreaterThan(20);
    expect(await billed(ofDark.shop, ofDark.subscriptions)).toEqual(expected);
    const { data } = await ofDark.shop.read('/v2/invoices?status=ISSUED&limit=100');
    for (const { issuedAt } of data) expect(issuedAt).toBe(BACK); // never back-dated
  } finally {
    await steady.close();
    await dark.close();
  }
});

it('eight workers at once make one invoice of each period, also while their connections are cut', {
  timeout: 90_000,
}, async () => {
  const env = await openTestEnvironment();
  const tables = await openTables(env.url);
  const domains = wireDomains('sandbox', 'http://localhost');
  const databases = Array.from(
    { length: 8 },
    () => new Database({ url: env.url, connections: 3, onConnectionError: () => undefined }),
  );
  try {
    env.setNow(START);
    const alone = await sell(env);
    env.setNow(BACK);
    await env.runDueWork();
    const expected = await billed(alone.shop, alone.subscriptions);

    env.setNow(START);
    const together = await sell(env);
    const now = () => Temporal.Instant.from(BACK);
    const workers = databases.map((database) =>
      createRunner({
        database,
        kinds: domains.dueKinds,
        clocks: clockBook,
        now,
        logger: pino({ level: 'silent' }),
        batch: 5,
        concurrency: 2,
      }),
    );
    let isDone = false;
    const cutting = (async () => {
      for (let cuts = 0; cuts < 20 && !isDone; cuts += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await tables.query(`
          select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'reckoner' and xact_start is not null order by random() limit 1`);
      }
    })();
    // a worker with a closed connection gives up
    await Promise.all(workers.map(async (worker) => worker.runOnce().catch(() => 0)));
    isDone = true;
    await cutting;
    // no waiting for the next try
    await tables.query(`update due_failure set retry_at = null where merchant_id = $1`, [together.merchantId]);
    await Promise.all(workers.map((worker) => worker.runOnce()));
    await Promise.all(workers.map((worker) => worker.stop()));

    env.setNow(BACK);
    expect(await billed(together.shop, together.subscriptions)).toEqual(expected);
    const [{ twins } = { twins: -1 }] = await tables.query<{ twins: number }>(
      `select count(*)::int as twins from (select from invoice where merchant_id = $1
        group by subscription_id, billing_cadence, period_start having count(*) > 1) twin`,
      [together.merchantId],
    );
    expect(twins).toBe(0);
    const [numbers] = await tables.query<{ issued: number; highest: string; distinct: number }>(
      `select count(*)::int as issued, max(invoice_number) as highest, count(distinct invoice_number)::int as distinct
         from invoice where merchant_id = $1 and invoice_number is not null`,
      [together.merchantId],
    );
    expect(numbers?.highest).toBe(`INV-${String(numbers?.issued).padStart(6, '0')}`);
    expect(numbers?.distinct).toBe(numbers?.issued);
    const [circles] = await tables.query<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    expect(circles?.deadlocks).toBe(0);
    const told = await tables.query<{ count: number }>(
      `select count(*)::int as count from outbox where merchant_id = $1 and type = 'invoice.issued.v0' group by data ->> 'invoiceId'`,
      [together.merchantId],
    );
    expect(told).toEqual(Array.from({ length: numbers?.issued ?? 0 }, () => ({ count: 1 })));
  } finally {
    await domains.close();
    await Promise.all(databases.map((database) => database.close()));
    await tables.close();
    await env.close();
  }
});
