import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../support/cases.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Lists that change while they are read show every row that stands the whole time, once (decision 0194). */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

/** A list and what people do with its rows. */
interface Changing {
  readonly path: string;
  /** Makes the row of a number. */
  readonly make: (shop: Shop, number: number) => Promise<Resource>;
  /** Takes a row out of the list. */
  readonly remove: (merchant: Merchant, id: string) => Promise<unknown>;
}

const invoice = async (shop: Shop, customerId: string) =>
  shop.create('/v2/invoices', {
    customerId,
    currency: 'EUR',
    lines: [{ displayName: 'Work', quantity: 1, unitPrice: 10, taxRate: 0 }],
    autoApprove: true,
  });

const pay = (merchant: Merchant, id: string) =>
  merchant.post(`/v2/invoices/${id}/payments`, {
    amount: '10.00',
    method: 'bank_transfer',
    idempotencyKey: `paid ${id}`,
  });

const LISTS: readonly Changing[] = [
  {
    path: '/v0/features?',
    make: async (shop, number) =>
      shop.create('/v0/features', {
        key: `f${number}`,
        name: 'F',
        productId: (await shop.product()).id,
        type: 'boolean',
      }),
    remove: (merchant, id) => merchant.delete(`/v0/features/${id}`),
  },
  {
    path: '/v0/customers?',
    make: (shop) => shop.customer(),
    remove: (merchant, id) => merchant.delete(`/v0/customers/${id}`),
  },
  {
    path: '/v2/invoices?status=ISSUED&',
    make: async (shop) => invoice(shop, (await shop.customer()).id),
    remove: pay,
  },
];

/** Before each page: rows that come, and rows that go, by their place among those that are there. */
const steps = fc.array(fc.record({ come: fc.integer({ min: 0, max: 2 }), go: fc.array(fc.nat(), { maxLength: 3 }) }), {
  minLength: 1,
  maxLength: 6,
});

describe('a list that changes while it is read', () => {
  it.each(LISTS)('$path shows each row that stands the whole time once', ({ path, make, remove }) =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.boolean(), steps, async (limit, byId, changes) => {
        const merchant = await env.merchant();
        const shop = shopOf(merchant);
        const before: string[] = [];
        for (let number = 0; number < 8; number += 1) before.push((await make(shop, number)).id);
        const there = [...before];
        const gone = new Set<string>();
        const seen: string[] = [];
        let after: string | null = null;
        for (let page = 0; page === 0 || after !== null; page += 1) {
          const answer: Resource = await shop.read(`${path}limit=${limit}${after === null ? '' : `&after=${after}`}`);
          seen.push(...answer.data.map(({ id }: Resource) => id));
          after = answer.pagination.nextAfter;
          const { come, go } = changes[page] ?? { come: 0, go: [] };
          for (let number = 0; number < come; number += 1) await make(shop, 100 * (page + 1) + number);
          for (const place of go) {
            const [id] = there.splice(place % Math.max(there.length, 1), 1);
            if (id === undefined) continue;
            expect(await remove(merchant, id)).toMatchObject({ status: expect.toBeOneOf([201, 204]) });
            gone.add(id);
          }
          // The id alone does as long as its row stands; the page holds its place for longer.
          if (byId && after !== null && !gone.has(after.split('.')[0] as string)) after = after.split('.')[0] as string;
        }
        expect(new Set(seen).size, 'a row twice').toBe(seen.length);
        expect(before.filter((id) => !gone.has(id) && !seen.includes(id))).toEqual([]);
      }),
      cases(8, 40),
    ),
  );

  it('begins behind a deleted row by its place, not by its id', async () => {
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    const [last, middle, first] = [await shop.customer(), await shop.customer(), await shop.customer()];
    const { pagination } = await shop.read('/v0/customers?limit=1');
    expect(pagination.nextAfter).toMatch(first.id);
    expect((await merchant.delete(`/v0/customers/${first.id}`)).status).toBe(204);
    const next = await shop.read(`/v0/customers?after=${pagination.nextAfter}`);
    expect(next.data.map(({ id }: Resource) => id)).toEqual([middle.id, last.id]);
    expect(await merchant.get(`/v0/customers?after=${first.id}`)).toMatchObject({
      status: 404,
      body: { details: { field: 'after' } },
    });
  });

  it('has 25 unpaid invoices when each is paid as it is read', async () => {
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    const { id: customerId } = await shop.customer();
    for (let number = 0; number < 25; number += 1) await invoice(shop, customerId);
    const paid: string[] = [];
    for (let after = ''; ; ) {
      const { data, pagination } = await shop.read(`/v2/invoices?status=ISSUED&limit=10${after}`);
      expect(pagination.total).toBe(25 - paid.length);
      for (const { id } of data) expect((await pay(merchant, id)).status).toBe(201);
      paid.push(...data.map(({ id }: Resource) => id));
      if (pagination.nextAfter === null) break;
      after = `&after=${data.at(-1).id}`; // paid by now, and no longer of the list
    }
    expect(new Set(paid).size).toBe(25);
  });
});
