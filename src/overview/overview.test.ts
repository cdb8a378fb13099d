import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, shopOf } from '../../test/support/shop.ts';
import { sql } from '../db/index.ts';
import { eventTallyChore } from '../metering/index.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

const read = async (by: Client, query = ''): Promise<Resource> => {
  const { status, body, text } = await by.get(`/v0/overview${query}`);
  expect(status, text).toBe(200);
  return body;
};
const steps = (overview: Resource): string[] =>
  overview.checklist.filter(({ done }: Resource) => done).map(({ step }: Resource) => step);
const total = async (by: Client, path: string): Promise<number> => (await by.get(path)).body.pagination.total;

describe('the overview of a new merchant', () => {
  it('has no figures and no step done', async () => {
    env.setNow('2026-03-31T12:00:00Z');
    const merchant = await env.merchant();
    const overview = await read(merchant);
    expect(overview).toMatchObject({
      object: 'overview',
      merchantId: merchant.id,
      at: '2026-03-31T12:00:00Z',
      unpaid: [],
      overdue: [],
      failedPayments: [],
      invoices: { failed: 0, draft: 0 },
      parkedJobs: [],
      webhookEndpoints: { failing: 0, disabled: 0 },
      mails: { held: 0, failed: 0 },
      subscriptions: { active: 0, pendingPayment: 0, ending: 0 },
      revenue: [],
    });
    expect(overview.events).toHaveLength(30);
    expect(overview.events.at(0)).toEqual({ day: '2026-03-02', count: 0 });
    expect(overview.events.at(-1)).toEqual({ day: '2026-03-31', count: 0 });
    expect(overview.checklist).toEqual(
      ['eventReceived', 'eventPriced', 'clockAdvanced', 'invoicePaid', 'webhookDelivered'].map((step) => ({
        step,
        done: false,
        at: null,
      })),
    );
  });
});

describe('the overview of a merchant at work', () => {
  it('has the figures of the lists that it names', async () => {
    env.setNow('2026-03-10T12:00:00Z');
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    const bill = async (fields: Record<string, unknown> = {}) =>
      shop.create('/v2/invoices', {
        customerId: (await shop.customer()).id,
        currency: 'EUR',
        autoApprove: true,
        lines: [{ displayName: 'Work', quantity: 1, unitPrice: '100.50' }],
        ...fields,
      });
    const paid = await bill();
    await shop.create(`/v2/invoices/${paid.id}/payments`, {
      amount: paid.unpaidAmount,
      method: 'cash',
      idempotencyKey: 'paid',
    });
    await bill();
    await bill({ currency: 'JPY', lines: [{ displayName: 'Work', quantity: 1, unitPrice: '300' }] });
    await bill({ autoApprove: false });
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { startedAt: '2026-03-10T12:00:00Z' });
    await shop.subscribe(plan, { startedAt: '2026-03-10T12:00:00Z' });
    await shop.change(`/v0/subscriptions/${subscription.id}`, { endingAt: '2026-05-01T00:00:00Z' });

    const now = await read(merchant);
    expect(now.unpaid.map(({ currency, count }: Resource) => [currency, count])).toEqual([
      ['EUR', 1],
      ['JPY', 1],
    ]);
    expect(now.unpaid[1].amount).toMatch(/^\d+$/);
    expect(now.overdue).toEqual([]);
    expect(now.invoices).toEqual({ failed: 0, draft: 1 });
    expect(now.subscriptions).toEqual({ active: 2, pendingPayment: 0, ending: 1 });
    expect(await total(merchant, '/v2/invoices?unpaid=true')).toBe(2);
    expect(await total(merchant, '/v2/invoices?unpaid=false&limit=100')).toBe(4);
    expect(await total(merchant, '/v0/subscriptions?ending=true')).toBe(1);
    expect(await total(merchant, '/v0/subscriptions?ending=false')).toBe(1);
    expect(now.mails.held).toBe(await total(merchant, '/v0/mails?status=held'));
    expect(now.revenue.map(({ currency }: Resource) => currency)).toEqual(['EUR', 'JPY']);
    expect(now.revenue[0].months).toHaveLength(12);
    expect(now.revenue[0].months.at(-1)).toEqual({ month: '2026-03-01T00:00:00Z', netRevenue: '201.00' });
    const report = (
      await merchant.get(
        '/v0/revenue?startTime=2026-03-01T00:00:00Z&endTime=2026-04-01T00:00:00Z&bucketWidth=month&currency=EUR',
      )
    ).body;
    expect(now.revenue[0].months.at(-1).netRevenue).toBe(report.netRevenue);

    env.setNow('2026-06-10T12:00:00Z');
    const later = await read(merchant);
    expect(later.overdue.map(({ currency, count }: Resource) => [currency, count])).toEqual(
      later.unpaid.map(({ currency, count }: Resource) => [currency, count]),
    );
    expect(later.overdue[0].count + later.overdue[1].count).toBe(await total(merchant, '/v2/invoices?overdue=true'));
  });

  it('counts events by the day of their time, before and after they are tallied', async () => {
    env.setNow('2026-03-10T12:00:00Z');
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    const { id } = await shop.customer();
    const days = async () =>
      (await read(merchant)).events
        .filter(({ count }: Resource) => count > 0)
        .map(({ day, count }: Resource) => [day, count]);
    await shop.use(id, '2026-03-08T23:59:59Z', 1);
    await shop.use(id, '2026-03-09T00:00:00Z', 1);
    await shop.use(id, '2026-01-01T00:00:00Z', 1);
    const expected = [
      ['2026-03-08', 1],
      ['2026-03-09', 1],
    ];
    expect(await days()).toEqual(expected);
    for (let turn = 0; turn < 3; turn += 1)
      await eventTallyChore.run(env.database, Temporal.Instant.from('2026-03-10T12:00:00Z'));
    expect(await days()).toEqual(expected);
    const tallied = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows(sql`select day::text, event_count::int as count from event_day_tally order by day`),
    );
    expect(tallied).toHaveLength(3);
    await shop.use(id, '2026-03-09T10:00:00Z', 1);
    expect(await days()).toEqual([
      ['2026-03-08', 1],
      ['2026-03-09', 2],
    ]);
    expect(steps(await read(merchant))).toEqual(['eventReceived']);
  });

  it('ticks the steps that the records show', async () => {
    env.setNow(null);
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    const metric = await shop.metric();
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const customer = await shop.customer();
    const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
    const subscription = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-05T00:00:00Z', 3);
    expect(steps(await read(merchant))).toEqual(['eventReceived']);
    await shop.advance(clock, 'P1M1D');
    expect(steps(await read(merchant))).toEqual(['eventReceived', 'eventPriced', 'clockAdvanced']);
    const [invoice] = await shop.invoices(subscription);
    await shop.create(`/v2/invoices/${invoice.id}/payments`, {
      amount: invoice.unpaidAmount,
      method: 'cash',
      idempotencyKey: 'first',
    });
    const { checklist } = await read(merchant);
    expect(checklist.filter(({ done }: Resource) => !done)).toEqual([
      { step: 'webhookDelivered', done: false, at: null },
    ]);
    expect(checklist[1].at).toMatch(/^2026-02-0/);
  });

  it('shows parked jobs and failing endpoints', async () => {
    const merchant = await env.merchant();
    await env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
      await tx.run(sql`
        insert into due_failure (merchant_id, kind, id, due_at, attempts, error, parked_at)
        values (${merchant.id}, 'mail', 'mail_1', '2026-01-01', 5, 'boom', '2026-01-01')`);
    });
    expect((await read(merchant)).parkedJobs).toEqual([{ kind: 'mail', count: 1 }]);
    expect((await read(await env.merchant())).parkedJobs).toEqual([]);
    await env.database.transaction({ merchants: [merchant.id] }, (tx) => tx.run(sql`delete from due_failure`));
  });
});

it('is of one merchant, for its viewers; an operator names it', async () => {
  const merchant = await env.merchant();
  const other = await env.merchant();
  await shopOf(other).paid();
  expect((await read(await env.userOf(merchant, 'viewer'))).checklist.every(({ done }: Resource) => !done)).toBe(true);
  expect((await merchant.get(`/v0/overview?merchantId=${other.id}`)).status).toBe(403);
  expect((await env.platform.get('/v0/overview')).body.errors).toMatchObject([{ field: 'merchantId' }]);
  expect(steps(await read(env.platform, `?merchantId=${other.id}`))).toContain('invoicePaid');
});
