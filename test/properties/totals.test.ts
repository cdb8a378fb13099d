import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cases } from '../support/cases.ts';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { expectTotals } from '../support/identities.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The invoices of any plan sum up to the last minor unit, and an open period shows its later bill (I-22, I-23). */
let env: TestEnvironment;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  shop = shopOf(await env.merchant());
});
afterAll(() => env.close());

const decimalOf = (most: number, digits: number) =>
  fc.integer({ min: 0, max: most * 10 ** digits }).map((units) => (units / 10 ** digits).toFixed(digits));
const tiers = fc
  .tuple(fc.integer({ min: 1, max: 20 }), decimalOf(3, 4), decimalOf(3, 4), decimalOf(9, 2))
  .map(([upTo, first, second, flatPrice]) => ({
    tiers: [
      { upTo: String(upTo), unitPrice: first, flatPrice },
      { upTo: null, unitPrice: second },
    ],
  }));
const pricing = fc.oneof(
  decimalOf(20, 5).map((unitPrice) => ({ model: 'standard', properties: { unitPrice } })),
  decimalOf(5, 2).map((unitPrice) => ({ model: 'standard', properties: { unitPrice: `-${unitPrice}` } })), // a rebate
  tiers.map((properties) => ({ model: 'graduated', properties })),
  tiers.map((properties) => ({ model: 'volume', properties })),
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), decimalOf(9, 3))
    .map(([size, price]) => ({ model: 'package', properties: { size: String(size), price } })),
);
const limits = fc.constantFrom({}, {}, { minimumAmount: '12.345' }, { maximumAmount: '7.5' });
const price = fc.record({
  pricing,
  limits,
  taxRate: fc.constantFrom(null, null, 0, 7, 8.875, 19),
  isFee: fc.boolean(),
});
const plan = fc.record({
  currency: fc.constantFrom('USD', 'JPY', 'KWD'),
  taxBehavior: fc.constantFrom('exclusive', 'inclusive'),
  defaultTaxRate: fc.constantFrom(0, 20, 7.7),
  prices: fc.array(price, { minLength: 1, maxLength: 5 }),
  usage: fc.array(decimalOf(30, 3), { maxLength: 3 }),
  endsAfterHours: fc.constantFrom(null, 1, 400),
});

const shown = (invoice: Resource) => ({
  totals: [invoice.subtotal, invoice.totalTax, invoice.grandTotal, invoice.itemCount],
  lines: invoice.lines.map(({ id: _, eventId: __, ...line }: Resource) => line),
});

it('of random plans sum up, and are what the open period showed', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ prices, usage, endsAfterHours, ...terms }) => {
      const metric = await shop.metric();
      const made = [];
      for (const { pricing: of, limits: bounds, taxRate, isFee } of prices) {
        const fields = { ...of, ...bounds, ...(taxRate !== null && { taxRate }) };
        made.push(
          await (isFee
            ? shop.feePrice({ quantity: 3, ...fields })
            : shop.usagePrice({ billableMetricId: metric.id, ...fields })),
        );
      }
      const clock = await shop.clock(START);
      const endingAt =
        endsAfterHours === null ? null : Temporal.Instant.from(START).add({ hours: endsAfterHours }).toString();
      const subscription = await shop.subscribe(await shop.plan(made, { ...terms, autoApprove: false }), {
        clock,
        endingAt,
      });
      for (const units of usage) await shop.use(subscription.id, START, units);
      const [open] = await shop.invoices(subscription);
      expectTotals(open);
      await shop.advance(clock, 'P1M');
      const [billed] = await shop.invoices(subscription);
      expect(billed).toMatchObject({ status: 'DRAFT', currency: terms.currency });
      expectTotals(billed);
      expect(shown(billed)).toEqual(shown(open));
    }),
    { ...cases(6, 25), endOnFailure: true },
  );
});
