import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Decimal, decimal, sum } from '../../src/kernel/decimal.ts';
import { cases } from '../support/cases.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { expectTotals } from '../support/identities.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Random changes of plans through HTTP: the preview equals the result, and a change and its reversal bill the same as
 * no change (domain.md §3).
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

const HOUR_SECONDS = 3600;
const afterSeconds = (start: string, seconds: number) => Temporal.Instant.from(start).add({ seconds }).toString();

const ahead = (unitPrice: string, fields: object = {}) =>
  shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice }, ...fields });

/** Prices of all kinds; each plan has some. */
async function pricePool(): Promise<Resource[]> {
  const metric = await shop.metric();
  const level = await shop.metric({ aggregation: 'MAX' });
  const tiers = [
    { upTo: '10', unitPrice: '0.35', flatPrice: '2' },
    { upTo: null, unitPrice: '0.125' },
  ];
  const ofUse = (fields: object) => shop.usagePrice({ billableMetricId: metric.id, ...fields });
  return [
    await ofUse({ model: 'graduated', properties: { tiers, includedUnits: '3' } }),
    await ofUse({ model: 'package', properties: { size: '7', price: '0.99' }, minimumAmount: '12.34' }),
    await shop.usagePrice({ billableMetricId: level.id, properties: { unitPrice: '0.77' } }),
    await shop.feePrice({ properties: { unitPrice: '19.99' }, quantity: 3 }),
    await ahead('30'),
    await ahead('100', { taxRate: 7 }),
    await ahead('365', { billingCadence: 'P1Y' }),
    await ahead('5', { billingCadence: 'P0D' }),
    await shop.feePrice({ properties: { unitPrice: '-4' } }),
  ];
}

const payInFull = (invoice: Resource) =>
  shop.create(`/v2/invoices/${invoice.id}/payments`, {
    amount: invoice.unpaidAmount,
    method: 'bank_transfer',
    receivedAt: invoice.issuedAt,
    idempotencyKey: invoice.id,
  });

/** An answer without generated names and times, and without the hashes over names. */
function withoutNames(value: unknown): unknown {
  const names = new Map<string, string>();
  const named = (id: string) => names.get(id) ?? names.set(id, `#${names.size}`).get(id);
  const text = JSON.stringify(value, (key, inner) => (key === 'updatedAt' ? null : inner));
  return JSON.parse(text.replaceAll(/\b(?:[a-z]+_[0-9A-Za-z]{16,}|[0-9a-f]{64})\b/g, (id) => named(id) as string));
}

const bits = fc.integer({ min: 1, max: 2 ** 9 - 1 });
const step = fc.record({
  hours: fc.oneof(fc.constantFrom(0, 24, 31 * 24), fc.integer({ min: 1, max: 900 })),
  units: fc.integer({ min: 0, max: 40 }),
  pays: fc.boolean(),
  plan: fc.integer({ min: 0, max: 3 }),
  order: fc.record(
    {
      effective: fc.constantFrom('now', 'now', 'now', 'periodEnd'),
      proration: fc.constantFrom('second', 'day', 'none'),
      credit: fc.constantFrom('invoice', 'wallet', 'none'),
    },
    { requiredKeys: [] },
  ),
});

it('of a change is the deed, and changes nothing', { timeout: 300_000 }, async () => {
  const pool = await pricePool();
  let done = 0;
  const plans = fc.array(fc.tuple(bits, fc.constantFrom('P1M', 'P1M', 'P1M', 'P2W')), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(plans, fc.array(step, { minLength: 2, maxLength: 4 }), async (of, steps) => {
      const made: Resource[] = [];
      for (const [held, billingCadence] of of)
        made.push(
          await shop.plan(
            pool.filter((_, place) => (held >> place) % 2 === 1),
            { billingCadence, gracePeriod: 'P0D', defaultTaxRate: 20 },
          ),
        );
      const clock = await shop.clock(START);
      const subscription = await shop.subscribe(made[0], { clock, bankTransferOnly: true });
      let now = START;
      for (const { hours, units, pays, plan, order } of steps) {
        now = afterSeconds(now, hours * HOUR_SECONDS);
        if (hours > 0) await shop.advance(clock, now);
        if (units > 0) await shop.use(subscription.id, now, units);
        const before = await shop.invoices(subscription);
        if (pays)
          for (const invoice of before)
            if (invoice.status === 'ISSUED' && invoice.unpaidAmount !== '0.00') await payInFull(invoice);
        const body = { planId: made[plan].id, ...order };
        const path = `/v0/subscriptions/${subscription.id}/changes`;
        const untouched = await shop.invoices(subscription);
        const preview = await merchant.post(path, { ...body, dryRun: true });
        expect(await shop.invoices(subscription)).toEqual(untouched);
        const deed = await merchant.post(path, body);
        if (deed.status !== 201) {
          expect([preview.status, preview.body.code, preview.body.errors]).toEqual([
            deed.status,
            deed.body.code,
            deed.body.errors,
          ]);
          continue;
        }
        expect(preview.status).toBe(200);
        const answer = (answered: Resource) => withoutNames({ ...answered, change: { ...answered.change, id: null } });
        expect(answer(preview.body)).toEqual(answer(deed.body));
        done += 1;
        const shown = deed.body.invoicePreview;
        if (shown)
          expect({ ...(await shop.invoice(shown.id)), lines: null }).toMatchObject({ grandTotal: shown.grandTotal });
        for (const invoice of await shop.invoices(subscription)) expectTotals(invoice);
      }
    }),
    { ...cases(2, 5), endOnFailure: true },
  );
  expect(done).toBeGreaterThan(0);
});

/** Net of tax and of all credits. */
async function asked(subscription: Resource): Promise<Decimal> {
  const invoices = await shop.invoices(subscription);
  const { balances } = await shop.read(`/v0/customers/${subscription.customerId}/wallet`);
  const inWallet = sum(balances.map(({ balance }: Resource) => decimal(balance)));
  const paidByWallet = sum(invoices.map(({ walletApplied }) => decimal(walletApplied ?? '0')));
  return sum(invoices.map(({ grandTotal }) => decimal(grandTotal)))
    .minus(inWallet)
    .minus(paidByWallet);
}

it('there and back bills what no change would, up to rounding', { timeout: 300_000 }, async () => {
  const pool = await pricePool();
  const [tiered, packed, level, arrears, seats] = pool as [Resource, Resource, Resource, Resource, Resource];
  const kept = [tiered, packed, level];
  const terms = { gracePeriod: 'P0D' };
  const own = await shop.plan([...kept, arrears, seats], terms);
  // Other fees of the same amounts, so that the time between costs the same.
  const others = [await shop.feePrice({ properties: { unitPrice: '19.99' }, quantity: 3 }), await ahead('30')];
  const other = await shop.plan([...kept, ...others], terms);
  const instant = fc.oneof(
    fc.integer({ min: 1, max: 58 * 24 * HOUR_SECONDS }),
    fc.constantFrom(31, 59).map((days) => days * 24 * HOUR_SECONDS - 1),
  );
  const between = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 * 24 * HOUR_SECONDS }));
  const usage = fc.array(fc.tuple(fc.integer({ min: 0, max: 100 * 24 }), fc.integer({ min: 1, max: 30 })), {
    maxLength: 4,
  });
  const proration = fc.constantFrom('second', 'day', 'none');
  await fc.assert(
    fc.asyncProperty(instant, between, usage, proration, async (from, length, used, by) => {
      const clock = await shop.clock(START);
      const [changed, never] = [
        await shop.subscribe(own, { clock, bankTransferOnly: true }),
        await shop.subscribe(own, { clock, bankTransferOnly: true }),
      ];
      for (const [hour, units] of used)
        for (const { id } of [changed, never]) await shop.use(id, afterSeconds(START, hour * HOUR_SECONDS), units);
      const payAll = async () => {
        for (const invoice of await shop.invoices(changed)) if (invoice.status === 'ISSUED') await payInFull(invoice);
      };
      const order = { proration: length === 0 ? by : 'second' };
      await shop.advance(clock, afterSeconds(START, from));
      await payAll();
      await shop.create(`/v0/subscriptions/${changed.id}/changes`, { planId: other.id, ...order });
      if (length > 0) await shop.advance(clock, afterSeconds(START, from + length));
      await payAll();
      await shop.create(`/v0/subscriptions/${changed.id}/changes`, { planId: own.id, ...order });
      await shop.advance(clock, '2026-05-01T00:00:00Z');
      const [found, exactly] = [await asked(changed), await asked(never)];
      const off = found.minus(exactly).abs();
      expect(off.lte(length === 0 ? '0' : '0.05'), `${found} for ${exactly}`).toBe(true);
    }),
    { ...cases(1, 4), endOnFailure: true },
  );
});
