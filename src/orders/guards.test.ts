import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { newOrder } from '../../test/support/orders.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';
import { next } from '../kernel/state-table.ts';
import { type OrderTrigger, orderStandings, orderStates, orderTriggers, statusOf } from './states.ts';

/** The guards of the database itself. They also stop a colleague with a console. */
let env: TestEnvironment;
let owner: pg.Client;
let shop: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await openTestEnvironment({ audited: false });
  shop = shopOf(await env.merchant());
  customer = await shop.customer();
  owner = new pg.Client({ connectionString: env.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await env.close();
});

const change = (id: string, set: string) => owner.query(`update sales_order set ${set} where id = $1`, [id]);
const changeLine = (id: string, set: string) => owner.query(`update order_line_item set ${set} where id = $1`, [id]);

describe('the database', () => {
  it('knows the edges of the table of states', async () => {
    const { rows } = await owner.query('select from_status, to_status from order_edge');
    const inDatabase = rows.map(({ from_status, to_status }) => `${from_status} → ${to_status}`);
    const standings = orderStandings.filter((standing) => standing !== 'cancelled');
    const inCode = standings.flatMap((standing) =>
      (Object.keys(orderTriggers) as OrderTrigger[]).flatMap((trigger) => {
        const to = next(orderStates, standing, trigger);
        const before = statusOf(standing, 'draft');
        const after = to.ok && to.value !== 'cancelled' ? statusOf(to.value, before) : before;
        return after === before ? [] : [`${before} → ${after}`];
      }),
    );
    expect(inDatabase.toSorted()).toEqual([...new Set(inCode)].toSorted());
  });

  it.each([
    { by: 'draft', to: 'approved' },
    { by: 'draft', to: 'rejected' },
  ])('refuses a step from $by to $to', async ({ by, to }) => {
    const { id } = await newOrder(shop, customer);
    await expect(change(id, `approval_status = '${to}'`)).rejects.toThrow(`cannot go from ${by} to ${to}`);
  });

  it('keeps a cancelled order and its lines as they are', async () => {
    const { id, lineItems } = await newOrder(shop, customer);
    await change(id, `cancelled_at = '2026-02-01'`);
    await expect(change(id, 'cancelled_at = null')).rejects.toThrow('is cancelled and does not change');
    await expect(changeLine(lineItems[0].id, `description = 'x'`)).rejects.toThrow('is cancelled; its lines');
    await expect(owner.query('delete from sales_order where id = $1', [id])).rejects.toThrow('is no draft');
  });

  it.each(['customer_id = customer_id || id', `currency = 'EUR'`])('refuses %s', async (set) => {
    const { id } = await newOrder(shop, customer);
    await expect(change(id, set)).rejects.toThrow('keeps its customer, its currency and its clock');
  });

  it('deletes drafts alone', async () => {
    const { id } = await newOrder(shop, customer);
    await change(id, `approval_status = 'pending'`);
    await expect(owner.query('delete from sales_order where id = $1', [id])).rejects.toThrow('is no draft');
  });

  it.each([
    'quantity = -1',
    'list_unit_price = list_unit_price + 1',
    'discount_unit_amount = list_unit_price + 1, unit_price = -1',
    'total_price = -1',
    `term_start_date = '2026-06-01', term_end_date = '2026-06-01'`,
  ])('refuses a line with %s', async (set) => {
    const { lineItems } = await newOrder(shop, customer);
    await expect(changeLine(lineItems[0].id, set)).rejects.toThrow(/check constraint/);
  });
});
