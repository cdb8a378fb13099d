import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectExplained, transfer, walletOf } from '../support/bills.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Usage that comes after its period was closed is billed as a difference, once (domain.md §4, Late usage), on a clock.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const JANUARY = '2026-01-15T00:00:00Z';
const FEBRUARY = '2026-02-15T00:00:00Z';

type Fields = Record<string, unknown>;
/** Monthly usage with 20 % tax, from the 1st of January on. */
async function subscribed(price: Fields = {}, plan: Fields = {}, metric: Fields = {}) {
  const clock = await shop.clock(START);
  const { id: billableMetricId } = await shop.metric(metric);
  const prices = [await shop.usagePrice({ billableMetricId, ...price })];
  const subscription = await shop.subscribe(await shop.plan(prices, { defaultTaxRate: 20, ...plan }), { clock });
  return { clock, subscription };
}

const month = (line: Resource) => line.periodStart.slice(0, 7);
const shown = ({ lines }: Resource) =>
  lines.map((line: Resource) => `${line.type} ${month(line)}: ${line.quantity} = ${line.totalPrice}`);
const use = (subscription: Resource, at: string, units: number, fields?: Fields) =>
  shop.use(subscription.id, at, units, fields);

describe('what comes late', () => {
  it('stands on the next invoice as the difference, with the dates of its period, and only once', async () => {
    const { clock, subscription } = await subscribed();
    await use(subscription, JANUARY, 10);
    await shop.advance(clock, FEBRUARY);
    await use(subscription, JANUARY, 3);
    await use(subscription, FEBRUARY, 5);
    const open = (await shop.invoices(subscription))[1];
    expect(shown(open)).toEqual(['charge 2026-02: 5 = 5.00', 'late_usage 2026-01: 3 = 3.00']);

    await shop.advance(clock, '2026-05-01T00:00:00Z');
    const [january, february, march, april] = await shop.invoices(subscription);
    expect(shown(january)).toEqual(['charge 2026-01: 10 = 10.00']);
    expect(shown(february)).toEqual(shown(open));
    expect(february).toMatchObject({ subtotal: '8.00', totalTax: '1.60', grandTotal: '9.60' });
    expect(february.lines[1]).toMatchObject({
      eventType: 'usage',
      lineItemType: 'charge',
      invoiceDisplayName: 'Calls: late usage',
      unitPrice: '1',
      periodStart: '2026-01-01T00:00:00Z',
      periodEnd: '2026-02-01T00:00:00Z',
    });
    expect(shown(march)).toEqual(['charge 2026-03: 0 = 0.00']);
    expect(shown(april)).toEqual(['charge 2026-04: 0 = 0.00']);
  });

  it('is a difference of prices: what comes twice late is billed from where the first time ended', async () => {
    // The first 10 cost 1, the others 2: 8 = 8.00; 12 = 14.00; 13 = 16.00.
    const tiers = [
      { upTo: '10', unitPrice: '1' },
      { upTo: null, unitPrice: '2' },
    ];
    const { clock, subscription } = await subscribed({ model: 'graduated', properties: { tiers } });
    await use(subscription, JANUARY, 8);
    await shop.advance(clock, FEBRUARY);
    await use(subscription, JANUARY, 4);
    await shop.advance(clock, '2026-03-15T00:00:00Z');
    await use(subscription, JANUARY, 1);
    await shop.advance(clock, '2026-04-15T00:00:00Z');
    const [january, february, march] = await shop.invoices(subscription);
    expect(shown(january)).toEqual(['charge 2026-01: 8 = 8.00']);
    expect(shown(february)).toEqual(['charge 2026-02: 0 = 0.00', 'late_usage 2026-01: 4 = 6.00']);
    expect(shown(march)).toEqual(['charge 2026-03: 0 = 0.00', 'late_usage 2026-01: 1 = 2.00']);
  });

  it('of several periods is a line for each', async () => {
    const { clock, subscription } = await subscribed();
    await shop.advance(clock, '2026-03-15T00:00:00Z');
    await use(subscription, JANUARY, 1);
    await use(subscription, FEBRUARY, 2);
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(shown((await shop.invoices(subscription))[2])).toEqual([
      'charge 2026-03: 0 = 0.00',
      'late_usage 2026-01: 1 = 1.00',
      'late_usage 2026-02: 2 = 2.00',
    ]);
  });

  it('may be negative, and takes off what the usage is less', async () => {
    const { clock, subscription } = await subscribed();
    await use(subscription, JANUARY, 10);
    await shop.advance(clock, FEBRUARY);
    await use(subscription, JANUARY, -4);
    await use(subscription, FEBRUARY, 9);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const february = (await shop.invoices(subscription))[1];
    expect(shown(february)).toEqual(['charge 2026-02: 9 = 9.00', 'late_usage 2026-01: -4 = -4.00']);
    expect(february).toMatchObject({ subtotal: '5.00', grandTotal: '6.00' });
  });

  it('that is more than the invoice comes to is a credit note on the invoice that billed it', async () => {
    const { clock, subscription } = await subscribed();
    await use(subscription, JANUARY, 10);
    await shop.advance(clock, FEBRUARY);
    await use(subscription, JANUARY, -8);
    await use(subscription, FEBRUARY, 3);
    await use(subscription, '2026-03-15T00:00:00Z', 4);
    await use(subscription, '2026-04-15T00:00:00Z', 9);
    await shop.advance(clock, '2026-06-02T00:00:00Z');
    const [january, february, march, april] = await shop.invoices(subscription);
    expect(shown(february)).toEqual(['charge 2026-02: 3 = 3.00', 'late_usage 2026-01: -3 = -3.00']);
    const notes = (await shop.read(`/v2/invoices/${january.id}/creditNotes`)).data;
    expect(notes).toMatchObject([{ kind: 'credit', amount: '5.00', taxAmount: '1.00', total: '6.00' }]);
    expect([shown(march), shown(april)]).toEqual([['charge 2026-03: 4 = 4.00'], ['charge 2026-04: 9 = 9.00']]);
    expect([february, march, april].map(({ grandTotal }) => grandTotal)).toEqual(['0.00', '4.80', '10.80']);
  });

  it('changes nothing where the figure stays: a maximum below the one there was', async () => {
    const { clock, subscription } = await subscribed({}, {}, { aggregation: 'MAX' });
    await use(subscription, JANUARY, 10);
    await shop.advance(clock, FEBRUARY);
    await use(subscription, JANUARY, 9);
    await shop.advance(clock, '2026-03-15T00:00:00Z');
    await use(subscription, JANUARY, 12);
    await shop.advance(clock, '2026-04-15T00:00:00Z');
    const [, february, march] = await shop.invoices(subscription);
    expect(shown(february)).toEqual(['charge 2026-02: 0 = 0.00']);
    expect(shown(march)).toEqual(['charge 2026-03: 0 = 0.00', 'late_usage 2026-01: 2 = 2.00']);
  });

  it('counts within the limits: up to a minimum that was charged there is nothing more to pay', async () => {
    const { clock, subscription } = await subscribed({ minimumAmount: '10' });
    await use(subscription, JANUARY, 4);
    await shop.advance(clock, FEBRUARY);
    await use(subscription, JANUARY, 9); // 13 in all; 10 were charged
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect(shown((await shop.invoices(subscription))[1])).toEqual([
      ...['charge 2026-02: 0 = 0.00', 'minimum 2026-02: 1 = 10.00'],
      'late_usage 2026-01: 9 = 3.00',
    ]);
  });

  it('has the discounts of its period’s bill, and the tax of the invoice that bills it', async () => {
    const { clock, subscription } = await subscribed();
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      type: 'percentageDiscount',
      percentageDiscount: '0.35',
      effectiveFrom: '2026-01-01T00:00:00Z',
      effectiveTo: '2026-02-02T00:00:00Z',
      description: 'Launch',
    });
    await use(subscription, JANUARY, 10);
    await shop.advance(clock, FEBRUARY);
    await use(subscription, JANUARY, 100);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const february = (await shop.invoices(subscription))[1];
    expect(shown(february)).toEqual([
      'charge 2026-02: 0 = 0.00',
      'late_usage 2026-01: 100 = 100.00',
      'adjustment 2026-01: 1 = -35.00',
    ]);
    expect(february.lines[2].appliesToLineId).toBe(february.lines[1].id);
    expect(february).toMatchObject({ subtotal: '65.00', totalTax: '13.00', grandTotal: '78.00' });
  });

  it('is also what becomes the customer’s afterwards: an externalId that is linked late', async () => {
    const { clock, subscription } = await subscribed();
    const useUnknown = (units: number) =>
      merchant.post('/v0/events', {
        ...{ type: 'call', source: 'test', externalSubject: 'crm-7', timestamp: JANUARY, data: { units } },
      });
    await useUnknown(2);
    await shop.advance(clock, FEBRUARY);
    await useUnknown(6);
    await shop.change(`/v0/customers/${subscription.customerId}`, { externalId: 'crm-7' });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect(shown((await shop.invoices(subscription))[1])).toEqual([
      'charge 2026-02: 0 = 0.00',
      'late_usage 2026-01: 8 = 8.00',
    ]);
  });
});

describe('money goes back once', () => {
  const pay = ({ id, grandTotal }: Resource) => transfer(shop, { id }, grandTotal);
  const refund = ({ id }: Resource) => merchant.post(`/v2/invoices/${id}/refunds`);
  const voidOf = ({ id }: Resource, { body }: Resource) =>
    shop.act(`/v2/invoices/${id}/refunds/${body.id}/void`, { reason: 'A mistake' });
  const REFUSED = { status: 400, body: { code: 'INVOICE_ALREADY_REFUNDED' } };

  /** 100.00 and 20.00 tax for January, paid. */
  async function paid() {
    const { clock, subscription } = await subscribed({}, { gracePeriod: 'P0D' });
    await use(subscription, JANUARY, 100);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [january] = await shop.invoices(subscription);
    await pay(january);
    return { clock, subscription, january };
  }
  /** 300.00 less 80.00 and 44.00 tax for February, paid. */
  async function corrected() {
    const { clock, subscription, january } = await paid();
    await use(subscription, JANUARY, -80);
    await use(subscription, FEBRUARY, 300);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const [, february] = (await shop.invoices(subscription)) as [Resource, Resource];
    expect(february.grandTotal).toBe('264.00');
    await pay(february);
    return { clock, subscription, january, february };
  }

  it('no refund of an invoice gives back what a later one has taken back of it', async () => {
    const { january } = await corrected();
    expect(await refund(january)).toMatchObject(REFUSED);
  });

  it('nor does a second refund, after a void', async () => {
    const { clock, subscription, january } = await paid();
    const first = await refund(january);
    await use(subscription, JANUARY, -10);
    await voidOf(january, first);
    await use(subscription, FEBRUARY, 20);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect(await refund(january)).toMatchObject(REFUSED);
  });

  it('a refund of the invoice with the correction gives that back, too, until it is voided', async () => {
    const { clock, subscription, january, february } = await corrected();
    const first = await refund(february);
    expect(first).toMatchObject({ status: 201, body: { total: '264.00' } });
    const notes = async () => (await shop.read(`/v2/invoices/${january.id}/creditNotes`)).data;
    expect(await notes()).toMatchObject([{ kind: 'credit', total: '96.00', status: 'ISSUED' }]);
    expect(await walletOf(shop, subscription)).toBe('96.00');
    await voidOf(february, first);
    expect(await notes()).toMatchObject([{ kind: 'credit', total: '96.00', status: 'VOIDED' }]);
    expect(await walletOf(shop, subscription)).toBe('0.00');
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(shown((await shop.invoices(subscription))[2])).toEqual(['charge 2026-03: 0 = 0.00']);
  });

  it('also where an invoice after it has corrected the same period once more', async () => {
    const { clock, subscription, january, february } = await corrected();
    await use(subscription, JANUARY, -10);
    await use(subscription, '2026-03-15T00:00:00Z', 30);
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    const march = (await shop.invoices(subscription))[2] as Resource;
    expect(shown(march)).toEqual(['charge 2026-03: 30 = 30.00', 'late_usage 2026-01: -10 = -10.00']);
    expect(await refund(february)).toMatchObject({ status: 201, body: { total: '264.00' } });
    expect(await walletOf(shop, subscription)).toBe('96.00');
    expect(await refund(january)).toMatchObject(REFUSED);
  });
});

describe('the second calculation of an invoice with late usage', () => {
  it.each([
    // 8.875 % of 7 − 2 yen are 0.44: no tax. By line it would be 1 and 0.
    { currency: 'JPY', defaultTaxRate: 8.875, taxBehavior: 'exclusive', late: 7, total: '5 + 0' },
    { currency: 'USD', defaultTaxRate: 19, taxBehavior: 'inclusive', late: 11, total: '6.93 + 1.32' },
    { currency: 'USD', defaultTaxRate: 19, taxBehavior: 'exclusive', late: -11, total: '0.00 + 0.00' }, // a credit note
  ])('taxes its discount with its rate: $currency, $taxBehavior, $late', async ({ late, total, ...plan }) => {
    const { clock, subscription } = await subscribed({}, plan);
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      ...{ type: 'percentageDiscount', percentageDiscount: '0.25', effectiveFrom: START, description: 'Launch' },
    });
    await use(subscription, JANUARY, 100);
    await shop.advance(clock, FEBRUARY);
    await use(subscription, JANUARY, late);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const february = (await shop.invoices(subscription))[1];
    expect(`${february.subtotal} + ${february.totalTax}`).toBe(total);
    await expectExplained(shop, subscription);
  });
});

describe('a correction that came while its invoice did not stand', () => {
  const notesOf = async ({ id }: Resource) => (await shop.read(`/v2/invoices/${id}/creditNotes`)).data;
  /** 100.00 and 20.00 tax for January. */
  async function billed() {
    const { clock, subscription } = await subscribed({}, { gracePeriod: 'P0D' });
    await use(subscription, JANUARY, 100);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [january] = await shop.invoices(subscription);
    return { clock, subscription, january };
  }

  it('is given with the void of the refund', async () => {
    const { clock, subscription, january } = await billed();
    await transfer(shop, january, '120.00');
    const refund = await shop.create(`/v2/invoices/${january.id}/refunds`);
    await use(subscription, JANUARY, -10);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect(await walletOf(shop, subscription)).toBe('0.00');
    await shop.act(`/v2/invoices/${january.id}/refunds/${refund.id}/void`);
    expect(await notesOf(january)).toMatchObject([{ kind: 'credit', total: '12.00' }, { kind: 'refund' }]);
    expect(await walletOf(shop, subscription)).toBe('12.00');
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect((await shop.invoices(subscription)).map(({ grandTotal }) => grandTotal)).toEqual([
      ...['120.00', '0.00', '0.00', '0.00'],
    ]);
  });

  it('is given with the payment after a write-off', async () => {
    const { clock, subscription, january } = await billed();
    await transfer(shop, january, '40.00');
    await shop.act(`/v2/invoices/${january.id}/writeOff`);
    await use(subscription, JANUARY, -80);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect(await notesOf(january)).toEqual([]);
    await transfer(shop, january, '80.00');
    expect(await notesOf(january)).toMatchObject([{ kind: 'credit', total: '96.00' }]);
    expect(await walletOf(shop, subscription)).toBe('96.00');
    await shop.advance(clock, '2026-05-01T00:00:00Z');
    expect(await walletOf(shop, subscription)).toBe('96.00');
  });
});

describe('after the end', () => {
  it('one supplementary invoice bills it lateUsageDays later; what comes after that is billed by none', async () => {
    const { clock, subscription } = await subscribed();
    await use(subscription, JANUARY, 10);
    await shop.advance(clock, FEBRUARY);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    await shop.advance(clock, 'PT1S');
    await use(subscription, JANUARY, 3);
    await use(subscription, '2026-02-10T00:00:00Z', 2);
    await shop.advance(clock, '2026-03-21T23:59:59Z');
    expect(await shop.invoices(subscription)).toHaveLength(2);

    await shop.advance(clock, '2026-03-22T00:00:00Z'); // 35 days after the 15th of February
    const supplementary = (await shop.invoices(subscription))[2];
    expect(supplementary).toMatchObject({
      kind: 'ad_hoc',
      status: 'ISSUED',
      subscriptionId: subscription.id,
      billingCadence: 'P0D',
      sequenceNumber: 0,
      periodStart: '2026-03-22T00:00:00Z',
      subtotal: '5.00',
      grandTotal: '6.00',
    });
    expect(shown(supplementary)).toEqual(['late_usage 2026-01: 3 = 3.00', 'late_usage 2026-02: 2 = 2.00']);

    await use(subscription, JANUARY, 50);
    await shop.advance(clock, 'P1Y');
    expect(await shop.invoices(subscription)).toHaveLength(3);
  });

  it('none is made where nothing came', async () => {
    const { clock, subscription } = await subscribed();
    await use(subscription, JANUARY, 10);
    await shop.advance(clock, FEBRUARY);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    await shop.advance(clock, 'P1Y');
    expect(await shop.invoices(subscription)).toHaveLength(2);
  });
});
