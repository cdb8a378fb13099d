import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recomputeDatabase } from '../../src/app.ts';
import { sql } from '../../src/db/index.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** A period with `closeNow` is priced as one period, on as many invoices as it has parts (domain.md §3, §4). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

type Fields = Record<string, unknown>;
/** The first 10 cost 1, the others 0.5. */
const TIERS = {
  model: 'graduated',
  properties: {
    tiers: [
      { upTo: '10', unitPrice: '1' },
      { upTo: null, unitPrice: '0.5' },
    ],
  },
};
const on = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`;

/** Monthly usage from the 1st of January on. */
async function subscribed(price: Fields = TIERS, metric: Fields = {}) {
  const clock = await shop.clock(START);
  const { id: billableMetricId } = await shop.metric(metric);
  const subscription = await shop.subscribe(await shop.plan([await shop.usagePrice({ billableMetricId, ...price })]), {
    clock,
  });
  return { clock, subscription };
}

const last = async (subscription: Resource): Promise<Resource> => (await shop.invoices(subscription)).at(-1);
const use = (subscription: Resource, day: number, units: number | string, fields?: Fields) =>
  shop.use(subscription.id, on(day), units, fields);
const shown = ({ lines }: Resource) =>
  lines.map((line: Resource) => `${line.type} ${line.periodStart.slice(5, 10)}: ${line.quantity} = ${line.totalPrice}`);

/** Moves to a day and cuts the open period there. */
async function cut(clock: Resource, subscription: Resource, day: number) {
  await shop.advance(clock, on(day));
  await shop.act(`/v2/invoices/${(await last(subscription)).id}/closeNow`, { reason: 'The customer asked for it' });
  await shop.advance(clock, 'PT2S');
}

describe('a period that is cut', () => {
  it('continues in the tiers that earlier parts reached, also twice', async () => {
    const { clock, subscription } = await subscribed();
    await use(subscription, 2, 8);
    await cut(clock, subscription, 11);
    await use(subscription, 12, 6);
    const open = await last(subscription);
    expect(shown(open)).toEqual(['charge 01-11: 6 = 4.00']); // 2 at 1 and 4 at 0.5
    expect(await shop.read(`/v0/subscriptions/${subscription.id}/upcomingInvoice`)).toMatchObject({ subtotal: '4.00' });

    await cut(clock, subscription, 21);
    await use(subscription, 22, 10);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    const invoices = await shop.invoices(subscription);
    expect(invoices.map(({ status }) => status)).toEqual(['ISSUED', 'ISSUED', 'ISSUED', 'ACTIVE']);
    expect(invoices.map(shown)).toEqual([
      ['charge 01-01: 8 = 8.00'],
      ['charge 01-11: 6 = 4.00'],
      ['charge 01-21: 10 = 5.00'],
      ['charge 02-01: 0 = 0.00'], // the next month begins with its first tier
    ]);
  });

  it('says what its parts before came to', async () => {
    const { clock, subscription } = await subscribed();
    await use(subscription, 2, 8);
    await cut(clock, subscription, 11);
    await use(subscription, 12, 6);
    const earlier = { from: START, to: (await last(subscription)).periodStart, quantity: 8, amount: '8.00' };
    const explained = async (index: number) =>
      shop.read(`/v2/invoices/${(await shop.invoices(subscription))[index]?.id}/explain`);
    expect((await explained(1)).lines).toMatchObject([{ quantity: 6, amount: '4.00', earlier }]);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    expect(await explained(0)).toMatchObject({ lines: [{ earlier: null }], recalculation: { isSame: true } });
    expect(await explained(1)).toMatchObject({
      lines: [
        {
          ...{ quantity: 6, amount: '4.00', earlier },
          tiers: [
            { above: '0', upTo: '10', quantity: '2', unitPrice: '1', flatPrice: '0', amount: '2' },
            { above: '10', upTo: null, quantity: '4', unitPrice: '0.5', flatPrice: '0', amount: '2' },
          ],
        },
      ],
      recalculation: { isSame: true },
    });
  });

  it('has one minimum, which is asked as the period is over', async () => {
    const { clock, subscription } = await subscribed({ minimumAmount: '31' });
    await use(subscription, 2, 4);
    await cut(clock, subscription, 11); // 10 of 31 days
    await use(subscription, 12, 10);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    expect((await shop.invoices(subscription)).slice(0, 2).map(shown)).toEqual([
      ['charge 01-01: 4 = 4.00'],
      ['charge 01-11: 10 = 10.00', 'minimum 01-11: 1 = 17.00'],
    ]);
  });

  it('does not lose what a later part makes cheaper: a credit note on the first gives it back', async () => {
    // Up to 10 each costs 2, above that each costs 1: 8 = 16.00, 12 = 12.00.
    const [cheap, dear] = [
      { upTo: null, unitPrice: '1' },
      { upTo: '10', unitPrice: '2' },
    ];
    const { clock, subscription } = await subscribed({ model: 'volume', properties: { tiers: [dear, cheap] } });
    await use(subscription, 2, 8);
    await cut(clock, subscription, 11);
    await use(subscription, 12, 4);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    await shop.use(subscription.id, '2026-02-10T00:00:00Z', 5);
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    const [first, second, february] = await shop.invoices(subscription);
    expect([first, second, february].map(shown)).toEqual([
      ['charge 01-01: 8 = 16.00'],
      ['charge 01-11: 4 = 0.00'],
      ['charge 02-01: 5 = 10.00'],
    ]);
    const notes = (await shop.read(`/v2/invoices/${first.id}/creditNotes`)).data;
    expect(notes).toMatchObject([{ kind: 'credit', amount: '4.00' }]);
  });

  it('waits for a part before it that is not read yet', async () => {
    const { clock, subscription } = await subscribed();
    await use(subscription, 2, 8);
    await shop.advance(clock, on(11));
    const part = await last(subscription);
    const late = '2026-02-01T00:04:30Z';
    await shop.act(`/v2/invoices/${part.id}/closeNow`, { reason: 'The customer asked for it' });
    await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.run(sql`update invoice set next_action_at = ${late} where merchant_id = ${merchant.id} and id = ${part.id}`),
    );
    await use(subscription, 12, 6);
    await shop.advance(clock, '2026-02-01T00:03:30Z');
    const [before, remainder] = await shop.invoices(subscription);
    expect([before.status, remainder.status, remainder.nextActionAt]).toEqual([
      'CLOSING',
      'CLOSING',
      '2026-02-01T00:04:00Z',
    ]);
    expect(shown(remainder)).toEqual(['charge 01-11: 6 = 4.00']);
    await shop.advance(clock, '2026-02-01T00:06:00Z');
    expect((await shop.invoices(subscription)).slice(0, 2).map((each) => [each.status, ...shown(each)])).toEqual([
      ['ISSUED', 'charge 01-01: 8 = 8.00'],
      ['ISSUED', 'charge 01-11: 6 = 4.00'],
    ]);
  });

  it('bills figures that do not add up so far for the time so far', async () => {
    const { clock, subscription } = await subscribed({ properties: { unitPrice: '31' } }, { aggregation: 'MAX' });
    await use(subscription, 2, 4);
    await cut(clock, subscription, 11);
    await use(subscription, 12, 6);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    expect((await shop.invoices(subscription)).slice(0, 2).map(shown)).toEqual([
      ['charge 01-01: 4 = 40.00'], // 4 × 31 × 10 ÷ 31
      ['charge 01-11: 6 = 146.00'], // 6 × 31 − 40.00: 6 was the most of the whole month
    ]);
  });
});

describe('usage that comes late for a part', () => {
  it('while the remainder is open stands with the usage of the remainder', async () => {
    const { clock, subscription } = await subscribed();
    await use(subscription, 2, 8);
    await cut(clock, subscription, 11);
    await use(subscription, 3, 4); // 8 → 12: 2 at 1 and 2 at 0.5
    await use(subscription, 12, 6);
    const lines = ['charge 01-11: 10 = 6.00'];
    expect(shown(await last(subscription))).toEqual(lines);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    expect(shown((await shop.invoices(subscription))[1])).toEqual(lines);
  });

  it('after all parts are billed is priced with what all of them used', async () => {
    const { clock, subscription } = await subscribed();
    await use(subscription, 2, 8);
    await cut(clock, subscription, 11);
    await use(subscription, 12, 6);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    await use(subscription, 3, 1); // the month is above 10 units: each further one costs 0.5
    await use(subscription, 13, -6); // 15 → 9 units: from 12.50 to 9.00
    const late = ['late_usage 01-01: -5 = -3.00'];
    await shop.use(subscription.id, '2026-02-10T00:00:00Z', 9);
    await shop.advance(clock, '2026-02-12T00:00:00Z');
    expect(shown(await last(subscription))).toEqual(['charge 02-01: 9 = 9.00', ...late]);
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    const [, , february] = await shop.invoices(subscription);
    expect(shown(february)).toEqual(['charge 02-01: 9 = 9.00', ...late]);
  });
});

it('all of them come to the same from the events', async () => {
  const { checked, differing } = await recomputeDatabase(env.url, { merchants: [merchant.id] });
  expect(checked).toBeGreaterThan(10);
  expect(differing).toEqual([]);
});
