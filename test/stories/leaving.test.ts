import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountBalance } from '../../src/ledger/index.ts';
import { billOf, chargeBy, expectExplained, transfer, walletOf } from '../support/bills.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * A customer leaves in the middle of a month and of a year, over HTTP and worked by hand (domain.md §3 Ends and
 * Credits, §4 Refund and Late usage).
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(async () => {
  await expectBooksToBalance(env, merchant);
  await env.close();
});

/*
 * Support for a year in advance is 365.00, seats for a month in advance are 90.00, a call is 0.10 in arrears; tax is 20
 * %. The beginning: 365 + 90 = 455.00 with 91.00 tax.
 */
const MONTHS = [
  { month: '2026-01', calls: 100, lines: ['10.00', '90.00'], total: '100.00 + 20.00 = 120.00' },
  { month: '2026-02', calls: 0, lines: ['0.00', '90.00'], total: '90.00 + 18.00 = 108.00' },
  { month: '2026-03', calls: 250, lines: ['25.00', '90.00'], total: '115.00 + 23.00 = 138.00' },
  { month: '2026-04', calls: 33, lines: ['3.30', '90.00'], total: '93.30 + 18.66 = 111.96' },
  { month: '2026-05', calls: 1000, lines: ['100.00', '90.00'], total: '190.00 + 38.00 = 228.00' },
  { month: '2026-06', calls: 400 },
] as const;
/*
 * They leave on the 16th of June, with 400 calls since the 1st: 40.00. The unused advance fees are 199 of the year's
 * 365 days (after 31 + 28 + 31 + 30 + 31 + 15 = 166), 199.00, and 15 of June's 30: 45.00. With tax: 238.80 and 54.00,
 * together 292.80.
 */
const END = '2026-06-16T00:00:00Z';

async function subscribed(fields: object) {
  const prices = [
    await shop.feePrice({ paymentTerm: 'in_advance', billingCadence: 'P1Y', properties: { unitPrice: '365' } }),
    await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '90' } }),
    await shop.usagePrice({ properties: { unitPrice: '0.10' } }),
  ];
  const plan = await shop.plan(prices, { defaultTaxRate: 20 });
  const clock = await shop.clock(START);
  const customer = await shop.customer();
  await chargeBy(shop, customer, 'pm_ok');
  const subscription = await shop.subscribe(plan, { clock, customer, ...fields });
  expect(subscription.status).toBe('active');
  for (const { month, calls } of MONTHS) await shop.use(subscription.id, `${month}-10T00:00:00Z`, calls);
  return { clock, subscription };
}
const leave = (subscription: Resource, credit: string) =>
  shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved', credit });
const owedAgainBy = (customer: Resource): Promise<string> =>
  env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
    const balance = await accountBalance(tx, 'owed_again', { customerId: customer.id, currency: 'USD' });
    return balance.toFixed(2);
  });
const monthly = async (subscription: Resource): Promise<Resource[]> =>
  (await shop.invoices(subscription)).filter(({ billingCadence }) => billingCadence === 'P1M');
const upfrontOf = async (subscription: Resource): Promise<Resource> =>
  (await shop.invoices(subscription)).find(({ kind }) => kind === 'upfront');
const refund = (invoice: Resource) => merchant.post(`/v2/invoices/${invoice.id}/refunds`);

interface Leaving {
  credit: string;
  /** In the wallet: at the end, after the bill of the last month, and after all refunds and late usage. */
  wallet: readonly [left: string, billed: string, end: string];
  last: ReturnType<typeof billOf>;
  /** The answer of a refund of the invoice with the partly credited seats, and of the last one. */
  refunds: readonly [may: number, last: number];
  /** Late usage of 10.00 and 2.00 tax, and the part that the wallet pays. */
  late: string;
}
const charge = 'charge 06-01/06-16 40.00';

describe('who has paid everything, by credit', () => {
  it.each<Leaving>([
    // 40.00 of the 199.00 reduce the last invoice. The other 159.00 and the 45.00 are 204.00, with tax 244.80. The last
    // invoice is refunded: the 48.00 that the credit had paid are in the wallet.
    {
      credit: 'invoice',
      wallet: ['0.00', '244.80', '280.80'],
      last: {
        lines: [charge, 'credit 06-16/01-01 -40.00', 'credit 06-16/07-01 0.00'],
        total: '0.00 + 0.00 = 0.00',
        wallet: '0.00',
        status: 'PAID',
      },
      refunds: [400, 201],
      late: '12.00',
    },
    // All of it is in the wallet, which pays the last invoice of 48.00. That one is refunded: 48.00 come back.
    {
      credit: 'wallet',
      wallet: ['292.80', '244.80', '280.80'],
      last: { lines: [charge], total: '40.00 + 8.00 = 48.00', wallet: '48.00', status: 'PAID' },
      refunds: [400, 201],
      late: '12.00',
    },
    // No credit was given, so the invoice of May may be refunded like any other. The card pays.
    {
      credit: 'none',
      wallet: ['0.00', '0.00', '0.00'],
      last: { lines: [charge], total: '40.00 + 8.00 = 48.00', wallet: '0.00', status: 'PAID' },
      refunds: [201, 201],
      late: '0.00',
    },
  ])(
    '$credit',
    async ({ credit, wallet, last, refunds, late }) => {
      const { clock, subscription } = await subscribed({ autoCharge: true });
      expect(billOf(await upfrontOf(subscription))).toMatchObject({ total: '455.00 + 91.00 = 546.00', status: 'PAID' });
      await shop.advance(clock, END);
      await leave(subscription, credit);
      expect(await walletOf(shop, subscription)).toBe(wallet[0]);
      await shop.advance(clock, '2026-07-01T00:00:00Z');

      const invoices = await monthly(subscription);
      expect(invoices).toHaveLength(MONTHS.length);
      for (const [index, { month, ...expected }] of MONTHS.entries()) {
        if (!('total' in expected)) continue;
        expect(billOf(invoices[index]), month).toMatchObject({ total: expected.total, wallet: '0.00', status: 'PAID' });
        expect(
          invoices[index].lines.map(({ totalPrice }: Resource) => totalPrice),
          month,
        ).toEqual(expected.lines);
      }
      expect(billOf(invoices[5])).toEqual(last);
      expect(await walletOf(shop, subscription)).toBe(wallet[1]);
      // The year ends too, and has nothing to bill.
      const year = (await shop.invoices(subscription)).filter(({ billingCadence }) => billingCadence === 'P1Y');
      expect(year).toMatchObject([{ periodEnd: END, grandTotal: '0.00', status: 'CANCELLED' }]);

      // Refunds afterwards: April, of which all was used and paid by card; May, with June's seats; and the last one.
      expect(await refund(invoices[3])).toMatchObject({ status: 201, body: { total: '111.96' } });
      expect([(await refund(invoices[4])).status, (await refund(invoices[5])).status]).toEqual(refunds);
      // A hundred calls of the 14th come late: 35 days after the end they are billed, and nothing else ever is.
      await shop.use(subscription.id, '2026-06-14T00:00:00Z', 100);
      await shop.advance(clock, '2027-01-01T00:00:00Z');
      expect((await shop.read(`/v2/invoices/${invoices[3].id}/payments`)).data).toMatchObject([
        { method: 'card', amount: '111.96', returnStatus: 'returned' },
      ]);
      const supplementary = (await shop.invoices(subscription)).filter(({ kind }) => kind === 'ad_hoc');
      expect(supplementary).toMatchObject([
        { issuedAt: '2026-07-21T00:00:00Z', grandTotal: '12.00', walletApplied: late, status: 'PAID' },
      ]);
      expect(await walletOf(shop, subscription)).toBe(wallet[2]);
      await expectExplained(shop, subscription);
    },
    60_000,
  );
});

describe('who has not paid', () => {
  // The credits reduce the debt: 546.00 − 238.80 and 228.00 − 54.00. There was no money to return.
  it.each(['invoice', 'wallet'])('owes what was used, and nothing is in the wallet: %s', async (credit) => {
    const { clock, subscription } = await subscribed({ bankTransferOnly: true });
    await shop.advance(clock, END);
    await leave(subscription, credit);
    await shop.advance(clock, 'PT1S');
    const [may, june] = (await monthly(subscription)).slice(-2);
    expect(await upfrontOf(subscription)).toMatchObject({ status: 'ISSUED', unpaidAmount: '307.20' });
    expect(may).toMatchObject({ status: 'ISSUED', unpaidAmount: '174.00' });
    expect(june).toMatchObject({ status: 'ISSUED', unpaidAmount: '48.00' });
    expect(await walletOf(shop, subscription)).toBe('0.00');
    // By transfer, and all is paid.
    await transfer(shop, may, '174.00');
    expect(await shop.invoice(may.id)).toMatchObject({ status: 'PAID', paidAmount: '228.00' });
    expect(await refund(may)).toMatchObject({ status: 400, body: { code: 'INVOICE_ALREADY_REFUNDED' } });
  });

  // Of May's 228.00, 200.00 were paid. So 28.00 of the seats' 54.00 reduce the debt: 23.33 and 4.67 tax. 21.67 net
  // are left.
  it('in part, has the rest of the credit taken off the last invoice: 40.00 − 21.67 = 18.33, with tax 22.00', async () => {
    const { clock, subscription } = await subscribed({ bankTransferOnly: true });
    await shop.advance(clock, END);
    const may = (await monthly(subscription))[4];
    await transfer(shop, may, '200.00');
    await leave(subscription, 'invoice');
    await shop.advance(clock, 'PT1S');
    expect(await shop.invoice(may.id)).toMatchObject({ status: 'PAID', unpaidAmount: '0.00' });
    expect(await upfrontOf(subscription)).toMatchObject({ unpaidAmount: '307.20' });
    expect(billOf((await monthly(subscription))[5])).toEqual({
      lines: [charge, 'credit 06-16/07-01 -21.67'],
      total: '18.33 + 3.67 = 22.00',
      wallet: '0.00',
      status: 'ISSUED',
    });
    expect(await walletOf(shop, subscription)).toBe('0.00');
  });
});

/*
 * June alone: seats of 90.00 in advance, paid, and 400 calls on the 10th: 40.00. At an end on the 16th, 45.00 of the
 * seats are unused. 40.00 of them reduce the last invoice, and 5.00 with 1.00 tax are in the wallet.
 */
describe('who leaves otherwise', () => {
  interface Otherwise {
    what: string;
    /** Of the plan; prices that include the tax are 1.2 times as high. */
    plan?: { taxBehavior: 'inclusive' };
    fields?: object;
    /** The events in June, up to the end. */
    does: (at: June) => Promise<unknown>;
    /** The last invoice, the debt on the first one, and the wallet. */
    last: string;
    owed?: string;
    /** Money that had left before its refund was void. */
    owedAgain?: string;
    credit?: 'none';
    wallet: string;
  }
  interface June {
    upfront: Resource;
    reach(day: string): Promise<unknown>;
    leave(): Promise<unknown>;
    patch(body: object): Promise<unknown>;
    taxAt(rate: number): Promise<unknown>;
  }

  it.each<Otherwise>([
    {
      what: 'as was planned before',
      does: async ({ reach, patch }) => {
        await reach('05');
        await patch({ endingAt: END });
      },
      last: '0.00 + 0.00 = 0.00',
      wallet: '6.00',
    },
    {
      what: 'as of the 11th, told on the 16th: 20 of 30 days are 60.00, and 20.00 × 1.2 are left',
      does: async ({ reach, patch }) => {
        await reach('16');
        await patch({ terminatedAt: '2026-06-11T00:00:00Z', terminationReason: 'Moved' });
      },
      last: '0.00 + 0.00 = 0.00',
      wallet: '24.00',
    },
    {
      what: 'with the tax in the prices',
      plan: { taxBehavior: 'inclusive' },
      does: async ({ reach, leave }) => {
        await reach('16');
        await leave();
      },
      last: '0.00 + 0.00 = 0.00',
      wallet: '6.00',
    },
    {
      what: 'and never paid, so that it was written off: nothing is given back',
      fields: { bankTransferOnly: true },
      does: async ({ reach, leave, upfront }) => {
        await reach('05');
        await shop.act(`/v2/invoices/${upfront.id}/writeOff`);
        await reach('16');
        await leave();
      },
      last: '40.00 + 8.00 = 48.00',
      owed: '108.00',
      wallet: '0.00',
    },
    {
      what: 'after the seats were refunded: 108.00 are back on the card, and nothing of them comes back again',
      does: async ({ reach, leave, upfront }) => {
        await reach('05');
        expect((await refund(upfront)).status).toBe(201);
        await reach('16');
        await leave();
      },
      last: '40.00 + 8.00 = 48.00',
      wallet: '0.00',
    },
    {
      what: 'after a refund that is void once they have left: the 108.00 are back on the card, 54.00 of them are owed again',
      does: async ({ reach, leave, upfront }) => {
        await reach('05');
        const { body } = await refund(upfront);
        await reach('16');
        await leave();
        await reach('18');
        await shop.act(`/v2/invoices/${upfront.id}/refunds/${body.id}/void`, { reason: 'A mistake' });
        expect(await refund(upfront)).toMatchObject({ status: 400, body: { code: 'INVOICE_ALREADY_REFUNDED' } });
      },
      last: '40.00 + 8.00 = 48.00',
      owedAgain: '54.00',
      wallet: '0.00',
    },
    {
      what: 'after a refund that is void once they have left, and before the money does: 54.00 come back, and pay 48.00',
      does: async ({ reach, leave, upfront }) => {
        await reach('16');
        const { body } = await refund(upfront);
        await leave();
        await shop.act(`/v2/invoices/${upfront.id}/refunds/${body.id}/void`, { reason: 'A mistake' });
      },
      last: '40.00 + 8.00 = 48.00',
      wallet: '6.00',
    },
    {
      what: 'with nothing for what is not used, after a refund that is void then',
      credit: 'none',
      does: async ({ reach, leave, upfront }) => {
        await reach('16');
        const { body } = await refund(upfront);
        await leave();
        await shop.act(`/v2/invoices/${upfront.id}/refunds/${body.id}/void`, { reason: 'A mistake' });
      },
      last: '40.00 + 8.00 = 48.00',
      wallet: '0.00',
    },
    {
      what: 'after a refund that was void',
      does: async ({ reach, leave, upfront }) => {
        await reach('05');
        const { body } = await refund(upfront);
        await shop.act(`/v2/invoices/${upfront.id}/refunds/${body.id}/void`, { reason: 'A mistake' });
        await reach('16');
        await leave();
      },
      last: '0.00 + 0.00 = 0.00',
      wallet: '6.00',
    },
    {
      what: 'at a higher tax by then: 52.00 of the 54.00 come off, 43.33 + 8.67, and 2.00 are left',
      does: async ({ reach, leave, taxAt }) => {
        await reach('16');
        await taxAt(30);
        await leave();
      },
      last: '-3.33 + 3.33 = 0.00',
      wallet: '2.00',
    },
    {
      what: 'at a lower tax by then: 44.00 of the 54.00 come off, 36.67 + 7.33, and 10.00 are left',
      does: async ({ reach, leave, taxAt }) => {
        await reach('16');
        await taxAt(10);
        await leave();
      },
      last: '3.33 + -3.33 = 0.00',
      wallet: '10.00',
    },
  ])(
    '$what',
    async ({ plan: planFields, fields, does, last, owed = '0.00', owedAgain = '0.00', credit = 'invoice', wallet }) => {
      const isInclusive = planFields?.taxBehavior === 'inclusive';
      const plan = await shop.plan(
        [
          await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: isInclusive ? '108' : '90' } }),
          await shop.usagePrice({ properties: { unitPrice: isInclusive ? '0.12' : '0.10' } }),
        ],
        { defaultTaxRate: 20, ...planFields },
      );
      const clock = await shop.clock('2026-06-01T00:00:00Z');
      const customer = await shop.customer();
      await chargeBy(shop, customer, 'pm_ok');
      const subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true, ...fields });
      await shop.use(subscription.id, '2026-06-10T00:00:00Z', 400);
      const path = `/v0/subscriptions/${subscription.id}`;
      await does({
        upfront: await upfrontOf(subscription),
        reach: (day) => shop.advance(clock, `2026-06-${day}T00:00:00Z`),
        leave: () => leave(subscription, credit),
        patch: (body) => shop.change(path, body),
        taxAt: (rate) => shop.change(`/v0/customers/${customer.id}`, { taxRates: rate }),
      });
      await shop.advance(clock, '2026-06-20T00:00:00Z');
      expect(await shop.read(path)).toMatchObject({ status: 'terminated' });
      expect(billOf((await monthly(subscription))[0]).total).toBe(last);
      expect((await upfrontOf(subscription)).unpaidAmount).toBe(owed);
      expect(await walletOf(shop, subscription)).toBe(wallet);
      expect(await owedAgainBy(customer)).toBe(owedAgain);
      await expectExplained(shop, subscription);
    },
  );

  it('while the seats are refunded: in either order, the money returns once', async () => {
    const seats = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '90' } });
    const plan = await shop.plan([seats], { defaultTaxRate: 20 });
    for (let round = 0; round < 8; round += 1) {
      const clock = await shop.clock('2026-06-01T00:00:00Z');
      const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true });
      const upfront = await upfrontOf(subscription);
      await transfer(shop, upfront, '108.00');
      await shop.advance(clock, END);
      const [refunded] = await Promise.all([refund(upfront), leave(subscription, 'wallet')]);
      expect([refunded.status, await walletOf(shop, subscription)]).toEqual(
        refunded.status === 201 ? [201, '0.00'] : [400, '54.00'],
      );
    }
  }, 60_000);
});
