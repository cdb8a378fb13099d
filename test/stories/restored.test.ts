import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditDatabase, beginLife } from '../../src/app.ts';
import { generateMasterKey } from '../../src/kernel/sealing.ts';
import { comparisonChore } from '../../src/payments/returns/after-restore.ts';
import { FAKE_TOKENS, FakeProvider, fakeAccount } from '../../src/payments/testing/fake-provider.ts';
import { connectFake } from '../support/connected.ts';
import { cloneDatabase, type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * One database lives on for a month, and is then restored from a backup of the month's begin: what the lost life did at
 * the provider is not done again, and what it gave out is not given to anybody else (decision 0250).
 */
const START = '2026-03-01T00:00:00Z';
const LATER = '2026-04-01T00:10:00Z';
const MUCH_LATER = '2026-04-04T00:00:00Z';

const provider = new FakeProvider();
const masterKey = generateMasterKey();
const databases: { url: string; drop: () => Promise<void> }[] = [];
const nameOf = (url: string) => new URL(url).pathname.slice(1);
const openOn = (database: { url: string }) =>
  openTestEnvironment({
    database: { url: database.url, drop: async () => undefined },
    masterKey,
    paymentProviders: [provider],
  });

let merchant: Merchant;
let customers: Resource[];
let lost: { invoices: Resource[]; events: string[]; facts: Map<string, string>; charges: string[] };
let onClock: { merchant: Merchant; clock: Resource; charges: number };
let env: TestEnvironment;
let shop: Shop;

/** The same merchant, by its key, in another life. */
const again = (by: TestEnvironment, of = merchant): Merchant => ({
  ...by.client(of.key),
  id: of.id,
  userId: of.userId,
});

async function customerWithCard(at: TestEnvironment, by: Shop): Promise<Resource> {
  const customer = await by.customer();
  const setup = await by.create(`/v0/customers/${customer.id}/paymentMethods`);
  await payOnPage(at, setup.id);
  return customer;
}

/** A card and a month of a test clock that is far ahead. */
async function sellOnClock(at: TestEnvironment): Promise<typeof onClock> {
  const other = await at.merchant();
  const by = shopOf(other);
  await connectFake(at, other);
  const clock = await by.clock('2031-01-01T00:00:00Z');
  const customer = await customerWithCard(at, by);
  await by.subscribe(await by.plan([await by.feePrice()]), { clock, customer, autoCharge: true });
  return { merchant: other, clock, charges: 0 };
}

async function payOnPage(at: TestEnvironment, sessionId: string): Promise<void> {
  const { headers } = await at
    .client()
    .post(`/pay/${sessionId}`, '', { 'content-type': 'application/x-www-form-urlencoded' });
  provider.pay(String(headers.location).split('/').at(-1) as string, { token: FAKE_TOKENS.ok });
  await at.client().get(`/pay/${sessionId}/return`);
}

const invoicesOf = async (by: Shop): Promise<Resource[]> =>
  (await by.read('/v2/invoices?limit=100&status=ISSUED')).data.concat(
    (await by.read('/v2/invoices?limit=100&status=PAID')).data,
  );

/** What the outbox says of invoices, by its fact. */
const factsOf = async (by: Shop): Promise<Map<string, string>> => {
  const { data } = await by.read('/v0/webhookEvents?limit=100');
  return new Map(
    data
      .filter(({ type }: Resource) => type.startsWith('invoice.'))
      .map((each: Resource) => [`${each.type} ${each.data.invoiceId}`, each.id]),
  );
};

const use = async (by: Shop, customer: Resource, units: number): Promise<string> =>
  (await by.use(customer.id, '2026-03-05T00:00:00Z', units)).id;

beforeAll(async () => {
  const first = await cloneDatabase();
  databases.push(first);
  let life = await openOn(first);
  life.setNow(START);
  merchant = await life.merchant();
  shop = shopOf(merchant);
  await connectFake(life, merchant);
  const plan = await shop.plan([await shop.feePrice(), await shop.usagePrice()]);
  customers = [
    await customerWithCard(life, shop),
    await customerWithCard(life, shop),
    await customerWithCard(life, shop),
  ];
  for (const customer of customers) await shop.subscribe(plan, { customer, startedAt: START, autoCharge: true });
  await use(shop, customers[0], 5);
  onClock = await sellOnClock(life);
  await life.runDueWork();
  await life.close();

  const backup = await cloneDatabase(nameOf(first.url));
  databases.push(backup);

  life = await openOn(first);
  shop = shopOf(again(life));
  life.setNow('2026-03-06T00:00:00Z');
  const events = [await use(shop, customers[1], 7), await use(shop, customers[2], 9)];
  const link = await shop.create('/v0/payments', { amount: '25.00', currency: 'USD' });
  await payOnPage(life, link.paymentUrl.split('/').at(-1));
  await shopOf(again(life, onClock.merchant)).advance(onClock.clock, 'P1M');
  onClock.charges = provider.acceptedKeys.length;
  life.setNow(LATER);
  await life.runDueWork();
  lost = { invoices: await invoicesOf(shop), events, facts: await factsOf(shop), charges: [...provider.acceptedKeys] };
  await life.close();

  await beginLife(backup.url, [
    { merchantId: merchant.id, counter: 'invoice', number: 30n },
    { merchantId: merchant.id, counter: 'credit_note', number: 7n },
  ]);
  env = await openOn(backup);
  env.setNow('2026-03-06T00:00:00Z');
  shop = shopOf(again(env));
});
afterAll(async () => {
  await env?.close();
  for (const { drop } of databases) await drop();
});

describe('after a restore', () => {
  it('an event has no id that the lost life gave to another one, and its ids are unknown', async () => {
    expect(lost.events).toHaveLength(2);
    const sent = [await use(shop, customers[1], 7), (await shop.use(customers[2].id, '2026-03-05T00:00:00Z', 1)).id];
    expect(lost.events).not.toContain(sent[0]);
    expect(lost.events).not.toContain(sent[1]);
    expect((await again(env).get(`/v0/events/${lost.events[0]}`)).status).toBe(404);
    expect((await again(env).get(`/v0/events/${sent[0]}`)).body.id).toBe(sent[0]);
  });

  it('a test clock far ahead charges nobody again, either', async () => {
    expect(onClock.charges).toBe(1);
    await shopOf(again(env, onClock.merchant)).advance(onClock.clock, 'P1M');
    expect([...provider.acceptedKeys]).toEqual(lost.charges);
    const { data } = await again(env, onClock.merchant)
      .get('/v2/invoices?status=PAID')
      .then(({ body }) => body);
    expect(data).toHaveLength(1);
  });

  it('the periods have the same invoices, which nobody is charged for again', async () => {
    env.setNow(LATER);
    await env.runDueWork();
    const invoices = await invoicesOf(shop);
    const idsOf = (list: readonly Resource[]) => list.map(({ id }) => id).toSorted();
    expect(idsOf(invoices)).toEqual(idsOf(lost.invoices));
    expect(lost.invoices.map(({ status }) => status)).toEqual(['PAID', 'PAID', 'PAID']);
    expect([...provider.acceptedKeys]).toEqual(lost.charges);
    const paid = invoices.filter(({ status }) => status === 'PAID').map(({ customerId }) => customerId);
    expect(paid.toSorted()).toEqual([customers[0].id, customers[1].id].toSorted());
  });

  it('a charge of another amount is listed for a person, and neither sent back nor dunned', async () => {
    const [other] = (await shop.read(`/v2/invoices?customerId=${customers[2].id}&status=ISSUED`)).data;
    expect(other).toMatchObject({ status: 'ISSUED', grandTotal: '11.00', paymentInFlight: false });
    const { data } = await shop.read('/v0/paymentExceptions');
    expect(data).toMatchObject([{ invoiceId: other.id, amount: '19.00', reason: 'differs' }]);
    env.setNow(MUCH_LATER);
    await env.runDueWork();
    expect(provider.refunds).toEqual([]);
    const { data: mails } = await shop.read(`/v0/mails?customerId=${customers[2].id}`);
    expect(mails.map(({ kind }: Resource) => kind)).not.toContain('paymentFailed');
    expect([...provider.acceptedKeys]).toEqual(lost.charges);
  });

  it('what was paid on a page that is lost is listed for a person, once', async () => {
    const remote = { providers: [provider], accountOf: async () => fakeAccount(merchant.id) };
    const compare = async (at: string) => comparisonChore(remote as never).run(env.database, Temporal.Instant.from(at));
    const listed = async () => (await shop.read('/v0/paymentExceptions')).data.map(({ amount }: Resource) => amount);
    await compare(new Date().toISOString());
    expect(await listed()).toEqual(['19.00']); // charges of the first hour are not made yet
    const later = Temporal.Now.instant().add({ hours: 2 }).toString();
    await compare(later);
    await compare(later);
    expect((await listed()).toSorted()).toEqual(['19.00', '25.00']);
    expect(provider.refunds).toEqual([]);
  });

  it('numbers go on behind those that were given', async () => {
    const numbers = (await invoicesOf(shop)).map(({ invoiceNumber }) => invoiceNumber);
    expect(numbers.map((number) => Number(/\d+$/.exec(String(number))?.[0])).toSorted()).toEqual([30, 31, 32]);
  });

  it('the same fact has the same id, so that a receiver knows it', async () => {
    const facts = await factsOf(shop);
    const shared = [...lost.facts.keys()].filter((fact) => facts.has(fact));
    expect(shared.length).toBeGreaterThanOrEqual(5); // issued three times, paid twice
    for (const fact of shared) expect(facts.get(fact), fact).toBe(lost.facts.get(fact));
  });

  it('the audit holds', async () => {
    expect((await auditDatabase(env.url)).violations).toEqual([]);
  });
});
