import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Several subscriptions of a customer price a metric; which of them bills the customer's usage changes for the past
 * (domain.md §3, "Whose usage"): closed periods are looked at again.
 */
let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

type Fields = Record<string, unknown>;

/** A merchant of its own with a metric at 1.00 a unit, and a customer. */
async function openStory({ metric: metricFields = {}, price = {} }: { metric?: Fields; price?: Fields } = {}) {
  const shop = shopOf(await env.merchant());
  const metric = await shop.metric(metricFields);
  const sold = (fields: Fields = {}) => shop.usagePrice({ billableMetricId: metric.id, ...price, ...fields });
  const clock = await shop.clock(START);
  return { shop, metric, sold, clock, plan: await shop.plan([await sold()]), customer: await shop.customer() };
}

const end = (shop: Shop, { id }: Resource, terminatedAt: string) =>
  shop.change(`/v0/subscriptions/${id}`, { terminatedAt });

/** What the invoices of a subscription come to, credit notes taken off. */
async function billed(shop: Shop, subscription: Resource): Promise<number> {
  let total = 0;
  for (const invoice of await shop.invoices(subscription)) {
    const { data } = await shop.read(`/v2/invoices/${invoice.id}/creditNotes`);
    total += Number(invoice.grandTotal);
    for (const note of data) total -= Number(note.grandTotal);
  }
  return Math.round(total * 1000) / 1000;
}

describe('the older subscription is ended as of the past', () => {
  it('and the open month of the younger one bills what the older one has not', async () => {
    const { shop, clock, plan, customer } = await openStory();
    const older = await shop.subscribe(plan, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-10T00:00:00Z', 5);
    await shop.use(customer.id, '2026-01-25T00:00:00Z', 7);
    await shop.advance(clock, '2026-01-28T00:00:00Z');
    await end(shop, older, '2026-01-20T00:00:00Z');
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([5, 7]);
  });

  // A year of the older one is open, so it has billed nothing; January and February of the younger one are closed.
  it.each<{
    aggregation: string;
    events: readonly (readonly [string, number | string])[];
    older: number;
    younger: number;
  }>([
    // 1 on the 1st of January; 10 and 100 after the end.
    {
      aggregation: 'SUM',
      events: [
        ['01-01', 1],
        ['01-10', 10],
        ['02-10', 100],
      ],
      older: 1,
      younger: 110,
    },
    {
      aggregation: 'COUNT',
      events: [
        ['01-01', 1],
        ['01-10', 10],
        ['01-11', 1],
        ['02-10', 100],
      ],
      older: 1,
      younger: 3,
    },
    // January: a and b; February: b.
    {
      aggregation: 'UNIQUE_COUNT',
      events: [
        ['01-10', 'a'],
        ['01-11', 'b'],
        ['01-12', 'a'],
        ['02-10', 'b'],
      ],
      older: 0,
      younger: 3,
    },
  ])('and closed months of the younger one bill what nobody has billed: $aggregation', async (story) => {
    const { aggregation, events } = story;
    const { shop, clock, plan, sold, customer } = await openStory({
      metric: { aggregation, ...(aggregation === 'COUNT' && { valueProperty: null }) },
    });
    const yearly = await shop.plan([await sold({ billingCadence: 'P1Y' })], { billingCadence: 'P1Y' });
    const older = await shop.subscribe(yearly, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    for (const [day, value] of events) await shop.use(customer.id, `2026-${day}T00:00:00Z`, value);
    await shop.advance(clock, '2026-03-05T00:00:00Z');
    expect(await billed(shop, younger)).toBe(0);
    await end(shop, older, '2026-01-02T00:00:00Z');
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([story.older, story.younger]);
  });

  it('and the younger one has ended, too: it is due at once, and bills its closed periods again', async () => {
    const { shop, clock, plan, sold, customer } = await openStory();
    const yearly = await shop.plan([await sold({ billingCadence: 'P1Y' })], { billingCadence: 'P1Y' });
    const older = await shop.subscribe(yearly, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer, endingAt: '2026-03-01T00:00:00Z' });
    await shop.use(customer.id, '2026-01-10T00:00:00Z', 10);
    await shop.use(customer.id, '2026-02-10T00:00:00Z', 100);
    await shop.advance(clock, '2026-05-05T00:00:00Z'); // more than 35 days after the end of the younger one
    expect(await billed(shop, younger)).toBe(0);
    await end(shop, older, '2026-01-02T00:00:00Z');
    await shop.advance(clock, '2026-05-05T00:00:01Z');
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([0, 110]);
  });

  it('a change that was to come after the end holds up nobody', async () => {
    const { shop, clock, plan, sold, customer } = await openStory();
    const older = await shop.subscribe(plan, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    const other = await shop.plan([await sold({ properties: { unitPrice: '2' } })]);
    await shop.create(`/v0/subscriptions/${older.id}/changes`, { planId: other.id, effective: 'periodEnd' });
    await shop.use(customer.id, '2026-01-25T00:00:00Z', 7);
    await shop.advance(clock, '2026-01-26T00:00:00Z');
    await end(shop, older, '2026-01-20T00:00:00Z');
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect([await billed(shop, older), await billed(shop, younger)]).toEqual([0, 7]);
  });
});

it('is not billed by a subscription of another clock, nor by one that waits for its payment', async () => {
  const { shop, clock, plan, sold, customer } = await openStory();
  const asking = await shop.plan([await sold(), await shop.feePrice({ paymentTerm: 'in_advance' })]);
  const waiting = await shop.subscribe(asking, { clock, customer, sessionExpiryMinutes: 60 * 24 * 7 });
  const elsewhere = await shop.subscribe(plan, { clock: await shop.clock(START), customer });
  const younger = await shop.subscribe(plan, { clock, customer });
  await shop.use(customer.id, '2026-01-25T00:00:00Z', 7);
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  expect((await shop.read(`/v0/subscriptions/${waiting.id}`)).status).toBe('terminated'); // nobody paid in a week
  expect(await billed(shop, younger)).toBe(7);
  expect(await billed(shop, elsewhere)).toBe(7); // its January is open: a live total
});
