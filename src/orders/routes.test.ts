import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { newOrder, orderBody, orderLine } from '../../test/support/orders.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  customer = await shop.customer();
});
afterAll(() => env.close());

describe('POST /v0/orders', () => {
  it('answers the order of §2 with its lines, and GET the same', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const item = await shop.create('/v0/items', { name: 'Seat' });
    const line = orderLine({ itemId: item.id, description: 'Seats', metadata: { sku: 'S' } });
    const made = await merchant.post(
      '/v0/orders',
      orderBody(customer, {
        type: 'new_business',
        closeDate: '2026-02-20T00:00:00Z',
        defaultPaymentTermDays: 30,
        resellerId: 'partner 7',
        sellingEntity: 'Acme GmbH',
        taxExempt: true,
        metadata: { deal: '42' },
        lineItems: [line],
      }),
    );
    expect(made).toMatchObject({ status: 201 });
    const id = expect.stringMatching(/^ord_[0-9A-Za-z]{22}$/);
    const times = { createdAt: '2026-03-01T00:00:00Z', updatedAt: '2026-03-01T00:00:00Z' };
    expect(made.body).toEqual({
      id,
      object: 'order',
      merchantId: merchant.id,
      customerId: customer.id,
      resellerId: 'partner 7',
      taxExempt: true,
      sellingEntity: 'Acme GmbH',
      currency: 'USD',
      approvalStatus: 'draft',
      cancelledAt: null,
      type: 'new_business',
      termStartDate: '2026-01-01T00:00:00Z',
      termEndDate: '2027-01-01T00:00:00Z',
      closeDate: '2026-02-20T00:00:00Z',
      totalAmount: '100.00',
      defaultPaymentTermDays: 30,
      metadata: { deal: '42' },
      lineItems: [
        {
          id: expect.stringMatching(/^oli_[0-9A-Za-z]{22}$/),
          object: 'order_line_item',
          orderId: made.body.id,
          itemId: item.id,
          description: 'Seats',
          quantity: '2',
          listUnitPrice: '50',
          discountUnitAmount: '0',
          unitPrice: '50',
          totalPrice: '100.00',
          termStartDate: null,
          termEndDate: null,
          metadata: { sku: 'S' },
          ...times,
        },
      ],
      billingSchedules: [],
      dataSnapshotHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      testClockId: null,
      ...times,
    });
    expect((await merchant.get(`/v0/orders/${made.body.id}`)).body).toEqual(made.body);
  });

  it('takes an order without lines, and fills the defaults', async () => {
    const { lineItems: _, ...body } = orderBody(customer);
    const made = await merchant.post('/v0/orders', body);
    expect(made).toMatchObject({
      status: 201,
      body: {
        lineItems: [],
        totalAmount: '0.00',
        type: null,
        closeDate: null,
        resellerId: null,
        sellingEntity: null,
        taxExempt: false,
        defaultPaymentTermDays: 0,
        metadata: {},
      },
    });
  });
});

describe('PATCH and DELETE /v0/orders/{id}', () => {
  it('changes what is sent, cancels, and then takes no more edits', async () => {
    const order = await newOrder(shop, customer);
    const changed = await shop.change(`/v0/orders/${order.id}`, { closeDate: '2026-02-01T00:00:00Z' });
    expect(changed).toMatchObject({ closeDate: '2026-02-01T00:00:00Z', approvalStatus: 'draft' });
    expect(changed.dataSnapshotHash).toBe(order.dataSnapshotHash);
    const cancelled = await shop.change(`/v0/orders/${order.id}`, { cancelledAt: '2026-02-02T00:00:00Z' });
    expect(cancelled).toMatchObject({ cancelledAt: '2026-02-02T00:00:00Z', approvalStatus: 'draft' });
    expect(await merchant.patch(`/v0/orders/${order.id}`, { metadata: {} })).toMatchObject({
      status: 409,
      body: { code: 'INVALID_TRANSITION' },
    });
  });

  it('deletes a draft', async () => {
    const order = await newOrder(shop, customer);
    expect(await merchant.delete(`/v0/orders/${order.id}`)).toMatchObject({ status: 204, text: '' });
    expect(await merchant.get(`/v0/orders/${order.id}`)).toMatchObject({ status: 404 });
  });
});

describe('/v0/orders/{id}/lineItems', () => {
  it('adds, changes and deletes lines; the total follows', async () => {
    const order = await newOrder(shop, customer);
    const path = `/v0/orders/${order.id}/lineItems`;
    const line = await shop.create(path, orderLine({ discountUnitAmount: '5', unitPrice: '45', totalPrice: '90' }));
    expect((await shop.read(`/v0/orders/${order.id}`)).totalAmount).toBe('190.00');
    expect(await shop.change(`${path}/${line.id}`, { quantity: '3' })).toMatchObject({ totalPrice: '135.00' });
    expect(await shop.read(`${path}/${line.id}`)).toMatchObject({ quantity: '3' });
    expect((await shop.read(path)).data.map(({ id }: Resource) => id)).toEqual([line.id, order.lineItems[0].id]);
    expect(await merchant.delete(`${path}/${line.id}`)).toMatchObject({ status: 204 });
    expect(await shop.read(`/v0/orders/${order.id}`)).toMatchObject({ totalAmount: '100.00', lineItems: [{}] });
  });
});
