import { png } from '../../src/identity/logo/testing.ts';
import { newId } from '../../src/kernel/ids.ts';
import { newOrder, orderBody, orderLine } from './orders.ts';
import { planOfTwoVersions, waitingMigration } from './plan-migrations.ts';
import { intervalBody, newSchedule, scheduleBody } from './schedules.ts';
import { type Resource, START } from './shop.ts';
import { addUnmatchedPayment } from './unmatched-payment.ts';
import { FAR_AHEAD, newMeteredFeature, newSourceEvent, newSourceRule, storeMethod, type World } from './world.ts';

/** A call of an operation: the values of its path, its query and its body. */
export interface Call {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** Prepares the records that an operation needs in a merchant's world, and returns the call that then works. */
export type Scenario = (world: World) => Call | Promise<Call>;

const FEBRUARY = '2026-02-01T00:00:00Z';
const range = { from: START, to: FEBRUARY };

let counter = 0;
/** An address without a server. */
const HOOKS = 'http://127.0.0.1:9/hooks';
const unique = (word: string) => {
  counter += 1;
  return `${word}-${counter}`;
};

const on = (id: string, body?: unknown): Call => ({ params: { id }, ...(body !== undefined && { body }) });

/** A subscription with a first invoice that waits in DRAFT. */
export async function draft({ shop }: World): Promise<Resource> {
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice()], { autoApprove: false });
  const subscription = await shop.subscribe(plan, { clock });
  await shop.advance(clock, 'P1M');
  return (await shop.invoices(subscription))[0];
}

/** An invoice ten days after the start of its period. */
const open = async ({ shop }: World): Promise<Resource> => {
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock });
  await shop.advance(clock, 'P10D');
  return (await shop.invoices(subscription))[0];
};

const issued = async ({ shop }: World): Promise<Resource> => (await shop.issued()).invoice;
const paid = async ({ shop }: World): Promise<Resource> => (await shop.paid()).invoice;
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><path d="M0 0h20v10z"/></svg>';

/** A payment of an invoice, as in a path; its receipt is rendered, so a reading writes nothing. */
const paymentOf = async (world: World): Promise<{ id: string; paymentId: string }> => {
  const { id } = await paid(world);
  const [payment] = (await world.shop.read(`/v2/invoices/${id}/payments`)).data;
  await world.merchant.get(`/v2/invoices/${id}/payments/${payment.id}/receipt`);
  return { id, paymentId: payment.id };
};
const openSession = async (world: World): Promise<string> => (await issued(world)).paymentUrl.split('/').at(-1);
/** A payment with an open dispute. */
const disputedPayment = async ({ shop }: World): Promise<string> => {
  const { clock, invoice } = await shop.issued();
  await shop.pay(invoice, 'pm_disputed');
  await shop.advance(clock, 'P2D');
  const [payment] = (await shop.read(`/v2/invoices/${invoice.id}/payments`)).data;
  return payment.id;
};
const inParts = new WeakMap<World, Promise<Resource>>();
/** An invoice in each world with two recorded payments. */
const paidInParts = (world: World): Promise<Resource> => {
  const pay = async () => {
    const invoice = await issued(world);
    for (const idempotencyKey of [unique('part'), unique('part')])
      await world.shop.create(`/v2/invoices/${invoice.id}/payments`, { amount: '1', method: 'cash', idempotencyKey });
    return invoice;
  };
  const known = inParts.get(world) ?? pay();
  inParts.set(world, known);
  return known;
};
const someMoney = () => ({ amount: '5.00', currency: 'USD', method: 'cash', idempotencyKey: unique('receipt') });
/** A receipt of the world's customer. */
const received = async ({ shop, customer }: World) => {
  const { id: receiptId, createdAt } = await shop.create(`/v0/customers/${customer.id}/receipts`, someMoney());
  return { customerId: customer.id as string, receiptId, createdAt };
};
const withReceipts = new WeakMap<World, Promise<string>>();
/** A customer in each world with two receipts. */
const paidAhead = (world: World): Promise<string> => {
  const { shop } = world;
  const receive = async () => {
    const { id } = await shop.customer();
    for (const money of [someMoney(), someMoney()]) await shop.create(`/v0/customers/${id}/receipts`, money);
    return id as string;
  };
  const known = withReceipts.get(world) ?? receive();
  withReceipts.set(world, known);
  return known;
};
const entitled = (featureId: string) => ({ featureId, entitlementTemplate: { type: 'boolean' } });
const featureOf = ({ id }: Resource) => ({ key: unique('feature'), name: 'Feature', productId: id });
const newFeature = ({ shop, product }: World) =>
  shop.create('/v0/features', { ...featureOf(product), type: 'boolean' });
const newCost = { name: 'Cost', unitCost: 0.5, currency: 'USD' };
const newReference = ({ shop, item }: World) =>
  shop.create('/v0/externalReferences', {
    entityType: 'item',
    entityId: item.id,
    provider: 'crm',
    externalId: unique('record'),
  });
const pendingEvent = async ({ shop, source }: World) => ({
  id: source.id,
  eventId: (await newSourceEvent(shop, source)).id,
});
/** In another currency than the plan's. */
const failedEvent = async ({ shop, source }: World) => {
  const { id } = await newSourceEvent(shop, source, { currency: 'EUR' });
  await shop.act(`/v0/sources/${source.id}/events/${id}/approve`);
  return { id: source.id, eventId: id };
};
const newEndpoint = async (world: World): Promise<Resource> => {
  await dropEndpoints(world);
  return world.shop.create('/v0/webhookEndpoints', { url: HOOKS });
};
/** A merchant has at most 20: all but the standing one and the last make room. */
async function dropEndpoints({ merchant, shop, webhookEndpoint }: World): Promise<void> {
  const { data } = await shop.read('/v0/webhookEndpoints?limit=100');
  for (const { id, url } of data.slice(1))
    if (id !== webhookEndpoint.id && !url.endsWith('/v0/webhookInbox'))
      await merchant.delete(`/v0/webhookEndpoints/${id}`);
}
const newMethod = async ({ shop }: World) => {
  const customer = await shop.customer();
  return { customer, method: await storeMethod(shop, customer) };
};
const referenceTo = (entityType: string, entityId: string, merchantId: string): Call => ({
  body: { entityType, entityId, provider: 'crm', externalId: unique('record'), merchantId },
});
const newEntitlement = async ({ shop, product, metric, customer }: World) =>
  shop.create('/v1/entitlements', {
    customerId: customer.id,
    featureId: (await newMeteredFeature(shop, product)).id,
    template: { type: 'metered', billableMetricIds: [metric.id] },
    activeFrom: START,
  });
const newCoupon = (shop: World['shop'], fields: object = {}) =>
  shop.create('/v0/coupons', { name: 'Half', percentOff: '0.5', duration: 'once', ...fields });

/** What a commitment of a subscription for a year far ahead is made of. */
const commitmentOf = ({ id: subscriptionId, customerId, currency }: Resource) => ({
  ...{ customerId, subscriptionId, name: 'Contract', currency, type: 'postpaid' },
  segments: [{ startDate: FAR_AHEAD, endDate: '2151-01-01T00:00:00Z', amount: '1' }],
});
const newCommitment = ({ shop, subscription }: World) => shop.create('/v0/commitments', commitmentOf(subscription));

/** A customer with a stored card. */
async function withCard(shop: World['shop']): Promise<Resource> {
  const customer = await shop.customer();
  await storeMethod(shop, customer);
  return customer;
}

async function withTopUp(shop: World['shop']): Promise<Resource> {
  const customer = await withCard(shop);
  const topUp = { currency: 'USD', threshold: '20.00', amount: '100.00' };
  await shop.replace(`/v0/customers/${customer.id}/creditTopUp`, topUp);
  return customer;
}

const newCredit = (shop: World['shop'], customer: Resource, fields: object = {}) =>
  shop.create(`/v0/customers/${customer.id}/billingCredits`, {
    ...{ name: 'Welcome', amount: '1', currency: 'USD', effectiveAt: FAR_AHEAD, idempotencyKey: unique('credit') },
    ...fields,
  });

const newAdjustment = (shop: World['shop'], subscription: Resource) =>
  shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
    type: 'percentageDiscount',
    percentageDiscount: '0.1',
    effectiveFrom: FAR_AHEAD,
  });
/** An order of a customer of its own, so that few records need `customer`. */
const ownOrder = async ({ shop }: World): Promise<Resource> => newOrder(shop, await shop.customer());
/** A line of an order for this test alone, as in a path. */
const lineOfNewOrder = async (world: World): Promise<Call> => {
  const order = await ownOrder(world);
  return { params: { id: order.id, lineItemId: order.lineItems[0].id } };
};
/** A schedule for this test alone, with its order. */
const scheduleOfNewOrder = async ({ shop, customer }: World) => {
  const order = await newOrder(shop, customer);
  return { order, schedule: await newSchedule(shop, order) };
};
const otherPlan = async (shop: World['shop']) => shop.plan([await shop.feePrice()]);
/** A scheduled change. */
const newChange = async (shop: World['shop']) => {
  const { subscription } = await shop.issued();
  const body = { planId: (await otherPlan(shop)).id, effective: 'periodEnd' };
  return (await shop.create(`/v0/subscriptions/${subscription.id}/changes`, body)).change;
};
const migrated = new WeakMap<World, Promise<Resource>>();
/** The last of several migrations of a plan, of several subscriptions; the same in one world. */
const migratedPlan = (world: World): Promise<Resource> => {
  const often = async ({ shop }: World) => {
    const { plan } = await planOfTwoVersions(shop, 3);
    const path = `/v0/plans/${plan.id}/migrations`;
    await shop.act(path, { fromVersion: 1, toVersion: 2, dryRun: true });
    return shop.create(path, { fromVersion: 1, toVersion: 2 });
  };
  return migrated.getOrInsertComputed(world, often);
};
const ofMigration = ({ planId, id }: { planId: string; id: string }) => ({ id: planId, migrationId: id });
const changed = new WeakMap<World, Promise<string>>();
/** A subscription with a past and a scheduled change; the same in one world. */
const changedSubscription = (world: World): Promise<string> => {
  const twice = async ({ shop }: World) => {
    const { subscription } = await shop.issued();
    const path = `/v0/subscriptions/${subscription.id}/changes`;
    await shop.create(path, { planId: (await otherPlan(shop)).id });
    await shop.create(path, { planId: (await otherPlan(shop)).id, effective: 'periodEnd' });
    return subscription.id;
  };
  const made = changed.get(world) ?? twice(world);
  changed.set(world, made);
  return made;
};
/** Each time another one, so that two calls are not the same. */
const farAhead = () => {
  counter += 1;
  return Temporal.Instant.from(FAR_AHEAD).add({ seconds: counter }).toString();
};
/** Of a customer of its own: a free balance, whatever other tests have used. */
const newReservation = async (world: World) => {
  const { shop } = world;
  const entitlement = await newEntitlement({ ...world, customer: await shop.customer() });
  await shop.create(`/v1/entitlements/${entitlement.id}/grants`, { amount: 10 });
  const body = { amount: 1, expiresAt: farAhead() };
  const { id } = await shop.create(`/v1/entitlements/${entitlement.id}/reservations`, body);
  return { id: entitlement.id, reservationId: id };
};
const draftVersion = async ({ shop }: World) => {
  const plan = await shop.plan([await shop.feePrice()]);
  const version = await shop.create(`/v0/plans/${plan.id}/versions`, {
    addPrices: [(await shop.feePrice()).id],
    publish: false,
  });
  return { plan, version };
};

/**
 * The working calls of each operation: the first answers its usual status, and together they name every possible id of
 * its body. A missing route fails the tests that are generated from the list of routes.
 */
export const operations: Readonly<Record<string, readonly [Scenario, ...Scenario[]]>> = {
  createOrganization: [({ merchant }) => ({ body: { name: 'Consumer', type: 'consumer', merchantId: merchant.id } })],
  listOrganizations: [() => ({})],
  getOrganization: [({ merchant }) => on(merchant.id)],
  updateOrganization: [
    ({ merchant }) => on(merchant.id, { phone: '+44 20 0' }),
    ({ merchant, plan }) => on(merchant.id, { settings: { portal: { planChange: { plans: [plan.id] } } } }),
  ],
  putOrganizationLogo: [({ merchant }) => on(merchant.id, png())],
  getOrganizationLogo: [
    async ({ merchant }) => {
      await merchant.put(`/v0/organizations/${merchant.id}/logo`, png());
      return on(merchant.id);
    },
  ],
  deleteOrganizationLogo: [
    async ({ merchant }) => {
      await merchant.put(`/v0/organizations/${merchant.id}/logo`, png());
      return on(merchant.id);
    },
  ],
  createUser: [
    ({ merchant }) => ({
      body: { organizationId: merchant.id, email: `${unique('user')}@example.com`, role: 'viewer' },
    }),
  ],
  listUsers: [() => ({})],
  getUser: [({ merchant }) => on(merchant.userId)],
  updateUser: [({ merchant }) => on(merchant.userId, { firstName: 'Ada' })],
  createApiKey: [({ merchant }) => ({ params: { userId: merchant.userId }, body: { name: 'second' } })],
  listApiKeys: [({ merchant }) => ({ params: { userId: merchant.userId } })],
  revokeApiKey: [
    async ({ merchant, shop }) => ({
      params: {
        userId: merchant.userId,
        keyId: (await shop.create(`/v0/users/${merchant.userId}/apikeys`, { name: 'gone soon' })).id,
      },
    }),
  ],
  getMe: [() => ({})],
  listAuditLog: [() => ({})],

  createCustomer: [
    ({ merchant, plan, metric }) => ({
      body: {
        merchantId: merchant.id,
        consumer: { name: 'Customer', email: `${unique('consumer')}@example.com`, address: { country: 'GB' } },
        taxRates: { [plan.id]: 5, [metric.id]: 7, default: 20 },
      },
    }),
    async ({ merchant, env }) => {
      const consumer = await env.platform.post('/v0/organizations', {
        name: 'Consumer',
        type: 'consumer',
        merchantId: merchant.id,
      });
      return { body: { consumerId: consumer.body.id } };
    },
    ({ customer }) => ({
      body: {
        consumer: { name: 'Child', email: `${unique('child')}@example.com`, address: { country: 'GB' } },
        payerId: customer.id,
      },
    }),
  ],
  listCustomers: [() => ({})],
  getCustomer: [({ customer }) => on(customer.id)],
  updateCustomer: [
    async ({ shop, plan, metric }) =>
      on((await shop.customer()).id, {
        ...{ taxRates: { [plan.id]: 5, [metric.id]: 7 }, payerId: (await shop.customer()).id },
      }),
  ],
  deleteCustomer: [async ({ shop }) => on((await shop.customer()).id)],
  getCustomerTimeline: [({ customer }) => on(customer.id)],
  getCustomerStatement: [
    async (world) => ({
      ...on((await issued(world)).customerId),
      query: { from: '2020-01-01T00:00:00Z', to: FAR_AHEAD, currency: 'USD' },
    }),
  ],
  getWallet: [({ customer }) => on(customer.id)],
  listWalletEntries: [({ customer }) => on(customer.id)],
  topUpWallet: [
    async ({ shop }) =>
      on((await shop.customer()).id, { amount: '25.00', currency: 'USD', idempotencyKey: unique('top-up') }),
  ],
  listPaymentMethods: [({ customer }) => on(customer.id)],
  createCustomerPortal: [async ({ shop }) => on((await shop.customer()).id, {})],
  createSubscriptionPortal: [async ({ shop }) => on((await shop.issued()).subscription.id, {})],
  setUpPaymentMethod: [async ({ shop }) => on((await shop.customer()).id, {})],
  deletePaymentMethod: [
    async (world) => {
      const { customer, method } = await newMethod(world);
      return { params: { id: customer.id, paymentMethodId: method.id } };
    },
  ],
  setDefaultPaymentMethod: [
    async (world) => {
      const { customer, method } = await newMethod(world);
      return { params: { id: customer.id, paymentMethodId: method.id } };
    },
  ],

  createProduct: [({ merchant }) => ({ body: { name: 'Product', description: '', merchantId: merchant.id } })],
  listProducts: [() => ({})],
  getProduct: [({ product }) => on(product.id)],
  updateProduct: [async ({ shop }) => on((await shop.product()).id, { name: 'Renamed' })],
  createFeature: [
    ({ merchant, product }) => ({
      body: {
        key: unique('feature'),
        name: 'Feature',
        productId: product.id,
        type: 'boolean',
        merchantId: merchant.id,
      },
    }),
  ],
  listFeatures: [() => ({})],
  getFeature: [({ feature }) => on(feature.id)],
  updateFeature: [async (world) => on((await newFeature(world)).id, { name: 'Renamed', productId: world.product.id })],
  deleteFeature: [async (world) => on((await newFeature(world)).id)],
  createBillableMetric: [
    ({ merchant, product }) => ({
      body: { name: 'Metric', aggregation: 'COUNT', productId: product.id, merchantId: merchant.id },
    }),
    ({ item }) => ({ body: { name: 'Metric', aggregation: 'COUNT', itemId: item.id } }),
  ],
  createBillableMetrics: [
    ({ merchant, product, item }) => ({
      body: {
        merchantId: merchant.id,
        metrics: [
          { name: 'In', aggregation: 'COUNT', eventType: 'bulk.call', productId: product.id, merchantId: merchant.id },
          { name: 'Out', aggregation: 'COUNT', eventType: 'bulk.call', itemId: item.id },
        ],
      },
    }),
  ],
  listBillableMetrics: [() => ({})],
  getBillableMetric: [({ metric }) => on(metric.id)],
  updateBillableMetric: [
    async ({ shop, item, product }) => on((await shop.metric()).id, { productId: product.id, itemId: item.id }),
  ],
  getMetricUsage: [({ metric }) => ({ ...on(metric.id), query: range })],
  listMetricEvents: [({ metric }) => ({ ...on(metric.id), query: range })],
  createCost: [({ merchant, product }) => ({ body: { ...newCost, productId: product.id, merchantId: merchant.id } })],
  listCosts: [() => ({})],
  getCost: [({ cost }) => on(cost.id)],
  updateCost: [
    async ({ shop, product }) =>
      on((await shop.create('/v0/costs', { ...newCost, productId: product.id })).id, { productId: product.id }),
  ],
  deleteCost: [
    async ({ shop, product }) => on((await shop.create('/v0/costs', { ...newCost, productId: product.id })).id),
  ],
  getCostSummary: [({ cost }) => ({ ...on(cost.id), query: range })],
  getCostReport: [() => ({ query: { ...range, groupBy: 'cost' } })],
  search: [({ customer }) => ({ query: { q: customer.id } })],
  getOverview: [() => ({})],
  getNames: [({ customer }) => ({ query: { ids: customer.id } })],
  getRevenue: [() => ({ query: { startTime: START, endTime: FEBRUARY } })],
  getProfitability: [() => ({ query: range })],
  createItem: [({ merchant, product }) => ({ body: { name: 'Item', catalogId: product.id, merchantId: merchant.id } })],
  listItems: [() => ({})],
  getItem: [({ item }) => on(item.id)],
  updateItem: [
    async ({ shop, product }) => on((await shop.create('/v0/items', { name: 'Item' })).id, { catalogId: product.id }),
  ],
  deleteItem: [async ({ shop }) => on((await shop.create('/v0/items', { name: 'Item' })).id)],
  createFee: [
    ({ merchant, product }) => ({
      body: { name: 'Fee', description: '', productId: product.id, merchantId: merchant.id },
    }),
    ({ item }) => ({ body: { name: 'Fee', description: '', itemId: item.id } }),
  ],
  listFees: [() => ({})],
  getFee: [({ fee }) => on(fee.id)],
  getFeePrice: [
    async ({ shop }) => {
      const price = await shop.feePrice();
      const { id } = await shop.subscribe(await shop.plan([price]), { startedAt: new Date().toISOString() });
      return { params: { id: price.feeId, subscriptionId: id } };
    },
  ],
  updateFee: [
    async ({ shop, product, item }) =>
      on((await shop.create('/v0/fees', { name: 'Fee', description: '', productId: product.id })).id, {
        productId: product.id,
        itemId: item.id,
      }),
  ],
  deleteFee: [
    async ({ shop, product }) =>
      on((await shop.create('/v0/fees', { name: 'Fee', description: '', productId: product.id })).id),
  ],
  createPrice: [
    ({ merchant, metric, feature }) => ({
      body: {
        billableMetricId: metric.id,
        invoiceDisplayName: 'Usage',
        paymentTerm: 'in_arrears',
        model: 'standard',
        properties: { unitPrice: '1' },
        feature: entitled(feature.id),
        merchantId: merchant.id,
      },
    }),
    ({ fee }) => ({
      body: {
        feeId: fee.id,
        invoiceDisplayName: 'Fee',
        paymentTerm: 'in_arrears',
        model: 'standard',
        billingCadence: 'P1M',
        properties: { unitPrice: '1' },
      },
    }),
  ],
  listPrices: [() => ({})],
  getPrice: [({ price }) => on(price.id)],
  updatePrice: [async ({ shop, feature }) => on((await shop.feePrice()).id, { feature: entitled(feature.id) })],
  deletePrice: [async ({ shop }) => on((await shop.feePrice()).id)],
  createPlan: [
    ({ merchant, product, price }) => ({
      body: { name: 'Plan', productId: product.id, currency: 'USD', prices: [price.id], merchantId: merchant.id },
    }),
  ],
  listPlans: [() => ({})],
  listAvailablePlans: [({ customer }) => ({ query: { customerId: customer.id } })],
  getPlan: [({ plan }) => on(plan.id)],
  updatePlan: [
    async ({ shop, product }) => on((await shop.plan([])).id, { productId: product.id }),
    async ({ shop, price }) => on((await shop.plan([await shop.feePrice()])).id, { prices: [price.id] }),
  ],
  listPlanVersions: [({ plan }) => on(plan.id)],
  createPlanVersion: [
    async ({ shop, price }) => on((await shop.plan([])).id, { addPrices: [price.id] }),
    async ({ shop }) => {
      const [kept, left] = [await shop.feePrice(), await shop.feePrice()];
      return on((await shop.plan([kept, left])).id, { removePrices: [left.id] });
    },
    async ({ shop, price }) => {
      const left = await shop.feePrice();
      return on((await shop.plan([left])).id, { replacePrices: [{ replacesPriceId: left.id, withPriceId: price.id }] });
    },
  ],
  getPlanVersion: [({ plan }) => ({ params: { id: plan.id, versionNumber: '1' } })],
  updatePlanVersion: [
    async (world) => {
      const { plan, version } = await draftVersion(world);
      return { params: { id: plan.id, versionNumber: String(version.versionNumber) }, body: { status: 'published' } };
    },
  ],

  createExternalReference: [
    ({ merchant, item }) => referenceTo('item', item.id, merchant.id),
    ({ merchant, customer }) => referenceTo('customer', customer.id, merchant.id),
    ({ merchant, subscription }) => referenceTo('subscription', subscription.id, merchant.id),
    ({ merchant, invoice }) => referenceTo('invoice', invoice.id, merchant.id),
  ],
  listExternalReferences: [() => ({})],
  getExternalReference: [({ reference }) => on(reference.id)],
  updateExternalReference: [async (world) => on((await newReference(world)).id, { externalLabel: 'Label' })],
  deleteExternalReference: [async (world) => on((await newReference(world)).id)],

  createEvents: [
    ({ merchant, customer }) => ({
      body: {
        type: 'call',
        source: 'test',
        subject: customer.id,
        timestamp: START,
        data: { units: 1 },
        namespace: merchant.id,
      },
    }),
    ({ merchant, customer }) => ({
      body: [{ type: 'call', source: 'test', subject: customer.id, namespace: merchant.id }],
    }),
  ],
  listEvents: [() => ({})],
  getEvent: [({ event }) => on(event.id)],
  explainEvent: [({ event }) => on(event.id)],

  previewSubscription: [
    async ({ merchant, shop, plan, customer, clock }) => ({
      body: {
        orderId: (await newOrder(shop, customer, { testClockId: clock.id })).id,
        ...{ name: 'New', planId: plan.id, customerId: customer.id, startedAt: FEBRUARY, testClockId: clock.id },
        priceOverrides: [{ priceId: plan.prices[0].id, multiplier: '0.8' }],
        merchantId: merchant.id,
      },
    }),
  ],
  createSubscription: [
    async ({ merchant, shop, plan, customer, clock }) => ({
      body: {
        orderId: (await newOrder(shop, customer, { testClockId: clock.id })).id,
        name: 'Subscription',
        planId: plan.id,
        priceOverrides: [{ priceId: plan.prices[0].id, multiplier: '0.8', to: '2026-03-01T00:00:00Z' }],
        customerId: customer.id,
        startedAt: FEBRUARY,
        testClockId: clock.id,
        merchantId: merchant.id,
      },
    }),
    ({ plan, clock, metric }) => ({
      body: {
        name: 'Subscription',
        planId: plan.id,
        startedAt: FEBRUARY,
        testClockId: clock.id,
        customer: {
          name: 'New',
          email: `${unique('consumer')}@example.com`,
          address: {},
          taxRates: { [metric.id]: 7 },
        },
      },
    }),
    async ({ shop, customer }) => ({
      body: {
        name: 'Subscription',
        planId: (await shop.plan([await shop.feePrice({ paymentTerm: 'in_advance' })])).id,
        customerId: customer.id,
        startedAt: new Date().toISOString(),
        prefundAmount: '50.00',
        sessionExpiryMinutes: 60,
      },
    }),
  ],
  listSubscriptions: [() => ({})],
  getSubscription: [({ subscription }) => on(subscription.id)],
  updateSubscription: [
    async ({ merchant, shop }) =>
      on((await shop.issued()).subscription.id, {
        terminatedAt: FEBRUARY,
        terminatedBy: merchant.id,
        terminationReason: 'Moved',
      }),
  ],
  pauseSubscription: [
    async ({ shop }) =>
      on((await shop.issued()).subscription.id, { usage: 'free', credit: 'wallet', reason: 'Closed' }),
  ],
  resumeSubscription: [
    async ({ shop }) => {
      const { subscription } = await shop.issued();
      await shop.act(`/v0/subscriptions/${subscription.id}/pause`, {});
      return on(subscription.id, { anchor: 'keep' });
    },
  ],
  terminateSubscription: [async ({ shop }) => on((await shop.issued()).subscription.id, { reason: 'Moved' })],

  createInvoice: [
    ({ merchant, customer, item }) => ({
      body: {
        customerId: customer.id,
        currency: 'EUR',
        lines: [
          { displayName: 'Workshop', quantity: '1.5', unitPrice: 800, itemId: item.id, taxRate: 20 },
          { displayName: 'Goodwill', quantity: 1, unitPrice: '-100' },
        ],
        paymentTermDays: 14,
        autoApprove: true,
        metadata: { project: 'Onboarding' },
        idempotencyKey: unique('invoice'),
        merchantId: merchant.id,
      },
    }),
  ],
  createSubscriptionAdjustment: [
    ({ subscription }) =>
      on(subscription.id, { type: 'percentageDiscount', percentageDiscount: '0.35', effectiveFrom: farAhead() }),
    ({ subscription }) =>
      on(subscription.id, {
        type: 'percentageDiscount',
        percentageDiscount: '1',
        effectiveFrom: FEBRUARY,
        effectiveTo: FAR_AHEAD,
        description: 'Launch',
        idempotencyKey: unique('adjustment'),
      }),
  ],
  createCommitment: [
    ({ merchant, subscription }) => ({ body: { ...commitmentOf(subscription), merchantId: merchant.id } }),
    ({ merchant, plan, metric, fee, subscription }) => ({
      body: {
        ...commitmentOf(subscription),
        appliesTo: {
          planIds: [plan.id],
          priceIds: [plan.prices[0].id],
          billableMetricIds: [metric.id],
          feeIds: [fee.id],
        },
        priority: 1,
        trueUp: 'term',
        onEnd: 'prorated',
        overrides: [{ priceId: plan.prices[0].id, multiplier: '0.8', to: '2026-03-01T00:00:00Z' }],
        testClockId: subscription.testClockId,
        merchantId: merchant.id,
      },
    }),
    async ({ shop, customer, subscription: { testClockId } }) => {
      const { subscriptionId: _, ...of } = commitmentOf({ customerId: customer.id, currency: 'USD' });
      return { body: { ...of, orderId: (await newOrder(shop, customer, { testClockId })).id } };
    },
  ],
  listCommitments: [
    () => ({}),
    ({ customer, subscription }) => ({ query: { customerId: customer.id, subscriptionId: subscription.id } }),
    ({ order }) => ({ query: { orderId: order.id } }),
  ],
  getCommitment: [async (world) => on((await newCommitment(world)).id)],
  updateCommitment: [
    async (world) => on((await newCommitment(world)).id, { name: 'Contract 2', priority: 2, onEnd: 'waived' }),
  ],
  endCommitment: [
    async (world) => on((await newCommitment(world)).id),
    async (world) => on((await newCommitment(world)).id, { reason: 'Agreed' }),
  ],
  createCoupon: [
    ({ merchant }) => ({
      body: { name: 'Half', percentOff: '0.5', duration: 'forever', merchantId: merchant.id },
    }),
    ({ merchant, plan, metric, fee }) => ({
      body: {
        name: 'Voucher',
        code: unique('CODE'),
        amountOff: '30',
        currency: 'USD',
        duration: 'periods',
        durationInPeriods: 3,
        carriesOver: true,
        appliesTo: {
          planIds: [plan.id],
          priceIds: [plan.prices[0].id],
          billableMetricIds: [metric.id],
          feeIds: [fee.id],
        },
        minimumAmount: '5',
        maxRedemptions: 10,
        maxRedemptionsPerCustomer: 2,
        newCustomersOnly: true,
        redeemBy: FAR_AHEAD,
        metadata: { campaign: 'spring' },
        merchantId: merchant.id,
      },
    }),
  ],
  listCoupons: [() => ({}), () => ({ query: { code: 'nothing' } })],
  getCoupon: [async ({ shop }) => on((await newCoupon(shop)).id)],
  updateCoupon: [
    async ({ shop }) =>
      on((await newCoupon(shop)).id, {
        ...{ name: 'Half price', redeemBy: FAR_AHEAD, maxRedemptions: 5, metadata: { a: 'b' }, archived: true },
      }),
  ],
  redeemCoupon: [
    async ({ shop, subscription }) => on(subscription.id, { couponId: (await newCoupon(shop)).id }),
    async ({ shop, subscription }) => {
      const code = unique('CODE');
      await newCoupon(shop, { code });
      return on(subscription.id, { code, from: FAR_AHEAD, idempotencyKey: unique('redemption') });
    },
  ],
  listRedemptions: [({ subscription }) => on(subscription.id)],
  endRedemption: [
    async ({ shop, subscription }) => {
      const { id: couponId } = await newCoupon(shop);
      const { id } = await shop.create(`/v0/subscriptions/${subscription.id}/coupons`, { couponId });
      return { params: { id: subscription.id, redemptionId: id } };
    },
  ],
  createBillingCredit: [
    ({ customer }) =>
      on(customer.id, { name: 'Small', amount: '1', currency: 'EUR', idempotencyKey: unique('credit') }),
    ({ customer, plan, metric, fee, subscription }) =>
      on(customer.id, {
        name: 'Welcome',
        amount: '10.00',
        currency: subscription.currency,
        category: 'paid',
        priority: 2,
        effectiveAt: FAR_AHEAD,
        expiresAt: Temporal.Instant.from(FAR_AHEAD).add({ hours: 24 }).toString(),
        appliesTo: {
          planIds: [plan.id],
          priceIds: [plan.prices[0].id],
          billableMetricIds: [metric.id],
          feeIds: [fee.id],
        },
        subscriptionId: subscription.id,
        idempotencyKey: unique('credit'),
        ...(subscription.testClockId && { testClockId: subscription.testClockId }),
        metadata: { campaign: 'spring' },
      }),
  ],
  purchaseBillingCredit: [
    async ({ shop }) =>
      on((await shop.customer()).id, { amount: '25.00', currency: 'USD', idempotencyKey: unique('purchase') }),
    async ({ shop, clock }) =>
      on((await shop.customer()).id, {
        ...{ amount: '25.00', price: '20.00', currency: 'USD', expiresAt: FAR_AHEAD, testClockId: clock.id },
        ...{ redirectUrls: { onSuccess: 'http://localhost/paid', onFailure: 'http://localhost/no' } },
        idempotencyKey: unique('purchase'),
      }),
  ],
  setCreditTopUp: [
    async ({ shop }) => on((await withCard(shop)).id, { currency: 'USD', threshold: '20.00', amount: '100.00' }),
    async ({ shop, clock }) =>
      on((await withCard(shop)).id, {
        ...{ currency: 'USD', threshold: '20.00', amount: '100.00', expiresAfter: 'P1Y', maximumPerMonth: 4 },
        testClockId: clock.id,
      }),
  ],
  getCreditTopUp: [async ({ shop }) => on((await withTopUp(shop)).id)],
  deleteCreditTopUp: [async ({ shop }) => on((await withTopUp(shop)).id)],
  listBillingCredits: [({ customer }) => on(customer.id)],
  getBillingCreditBalance: [
    ({ customer }) => ({ ...on(customer.id), query: { currency: 'USD' } }),
    ({ customer }) => ({ ...on(customer.id), query: { currency: 'USD', at: FAR_AHEAD } }),
  ],
  voidBillingCredit: [
    async ({ shop, customer }) => on((await newCredit(shop, customer)).id),
    async ({ shop, customer }) => on((await newCredit(shop, customer)).id, { reason: 'Wrong' }),
  ],
  getUpcomingInvoice: [({ subscription }) => on(subscription.id)],
  explainInvoice: [({ invoice }) => on(invoice.id)],
  createLineItem: [
    ({ subscription, item, merchant }) => ({
      body: {
        merchantId: merchant.id,
        subscriptionId: subscription.id,
        displayName: 'Workshop',
        description: 'On site',
        currency: 'USD',
        quantity: '1.5',
        unitPrice: 800,
        itemId: item.id,
        periodStart: START,
        periodEnd: FEBRUARY,
        invoiceAt: FAR_AHEAD,
        idempotencyKey: unique('line'),
      },
    }),
    async ({ shop, subscription }) => ({
      body: {
        invoiceId: (await shop.read(`/v2/invoices?subscriptionId=${subscription.id}&status=ACTIVE`)).data[0].id,
        displayName: 'Goodwill',
        currency: 'USD',
        quantity: 1,
        unitPrice: '-0.01',
      },
    }),
  ],
  listLineItems: [
    ({ subscription }) => ({ query: { subscriptionId: subscription.id } }),
    ({ invoice }) => ({ query: { invoiceId: invoice.id, status: 'invoiced' } }),
    () => ({ query: { status: 'invoiced' } }),
  ],
  listSubscriptionAdjustments: [({ subscription }) => on(subscription.id)],
  deleteSubscriptionAdjustment: [
    async ({ shop, subscription }) => {
      const { id } = await newAdjustment(shop, subscription);
      return { params: { id: subscription.id, adjustmentId: id } };
    },
  ],
  changeSubscriptionPlan: [
    async ({ shop }) => on((await shop.issued()).subscription.id, { planId: (await otherPlan(shop)).id }),
    async ({ shop }) =>
      on((await shop.issued()).subscription.id, { planId: (await otherPlan(shop)).id, proration: 'day' }),
    async ({ shop }) => {
      const price = await shop.feePrice();
      const subscription = await shop.subscribe(await shop.plan([price]), { clock: await shop.clock(START) });
      return on(subscription.id, { priceOverrides: [{ priceId: price.id, multiplier: '0.5' }] });
    },
  ],
  listSubscriptionChanges: [
    async (world) => on(await changedSubscription(world)),
    ({ subscription }) => on(subscription.id),
  ],
  cancelSubscriptionChange: [
    async ({ shop }) => {
      const { id, subscriptionId } = await newChange(shop);
      return { params: { id: subscriptionId, changeId: id } };
    },
  ],
  migratePlan: [
    async ({ shop }) => {
      const plan = await shop.plan([await shop.feePrice()]);
      await shop.subscribe(plan, { startedAt: new Date().toISOString() });
      await shop.create(`/v0/plans/${plan.id}/versions`, { addPrices: [(await shop.feePrice()).id] });
      return on(plan.id, { fromVersion: 1, toVersion: 2 });
    },
    async ({ shop }) => {
      const plan = await shop.plan([await shop.feePrice()]);
      await shop.create(`/v0/plans/${plan.id}/versions`, { addPrices: [(await shop.feePrice()).id] });
      return on(plan.id, { fromVersion: 1, toVersion: 2, effective: 'periodEnd' });
    },
    async ({ shop }) => {
      const [old, dear] = [await shop.feePrice(), await shop.feePrice()];
      const plan = await shop.plan([old]);
      await shop.create(`/v0/plans/${plan.id}/versions`, { addPrices: [dear.id] });
      const replacePrices = [{ replacesPriceId: old.id, withPriceId: dear.id }];
      return on(plan.id, { fromVersion: 1, toVersion: 2, replacePrices });
    },
  ],
  listPlanMigrations: [async (world) => on((await migratedPlan(world)).planId)],
  getPlanMigration: [async (world) => ({ params: ofMigration(await migratedPlan(world)) })],
  cancelPlanMigration: [
    async ({ env, merchant, shop }) => {
      const { plan } = await planOfTwoVersions(shop, 1);
      return { params: ofMigration(await waitingMigration(env, merchant.id, plan.id)) };
    },
  ],
  listPlanMigrationSubscriptions: [async (world) => ({ params: ofMigration(await migratedPlan(world)) })],
  simulatePlan: [
    ({ plan, metric }) => {
      counter += 1;
      return on(plan.id, { usage: { [metric.id]: String(counter) }, from: START, to: FEBRUARY });
    },
    async ({ plan, customer, shop }) => {
      const replacePrices = [{ replacesPriceId: plan.prices[0].id, withPriceId: (await shop.feePrice()).id }];
      return on(plan.id, { customerId: customer.id, from: START, to: FEBRUARY, replacePrices });
    },
  ],
  reconcileSubscription: [async ({ shop }) => on((await shop.issued()).subscription.id, {})],

  createEntitlement: [
    async (world) => ({
      body: {
        customerId: world.customer.id,
        featureId: (await newMeteredFeature(world.shop, world.product)).id,
        template: { type: 'metered', billableMetricIds: [world.metric.id] },
        merchantId: world.merchant.id,
      },
    }),
    async ({ shop, feature }) => {
      const { subscription } = await shop.issued();
      return {
        body: {
          customerId: subscription.customerId,
          featureId: feature.id,
          template: { type: 'boolean' },
          subscriptionId: subscription.id,
        },
      };
    },
    async ({ shop, product, customer }) => ({
      body: {
        customerId: customer.id,
        featureId: (await shop.create('/v0/features', { ...featureOf(product), type: 'static' })).id,
        template: { type: 'static', config: { seats: 5 } },
      },
    }),
  ],
  resetEntitlement: [async (world) => on((await newEntitlement(world)).id)],
  createGrant: [({ entitlement }) => on(entitlement.id, { amount: 5, idempotencyKey: unique('grant') })],
  listGrants: [({ entitlement }) => on(entitlement.id)],
  getGrant: [({ entitlement, grant }) => ({ params: { id: entitlement.id, grantId: grant.id } })],
  voidGrant: [
    async ({ shop, entitlement }) => {
      const { id } = await shop.create(`/v1/entitlements/${entitlement.id}/grants`, { amount: 5 });
      return { params: { id: entitlement.id, grantId: id } };
    },
  ],
  purchaseGrant: [
    ({ entitlement }) =>
      on(entitlement.id, {
        amount: 100,
        price: '20.00',
        idempotencyKey: unique('purchase'),
        expiresAt: FAR_AHEAD,
        successUrl: 'https://shop.example/thanks',
        cancelUrl: 'https://shop.example/again',
        resetMaxRollover: 50,
        resetMinRollover: 0,
        currency: 'EUR',
      }),
  ],
  createReservation: [({ entitlement }) => on(entitlement.id, { amount: 1, expiresAt: farAhead() })],
  listReservations: [({ entitlement }) => on(entitlement.id)],
  getReservation: [
    ({ entitlement, reservation }) => ({ params: { id: entitlement.id, reservationId: reservation.id } }),
  ],
  settleReservation: [async (world) => ({ params: await newReservation(world), body: { amount: 0.5 } })],
  releaseReservation: [async (world) => ({ params: await newReservation(world) })],

  listEntitlements: [() => ({})],
  getEntitlement: [({ entitlement }) => ({ ...on(entitlement.id), query: { at: FEBRUARY } })],
  listActiveEntitlements: [({ customer }) => ({ query: { customerId: customer.id } })],
  getEntitlementHistory: [({ entitlement }) => ({ ...on(entitlement.id), query: range })],
  getCustomerAccess: [({ customer }) => on(customer.id)],
  getExternalCustomerAccess: [
    async ({ shop }) => {
      const { externalId } = await shop.customer({ externalId: unique('workspace') });
      return { query: { externalCustomerId: externalId } };
    },
  ],

  listInvoices: [() => ({})],
  getInvoice: [({ invoice }) => on(invoice.id)],
  listInvoiceLineItems: [({ invoice }) => on(invoice.id)],
  getInvoicePdf: [({ invoice }) => on(invoice.id)],
  getInvoicePaymentReceipt: [async (world) => ({ params: await paymentOf(world) })],
  getInvoiceDocumentXml: [({ invoice }) => on(invoice.id)],
  getInvoiceRefundPdf: [({ invoice, refund }) => ({ params: { id: invoice.id, refundId: refund.id } })],
  getInvoiceRefundDocumentXml: [({ invoice, refund }) => ({ params: { id: invoice.id, refundId: refund.id } })],
  approveInvoice: [async (world) => on((await draft(world)).id, { reason: 'Seen' })],
  cancelInvoice: [async (world) => on((await draft(world)).id, { reason: 'Wrong' })],
  writeOffInvoice: [async (world) => on((await issued(world)).id, { reason: 'Lost' })],
  closeInvoiceNow: [async (world) => on((await open(world)).id, { reason: 'The customer moves' })],
  recalculateInvoice: [async (world) => on((await draft(world)).id, { reason: 'Again' })],
  openInvoicePaymentSession: [async (world) => on((await issued(world)).id, { sessionExpiryMinutes: 60 })],
  payInvoiceNow: [
    async (world) => {
      const invoice = await issued(world);
      await storeMethod(world.shop, { id: invoice.customerId });
      return on(invoice.id, { reason: 'Agreed by telephone' });
    },
  ],
  createPayment: [
    ({ merchant }) => ({
      body: { amount: '20.00', currency: 'EUR', reference: unique('deposit'), merchantId: merchant.id },
    }),
    ({ customer }) => ({
      body: {
        amount: '20.00',
        currency: 'EUR',
        customerId: customer.id,
        reference: 'Deposit',
        lineItems: [{ description: 'Ticket', amount: '10.00', quantity: 2 }],
        idempotencyKey: unique('link'),
      },
    }),
  ],
  listPayments: [() => ({})],
  getPayment: [({ payment }) => on(payment.id)],
  listMails: [() => ({})],
  getMail: [({ mail }) => on(mail.id)],
  recordInvoicePayment: [
    async (world) =>
      on((await issued(world)).id, {
        amount: '5.00',
        method: 'bank_transfer',
        reference: 'RF18',
        idempotencyKey: unique('transfer'),
      }),
  ],
  listInvoicePayments: [async (world) => on((await paidInParts(world)).id)],
  markInvoicePaymentReturned: [
    async (world) => {
      const { id, grandTotal: amount } = await issued(world);
      const paid = { amount, method: 'cash', idempotencyKey: unique('cash') };
      const manual = await world.shop.create(`/v2/invoices/${id}/payments`, paid);
      await world.shop.create(`/v2/invoices/${id}/refunds`);
      return { params: { id, paymentId: manual.id }, body: { reference: 'SEPA 17', returnedAt: manual.createdAt } };
    },
  ],
  createReceipt: [
    ({ customer, clock }) =>
      on(customer.id, {
        ...someMoney(),
        ...{ reference: 'RF18', receivedAt: '2026-01-01T00:00:00Z', testClockId: clock.id },
      }),
  ],
  listReceipts: [async (world) => on(await paidAhead(world))],
  applyReceipt: [
    async (world) => {
      const { customerId, receiptId } = await received(world);
      return { params: { id: customerId, receiptId }, body: { wallet: true, amount: '1.00' } };
    },
    async (world) => {
      const { id: invoiceId, customerId } = await issued(world);
      const { id: receiptId } = await world.shop.create(`/v0/customers/${customerId}/receipts`, someMoney());
      return { params: { id: customerId, receiptId }, body: { invoiceId } };
    },
  ],
  returnReceipt: [
    async (world) => {
      const { customerId, receiptId, createdAt } = await received(world);
      return { params: { id: customerId, receiptId }, body: { reference: 'SEPA 18', returnedAt: createdAt } };
    },
  ],
  reverseInvoicePayment: [
    async (world) => {
      const { id } = await issued(world);
      const paid = { amount: '5.00', method: 'cash', receivedAt: START, idempotencyKey: unique('cash') };
      const payment = await world.shop.create(`/v2/invoices/${id}/payments`, paid);
      const body = { reason: 'It came back', reversedAt: payment.createdAt, idempotencyKey: unique('reversal') };
      return { params: { id, paymentId: payment.id }, body };
    },
  ],
  reissueInvoice: [
    async (world) => on((await issued(world)).id, { reason: 'A wrong address' }),
    async (world) => on((await issued(world)).id, { reason: 'Missing usage', recalculate: true }),
  ],
  refundInvoice: [async (world) => on((await paid(world)).id, { reason: 'A gesture' })],
  listInvoiceCreditNotes: [({ invoice }) => on(invoice.id)],
  getInvoiceCreditNote: [({ invoice, refund }) => ({ params: { id: invoice.id, creditNoteId: refund.id } })],
  creditInvoiceLines: [
    async (world) => {
      const { id } = await issued(world);
      const [line] = (await world.shop.invoice(id)).lines;
      const lines = [{ lineItemId: line.id, amount: '1.00' }];
      return on(id, { lines, reason: 'The export was down', settlement: 'reduce', idempotencyKey: unique('note') });
    },
  ],
  voidInvoiceCreditNote: [
    async (world) => {
      const { id } = await issued(world);
      const [line] = (await world.shop.invoice(id)).lines;
      const lines = [{ lineItemId: line.id, amount: '1.00' }];
      const body = { lines, reason: 'The export was down', idempotencyKey: unique('note') };
      const note = await world.shop.create(`/v2/invoices/${id}/creditNotes`, body);
      return { params: { id, creditNoteId: note.id }, body: { reason: 'A mistake' } };
    },
  ],
  listInvoiceRefunds: [({ invoice }) => on(invoice.id)],
  voidInvoiceRefund: [
    async (world) => {
      const { id } = await paid(world);
      const refund = await world.shop.create(`/v2/invoices/${id}/refunds`);
      return { params: { id, refundId: refund.id }, body: { reason: 'A mistake' } };
    },
  ],
  showInvoicePage: [({ invoice }) => on(invoice.id)],
  payInvoice: [async (world) => on((await issued(world)).id)],
  showLogo: [
    async ({ merchant, invoice }) => {
      await merchant.put(`/v0/organizations/${merchant.id}/logo`, LOGO, { 'content-type': 'image/svg+xml' });
      return on(invoice.id);
    },
  ],
  downloadInvoice: [({ invoice }) => on(invoice.id)],
  downloadEInvoice: [({ invoice }) => on(invoice.id)],
  downloadCreditNote: [({ invoice, refund }) => ({ params: { id: invoice.id, creditNoteId: refund.id } })],
  downloadReceipt: [async (world) => ({ params: await paymentOf(world) })],

  listPaymentSessions: [() => ({})],
  getPaymentSession: [({ session }) => on(session.id)],
  expirePaymentSession: [async (world) => on(await openSession(world))],
  completePaymentSession: [async (world) => on(await openSession(world), { paymentMethod: 'pm_ok' })],
  decidePaymentDispute: [async (world) => on(await disputedPayment(world), { outcome: 'won' })],
  showPaymentPage: [({ session }) => on(session.id)],
  payOnPage: [async (world) => on(await openSession(world), { paymentMethod: 'pm_ok' })],

  returnToPaymentPage: [({ session }) => on(session.id)],
  receiveProviderNotice: [
    ({ merchant }) => ({ params: { provider: 'stripe', merchantId: merchant.id }, body: { id: unique('notice') } }),
  ],

  listPaymentExceptions: [() => ({})],
  markPaymentExceptionReturned: [
    async ({ env, merchant }) => on(await addUnmatchedPayment(env, merchant.id), { reference: 'SEPA 1' }),
  ],

  createOrder: [
    async ({ merchant, shop, item, clock }) => ({
      body: orderBody(await shop.customer(), {
        resellerId: unique('reseller'),
        merchantId: merchant.id,
        testClockId: clock.id,
        lineItems: [orderLine({ itemId: item.id })],
      }),
    }),
  ],
  listOrders: [() => ({})],
  getOrder: [({ order }) => on(order.id)],
  updateOrder: [async (world) => on((await ownOrder(world)).id, { taxExempt: true })],
  deleteOrder: [async (world) => on((await ownOrder(world)).id)],
  createOrderLineItem: [async (world) => on((await ownOrder(world)).id, orderLine({ itemId: world.item.id }))],
  listOrderLineItems: [({ order }) => on(order.id)],
  getOrderLineItem: [({ order }) => ({ params: { id: order.id, lineItemId: order.lineItems[0].id } })],
  updateOrderLineItem: [
    async (world) => ({ ...(await lineOfNewOrder(world)), body: { quantity: '3', itemId: world.item.id } }),
  ],
  deleteOrderLineItem: [lineOfNewOrder],
  createSource: [
    ({ merchant, plan, metric }) => ({
      body: {
        name: unique('Source'),
        planId: plan.id,
        type: 'generic_revenue',
        config: { projectId: 'project' },
        metadata: { billableMetricMapping: { revenue: metric.id } },
        merchantId: merchant.id,
      },
    }),
  ],
  listSources: [() => ({})],
  getSource: [({ source }) => on(source.id)],
  updateSource: [
    ({ source, plan, metric }) =>
      on(source.id, {
        planId: plan.id,
        description: unique('Changed'),
        metadata: { billableMetricMapping: { revenue: metric.id } },
      }),
  ],
  receiveSourceEvent: [
    ({ source }) =>
      on(source.id, {
        id: unique('webhook'),
        customerExternalId: 'nobody',
        amount: '10',
        currency: 'USD',
        occurredAt: START,
      }),
  ],
  listSourceEvents: [({ source }) => on(source.id)],
  getSourceEvent: [({ source, sourceEvent }) => ({ params: { id: source.id, eventId: sourceEvent.id } })],
  approveSourceEvent: [async (world) => ({ params: await pendingEvent(world) })],
  rejectSourceEvent: [async (world) => ({ params: await pendingEvent(world) })],
  retrySourceEvent: [async (world) => ({ params: await failedEvent(world) })],
  approveSourceEvents: [async (world) => on(world.source.id, { eventIds: [(await pendingEvent(world)).eventId] })],
  rejectSourceEvents: [async (world) => on(world.source.id, { eventIds: [(await pendingEvent(world)).eventId] })],
  createSourceRule: [
    ({ merchant, source }) => ({
      body: {
        sourceId: source.id,
        name: unique('Rule'),
        conditions: [{ type: 'amount', operator: 'lessThan', value: '0.01' }],
        merchantId: merchant.id,
      },
    }),
  ],
  listSourceRules: [() => ({})],
  getSourceRule: [({ sourceRule }) => on(sourceRule.id)],
  updateSourceRule: [({ sourceRule }) => on(sourceRule.id, { description: unique('Changed') })],
  deleteSourceRule: [async ({ shop, source }) => on((await newSourceRule(shop, source)).id)],

  createBillingSchedule: [
    async ({ shop, customer, merchant }) => ({
      body: scheduleBody({ orderId: (await newOrder(shop, customer)).id, merchantId: merchant.id }),
    }),
    ({ subscription }) => ({ body: scheduleBody({ subscriptionId: subscription.id }) }),
  ],
  listBillingSchedules: [
    () => ({}),
    ({ order, customer }) => ({ query: { orderId: order.id, customerId: customer.id } }),
    ({ subscription }) => ({ query: { subscriptionId: subscription.id } }),
  ],
  getBillingSchedule: [({ schedule }) => on(schedule.id)],
  updateBillingSchedule: [async (world) => on((await scheduleOfNewOrder(world)).schedule.id, { paymentTermDays: 14 })],
  deleteBillingSchedule: [async (world) => on((await scheduleOfNewOrder(world)).schedule.id)],
  listScheduleIntervals: [({ schedule }) => on(schedule.id)],
  replaceScheduleIntervals: [
    async (world) => {
      const { order, schedule } = await scheduleOfNewOrder(world);
      const orderLineItemId = order.lineItems[0].id;
      const interval = intervalBody({
        orderLineItemId,
        itemId: world.item.id,
        priceId: (await world.shop.feePrice()).id,
      });
      return on(schedule.id, { intervals: [interval], orderLineItemId });
    },
  ],
  listScheduleInvoices: [({ schedule }) => on(schedule.id)],
  regenerateScheduleInvoices: [async (world) => on((await scheduleOfNewOrder(world)).schedule.id)],
  getUnbilledUsage: [() => ({ query: { from: START, to: FAR_AHEAD } })],
  putMerchantIntegration: [
    ({ merchant }) => ({
      body: { provider: 'crm', config: { secretKey: 's' }, metadata: { a: 'b' }, merchantId: merchant.id },
    }),
  ],
  listMerchantIntegrations: [() => ({})],
  getMerchantIntegration: [({ integration }) => on(integration.id)],
  disconnectMerchantIntegration: [({ integration }) => on(integration.id)],
  createApproval: [
    async ({ merchant, shop, customer }) => ({
      body: {
        resourceType: 'order',
        resourceId: (await newOrder(shop, customer)).id,
        actorId: merchant.userId,
        merchantId: merchant.id,
      },
    }),
  ],
  createOrderApproval: [
    async ({ merchant, shop, customer }) => on((await newOrder(shop, customer)).id, { requester: merchant.userId }),
  ],
  listApprovals: [() => ({}), ({ approval }) => ({ query: { resourceId: approval.resourceId } })],
  getApproval: [({ approval }) => on(approval.id)],
  getApprovalChanges: [({ approval }) => on(approval.id)],
  updateApproval: [
    async ({ merchant, shop, customer }) =>
      on((await shop.create(`/v0/orders/${(await newOrder(shop, customer)).id}/approvals`)).id, {
        decision: 'cancelled',
        actorId: merchant.userId,
      }),
  ],

  createWebhookEndpoint: [
    async (world) => {
      await dropEndpoints(world);
      return { body: { url: HOOKS, description: unique('hook'), merchantId: world.merchant.id } };
    },
  ],
  listWebhookEndpoints: [() => ({})],
  getWebhookEndpoint: [({ webhookEndpoint }) => on(webhookEndpoint.id)],
  updateWebhookEndpoint: [({ webhookEndpoint }) => on(webhookEndpoint.id, { description: 'ours' })],
  deleteWebhookEndpoint: [async (world) => on((await newEndpoint(world)).id)],
  rotateWebhookSecret: [async (world) => on((await newEndpoint(world)).id)],
  testWebhookEndpoint: [({ webhookEndpoint }) => on(webhookEndpoint.id)],
  listWebhookInbox: [() => ({})],
  listWebhookEvents: [() => ({})],
  getWebhookEvent: [({ webhookEvent }) => on(webhookEvent.id)],
  listWebhookAttempts: [({ webhookEvent }) => on(webhookEvent.id)],
  redeliverWebhookEvent: [
    async ({ shop, webhookEndpoint }) => {
      const { id } = await shop.customer();
      const [event] = (await shop.read(`/v0/webhookEvents?resourceId=${id}`)).data;
      return on(event.id, { endpointId: webhookEndpoint.id });
    },
  ],
  redeliverWebhookEvents: [
    ({ merchant, webhookEndpoint }) => ({
      body: {
        from: START,
        to: farAhead(),
        types: ['order.pushed.v0'],
        endpointId: webhookEndpoint.id,
        merchantId: merchant.id,
      },
    }),
  ],
  createCheckoutLink: [
    ({ merchant, plan }) => ({
      body: {
        planId: plan.id,
        redirectUrls: { onSuccess: 'https://shop.example/in', onFailure: 'https://shop.example/plans' },
        expiresIn: 'P7D',
        maxUses: 3,
        metadata: { page: unique('page') },
        merchantId: merchant.id,
      },
    }),
    ({ plan, customer }) => ({ body: { planId: plan.id, customerId: customer.id } }),
    ({ plan }) => ({
      body: { planId: plan.id, customer: { name: 'Ada', email: 'ada@engine.example', address: { country: 'GB' } } },
    }),
  ],
  listCheckoutLinks: [() => ({}), ({ plan }) => ({ query: { planId: plan.id } })],
  getCheckoutLink: [({ checkoutLink }) => on(checkoutLink.id)],
  expireCheckoutLink: [async ({ shop, plan }) => on((await shop.create('/v0/checkoutLinks', { planId: plan.id })).id)],
  createAlert: [
    ({ merchant, customer, metric }) => ({
      body: {
        type: 'usage',
        customerId: customer.id,
        billableMetricId: metric.id,
        period: 'week',
        percent: '80',
        limit: '1000000',
        name: 'Budget',
        blocksAccess: true,
        metadata: { team: 'one' },
        merchantId: merchant.id,
      },
    }),
    ({ entitlement }) => ({ body: { type: 'balance', entitlementId: entitlement.id, percent: 90 } }),
    ({ subscription }) => ({
      body: { type: 'invoice_total', subscriptionId: subscription.id, threshold: '1000000', notifyCustomer: true },
    }),
  ],
  listAlerts: [() => ({}), ({ customer }) => ({ query: { customerId: customer.id } })],
  getAlert: [({ alert }) => on(alert.id)],
  updateAlert: [({ alert }) => on(alert.id, { name: unique('Alert') })],
  deleteAlert: [
    async ({ shop, entitlement }) =>
      on((await shop.create('/v0/alerts', { type: 'balance', entitlementId: entitlement.id, threshold: '0' })).id),
  ],
  listAlertTriggers: [({ alert }) => on(alert.id)],

  createTestClock: [({ merchant }) => ({ body: { name: 'Clock', currentTime: START, merchantId: merchant.id } })],
  listTestClocks: [() => ({})],
  getTestClock: [({ clock }) => on(clock.id)],
  advanceTestClock: [async ({ shop }) => on((await shop.clock(START)).id, { currentTime: FEBRUARY })],
  deleteTestClock: [async ({ shop }) => on((await shop.clock(START)).id)],
};

/** The path of a call, with its query. */
export function urlOf(path: string, { params = {}, query = {} }: Call): string {
  const filled = path.replace(/:([A-Za-z]+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? newId('lineItem')),
  );
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}
