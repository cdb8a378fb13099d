import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRunner } from '../../src/jobs/index.ts';
import { type Domains, wireDomains } from '../../src/wiring.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { immortal, Life, MortalDatabase } from '../support/mortal-database.ts';
import { newOrder, orderLine } from '../support/orders.ts';
import { billingRecords } from '../support/records.ts';
import { approveOrder, intervalBody, newSchedule, putIntervals } from '../support/schedules.ts';
import { START, shopOf } from '../support/shop.ts';
import { openTables, type Tables } from '../support/tables.ts';

/**
 * A process is killed while it invoices a schedule, and another continues: their records together equal, to the last
 * row, those of a process without a kill (reliability I-18, I-29).
 */
let env: TestEnvironment;
let tables: Tables;
let domains: Domains;
const life = new Life();
beforeAll(async () => {
  env = await openTestEnvironment({ openDatabase: (options) => new MortalDatabase(options, life) });
  tables = await openTables(env.url);
  domains = wireDomains('sandbox', 'http://localhost');
});
afterAll(async () => {
  await domains.close();
  await tables.close();
  await env.close();
});

const invoiceSchedules = (at: string): Promise<number> =>
  createRunner({
    database: env.database,
    kinds: domains.dueKinds.filter(({ kind }) => kind === 'billing_schedule'),
    now: () => Temporal.Instant.from(at),
    logger: pino({ level: 'silent' }),
  }).runOnce();

/** The end of a killed process' backend releases its locks. */
const buried = () =>
  expect
    .poll(() => tables.query('select from pg_stat_activity where pid = $1', [life.leftBehind]), {
      interval: 1,
      timeout: 10_000,
    })
    .toEqual([]);

/** Has the schedules invoiced by processes, each of which is killed one statement later than the one before. */
async function invoiceKilled(at: string): Promise<void> {
  for (let next = 0; ; next += 1) {
    life.begin((place, nth) => (place === 'committed' ? nth < next : nth === next));
    const [ended] = await Promise.allSettled([invoiceSchedules(at)]);
    const { isOver } = life;
    life.begin(immortal);
    if (isOver) await buried();
    else if (ended.status === 'rejected') throw ended.reason;
    else return;
  }
}

/** Two quarters are due at once. Then the price falls, which credits them and reduces the third. */
async function play(invoice: (at: string) => Promise<unknown>): Promise<string[]> {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  env.setNow(START);
  const figures = (price: string) => ({ listUnitPrice: price, unitPrice: price, totalPrice: price });
  const line = orderLine({ quantity: '1', ...figures('1200') });
  const order = await newOrder(shop, await shop.customer(), { lineItems: [line] });
  const schedule = await newSchedule(shop, order, { periodPreset: 'P3M' });
  const orderLineItemId = order.lineItems[0].id;
  await putIntervals(shop, schedule, [intervalBody({ orderLineItemId, billingCadence: 'P3M' })]);
  await approveOrder(env, order);
  env.setNow('2026-05-01T00:00:00Z');
  await invoice('2026-05-01T00:00:00Z');
  await shop.change(`/v0/orders/${order.id}/lineItems/${orderLineItemId}`, figures('1000'));
  await invoice('2026-05-01T00:00:00Z');
  env.setNow('2026-08-01T00:00:00Z');
  await invoice('2026-08-01T00:00:00Z');
  const written = await billingRecords(tables, merchant.id, [
    ['billing_schedule', 'seq'],
    ['schedule_invoice', 'seq'],
    ['unused_credit', 'seq'],
  ]);
  return written.map((line) => line.replace(/"idempotency_print": "[^"]*"/, '')); // a hash of an id
}

it('killed before any statement of its transactions and around their commits, it makes each invoice once', {
  timeout: 300_000,
}, async () => {
  const expected = await play(invoiceSchedules);
  expect(expected.filter((row) => row.startsWith('invoice '))).toHaveLength(3);
  expect(life.deaths).toBe(0);
  expect(await play(invoiceKilled)).toEqual(expected);
  expect(life.deaths).toBeGreaterThan(100);
});
