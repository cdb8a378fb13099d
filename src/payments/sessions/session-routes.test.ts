import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { expireSessions, findSession, openSessionOf, openSessionsOf } from '../index.ts';
import { SESSION_STATUSES, type SessionStatus } from '../records/session-states.ts';
import { openShop, type Shop, type Shopkeeper } from '../testing/shop.ts';

let shop: Shop;
let merchant: Shopkeeper;
let other: Shopkeeper;
beforeAll(async () => {
  shop = await openShop();
  merchant = await shop.merchant();
  other = await shop.merchant();
});
afterAll(() => shop.close());

const newToy = () => shop.toy(merchant);

/** A session in this status, by any way. */
async function sessionIn(status: SessionStatus): Promise<{ id: string; toy: string }> {
  const toy = await newToy();
  const { id } = await shop.open(merchant, toy);
  const isOpen = status === 'pending' || status === 'failed';
  await shop.inMerchant(merchant.id, (tx) =>
    tx.run(sql`
      update payment_session set status = ${status}, completed_at = ${status === 'completed' ? shop.now() : null},
             next_action_at = ${isOpen ? shop.now().add({ hours: 1 }) : null}
       where id = ${id}`),
  );
  return { id, toy };
}

describe('opening', () => {
  it('expires the session before it without telling upstream, and leaves one', async () => {
    const toy = await newToy();
    const first = await shop.open(merchant, toy);
    const second = await shop.open(merchant, toy, { amount: decimal('1.00') });
    expect((await merchant.get(`/v0/paymentSessions/${first.id}`)).body.status).toBe('expired');
    expect(await shop.handlerCalls(merchant, toy)).toEqual([]);
    expect(await shop.published(merchant, first.id)).toEqual(['payment_session.expired.v0']);
    const open = await shop.inMerchant(merchant.id, (tx) => openSessionOf(tx, toy));
    expect(open?.id).toBe(second.id);
    const late = await merchant.post(`/v0/paymentSessions/${first.id}/complete`, { paymentMethod: 'pm_ok' });
    expect(late).toMatchObject({ status: 409, body: { code: 'PAYMENT_SESSION_EXPIRED' } });
  });

  it('for an invoice expires the session of the subscription that the invoice is for', async () => {
    const [invoice, subscription] = [await newToy(), newId('subscription')];
    const upfront = await shop.open(merchant, subscription, {
      entityType: 'subscription',
      invoiceId: invoice,
      subscriptionId: subscription,
    });
    const direct = await shop.open(merchant, invoice);
    expect((await merchant.get(`/v0/paymentSessions/${upfront.id}`)).body.status).toBe('expired');
    expect((await merchant.get(`/v0/paymentSessions/${direct.id}`)).body.status).toBe('pending');
  });

  it('by twenty at once leaves one session that can be paid', async () => {
    const toy = await newToy();
    const opened = await Promise.allSettled(Array.from({ length: 20 }, () => shop.open(merchant, toy)));
    expect(opened.some(({ status }) => status === 'fulfilled')).toBe(true);
    const rows = await shop.inMerchant(merchant.id, (tx) =>
      tx.rows(sql`select from payment_session where entity_id = ${toy} and status = 'pending'`),
    );
    expect(rows).toHaveLength(1);
  });

  it('is refused by the database for an amount that is not above zero', async () => {
    const toy = await newToy();
    await expect(shop.open(merchant, toy, { amount: decimal('0') })).rejects.toThrow('check constraint');
    await expect(shop.open(merchant, toy, { amount: decimal('-1') })).rejects.toThrow('check constraint');
  });
});

describe('looking up', () => {
  it('finds the open sessions of many entities at once, failed ones too', async () => {
    const toys = [await newToy(), await newToy(), await newToy()];
    const sessions = await Promise.all(toys.map((toy) => shop.open(merchant, toy)));
    const [paid, failed, open] = sessions.map(({ id }) => id);
    await merchant.post(`/v0/paymentSessions/${paid}/complete`, { paymentMethod: 'pm_ok' });
    await merchant.post(`/v0/paymentSessions/${failed}/complete`, { paymentMethod: 'pm_declined' });
    const entities = toys.map((entityId) => ({ merchantId: merchant.id, entityId }));
    const found = await shop.inMerchant(merchant.id, (tx) => openSessionsOf(tx, entities));
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set([failed, open]));
    expect(await shop.inMerchant(merchant.id, (tx) => openSessionsOf(tx, []))).toEqual([]);
  });

  it('expires what is open for an entity and nothing else, and says how many', async () => {
    const [toy, bystander] = [await newToy(), await newToy()];
    await shop.open(merchant, toy);
    const untouched = await shop.open(merchant, bystander);
    const expire = () => shop.inMerchant(merchant.id, (tx) => expireSessions(tx, toy, shop.now()));
    expect(await expire()).toBe(1);
    expect(await expire()).toBe(0);
    expect(await shop.handlerCalls(merchant, toy)).toEqual([]);
    const found = await shop.inMerchant(merchant.id, (tx) => findSession(tx, untouched.id));
    expect(found?.status).toBe('pending');
  });
});

describe('every status meets every route', () => {
  const expireAnswers: Record<SessionStatus, [number, string]> = {
    pending: [200, 'expired'],
    failed: [200, 'expired'],
    expired: [200, 'expired'],
    processing: [409, 'INVALID_TRANSITION'],
    completed: [409, 'INVALID_TRANSITION'],
    cancelled: [409, 'INVALID_TRANSITION'],
  };
  const completeAnswers: Record<SessionStatus, [number, string]> = {
    pending: [200, 'completed'],
    failed: [200, 'completed'],
    completed: [200, 'completed'],
    processing: [409, 'PAYMENT_IN_PROGRESS'],
    expired: [409, 'PAYMENT_SESSION_EXPIRED'],
    cancelled: [409, 'INVALID_TRANSITION'],
  };

  it.each(SESSION_STATUSES.map((status) => ({ status, answer: expireAnswers[status] })))(
    'expire of a $status session answers $answer',
    async ({ status, answer }) => {
      const { id } = await sessionIn(status);
      const { status: code, body } = await merchant.post(`/v0/paymentSessions/${id}/expire`);
      expect([code, body.code ?? body.status]).toEqual(answer);
    },
  );

  it.each(SESSION_STATUSES.map((status) => ({ status, answer: completeAnswers[status] })))(
    'complete of a $status session answers $answer',
    async ({ status, answer }) => {
      const { id } = await sessionIn(status);
      const { status: code, body } = await merchant.post(`/v0/paymentSessions/${id}/complete`, {
        paymentMethod: 'pm_ok',
      });
      expect([code, body.code ?? body.status]).toEqual(answer);
    },
  );

  it.each(SESSION_STATUSES)('get of a %s session shows it', async (status) => {
    const { id } = await sessionIn(status);
    expect(await merchant.get(`/v0/paymentSessions/${id}`)).toMatchObject({ status: 200, body: { id, status } });
  });
});

it('expiring tells upstream once, also when it is done twice', async () => {
  const { id, toy } = await sessionIn('pending');
  const answers = [
    await merchant.post(`/v0/paymentSessions/${id}/expire`),
    await merchant.post(`/v0/paymentSessions/${id}/expire`, {}),
  ];
  expect(answers.map(({ status, body }) => [status, body.status])).toEqual([
    [200, 'expired'],
    [200, 'expired'],
  ]);
  expect((await shop.handlerCalls(merchant, toy)).map(({ kind }) => kind)).toEqual(['expired']);
  expect(await shop.published(merchant, id)).toEqual(['payment_session.expired.v0']);
});

describe('the list', () => {
  it('is filtered, paged, newest first, and of the shape of lists', async () => {
    const owner = await shop.merchant();
    const subscription = newId('subscription');
    const plain = await shop.open(owner, await shop.toy(owner), { customerId: null, entityLabel: 'INV-000007' });
    const ofCustomer = await shop.open(owner, await shop.toy(owner));
    const upfront = await shop.open(owner, subscription, {
      entityType: 'subscription',
      invoiceId: await shop.toy(owner),
      subscriptionId: subscription,
    });
    await owner.post(`/v0/paymentSessions/${plain.id}/complete`, { paymentMethod: 'pm_ok' });
    const idsOf = async (query: string) => {
      const { status, body } = await owner.get(`/v0/paymentSessions${query}`);
      expect(status).toBe(200);
      return body.data.map(({ id }: { id: string }) => id);
    };
    expect(await idsOf('')).toEqual([upfront.id, ofCustomer.id, plain.id]);
    expect(await idsOf('?limit=1&offset=1')).toEqual([ofCustomer.id]);
    expect(await idsOf(`?customerId=${owner.customerId}`)).toEqual([upfront.id, ofCustomer.id]);
    expect(await idsOf('?status=completed')).toEqual([plain.id]);
    expect(await idsOf('?entityType=subscription')).toEqual([upfront.id]);
    expect(await idsOf(`?merchantId=${owner.id}&status=pending&entityType=invoice`)).toEqual([ofCustomer.id]);
    const { body } = await owner.get('/v0/paymentSessions?limit=1&offset=2');
    expect(body).toMatchObject({ object: 'list', pagination: { limit: 1, offset: 2, total: 3 } });
    expect(body.data[0]).toMatchObject({
      object: 'payment_session',
      id: plain.id,
      entityType: 'invoice',
      entityId: plain.entityId,
      entityLabel: 'INV-000007',
      amount: '69.44',
      currency: 'USD',
      status: 'completed',
      merchantPaymentAccountId: null,
      completedAt: '2026-03-01T12:00:00Z',
    });
    expect(body.data[0].providerPaymentRef).toMatch(/^sandbox_charge_/);
  });

  it.each(['status=paid', 'entityType=order', 'customerId=inv_1', 'limit=0', 'limit=101', 'offset=-1', 'colour=red'])(
    'refuses ?%s with 400',
    async (query) => {
      expect(await merchant.get(`/v0/paymentSessions?${query}`)).toMatchObject({
        status: 400,
        body: { error: 'validation_error', errors: [{ field: query.split('=')[0] }] },
      });
    },
  );

  it('covers all merchants for an operator, and one by its id or its customer', async () => {
    const [mine, theirs] = [await shop.open(merchant, await newToy()), await shop.open(other, await shop.toy(other))];
    const all = await shop.platform.get('/v0/paymentSessions?limit=2');
    expect(all.body.data.map(({ id }: { id: string }) => id)).toEqual([theirs.id, mine.id]);
    for (const query of [`merchantId=${merchant.id}`, `customerId=${merchant.customerId}`]) {
      const { body } = await shop.platform.get(`/v0/paymentSessions?limit=1&${query}`);
      expect(body.data[0].id).toBe(mine.id);
    }
  });
});

describe('who may', () => {
  it('another merchant gets 403 everywhere and changes nothing', async () => {
    const { id, toy } = await sessionIn('pending');
    const answers = [
      await other.get(`/v0/paymentSessions/${id}`),
      await other.post(`/v0/paymentSessions/${id}/expire`),
      await other.post(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_ok' }),
      await other.get(`/v0/paymentSessions?merchantId=${merchant.id}`),
      await other.get(`/v0/paymentSessions?customerId=${merchant.customerId}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    for (const { text } of answers) expect(text).not.toContain(toy);
    expect((await merchant.get(`/v0/paymentSessions/${id}`)).body.status).toBe('pending');
    expect((await other.get('/v0/paymentSessions?limit=100')).body.data).not.toContainEqual(
      expect.objectContaining({ id }),
    );
  });

  it('nobody without a key', async () => {
    const { id } = await sessionIn('pending');
    expect((await shop.nobody.get(`/v0/paymentSessions/${id}`)).status).toBe(401);
    expect((await shop.nobody.post(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_ok' })).status).toBe(401);
  });

  it('a viewer looks and changes nothing, a member does', async () => {
    const [viewer, member] = [await shop.userOf(merchant, 'viewer'), await shop.userOf(merchant, 'member')];
    const { id } = await sessionIn('pending');
    expect((await viewer.get(`/v0/paymentSessions/${id}`)).status).toBe(200);
    expect((await viewer.get('/v0/paymentSessions')).status).toBe(200);
    expect((await viewer.post(`/v0/paymentSessions/${id}/expire`)).status).toBe(403);
    expect((await viewer.post(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_ok' })).status).toBe(403);
    expect((await member.post(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_ok' })).status).toBe(200);
  });

  it.each(['ps_', 'ps_none', 'inv_1', '%00'])('the id %s is a 404', async (id) => {
    expect((await merchant.get(`/v0/paymentSessions/${id}`)).status).toBe(404);
    expect((await merchant.post(`/v0/paymentSessions/${id}/expire`)).status).toBe(404);
  });
});

describe('in production', () => {
  let production: Shop;
  let seller: Shopkeeper;
  beforeAll(async () => {
    production = await openShop({ environment: 'production' });
    seller = await production.merchant();
  });
  afterAll(() => production.close());

  it('there is no test card: complete is a 404, and so is the page', async () => {
    const { id } = await production.open(seller, await production.toy(seller));
    const complete = await seller.post(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_ok' });
    expect(complete).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect((await seller.get(`/v0/paymentSessions/${id}`)).body.status).toBe('pending');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await production.nobody.post(`/pay/${id}`, 'paymentMethod=pm_ok', form)).status).toBeGreaterThanOrEqual(
      400,
    );
    expect((await production.nobody.get(`/pay/${id}`)).status).toBe(404);
    expect((await seller.get(`/v0/paymentSessions/${id}`)).body.status).toBe('pending');
  });

  it('a merchant without a provider stores no cards', async () => {
    expect(await seller.post(`/v0/customers/${seller.customerId}/paymentMethods`)).toMatchObject({
      status: 409,
      body: { code: 'NO_PAYMENT_PROVIDER', details: { paymentProvider: 'none' } },
    });
  });
});
