import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountBalance } from '../../src/ledger/index.ts';
import { transfer, walletOf } from '../support/bills.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { cases } from '../support/cases.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * Whatever happens to the invoices of a subscription, in which order: in the end it has cost what was used. The oracle
 * counts days and units; it knows no invoices.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(async () => {
  await expectBooksToBalance(env, merchant);
  await env.close();
});

/** The payments of some invoices less those that went back, in minor units. */
async function cashOf(invoices: readonly Resource[]): Promise<number> {
  let cash = 0;
  for (const { id } of invoices)
    for (const { amount, appliedAmount, returnStatus } of (await shop.read(`/v2/invoices/${id}/payments`)).data)
      cash += minor(amount) - (['none', 'stopped'].includes(returnStatus) ? 0 : minor(appliedAmount));
  return cash;
}

const minor = (amount: string): number => Math.round(Number(amount) * 100);

/** One of the invoices, in turn. */
const acts = ['pay', 'pay', 'refund', 'refund', 'return', 'void', 'cancel', 'seats'] as const;
const act = fc.record({ act: fc.constantFrom(...acts), on: fc.nat({ max: 5 }) });
type Act = typeof act extends fc.Arbitrary<infer Of> ? Of : never;

/** The acts on the invoices of a subscription, but its first. A refusal is a normal answer; a fault is not. */
function actorOf(subscription: Resource, seats: Resource) {
  const refunds: { invoiceId: string; id: string }[] = [];
  let count = 9;
  const post = async (path: string, body?: unknown): Promise<Resource> => {
    const { status, body: answered, text } = await merchant.post(path, body);
    expect(status, `POST ${path} answered ${text}`).toBeLessThan(500);
    return status < 300 ? answered : null;
  };
  return async ({ act: what, on }: Act): Promise<void> => {
    const invoices = (await shop.invoices(subscription)).filter(
      ({ invoiceNumber, kind }) => invoiceNumber && kind === 'subscription',
    );
    const invoice = invoices[on % Math.max(1, invoices.length)];
    const path = `/v2/invoices/${invoice?.id}`;
    if (what === 'seats') {
      count = count === 9 ? 8 : 9;
      await post(`/v0/subscriptions/${subscription.id}/changes`, { quantities: { [seats.id]: count } });
    } else if (!invoice) return;
    else if (what === 'pay' && minor(invoice.unpaidAmount) > 0 && invoice.status !== 'CANCELLED')
      await transfer(shop, invoice, invoice.unpaidAmount);
    else if (what === 'cancel') await post(`${path}/cancel`);
    else if (what === 'refund') {
      const made = await post(`${path}/refunds`);
      if (made) refunds.push({ invoiceId: invoice.id, id: made.id });
    } else if (what === 'return')
      for (const { id } of (await shop.read(`${path}/payments`)).data)
        await post(`${path}/payments/${id}/markReturned`, {});
    else {
      const last = refunds.at(-1);
      if (last) await post(`/v2/invoices/${last.invoiceId}/refunds/${last.id}/void`, { reason: 'A mistake' });
    }
  };
}

const month = fc.array(act, { maxLength: 5 });

/*
 * Ten seats of 868.00 a month: 28.00 a day in months of 31 days, 31.00 in February. On the 11th of January they are
 * nine, and later the subscription is ended as of a day before.
 */
it('a subscription with changed seats costs its days, after any acts on its invoices', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(month, month, month),
      fc.integer({ min: 1, max: 10 }),
      fc.constantFrom(0, 20),
      async (months, days, defaultTaxRate) => {
        const clock = await shop.clock('2026-01-01T00:00:00Z');
        const seats = await shop.feePrice({
          ...{ paymentTerm: 'in_advance', quantity: 10, properties: { unitPrice: '868' } },
        });
        const plan = await shop.plan([seats], { gracePeriod: 'P0D', defaultTaxRate });
        const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true });
        const take = actorOf(subscription, seats);
        const upfront = (await shop.invoices(subscription)).find(({ kind }) => kind === 'upfront');
        await transfer(shop, upfront, upfront.grandTotal);
        await shop.advance(clock, '2026-01-11T00:00:00Z');
        await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { quantities: { [seats.id]: 9 } });
        for (const [index, those] of months.entries()) {
          await shop.advance(clock, `2026-0${index + 2}-01T00:00:00Z`);
          for (const each of those) await take(each);
        }
        await shop.advance(clock, '2026-04-02T00:00:00Z');
        const day = `2026-01-${String(days + 1).padStart(2, '0')}T00:00:00Z`;
        await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: day });
        const cost = (await cashOf(await shop.invoices(subscription))) - minor(await walletOf(shop, subscription));
        expect(cost).toBe(days * 10 * 28 * (100 + defaultTaxRate));
      },
    ),
    cases(4, 25),
  );
});

const late = fc.record({
  act: fc.constantFrom('use', 'use', 'use', 'pay', 'pay', 'refund', 'void', 'writeOff'),
  on: fc.nat({ max: 5 }),
  units: fc.integer({ min: -60, max: 60 }),
});

type Late = typeof late extends fc.Arbitrary<infer Of> ? Of : never;

/**
 * February's invoice takes usage of January back, and March's bills some of it again and takes usage of February back:
 * what goes back for February is above its invoice, and the part of January's usage in it is of January's invoice.
 */
const MORE_OF_JANUARY_ON_AN_INVOICE_OF_NOTHING: Late[][] = [
  [{ act: 'use', on: 0, units: -44 }],
  [
    { act: 'use', on: 2, units: 20 },
    { act: 'use', on: 3, units: -37 },
  ],
];

/*
 * Each unit costs 1.00. Usage of January and February changes while their invoices are paid, refunded, written off and
 * stand again. At the end all of them stand and are paid.
 */
it('usage costs its units once all invoices stand again, whatever came late meanwhile', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(late, { maxLength: 5 }), { minLength: 2, maxLength: 3 }),
      fc.constantFrom(0, 20),
      async (months, defaultTaxRate) => {
        const clock = await shop.clock('2026-01-01T00:00:00Z');
        const plan = await shop.plan([await shop.usagePrice()], { gracePeriod: 'P0D', defaultTaxRate });
        const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true });
        const refunds: { invoiceId: string; id: string }[] = [];
        const used = new Map([
          ['01', 100],
          ['02', 50],
        ]);
        const use = (month: string, units: number) => shop.use(subscription.id, `2026-${month}-06T00:00:00Z`, units);
        const issued = async () => (await shop.invoices(subscription)).filter(({ invoiceNumber }) => invoiceNumber);
        const payAll = async () => {
          for (const invoice of await issued())
            if (minor(invoice.unpaidAmount) > 0 && invoice.status !== 'CANCELLED')
              await transfer(shop, invoice, invoice.unpaidAmount);
        };
        for (const [month, units] of used) await use(month, units);
        for (const [index, acts] of months.entries()) {
          await shop.advance(clock, `2026-0${index + 2}-01T00:00:00Z`);
          for (const { act, on, units } of acts) {
            const invoices = await issued();
            const invoice = invoices[on % invoices.length];
            const path = `/v2/invoices/${invoice.id}`;
            const month = on % 2 === 0 || index === 0 ? '01' : '02';
            const after = (used.get(month) as number) + units;
            if (act === 'use' && after >= 0 && units !== 0) {
              used.set(month, after);
              await use(month, units);
            } else if (act === 'pay' && minor(invoice.unpaidAmount) > 0 && invoice.status !== 'CANCELLED')
              await transfer(shop, invoice, invoice.unpaidAmount);
            else if (act === 'refund') {
              const { status, body } = await merchant.post(`${path}/refunds`);
              if (status === 201) refunds.push({ invoiceId: invoice.id, id: body.id });
            } else if (act === 'writeOff') await merchant.post(`${path}/writeOff`);
            else if (act === 'void') {
              const last = refunds.pop();
              if (last) await merchant.post(`/v2/invoices/${last.invoiceId}/refunds/${last.id}/void`, { reason: 'So' });
            }
          }
        }
        for (const { invoiceId, id } of refunds)
          await merchant.post(`/v2/invoices/${invoiceId}/refunds/${id}/void`, { reason: 'So' });
        await payAll();
        await shop.advance(clock, '2026-06-01T00:00:00Z');
        await payAll();
        const owedAgain = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
          accountBalance(tx, 'owed_again', { customerId: subscription.customerId, currency: 'USD' }),
        );
        const wallet = minor(await walletOf(shop, subscription));
        const cost = (await cashOf(await issued())) + minor(owedAgain.toFixed(2)) - wallet;
        const units = [...used.values()].reduce((sum, each) => sum + each, 0);
        expect(cost).toBe(units * (100 + defaultTaxRate));
      },
    ),
    { ...cases(4, 40), examples: [[MORE_OF_JANUARY_ON_AN_INVOICE_OF_NOTHING, 0]] },
  );
});
