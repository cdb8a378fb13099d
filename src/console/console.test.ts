import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, OWN, openBrowser, PASSWORD, tokenOf, withPassword } from '../../test/support/console.ts';
import { loginUrl, type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { makeSignInLink } from '../app.ts';
import { sql } from '../db/index.ts';

let env: TestEnvironment;
let operator: Browser;
let operatorId: string;
let platformId: string;
let count = 0;
let firstLink: string | null;

beforeAll(async () => {
  env = await openTestEnvironment();
  firstLink = await env.firstSignInLink();
  operator = await withPassword(env, String(firstLink));
  const { body } = await operator.call('GET', '/console/api/session');
  [operatorId, platformId] = [body.user.id, body.organization.id];
});
afterAll(() => env.close());
beforeEach(() => env.setNow(null));

/** A user of a merchant with a password, and a browser in which it is signed in. */
async function person(
  role: 'admin' | 'member' | 'viewer' = 'admin',
  options: { merchant?: { id: string }; email?: string } = {},
) {
  count += 1;
  const merchant = options.merchant ?? (await env.merchant());
  const email = options.email ?? `person-${count}@example.com`;
  const made = await env.platform.post('/v0/users', { organizationId: merchant.id, email, role });
  const link = await operator.call('POST', `/console/api/users/${made.body.id}/signInLink`);
  const browser = await withPassword(env, link.body.url);
  return { browser, email, userId: made.body.id as string, merchantId: merchant.id };
}

/** The link of a new user without a password. */
async function invited(merchant: Merchant, role: 'admin' | 'viewer' = 'admin') {
  const user = await env.userOf(merchant, role);
  const made = await operator.call('POST', `/console/api/users/${user.userId}/signInLink`);
  return { userId: user.userId, link: made };
}

const signIn = (browser: Browser, email: string, password = PASSWORD, more: object = {}, headers = {}) =>
  browser.call('POST', '/console/api/session', { email, password, ...more }, headers);

const SESSION = '/console/api/session';

describe('signing in', () => {
  it('answers the person, the organization, the role and the environment', async () => {
    const { email, userId, merchantId } = await person('member');
    env.setNow('2027-01-01T00:00:00Z');
    const browser = openBrowser(env);
    const answer = await signIn(browser, email.toUpperCase());
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      object: 'session',
      user: { id: userId, email },
      organization: { id: merchantId },
      role: 'member',
      environment: 'sandbox',
      expiresAt: '2027-01-01T12:00:00Z',
    });
    expect((await browser.call('GET', SESSION)).body).toEqual(answer.body);
  });

  it('answers an unknown address and a wrong password alike', async () => {
    const { email } = await person();
    const [wrong, unknown] = [
      await signIn(openBrowser(env), email, 'another password'),
      await signIn(openBrowser(env), 'nobody@example.com', 'another password'),
    ];
    expect([wrong.status, wrong.body]).toEqual([401, { ...unknown.body }]);
    expect(wrong.body.code).toBe('SIGN_IN_FAILED');
    expect(wrong.headers['set-cookie']).toBeUndefined();
  });

  it('takes a password in any form of Unicode', async () => {
    const merchant = await env.merchant();
    const { userId, link } = await invited(merchant);
    await env.platform.patch(`/v0/users/${userId}`, { email: 'unicode@example.com' });
    await withPassword(env, link.body.url, 'Caf\u00e9 au lait 12');
    expect((await signIn(openBrowser(env), 'unicode@example.com', 'Cafe\u0301 au lait 12')).status).toBe(200);
  });

  it('asks for the organization where users of several match, and for no other', async () => {
    const [one, two] = [
      await person('admin', { email: 'both@example.com' }),
      await person('viewer', { email: 'both@example.com' }),
    ];
    const browser = openBrowser(env);
    const asked = await signIn(browser, 'both@example.com');
    expect(asked).toMatchObject({ status: 409, body: { code: 'ORGANIZATION_NEEDED' } });
    expect(asked.body.details.choices).toEqual(
      [one, two].map(({ userId, merchantId }, index) => ({
        userId,
        organization: { id: merchantId, name: 'Test merchant' },
        role: index === 0 ? 'admin' : 'viewer',
      })),
    );
    const chosen = await signIn(browser, 'both@example.com', PASSWORD, { userId: two.userId });
    expect(chosen.body).toMatchObject({ user: { id: two.userId }, role: 'viewer' });
    const other = await signIn(browser, 'both@example.com', PASSWORD, { userId: operatorId });
    expect(other.status).toBe(401);
  });

  it('is no way to an operator for a merchant that gives a user the address of one', async () => {
    const { body } = await operator.call('GET', SESSION);
    const thief = await person('admin', { email: body.user.email });
    const answer = await signIn(openBrowser(env), body.user.email, PASSWORD, { userId: thief.userId });
    expect(answer.body).toMatchObject({ organization: { id: thief.merchantId }, user: { id: thief.userId } });
    const both = await signIn(openBrowser(env), body.user.email);
    expect(both.body.details.choices[0].userId).toBe(operatorId);
  });

  it('gives a new session each time, and ends the one of the browser before', async () => {
    const { browser, email } = await person();
    const before = browser.cookie;
    await signIn(browser, email);
    expect(browser.cookie).not.toBe(before);
    expect((await openBrowser(env, { ...OWN, cookie: before }).call('GET', SESSION)).status).toBe(401);
    expect((await browser.call('GET', SESSION)).status).toBe(200);
  });

  it('waits after ten wrong passwords from one address, and not for ever', async () => {
    const { email } = await person();
    env.setNow('2027-02-01T00:00:00Z');
    const browser = openBrowser(env);
    const answers = [];
    for (let index = 0; index < 11; index += 1) answers.push(await signIn(browser, email, 'wrong password'));
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect(answers.at(-1)).toMatchObject({ body: { code: 'RATE_LIMITED' }, headers: { 'retry-after': '30' } });
    expect((await signIn(browser, email)).status).toBe(429);
    env.setNow('2027-02-01T00:00:31Z');
    expect((await signIn(browser, email)).status).toBe(200);
  });

  it.each([
    { host: 'billing.example', publicUrl: 'http://localhost:4401', status: 400 },
    { host: '192.168.1.5:4401', publicUrl: 'http://localhost:4401', status: 400 },
    { host: '127.0.0.1:4401', publicUrl: 'http://localhost:4401', status: 401 },
    { host: '[::1]:4401', publicUrl: 'http://localhost:4401', status: 401 },
    { host: 'demo.localhost', publicUrl: 'http://localhost:4401', status: 401 },
  ])('by http at $host: $status', async ({ host, status }) => {
    const answer = await signIn(openBrowser(env, { ...OWN, host }), 'nobody@example.com');
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.code).toBe('INSECURE_SIGN_IN');
  });
});

describe('the cookie', () => {
  it('of http is for /console alone', async () => {
    const { email } = await person();
    const { headers } = await signIn(openBrowser(env), email);
    expect(String(headers['set-cookie']).replace(/=[A-Za-z0-9]{32};/, '=TOKEN;')).toBe(
      'reckoner_console_sandbox=TOKEN; Path=/console; Max-Age=2592000; HttpOnly; SameSite=Lax',
    );
  });

  it('of https is bound to its host', async () => {
    const secure = await openTestEnvironment({ environment: 'production', publicUrl: 'https://billing.example' });
    try {
      const link = await secure.firstSignInLink();
      expect(link).toMatch(/^https:\/\/billing\.example\/console\/link#[0-9A-Za-z]{43}$/);
      const browser = openBrowser(secure, { ...OWN, host: 'billing.example' });
      const { headers } = await browser.call('POST', '/console/api/session/link', { token: tokenOf(String(link)) });
      expect(String(headers['set-cookie']).replace(/=[A-Za-z0-9]{32};/, '=TOKEN;')).toBe(
        '__Host-reckoner_console_production=TOKEN; Path=/; Secure; Max-Age=2592000; HttpOnly; SameSite=Lax',
      );
      expect((await browser.call('GET', SESSION)).body.environment).toBe('production');
    } finally {
      await secure.close();
    }
  });
});

describe('a session', () => {
  it('is dead at once after signing out', async () => {
    const { browser } = await person();
    const { cookie } = browser;
    expect((await browser.call('DELETE', SESSION)).status).toBe(204);
    expect(browser.cookie).toBe('');
    const late = openBrowser(env, { ...OWN, cookie });
    expect(await late.call('GET', SESSION)).toMatchObject({ status: 401, body: { code: 'SIGNED_OUT' } });
    expect((await late.call('GET', '/console/api/v0/me')).status).toBe(401);
  });

  it('ends after 12 hours without a request, and after 30 days with them', async () => {
    const { email } = await person();
    const browser = openBrowser(env);
    env.setNow('2027-03-01T00:00:00Z');
    await signIn(browser, email);
    env.setNow('2027-03-01T11:59:00Z');
    expect((await browser.call('GET', SESSION)).body.expiresAt).toBe('2027-03-01T23:59:00Z');
    let hours = 12;
    for (; hours < 30 * 24; hours += 11) {
      env.setNow(Temporal.Instant.from('2027-03-01T00:00:00Z').add({ hours }).toString());
      expect((await browser.call('GET', SESSION)).status).toBe(200);
    }
    env.setNow('2027-03-30T23:59:00Z');
    expect((await browser.call('GET', SESSION)).body.expiresAt).toBe('2027-03-31T00:00:00Z');
    env.setNow('2027-03-31T00:00:00Z');
    expect((await browser.call('GET', SESSION)).status).toBe(401);
  });

  it('ends 12 hours after its last request', async () => {
    const { email } = await person();
    const browser = openBrowser(env);
    env.setNow('2027-03-01T00:00:00Z');
    await signIn(browser, email);
    env.setNow('2027-03-01T12:00:00Z');
    expect((await browser.call('GET', SESSION)).status).toBe(401);
  });

  it('has the role of its person as it is now', async () => {
    const { browser, userId } = await person('admin');
    await env.platform.patch(`/v0/users/${userId}`, { role: 'viewer' });
    expect((await browser.call('GET', SESSION)).body.role).toBe('viewer');
    expect((await browser.call('POST', '/console/api/v0/products', { name: 'A' })).status).toBe(403);
  });

  it('ends with its user', async () => {
    const { browser, userId } = await person();
    await env.database.transaction('nobody', (tx) => tx.run(sql`delete from auth.login where id = ${userId}`));
    expect((await browser.call('GET', SESSION)).status).toBe(401);
  });

  it('lists and ends the other sessions of its person, and of nobody else', async () => {
    const [{ browser, email }, stranger] = [await person(), await person()];
    const second = openBrowser(env, { ...OWN, 'user-agent': 'Second browser' });
    await signIn(second, email);
    const { body } = await browser.call('GET', '/console/api/sessions');
    expect(body.data.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent).toSorted()).toEqual([false, true]);
    const other = body.data.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
    expect(other).toMatchObject({ object: 'consoleSession', method: 'password', userAgent: 'Second browser' });
    expect((await stranger.browser.call('DELETE', `/console/api/sessions/${other.id}`)).status).toBe(404);
    expect((await second.call('GET', SESSION)).status).toBe(200);
    expect((await browser.call('DELETE', `/console/api/sessions/${other.id}`)).status).toBe(204);
    expect((await second.call('GET', SESSION)).status).toBe(401);
  });

  it('is stored without its token', async () => {
    const { browser } = await person();
    const token = browser.cookie.split('=')[1] as string;
    const rows = await env.database.transaction('nobody', (tx) =>
      tx.rows<{ text: string }>(sql`select row(s.*)::text as text from auth.session s`),
    );
    expect(rows.some(({ text }) => text.includes(token))).toBe(false);
  });

  it('is no row that the transaction of a merchant or the list of an operator sees', async () => {
    const { merchantId } = await person();
    for (const table of ['login', 'password', 'session', 'link']) {
      const { count: seen } = await env.database.transaction({ merchants: [merchantId] }, (tx) =>
        tx.one<{ count: bigint }>(sql`select count(*) as count from ${sql.ref(`auth.${table}`)}`),
      );
      expect([table, seen]).toEqual([table, 0n]);
      const list = env.database.transaction('every merchant, reading', (tx) =>
        tx.rows(sql`select from ${sql.ref(`auth.${table}`)}`),
      );
      await expect(list).rejects.toThrow('permission denied');
    }
  });
});

describe('a link', () => {
  it('is the first way in, of an operator, and is there until somebody can sign in', async () => {
    expect(firstLink).toMatch(/^http:\/\/localhost:4401\/console\/link#[0-9A-Za-z]{43}$/);
    expect(await env.firstSignInLink()).toBeNull();
    const { rows } = await env.database.transaction({ merchants: [platformId] }, async (tx) => ({
      rows: await tx.rows(sql`select id from app_user where role = 'admin' order by seq limit 1`),
    }));
    expect(rows).toEqual([{ id: operatorId }]);
  });

  it('is made by a command for the one user of an address, or for one of several', async () => {
    const email = 'command@example.com';
    const users = [];
    for (const role of ['admin', 'viewer']) {
      const { id: organizationId } = await env.merchant();
      users.push((await env.platform.post('/v0/users', { organizationId, email, role })).body.id);
    }
    const make = (user: { email: string; userId?: string }) =>
      makeSignInLink(loginUrl(env.url), user, 'http://localhost:4401');
    expect(await make({ email: 'nobody@example.com' })).toEqual({ users: [] });
    const several = await make({ email });
    expect('users' in several && several.users.map(({ id, organizationName }) => [id, organizationName])).toEqual(
      users.map((id) => [id, 'Test merchant']),
    );
    const one = await make({ email, userId: users[1] });
    const token = tokenOf('url' in one ? one.url : '');
    const signedIn = await openBrowser(env).call('POST', '/console/api/session/link', { token });
    expect(signedIn.body).toMatchObject({ user: { id: users[1] }, role: 'viewer' });
  });

  it('signs in once, also of many at once', async () => {
    const { link, userId } = await invited(await env.merchant());
    const token = tokenOf(link.body.url);
    const used = await Promise.all(
      Array.from({ length: 8 }, () => openBrowser(env).call('POST', '/console/api/session/link', { token })),
    );
    expect(used.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 401)]);
    expect(used.find(({ status }) => status === 200)?.body.user.id).toBe(userId);
    expect(used.find(({ status }) => status === 401)?.body.code).toBe('SIGN_IN_LINK_INVALID');
  });

  it('is valid for 24 hours', async () => {
    const merchant = await env.merchant();
    env.setNow('2027-04-01T00:00:00Z');
    const fresh = openBrowser(env);
    const { body } = await operator.call('GET', SESSION);
    expect(body.code).toBe('SIGNED_OUT');
    await signIn(fresh, 'operator@platform.invalid', PASSWORD, { userId: operatorId });
    const user = await env.userOf(merchant, 'viewer');
    const make = () => fresh.call('POST', `/console/api/users/${user.userId}/signInLink`);
    const [one, two] = [await make(), await make()];
    expect(one.body.expiresAt).toBe('2027-04-02T00:00:00Z');
    const use = ({ body: { url } }: typeof one) =>
      openBrowser(env).call('POST', '/console/api/session/link', { token: tokenOf(url) });
    env.setNow('2027-04-01T23:59:59Z');
    expect((await use(one)).status).toBe(200);
    env.setNow('2027-04-02T00:00:00Z');
    expect((await use(two)).status).toBe(401);
  });

  it.each([
    { who: 'an admin for a colleague', by: 'admin', of: 'viewer', foreign: false, status: 201 },
    { who: 'a member', by: 'member', of: 'viewer', foreign: false, status: 403 },
    { who: 'a viewer', by: 'viewer', of: 'viewer', foreign: false, status: 403 },
    { who: 'an admin for a user of another merchant', by: 'admin', of: 'viewer', foreign: true, status: 403 },
  ] as const)('is made by $who: $status', async ({ by, of, foreign, status }) => {
    const { browser, merchantId } = await person(by);
    const user = await env.userOf(foreign ? await env.merchant() : { id: merchantId }, of);
    expect((await browser.call('POST', `/console/api/users/${user.userId}/signInLink`)).status).toBe(status);
  });

  it('is not made for a user who has a password', async () => {
    const { userId } = await person();
    const answer = await operator.call('POST', `/console/api/users/${userId}/signInLink`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'PASSWORD_EXISTS' } });
  });

  it('is in the audit log, without its token', async () => {
    const merchant = await env.merchant();
    const { userId, link } = await invited(merchant);
    const { body } = await merchant.get('/v0/auditLog?operation=createSignInLink');
    expect(body.data[0]).toMatchObject({
      resourceId: userId,
      userId: operatorId,
      userOrganizationId: platformId,
      keyId: null,
    });
    expect(JSON.stringify(body)).not.toContain(tokenOf(link.body.url));
  });
});

describe('a password', () => {
  it('is changed with the current one, and ends all other sessions', async () => {
    const { email } = await person();
    const [browser, other] = [openBrowser(env), openBrowser(env)];
    await signIn(browser, email);
    await signIn(other, email);
    const change = (body: object) => browser.call('PUT', '/console/api/session/password', body);
    const next = 'a quiet orchard at dawn';
    expect(await change({ password: next })).toMatchObject({ status: 403, body: { code: 'PASSWORD_WRONG' } });
    expect((await change({ password: next, currentPassword: 'not this one' })).status).toBe(403);
    expect((await change({ password: next, currentPassword: PASSWORD })).status).toBe(204);
    expect((await browser.call('GET', SESSION)).status).toBe(200);
    expect((await other.call('GET', SESSION)).status).toBe(401);
    expect((await signIn(other, email)).status).toBe(401);
    expect((await signIn(other, email, next)).status).toBe(200);
  });

  it('is set without the current one for 15 minutes after a link', async () => {
    const { link } = await invited(await env.merchant());
    env.setNow(Temporal.Instant.from(link.body.expiresAt).subtract({ hours: 24 }).toString());
    const browser = openBrowser(env);
    await browser.call('POST', '/console/api/session/link', { token: tokenOf(link.body.url) });
    env.setNow(Temporal.Instant.from(link.body.expiresAt).subtract({ hours: 23, minutes: 45 }).toString());
    const late = await browser.call('PUT', '/console/api/session/password', { password: PASSWORD });
    expect(late).toMatchObject({ status: 403, body: { code: 'SIGN_IN_AGAIN' } });
  });

  it('makes links void that were not used', async () => {
    const merchant = await env.merchant();
    const { userId, link } = await invited(merchant);
    const second = await operator.call('POST', `/console/api/users/${userId}/signInLink`);
    await withPassword(env, link.body.url);
    const late = openBrowser(env).call('POST', '/console/api/session/link', { token: tokenOf(second.body.url) });
    expect((await late).status).toBe(401);
  });

  it('is refused with the reason where it is weak', async () => {
    const { browser } = await person();
    const answer = await browser.call('PUT', '/console/api/session/password', { password: 'too short' });
    expect(answer.body.errors).toEqual([{ field: 'password', message: 'must have at least 12 characters' }]);
  });
});

describe('an operation below /console/api', () => {
  it('runs as the person, and the audit log says so', async () => {
    const { browser, userId, merchantId } = await person();
    const made = await browser.call('POST', '/console/api/v0/products', { name: 'Signed in' });
    expect(made).toMatchObject({ status: 201, body: { merchantId, name: 'Signed in' } });
    const { body } = await browser.call('GET', `/console/api/v0/auditLog?resourceId=${made.body.id}`);
    expect(body.data[0]).toMatchObject({ actor: 'user', userId, userOrganizationId: merchantId, keyId: null });
  });

  it.each([
    'GET /console/api/v0/products',
    'GET /console/api/v0/nothing',
    'GET /console/api/session',
    'POST /console/api/v0/products',
  ])('takes no API key: %s', async (call) => {
    const merchant = await env.merchant();
    const [method, path] = call.split(' ') as ['GET' | 'POST', string];
    const answer = await openBrowser(env, { ...OWN, authorization: `Bearer ${merchant.key}` }).call(
      method,
      path,
      method === 'GET' ? undefined : {},
    );
    expect(answer).toMatchObject({ status: 401, body: { code: 'SIGNED_OUT' } });
  });

  it('is the only place where the cookie counts', async () => {
    const { browser } = await person();
    expect(await browser.call('GET', '/v0/me')).toMatchObject({ status: 401, body: { code: 'API_KEY_MISSING' } });
    expect((await browser.call('GET', '/compact/v0/me')).status).toBe(401);
  });

  it.each([
    'GET /console/api/v0/nothing',
    'GET /console/api',
    'GET /console/api/',
    'GET /console/api/docs',
    'GET /console/api/healthz',
    'GET /console/api/pay/invoices/inv_1',
    'GET /console/api/compact/v0/me',
    'POST /console/api/v0/sources/src_1/receive',
  ])('is no other path: %s', async (call) => {
    const { browser } = await person();
    const [method, path] = call.split(' ') as ['GET' | 'POST', string];
    expect((await browser.call(method, path, method === 'POST' ? {} : undefined)).status).toBe(404);
  });

  it('is refused to a viewer where it changes something', async () => {
    const { browser } = await person('viewer');
    expect((await browser.call('GET', '/console/api/v0/products')).status).toBe(200);
    expect((await browser.call('POST', '/console/api/v0/products', { name: 'A' })).status).toBe(403);
    expect(
      (await browser.call('POST', '/console/api/v0/users', { email: 'a@example.com', role: 'viewer' })).status,
    ).toBe(403);
  });

  it('keeps the answer of an idempotency key with a secret for the same session alone', async () => {
    const { browser, userId } = await person();
    const create = (from: Browser) =>
      from.call('POST', `/console/api/v0/users/${userId}/apikeys`, { name: 'K' }, { 'idempotency-key': 'k' });
    const [first, again] = [await create(browser), await create(browser)];
    expect(first.status).toBe(201);
    expect(again.body.secret).toBe(first.body.secret);
    const { body } = await browser.call('GET', SESSION);
    const other = openBrowser(env);
    await signIn(other, body.user.email);
    expect(await create(other)).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it.each([
    { what: 'another site', headers: { 'sec-fetch-site': 'cross-site' }, code: 'CROSS_SITE' },
    { what: 'a neighbouring host', headers: { 'sec-fetch-site': 'same-site' }, code: 'CROSS_SITE' },
    { what: 'an address bar', headers: { 'sec-fetch-site': 'none' }, code: 'CROSS_SITE' },
    {
      what: 'another origin',
      headers: { 'sec-fetch-site': undefined, origin: 'http://evil.example' },
      code: 'CROSS_SITE',
    },
    { what: 'nowhere', headers: { 'sec-fetch-site': undefined }, code: 'CROSS_SITE' },
    {
      what: 'a page with the name of its own host',
      headers: { 'sec-fetch-site': undefined, origin: 'http://evil.example', host: 'evil.example' },
      code: 'CROSS_SITE',
    },
    { what: 'a form', headers: { 'x-reckoner-console': undefined }, code: 'CONSOLE_HEADER_MISSING' },
    {
      what: 'our own origin',
      headers: { 'sec-fetch-site': undefined, origin: 'http://localhost:4401' },
      code: undefined,
    },
    {
      what: 'this machine by another name',
      headers: { 'sec-fetch-site': undefined, origin: 'http://127.0.0.1:4401', host: '127.0.0.1:4401' },
      code: undefined,
    },
  ])('from $what: $code', async ({ headers, code }) => {
    const { browser, email } = await person();
    const calls = [
      await browser.call('POST', '/console/api/v0/products', { name: 'A' }, headers),
      await signIn(openBrowser(env), email, PASSWORD, {}, headers),
      await browser.call('DELETE', SESSION, undefined, headers),
    ];
    expect(calls.map(({ body }) => body?.code)).toEqual([code, code, code]);
    expect(calls.map(({ status }) => status)).toEqual(code ? [403, 403, 403] : [201, 200, 204]);
  });

  it.each([
    { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }, status: 403 },
    { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, status: 403 },
    { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, status: 200 },
    { headers: { 'x-reckoner-console': undefined }, status: 200 },
  ])('is read with $headers: $status', async ({ headers, status }) => {
    const { browser } = await person();
    expect((await browser.call('GET', '/console/api/v0/products', undefined, headers)).status).toBe(status);
  });

  it('leaves the nulls in its answers', async () => {
    const { browser } = await person();
    const made = await browser.call('POST', '/console/api/v0/products', { name: 'A' });
    const { body } = await browser.call('GET', `/console/api/v0/auditLog?resourceId=${made.body.id}`);
    expect(body.data[0]).toHaveProperty('customerId', null);
  });
});

describe('the merchant of the page', () => {
  const on = (merchant: string) => ({ 'x-reckoner-merchant': merchant });

  it('of a user is the own one alone', async () => {
    const { browser, merchantId } = await person();
    const other = await env.merchant();
    const products = (merchant: string) => browser.call('GET', '/console/api/v0/products', undefined, on(merchant));
    expect((await products(merchantId)).status).toBe(200);
    expect((await products(other.id)).status).toBe(403);
    expect((await products('org_unknown')).status).toBe(403);
  });

  it('of an operator is any, in whose name the operator acts', async () => {
    const [merchant, other] = [await env.merchant(), await env.merchant()];
    const theirs = await other.post('/v0/products', { name: 'Theirs' });
    const made = await operator.call('POST', '/console/api/v0/products', { name: 'Made' }, on(merchant.id));
    expect(made).toMatchObject({ status: 201, body: { merchantId: merchant.id } });
    const list = await operator.call('GET', '/console/api/v0/products', undefined, on(merchant.id));
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([made.body.id]);
    const foreign = await operator.call(
      'GET',
      `/console/api/v0/products/${theirs.body.id}`,
      undefined,
      on(merchant.id),
    );
    expect(foreign.status).toBe(403);
    const { body } = await merchant.get(`/v0/auditLog?resourceId=${made.body.id}`);
    expect(body.data[0]).toMatchObject({
      merchantId: merchant.id,
      actor: 'user',
      userId: operatorId,
      userOrganizationId: platformId,
      keyId: null,
    });
  });

  it('absent, an operator is an operator', async () => {
    const theirs = await (await env.merchant()).post('/v0/products', { name: 'Theirs' });
    expect((await operator.call('GET', `/console/api/v0/products/${theirs.body.id}`)).status).toBe(200);
    expect((await operator.call('POST', '/console/api/v0/products', { name: 'A' })).status).toBe(400);
    expect((await operator.call('GET', '/console/api/v0/organizations', undefined, on(platformId))).status).toBe(200);
  });

  it('gives an operator no role above the own one', async () => {
    const { browser } = await person('viewer', { merchant: { id: platformId } });
    const merchant = await env.merchant();
    expect((await browser.call('GET', '/console/api/v0/products', undefined, on(merchant.id))).status).toBe(200);
    expect((await browser.call('POST', '/console/api/v0/products', { name: 'A' }, on(merchant.id))).status).toBe(403);
  });

  it.each(['org_unknown', 'nonsense', 'cus_1'])('is unknown: %s', async (merchant) => {
    const answer = await operator.call('GET', '/console/api/v0/products', undefined, on(merchant));
    expect(answer.status).toBe(404);
  });

  it('is no consumer', async () => {
    const merchant = await env.merchant();
    await merchant.post('/v0/customers', {
      consumer: { name: 'Ada', email: 'ada@example.com', address: { country: 'GR' } },
    });
    const { body } = await merchant.get('/v0/organizations?type=consumer');
    const answer = await operator.call('GET', '/console/api/v0/products', undefined, on(body.data[0].id));
    expect(answer.status).toBe(404);
  });
});

it('has no operation of its own in the OpenAPI document', async () => {
  const { body } = await env.client().get('/openapi.json');
  expect(Object.keys(body.paths).filter((path) => path.includes('console'))).toEqual([]);
});
