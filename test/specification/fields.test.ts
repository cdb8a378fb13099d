import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { newOrder } from '../support/orders.ts';
import { intervalBody, newSchedule, putIntervals, scheduleBody } from '../support/schedules.ts';
import { type Resource, type Shop, START } from '../support/shop.ts';
import { FAR_AHEAD, newSource, newSourceEvent, openWorld, type World } from '../support/world.ts';

/** Each object of §2, made over HTTP, with the presence and the type of every field. */
let env: TestEnvironment;
let world: World;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  world = await openWorld(env);
  shop = world.shop;
});
afterAll(() => env.close());

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const is =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const integer: Check = (value) => Number.isInteger(value);
const boolean: Check = (value) => typeof value === 'boolean';
const map: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const decimal = matching(/^-?\d+(\.\d+)?$/);
const currency = matching(/^[A-Z]{3}$/);
const time = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const duration = matching(/^P(?:\d+[YMWD])+$/);
const id = (prefix: string): Check => matching(new RegExp(`^${prefix}_[0-9A-Za-z]+$`));
const invoiceId = matching(/^inv_[0-9a-f]+$/);
/** Present, and null without a value. */
const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
/** Absent or null without a value. */
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const object =
  (shape: Shape): Check =>
  (value) =>
    map(value) && wrongFields(value, shape).length === 0;

/** The fields of a resource that are missing or of another type. */
const wrongFields = (resource: Resource, shape: Shape): string[] =>
  Object.entries(shape)
    .filter(([field, check]) => !check(resource[field]))
    .map(([field]) => `${field}: ${JSON.stringify(resource[field])}`);

const expectShape = (resource: Resource, shape: Shape) => expect(wrongFields(resource, shape)).toEqual([]);

const times: Shape = { createdAt: time, updatedAt: time };
const AGGREGATION = is('SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST');
const INVOICE_STATUSES = [
  ...['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING', 'DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID', 'CANCELLED'],
  ...['WRITTEN_OFF', 'FAILED'],
];
const readAgain = (path: string, { id: of }: Resource) => shop.read(`${path}/${of}`);

describe('the fields of §2', () => {
  const subscription: Shape = {
    object: is('subscription'),
    id: id('sub'),
    merchantId: id('org'),
    customerId: id('cus'),
    planId: id('plan'),
    planVersionId: text,
    planVersionNumber: (value) => Number.isInteger(value) && Number(value) >= 1,
    name: text,
    status: is('pending_payment', 'active', 'terminated'),
    autoCharge: boolean,
    taxExempt: boolean,
    estimatedTaxRate: number,
    payment: nullable(map),
    startedAt: time,
    endingAt: nullable(time),
    terminatedAt: nullable(time),
    terminatedBy: nullable(text),
    terminationReason: nullable(text),
    paymentTermDays: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 365,
    renewalReminderEnabled: nullable(boolean),
    renewalReminderDays: nullable(integer),
    metadata: map,
    ...times,
  };

  // Proves 2.subscription.object, 2.subscription.merchantId, 2.subscription.customerId, 2.subscription.planId.
  // Proves 2.subscription.planVersionId, 2.subscription.planVersionNumber, 2.subscription.name.
  // Proves 2.subscription.estimatedTaxRate, 2.subscription.startedAt, 2.subscription.endingAt.
  // Proves 2.subscription.termination, 2.subscription.terminatedBy, 2.subscription.paymentTermDays.
  // Proves 2.subscription.renewalReminderEnabled, 2.subscription.renewalReminderDays.
  // Proves 2.subscription.testClockId, 2.subscription.metadata.
  // Proves 2.subscription.times, 1.ids.subscription, 4.subscriptions.get, 3.states.termination.
  it('subscription', async () => {
    const plan = await shop.plan([await shop.usagePrice()], { defaultTaxRate: 8.875 });
    const metadata = { tier: 'gold', seats: 3, trial: false };
    const clock = await shop.clock(START);
    const made = await shop.subscribe(plan, {
      clock,
      customer: world.customer,
      metadata,
      endingAt: FAR_AHEAD,
      renewalReminderEnabled: true,
      renewalReminderDays: 7,
      bankTransferOnly: true,
      paymentTermDays: 30,
    });
    expectShape(made, subscription);
    expect(made).toMatchObject({
      merchantId: world.customer.merchantId,
      customerId: world.customer.id,
      planId: plan.id,
      planVersionId: plan.defaultVersionId,
      planVersionNumber: 1,
      estimatedTaxRate: 8.875,
      startedAt: START,
      endingAt: FAR_AHEAD,
      paymentTermDays: 30,
      renewalReminderEnabled: true,
      renewalReminderDays: 7,
      testClockId: clock.id,
      metadata,
      terminatedAt: null,
    });
    expect(await readAgain('/v0/subscriptions', made)).toEqual(made);

    const sparse = await shop.subscribe(plan, { startedAt: new Date().toISOString() });
    expectShape(sparse, subscription);
    expect(sparse).toMatchObject({ endingAt: null, renewalReminderEnabled: null, renewalReminderDays: null });
    expect(sparse).toMatchObject({ status: 'active', payment: null, paymentTermDays: 0, autoCharge: false });
    expect(sparse.testClockId ?? null).toBeNull();

    await shop.advance(clock, 'P10D');
    const ended = await shop.change(`/v0/subscriptions/${made.id}`, {
      terminatedAt: '2026-01-05T00:00:00Z',
      terminationReason: 'Moved',
    });
    expectShape(ended, subscription);
    expect(ended).toMatchObject({
      status: 'terminated',
      terminatedAt: '2026-01-05T00:00:00Z',
      terminatedBy: world.merchant.id,
      terminationReason: 'Moved',
    });
  });

  const refund: Shape = {
    object: is('invoice_refund'),
    id: id('crn'),
    invoiceId,
    merchantId: id('org'),
    amount: decimal,
    taxAmount: decimal,
    total: decimal,
    currency,
    status: is('ISSUED', 'VOIDED'),
    externalCreditNoteId: text,
    permalink: nullable(text),
    pdfUrl: nullable(text),
    reason: nullable(text),
    createdAt: time,
    voidedAt: nullable(time),
  };

  // Proves 2.refund.object, 2.refund.id, 2.refund.invoiceId, 2.refund.merchantId, 2.refund.amount, 2.refund.taxAmount.
  // Proves 2.refund.total, 2.refund.currency, 2.refund.status, 2.refund.externalCreditNoteId, 2.refund.permalink.
  // Proves 2.refund.pdfUrl, 2.refund.reason, 2.refund.createdAt, 2.refund.voidedAt, 2.refund.required, 1.ids.refund.
  // Proves 4.invoices.refund, 4.invoices.void.
  it('invoice refund', async () => {
    const { invoice, clock } = await shop.paid();
    const path = `/v2/invoices/${invoice.id}/refunds`;
    const made = await shop.create(path, { reason: 'A gesture' });
    expectShape(made, refund);
    expect(made).toMatchObject({
      invoiceId: invoice.id,
      merchantId: world.merchant.id,
      amount: '10.00',
      taxAmount: '2.00',
      total: '12.00',
      status: 'ISSUED',
      reason: 'A gesture',
      createdAt: '2026-02-01T00:00:00Z',
      voidedAt: null,
    });
    await shop.advance(clock, 'PT1H');
    const voided = await shop.act(`${path}/${made.id}/void`, { reason: 'A mistake' });
    expectShape(voided, refund);
    expect(voided).toMatchObject({ id: made.id, status: 'VOIDED', voidedAt: '2026-02-01T01:00:00Z' });
    expect((await shop.create(path)).reason).toBeNull();
  });

  const invoice: Shape = {
    id: invoiceId,
    status: is(...INVOICE_STATUSES),
    subscriptionId: id('sub'),
    autoApprove: boolean,
    billingAnchor: time,
    periodStart: time,
    periodEnd: time,
    gracePeriodEnd: time,
    billingCadence: duration,
    subtotal: decimal,
    totalTax: decimal,
    grandTotal: decimal,
    paidAmount: decimal,
    unpaidAmount: decimal,
    invoiceNumber: nullable(text),
    sequenceNumber: integer,
    itemCount: integer,
    lineItems: nullable(map),
    tax: nullable(map),
    nextActionAt: nullable(time),
    paymentUrl: nullable(text),
    pdfUrl: nullable(text),
    permalink: nullable(text),
    pdfSource: nullable(text),
    documentWithheldReason: nullable(text),
  };

  // Proves 2.invoice.id, 2.invoice.subscriptionId, 2.invoice.autoApprove, 2.invoice.times.
  // Proves 2.invoice.billingCadence, 2.invoice.amounts, 2.invoice.invoiceNumber, 2.invoice.sequenceNumber.
  // Proves 2.invoice.itemCount, 2.invoice.lineItems, 2.invoice.tax, 2.invoice.nextActionAt, 2.invoice.links.
  // Proves 2.invoice.documentWithheldReason, 1.ids.invoice, 4.invoices.list, 4.invoices.list.subscriptionId.
  it('invoice, as lists have it', async () => {
    const { subscription: sold, clock } = await shop.paid();
    await shop.issued();
    await shop.advance(clock, 'P10D');
    const rows = await shop.read(`/v2/invoices?subscriptionId=${sold.id}`);
    expect(rows).toMatchObject({ object: 'list', pagination: { offset: 0, total: 2 } });
    for (const row of rows.data) {
      expectShape(row, invoice);
      expect(row).toMatchObject({ object: 'invoice', subscriptionId: sold.id, lineItems: null });
    }
    const [open, paid] = rows.data;
    expect(open).toMatchObject({ status: 'ACTIVE', invoiceNumber: null, sequenceNumber: 2, paymentUrl: null });
    expect(open.nextActionAt).toBe('2026-03-01T00:00:00Z');
    expect(paid).toMatchObject({
      status: 'PAID',
      autoApprove: true,
      billingAnchor: START,
      periodStart: START,
      periodEnd: '2026-02-01T00:00:00Z',
      gracePeriodEnd: '2026-02-01T00:00:00Z',
      billingCadence: 'P1M',
      subtotal: '10.00',
      totalTax: '2.00',
      grandTotal: '12.00',
      paidAmount: '12.00',
      unpaidAmount: '0.00',
      invoiceNumber: expect.stringMatching(/^INV-/),
      sequenceNumber: 1,
      itemCount: 1,
    });
    expect((await shop.read(`/v2/invoices/${paid.id}?expand=lineItems`)).lineItems.lineItems).toHaveLength(1);
  });

  // Proves 2.adjustment.object, 2.adjustment.subscriptionId, 2.adjustment.type, 2.adjustment.createdAt.
  // Proves 1.ids.adjustment, 4.subscriptions.adjustments.
  it('subscription adjustment', async () => {
    const sold = (await shop.issued()).subscription;
    const fields = {
      type: 'percentageDiscount',
      percentageDiscount: '0.35',
      effectiveFrom: START,
      effectiveTo: FAR_AHEAD,
      description: 'Launch',
    };
    const made = await shop.create(`/v0/subscriptions/${sold.id}/adjustments`, { ...fields, idempotencyKey: 'launch' });
    expectShape(made, {
      object: is('subscriptionAdjustment'),
      id: id('subadj'),
      subscriptionId: is(sold.id),
      createdAt: time,
    });
    expect(made).toMatchObject(fields);
    const endless = await shop.create(`/v0/subscriptions/${sold.id}/adjustments`, { ...fields, effectiveTo: null });
    expect(endless.effectiveTo).toBeNull();
  });

  // Proves 2.feature.object, 2.feature.name, 2.feature.type, 2.feature.owners, 2.feature.metadata, 2.feature.times.
  // Proves 1.ids.feature, 4.catalog.feature.
  it.each(['metered', 'static', 'boolean'])('feature of type %s', async (type) => {
    const key = `${type}-of-fields`;
    const body = { key, name: 'Seats', productId: world.product.id, merchantId: world.merchant.id, type };
    const made = await shop.create('/v0/features', { ...body, metadata: { a: 'b' } });
    expectShape(made, { object: is('feature'), id: id('feat'), name: text, ...times });
    expect(made).toMatchObject({ ...body, metadata: { a: 'b' } });
    const refused = await world.merchant.post('/v0/features', { ...body, key: `${key}-2`, type: 'other' });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'type' }] } });
  });

  // Proves 2.metric.object, 2.metric.texts, 2.metric.merchantId, 2.metric.productId, 2.metric.itemId.
  // Proves 2.metric.taxRate, 2.metric.times, 1.ids.billableMetric, 4.catalog.metric.
  it('billable metric', async () => {
    const item = await shop.create('/v0/items', { name: 'Pack', catalogId: world.product.id });
    const body = {
      name: 'Calls',
      description: 'Calls of the API',
      unit: 'call',
      aggregation: 'SUM',
      itemId: item.id,
      eventType: 'call',
      valueProperty: '$.a.b_1',
      groupBy: { region: '$.region' },
      eventFrom: START,
      taxRate: 8.875,
      merchantId: world.merchant.id,
    };
    const made = await shop.create('/v0/billableMetrics', body);
    expectShape(made, {
      object: is('billableMetric'),
      id: id('bm'),
      aggregation: AGGREGATION,
      taxRate: number,
      ...times,
    });
    expect(made).toMatchObject({ ...body, productId: world.product.id });
    expect((await shop.metric()).itemId).toBeNull();
  });

  // Proves 2.cost.object, 2.cost.type, 2.cost.name, 2.cost.currency, 2.cost.unitCost, 2.cost.owners, 2.cost.unit.
  // Proves 2.cost.aggregation, 2.cost.meter, 2.cost.times, 2.cost.deletedAt, 1.ids.cost, 4.catalog.cost.
  it('cost', async () => {
    const body = {
      type: 'metered',
      name: 'Compute',
      currency: 'USD',
      unit: 'second',
      aggregation: 'SUM',
      eventType: 'call',
      valueProperty: '$.units',
      groupBy: { region: '$.region' },
      productId: world.product.id,
      merchantId: world.merchant.id,
    };
    const made = await shop.create('/v0/costs', { ...body, unitCost: 0.25 });
    expectShape(made, { object: is('cost'), id: id('cst'), currency, unitCost: decimal, ...times });
    expect(made).toMatchObject({ ...body, unitCost: '0.25', deletedAt: null });
    const bad = { unitCost: 1, currency: 'USD', name: 'Bad' };
    for (const fields of [
      { type: 'fixed' },
      { valueProperty: 'units' },
      { groupBy: { a: 'b' } },
      { aggregation: 'P95' },
    ]) {
      const refused = await world.merchant.post('/v0/costs', { ...body, ...bad, ...fields });
      expect([refused.status, refused.body.error]).toEqual([400, 'validation_error']);
    }
  });

  // Proves 2.product.fields, 1.ids.product, 1.ids.organization, 4.catalog.product.
  it('product', async () => {
    const body = { name: 'API', description: 'What is sold', merchantId: world.merchant.id, metadata: { a: 'b' } };
    const made = await shop.create('/v0/products', body);
    expectShape(made, { object: is('product'), id: id('prod'), merchantId: id('org'), ...times });
    expect(made).toMatchObject(body);
  });

  // Proves 2.item.fields, 2.item.reference, 1.ids.item, 4.catalog.patchItem.
  it('item with its external references', async () => {
    const item = await shop.create('/v0/items', { name: 'Pack', metadata: { a: 'b' } });
    const reference = await shop.create('/v0/externalReferences', {
      entityType: 'item',
      entityId: item.id,
      provider: 'crm',
      externalId: 'of-fields',
      externalLabel: 'Label',
    });
    expectShape(reference, {
      object: is('externalReference'),
      id: text,
      merchantId: id('org'),
      entityId: is(item.id),
      provider: is('crm'),
      externalId: is('of-fields'),
      externalLabel: is('Label'),
      metadata: map,
      isPrimary: boolean,
      isDefault: boolean,
      ...times,
    });
    const changed = await shop.change(`/v0/items/${item.id}`, { name: 'Box', metadata: { c: 'd' } });
    expectShape(changed, { object: is('item'), id: id('itm'), merchantId: is(world.merchant.id), ...times });
    expect(changed).toMatchObject({ name: 'Box', metadata: { c: 'd' }, externalReferences: [reference] });
  });

  // Proves 2.schedule.object, 2.schedule.dates, 2.schedule.policies, 2.schedule.terms, 2.schedule.owner.
  // Proves 2.schedule.intervals, 2.order.billingSchedules.
  it('billing schedule, of an order or of a subscription', async () => {
    const schedule: Shape = {
      object: is('billing_schedule'),
      id: text,
      merchantId: is(world.merchant.id),
      status: text,
      startDate: time,
      endDate: nullable(time),
      billingAnchor: time,
      alignmentPolicy: text,
      prorationPolicy: text,
      periodPreset: text,
      metadata: map,
      paymentTermDays: nullable(integer),
      ...times,
    };
    const order = await newOrder(shop, world.customer);
    const ofOrder = await newSchedule(shop, order, { paymentTermDays: 14, metadata: { a: 'b' } });
    expectShape(ofOrder, schedule);
    expect(ofOrder).toMatchObject({
      orderId: order.id,
      subscriptionId: null,
      paymentTermDays: 14,
      metadata: { a: 'b' },
    });
    expect(ofOrder).toMatchObject({ startDate: START, billingAnchor: START, periodPreset: 'P1M' });
    expect((await readAgain('/v0/orders', order)).billingSchedules).toMatchObject([{ id: ofOrder.id }]);

    const sold = (await shop.issued()).subscription;
    const ofSubscription = await shop.create('/v0/billingSchedules', scheduleBody({ subscriptionId: sold.id }));
    expectShape(ofSubscription, schedule);
    expect(ofSubscription).toMatchObject({ orderId: null, subscriptionId: sold.id });

    for (const owners of [{}, { orderId: order.id, subscriptionId: sold.id }])
      expect((await world.merchant.post('/v0/billingSchedules', scheduleBody(owners))).status).toBe(400);

    const [interval] = await putIntervals(shop, ofOrder, [intervalBody({ unitPrice: '5', billingCadence: 'P3M' })]);
    expect(interval).toMatchObject({ billingCadence: 'P3M' });
    expect(ofOrder).not.toHaveProperty('billingCadence');
  });

  // Proves 2.grant.object, 2.grant.amount, 2.grant.times, 2.grant.recurrencePeriod, 2.grant.idempotencyKey.
  // Proves 2.grant.expiresAt, 2.grant.voidedAt, 2.grant.priority, 1.ids.grant, 1.ids.entitlement, 4.entitlements.grant.
  it('grant', async () => {
    const grant: Shape = {
      object: is('grant'),
      id: id('grt'),
      entitlementId: id('ent'),
      amount: number,
      effectiveAt: time,
      createdAt: time,
      recurrencePeriod: nullable(duration),
      idempotencyKey: nullable(text),
      expiresAt: nullable(time),
      voidedAt: nullable(time),
      resetMaxRollover: integer,
      resetMinRollover: integer,
      priority: integer,
    };
    const path = `/v1/entitlements/${world.entitlement.id}/grants`;
    const made = await shop.create(path, {
      amount: 12.5,
      idempotencyKey: 'of-fields',
      recurrencePeriod: 'P1M',
      expiresAt: FAR_AHEAD,
      priority: -3,
    });
    expectShape(made, grant);
    expect(made).toMatchObject({
      entitlementId: world.entitlement.id,
      amount: 12.5,
      idempotencyKey: 'of-fields',
      recurrencePeriod: 'P1M',
      expiresAt: FAR_AHEAD,
      voidedAt: null,
      priority: -3,
    });
    const sparse = await shop.create(path, { amount: 1 });
    expectShape(sparse, grant);
    expect(sparse).toMatchObject({ recurrencePeriod: null, idempotencyKey: null, expiresAt: null, priority: 0 });
    const { body: voided } = await world.merchant.delete(`${path}/${sparse.id}`);
    expectShape(voided, { ...grant, voidedAt: time });
  });

  // Proves 2.purchase.object, 2.purchase.ids, 2.purchase.grantAmount, 2.purchase.price, 2.purchase.paymentSessions.
  it('grant purchase', async () => {
    const path = `/v1/entitlements/${world.entitlement.id}/grants/purchase`;
    const made = await shop.create(path, { amount: 100, price: '20', idempotencyKey: 'of-fields' });
    expectShape(made, {
      object: is('grant_purchase'),
      invoiceId,
      entitlementId: is(world.entitlement.id),
      grantAmount: is(100),
      price: is('20.00'),
      currency,
      paymentSessions: list(object({ url: text, expiresAt: time, amount: decimal })),
    });
    expect(made.paymentSessions).toHaveLength(1);
  });

  // Proves 2.activeEntitlement.fields, 4.entitlements.active.
  it('active entitlement', async () => {
    const path = '/v0/entitlements/activeEntitlements';
    const { data } = await shop.read(`${path}?customerId=${world.customer.id}`);
    const metered = data.find((row: Resource) => row.id === world.entitlement.id);
    expectShape(metered, {
      object: is('entitlement'),
      id: id('ent'),
      billableMetrics: list(id('bm')),
      customerId: is(world.customer.id),
      planId: optional(id('plan')),
      productId: is(world.product.id),
      subscriptionId: optional(id('sub')),
      verifiedAt: time,
    });
    expect(metered.billableMetrics).toEqual([world.metric.id]);
    expect(await world.merchant.get(path)).toMatchObject({ status: 400, body: { errors: [{ field: 'customerId' }] } });
  });

  const source: Shape = {
    object: is('source'),
    id: id('src'),
    name: text,
    description: optional(text),
    planId: id('plan'),
    type: matching(/^[a-z]+_revenue$/),
    config: map,
    enabled: boolean,
    metadata: map,
    processingMode: is('automatic', 'manual'),
    merchantId: id('org'),
    ...times,
  };

  // Proves 2.source.object, 2.source.name, 2.source.description, 2.source.planId, 2.source.type, 2.source.config.
  // Proves 2.source.enabled, 2.source.metadata, 2.source.processingMode, 2.source.owners, 1.ids.source, 4.other.source.
  it('source', async () => {
    const made = await newSource(shop, world, 'automatic');
    expectShape(made, source);
    const body = {
      name: 'App',
      planId: world.plan.id,
      type: 'generic_revenue',
      config: { projectId: 'project' },
      metadata: { billableMetricMapping: { revenue: world.metric.id } },
    };
    const sparse = await shop.create('/v0/sources', body);
    expectShape(sparse, source);
    expect(sparse).toMatchObject({
      ...body,
      enabled: true,
      processingMode: 'automatic',
      merchantId: world.merchant.id,
    });
    const described = { ...body, description: 'Why', enabled: false, processingMode: 'manual' };
    expect(await shop.create('/v0/sources', described)).toMatchObject(described);
    const refused = {
      name: undefined,
      planId: undefined,
      type: 'revenue',
      config: {},
      metadata: {},
      processingMode: 'x',
    };
    for (const [field, value] of Object.entries(refused)) {
      const answer = await world.merchant.post('/v0/sources', { ...body, [field]: value });
      expect(answer, answer.text).toMatchObject({ status: 400, body: { error: 'validation_error' } });
      expect(answer.body.errors[0].field).toMatch(new RegExp(`^${field}`));
    }
  });

  // Proves 2.source.event, 2.source.event.errorMessage, 2.source.event.usageEventIds, 1.ids.sourceEvent.
  // Proves 3.sourceEvent.reject, 4.other.rejectEvent.
  it('source event, pending and rejected', async () => {
    const event: Shape = {
      id: id('sev'),
      sourceId: is(world.source.id),
      status: is('pending', 'processed', 'failed', 'rejected'),
      customerId: optional(id('cus')),
      subscriptionId: optional(id('sub')),
      externalEventId: text,
      errorMessage: nullable(text),
      rawData: map,
      processedAt: optional(time),
      processedBy: optional(text),
      usageEventIds: list(id('evt')),
      ...times,
    };
    const path = `/v0/sources/${world.source.id}/events`;
    const made = await newSourceEvent(shop, world.source);
    expectShape(made, event);
    expect(made).toMatchObject({ status: 'pending', errorMessage: null });
    const rejected = await shop.act(`${path}/${made.id}/reject`);
    expectShape(rejected, { ...event, processedAt: time, processedBy: text });
    expect(rejected).toMatchObject({ id: made.id, status: 'rejected', processedBy: world.merchant.userId });

    const taken = await newSourceEvent(shop, world.source, { customerExternalId: 'to-come' });
    const processed = await shop.act(`${path}/${taken.id}/approve`);
    expectShape(processed, { ...event, processedAt: time });
    expect(processed.status).toBe('processed');
    expect(processed.usageEventIds).toHaveLength(1);
    const foreign = await newSourceEvent(shop, world.source, { currency: 'EUR' });
    const failed = await shop.act(`${path}/${foreign.id}/approve`);
    expectShape(failed, { ...event, errorMessage: text });
  });

  // Proves 2.event.fields, 4.catalog.event.
  it('metering event', async () => {
    const sent = {
      type: 'call',
      source: 'https://api.example.com',
      subject: world.customer.id,
      externalSubject: 'acme-1',
      namespace: world.merchant.id,
      timestamp: '2026-01-05T00:00:00Z',
      idempotencyKey: 'of-fields',
      externalId: 'row_1',
    };
    const { status, body } = await world.merchant.post('/v0/events', { ...sent, data: { units: 1 } });
    expect(status).toBe(202);
    expectShape(body, { object: is('event'), id: id('evt') });
    expect(body).toMatchObject(sent);
  });

  // Proves 2.testClock.fields, 1.ids.testClock.
  it('test clock', async () => {
    const made = await shop.create('/v0/testClocks', { name: 'Year', description: 'end of month', currentTime: START });
    const clock: Shape = {
      id: matching(/^tc_[0-9A-Za-z]{16}$/),
      name: is('Year'),
      description: is('end of month'),
      merchantId: is(world.merchant.id),
      currentTime: is(START),
      ...times,
    };
    expectShape(made, { ...clock, deletedAt: is(null) });
    const { body: deleted } = await world.merchant.delete(`/v0/testClocks/${made.id}`);
    expectShape(deleted, { ...clock, deletedAt: time });
  });

  // Proves 2.customer.object, 2.customer.taxId, 2.customer.taxRates, 2.customer.validTaxAddress, 2.customer.times.
  // Proves 1.ids.customer, 1.ids.plan, 4.other.customer.
  it('customer', async () => {
    const customer: Shape = {
      object: is('customer'),
      id: id('cus'),
      consumerId: id('org'),
      merchantId: is(world.merchant.id),
      taxId: nullable(text),
      externalId: optional(text),
      taxRates: map,
      validTaxAddress: object({ valid: boolean, message: nullable(text) }),
      ...times,
    };
    const taxRates = { default: 20, [world.plan.id]: 10, [world.metric.id]: 5.5 };
    expect(world.plan.id).toMatch(/^plan_[0-9A-Za-z]+$/);
    const made = await shop.customer({ taxId: 'DE123456789', externalId: 'of-fields', taxRates });
    const read = await readAgain('/v0/customers', made);
    expectShape(read, customer);
    expect(read).toMatchObject({ taxId: 'DE123456789', externalId: 'of-fields', taxRates });
    const sparse = await readAgain('/v0/customers', await shop.customer());
    expectShape(sparse, { ...customer, taxId: is(null) });
  });

  // Proves 1.ids.paymentSession.
  it('payment session', () => expect(world.session.id).toMatch(/^ps_[0-9A-Za-z]+$/));
});
