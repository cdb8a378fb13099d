import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';
import { openTables, type Tables } from '../../test/support/tables.ts';
import { wireDomains } from '../wiring.ts';

/**
 * An alert that throws: other alerts continue, the alert itself is tried again, and after five tries the metrics show
 * it.
 */
let env: TestEnvironment;
let tables: Tables;
let merchant: Merchant;
let shop: Shop;
const START = Temporal.Instant.from('2026-01-31T12:00:00Z');
beforeAll(async () => {
  env = await openTestEnvironment();
  tables = await openTables(env.url);
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(async () => {
  await tables.close();
  await env.close();
});

const ALERTS = '/v0/alerts';
let counter = 0;
let now = START;
const later = (seconds: number) => {
  now = now.add({ seconds });
  env.setNow(now.toString());
};
const watch = () =>
  wireDomains('sandbox', 'http://localhost')
    .chores.find(({ isPrompt }) => isPrompt)
    ?.run(env.database, now);
const valuesOf = async ({ id }: Resource): Promise<string[]> =>
  (await shop.read(`${ALERTS}/${id}/triggers`)).data.map(({ value }: Resource) => value);
const parkedAlerts = async (): Promise<string | undefined> =>
  /^reckoner_due_parked\{kind="alert"\} (\d+)/m.exec((await merchant.get('/metrics')).text)?.[1];
const failureOf = async ({ id }: Resource): Promise<{ attempts: number; isParked: boolean } | undefined> => {
  const text = `select attempts, parked_at is not null as "isParked" from due_failure where kind = 'alert' and id = $1`;
  const [row] = await tables.query<{ attempts: number; isParked: boolean }>(text, [id]);
  return row;
};

/** An alert at a balance of 20. A test can make its terms unreadable. */
async function breakable() {
  counter += 1;
  const metric = await shop.metric({ eventType: `call-${counter}` });
  const feature = { key: `calls-${counter}`, name: 'Calls', productId: metric.productId, type: 'metered' };
  const { id: featureId } = await shop.create('/v0/features', feature);
  const customer = await shop.customer();
  const template = {
    type: 'metered',
    billableMetricIds: [metric.id],
    issueAfterReset: 100,
    usagePeriod: { interval: 'P1M' },
  };
  const entitlement = await shop.create('/v1/entitlements', { customerId: customer.id, featureId, template });
  const alert = await shop.create(ALERTS, { type: 'balance', entitlementId: entitlement.id, threshold: '20' });
  const kept = await tables.query<{ template: object }>(
    'select template from entitlement_term where entitlement_id = $1',
    [entitlement.id],
  );
  const write = (to: object | null) =>
    tables.query('update entitlement_term set template = $2 where entitlement_id = $1', [
      entitlement.id,
      JSON.stringify(to),
    ]);
  return {
    alert,
    use: (units: number) => shop.use(customer.id, now.toString(), units, { type: metric.eventType }),
    ruin: () => write(null),
    mend: () => write((kept[0] as { template: object }).template),
  };
}

async function sound() {
  const [customer, metric] = [await shop.customer(), await shop.metric()];
  const of = { type: 'usage', customerId: customer.id, billableMetricId: metric.id, period: 'month' };
  const alert = await shop.create(ALERTS, { ...of, threshold: '10' });
  return { alert, use: (units: number) => shop.use(customer.id, now.toString(), units, { type: metric.eventType }) };
}

it('leaves the others alone, and is triggered by due work as soon as it can be read', async () => {
  later(0);
  const [broken, other] = [await breakable(), await sound()];
  await env.runDueWork();
  await broken.ruin();
  await broken.use(90);
  await other.use(10);
  await watch();
  expect([await valuesOf(other.alert), await valuesOf(broken.alert)]).toEqual([['10'], []]);
  await env.runDueWork();
  expect(await failureOf(broken.alert)).toEqual({ attempts: 1, isParked: false });
  await broken.mend();
  await env.runDueWork();
  expect(await valuesOf(broken.alert)).toEqual([]); // it is not time yet
  later(5);
  await env.runDueWork();
  expect(await valuesOf(broken.alert)).toEqual(['10']);
  expect(await failureOf(broken.alert)).toBeUndefined();
});

it('is parked after five tries, as the metrics say, and the next event triggers it once it is readable', async () => {
  const broken = await breakable();
  await env.runDueWork();
  await broken.ruin();
  await broken.use(85);
  later(60);
  await watch();
  for (const seconds of [0, 5, 30, 300, 1800]) {
    expect(await parkedAlerts()).toBeUndefined();
    later(seconds);
    await env.runDueWork();
  }
  expect(await failureOf(broken.alert)).toEqual({ attempts: 5, isParked: true });
  expect(await parkedAlerts()).toBe('1');
  await broken.mend();
  await broken.use(5);
  later(60);
  await watch();
  expect(await valuesOf(broken.alert)).toEqual(['10']);
  later(3_600);
  await env.runDueWork();
  expect(await failureOf(broken.alert)).toBeUndefined();
  expect(await parkedAlerts()).toBe('0');
});
