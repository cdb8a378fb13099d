import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { html } from '../../pages/index.ts';
import type { EntityDescription } from '../index.ts';
import { openShop, type Shop, type Shopkeeper } from '../testing/shop.ts';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;</title>`;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let shop: Shop;
let merchant: Shopkeeper;
beforeAll(async () => {
  shop = await openShop();
  merchant = await shop.merchant({}, 'Halcyon Labs');
});
afterAll(() => shop.close());

const see = (id: string) => shop.nobody.get(`/pay/${id}`);
const pay = (id: string, form = 'paymentMethod=pm_ok') => shop.nobody.post(`/pay/${id}`, form, FORM);
/** The page that a browser shows after the form: a form is never answered by a page itself. */
const payAndSee = async (id: string, form?: string) => {
  const { status, headers } = await pay(id, form);
  expect(status).toBe(303);
  return shop.nobody.get(
    new URL(String(headers.location), `http://localhost/pay/${id}`).href.slice('http://localhost'.length),
  );
};
const invoice = (more: Partial<EntityDescription> = {}): EntityDescription => ({
  title: 'Invoice',
  number: 'INV-000012',
  seller: 'Halcyon Labs Ltd',
  bill: {
    currency: 'USD',
    lines: [
      { kind: 'usage', description: 'Prompt tokens', amount: decimal('54.18') },
      { kind: 'usage', description: 'Generated tokens', amount: decimal('3.69') },
    ],
    totals: [
      { label: 'Subtotal', amount: decimal('57.87') },
      { label: 'VAT 20% on $57.87', amount: decimal('11.57') },
      { label: 'Total', amount: decimal('69.44'), isStrong: true },
    ],
  },
  buyer: ['Northwind GmbH', '10115 Berlin'],
  dueAt: Temporal.Instant.from('2026-03-15T00:00:00Z'),
  amount: decimal('69.44'),
  ...more,
});

async function openPage(more: Parameters<Shop['open']>[2] = {}, description: EntityDescription | null = invoice()) {
  const toy = await shop.toy(merchant);
  if (description) shop.describe(toy, description);
  const { id } = await shop.open(merchant, toy, more);
  return { id, toy };
}

describe('the page of a session that can be paid', () => {
  it('shows who asks for how much, for what, and the cards as labelled radio buttons', async () => {
    const { id } = await openPage({ failureRedirectUrl: 'https://shop.example/cart?a=1&b=2' });
    const { status, headers, text } = await see(id);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'private, no-store',
    ]);
    for (const part of [
      'Halcyon Labs Ltd',
      'Invoice INV-000012',
      'Prompt tokens',
      '$54.18',
      'VAT 20% on $57.87',
      'Northwind GmbH',
      'Due 15\u00a0March\u00a02026',
    ])
      expect(text).toContain(part);
    expect(text).toContain('<p class="amount">$69.44</p>');
    expect(text).toContain('<html lang="en">');
    expect(text).toContain('<legend>');
    expect(text.match(/<label[^>]*><input type="radio" name="paymentMethod" value="pm_\w+" required/g)).toHaveLength(8);
    expect(text).toMatch(/<button type="submit">Pay \$69\.44<\/button>/);
    expect(text).toContain('href="https://shop.example/cart?a=1&amp;b=2"');
    expect(text).toContain('2\u00a0March\u00a02026, 12:00\u00a0UTC');
  });

  it('loads and runs nothing, and may be framed by nobody', async () => {
    const { id } = await openPage({ successRedirectUrl: 'https://shop.example:8443/thanks' });
    const { headers, text } = await see(id);
    const hash = createHash('sha256')
      .update(/<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '')
      .digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self' https://shop.example:8443; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(text).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|\sstyle=|url\(|@import|<style>[\s\S]*<style>/i);
    expect(text.match(/(?:src|href|action)="[^"]*"/g)).toEqual([`action="${id}"`]);
  });

  it('shows hostile names as text', async () => {
    const hostile = invoice({
      title: HOSTILE,
      number: HOSTILE,
      seller: HOSTILE,
      buyer: [HOSTILE],
      bill: {
        currency: 'USD',
        lines: [
          {
            kind: 'fee',
            description: HOSTILE,
            amount: decimal('69.44'),
            group: { [HOSTILE]: HOSTILE },
            notes: [HOSTILE],
          },
        ],
        totals: [],
      },
    });
    const { id } = await openPage(
      { failureRedirectUrl: 'https://shop.example/', successRedirectUrl: 'https://shop.example/' },
      hostile,
    );
    const pages = [await see(id), await payAndSee(id, 'paymentMethod=%3Cscript%3E'), await pay(id).then(() => see(id))];
    for (const { text } of pages) {
      expect(text).toContain(html`${HOSTILE}`.text);
      expect(text).not.toMatch(/<script|<img|onerror=alert\(2\)>/);
    }
  });

  it('is shown under the name of the merchant where upstream knows nothing', async () => {
    const { id } = await openPage({ entityLabel: 'INV-000099' }, null);
    const { status, text } = await see(id);
    expect(status).toBe(200);
    for (const part of ['Halcyon Labs', 'INV-000099', '$69.44']) expect(text).toContain(part);
  });
});

describe('paying on the page', () => {
  it('with a form pays and goes to where the merchant said', async () => {
    const { id, toy } = await openPage({ successRedirectUrl: 'https://shop.example/thanks?o=1' });
    const answer = await pay(id);
    expect([answer.status, answer.headers.location]).toEqual([303, 'https://shop.example/thanks?o=1']);
    expect((await shop.handlerCalls(merchant, toy)).map(({ kind }) => kind)).toEqual(['completed']);
  });

  it('without such a place shows that it is paid', async () => {
    const { id } = await openPage();
    expect((await pay(id)).headers.location).toBe(`./${id}`);
    const { status, text } = await see(id);
    expect(status).toBe(200);
    expect(text).toContain('<h1>Payment received</h1>');
    expect(text).toContain('$69.44');
    expect(text).not.toContain('<form');
  });

  it('twice, and ten times at once, pays once', async () => {
    const { id, toy } = await openPage({ successRedirectUrl: 'https://shop.example/thanks' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => pay(id)));
    answers.push(await pay(id), await pay(id, 'paymentMethod=pm_declined'));
    for (const { status, headers } of answers)
      expect([status, headers.location]).toEqual([303, 'https://shop.example/thanks']);
    expect(await shop.handlerCalls(merchant, toy)).toHaveLength(1);
  });

  it.each([
    { card: 'pm_declined', words: 'The card was declined.' },
    { card: 'pm_insufficient_funds', words: 'The card has insufficient funds.' },
  ])('with $card stays on the page, says so, and lets another card be tried', async ({ card, words }) => {
    const { id, toy } = await openPage({ failureRedirectUrl: 'https://shop.example/cart' });
    expect(await pay(id, `paymentMethod=${card}`)).toMatchObject({ status: 303, headers: { location: `./${id}` } });
    const { text } = await see(id);
    expect(text).toMatch(new RegExp(`role="alert"><strong>${words}</strong>`));
    expect(text).toContain('<title>Not paid yet');
    expect(text).toContain('<form');
    expect(text).toContain('href="https://shop.example/cart"');
    await pay(id);
    expect((await see(id)).text).toContain('Payment received');
    expect((await shop.handlerCalls(merchant, toy)).map(({ kind }) => kind)).toEqual(['declined', 'completed']);
  });

  it.each(['', 'paymentMethod=', 'paymentMethod=pm_gold', 'paymentMethod=PM_OK'])(
    'with the form %j shows the page again and charges nothing',
    async (form) => {
      const { id, toy } = await openPage();
      const { text } = await payAndSee(id, form);
      expect(text).toContain('<strong>Choose a card.</strong>');
      expect(await shop.handlerCalls(merchant, toy)).toEqual([]);
    },
  );

  it('what upstream refuses is said on the page, and nothing is charged', async () => {
    const { id, toy } = await openPage();
    await shop.inMerchant(merchant.id, (tx) => tx.run(sql`update toy set status = 'cancelled' where id = ${toy}`));
    const { text } = await payAndSee(id);
    expect(text).toContain('This can no longer be paid here.');
    expect(await shop.handlerCalls(merchant, toy)).toEqual([]);
  });

  it.each([
    { type: 'text/plain', body: 'paymentMethod=pm_ok', status: 415 },
    { type: 'multipart/form-data; boundary=x', body: '--x--', status: 415 },
    { type: 'application/x-www-form-urlencoded', body: `paymentMethod=${'a'.repeat(5000)}`, status: 413 },
    { type: 'application/x-www-form-urlencoded', body: 'paymentMethod=pm_ok&amount=0.01', status: 400 },
    { type: 'application/x-www-form-urlencoded', body: '__proto__=1&paymentMethod=pm_ok', status: 400 },
  ])('takes no body of $type like $body.length characters', async ({ type, body, status }) => {
    const { id, toy } = await openPage();
    const answer = await shop.nobody.post(`/pay/${id}`, body, { 'content-type': type });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(await shop.handlerCalls(merchant, toy)).toEqual([]);
  });

  it('the API takes no forms', async () => {
    const { id } = await openPage();
    const answer = await merchant.post(`/v0/paymentSessions/${id}/complete`, 'paymentMethod=pm_ok', FORM);
    expect(answer.status).toBe(415);
  });
});

describe('the page of a session that cannot be paid', () => {
  it('says that it has expired, from the instant on, and leads back', async () => {
    const start = shop.now();
    const { id, toy } = await openPage({
      expiresAt: start.add({ minutes: 5 }),
      failureRedirectUrl: 'https://shop.example/cart',
    });
    shop.setNow(start.add({ minutes: 5 }).toString());
    const { status, text } = await see(id);
    expect(status).toBe(200);
    expect(text).toContain('<h1>This payment link has expired</h1>');
    expect(text).toContain('href="https://shop.example/cart"');
    expect(text).not.toContain('<form');
    expect((await payAndSee(id)).text).toContain('has expired');
    await shop.runDueWork();
    expect((await see(id)).text).toContain('has expired');
    expect((await shop.handlerCalls(merchant, toy)).map(({ kind }) => kind)).toEqual(['expired']);
    shop.setNow(start.toString());
  });

  it.each([
    { status: 'processing', words: 'Your payment is in progress' },
    { status: 'cancelled', words: 'This payment was cancelled' },
  ])('says that it is $status', async ({ status, words }) => {
    const { id } = await openPage();
    await shop.inMerchant(merchant.id, (tx) =>
      tx.run(sql`update payment_session set status = ${status}, next_action_at = null where id = ${id}`),
    );
    const { text } = await see(id);
    expect(text).toContain(words);
    expect(text).not.toContain('<form');
  });

  it.each(['ps_none', 'ps_', 'inv_1', '%3Cscript%3E', '..%2F..%2Fetc'])('%s is no session: a 404 page', async (id) => {
    for (const { status, headers, text } of [await see(id), await pay(id)]) {
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(text).toContain('does not exist');
    }
  });
});

describe('the page of a payment whose bank has not answered', () => {
  const refreshOf = async (path: string) => (await shop.nobody.get(path)).headers.refresh;

  it('looks again by itself for two minutes, unless somebody stops it', async () => {
    const { id } = await openPage();
    await pay(id, 'paymentMethod=pm_slow');
    expect(await refreshOf(`/pay/${id}`)).toBe(`3; url=./${id}?look=1`);
    expect(await refreshOf(`/pay/${id}?look=39`)).toBe(`3; url=./${id}?look=40`);
    expect(await refreshOf(`/pay/${id}?look=40`)).toBeUndefined();
    expect(await refreshOf(`/pay/${id}?look=off`)).toBeUndefined();
    expect((await see(id)).text).toContain(`href="./${id}?look=off"`);
    expect((await shop.nobody.get(`/pay/${id}?look=off`)).text).toContain(`href="./${id}?look=0"`);
    for (const look of ['-1', '100', 'x', '1e1'])
      expect((await shop.nobody.get(`/pay/${id}?look=${look}`)).status).toBe(400);
  });

  it('does not move while the customer confirms, nor before or after it is paid', async () => {
    const { id } = await openPage();
    expect(await refreshOf(`/pay/${id}`)).toBeUndefined();
    await pay(id, 'paymentMethod=pm_3ds');
    expect(await refreshOf(`/pay/${id}`)).toBeUndefined();
    await pay(id, 'paymentMethod=pm_3ds');
    expect(await refreshOf(`/pay/${id}`)).toBeUndefined();
  });

  it('goes on to where the merchant said once it is paid, and only who has waited', async () => {
    const start = shop.now();
    const { id } = await openPage({ successRedirectUrl: 'https://shop.example/thanks' });
    await pay(id, 'paymentMethod=pm_slow');
    shop.setNow(start.add({ minutes: 1 }).toString());
    await shop.runDueWork();
    const waited = await shop.nobody.get(`/pay/${id}?look=7`);
    expect([waited.status, waited.headers.location]).toEqual([303, 'https://shop.example/thanks']);
    expect((await see(id)).status).toBe(200);
    shop.setNow(start.toString());
  });
});

describe('the page of a setup session', () => {
  it('asks for a card, charges nothing, and says that it is saved', async () => {
    const { body } = await merchant.post(`/v0/customers/${merchant.customerId}/paymentMethods`);
    const before = (await see(body.id)).text;
    for (const part of ['Halcyon Labs', 'Nothing is charged now.', 'Save card']) expect(before).toContain(part);
    expect(before).not.toContain('$0.00');
    await pay(body.id);
    expect((await see(body.id)).text).toContain('<h1>Card saved</h1>');
  });
});

it('the pages are not part of the API document', async () => {
  const { body } = await shop.nobody.get('/openapi.json');
  expect(Object.keys(body.paths).filter((path) => path.startsWith('/pay'))).toEqual([]);
  expect(Object.keys(body.paths)).toContain('/v0/paymentSessions/{id}/complete');
});
