import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Merchant,
  openTestEnvironment,
  type TestEnvironment,
} from '../../test/support/environment.ts';
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

const failing = (answer: Answer): string[] => {
  expect(answer, answer.text).toMatchObject({ status: 400, body: { error: 'validation_error' } });
  return answer.body.errors.map(({ field }: { field: string }) => field).toSorted();
};
const post = (fields: object) => merchant.post('/v0/orders', orderBody(customer, fields as Record<string, unknown>));
const at = (date: string) => `${date}T00:00:00Z`;

describe('POST /v0/orders', () => {
  // Proves 2.order.object, 2.order.resellerId, 2.order.taxExempt, 2.order.sellingEntity, 2.order.currency.
  // Proves 2.order.approvalStatus, 2.order.type, 2.order.dates, 2.order.term, 2.order.totalAmount.
  // Proves 2.order.defaultPaymentTermDays, 2.order.metadata, 2.order.lineItems, 2.order.times.
  // Proves 2.orderLine.object, 2.orderLine.description, 2.orderLine.quantity, 2.orderLine.prices.
  // Proves 2.orderLine.term, 2.orderLine.metadata, 4.orders.get.
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

describe('POST /v0/orders refuses', () => {
  const line = (fields: Record<string, unknown>) => ({ lineItems: [orderLine(), orderLine(fields)] });

  it.each([
    { fields: { customerId: undefined, currency: undefined }, wrong: ['currency', 'customerId'] },
    { fields: { termStartDate: undefined, termEndDate: null }, wrong: ['termEndDate', 'termStartDate'] },
    { fields: { customerId: 'ord_a' }, wrong: ['customerId'] },
    { fields: { currency: 'usd' }, wrong: ['currency'] },
    { fields: { currency: 'XXX' }, wrong: ['currency'] },
    { fields: { termStartDate: '2026-01-01' }, wrong: ['termStartDate'] },
    { fields: { termEndDate: at('2026-01-01') }, wrong: ['termEndDate'] },
    { fields: { termEndDate: at('2025-12-31') }, wrong: ['termEndDate'] },
    { fields: { termEndDate: at('2026-02-30') }, wrong: ['termEndDate'] },
    { fields: { type: 'upsell' }, wrong: ['type'] },
    { fields: { closeDate: 'soon' }, wrong: ['closeDate'] },
    { fields: { totalAmount: 100 }, wrong: ['totalAmount'] },
    { fields: { totalAmount: '-1' }, wrong: ['totalAmount'] },
    { fields: { totalAmount: '100.001' }, wrong: ['totalAmount'] },
    { fields: { currency: 'JPY', totalAmount: '100.5' }, wrong: ['totalAmount'] },
    { fields: { defaultPaymentTermDays: -1 }, wrong: ['defaultPaymentTermDays'] },
    { fields: { defaultPaymentTermDays: 366 }, wrong: ['defaultPaymentTermDays'] },
    { fields: { defaultPaymentTermDays: 1.5 }, wrong: ['defaultPaymentTermDays'] },
    { fields: { metadata: { a: {} } }, wrong: ['metadata.a'] },
    { fields: { resellerId: '' }, wrong: ['resellerId'] },
    { fields: { resellerId: 7 }, wrong: ['resellerId'] },
    { fields: { taxExempt: 'yes' }, wrong: ['taxExempt'] },
    { fields: { sellingEntity: 'x'.repeat(256) }, wrong: ['sellingEntity'] },
    { fields: { sellingEntity: 'a\0b' }, wrong: ['sellingEntity'] },
    { fields: { testClockId: 'tc_a' }, wrong: ['testClockId'] },
    { fields: { approvalStatus: 'approved' }, wrong: ['approvalStatus'] },
    { fields: { cancelledAt: at('2026-01-01') }, wrong: ['cancelledAt'] },
    { fields: { id: 'ord_a' }, wrong: ['id'] },
    { fields: { lineItems: {} }, wrong: ['lineItems'] },
    { fields: { lineItems: [7] }, wrong: ['lineItems.0'] },
    {
      fields: line({ quantity: undefined, totalPrice: null }),
      wrong: ['lineItems.1.quantity', 'lineItems.1.totalPrice'],
    },
    { fields: line({ quantity: 2 }), wrong: ['lineItems.1.quantity'] },
    { fields: line({ quantity: '-2', totalPrice: '-100' }), wrong: ['lineItems.1.quantity', 'lineItems.1.totalPrice'] },
    { fields: line({ quantity: '1e2' }), wrong: ['lineItems.1.quantity'] },
    { fields: line({ quantity: '0.1234567890123' }), wrong: ['lineItems.1.quantity'] },
    { fields: line({ listUnitPrice: '1000000000000' }), wrong: ['lineItems.1.listUnitPrice'] },
    { fields: line({ unitPrice: '49' }), wrong: ['lineItems.1.totalPrice', 'lineItems.1.unitPrice'] },
    { fields: line({ totalPrice: '100.01' }), wrong: ['lineItems.1.totalPrice'] },
    { fields: line({ discountUnitAmount: '51' }), wrong: ['lineItems.1.discountUnitAmount'] },
    { fields: line({ discountUnitAmount: '-1', unitPrice: '51' }), wrong: ['lineItems.1.discountUnitAmount'] },
    { fields: line({ itemId: 'prod_a' }), wrong: ['lineItems.1.itemId'] },
    { fields: line({ description: 'x'.repeat(1001) }), wrong: ['lineItems.1.description'] },
    { fields: line({ termStartDate: at('2025-12-31') }), wrong: ['lineItems.1.termStartDate'] },
    { fields: line({ termEndDate: at('2027-01-02') }), wrong: ['lineItems.1.termEndDate'] },
    {
      fields: line({ termStartDate: at('2026-03-01'), termEndDate: at('2026-03-01') }),
      wrong: ['lineItems.1.termEndDate'],
    },
    { fields: line({ surprise: 1 }), wrong: ['lineItems.1.surprise'] },
    { fields: { lineItems: Array.from({ length: 501 }, () => orderLine()) }, wrong: ['lineItems'] },
  ])('$wrong of $fields', async ({ fields, wrong }) => {
    const before = (await shop.read('/v0/orders')).pagination.total;
    expect(failing(await post(fields))).toEqual(wrong);
    expect((await shop.read('/v0/orders')).pagination.total).toBe(before);
  });

  it('all lines that disagree at once', async () => {
    const lineItems = [orderLine({ totalPrice: '1' }), orderLine(), orderLine({ unitPrice: '1', totalPrice: '2' })];
    expect(failing(await post({ lineItems }))).toEqual(['lineItems.0.totalPrice', 'lineItems.2.unitPrice']);
  });

  it.each([
    { fields: { customerId: 'cus_0000000000' }, field: 'customerId' },
    { fields: { testClockId: 'tc_0000000000000000' }, field: 'testClockId' },
    { fields: { lineItems: [orderLine(), orderLine({ itemId: 'itm_0000000000' })] }, field: 'lineItems.1.itemId' },
  ])('what does not exist: 404 for $field', async ({ fields, field }) => {
    expect(await post(fields)).toMatchObject({ status: 404, body: { details: { field } } });
  });

  it('what belongs to another merchant: 403', async () => {
    const stranger = shopOf(await env.merchant());
    const [theirs, item] = [await stranger.customer(), await stranger.create('/v0/items', { name: 'Theirs' })];
    const clock = await stranger.clock(at('2026-01-01'));
    const lineItems = [orderLine({ itemId: item.id })];
    for (const fields of [{ customerId: theirs.id }, { testClockId: clock.id }, { lineItems }])
      expect(await post(fields)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  });

  it('a test clock in production', async () => {
    const production = await openTestEnvironment({ environment: 'production' });
    const seller = await production.merchant();
    const buyer = await shopOf(seller).customer();
    const body = orderBody(buyer, { testClockId: 'tc_0000000000000000' });
    expect(failing(await seller.post('/v0/orders', body))).toEqual(['testClockId']);
    await production.close();
  });

  it('a viewer', async () => {
    const viewer = await env.userOf(merchant, 'viewer');
    expect(await viewer.post('/v0/orders', orderBody(customer))).toMatchObject({ status: 403 });
    expect(await viewer.get('/v0/orders')).toMatchObject({ status: 200 });
  });
});

describe('amounts', () => {
  it.each([
    { currency: 'JPY', quantity: '3', price: '33.5', total: '101', order: '101' },
    { currency: 'KWD', quantity: '3', price: '0.0335', total: '0.101', order: '0.101' },
    { currency: 'CLF', quantity: '1', price: '0.00005', total: '0.0001', order: '0.0001' },
    { currency: 'USD', quantity: '0.3', price: '0.35', total: '0.11', order: '0.11' }, // 0.105
  ])('of $quantity at $price in $currency: $total', async ({ currency, quantity, price, total, order }) => {
    const exact = orderLine({ quantity, listUnitPrice: price, unitPrice: price, totalPrice: total });
    const made = await shop.create('/v0/orders', orderBody(customer, { currency, lineItems: [exact] }));
    expect([made.lineItems[0].totalPrice, made.totalAmount]).toEqual([total, order]);
  });

  it('of a total follow the lines until another is named, and again once their sum is', async () => {
    const order = await newOrder(shop, customer, { totalAmount: '100.00' });
    const path = `/v0/orders/${order.id}`;
    const total = async () => (await shop.read(path)).totalAmount;
    const add = () => shop.create(`${path}/lineItems`, orderLine());
    await add();
    expect(await total()).toBe('200.00');
    expect((await shop.change(path, { totalAmount: '250' })).totalAmount).toBe('250.00');
    await add();
    expect(await total()).toBe('250.00');
    await shop.change(path, { totalAmount: '300' });
    await add();
    expect(await total()).toBe('400.00');
  });
});

describe('an order on a test clock', () => {
  it('lives by its time', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const clock = await shop.clock('2026-01-31T00:00:00Z');
    const order = await newOrder(shop, customer, { testClockId: clock.id });
    expect(order).toMatchObject({ testClockId: clock.id, createdAt: '2026-01-31T00:00:00Z' });
    await shop.advance(clock, 'P1M');
    expect(await shop.change(`/v0/orders/${order.id}`, { metadata: { a: 'b' } })).toMatchObject({
      createdAt: '2026-01-31T00:00:00Z',
      updatedAt: '2026-02-28T00:00:00Z',
    });
    expect(await shop.create(`/v0/orders/${order.id}/lineItems`, orderLine())).toMatchObject({
      createdAt: '2026-02-28T00:00:00Z',
    });
  });

  it('keeps the clock until it is cancelled or its term is over', async () => {
    const clock = await shop.clock('2026-01-31T00:00:00Z');
    const { id } = await newOrder(shop, customer, { testClockId: clock.id });
    expect(await merchant.delete(`/v0/testClocks/${clock.id}`)).toMatchObject({
      status: 409,
      body: { code: 'TEST_CLOCK_IN_USE', details: { blockers: [{ type: 'order', count: 1, items: [{ id }] }] } },
    });
    await shop.advance(clock, '2027-01-01T00:00:00Z');
    expect(await merchant.delete(`/v0/testClocks/${clock.id}`)).toMatchObject({ status: 200 });
  });
});

describe('GET /v0/orders', () => {
  // Proves 4.orders.list, 4.orders.list.filters, 3.states.orderCancelled, 2.order.type.
  it('lists newest first, by customer, type and status; 50 at a time', async () => {
    const seller = await env.merchant();
    const own = shopOf(seller);
    const [one, other] = [await own.customer(), await own.customer()];
    const draft = await newOrder(own, one, { type: 'renewal' });
    const cancelled = await newOrder(own, one, { type: 'expansion' });
    const others = await newOrder(own, other);
    await own.change(`/v0/orders/${cancelled.id}`, { cancelledAt: at('2030-01-01') });
    const list = async (query: string) => {
      const { data, pagination } = await own.read(`/v0/orders${query}`);
      expect(pagination.total).toBe(data.length);
      return data.map(({ id }: Resource) => id);
    };
    expect(await list('')).toEqual([others.id, cancelled.id, draft.id]);
    expect(await list(`?customerId=${one.id}`)).toEqual([cancelled.id, draft.id]);
    expect(await list('?type=renewal')).toEqual([draft.id]);
    expect(await list('?status=draft')).toEqual([others.id, draft.id]);
    expect(await list('?status=cancelled')).toEqual([cancelled.id]);
    expect(await list(`?status=cancelled&customerId=${other.id}`)).toEqual([]);
    expect(await list(`?status=pending&merchantId=${seller.id}`)).toEqual([]);
    const all = (await env.platform.get(`/v0/orders?merchantId=${seller.id}&limit=2&offset=1`)).body;
    expect(all.data.map(({ id }: Resource) => id)).toEqual([cancelled.id, draft.id]);
    expect(all.pagination).toEqual({ limit: 2, offset: 1, total: 3, nextAfter: null });
    expect((await own.read('/v0/orders')).pagination.limit).toBe(50);
    const everywhere = (await env.platform.get('/v0/orders?limit=100')).body.data;
    expect(new Set(everywhere.map(({ merchantId }: Resource) => merchantId)).size).toBeGreaterThan(1);
    expect(everywhere.find(({ id }: Resource) => id === draft.id)).toEqual(await own.read(`/v0/orders/${draft.id}`));
  });

  it.each(['status=done', 'type=upsell', 'limit=0', 'limit=101', 'offset=-1', 'customerId=x', 'approvalStatus=draft'])(
    'is a 400 for %s',
    async (query) => expect(failing(await merchant.get(`/v0/orders?${query}`))).toEqual([query.split('=')[0]]),
  );
});

describe('PATCH /v0/orders/{id}', () => {
  it('changes what is sent and clears what is null', async () => {
    const order = await newOrder(shop, customer, { resellerId: 'r', sellingEntity: 'S', closeDate: at('2026-01-01') });
    const path = `/v0/orders/${order.id}`;
    const changed = await shop.change(path, {
      termStartDate: '2026-01-31T01:00:00+01:00',
      termEndDate: at('2026-12-31'),
      defaultPaymentTermDays: 45,
      taxExempt: true,
      metadata: { a: 1 },
      closeDate: null,
      resellerId: null,
      sellingEntity: null,
    });
    expect(changed).toMatchObject({
      termStartDate: at('2026-01-31'),
      termEndDate: at('2026-12-31'),
      defaultPaymentTermDays: 45,
      taxExempt: true,
      metadata: { a: 1 },
      closeDate: null,
      resellerId: null,
      sellingEntity: null,
    });
    expect(await shop.read(path)).toEqual(changed);
  });

  it.each([
    { body: { termEndDate: at('2026-01-01') }, wrong: ['termEndDate'] },
    { body: { termStartDate: at('2027-01-01') }, wrong: ['termEndDate'] },
    { body: { termStartDate: at('2026-02-02') }, wrong: ['termStartDate'] }, // a line begins on the 1st
    { body: { termEndDate: at('2026-02-27') }, wrong: ['termEndDate'] },
    { body: { totalAmount: '1.001' }, wrong: ['totalAmount'] },
    { body: { totalAmount: 1 }, wrong: ['totalAmount'] },
    { body: { defaultPaymentTermDays: '30' }, wrong: ['defaultPaymentTermDays'] },
    { body: { cancelledAt: 'now' }, wrong: ['cancelledAt'] },
    { body: { cancelledAt: '2026-01-01' }, wrong: ['cancelledAt'] },
    { body: { customerId: 'cus_0000000000' }, wrong: ['customerId'] },
    { body: { currency: 'EUR' }, wrong: ['currency'] },
    { body: { type: 'renewal' }, wrong: ['type'] },
    { body: { lineItems: [] }, wrong: ['lineItems'] },
    { body: { approvalStatus: 'approved' }, wrong: ['approvalStatus'] },
  ])('is a 400 for $body', async ({ body, wrong }) => {
    const order = await newOrder(shop, customer, {
      lineItems: [orderLine({ termStartDate: at('2026-02-01'), termEndDate: at('2026-02-28') })],
    });
    expect(failing(await merchant.patch(`/v0/orders/${order.id}`, body))).toEqual(wrong);
    expect(await shop.read(`/v0/orders/${order.id}`)).toEqual(order);
  });

  it('is a 404 for an unknown order, a 403 for another merchant’s', async () => {
    const { id } = await newOrder(shop, customer);
    const stranger = await env.merchant();
    expect(await merchant.patch('/v0/orders/ord_0000000000', {})).toMatchObject({ status: 404 });
    for (const [method, body] of [['patch', { taxExempt: true }], ['delete'], ['get']] as const)
      expect(await stranger[method](`/v0/orders/${id}`, body as never)).toMatchObject({ status: 403 });
  });

  it('that cancels at the same time as another one: one of them does', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await newOrder(shop, customer);
      const answers = await Promise.all(
        ['2026-05-01', '2026-06-01'].map((date) => merchant.patch(`/v0/orders/${id}`, { cancelledAt: at(date) })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const won = answers.find(({ status }) => status === 200) as Answer;
      expect(await shop.read(`/v0/orders/${id}`)).toEqual(won.body);
    }
  });

  it('that comes with ten others loses none of them', async () => {
    const { id } = await newOrder(shop, customer);
    const lines = Array.from({ length: 5 }, () => merchant.post(`/v0/orders/${id}/lineItems`, orderLine()));
    const edits = [
      { taxExempt: true },
      { resellerId: 'r' },
      { sellingEntity: 'S' },
      { defaultPaymentTermDays: 9 },
      { closeDate: at('2026-01-01') },
    ].map((body) => merchant.patch(`/v0/orders/${id}`, body));
    const answers = await Promise.all([...lines, ...edits]);
    expect(answers.map(({ status }) => status)).toEqual([...Array(5).fill(201), ...Array(5).fill(200)]);
    expect(await shop.read(`/v0/orders/${id}`)).toMatchObject({
      taxExempt: true,
      resellerId: 'r',
      sellingEntity: 'S',
      defaultPaymentTermDays: 9,
      closeDate: at('2026-01-01'),
      totalAmount: '600.00',
    });
  });
});

describe('DELETE /v0/orders/{id}', () => {
  it('takes a draft away, with its lines and its external references', async () => {
    const order = await newOrder(shop, customer);
    const reference = await shop.create('/v0/externalReferences', {
      entityType: 'order',
      entityId: order.id,
      provider: 'crm',
      externalId: order.id,
    });
    expect(await merchant.delete(`/v0/orders/${order.id}`)).toMatchObject({ status: 204, text: '' });
    for (const path of [`/v0/orders/${order.id}`, `/v0/externalReferences/${reference.id}`])
      expect(await merchant.get(path)).toMatchObject({ status: 404 });
    expect(await merchant.delete(`/v0/orders/${order.id}`)).toMatchObject({ status: 404 });
  });

  it('is a 409 for a cancelled order', async () => {
    const { id } = await newOrder(shop, customer);
    await shop.change(`/v0/orders/${id}`, { cancelledAt: at('2026-02-01') });
    expect(await merchant.delete(`/v0/orders/${id}`)).toMatchObject({
      status: 409,
      body: { code: 'INVALID_TRANSITION', details: { status: 'cancelled', allowedFrom: ['draft'] } },
    });
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
    const listed = await shop.read(path);
    expect(listed.data.map(({ id }: Resource) => id)).toEqual([line.id, order.lineItems[0].id]);
    expect(listed.pagination).toEqual({ limit: 50, offset: 0, total: 2, nextAfter: null });
    expect(await merchant.delete(`${path}/${line.id}`)).toMatchObject({ status: 204 });
    expect(await merchant.get(`${path}/${line.id}`)).toMatchObject({ status: 404 });
    expect(await shop.read(`/v0/orders/${order.id}`)).toMatchObject({ totalAmount: '100.00', lineItems: [{}] });
  });

  it.each([
    { body: { quantity: '3' }, line: { unitPrice: '40', totalPrice: '120.00' } },
    { body: { discountUnitAmount: '0' }, line: { unitPrice: '50', totalPrice: '100.00' } },
    {
      body: { listUnitPrice: '60', unitPrice: '50', totalPrice: '100' },
      line: { listUnitPrice: '60', totalPrice: '100.00' },
    },
    { body: { unitPrice: '40.0' }, line: { unitPrice: '40' } },
    { body: { description: 'D', itemId: null }, line: { description: 'D', totalPrice: '80.00' } },
    { body: { description: null, metadata: { a: 'b' } }, line: { description: null, metadata: { a: 'b' } } },
    { body: { termStartDate: at('2026-02-28') }, line: { termStartDate: at('2026-02-28'), termEndDate: null } },
    { body: {}, line: { quantity: '2' } },
  ])('PATCH of $body leaves $line', async ({ body, line }) => {
    const own = orderLine({ discountUnitAmount: '10', unitPrice: '40', totalPrice: '80' });
    const order = await newOrder(shop, customer, { lineItems: [own] });
    const path = `/v0/orders/${order.id}/lineItems/${order.lineItems[0].id}`;
    const changed = await shop.change(path, body);
    expect(changed).toEqual({ ...order.lineItems[0], ...line, ...body, ...line, updatedAt: changed.updatedAt });
    expect(await shop.read(path)).toEqual(changed);
  });

  it.each([
    { body: { unitPrice: '49' }, wrong: ['unitPrice'] },
    { body: { totalPrice: '99' }, wrong: ['totalPrice'] },
    { body: { quantity: '3', totalPrice: '100' }, wrong: ['totalPrice'] },
    { body: { listUnitPrice: '60', unitPrice: '50' }, wrong: ['unitPrice'] },
    { body: { discountUnitAmount: '50.5' }, wrong: ['discountUnitAmount'] },
    { body: { quantity: 2, orderId: 'x' }, wrong: ['orderId', 'quantity'] },
    { body: { termStartDate: at('2025-01-01') }, wrong: ['termStartDate'] },
    { body: { termEndDate: at('2026-01-01') }, wrong: ['termEndDate'] },
  ])('PATCH is a 400 for $body', async ({ body, wrong }) => {
    const order = await newOrder(shop, customer);
    const path = `/v0/orders/${order.id}/lineItems/${order.lineItems[0].id}`;
    expect(failing(await merchant.patch(path, body))).toEqual(wrong);
    expect(await shop.read(`/v0/orders/${order.id}`)).toEqual(order);
  });

  it('knows a line of its own order alone', async () => {
    const [one, other] = [await newOrder(shop, customer), await newOrder(shop, customer)];
    const path = `/v0/orders/${one.id}/lineItems/${other.lineItems[0].id}`;
    expect(await merchant.get(path)).toMatchObject({ status: 404 });
    expect(await merchant.patch(path, { quantity: '1' })).toMatchObject({ status: 404 });
    expect(await merchant.delete(path)).toMatchObject({ status: 404 });
  });

  it('takes no line more than 500', async () => {
    const { id } = await newOrder(shop, customer, { lineItems: Array.from({ length: 500 }, () => orderLine()) });
    expect(failing(await merchant.post(`/v0/orders/${id}/lineItems`, orderLine()))).toEqual(['lineItems']);
  });

  it('is made once by an Idempotency-Key', async () => {
    const { id } = await newOrder(shop, customer);
    const send = () => merchant.post(`/v0/orders/${id}/lineItems`, orderLine(), { 'idempotency-key': 'one line' });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect((await shop.read(`/v0/orders/${id}`)).lineItems).toHaveLength(2);
  });
});

describe('what an order holds', () => {
  it('is its customer, until the order is cancelled', async () => {
    const own = await shop.customer();
    const { id } = await newOrder(shop, own, { termEndDate: at('2100-01-01') });
    const refused = await merchant.delete(`/v0/customers/${own.id}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'CUSTOMER_IN_USE' } });
    expect(refused.body.details.blockers).toMatchObject([{ count: 1, items: [{ id }] }]);
    await shop.change(`/v0/orders/${id}`, { cancelledAt: at('2026-02-01') });
    expect(await merchant.delete(`/v0/customers/${own.id}`)).toMatchObject({ status: 204 });
    expect(await shop.read(`/v0/orders/${id}`)).toMatchObject({ customerId: own.id });
    expect(await merchant.post('/v0/orders', orderBody(own))).toMatchObject({ status: 404 });
  });

  it('is the item of each line', async () => {
    const item = await shop.create('/v0/items', { name: 'Seat' });
    const { id, lineItems } = await newOrder(shop, customer, { lineItems: [orderLine({ itemId: item.id })] });
    const blocker = { type: 'orderLineItem', count: 1, items: [{ id: lineItems[0].id, orderId: id }] };
    expect(await merchant.delete(`/v0/items/${item.id}`)).toMatchObject({
      status: 409,
      body: { code: 'ITEM_IN_USE', details: { blockers: [blocker] } },
    });
    await shop.change(`/v0/orders/${id}/lineItems/${lineItems[0].id}`, { itemId: null });
    expect(await merchant.delete(`/v0/items/${item.id}`)).toMatchObject({ status: 204 });
  });

  it('and a deletion that comes at once never leave a line without its item', async () => {
    for (let round = 0; round < 8; round += 1) {
      const item = await shop.create('/v0/items', { name: 'Seat' });
      const lineItems = [orderLine({ itemId: item.id })];
      const [deleted, made] = await Promise.all([merchant.delete(`/v0/items/${item.id}`), post({ lineItems })]);
      expect([`${deleted.status} ${made.status}`]).toEqual([made.status === 201 ? '409 201' : '204 404']);
    }
  });
});

it('an order has external references, and is found in them by its type alone', async () => {
  const { id } = await newOrder(shop, customer);
  const body = { entityType: 'order', entityId: id, provider: 'salesforce', externalId: '006/1', isDefault: true };
  expect(await shop.create('/v0/externalReferences', body)).toMatchObject(body);
  expect((await shop.read(`/v0/externalReferences?entityId=${id}`)).data).toHaveLength(1);
  const wrong = await merchant.post('/v0/externalReferences', { ...body, entityType: 'invoice', externalId: 'x' });
  expect(wrong).toMatchObject({ status: 404, body: { details: { field: 'entityId' } } });
});

it('who changed an order, and what it was before, stands in the audit log', async () => {
  const order = await newOrder(shop, customer);
  await shop.change(`/v0/orders/${order.id}`, { taxExempt: true });
  const [entry] = (await shop.read('/v0/auditLog')).data;
  expect(entry).toMatchObject({
    operation: 'updateOrder',
    before: { id: order.id, taxExempt: false },
    after: { taxExempt: true },
  });
});
