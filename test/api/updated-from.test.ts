import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { allDeclarations, propertiesOf } from '../support/routes.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** A copy of a list that asks for what changed since it asked last (api.md, Lists). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

/** The time of the database, which is that of the changes. */
const now = async (): Promise<string> => Temporal.Now.instant().toString();

const changedSince = async (path: string, time: string): Promise<string[]> => {
  const { data, pagination } = await shop.read(`${path}${path.includes('?') ? '&' : '?'}limit=100&updatedFrom=${time}`);
  expect(pagination.total).toBe(data.length);
  return data.map(({ id }: Resource) => id);
};

it('is a filter of the lists that copies are kept of', async () => {
  const lists = (await allDeclarations())
    .filter(({ query }) => 'updatedFrom' in propertiesOf(query))
    .map(({ operationId }) => operationId);
  expect(lists.toSorted()).toEqual(
    [
      'listCustomers',
      'listEvents',
      'listInvoicePayments',
      'listInvoices',
      'listPayments',
      'listSubscriptions',
    ].toSorted(),
  );
});

describe('updatedFrom', () => {
  it('finds what was made or changed since, whatever clock it is on', async () => {
    const start = await now();
    const { subscription, invoice, clock } = await shop.issued();
    expect(await changedSince('/v0/subscriptions', start)).toEqual([subscription.id]);
    expect(await changedSince('/v2/invoices', start)).toContain(invoice.id);
    const later = await now();
    expect(await changedSince('/v2/invoices', later)).toEqual([]);
    expect(await changedSince('/v0/subscriptions', later)).toEqual([]);
    await shop.pay(invoice);
    expect(await changedSince('/v2/invoices', later)).toEqual([invoice.id]);
    expect(await changedSince('/v2/invoices?status=ISSUED', later)).toEqual([]);
    expect(await changedSince(`/v2/invoices/${invoice.id}/payments`, later)).toHaveLength(1);
    const last = await now();
    expect(await changedSince(`/v2/invoices/${invoice.id}/payments`, last)).toEqual([]);
    await shop.change(`/v0/subscriptions/${subscription.id}`, { metadata: { team: 'north' } });
    expect(await changedSince('/v0/subscriptions', last)).toEqual([subscription.id]);
    expect(Temporal.Instant.compare(clock.currentTime, START)).toBe(0); // years away from the time of these changes
  });

  it('finds customers by what they show of others', async () => {
    const [one, other] = [await shop.customer(), await shop.customer()];
    const before = await now();
    expect(await changedSince('/v0/customers', before)).toEqual([]);
    await shop.change(`/v0/organizations/${one.consumerId}`, { phone: '+41 44 000 00 00' });
    expect(await changedSince('/v0/customers', before)).toEqual([one.id]);
    await shop.change(`/v0/customers/${other.id}`, { metadata: { vip: true } });
    expect((await changedSince('/v0/customers', before)).toSorted()).toEqual([one.id, other.id].toSorted());
  });

  it('finds payment links whose session was paid', async () => {
    const link = await shop.create('/v0/payments', { amount: '10.00', currency: 'USD' });
    const before = await now();
    expect(await changedSince('/v0/payments', before)).toEqual([]);
    await shop.act(`/v0/paymentSessions/${link.paymentSessionId}/complete`, { paymentMethod: 'pm_ok' });
    expect(await changedSince('/v0/payments', before)).toEqual([link.id]);
  });

  it('finds events by their acceptance, whenever they happened', async () => {
    const { id: customerId } = await shop.customer();
    env.setNow('2026-06-01T00:00:00Z');
    const first = await shop.use(customerId, '2026-05-30T00:00:00Z', 1);
    env.setNow('2026-06-01T01:00:00Z');
    const second = await shop.use(customerId, '2026-05-01T00:00:00Z', 1);
    expect(await changedSince('/v0/events', '2026-06-01T01:00:00Z')).toEqual([second.id]);
    expect(await changedSince('/v0/events', '2026-06-01T00:00:00Z')).toEqual([second.id, first.id]);
    expect(await changedSince('/v0/events', '2026-06-01T01:00:01Z')).toEqual([]);
    env.setNow(null);
  });

  it('continues after a row', async () => {
    const before = await now();
    const made = [await shop.customer(), await shop.customer(), await shop.customer()].map(({ id }) => id);
    const path = `/v0/customers?updatedFrom=${before}&limit=1`;
    const { pagination } = await shop.read(path);
    const rest = await shop.read(`${path}0&after=${pagination.nextAfter}`);
    expect(rest.data.map(({ id }: Resource) => id)).toEqual([made[1], made[0]]);
  });
});

it('lists by the outcome of events have those of seven days, unless they name a time', async () => {
  env.setNow('2026-06-10T00:00:00Z');
  const { id } = await shop.use('cus_unknown', '2026-01-01T00:00:00Z', 1);
  const ids = async (query: string): Promise<string[]> =>
    (await shop.read(`/v0/events?status=unmatched&limit=100${query}`)).data.map((event: Resource) => event.id);
  env.setNow('2026-06-16T23:00:00Z');
  expect(await ids('')).toContain(id);
  env.setNow('2026-06-17T01:00:00Z');
  expect(await ids('')).not.toContain(id);
  expect(await ids('&from=2025-12-31T00:00:00Z')).toContain(id);
  expect(await ids('&to=2026-01-02T00:00:00Z')).toContain(id);
  expect(await ids('&updatedFrom=2026-06-10T00:00:00Z')).toContain(id);
  env.setNow(null);
});
