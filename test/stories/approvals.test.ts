import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { approve, decideApproval, requestApproval } from '../support/approvals.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { newOrder, orderLine } from '../support/orders.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Maker and checker (§2 Approval; domain.md §6): another user decides on a snapshot, once. */
let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(async () => {
  await env.close();
});

interface Office {
  merchant: Merchant;
  /** Asks. */
  maker: Shop;
  /** Decides: another user of the merchant. */
  checker: Shop;
  checkerUser: Merchant;
  customer: Resource;
}

async function office(required: { invoice?: string[]; order?: string[] } = {}): Promise<Office> {
  const merchant = await env.merchant();
  const maker = shopOf(merchant);
  const checkerUser = await env.userOf(merchant, 'member');
  await maker.change(`/v0/organizations/${merchant.id}`, { settings: { requiredApprovals: required } });
  return { merchant, maker, checker: shopOf(checkerUser), checkerUser, customer: await maker.customer() };
}

const told = (merchantId: string, like: string) =>
  env.database.transaction({ merchants: [merchantId] }, (tx) =>
    tx.rows<{ type: string; data: Record<string, unknown> }>(
      sql`select type, data from outbox where merchant_id = ${merchantId} and type like ${like} order by seq`,
    ),
  );

const oneOff = ({ maker, customer }: Office, fields: Record<string, unknown> = {}) =>
  maker.create('/v2/invoices', {
    customerId: customer.id,
    currency: 'USD',
    lines: [{ displayName: 'Advice', quantity: 1, unitPrice: '50', taxRate: 0 }],
    ...fields,
  });

describe('an approval', () => {
  // Proves 2.approval.object, 2.approval.resourceType, 2.approval.resourceId, 2.approval.kind.
  // Proves 2.approval.decision, 2.approval.requester, 2.approval.reviewer, 2.approval.note.
  // Proves 2.approval.dataSnapshotHash, 2.approval.createdAt, 2.approval.decidedAt.
  it('is what §2 says, as it is requested and as it is decided', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const { merchant, maker, checker, checkerUser, customer } = await office();
    const order = await newOrder(maker, customer);
    const asked = await maker.create(`/v0/orders/${order.id}/approvals`, { note: 'Please look', kind: 'data_review' });
    expect(asked).toEqual({
      id: expect.stringMatching(/^apr_[0-9A-Za-z]{22}$/),
      object: 'approval',
      merchantId: merchant.id,
      resourceType: 'order',
      resourceId: order.id,
      kind: 'data_review',
      decision: 'pending',
      requester: merchant.userId,
      reviewer: null,
      note: 'Please look',
      requestNote: 'Please look',
      dataSnapshotHash: order.dataSnapshotHash,
      decidedAt: null,
      pushedAt: null,
      createdAt: '2026-03-01T00:00:00Z',
    });
    env.setNow('2026-03-02T00:00:00Z');
    const decided = await decideApproval(checker, asked, 'approved', 'Fine');
    expect(decided).toEqual({
      ...asked,
      decision: 'approved',
      reviewer: checkerUser.userId,
      note: 'Fine',
      decidedAt: '2026-03-02T00:00:00Z',
    });
    expect(await maker.read(`/v0/approvals/${asked.id}`)).toEqual(decided);
    expect(
      (await told(merchant.id, 'approval.%')).map(({ type, data }) => [type, data.decision, data.sequence]),
    ).toEqual([
      ['approval.requested.v0', 'pending', 1],
      ['approval.decided.v0', 'approved', 2],
    ]);
  });

  it('is not decided by its requester, who can cancel it', async () => {
    const { merchant, maker, customer } = await office();
    const order = await newOrder(maker, customer);
    const asked = await requestApproval(maker, order);
    for (const decision of ['approved', 'rejected']) {
      const { status, body } = await merchant.patch(`/v0/approvals/${asked.id}`, { decision });
      expect([status, body.error, body.code]).toEqual([403, 'forbidden', 'SELF_APPROVAL']);
    }
    expect(await decideApproval(maker, asked, 'cancelled')).toMatchObject({ decision: 'cancelled', reviewer: null });
    expect((await maker.read(`/v0/orders/${order.id}`)).approvalStatus).toBe('draft');
  });

  it('is cancelled by its requester or an admin, and by no other member', async () => {
    const { merchant, maker, checker, checkerUser, customer } = await office();
    const asked = await requestApproval(checker, await newOrder(maker, customer));
    const other = await env.userOf(merchant, 'member');
    expect((await other.patch(`/v0/approvals/${asked.id}`, { decision: 'cancelled' })).status).toBe(403);
    expect(await decideApproval(maker, asked, 'cancelled')).toMatchObject({ requester: checkerUser.userId });
  });

  it('is requested and decided by an operator on behalf of users of the merchant', async () => {
    const { merchant, maker, checkerUser, customer } = await office();
    const order = await newOrder(maker, customer);
    const path = `/v0/orders/${order.id}/approvals`;
    const asked = await env.platform.post(path, { requester: merchant.userId });
    expect(asked.body).toMatchObject({ requester: merchant.userId, decision: 'pending' });
    const own = await env.platform.patch(`/v0/approvals/${asked.body.id}`, {
      decision: 'approved',
      actorId: merchant.userId,
    });
    expect([own.status, own.body.code]).toEqual([403, 'SELF_APPROVAL']);
    const done = await env.platform.patch(`/v0/approvals/${asked.body.id}`, {
      decision: 'approved',
      actorId: checkerUser.userId,
    });
    expect(done.body).toMatchObject({ decision: 'approved', reviewer: checkerUser.userId });
    expect((await merchant.post(path, { requester: checkerUser.userId })).status).toBe(403);
    const stranger = await env.merchant();
    expect((await env.platform.post(path, { requester: stranger.userId, kind: 'push' })).status).toBe(403);
  });

  it('is one of a kind at a time, and of several kinds at once', async () => {
    const { merchant, maker, customer } = await office();
    const order = await newOrder(maker, customer);
    const first = await requestApproval(maker, order);
    const { status, body } = await merchant.post(`/v0/orders/${order.id}/approvals`, {});
    expect([status, body.code, body.details]).toEqual([
      409,
      'APPROVAL_PENDING',
      { approvalId: first.id, kind: 'data_review' },
    ]);
    await requestApproval(maker, order, 'financial_review');
    const all = await maker.read(`/v0/approvals?resourceId=${order.id}`);
    expect(all.data.map(({ kind }: Resource) => kind)).toEqual(['financial_review', 'data_review']);
    expect(all.pagination).toEqual({ limit: 50, offset: 0, total: 2, nextAfter: null });
  });

  it('is decided once', async () => {
    const { maker, checker, checkerUser, customer } = await office();
    const asked = await requestApproval(maker, await newOrder(maker, customer));
    await decideApproval(checker, asked, 'rejected');
    for (const decision of ['approved', 'rejected', 'cancelled']) {
      const { status, body } = await checkerUser.patch(`/v0/approvals/${asked.id}`, { decision });
      expect([decision, status, body.code]).toEqual([decision, 409, 'INVALID_TRANSITION']);
    }
  });

  // Proves 2.approval.kind, 2.approval.resourceType.
  it.each([
    ['an unknown kind', { kind: 'gut_feeling' }, 'kind'],
    ['a hash that is none', { dataSnapshotHash: 'abc' }, 'dataSnapshotHash'],
    ['a note that is too long', { note: 'n'.repeat(1001) }, 'note'],
    ['a note that is no text', { note: 7 }, 'note'],
    ['a resource type that has no approvals', { resourceType: 'customer' }, 'resourceType'],
    ['an unknown field', { reviewer: 'me' }, 'reviewer'],
    ['an actor that is no user', { actorId: 'cus_1' }, 'actorId'],
  ])('is refused with %s', async (_, fields, field) => {
    const { merchant, maker, customer } = await office();
    const order = await newOrder(maker, customer);
    const { status, body } = await merchant.post('/v0/approvals', {
      resourceType: 'order',
      resourceId: order.id,
      ...fields,
    });
    expect([status, body.error]).toEqual([400, 'validation_error']);
    expect(body.errors.map((each: { field: string }) => each.field)).toContain(field);
  });

  it('of a resource of another type or merchant is a 404 or a 403', async () => {
    const { merchant, maker, customer } = await office();
    const order = await newOrder(maker, customer);
    const wrong = await merchant.post('/v0/approvals', { resourceType: 'invoice', resourceId: order.id });
    expect([wrong.status, wrong.body.details]).toEqual([404, { field: 'resourceId' }]);
    const stranger = await env.merchant();
    expect((await stranger.post(`/v0/orders/${order.id}/approvals`, {})).status).toBe(403);
    const foreign = await stranger.post('/v0/approvals', { resourceType: 'order', resourceId: order.id });
    expect(foreign.status).toBe(403);
  });
});

describe('an order', () => {
  // Proves 2.order.approvalStatus.
  it('is pending until every required kind is approved', async () => {
    const { merchant, maker, checker, customer } = await office({ order: ['data_review', 'financial_review'] });
    const order = await newOrder(maker, customer);
    await approve(maker, checker, order, 'data_review');
    expect((await maker.read(`/v0/orders/${order.id}`)).approvalStatus).toBe('pending');
    await approve(maker, checker, order, 'financial_review');
    expect((await maker.read(`/v0/orders/${order.id}`)).approvalStatus).toBe('approved');
    expect(await told(merchant.id, 'order.%')).toHaveLength(1);
  });

  // Proves 2.order.approvalStatus.
  it('that is rejected cancels what is asked beside it, and an edit reopens it', async () => {
    const { maker, checker, customer } = await office({ order: ['data_review', 'financial_review'] });
    const order = await newOrder(maker, customer);
    const beside = await requestApproval(maker, order, 'financial_review');
    await decideApproval(checker, await requestApproval(maker, order), 'rejected', 'Too cheap');
    expect((await maker.read(`/v0/orders/${order.id}`)).approvalStatus).toBe('rejected');
    expect((await maker.read(`/v0/approvals/${beside.id}`)).decision).toBe('cancelled');
    await maker.change(`/v0/orders/${order.id}`, { taxExempt: true });
    expect((await maker.read(`/v0/orders/${order.id}`)).approvalStatus).toBe('draft');
  });

  it('that is edited while pending is a draft again, and its approval is cancelled', async () => {
    const { merchant, maker, checkerUser, customer } = await office();
    const order = await newOrder(maker, customer);
    const asked = await requestApproval(maker, order, 'data_review', { dataSnapshotHash: order.dataSnapshotHash });
    await maker.create(`/v0/orders/${order.id}/lineItems`, orderLine({ description: 'Support' }));
    expect((await maker.read(`/v0/approvals/${asked.id}`)).decision).toBe('cancelled');
    expect((await maker.read(`/v0/orders/${order.id}`)).approvalStatus).toBe('draft');
    expect((await checkerUser.patch(`/v0/approvals/${asked.id}`, { decision: 'approved' })).status).toBe(409);
    const stale = await merchant.post(`/v0/orders/${order.id}/approvals`, { dataSnapshotHash: order.dataSnapshotHash });
    expect([stale.status, stale.body.code]).toEqual([409, 'SNAPSHOT_STALE']);
  });

  it('that is approved is a draft again when the approval is cancelled', async () => {
    const { maker, checker, customer } = await office();
    const order = await newOrder(maker, customer);
    const approval = await approve(maker, checker, order);
    await decideApproval(maker, approval, 'cancelled');
    expect((await maker.read(`/v0/orders/${order.id}`)).approvalStatus).toBe('draft');
  });

  it('without lines cannot be submitted', async () => {
    const { merchant, maker, customer } = await office();
    const order = await newOrder(maker, customer, { lineItems: [] });
    const { status, body } = await merchant.post(`/v0/orders/${order.id}/approvals`, {});
    expect([status, body.code]).toEqual([409, 'ORDER_WITHOUT_LINES']);
  });

  it('is compared with what was approved, line by line', async () => {
    const { maker, customer } = await office();
    const order = await newOrder(maker, customer, {
      lineItems: [orderLine({ description: 'Seats' }), orderLine({ description: 'Support' })],
    });
    const asked = await requestApproval(maker, order);
    expect(await maker.read(`/v0/approvals/${asked.id}/changes`)).toMatchObject({ isStale: false, changes: [] });
    const [seats] = order.lineItems;
    await maker.change(`/v0/orders/${order.id}/lineItems/${seats.id}`, { quantity: '3', totalPrice: '150' });
    await maker.change(`/v0/orders/${order.id}`, { defaultPaymentTermDays: 30 });
    const { changes, isStale, dataSnapshotHash } = await maker.read(`/v0/approvals/${asked.id}/changes`);
    expect(isStale).toBe(true);
    expect(dataSnapshotHash).toBe((await maker.read(`/v0/orders/${order.id}`)).dataSnapshotHash);
    expect(changes.map(({ path, text }: Resource) => [path, text])).toEqual([
      ['totalAmount', 'Total amount changed from 200 to 250.'],
      ['defaultPaymentTermDays', 'Default payment term days changed from 0 to 30.'],
      [`lineItems[${seats.id}].quantity`, 'Line item “Seats”: quantity changed from 2 to 3.'],
      [`lineItems[${seats.id}].totalPrice`, 'Line item “Seats”: total price changed from 100 to 150.'],
    ]);
  });

  it('that is pushed sends a webhook with its default external references', async () => {
    const { merchant, maker, checker, customer } = await office();
    const order = await newOrder(maker, customer);
    for (const [externalId, isDefault] of [
      ['A-1', false],
      ['A-2', true],
    ])
      await maker.create('/v0/externalReferences', {
        entityType: 'customer',
        entityId: customer.id,
        provider: 'netsuite',
        externalId,
        isDefault,
      });
    await approve(maker, checker, order);
    expect(await told(merchant.id, 'order.pushed.v0')).toEqual([]);
    const push = await approve(maker, checker, order, 'push');
    const [event, ...others] = await told(merchant.id, 'order.pushed.v0');
    expect(others).toEqual([]);
    expect(event?.data).toMatchObject({
      orderId: order.id,
      customerId: customer.id,
      approvalId: push.id,
      externalReferences: [{ entityType: 'customer', entityId: customer.id, provider: 'netsuite', externalId: 'A-2' }],
    });
    expect((await maker.read(`/v0/approvals/${push.id}`)).pushedAt).not.toBeNull();
    expect(await told(merchant.id, 'order.approved.v0')).toHaveLength(1);
  });
});

describe('an invoice', () => {
  it('waits in DRAFT until every required kind is approved, and is issued with the last', async () => {
    const at = await office({ invoice: ['data_review', 'financial_review'] });
    const { merchant, maker, checker } = at;
    const draft = await oneOff(at, { autoApprove: true });
    expect(draft).toMatchObject({ status: 'DRAFT', dataSnapshotHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const early = await merchant.post(`/v2/invoices/${draft.id}/approve`, {});
    expect([early.status, early.body.code, early.body.details]).toEqual([
      409,
      'APPROVAL_PENDING',
      { missing: ['data_review', 'financial_review'] },
    ]);
    await approve(maker, checker, draft, 'data_review');
    const half = await merchant.post(`/v2/invoices/${draft.id}/approve`, {});
    expect([half.status, half.body.details]).toEqual([409, { missing: ['financial_review'] }]);
    const last = await approve(maker, checker, draft, 'financial_review');
    const issued = await maker.invoice(draft.id);
    expect(issued).toMatchObject({ status: 'ISSUED', invoiceNumber: 'INV-000001', grandTotal: '50.00' });
    expect(await maker.read(`/v0/approvals/${last.id}/changes`)).toMatchObject({ isStale: false });
    const late = await merchant.patch(`/v0/approvals/${last.id}`, { decision: 'cancelled' });
    expect([late.status, late.body.code]).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('of a subscription waits too, and its approvals are cancelled when it is calculated again', async () => {
    const { maker, checker } = await office({ invoice: ['data_review'] });
    const clock = await maker.clock(START);
    const subscription = await maker.subscribe(await maker.plan([await maker.feePrice()]), { clock });
    await maker.advance(clock, 'P1M');
    const [draft] = await maker.invoices(subscription);
    const asked = await requestApproval(maker, { ...draft, object: 'invoice' });
    await maker.act(`/v2/invoices/${draft.id}/recalculate`, { reason: 'New tax' });
    expect((await maker.read(`/v0/approvals/${asked.id}`)).decision).toBe('cancelled');
    await maker.advance(clock, 'PT1H');
    await approve(maker, checker, { ...draft, object: 'invoice' });
    expect((await maker.invoice(draft.id)).status).toBe('ISSUED');
  });

  it('that is rejected stays a draft, and can be submitted again', async () => {
    const at = await office({ invoice: ['data_review'] });
    const draft = await oneOff(at);
    await decideApproval(at.checker, await requestApproval(at.maker, draft), 'rejected');
    expect((await at.maker.invoice(draft.id)).status).toBe('DRAFT');
    await approve(at.maker, at.checker, draft);
    expect((await at.maker.invoice(draft.id)).status).toBe('ISSUED');
  });

  it('that is issued can only be pushed', async () => {
    const at = await office();
    const { merchant, maker, checker } = at;
    const invoice = await oneOff(at, { autoApprove: true });
    const review = await merchant.post('/v0/approvals', { resourceType: 'invoice', resourceId: invoice.id });
    expect([review.status, review.body.code]).toEqual([409, 'INVALID_TRANSITION']);
    await approve(maker, checker, invoice, 'push');
    const [event] = await told(merchant.id, 'invoice.pushed.v0');
    expect(event?.data).toMatchObject({ invoiceId: invoice.id, externalReferences: [] });
  });

  it('that is open yet has nothing to approve', async () => {
    const { merchant, maker } = await office();
    const subscription = await maker.subscribe(await maker.plan([await maker.feePrice()]), {
      clock: await maker.clock(START),
    });
    const [open] = await maker.invoices(subscription);
    const { status, body } = await merchant.post('/v0/approvals', { resourceType: 'invoice', resourceId: open.id });
    expect([status, body.code]).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('that is cancelled cancels its pending approvals', async () => {
    const at = await office({ invoice: ['data_review'] });
    const draft = await oneOff(at);
    const asked = await requestApproval(at.maker, draft);
    await at.maker.act(`/v2/invoices/${draft.id}/cancel`, { reason: 'Wrong' });
    expect((await at.maker.read(`/v0/approvals/${asked.id}`)).decision).toBe('cancelled');
  });
});

describe('two at one instant', () => {
  const ROUNDS = 8;

  it('that decide: one does', async () => {
    const { merchant, maker, checkerUser, customer } = await office();
    const third = await env.userOf(merchant, 'member');
    for (let round = 0; round < ROUNDS; round += 1) {
      const asked = await requestApproval(maker, await newOrder(maker, customer));
      const both = await Promise.all([
        checkerUser.patch(`/v0/approvals/${asked.id}`, { decision: 'approved' }),
        third.patch(`/v0/approvals/${asked.id}`, { decision: 'rejected' }),
      ]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const { approvalStatus } = await maker.read(`/v0/orders/${asked.resourceId}`);
      expect(approvalStatus).toBe(both[0]?.status === 200 ? 'approved' : 'rejected');
    }
  });

  it('that submit one kind: one does', async () => {
    const { merchant, maker, customer } = await office();
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = await newOrder(maker, customer);
      const all = await Promise.all([1, 2, 3].map(() => merchant.post(`/v0/orders/${order.id}/approvals`, {})));
      expect(all.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    }
  });

  it('of whom one submits and one edits: never is an approval pending for what is not there', async () => {
    const { merchant, maker, customer } = await office();
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = await newOrder(maker, customer);
      await Promise.all([
        merchant.post(`/v0/orders/${order.id}/approvals`, {}),
        merchant.patch(`/v0/orders/${order.id}`, { defaultPaymentTermDays: 14 }),
      ]);
      const { approvalStatus, dataSnapshotHash } = await maker.read(`/v0/orders/${order.id}`);
      const { data } = await maker.read(`/v0/approvals?resourceId=${order.id}&decision=pending`);
      const expected = approvalStatus === 'pending' ? [dataSnapshotHash] : [];
      expect(data.map((each: Resource) => each.dataSnapshotHash)).toEqual(expected);
    }
  });

  it('of whom one approves and one cancels or recalculates the invoice: it is issued once or not at all', async () => {
    const at = await office({ invoice: ['data_review'] });
    for (let round = 0; round < ROUNDS; round += 1) {
      const draft = await oneOff(at);
      const asked = await requestApproval(at.maker, draft);
      const action = round % 2 === 0 ? 'cancel' : 'recalculate';
      const [decided] = await Promise.all([
        at.checkerUser.patch(`/v0/approvals/${asked.id}`, { decision: 'approved' }),
        at.merchant.post(`/v2/invoices/${draft.id}/${action}`, { reason: 'Race' }),
      ]);
      await env.runDueWork();
      const { status } = await at.maker.invoice(draft.id);
      const left = action === 'cancel' ? ['CANCELLED', 'ISSUED'] : ['DRAFT', 'ISSUED'];
      expect(left).toContain(status);
      if (decided?.status !== 200) expect(status).not.toBe('ISSUED');
    }
  });
});
