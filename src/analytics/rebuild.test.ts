import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Shop, shopOf } from '../../test/support/shop.ts';
import { rebuildRevenue } from './rebuild.ts';
import { addAllChanges } from './sums.ts';

let env: TestEnvironment;
let owner: pg.Client;
let merchantId: string;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow('2026-03-10T09:30:00Z');
  owner = new pg.Client({ connectionString: env.url });
  await owner.connect();
  const merchant = await env.merchant();
  merchantId = merchant.id;
  shop = shopOf(merchant);
  const customer = await shop.customer({ taxRates: 19 });
  for (const unitPrice of ['100', '200', '300']) {
    const lines = [{ displayName: 'Work', quantity: 1, unitPrice }];
    const bill = { customerId: customer.id, currency: 'USD', autoApprove: true, lines };
    const { id, unpaidAmount } = await shop.create('/v2/invoices', bill);
    await shop.create(`/v2/invoices/${id}/payments`, {
      amount: unpaidAmount,
      method: 'cash',
      idempotencyKey: unitPrice,
    });
    if (unitPrice === '200') await addAllChanges(env.database, merchantId);
    if (unitPrice === '300') await shop.create(`/v2/invoices/${id}/refunds`);
  }
});
afterAll(async () => {
  await owner.end();
  await env.close();
});

const report = () =>
  shop.read('/v0/revenue?startTime=2026-03-01T00:00:00Z&endTime=2026-04-01T00:00:00Z&groupBy=customer');
const facts = async () => (await owner.query('select * from revenue_fact order by id')).rows;

describe('a rebuilt report of revenue', () => {
  it('is what it was where nothing is wrong', async () => {
    const before = [await report(), await facts()];
    expect(await rebuildRevenue(env.database)).toEqual({ facts: 0, sums: 0 });
    expect([await report(), await facts()]).toEqual(before);
  });

  it.each([
    { what: 'sums that are lost', broken: 'delete from revenue_sum', wrong: 'sums' },
    { what: 'sums that are wrong', broken: 'update revenue_sum set amount = amount + 1', wrong: 'sums' },
    {
      what: 'a sum of what never was',
      broken: `insert into revenue_sum select merchant_id, grain, starts_at, 'EUR', member, kind, status, 1, 5, 0
                 from revenue_sum limit 1`,
      wrong: 'sums',
    },
    { what: 'changes that are lost', broken: 'delete from revenue_change', wrong: 'sums' },
    { what: 'facts that are lost', broken: `delete from revenue_fact where kind = 'refund'`, wrong: 'facts' },
    {
      what: 'facts that are wrong',
      broken: `update revenue_fact set amount = 7, counted_at = counted_at + interval '1 day' where kind = 'invoice'`,
      wrong: 'facts',
    },
    {
      what: 'a fact of what is not there',
      broken: `insert into revenue_fact select merchant_id, 'inv_gone', kind, status, counted_at, currency, customer_id,
                      subscription_id, plan_id, amount, open_amount from revenue_fact where kind = 'invoice' limit 1`,
      wrong: 'facts',
    },
  ])('is right again after $what', async ({ broken, wrong }) => {
    const before = [await report(), await facts()];
    expect((await owner.query(broken)).rowCount).toBeGreaterThan(0);
    const mended: Record<string, number> = { ...(await rebuildRevenue(env.database)) };
    expect(mended[wrong]).toBeGreaterThan(0);
    expect([await report(), await facts()]).toEqual(before);
    expect(await rebuildRevenue(env.database)).toEqual({ facts: 0, sums: 0 });
    await addAllChanges(env.database, merchantId);
    const { paidAmount } = (await shop.read('/v2/invoices?limit=1')).data[0];
    const lines = [{ displayName: 'Work', quantity: 1, unitPrice: paidAmount }];
    const customerId = (await shop.customer()).id;
    await shop.create('/v2/invoices', { customerId, currency: 'USD', autoApprove: true, lines });
    expect(await rebuildRevenue(env.database)).toEqual({ facts: 0, sums: 0 });
  });
});
