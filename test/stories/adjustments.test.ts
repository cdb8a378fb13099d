import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Discounts on a subscription's invoices (§4, Adjustment rules; domain.md §3, Adjustments), on a clock. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const FEBRUARY = '2026-02-01T00:00:00Z';
const MARCH = '2026-03-01T00:00:00Z';

/** A subscription to a fee of 100.00 a month with 20 % tax, from the 1st of January on. */
async function subscribed(plan: object = {}) {
  const clock = await shop.clock(START);
  const price = await shop.feePrice({ properties: { unitPrice: '100' } });
  const subscription = await shop.subscribe(await shop.plan([price], { defaultTaxRate: 20, ...plan }), { clock });
  return { clock, subscription };
}

const path = ({ id }: Resource) => `/v0/subscriptions/${id}/adjustments`;
const discount = (percentageDiscount: string, fields: object = {}) => ({
  type: 'percentageDiscount',
  percentageDiscount,
  effectiveFrom: START,
  description: `${percentageDiscount} off`,
  ...fields,
});
const adjust = (subscription: Resource, percentageDiscount: string, fields?: object) =>
  shop.create(path(subscription), discount(percentageDiscount, fields));
const remove = (subscription: Resource, { id }: Resource) => merchant.delete(`${path(subscription)}/${id}`);

/** `name amount` of each line; a discount line with the name of the line that it takes something off. */
const shown = ({ lines }: Resource) =>
  lines.map((line: Resource) => {
    const from = lines.find(({ id }: Resource) => id === line.appliesToLineId);
    return `${line.eventType} ${line.invoiceDisplayName}: ${line.totalPrice}${from ? ` off ${from.invoiceDisplayName}` : ''}`;
  });

describe('while the window is open', () => {
  // Proves 4.adjustments.1, 4.adjustments.1.tax, 2.adjustment.description.
  it('every invoice carries one discount line for each charge, and tax is on the reduced amount', async () => {
    const { clock, subscription } = await subscribed();
    const adjustment = await adjust(subscription, '0.35', { description: 'Launch' });
    expect(adjustment).toMatchObject({
      object: 'subscriptionAdjustment',
      subscriptionId: subscription.id,
      type: 'percentageDiscount',
      percentageDiscount: '0.35',
      effectiveFrom: START,
      effectiveTo: null,
      description: 'Launch',
      createdAt: START,
    });
    await shop.advance(clock, MARCH);
    const [january, february, march] = await shop.invoices(subscription);
    for (const invoice of [january, february]) {
      expect(shown(invoice)).toEqual(['fee Flat fee: 100.00', 'discount Launch: -35.00 off Flat fee']);
      expect(invoice).toMatchObject({ status: 'ISSUED', subtotal: '65.00', totalTax: '13.00', grandTotal: '78.00' });
      expect(invoice.lines[1]).toMatchObject({ discountPrice: '35.00', lineItemType: 'charge', taxRate: 20 });
    }
    // Open invoices show their future totals.
    expect(march).toMatchObject({ status: 'ACTIVE', grandTotal: '78.00', unpaidAmount: '78.00' });
    expect(shown(march)).toEqual(shown(january));
  });

  // Proves 4.adjustments.5.
  it('two of 0.35 compound to 57.75 percent, the oldest first', async () => {
    const { clock, subscription } = await subscribed();
    await adjust(subscription, '0.35', { description: 'first' });
    await adjust(subscription, '0.35', { description: 'second' });
    await shop.advance(clock, FEBRUARY);
    const [january] = await shop.invoices(subscription);
    expect(shown(january)).toEqual([
      'fee Flat fee: 100.00',
      'discount first: -35.00 off Flat fee',
      'discount second: -22.75 off Flat fee',
    ]);
    expect(january).toMatchObject({ subtotal: '42.25', totalTax: '8.45', grandTotal: '50.70' });
  });

  it('all of it leaves nothing to pay: the invoice is PAID at once', async () => {
    const { clock, subscription } = await subscribed();
    await adjust(subscription, '1');
    await shop.advance(clock, FEBRUARY);
    expect((await shop.invoices(subscription))[0]).toMatchObject({ status: 'PAID', grandTotal: '0.00' });
  });

  // Proves 2.adjustment.effectiveFrom, 2.adjustment.effectiveTo, 4.adjustments.1.
  it.each([
    { what: 'opens at the end of the grace', window: { effectiveFrom: '2026-02-03T00:00:00Z' }, total: '78.00' },
    { what: 'opens right after it', window: { effectiveFrom: '2026-02-03T00:00:00.000001Z' }, total: '120.00' },
    { what: 'ends at it', window: { effectiveTo: '2026-02-03T00:00:00Z' }, total: '120.00' },
    { what: 'ends right after it', window: { effectiveTo: '2026-02-03T00:00:00.000001Z' }, total: '78.00' },
    { what: 'is over by the end of the period', window: { effectiveTo: '2026-01-31T00:00:00Z' }, total: '120.00' },
  ])('the window must hold the end of the grace: $what: $total', async ({ window, total }) => {
    const { clock, subscription } = await subscribed({ gracePeriod: 'P2D' });
    await adjust(subscription, '0.35', window);
    await shop.advance(clock, MARCH); // long after: the invoice's instant decides, not the time of the request
    expect((await shop.invoices(subscription))[0]).toMatchObject({
      gracePeriodEnd: '2026-02-03T00:00:00Z',
      grandTotal: total,
    });
  });
});

describe('invoices that are there', () => {
  // Proves 4.adjustments.2, 4.adjustments.3.
  it('do not change, drafts too, before they are calculated again', async () => {
    const { clock, subscription } = await subscribed({ autoApprove: false });
    const first = await adjust(subscription, '0.1');
    const second = await adjust(subscription, '0.2');
    await shop.advance(clock, FEBRUARY);
    const draft = async () => (await shop.invoices(subscription))[0];
    expect(await draft()).toMatchObject({ status: 'DRAFT', subtotal: '72.00' }); // 100 × 0.9 × 0.8

    const third = await adjust(subscription, '0.5'); // its window holds the instant, but it was created later
    expect(await draft()).toMatchObject({ status: 'DRAFT', subtotal: '72.00' });
    await shop.act(`/v2/invoices/${(await draft()).id}/recalculate`);
    await shop.advance(clock, 'PT1S');
    expect(await draft()).toMatchObject({ status: 'DRAFT', subtotal: '36.00' });
    expect((await remove(subscription, third)).status).toBe(204);
    await shop.advance(clock, 'PT1S');
    expect(await draft()).toMatchObject({ status: 'DRAFT', subtotal: '72.00' });

    // Without its adjustment a draft is calculated again, and needs a new approval.
    expect((await remove(subscription, first)).status).toBe(204);
    expect(await draft()).toMatchObject({ status: 'CALCULATING' });
    await shop.advance(clock, 'PT1S');
    expect(await draft()).toMatchObject({ status: 'DRAFT', subtotal: '80.00', issuedAt: null });
    expect(shown(await draft())[1]).toBe('discount 0.2 off: -20.00 off Flat fee');
    expect((await remove(subscription, second)).status).toBe(204); // a draft is no issue
    await shop.advance(clock, 'PT1S');
    await shop.act(`/v2/invoices/${(await draft()).id}/approve`);
    expect(await draft()).toMatchObject({ status: 'ISSUED', subtotal: '100.00', grandTotal: '120.00' });
  });

  it('with a wrong discount get the right one: delete, create, recalculate', async () => {
    const { clock, subscription } = await subscribed({ autoApprove: false });
    const wrong = await adjust(subscription, '0.9', { effectiveTo: '2026-02-02T00:00:00Z' });
    await shop.advance(clock, '2026-02-03T00:00:00Z');
    const draft = async () => (await shop.invoices(subscription))[0];
    expect(await draft()).toMatchObject({ status: 'DRAFT', subtotal: '10.00' });
    await remove(subscription, wrong);
    await shop.advance(clock, 'PT1S');
    await adjust(subscription, '0.09', { effectiveTo: '2026-02-02T00:00:00Z' });
    await adjust(subscription, '0.5', { effectiveFrom: '2026-02-02T00:00:00Z' }); // of later invoices
    await shop.act(`/v2/invoices/${(await draft()).id}/recalculate`);
    await shop.advance(clock, 'PT1S');
    expect(await draft()).toMatchObject({ status: 'DRAFT', subtotal: '91.00' });
  });

  it('that are approved while their adjustment is deleted keep it, or are calculated again without it', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { clock, subscription } = await subscribed({ autoApprove: false });
      const adjustment = await adjust(subscription, '0.35');
      await shop.advance(clock, FEBRUARY);
      const [draft] = await shop.invoices(subscription);
      const approve = () => merchant.post(`/v2/invoices/${draft.id}/approve`);
      const both =
        round % 2 === 0 ? [approve(), remove(subscription, adjustment)] : [remove(subscription, adjustment), approve()];
      const answers = (await Promise.all(both)).map(({ status }) => status);
      await shop.advance(clock, 'PT1S');
      const { data } = await shop.read(path(subscription));
      const [after] = await shop.invoices(subscription);
      expect([answers.toSorted(), data.length, after.status, after.subtotal]).toEqual(
        data.length === 1 ? [[200, 409], 1, 'ISSUED', '65.00'] : [[204, 409], 0, 'DRAFT', '100.00'],
      );
    }
  });

  it('of an ended subscription and of others are what they are', async () => {
    const { clock, subscription } = await subscribed({ autoApprove: false, gracePeriod: 'PT1H' });
    const adjustment = await adjust(subscription, '0.35');
    const { subscription: other } = await subscribed({ autoApprove: false });
    await adjust(other, '0.35');
    await shop.advance(clock, FEBRUARY);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    await shop.advance(clock, 'PT2H');
    const drafts = async () =>
      (await shop.invoices(subscription)).map(({ status, subtotal }) => `${status} ${subtotal}`);
    expect(await drafts()).toEqual(['DRAFT 65.00']);
    expect((await remove(subscription, adjustment)).status).toBe(204);
    await shop.advance(clock, 'PT1S');
    expect(await drafts()).toEqual(['DRAFT 100.00']);
    expect((await shop.read(path(other))).data).toHaveLength(1);
  });

  // Proves 4.adjustments.3.permanent.
  it('once one has issued, the adjustment is permanent: 409 ADJUSTMENT_IN_USE', async () => {
    const { clock, subscription } = await subscribed({ autoApprove: false });
    const adjustment = await adjust(subscription, '0.35', { effectiveTo: '2026-02-01T00:00:01Z' });
    await shop.advance(clock, FEBRUARY);
    const [january] = await shop.invoices(subscription);
    await shop.act(`/v2/invoices/${january.id}/approve`);
    expect(await remove(subscription, adjustment)).toMatchObject({
      status: 409,
      body: { error: 'conflict', code: 'ADJUSTMENT_IN_USE', details: { invoiceId: january.id } },
    });
    await shop.act(`/v2/invoices/${january.id}/cancel`);
    expect((await remove(subscription, adjustment)).status).toBe(409); // it has issued all the same
  });
});

describe('making, listing and deleting', () => {
  // Proves 4.subscriptions.adjustments.key, 4.adjustments.5.
  it('the same key again is 200 with the first, whatever the body says; without one there is a second', async () => {
    const { subscription } = await subscribed();
    const first = await adjust(subscription, '0.35', { idempotencyKey: 'launch' });
    const again = await merchant.post(path(subscription), discount('0.5', { idempotencyKey: 'launch' }));
    expect(again).toMatchObject({ status: 200, body: first });
    const other = await subscribed();
    expect((await adjust(other.subscription, '0.5', { idempotencyKey: 'launch' })).id).not.toBe(first.id);
    await adjust(subscription, '0.35');
    await adjust(subscription, '0.35');
    expect(await shop.read(path(subscription))).toMatchObject({ pagination: { total: 3 } });
  });

  it('twenty retries at once make one', async () => {
    const { subscription } = await subscribed();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => merchant.post(path(subscription), discount('0.35', { idempotencyKey: 'once' }))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('the list is newest first, and what is deleted is gone; its key is free again', async () => {
    const { subscription } = await subscribed();
    const wrong = await adjust(subscription, '0.9', { idempotencyKey: 'launch' });
    expect((await remove(subscription, wrong)).status).toBe(204);
    expect((await remove(subscription, wrong)).status).toBe(404);
    const right = await adjust(subscription, '0.09', { idempotencyKey: 'launch' });
    const later = await adjust(subscription, '0.2');
    expect((await shop.read(path(subscription))).data).toEqual([later, right]);
  });

  it('one of another subscription is not found', async () => {
    const [mine, other] = [await subscribed(), await subscribed()];
    const adjustment = await adjust(mine.subscription, '0.35');
    expect((await remove(other.subscription, adjustment)).status).toBe(404);
  });

  // Proves 4.adjustments.4, 2.adjustment.percentageDiscount, 2.adjustment.effectiveTo.
  // Proves 2.adjustment.description, 8.limits.percentageDiscount, 8.limits.description.
  // Proves 8.limits.idempotencyKey.
  it.each([
    { field: 'percentageDiscount', body: { percentageDiscount: '0' } },
    { field: 'percentageDiscount', body: { percentageDiscount: '-0.1' } },
    { field: 'percentageDiscount', body: { percentageDiscount: '1.000001' } },
    { field: 'percentageDiscount', body: { percentageDiscount: '0.1234567' } },
    { field: 'percentageDiscount', body: { percentageDiscount: '0.1234560' } }, // digits as they are written
    { field: 'percentageDiscount', body: { percentageDiscount: '1.0000000' } },
    { field: 'percentageDiscount', body: { percentageDiscount: '35%' } },
    { field: 'percentageDiscount', body: { percentageDiscount: null } },
    { field: 'type', body: { type: 'amountDiscount' } },
    { field: 'effectiveFrom', body: { effectiveFrom: '2026-01-01' } },
    { field: 'effectiveTo', body: { effectiveTo: START } }, // not after effectiveFrom
    { field: 'effectiveTo', body: { effectiveTo: '2025-12-31T23:59:59.999999Z' } },
    { field: 'description', body: { description: 'x'.repeat(256) } },
    { field: 'idempotencyKey', body: { idempotencyKey: '' } },
    { field: 'idempotencyKey', body: { idempotencyKey: 'k'.repeat(256) } },
  ])('$body is a 400 for $field', async ({ field, body }) => {
    const { subscription } = await subscribed();
    const answer = await merchant.post(path(subscription), { ...discount('0.35'), ...body });
    expect(answer, answer.text).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  // Proves 2.adjustment.percentageDiscount, 8.limits.percentageDiscount, 8.limits.description.
  it.each(['0.000001', '1', '1.000000', '0.999999'])('%s is taken', async (percentage) => {
    const { subscription } = await subscribed();
    expect((await adjust(subscription, percentage, { description: 'd'.repeat(255) })).description).toHaveLength(255);
  });

  it('none for a subscription that has ended, but a retry is answered', async () => {
    const { subscription } = await subscribed();
    const first = await adjust(subscription, '0.35', { idempotencyKey: 'launch' });
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    expect((await merchant.post(path(subscription), discount('0.35'))).body.code).toBe('INVALID_TRANSITION');
    const again = await merchant.post(path(subscription), discount('0.35', { idempotencyKey: 'launch' }));
    expect(again).toMatchObject({ status: 200, body: first });
  });
});
