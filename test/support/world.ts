import { ID_PREFIXES, type IdKind, isId } from '../../src/kernel/ids.ts';
import type { Merchant, TestEnvironment } from './environment.ts';
import { newOrder, orderLine } from './orders.ts';
import { intervalBody, newSchedule, putIntervals } from './schedules.ts';
import { type Resource, type Shop, START, shopOf } from './shop.ts';

/** A merchant with one of everything, so the record of every route exists and belongs to it. */
export interface World {
  env: TestEnvironment;
  merchant: Merchant;
  shop: Shop;
  /** Standing resources: tests read them and name them, and do not use them up. */
  product: Resource;
  feature: Resource;
  metric: Resource;
  item: Resource;
  fee: Resource;
  cost: Resource;
  price: Resource;
  plan: Resource;
  customer: Resource;
  clock: Resource;
  subscription: Resource;
  event: Resource;
  /** Paid and refunded. */
  invoice: Resource;
  refund: Resource;
  session: Resource;
  reference: Resource;
  /** Made by hand, metered, of `customer`. */
  entitlement: Resource;
  /** Of `entitlement`, as the reservation. */
  grant: Resource;
  reservation: Resource;
  paymentMethod: Resource;
  /** An unpaid link. */
  payment: Resource;
  /** A draft with a line that sells `item`. */
  order: Resource;
  /** A draft of another order, with an interval that bills its line each month. */
  schedule: Resource;
  /** Pending, of another order. */
  approval: Resource;
  /** To the customer of `invoice`. */
  mail: Resource;
  /** In manual mode, of `plan`, with a waiting event and a rule without a match. */
  source: Resource;
  sourceEvent: Resource;
  sourceRule: Resource;
  alert: Resource;
  checkoutLink: Resource;
  integration: Resource;
  /** For new customers; without a server at its address. */
  webhookEndpoint: Resource;
  /** The webhook event of the creation of `customer`. */
  webhookEvent: Resource;
  apiKeyId: string;
  /** The ids of all of these, by kind. */
  ids: Readonly<Partial<Record<IdKind, readonly string[]>>>;
}

export async function openWorld(env: TestEnvironment): Promise<World> {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  // A party without both gets no e-invoices.
  await shop.change(`/v0/organizations/${merchant.id}`, { taxId: 'DE123456789', address: { country: 'DE' } });
  const webhookEndpoint = await shop.create('/v0/webhookEndpoints', {
    url: 'http://127.0.0.1:9/standing',
    eventTypes: ['customer.created.v0'],
  });
  await shop.create('/v0/webhookEndpoints', {
    url: 'http://localhost:4401/v0/webhookInbox',
    eventTypes: ['customer.created.v0'],
  });
  const product = await shop.product();
  const item = await shop.create('/v0/items', { name: 'Item', catalogId: product.id });
  const feature = await shop.create('/v0/features', {
    key: 'seats',
    name: 'Seats',
    productId: product.id,
    type: 'boolean',
  });
  const metric = await shop.metric({ productId: product.id, groupBy: { region: '$.region' } });
  const fee = await shop.create('/v0/fees', { name: 'Fee', description: 'Flat', productId: product.id });
  const cost = await shop.create('/v0/costs', {
    name: 'Cost',
    unitCost: 0.1,
    currency: 'USD',
    productId: product.id,
    aggregation: 'SUM',
    eventType: 'call',
    valueProperty: '$.units',
  });
  const price = await shop.usagePrice({ billableMetricId: metric.id });
  const { clock, subscription, invoice } = await shop.paid();
  const plan = await shop.read(`/v0/plans/${subscription.planId}`);
  const customer = await shop.read(`/v0/customers/${subscription.customerId}`);
  const event = await shop.use(customer.id, START, 3);
  await shop.create('/v1/entitlements', {
    customerId: customer.id,
    featureId: feature.id,
    template: { type: 'boolean' },
  });
  const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`);
  const session = (await shop.read(`/v0/paymentSessions?subscriptionId=${subscription.id}`)).data[0];
  const reference = await shop.create('/v0/externalReferences', {
    entityType: 'item',
    entityId: item.id,
    provider: 'crm',
    externalId: 'standing',
  });
  const entitlement = await shop.create('/v1/entitlements', {
    customerId: customer.id,
    featureId: (await newMeteredFeature(shop, product)).id,
    template: { type: 'metered', usagePeriod: { interval: 'P1M' }, billableMetricIds: [metric.id] },
  });
  const grant = await shop.create(`/v1/entitlements/${entitlement.id}/grants`, { amount: 1000 });
  const reservation = await shop.create(`/v1/entitlements/${entitlement.id}/reservations`, {
    amount: 1,
    expiresAt: FAR_AHEAD,
  });
  const paymentMethod = await storeMethod(shop, customer);
  const payment = await shop.create('/v0/payments', { amount: '20.00', currency: 'EUR' });
  const mail = (await shop.read(`/v0/mails?invoiceId=${invoice.id}`)).data[0];
  const order = await newOrder(shop, customer, { lineItems: [orderLine({ itemId: item.id })] });
  const source = await newSource(shop, { plan, metric });
  const sourceRule = await newSourceRule(shop, source);
  const sourceEvent = await newSourceEvent(shop, source);
  const schedule = await newSchedule(shop, await newOrder(shop, customer));
  const [interval] = await putIntervals(shop, schedule, [intervalBody({ unitPrice: '5' })]);
  const staged = (await shop.read(`/v0/billingSchedules/${schedule.id}/invoices`)).data[0];
  const { body: integration } = await merchant.put('/v0/merchantIntegrations', { provider: 'erp' });
  const webhookEvent = (await shop.read(`/v0/webhookEvents?resourceId=${customer.id}`)).data[0];
  const approval = await shop.create(`/v0/orders/${(await newOrder(shop, customer)).id}/approvals`);
  const alert = await shop.create('/v0/alerts', {
    type: 'balance',
    entitlementId: entitlement.id,
    threshold: '1000000',
  });
  const checkoutLink = await shop.create('/v0/checkoutLinks', { planId: plan.id });
  const coupon = await shop.create('/v0/coupons', { name: 'Half', percentOff: '0.5', duration: 'forever' });
  const redemption = await shop.create(`/v0/subscriptions/${subscription.id}/coupons`, {
    couponId: coupon.id,
    from: FAR_AHEAD,
  });
  const billingCredit = await shop.create(`/v0/customers/${customer.id}/billingCredits`, {
    ...{ name: 'Welcome', amount: '1', currency: 'USD', effectiveAt: FAR_AHEAD, idempotencyKey: 'standing' },
  });
  const commitment = await shop.create('/v0/commitments', {
    ...{ customerId: customer.id, subscriptionId: subscription.id, name: 'Contract', currency: subscription.currency },
    ...{ type: 'postpaid', segments: [{ startDate: FAR_AHEAD, endDate: '2151-01-01T00:00:00Z', amount: '1' }] },
  });
  const apiKey = await shop.create(`/v0/users/${merchant.userId}/apikeys`, { name: 'standing' });
  const ids = {
    organization: [merchant.id, customer.consumerId],
    user: [merchant.userId],
    ...byKind([
      apiKey,
      product,
      item,
      feature,
      metric,
      fee,
      cost,
      price,
      plan,
      customer,
      clock,
      subscription,
      event,
      invoice,
      refund,
      session,
      reference,
      entitlement,
      grant,
      reservation,
      paymentMethod,
      payment,
      mail,
      order,
      order.lineItems[0],
      approval,
      source,
      sourceEvent,
      sourceRule,
      schedule,
      interval,
      staged,
      integration,
      webhookEndpoint,
      webhookEvent,
      alert,
      checkoutLink,
      coupon,
      redemption,
      billingCredit,
      commitment,
      (await shop.invoice(invoice.id)).lines[0],
    ]),
    planVersion: [plan.defaultVersionId],
  };
  return {
    env,
    merchant,
    shop,
    product,
    feature,
    metric,
    item,
    fee,
    cost,
    price,
    plan,
    customer,
    clock,
    subscription,
    event,
    invoice,
    refund,
    session,
    reference,
    entitlement,
    grant,
    reservation,
    paymentMethod,
    payment,
    mail,
    order,
    approval,
    source,
    sourceEvent,
    sourceRule,
    schedule,
    integration,
    webhookEndpoint,
    webhookEvent,
    alert,
    checkoutLink,
    apiKeyId: apiKey.id,
    ids,
  };
}

/** The time at which held units of these tests return. */
export const FAR_AHEAD = '2150-01-01T00:00:00Z';

let meteredFeatures = 0;

/** A metered feature of a product, with a key of its own. */
export function newMeteredFeature(shop: Shop, product: Resource): Promise<Resource> {
  meteredFeatures += 1;
  const key = `metered-${meteredFeatures}`;
  return shop.create('/v0/features', { key, name: 'Calls', productId: product.id, type: 'metered' });
}

/** A source to which the merchant's own keys report. */
export const newSource = (
  shop: Shop,
  { plan, metric }: { plan: Resource; metric: Resource },
  processingMode: 'automatic' | 'manual' = 'manual',
): Promise<Resource> =>
  shop.create('/v0/sources', {
    name: 'App',
    planId: plan.id,
    type: 'generic_revenue',
    config: { projectId: 'project' },
    metadata: { billableMetricMapping: { revenue: metric.id } },
    processingMode,
  });

/** A rule that matches no event of `newSourceEvent`. */
export const newSourceRule = (shop: Shop, source: Resource): Promise<Resource> =>
  shop.create('/v0/sourceRules', {
    sourceId: source.id,
    name: 'Large',
    conditions: [{ type: 'amount', operator: 'greaterThan', value: '1000000' }],
  });

let sourceEvents = 0;

/** Revenue of an unknown customer, which waits for an approval. */
export function newSourceEvent(shop: Shop, source: Resource, fields: object = {}): Promise<Resource> {
  sourceEvents += 1;
  return shop.create(`/v0/sources/${source.id}/events`, {
    id: `external-${sourceEvents}`,
    customerExternalId: 'nobody',
    amount: '10',
    currency: 'USD',
    occurredAt: START,
    ...fields,
  });
}

const KINDS = Object.keys(ID_PREFIXES) as IdKind[];

/** The kind of an id; undefined for another text. */
export const kindOf = (text: string): IdKind | undefined => KINDS.find((kind) => isId(kind, text));

const byKind = (resources: readonly Resource[]): Partial<Record<IdKind, string[]>> =>
  Object.fromEntries(resources.map(({ id }) => [kindOf(id), [id]]));

/** Stores a card of a customer that works. */
export async function storeMethod(shop: Shop, customer: Resource): Promise<Resource> {
  const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
  await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: 'pm_ok' });
  return (await shop.read(`/v0/customers/${customer.id}/paymentMethods`)).data[0];
}
