import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wireDomains } from '../../src/wiring.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Visitor, visit } from '../support/portal.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * No id in an address shows data of another customer (docs/decisions/0125): the test tries each route of the portal.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let reader: Visitor;
/**
 * Ids by the name of the parameter: of the visitor, of another customer of its merchant, of another merchant, and
 * unknown ones.
 */
let ids: Record<string, { own: string; foreign: readonly string[] }>;

const routes = wireDomains('sandbox', 'http://localhost')
  .routes({} as never)
  .map(({ declaration: { method, path } }) => ({ method, path }))
  .filter(({ path }) => path.startsWith('/portal'));

/** Routes without a session: they have a token, or name a merchant. */
const SIGN_IN_PATHS = ['/portal/open', '/portal/:merchantId', '/portal/leave'];
const inside = routes.filter(({ path }) => !SIGN_IN_PATHS.includes(path));
const parameterOf = (path: string): string | null => /:(\w+)/.exec(path)?.[1] ?? null;

/** A customer with a subscription, an issued invoice and a card. */
async function world(of: Shop): Promise<Record<'subscriptionId' | 'invoiceId' | 'cardId' | 'customerId', string>> {
  const { invoice, subscription } = await of.issued();
  const { customerId } = subscription as Resource;
  const setup = await of.create(`/v0/customers/${customerId}/paymentMethods`);
  await of.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: 'pm_ok' });
  const card = (await of.read(`/v0/customers/${customerId}/paymentMethods`)).data[0];
  return { subscriptionId: subscription.id, invoiceId: invoice.id, cardId: card.id, customerId };
}

beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  const portal = { quantities: true, cancellation: 'now' };
  await shop.change(`/v0/organizations/${merchant.id}`, { settings: { portal } });
  const [own, neighbour, stranger] = [await world(shop), await world(shop), await world(shopOf(await env.merchant()))];
  reader = await visit(env, shop, { id: own.customerId });
  const of = (name: 'subscriptionId' | 'invoiceId' | 'cardId', unknown: string) => ({
    own: own[name],
    foreign: [neighbour[name], stranger[name], unknown, own.customerId, 'nonsense'],
  });
  ids = {
    subscriptionId: of('subscriptionId', `sub_${'a'.repeat(22)}`),
    invoiceId: of('invoiceId', `inv_${'a'.repeat(32)}`),
    cardId: of('cardId', `pm_${'a'.repeat(22)}`),
  };
});
afterAll(() => env.close());

const cookie = () => `reckoner_portal=${reader.cookies.get('reckoner_portal')}`;
const formKey = () => reader.first.forms[0]?.fields.find(({ name }) => name === 'formKey')?.value as string;
const call = (method: string, path: string, headers: Record<string, string>) =>
  method === 'GET'
    ? env.client().get(path.endsWith('/preview') ? `${path}?cancel=now` : path, headers)
    : env.client().post(path, new URLSearchParams({ formKey: formKey(), ...fieldsFor(path) }).toString(), {
        ...headers,
        'content-type': 'application/x-www-form-urlencoded',
      });
const fieldsFor = (path: string): Record<string, string> =>
  path.startsWith('/portal/subscriptions/') ? { cancel: 'now', print: 'x' } : {};

describe('a page of the portal', () => {
  it('is one of those that are tried here', () => {
    expect(inside.length).toBeGreaterThan(12);
    const named = [...new Set(inside.flatMap(({ path }) => parameterOf(path) ?? []))];
    expect(named.toSorted()).toEqual(['cardId', 'invoiceId', 'subscriptionId']);
  });

  it.each(inside)('$method $path shows no data without a session', async ({ method, path }) => {
    const filled = path.replace(/:(\w+)/, (_, name: string) => ids[name]?.own as string);
    for (const sent of [{}, { cookie: 'reckoner_portal=nonsense' }, { cookie: `reckoner_portal=${'a'.repeat(43)}` }]) {
      const answer = await call(method, filled, sent as Record<string, string>);
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.text).not.toContain('Customer');
    }
  });

  it.each(inside.filter(({ path }) => parameterOf(path) !== null))(
    '$method $path knows no id of another customer',
    async ({ method, path }) => {
      const { foreign } = ids[parameterOf(path) as string] as (typeof ids)[string];
      for (const id of foreign) {
        const answer = await call(method, path.replace(/:\w+/, id), { cookie: cookie() });
        expect([id, answer.status]).toEqual([id, 404]);
      }
    },
  );

  it('opens with the own ids', async () => {
    for (const { path } of inside.filter(({ method }) => method === 'GET')) {
      const own = path.replace(/:(\w+)/, (_, name: string) => ids[name]?.own as string);
      expect([path, (await call('GET', own, { cookie: cookie() })).status]).toEqual([path, 200]);
    }
  });
});
