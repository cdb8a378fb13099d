import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { newOrder, orderLine } from '../../test/support/orders.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';
import { sql, type Tx } from '../db/index.ts';
import { MapOut } from '../http/index.ts';
import type { ApprovalKind } from '../identity/index.ts';
import { ok, orThrow, type Result } from '../kernel/result.ts';
import {
  changeOrder,
  contentOfOrder,
  findOrder,
  isPushAllowed,
  lockOrder,
  markApproved,
  markRecalled,
  markRejected,
  markSubmitted,
  markWithdrawn,
  type Order,
  type OrderDependencies,
} from './index.ts';
import { updateOrder } from './orders.sql.ts';
import { updateOrderBy } from './orders.ts';

/** The work of schedules and approvals on orders, with stand-ins for both that record their calls. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
let heard: string[];
let isPushed: boolean;
let schedules: unknown[];
let given: Map<string, Set<ApprovalKind>>;
const NOW = '2026-03-10T09:30:00Z';
const now = Temporal.Instant.from(NOW);

const hears = (event: string) => async (_: Tx, order: Order) => {
  heard.push(`${event} ${order.approvalStatus}`);
};
const dependencies: OrderDependencies = {
  environment: 'sandbox',
  scheduleReply: MapOut,
  schedulesOf: async () => new Map(),
  contentOfSchedules: async (_tx, _merchantIds, ids) => new Map(ids.map((id) => [id, schedules])),
  totalOfSchedules: async () => null,
  requestApprovals: async (_tx, _order, _content, by) => void heard.push(`approval requested by ${by}`),
  hasPushed: async (_tx, _merchantIds, ids) => new Set(isPushed ? ids : []),
  cancelApprovals: async (_tx, _order, by) => void heard.push(`approvals cancelled by ${by}`),
  approvedKinds: async (_tx, _order, hash) => given.get(hash) ?? new Set(),
  approvedContents: async () => [],
  holdersOf: async () => [],
  listeners: [
    { approved: hears('approved'), reopened: hears('reopened') },
    { changed: hears('changed'), cancelled: hears('cancelled') },
  ],
};

beforeAll(async () => {
  env = await openTestEnvironment({ audited: false }); // approvals are stand-ins here, so no order has one
  env.setNow(NOW);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  customer = await shop.customer();
});
beforeEach(() => {
  [heard, isPushed, schedules, given] = [[], false, [], new Map()];
});
afterAll(() => env.close());

type Move = (dependencies: OrderDependencies, tx: Tx, order: Order, at: typeof now) => Promise<Result<Order>>;
const scope = () => ({ merchants: [merchant.id] });
const withLocked = <T>(id: string, work: (tx: Tx, order: Order) => Promise<T>): Promise<T> =>
  env.database.transaction(scope(), async (tx) =>
    work(tx, orThrow(await lockOrder(tx, { merchantId: merchant.id, id }, now)).order),
  );
const move = (id: string, by: Move) => withLocked(id, (tx, order) => by(dependencies, tx, order, now));
const statusOf = async (id: string): Promise<string> => (await shop.read(`/v0/orders/${id}`)).approvalStatus;
const edit = (id: string, body: object) =>
  env.database.transaction(scope(), (tx) =>
    updateOrderBy(dependencies, tx, { merchantId: merchant.id, id }, body, { by: 'usr_a', wall: now }),
  );

/** An order that was brought to a standing by its moves. */
async function orderIn(standing: string): Promise<Resource> {
  const order = await newOrder(shop, customer);
  if (standing !== 'draft') orThrow(await move(order.id, markSubmitted));
  if (standing === 'approved' || standing === 'pushed') orThrow(await move(order.id, markApproved));
  if (standing === 'rejected') orThrow(await move(order.id, markRejected));
  isPushed = standing === 'pushed';
  heard = [];
  return order;
}
const outbox = async (id: string) =>
  env.database.transaction(scope(), (tx) =>
    tx.rows<{ type: string; data: object }>(
      sql`select type, data from outbox where data->>'orderId' = ${id} order by seq`,
    ),
  );

describe('an edit of the content', () => {
  it.each([
    { standing: 'draft', after: 'draft', told: ['approvals cancelled by usr_a', 'changed draft'] },
    { standing: 'pending', after: 'draft', told: ['approvals cancelled by usr_a', 'changed draft'] },
    { standing: 'rejected', after: 'draft', told: ['approvals cancelled by usr_a', 'changed draft'] },
    { standing: 'approved', after: 'draft', told: ['reopened draft', 'approvals cancelled by usr_a', 'changed draft'] },
    {
      standing: 'pushed',
      after: 'pending',
      told: ['approvals cancelled by usr_a', 'approval requested by usr_a', 'changed pending'],
    },
  ])('of a $standing order leaves it $after', async ({ standing, after, told }) => {
    const { id } = await orderIn(standing);
    expect(await edit(id, { defaultPaymentTermDays: 14 })).toMatchObject({
      ok: true,
      value: { approvalStatus: after },
    });
    expect(heard).toEqual(told);
    expect(await statusOf(id)).toBe(after);
  });

  it.each([
    { termStartDate: '2025-12-01T00:00:00Z' },
    { termEndDate: '2027-06-01T00:00:00Z' },
    { totalAmount: '99.99' },
    { taxExempt: true },
  ])('is %j', async (body) => {
    const { id } = await orderIn('pending');
    await edit(id, body);
    expect(await statusOf(id)).toBe('draft');
  });
});

describe('an edit of anything else', () => {
  it.each([
    { standing: 'draft', after: 'draft' },
    { standing: 'pending', after: 'pending' },
    { standing: 'approved', after: 'approved' },
    { standing: 'pushed', after: 'approved' },
    { standing: 'rejected', after: 'draft' },
  ])('of a $standing order leaves it $after, and tells nobody', async ({ standing, after }) => {
    const { id } = await orderIn(standing);
    const body = {
      metadata: { a: 'b' },
      closeDate: NOW,
      resellerId: 'r',
      sellingEntity: 'S',
      termEndDate: '2027-01-01T00:00:00Z', // as it is
      totalAmount: '100.00', // as it is
    };
    expect(await edit(id, body)).toMatchObject({ ok: true, value: { approvalStatus: after } });
    expect(heard).toEqual([]);
  });
});

describe('a change of what belongs to an order', () => {
  const put = (id: string, after: unknown[]) =>
    withLocked(id, (tx, order) =>
      changeOrder(dependencies, tx, order, { by: 'usr_b', now }, async () => {
        schedules = after;
        return ok('done');
      }),
    );

  it('takes a pending approval back where the schedules are others afterwards', async () => {
    const { id } = await orderIn('pending');
    expect(await put(id, [{ id: 'bsch_a' }])).toMatchObject({ ok: true, value: { value: 'done' } });
    expect(heard).toEqual(['approvals cancelled by usr_b', 'changed draft']);
    expect(await statusOf(id)).toBe('draft');
  });

  it('leaves it where they are the same', async () => {
    schedules = [{ id: 'bsch_a', startDate: 'x' }];
    const { id } = await orderIn('pending');
    await put(id, [{ startDate: 'x', id: 'bsch_a' }]);
    expect([heard, await statusOf(id)]).toEqual([[], 'pending']);
  });
});

describe('the moves of an approval', () => {
  it('submit, approve: the listeners and the webhook hear of it', async () => {
    const { id } = await newOrder(shop, customer);
    expect(await move(id, markSubmitted)).toMatchObject({ value: { approvalStatus: 'pending' } });
    expect(await move(id, markApproved)).toMatchObject({ value: { approvalStatus: 'approved' } });
    expect(heard).toEqual(['approved approved']);
    const data = { merchantId: merchant.id, orderId: id, customerId: customer.id, sequence: 1 };
    expect(await outbox(id)).toEqual([{ type: 'order.approved.v0', data }]);
  });

  it.each([
    { standing: 'pending', by: markRecalled, after: 'draft', told: [] },
    { standing: 'pending', by: markRejected, after: 'rejected', told: [] },
    { standing: 'approved', by: markWithdrawn, after: 'draft', told: ['reopened draft'] },
    { standing: 'approved', by: markRecalled, after: 'approved', told: [] },
    { standing: 'pushed', by: markRejected, after: 'approved', told: [] },
    { standing: 'pushed', by: markApproved, after: 'approved', told: ['approved approved'] },
  ])('of a $standing order: $by.name leads to $after', async ({ standing, by, after, told }) => {
    const { id } = await orderIn(standing);
    expect(await move(id, by)).toMatchObject({ ok: true, value: { approvalStatus: after } });
    expect(heard).toEqual(told);
  });

  it.each([
    { standing: 'draft', by: markApproved },
    { standing: 'draft', by: markRecalled },
    { standing: 'rejected', by: markSubmitted },
    { standing: 'rejected', by: markApproved },
    { standing: 'pushed', by: markWithdrawn },
  ])('refuse $by.name of a $standing order', async ({ standing, by }) => {
    const { id } = await orderIn(standing);
    const before = await shop.read(`/v0/orders/${id}`);
    expect(await move(id, by)).toMatchObject({ ok: false, refusal: { code: 'INVALID_TRANSITION' } });
    expect(await shop.read(`/v0/orders/${id}`)).toEqual(before);
  });

  it('an order without lines, or with another total than its lines, is not submitted', async () => {
    const empty = await newOrder(shop, customer, { lineItems: [] });
    expect(await move(empty.id, markSubmitted)).toMatchObject({ refusal: { code: 'ORDER_WITHOUT_LINES' } });
    const other = await newOrder(shop, customer, { totalAmount: '120' });
    expect(await move(other.id, markSubmitted)).toMatchObject({
      refusal: { code: 'ORDER_TOTAL_DIFFERS', details: { totalAmount: '120', lineItemsTotal: '100' } },
    });
    await shop.create(`/v0/orders/${other.id}/lineItems`, orderLine({ quantity: '0.4', totalPrice: '20' }));
    expect(await move(other.id, markSubmitted)).toMatchObject({ value: { approvalStatus: 'pending' } });
  });
});

it('a submission and an edit that come at once leave nothing pending but what was submitted', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { id } = await newOrder(shop, customer);
    const submit = withLocked(id, async (tx, order) => {
      orThrow(await markSubmitted(dependencies, tx, order, now));
      return (await contentOfOrder(dependencies, tx, order)).dataSnapshotHash;
    });
    const [submitted] = await Promise.all([submit, edit(id, { termEndDate: '2028-01-01T00:00:00Z' })]);
    const { approvalStatus, dataSnapshotHash, termEndDate } = await shop.read(`/v0/orders/${id}`);
    expect(termEndDate).toBe('2028-01-01T00:00:00Z');
    expect(approvalStatus).toBe(submitted === dataSnapshotHash ? 'pending' : 'draft');
  }
});

describe('a cancellation', () => {
  it.each(['draft', 'pending', 'approved', 'pushed', 'rejected'])('of a %s order is told, once', async (standing) => {
    const { id } = await orderIn(standing);
    const status = await statusOf(id);
    expect(await edit(id, { cancelledAt: '2026-08-01T00:00:00Z', metadata: { why: 'moved' } })).toMatchObject({
      value: { approvalStatus: standing === 'rejected' ? 'draft' : status, metadata: { why: 'moved' } },
    });
    expect(heard).toEqual(['approvals cancelled by usr_a', expect.stringMatching(/^cancelled /)]);
    const told = (await outbox(id)).filter(({ type }) => type === 'order.cancelled.v0');
    expect(told).toMatchObject([{ data: { orderId: id, customerId: customer.id, merchantId: merchant.id } }]);
    for (const body of [{ cancelledAt: NOW }, { cancelledAt: null }, { metadata: {} }, { taxExempt: true }, {}])
      expect(await edit(id, body)).toMatchObject({ ok: false, refusal: { code: 'INVALID_TRANSITION' } });
    expect(await move(id, markSubmitted)).toMatchObject({ ok: false, refusal: { details: { status: 'cancelled' } } });
  });

  it('alone leaves the status as it is, as a PATCH of nothing does', async () => {
    const { id } = await orderIn('rejected');
    expect(await edit(id, {})).toMatchObject({ value: { approvalStatus: 'rejected' } });
    expect(await edit(id, { cancelledAt: NOW })).toMatchObject({ value: { approvalStatus: 'rejected' } });
  });

  it('changes what else is sent first, so that its approvals see the content that was cancelled', async () => {
    const { id } = await orderIn('pending');
    await edit(id, { cancelledAt: '2026-08-01T00:00:00Z', termEndDate: '2026-12-01T00:00:00Z' });
    expect(heard).toEqual([
      'approvals cancelled by usr_a',
      'changed draft',
      'approvals cancelled by usr_a',
      'cancelled draft',
    ]);
  });
});

describe('invoices of an order may be made', () => {
  const isAllowed = (id: string): Promise<boolean> =>
    withLocked(id, (tx, order) => isPushAllowed(dependencies, tx, order));
  const require = (order: readonly ApprovalKind[]) =>
    shop.change(`/v0/organizations/${merchant.id}`, { settings: { requiredApprovals: { order } } });

  it.each([
    { standing: 'draft', allowed: false },
    { standing: 'pending', allowed: false },
    { standing: 'rejected', allowed: false },
    { standing: 'approved', allowed: true },
    { standing: 'pushed', allowed: true },
  ])('of a $standing one: $allowed', async ({ standing, allowed }) => {
    expect(await isAllowed((await orderIn(standing)).id)).toBe(allowed);
  });

  it('while every required kind was given for the present content', async () => {
    const { id } = await orderIn('pushed');
    await require(['data_review', 'financial_review']);
    const hash = async () => (await shop.read(`/v0/orders/${id}`)).dataSnapshotHash;
    expect(await isAllowed(id)).toBe(false);
    given.set(await hash(), new Set(['data_review']));
    expect(await isAllowed(id)).toBe(false);
    given.set(await hash(), new Set(['data_review', 'financial_review', 'push']));
    expect(await isAllowed(id)).toBe(true);
    await edit(id, { termEndDate: '2027-02-01T00:00:00Z' });
    expect(await isAllowed(id)).toBe(false);
    await edit(id, { termEndDate: '2027-01-01T00:00:00Z' }); // as it was approved
    expect(await isAllowed(id)).toBe(true);
    await edit(id, { cancelledAt: '2026-08-01T00:00:00Z' });
    expect(await isAllowed(id)).toBe(true);
    await require([]);
  });

  it('not of one that was cancelled with a content that nobody approved', async () => {
    const { id } = await orderIn('pushed');
    await edit(id, { termEndDate: '2027-02-01T00:00:00Z', cancelledAt: '2026-08-01T00:00:00Z' });
    expect(await isAllowed(id)).toBe(false);
  });
});

it('locks an order against everybody who would change it', async () => {
  const { id } = await newOrder(shop, customer);
  await withLocked(id, async () => {
    const other = env.database.transaction(scope(), async (tx) => {
      await tx.run(sql`set local lock_timeout = 50`);
      await updateOrder(tx, { merchantId: merchant.id, id }, { taxExempt: true }, now);
    });
    await expect(other).rejects.toThrow(/lock timeout/);
  });
  const found = await env.database.transaction(scope(), (tx) => findOrder(tx, { merchantId: merchant.id, id }));
  expect(found?.taxExempt).toBe(false);
});
