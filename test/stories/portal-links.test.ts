import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { readerOf } from '../support/page-reader.ts';
import { visit } from '../support/portal.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Links to the customer portal, and the sessions that they become (api.md, POST …/portal; docs/decisions/0124). */
const NOW = '2026-03-10T09:30:00Z';
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
beforeEach(async () => {
  env.setNow(NOW);
  customer = await shop.customer();
});
afterAll(() => env.close());

const linkTo = (of: Resource, body: object = {}) => shop.act(`/v0/customers/${of.id}/portal`, body);
const browser = (language?: string) => readerOf(env.client(), language === undefined ? {} : { language });
const tokenOf = ({ url }: Resource): string => new URL(url).searchParams.get('token') as string;

describe('a link', () => {
  it('names its address and its end, ten minutes ahead unless asked otherwise', async () => {
    const link = await linkTo(customer);
    expect(link).toEqual({
      object: 'customerPortal',
      url: expect.stringMatching(/^http:\/\/localhost:4401\/portal\/open\?token=[0-9A-Za-z]{43}$/),
      expiresAt: '2026-03-10T09:40:00Z',
    });
    expect((await linkTo(customer, { expiresIn: 'P7D' })).expiresAt).toBe('2026-03-17T09:30:00Z');
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), { customer, startedAt: NOW });
    expect(await shop.act(`/v0/subscriptions/${subscription.id}/portal`)).toMatchObject({
      object: 'subscriptionPortal',
      expiresAt: '2026-03-10T09:40:00Z',
    });
  });

  it.each([
    { body: { expiresIn: 'P7DT1S' }, field: 'expiresIn' },
    { body: { expiresIn: 'PT0S' }, field: 'expiresIn' },
    { body: { expiresIn: 'soon' }, field: 'expiresIn' },
    { body: { returnUrl: 'http://shop.example/account' }, field: 'returnUrl' },
    { body: { returnUrl: 'javascript:alert(1)' }, field: 'returnUrl' },
  ])('is refused with $body', async ({ body, field }) => {
    const { status, body: refusal } = await merchant.post(`/v0/customers/${customer.id}/portal`, body);
    expect([status, refusal.errors?.map((each: { field: string }) => each.field)]).toEqual([400, [field]]);
  });

  it('is made by members only, and of the merchant’s own customers', async () => {
    const viewer = await env.userOf(merchant, 'viewer');
    const stranger = await env.merchant();
    const path = `/v0/customers/${customer.id}/portal`;
    expect((await viewer.post(path)).status).toBe(403);
    expect((await stranger.post(path)).status).toBe(403);
    expect((await merchant.post('/v0/customers/cus_unknown/portal')).status).toBe(404);
  });

  it('leaves its token in no row and in no entry of the audit log', async () => {
    const token = tokenOf(await linkTo(customer));
    await merchant.post(`/v0/customers/${customer.id}/portal`, {}, { 'idempotency-key': 'portal-once' });
    const held = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows<{ text: string }>(sql`
        select portal_link::text as text from portal_link union all select audit_entry::text from audit_entry
        union all select idempotency_key::text from idempotency_key`),
    );
    expect(held.length).toBeGreaterThan(2);
    for (const { text } of held) {
      expect(text).not.toContain(token);
      expect(text).not.toMatch(/token=[0-9A-Za-z]/);
    }
  });

  it('opens nothing by being looked at, and the portal by its button', async () => {
    const link = await linkTo(customer);
    const scanner = browser();
    for (let count = 0; count < 3; count += 1) {
      const page = await scanner.open(link.url);
      expect([page.status, page.headings]).toEqual([200, ['Your account at Test merchant']]);
      expect(page.words).toContain(customer.organization.name);
    }
    expect(scanner.cookies.size).toBe(0);
    const reader = browser();
    const opened = await reader.press(await reader.open(link.url), 'Open');
    expect([opened.status, opened.address]).toEqual([200, '/portal']);
    expect(opened.words).toContain('There is nothing to pay.');
  });

  it('works once; the browser that opened it comes back by it', async () => {
    const link = await linkTo(customer);
    const reader = browser();
    const firstPage = await reader.open(link.url);
    await reader.press(firstPage, 'Open');
    expect((await reader.open(link.url)).address).toBe('/portal');
    const other = browser();
    const late = await other.open(link.url);
    expect([late.status, late.headings]).toEqual([410, ['This link has been used']]);
    expect(await other.press(firstPage, 'Open')).toMatchObject({ status: 410 });
    expect(other.cookies.size).toBe(0);
  });

  it('pressed ten times at once opens one session', async () => {
    const link = await linkTo(customer);
    const firstPage = await browser().open(link.url);
    const pages = await Promise.all(Array.from({ length: 10 }, () => browser().press(firstPage, 'Open')));
    expect(pages.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(410)]);
  });

  it('says that it has expired', async () => {
    const link = await linkTo(customer);
    const reader = browser();
    const firstPage = await reader.open(link.url);
    env.setNow('2026-03-10T09:40:00Z');
    expect(await reader.press(firstPage, 'Open')).toMatchObject({ status: 410, headings: ['This link has expired'] });
    const page = await reader.open(link.url);
    expect([page.status, page.headings]).toEqual([410, ['This link has expired']]);
    expect(page.links.map(({ href }) => href)).toEqual([`/portal/${merchant.id}`]);
  });

  it('that was never made is unknown', async () => {
    for (const path of ['/portal/open', '/portal/open?token=x', `/portal/open?token=${'a'.repeat(43)}`])
      expect((await browser().open(path)).status).toBe(404);
  });

  it('is not opened by another site', async () => {
    const link = await linkTo(customer);
    const answer = await env.client().post('/portal/open', `token=${tokenOf(link)}`, {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'cross-site',
    });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([404, undefined]);
    expect((await browser().open(link.url)).status).toBe(200);
  });
});

describe('a session', () => {
  it('is a cookie that no script reads, for the portal alone', async () => {
    const link = await linkTo(customer);
    const answer = await env.client().post('/portal/open', `token=${tokenOf(link)}`, {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(answer.headers['set-cookie']).toMatch(
      /^reckoner_portal=[0-9A-Za-z]{43}; Path=\/portal; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
  });

  it('lasts an hour from its last request, whatever its link lasted, and then names the merchant', async () => {
    const kunde = await shop.customer({ locale: 'de' });
    const reader = await visit(env, shop, kunde, { expiresIn: 'PT20M', returnUrl: 'https://shop.example/account' });
    env.setNow('2026-03-10T10:29:59Z');
    expect((await reader.open('/portal')).status).toBe(200);
    env.setNow('2026-03-10T11:29:58Z');
    expect((await reader.open('/portal')).status).toBe(200);
    env.setNow('2026-03-10T12:29:58Z');
    for (const path of ['/portal', '/portal/invoices']) {
      const page = await reader.open(path);
      expect([page.status, page.language, page.headings]).toEqual([403, 'de', ['Ihr Besuch ist beendet']]);
      expect(page.words).toContain('Test merchant');
      expect(page.links).toEqual([
        { words: 'Neuen Link zusenden', href: `/portal/${merchant.id}` },
        { words: 'Zurück zu Test merchant', href: 'https://shop.example/account' },
      ]);
    }
    const plain = await browser('fr').open('/portal');
    expect([plain.status, plain.language]).toEqual([403, 'fr']);
  });

  it('lasts a day at most', async () => {
    const reader = await visit(env, shop, customer);
    const statuses: number[] = [];
    for (let minutes = 50; minutes <= 24 * 60 + 50; minutes += 50) {
      env.setNow(Temporal.Instant.from(NOW).add({ minutes }).toString());
      statuses.push((await reader.open('/portal')).status);
    }
    expect(statuses).toEqual([...Array(28).fill(200), 403]);
  });

  it('ends at the sign-out, on every page that is still open', async () => {
    const reader = await visit(env, shop, customer);
    const cookie = `reckoner_portal=${reader.cookies.get('reckoner_portal')}`;
    const page = await reader.press(reader.first, 'Sign out');
    expect(page.headings).toEqual(['You are signed out']);
    expect(reader.cookies.size).toBe(0);
    expect((await env.client().get('/portal', { cookie })).status).toBe(403);
  });

  it('ends with its customer', async () => {
    const reader = await visit(env, shop, customer);
    expect((await merchant.delete(`/v0/customers/${customer.id}`)).status).toBe(204);
    expect((await reader.open('/portal')).status).toBe(403);
  });

  it('is named in the audit log, with the customer as the actor', async () => {
    await visit(env, shop, customer);
    const { data } = await shop.read(`/v0/auditLog?resourceId=${customer.id}&operation=openPortalLink`);
    expect(data).toMatchObject([
      { actor: 'customer', customerId: customer.id, userId: null, keyId: null, after: { way: 'api' } },
    ]);
  });

  it('does nothing that another site, or a page of another session, asks for', async () => {
    const reader = await visit(env, shop, customer);
    const other = await visit(env, shop, await shop.customer());
    const cookie = `reckoner_portal=${reader.cookies.get('reckoner_portal')}`;
    const keyOf = (page: typeof reader.first) =>
      page.forms[0]?.fields.find(({ name }) => name === 'formKey')?.value as string;
    const leave = (key: string, site: string) =>
      env.client().post('/portal/leave', new URLSearchParams({ formKey: key }).toString(), {
        ...{ cookie, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': site },
      });
    expect((await leave(keyOf(other.first), 'same-origin')).status).toBe(303);
    expect((await leave(keyOf(reader.first), 'cross-site')).status).toBe(303);
    expect((await leave('', 'same-origin')).status).toBe(303);
    expect((await env.client().get('/portal', { cookie })).status).toBe(200);
    expect((await leave(keyOf(reader.first), 'same-origin')).status).toBe(200);
    expect((await env.client().get('/portal', { cookie })).status).toBe(403);
  });

  it('leads back to the merchant where a returnUrl was given', async () => {
    const reader = await visit(env, shop, customer, { returnUrl: 'https://shop.example/account' });
    expect(reader.first.links).toContainEqual({ words: 'Back to Test merchant', href: 'https://shop.example/account' });
  });
});

describe('a link by mail', () => {
  const ask = async (email: string, reader = browser()) =>
    reader.press(await reader.open(`/portal/${merchant.id}`), 'Send me a link', { email });
  const mailsTo = async (id: string) => (await shop.read(`/v0/mails?customerId=${id}&kind=portalLink`)).data;

  it('goes to the address of an account, and opens it', async () => {
    const answer = await ask(customer.organization.billingEmails[0].toUpperCase());
    expect([answer.status, answer.headings]).toEqual([200, ['Please look into your mailbox']]);
    const [mail] = await mailsTo(customer.id);
    expect(mail).toMatchObject({ status: 'held', to: customer.organization.billingEmails, kind: 'portalLink' });
    const url = /http:\S+/.exec(mail.text)?.[0] as string;
    env.setNow('2026-03-10T09:44:59Z');
    const reader = browser();
    expect((await reader.press(await reader.open(url), 'Open')).address).toBe('/portal');
    env.setNow('2026-03-10T10:44:58Z');
    expect((await reader.open('/portal')).status).toBe(200);
    env.setNow('2026-03-10T11:44:58Z');
    expect((await reader.open('/portal')).status).toBe(403);
  });

  it('lasts 15 minutes', async () => {
    await ask(customer.organization.billingEmails[0]);
    const url = /http:\S+/.exec((await mailsTo(customer.id))[0].text)?.[0] as string;
    env.setNow('2026-03-10T09:45:00Z');
    expect((await browser().open(url)).status).toBe(410);
  });

  it('has the same answer for known and unknown addresses', async () => {
    const [known, unknown] = [await ask(customer.organization.billingEmails[0]), await ask('nobody@example.org')];
    expect(unknown.text).toBe(known.text);
    expect(unknown.status).toBe(known.status);
  });

  it('is sent to one customer three times in 15 minutes at most', async () => {
    env.setNow('2026-03-11T09:30:00Z');
    for (let count = 0; count < 5; count += 1)
      await env.client().post(`/portal/${merchant.id}`, `email=${customer.organization.billingEmails[0]}`, {
        'content-type': 'application/x-www-form-urlencoded',
      });
    expect(await mailsTo(customer.id)).toHaveLength(3);
  });

  it('speaks the customer’s language', async () => {
    const kunde = await shop.customer({ locale: 'de' });
    const reader = await visit(env, shop, kunde);
    expect([reader.first.language, reader.first.words]).toEqual([
      'de',
      expect.stringContaining('Es ist nichts zu zahlen.'),
    ]);
    await ask(kunde.organization.billingEmails[0]);
    expect((await mailsTo(kunde.id))[0]).toMatchObject({ subject: 'Ihr Link zu Ihrem Konto bei Test merchant' });
  });

  it('asks for an address again that is none', async () => {
    const page = await ask('no address');
    expect([page.status, page.words]).toEqual([400, expect.stringContaining('Enter an e-mail address')]);
  });

  const askFrom = async (remoteAddress: string, to = merchant.id) => {
    const reply = await env.server.inject({
      ...{ method: 'POST', url: `/portal/${to}`, remoteAddress, payload: 'email=nobody@example.org' },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    return reply.statusCode;
  };

  it.each([
    { from: '203.0.113.1', also: '203.0.113.1', other: '203.0.113.2' },
    { from: '2001:db8::1', also: '2001:db8::ffff', other: '2001:db8:0:1::1' },
  ])('is asked for ten times at once from $from, also as $also, and not as $other', async ({ from, also, other }) => {
    for (let count = 0; count < 10; count += 1) expect(await askFrom(from)).toBe(200);
    expect([await askFrom(also), await askFrom(other)]).toEqual([429, 200]);
  });

  it('is asked for a hundred times at once of one merchant, from wherever', async () => {
    const [one, another] = [await env.merchant(), await env.merchant()];
    const statuses = await Promise.all(
      Array.from({ length: 200 }, (_, count) => askFrom(`198.51.100.${count}`, one.id)),
    );
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(100);
    expect(statuses).toContain(429);
    expect(await askFrom('127.0.0.1', another.id)).toBe(200);
  });

  it('is not counted by the address of this machine, which may be a proxy', async () => {
    for (let count = 0; count < 20; count += 1) expect(await askFrom('127.0.0.1')).toBe(200);
  });

  it('is for merchants alone', async () => {
    for (const id of ['org_unknown', customer.consumerId, 'nonsense'])
      expect((await browser().open(`/portal/${id}`)).status).toBe(404);
  });
});
