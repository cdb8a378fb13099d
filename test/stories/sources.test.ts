import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decimal, plain, sum } from '../../src/kernel/decimal.ts';
import { cases } from '../support/cases.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import { deliver, newSource, revenue, revenueShop } from '../support/sources.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const subtotals = async (subscription: Resource) =>
  (await shop.invoices(subscription)).map(({ status, subtotal }: Resource) => `${status} ${subtotal}`);

// Proves 6.webhooks.sources.
it('a mobile app’s revenue is approved by rules and people, and billed at 5 %', async () => {
  const { plan, metric, clock, subscription, externalId } = await revenueShop(shop);
  const source = await newSource(shop, { plan, metric }, { processingMode: 'manual' });
  const small = await shop.create('/v0/sourceRules', {
    sourceId: source.id,
    name: 'Small sales of January',
    conditions: [
      { type: 'amount', operator: 'between', value: { from: 0, to: 500 } },
      { type: 'date', operator: 'between', value: { from: '2026-01-01', to: '2026-01-31' } },
    ],
  });
  const events = `/v0/sources/${source.id}/events`;
  const receive = async (amount: string, fields: object = {}) =>
    (await deliver(env, source, revenue(externalId, { amount, ...fields }))).body;

  const byRule = await receive('400');
  const large = await receive('10000');
  const fraud = await receive('90000');
  const euros = await receive('300', { currency: 'EUR' });
  const refund = await receive('-100');
  expect([byRule, large, fraud, euros, refund].map(({ status }) => status)).toEqual([
    'processed',
    'pending',
    'pending',
    'failed',
    'pending',
  ]);
  expect(byRule.processedBy).toBe(small.id);

  expect(await shop.act(`${events}/${fraud.id}/reject`)).toMatchObject({ status: 'rejected' });
  expect(await shop.act(`${events}/bulk-approve`, { eventIds: [large.id, refund.id] })).toMatchObject({ processed: 2 });
  // The plan bills in dollars, so a retry has the same result; the sale is reported again in dollars.
  expect(await shop.act(`${events}/${euros.id}/retry`)).toMatchObject({ status: 'failed', processedBy: small.id });
  expect(await receive('330')).toMatchObject({ status: 'processed' });
  expect((await shop.read(`/v0/sourceRules/${small.id}`)).matchCount).toBe(4);

  await shop.advance(clock, '2026-02-01T00:00:00Z');
  expect(await subtotals(subscription)).toEqual(['ISSUED 531.50', 'ACTIVE 0.00']); // (400 + 10000 − 100 + 330) × 5 %

  // Usage that is approved after its period has closed is late usage: the next invoice bills it, with January's dates.
  const late = await receive('2000', { occurredAt: '2026-01-31T23:59:59Z' });
  await shop.act(`${events}/${late.id}/approve`);
  await shop.advance(clock, '2026-03-01T00:00:00Z');
  expect(await subtotals(subscription)).toEqual(['ISSUED 531.50', 'ISSUED 100.00', 'ACTIVE 0.00']);
});

it('revenue of a customer who comes later is billed to that customer', async () => {
  const { plan, metric, clock } = await revenueShop(shop);
  const source = await newSource(shop, { plan, metric });
  const { body } = await deliver(env, source, revenue('comes-to-be', { amount: '60' }));
  expect(body.status).toBe('processed');
  const customer = await shop.customer({ externalId: 'comes-to-be' });
  const subscription = await shop.subscribe(plan, { clock, customer });
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  expect(await subtotals(subscription)).toEqual(['ISSUED 3.00', 'ACTIVE 0.00']);
});

it('revenue from before the end that is reported after it still counts; revenue from after the end fails', async () => {
  const { plan, metric, clock, subscription, externalId } = await revenueShop(shop);
  const source = await newSource(shop, { plan, metric });
  await shop.advance(clock, '2026-01-15T00:00:00Z');
  await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
  const told = async (occurredAt: string) =>
    (await deliver(env, source, revenue(externalId, { occurredAt }))).body.status;
  expect(await told('2026-01-14T23:59:59Z')).toBe('processed');
  expect(await told('2026-01-15T00:00:00Z')).toBe('failed');
});

describe('other currencies', () => {
  it.each([
    { currency: 'JPY', amount: '1999', share: '100' },
    { currency: 'KWD', amount: '12.345', share: '0.617' },
  ])('$amount $currency come to a share of $share', async ({ currency, amount, share }) => {
    const { plan, metric, clock, subscription, externalId } = await revenueShop(shop, { plan: { currency } });
    const source = await newSource(shop, { plan, metric });
    await deliver(env, source, revenue(externalId, { amount, currency }));
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect((await subtotals(subscription))[0]).toBe(`ISSUED ${share}`);
  });
});

describe('any reports, repetitions and decisions, in any order', () => {
  const step = fc.record({
    cents: fc.integer({ min: 1, max: 100_000 }),
    told: fc.integer({ min: 1, max: 3 }),
    decision: fc.constantFrom('approve', 'reject', 'both', 'bulk', 'wait'),
  });

  it('the invoice charges 5 % of the processed revenue, once', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), fc.boolean(), async (steps, isAutomatic) => {
        const { plan, metric, clock, subscription, externalId } = await revenueShop(shop);
        const processingMode = isAutomatic ? 'automatic' : 'manual';
        const source = await newSource(shop, { plan, metric }, { processingMode });
        const events = `/v0/sources/${source.id}/events`;
        await Promise.all(
          steps.map(async ({ cents, told, decision }) => {
            const body = revenue(externalId, { amount: plain(decimal(cents).div(100)) });
            const [answer] = await Promise.all(Array.from({ length: told }, () => deliver(env, source, body)));
            const { id } = answer?.body ?? {};
            if (decision === 'approve' || decision === 'both') await merchant.post(`${events}/${id}/approve`);
            if (decision === 'reject' || decision === 'both') await merchant.post(`${events}/${id}/reject`);
            if (decision === 'bulk') await merchant.post(`${events}/bulk-approve`, { eventIds: [id] });
          }),
        );
        const { data } = await shop.read(`${events}?limit=100`);
        expect(data).toHaveLength(steps.length);
        const isProcessed = ({ status }: Resource) => status === 'processed';
        const expected = steps.filter(({ decision }) => isAutomatic || !['reject', 'wait'].includes(decision));
        expect(data.filter(isProcessed)).toHaveLength(expected.length);
        const processed = sum(expected.map(({ cents }) => decimal(cents).div(100)));
        await shop.advance(clock, '2026-02-01T00:00:00Z');
        const [invoice] = await shop.invoices(subscription);
        expect(invoice.subtotal).toBe(processed.times('0.05').toFixed(2));
      }),
      cases(2, 6),
    );
  });
});
