import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';
import { openWorld, type World } from '../../test/support/world.ts';
import type { IdKind } from '../kernel/ids.ts';
import { mergeFound } from './search.ts';

let env: TestEnvironment;
let world: World;
let stranger: World;
beforeAll(async () => {
  env = await openTestEnvironment();
  [world, stranger] = [await openWorld(env), await openWorld(env)];
});
afterAll(() => env.close());

const path = (q: string, more = '') => `/v0/search?q=${encodeURIComponent(q)}${more}`;
const search = (by: Client, q: string, more = '') => by.get(path(q, more));
const found = async (by: Client, q: string, more = ''): Promise<Resource[]> => {
  const { status, body, text } = await search(by, q, more);
  expect(status, text).toBe(200);
  return body.data;
};
const titles = async (by: Client, q: string, more = '') => (await found(by, q, more)).map(({ title }) => title);

/** Kinds that no route reads by their id alone: a path names something else beside them. */
const WITHOUT_A_PAGE: readonly IdKind[] = [
  ...(['planVersion', 'grant', 'sourceEvent', 'adjustment', 'orderLineItem', 'scheduleInterval'] as const),
  ...(['scheduleInvoice', 'paymentMethod', 'webhookAttempt', 'webhookReceipt', 'reservation', 'lineItem'] as const),
  ...(['priceFeature', 'auditEntry', 'ledgerTransaction', 'subscriptionChange', 'planMigration', 'credit'] as const),
  ...(['checkout', 'apiKey', 'redemption', 'billingCredit'] as const),
];

describe('by id', () => {
  it('finds everything that has a page, first, with a title', async () => {
    for (const [kind, ids] of Object.entries(world.ids) as [IdKind, readonly string[]][])
      for (const id of ids) {
        const [first] = await found(world.merchant, ` ${id} `);
        if (WITHOUT_A_PAGE.includes(kind)) expect(first, kind).toBeUndefined();
        else
          expect(first, kind).toMatchObject({ object: 'searchResult', type: kind, id, merchantId: world.merchant.id });
      }
  });

  it('says the name and what tells it from others', async () => {
    const { customer, invoice, refund, event, webhookEndpoint, clock, subscription, plan } = world;
    const one = async (id: string) => (await found(world.merchant, id))[0];
    const { organization } = customer;
    expect(await one(customer.id)).toMatchObject({ title: organization.name, customerId: customer.id });
    expect(await one(invoice.id)).toMatchObject({ title: invoice.invoiceNumber, customerId: invoice.customerId });
    expect(await one(refund.id)).toMatchObject({ type: 'refund', detail: 'ISSUED', invoiceId: invoice.id });
    expect(await one(webhookEndpoint.id)).toMatchObject({ title: webhookEndpoint.url, detail: 'enabled' });
    expect(await one(subscription.id)).toMatchObject({ title: subscription.name, detail: 'active' });
    expect(await one(plan.id)).toMatchObject({ title: plan.name, customerId: null });
    expect(await one(event.id)).toMatchObject({ type: 'event', title: event.type ?? 'call' });
    expect(await one(clock.id)).toMatchObject({ type: 'testClock' });
  });

  it('finds nothing of another merchant, and an operator finds it', async () => {
    for (const [kind, ids] of Object.entries(stranger.ids) as [IdKind, readonly string[]][])
      for (const id of ids) {
        expect(await found(world.merchant, id), kind).toEqual([]);
        expect(await found(env.platform, id, `&merchantId=${world.merchant.id}`), kind).toEqual([]);
        if (WITHOUT_A_PAGE.includes(kind) || kind === 'event') continue;
        const [first] = await found(env.platform, id);
        expect(first, kind).toMatchObject({ type: kind, id, merchantId: stranger.merchant.id });
      }
  });
});

describe('by text', () => {
  let shop: Shop;
  let client: Client & { id: string };
  beforeAll(async () => {
    client = await env.merchant();
    shop = shopOf(client);
    const consumers: [name: string, email: string, externalId?: string][] = [
      ['Blue Acme Works', 'works@blue.example'],
      ['Acme GmbH', 'billing@acme.example', 'ERP-17'],
      ['acme Ltd', 'ltd@other.example', 'erp-170'],
      ['Zebra', 'zoo@acme-zoo.example', 'acme'],
      ['100%_"\'\\ Sure', 'sure@percent.example'],
      ['Müller Söhne', 'hallo@mueller.example'],
    ];
    for (const [name, email, externalId] of consumers)
      await shop.customer({
        ...(externalId && { externalId }),
        consumer: { name, email, address: { country: 'DE' } },
      });
    const product = await shop.product({ name: 'Acme Suite' });
    await shop.create('/v0/features', { key: 'acme-seats', name: 'Seats', productId: product.id, type: 'boolean' });
    await shop.metric({ name: 'Calls', eventType: 'acme.call', productId: product.id });
  });

  it('has whole matches first, then beginnings of names, of other texts, and parts', async () => {
    const [first, ...others] = await titles(client, 'ACME');
    expect(first).toBe('Zebra');
    expect(others).toEqual(['Acme GmbH', 'acme Ltd', 'Acme Suite', 'Calls', 'Seats', 'Blue Acme Works']);
    expect(await titles(client, 'works')).toEqual(['Blue Acme Works']);
    expect(await titles(client, 'mÜLL')).toEqual(['Müller Söhne']);
    expect(await titles(client, 'billing@ACME.example')).toEqual(['Acme GmbH']);
    expect(await titles(client, 'acme.example')).toEqual(['Acme GmbH']);
  });

  it('finds whole external ids before longer ones', async () => {
    expect(await titles(client, 'erp-17')).toEqual(['Acme GmbH', 'acme Ltd']);
    expect(await titles(client, 'ERP-170')).toEqual(['acme Ltd']);
  });

  it('finds beginnings alone by one or two characters', async () => {
    expect(await titles(client, 'z')).toEqual(['Zebra']);
    expect(await titles(client, 'cm')).toEqual([]);
    expect(await titles(client, 'wor')).toEqual(['Blue Acme Works']);
  });

  it.each(['%', '_', '"', "'", '\\', '%%%', '___', "' or true --", '\\x', '100%%', 'a\nb', '(((', '\u{10FFFF}'])(
    'takes %j as it is',
    async (q) => expect(await titles(client, q)).toEqual([]),
  );

  it('finds special characters that are there', async () => {
    expect(await titles(client, '100%_')).toEqual(['100%_"\'\\ Sure']);
    expect(await titles(client, '%_"\'\\ S')).toEqual(['100%_"\'\\ Sure']);
  });

  it('says whether there are more, in a stable order', async () => {
    const { body } = await search(client, 'acme', '&limit=2');
    expect(body).toMatchObject({ object: 'searchResults', query: 'acme', hasMore: true });
    expect(body.data.map(({ title }: Resource) => title)).toEqual(['Zebra', 'Acme GmbH']);
    expect((await search(client, 'acme', '&limit=7')).body.hasMore).toBe(false);
    expect((await search(client, 'acme', '&limit=6')).body.hasMore).toBe(true);
  });

  it('finds invoices and credit notes by the beginning of their number, the whole one first', async () => {
    const { invoice, refund, merchant } = world;
    const number: string = invoice.invoiceNumber;
    const [first] = await found(merchant, number.toLowerCase());
    expect(first).toMatchObject({ type: 'invoice', id: invoice.id, title: number, customerId: invoice.customerId });
    const begun = await found(merchant, number.slice(0, 3));
    expect(begun.map(({ id }) => id)).toContain(invoice.id);
    const { data } = (await merchant.get(`/v2/invoices/${invoice.id}/creditNotes`)).body;
    const notes = await found(merchant, data[0].number.toLowerCase());
    expect(notes[0]).toMatchObject({ type: 'refund', id: refund.id, invoiceId: invoice.id });
  });

  it('finds nothing of another merchant, and for an operator nothing without a merchant', async () => {
    const other = await env.merchant();
    for (const q of ['acme', 'z', 'erp-17', 'billing@acme.example', 'INV']) {
      expect(await found(other, q)).toEqual([]);
      expect(await found(env.platform, q)).toEqual([]);
    }
    expect(await titles(env.platform, 'zebra', `&merchantId=${client.id}`)).toEqual(['Zebra']);
    expect((await search(other, 'acme', `&merchantId=${client.id}`)).status).toBe(403);
  });

  it('is for viewers', async () => {
    expect(await titles(await env.userOf(client, 'viewer'), 'zebra')).toEqual(['Zebra']);
    expect((await search(env.client(), 'zebra')).status).toBe(401);
  });

  it.each([
    ['', 'q'],
    ['   ', 'q'],
    ['x'.repeat(201), 'q'],
    ['a\0b', 'q'],
  ])('refuses %j', async (q, field) => {
    const { status, body } = await search(client, q);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ field }]);
  });

  it('takes 200 characters between spaces', async () => {
    expect(await titles(client, `  ${'😀'.repeat(200)}  `)).toEqual([]);
  });
});

it('a result of several lists stands once, at its best place', () => {
  const one = (id: string, rank: number) => ({ rank, found: { id } as Resource });
  const lists = [[one('a', 2), one('b', 2)], [one('b', 0), one('c', 2)], [one('d', 1)]];
  expect(mergeFound(lists).map(({ id }) => id)).toEqual(['b', 'd', 'a', 'c']);
});
