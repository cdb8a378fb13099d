import type { Merchant, TestEnvironment } from './environment.ts';
import { type Resource, shopOf } from './shop.ts';

/** Runs a step. The runner may repeat a step in which the process was killed. */
export type Doing = <T>(name: string, work: () => Promise<T>) => Promise<T>;

const START = '2026-01-01T00:00:00Z';
const MIDDLE = '2026-01-15T12:00:00Z';
const FEBRUARY = '2026-02-01T00:00:00Z';
const GRACE_ENDS = '2026-02-01T12:00:00Z';
const RETRY = '2026-02-03T00:10:00Z';
const MARCH = '2026-03-01T00:00:00Z';

const minuteOf = (start: string, minute: number): string =>
  Temporal.Instant.from(start).add({ minutes: minute }).toString();

const TEMPLATE = { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 100 };

/**
 * The same small world each time, on the wall clock: subscriptions in advance and in arrears with usage, a card that
 * works and one that does not, bought grants and wallet money, returned money, changed plans, a grouped invoice, an
 * end. Work through `doing` is a step of the billing. Each request has an Idempotency-Key, and a repeated one has the
 * same key.
 */
export async function playBilling(env: TestEnvironment, merchant: Merchant, doing: Doing): Promise<void> {
  env.setNow(START);
  const shop = shopOf(merchant);
  const due = (name: string) => doing(name, () => env.runDueWork());
  const ask = (name: string, path: string, body?: unknown): Promise<Resource> =>
    doing(name, async () => {
      const { status, body: answered, text } = await merchant.post(path, body, { 'idempotency-key': name });
      if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
      return answered;
    });
  const pay = (name: string, session: string, card = 'pm_ok') =>
    ask(name, `/v0/paymentSessions/${session}/complete`, { paymentMethod: card });
  const sessionIn = (url: string): string => url.split('/').at(-1) as string;
  const openSession = async (invoice: Resource): Promise<string> =>
    sessionIn((await shop.invoice(invoice.id)).paymentUrl);
  const cardOf = async (customer: Resource, card: string) => {
    const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
    await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: card });
  };

  // The catalog, and the customers.
  const metric = await shop.metric();
  const feature = await shop.create('/v0/features', {
    key: 'calls',
    name: 'Calls',
    productId: metric.productId,
    type: 'metered',
  });
  const entitling = { featureId: feature.id, entitlementTemplate: TEMPLATE };
  const usage = await shop.usagePrice({ billableMetricId: metric.id, feature: entitling });
  const inAdvance = (unitPrice: string) => shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice } });
  const terms = { defaultTaxRate: 20, gracePeriod: 'P0D' };
  const arrears = await shop.plan([await shop.feePrice(), usage], { ...terms, gracePeriod: 'PT12H' });
  const seats = await shop.plan([await inAdvance('30')], terms);
  const moreSeats = await shop.plan([await inAdvance('100')], terms);
  const fees = await shop.plan([await shop.feePrice()], terms);
  const customers: Resource[] = [];
  for (let each = 0; each < 4; each += 1) customers.push(await shop.customer());
  const [byHand, advance, works, fails] = customers as [Resource, Resource, Resource, Resource];
  const together = await shop.customer({ invoiceGrouping: 'customer' });
  await cardOf(works, 'pm_ok');
  await cardOf(fails, 'pm_then_declined');
  let minutes = 0;
  /** Each begins a minute after the one before, so that no two are due at one instant. */
  const subscribe = (name: string, plan: Resource, customer: Resource, fields: object = {}): Promise<Resource> => {
    env.setNow(minuteOf(START, minutes));
    minutes += 1;
    const body = { name, planId: plan.id, customerId: customer.id, startedAt: minuteOf(START, minutes - 1), ...fields };
    return ask(`subscribe: ${name}`, '/v0/subscriptions', body);
  };
  const dueEachMinute = async (name: string, at: string) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      env.setNow(minuteOf(at, minute));
      await due(`${name}, ${minute}`);
    }
  };

  // January.
  const metered = await subscribe('in arrears', arrears, byHand);
  const seated = await subscribe('in advance', seats, advance);
  await pay('pay in advance', seated.payment.paymentSessionId);
  const moving = await subscribe('by transfer', seats, advance, { bankTransferOnly: true });
  await subscribe('charged', fees, works, { autoCharge: true });
  await subscribe('declined', fees, fails, { autoCharge: true });
  const first = await subscribe('grouped', fees, together);
  await subscribe('grouped, too', fees, together, { startedAt: first.startedAt });
  await due('begin');
  await shop.use(metered.id, MIDDLE, 130);
  const [entitlement] = (await shop.read(`/v1/entitlements?subscriptionId=${metered.id}`)).data;
  const purchase = await ask('order grant', `/v1/entitlements/${entitlement.entitlementId}/grants/purchase`, {
    amount: 50,
    price: '20.00',
    idempotencyKey: 'grant',
  });
  const topUp = await ask('order top-up', `/v0/customers/${byHand.id}/wallet/topUps`, {
    amount: '5.00',
    currency: 'USD',
    idempotencyKey: 'top-up',
  });
  const granting = sessionIn(purchase.paymentSessions[0].url);
  await pay('pay grant, declined', granting, 'pm_declined');
  await pay('pay grant', granting);
  await pay('pay top-up', sessionIn(topUp.paymentSessions[0].url));
  env.setNow(MIDDLE);
  await ask('change now', `/v0/subscriptions/${seated.id}/changes`, { planId: moreSeats.id });
  await ask('change later', `/v0/subscriptions/${moving.id}/changes`, { planId: moreSeats.id, effective: 'periodEnd' });
  await due('in January');

  // Its end, and the consequences.
  await dueEachMinute('January ends', FEBRUARY);
  env.setNow(GRACE_ENDS);
  await due('grace of January ends');
  const [january] = (await shop.invoices(metered)).filter(({ status }) => status === 'ISSUED');
  await pay('pay January, declined', await openSession(january), 'pm_declined');
  await pay('pay January', await openSession(january));
  await ask('refund January', `/v2/invoices/${january.id}/refunds`, { reason: 'A gift' });
  await due('give January back');
  env.setNow(RETRY);
  await due('charge again');
  await ask('end', `/v0/subscriptions/${metered.id}/termination`, { reason: 'Over' });
  await due('bill the end');
  await dueEachMinute('February ends', MARCH);
}
